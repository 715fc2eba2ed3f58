"""An agent of the OpenAI Agents SDK with a session and tools over a palace.

pip install . openai-agents && python integrations/openai-agents/example.py    # in a checkout of Palazzo

With OPENAI_API_KEY set, leave out `model=...` and the agent answers by itself; here its answers are written down.
"""

import asyncio
import sys

from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message, function_call

from palazzo import Memory
from palazzo.integrations.openai_agents import PalazzoSession, memory_tools

QUIET = RunConfig(tracing_disabled=True)


async def main(palace: str) -> None:
    with Memory(palace) as memory:
        told = Agent(name="Assistant", model=ScriptedModel([[assistant_message("Noted.")]]))
        await Runner.run(told, "My sister Clara plays the cello.", run_config=QUIET,
                         session=PalazzoSession("monday", memory, user_id="ada"))  # fmt: skip

        asked = ScriptedModel([
            [function_call("recall", {"question": "what does Clara play?"}, call_id="1")],
            [assistant_message("She plays the cello.")],
        ])  # fmt: skip
        agent = Agent(name="Assistant", model=asked, tools=memory_tools(memory, user_id="ada"))
        friday = PalazzoSession("friday", memory, user_id="ada")
        result = await Runner.run(agent, "What does my sister play?", session=friday, run_config=QUIET)
        for item in await friday.get_items():
            print(item.get("role") or item["type"], item.get("output", item.get("content", "")))
        print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "palace"))
