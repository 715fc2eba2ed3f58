"""A Pydantic AI agent that gets what is known with its instructions, and tools to ask and to keep more.

pip install . pydantic-ai-slim && python integrations/pydantic-ai/example.py    # in a checkout of Palazzo

Put a model's name instead of the function below and the agent answers by itself; here it repeats what it was told.
"""

import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from palazzo import Memory
from palazzo.integrations.pydantic_ai import memory_instructions, memory_toolset, observe_run


def repeats(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart(f"I was told: {info.instructions or 'nothing'}")])


def main(palace: str) -> None:
    with Memory(palace) as memory:
        agent = Agent(FunctionModel(repeats), toolsets=[memory_toolset(memory, user_id="ada")],
                      instructions=memory_instructions(memory, user_id="ada"))  # fmt: skip
        first = agent.run_sync("My flight to Lisbon leaves on Friday at noon.")
        observe_run(memory, first.new_messages(), user_id="ada")
        print(agent.run_sync("When does my flight leave?").output)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "palace")
