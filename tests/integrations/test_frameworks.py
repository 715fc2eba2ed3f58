"""Tools, blocks and services of further frameworks over a palace, each with its real package where it is installed."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.errors import InvalidInput


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace") as opened:
        yield opened


def test_an_agent_of_pydantic_ai_keeps_and_asks_by_its_tools(memory: Memory) -> None:
    pytest.importorskip("pydantic_ai", reason="pydantic_ai is not installed: make setup")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from palazzo.integrations.pydantic_ai import memory_toolset

    script: list[tuple[str, dict[str, Any]]] = [
        ("remember", {"text": "The kettle is broken."}), ("recall", {"question": "what is broken?"}),
        ("forget", {"memory_id": "nothing of the sort"}),
    ]  # fmt: skip

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        back = [str(part.content) for one in messages for part in one.parts if isinstance(part, ToolReturnPart)]
        if len(back) < len(script):
            return ModelResponse(parts=[ToolCallPart(*script[len(back)])])
        return ModelResponse(parts=[TextPart(" | ".join(back))])

    agent = Agent(FunctionModel(model), toolsets=[memory_toolset(memory)])
    said = asyncio.run(agent.run("The kettle is broken.")).output
    remembered, recalled, refused = said.split(" | ")
    assert remembered == "Remembered."
    assert "The kettle is broken." in recalled
    assert refused.startswith("Refused: ")


def test_a_run_of_pydantic_ai_is_taken_in_and_told_to_the_next_one(memory: Memory) -> None:
    pytest.importorskip("pydantic_ai", reason="pydantic_ai is not installed: make setup")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from palazzo.integrations.pydantic_ai import memory_instructions, observe_run

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(info.instructions or "nothing")])

    agent = Agent(FunctionModel(model), instructions=memory_instructions(memory, user_id="ada"))
    first = asyncio.run(agent.run("I keep bees on the roof."))
    assert first.output == "nothing"
    assert observe_run(memory, first.new_messages(), user_id="ada") > 0
    assert "bees" in asyncio.run(agent.run("What do I keep on the roof?")).output


def test_autogens_memory_is_one_users_and_clear_forgets_only_what_was_added_there(memory: Memory) -> None:
    pytest.importorskip("autogen_core", reason="autogen_core is not installed: make setup")
    from autogen_core.memory import MemoryContent, MemoryMimeType
    from autogen_core.model_context import BufferedChatCompletionContext
    from autogen_core.models import UserMessage

    from palazzo.integrations.autogen import PalazzoMemory

    async def use() -> None:
        ada, ben = PalazzoMemory(memory, user_id="ada"), PalazzoMemory(memory, user_id="ben")
        memory.remember("Ada plays the oboe.", user_id="ada")
        text = MemoryContent(content="Ada wants Celsius.", mime_type=MemoryMimeType.TEXT, metadata={"topic": "units"})
        await ada.add(text)
        await ada.add(MemoryContent(content={"tea": "no milk"}, mime_type=MemoryMimeType.JSON))
        found = (await ada.query("which unit does Ada want?")).results[0]
        assert found.content == "Ada wants Celsius."
        assert (found.metadata or {})["topic"] == "units"
        assert (await ben.query("which unit does Ada want?")).results == []
        context = BufferedChatCompletionContext(buffer_size=5)
        await context.add_message(UserMessage(content="hello", source="ada"))
        assert (await ada.update_context(context)).memories.results == []
        assert len(await context.get_messages()) == 1
        await ada.clear()
        assert (await ada.query("which unit does Ada want?")).results == []
        assert (await ada.query("what does Ada play?")).results != []
        with pytest.raises(InvalidInput):
            await ada.add(MemoryContent(content=b"\x00", mime_type=MemoryMimeType.BINARY))

    asyncio.run(use())


def test_adks_service_takes_a_session_in_once_and_keeps_apps_apart(memory: Memory) -> None:
    pytest.importorskip("google.adk", reason="google.adk is not installed: make integrations")
    from google.adk.events import Event
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions import InMemorySessionService
    from google.genai import types

    from palazzo.integrations.google_adk import PalazzoMemoryService

    def said(text: str) -> types.Content:
        return types.Content(role="user", parts=[types.Part(text=text)])

    async def use() -> None:
        service, sessions = PalazzoMemoryService(memory), InMemorySessionService()
        session = await sessions.create_session(app_name="shop", user_id="ada", session_id="monday")
        await sessions.append_event(session, Event(author="user", content=said("My shoe size is 39.")))
        await service.add_session_to_memory(session)
        held = memory.list(project="shop", user_id="ada", limit=1000).total
        await service.add_session_to_memory(session)
        assert memory.list(project="shop", user_id="ada", limit=1000).total == held
        asked = {"user_id": "ada", "query": "what is my shoe size?"}
        found = (await service.search_memory(app_name="shop", **asked)).memories
        assert "39" in str(found[0].content)
        assert (await service.search_memory(app_name="bank", **asked)).memories == []
        for one in found:
            await service.delete_memory(app_name="shop", user_id="ada", memory_id=one.id)
        assert (await service.search_memory(app_name="shop", **asked)).memories == []
        entry = MemoryEntry(content=said("The shop opens at nine."))
        await service.add_memory(app_name="shop", user_id="ada", memories=[entry])
        opens = await service.search_memory(app_name="shop", user_id="ada", query="when does the shop open?")
        assert "nine" in str(opens.memories[0].content)

    asyncio.run(use())


def test_the_store_of_transcripts_passes_the_claude_agent_sdks_own_conformance() -> None:
    pytest.importorskip("claude_agent_sdk", reason="claude_agent_sdk is not installed: make integrations")
    from claude_agent_sdk.testing import run_session_store_conformance

    from palazzo.integrations.claude_agent import PalazzoSessionStore

    def fresh() -> PalazzoSessionStore:
        return PalazzoSessionStore(Memory(tempfile.mkdtemp(prefix="palace-"), embedder="none"))

    asyncio.run(run_session_store_conformance(fresh))


def test_claudes_hooks_bring_what_is_known_and_take_in_what_is_said(memory: Memory) -> None:
    pytest.importorskip("claude_agent_sdk", reason="claude_agent_sdk is not installed: make integrations")
    from palazzo.integrations.claude_agent import PalazzoSessionStore, memory_hooks

    async def use() -> None:
        hooks = memory_hooks(memory, user_id="ada")
        before, after = hooks["UserPromptSubmit"][0].hooks[0], hooks["Stop"][0].hooks[0]
        assert await before({"prompt": "hello", "session_id": "s1"}, None, {}) == {}
        assert await before({"prompt": "We keep the invoices in PostgreSQL.", "session_id": "s1"}, None, {}) == {}
        assert await after({"last_assistant_message": "Noted.", "session_id": "s1"}, None, {}) == {}
        told = await before({"prompt": "Where do we keep the invoices?", "session_id": "s2"}, None, {})
        assert "PostgreSQL" in told["hookSpecificOutput"]["additionalContext"]
        store = PalazzoSessionStore(memory)
        key = {"project_key": "p", "session_id": "s"}
        for _ in range(2):
            await store.append(key, [{"type": "user", "uuid": "u1", "n": 1}])
        assert await store.load(key) == [{"type": "user", "uuid": "u1", "n": 1}]

    asyncio.run(use())


def test_llama_indexs_block_is_empty_until_something_known_matters(memory: Memory) -> None:
    pytest.importorskip("llama_index", reason="llama_index is not installed: make integrations")
    from llama_index.core.base.llms.types import ChatMessage

    from palazzo.integrations.llama_index import PalazzoMemoryBlock, PalazzoNodeRetriever

    async def use() -> None:
        block = PalazzoMemoryBlock(memory=memory, user_id="ada")
        asked = [ChatMessage(role="user", content="What does Clara play?")]
        assert await block.aget(asked) == ""
        await block.aput(
            [ChatMessage(role="user", content="My sister Clara plays the cello.")], from_short_term_memory=True
        )
        assert "cello" in await block.aget(asked)
        assert await block.aget([]) == ""
        assert await PalazzoMemoryBlock(memory=memory, user_id="ben").aget(asked) == ""

    asyncio.run(use())
    found = PalazzoNodeRetriever(memory, recall={"user_id": "ada"}).retrieve("what does Clara play?")
    assert "cello" in found[0].text
    assert 0 < (found[0].score or 0) <= 1


def test_crewais_tools_tell_a_refusal_in_words(memory: Memory) -> None:
    pytest.importorskip("crewai", reason="crewai is not installed: make integrations")
    from palazzo.integrations.crewai import memory_tools

    remember, recall, forget = memory_tools(memory, user_id="ada")
    assert remember.run(text="The board meets on Mondays.") == "Remembered."
    assert "Mondays" in recall.run(question="when does the board meet?")
    assert recall.run(question="the boiling point of tungsten") == "Nothing is known about that."
    assert forget.run(memory_id="no such id").startswith("Refused: ")
