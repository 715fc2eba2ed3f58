"""A palace for the Claude Agent SDK: hooks that bring what is known, tools, and a store to resume sessions from.

pip install . claude-agent-sdk && python integrations/claude-agent-sdk/example.py    # in a checkout of Palazzo

With Claude Code signed in, `query(prompt=..., options=options)` uses all of it; here the hooks are called by hand.
"""

import asyncio
import sys

from claude_agent_sdk import ClaudeAgentOptions

from palazzo import Memory
from palazzo.integrations.claude_agent import ALLOWED, PalazzoSessionStore, memory_hooks, memory_server


async def main(palace: str) -> None:
    with Memory(palace) as memory:
        options = ClaudeAgentOptions(
            mcp_servers={"palazzo": memory_server(memory)}, allowed_tools=list(ALLOWED),
            hooks=memory_hooks(memory), session_store=PalazzoSessionStore(memory),
        )  # fmt: skip
        before = options.hooks["UserPromptSubmit"][0].hooks[0]
        for prompt in ("We decided to keep the invoices in PostgreSQL.", "Where do we keep the invoices?"):
            answer = await before({"prompt": prompt, "session_id": prompt[:5]}, None, {"signal": None})
            print(">", prompt)
            print(answer.get("hookSpecificOutput", {}).get("additionalContext", "(nothing is known)"))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "palace"))
