"""Sessions and tools of the OpenAI Agents SDK over a palace, with the real package and its scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents", reason="agents is not installed: make setup")

from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message, function_call

from palazzo import Memory
from palazzo.integrations.openai_agents import PalazzoSession, memory_tools

QUIET = RunConfig(tracing_disabled=True)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace") as opened:
        yield opened


def outputs(items: list[Any]) -> str:
    return " ".join(str(one.get("output", "")) for one in items)


def test_a_run_continues_its_session_and_an_agent_recalls_what_another_session_was_told(memory: Memory) -> None:
    async def talk() -> tuple[list[Any], list[Any]]:
        monday = PalazzoSession("monday", memory, user_id="ada")
        polite = Agent(name="polite", model=ScriptedModel([[assistant_message("Noted.")], [assistant_message("Yes.")]]))
        await Runner.run(polite, "My sister Clara plays the cello.", session=monday, run_config=QUIET)
        await Runner.run(polite, "Did you hear me?", session=monday, run_config=QUIET)
        friday = PalazzoSession("friday", memory, user_id="ada")
        asks = ScriptedModel([
            [function_call("recall", {"question": "which instrument does Clara play?"}, call_id="one")],
            [assistant_message("The cello.")],
        ])  # fmt: skip
        knowing = Agent(name="knowing", model=asks, tools=memory_tools(memory, user_id="ada"))
        await Runner.run(knowing, "What does my sister play?", session=friday, run_config=QUIET)
        return await monday.get_items(), await friday.get_items()

    before, after = asyncio.run(talk())
    assert [one["role"] for one in before] == ["user", "assistant", "user", "assistant"]
    assert "cello" in outputs(after)


def test_a_session_gives_back_its_items_pops_the_last_and_is_cleared(memory: Memory) -> None:
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "two times three?"}]},
        {"type": "function_call", "call_id": "c1", "name": "times", "arguments": '{"a": 2, "b": 3}'},
        {"type": "function_call_output", "call_id": "c1", "output": "6"},
    ]

    async def use() -> None:
        session = PalazzoSession("sums", memory)
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(limit=1) == items[-1:]
        assert await session.pop_item() == items[-1]
        assert await PalazzoSession("other", memory).get_items() == []
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None

    asyncio.run(use())


def test_a_tool_tells_the_model_of_a_refusal(memory: Memory) -> None:
    async def talk() -> list[Any]:
        session = PalazzoSession("s", memory, learn=False)
        model = ScriptedModel([
            [function_call("forget", {"memory_id": "no such memory"}, call_id="one")],
            [assistant_message("It was not there.")],
        ])  # fmt: skip
        agent = Agent(name="a", model=model, tools=memory_tools(memory))
        await Runner.run(agent, "Forget that.", session=session, run_config=QUIET)
        return await session.get_items()

    assert "Refused" in outputs(asyncio.run(talk()))
