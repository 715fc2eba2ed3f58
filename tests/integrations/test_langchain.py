"""LangChain's retriever and chat history over a palace, with the real package."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("langchain_core", reason="langchain_core is not installed: make setup")

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda

from palazzo import Memory
from palazzo.integrations.langchain import PalazzoChatMessageHistory, PalazzoRetriever

TOLD = ("Deploys to production happen on Tuesdays.", "Deploys are announced in the harbour channel.",
        "A deploy needs two reviewers.", "Clara plays the cello.")  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace") as opened:
        opened.remember_many(TOLD)
        yield opened


def test_a_retriever_gives_documents_with_their_sources_and_none_where_nothing_is_known(memory: Memory) -> None:
    retriever = PalazzoRetriever(memory=memory, k=2)
    found = retriever.invoke("when are deploys to production?")
    assert "Tuesdays" in found[0].page_content
    assert memory.get(found[0].metadata["address"]).id == memory.get(str(found[0].id)).id
    assert len(retriever.invoke("deploys", k=3)) == 3
    assert retriever.invoke("the boiling point of tungsten") == []


def test_a_retriever_stands_in_a_chain_and_takes_what_recall_takes(memory: Memory) -> None:
    memory.remember("Deploys are frozen in December.", user_id="ada")
    retriever = PalazzoRetriever(memory=memory, recall={"user_id": "ada"})
    chain = retriever | RunnableLambda(lambda documents: [one.page_content for one in documents])
    assert "Deploys are frozen in December." in asyncio.run(chain.ainvoke("when are deploys frozen?"))
    assert "Deploys are frozen in December." not in str(
        PalazzoRetriever(memory=memory).invoke("when are deploys frozen?")
    )


def test_a_history_gives_back_every_sort_of_message(memory: Memory) -> None:
    messages = [
        SystemMessage("Be brief."), HumanMessage("two times three?", id="m1"),
        AIMessage("", tool_calls=[{"name": "times", "args": {"a": 2, "b": 3}, "id": "c1"}]),
        ToolMessage("6", tool_call_id="c1"), AIMessage([{"type": "text", "text": "Six."}]),
        HumanMessage("ok"), HumanMessage("ok"),
    ]  # fmt: skip
    history = PalazzoChatMessageHistory("sums", memory)
    history.add_messages(messages)
    assert PalazzoChatMessageHistory("sums", memory).messages == messages
    assert PalazzoChatMessageHistory("others", memory).messages == []
    history.clear()
    assert history.messages == []


def test_what_is_said_in_a_chat_is_remembered_beyond_it(memory: Memory) -> None:
    monday = PalazzoChatMessageHistory("monday", memory, user_id="ada")
    monday.add_user_message("My boat lies in Whitby harbour.")
    monday.add_ai_message("A lovely harbour.")
    silent = PalazzoChatMessageHistory("silent", memory, user_id="ada", learn=False)
    silent.add_user_message("My bicycle stands in Leeds.")
    assert "Whitby" in memory.recall("where does the boat lie?", user_id="ada")[0].text
    assert not any("Leeds" in hit.text for hit in memory.recall("where is the bicycle?", user_id="ada"))
