"""A palace as the store of LangGraph, with the real package; its own suites run in scripts/outside_suites.py."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("langgraph", reason="langgraph is not installed: make setup")

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from palazzo import Memory
from palazzo.integrations.langgraph import PalazzoStore
from palazzo.testing.clock import FixedClock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[PalazzoStore]:
    with PalazzoStore(tmp_path / "palace") as opened:
        yield opened


class State(TypedDict):
    said: str
    answer: str


def graph_with(store: BaseStore) -> Any:
    def answer(state: State, *, store: BaseStore) -> dict[str, str]:
        known = store.search(("ada", "facts"), query=state["said"], limit=1)
        store.put(("ada", "facts"), str(len(state["said"])), {"text": state["said"]})
        return {"answer": known[0].value["text"] if known else "I do not know."}

    builder = StateGraph(State)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(store=store)


def test_a_graph_knows_in_another_process_what_it_was_told_in_this_one(tmp_path: Path) -> None:
    with PalazzoStore(tmp_path / "palace") as first:
        assert graph_with(first).invoke({"said": "My boat lies in Whitby harbour."})["answer"] == "I do not know."
    with PalazzoStore(tmp_path / "palace") as again:
        assert "Whitby" in graph_with(again).invoke({"said": "Where does my boat lie?"})["answer"]


def test_an_async_graph_has_the_same_store(store: PalazzoStore) -> None:
    graph = graph_with(store)

    async def both() -> str:
        await graph.ainvoke({"said": "My boat lies in Whitby harbour."})
        found = await store.asearch(("ada",), query="boat harbour")
        return str(found[0].value["text"])

    assert "Whitby" in asyncio.run(both())


def test_what_the_store_holds_is_found_by_every_other_way_in(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory, PalazzoStore(memory) as store:
        store.put(("ada", "facts"), "boat", {"text": "The boat lies in Whitby harbour."})
        hit = memory.recall("where is the boat?")[0]
        assert hit.memory.place == "store.ada.facts"
        assert hit.memory.metadata["key"] == "boat"


LABELS = st.lists(st.sampled_from(["a", "b", "A", "a-b", "x y"]), min_size=1, max_size=7).map(tuple)
KEYS = st.sampled_from(["k1", "k2", "K1"])
SCALARS = st.integers(0, 3) | st.sampled_from(["p", "q"])
VALUES = st.fixed_dictionaries({}, optional={"n": SCALARS, "tag": SCALARS, "ok": st.booleans()})
"""Whether a filter for 0 finds False is said by no interface: their stores differ in it."""
PUTS = st.tuples(LABELS, KEYS, st.none() | VALUES).map(lambda given: PutOp(*given))
FILTERS = st.none() | st.dictionaries(
    st.just("n"), st.integers(0, 3) | st.fixed_dictionaries({"$ne": st.integers(0, 3)}), max_size=1
)
GETS = st.tuples(LABELS, KEYS).map(lambda given: GetOp(*given))
SEARCHES = st.tuples(st.just(()) | LABELS, FILTERS).map(lambda given: SearchOp(*given, limit=1000))


def shown(result: Any) -> Any:
    """A result without its times and, of a search, its order."""
    if isinstance(result, list):
        return sorted((one.namespace, one.key, str(one.value)) for one in result)
    return None if result is None else (result.namespace, result.key, result.value)


@settings(max_examples=10)
@given(batches=st.lists(st.lists(PUTS | GETS | SEARCHES, min_size=1, max_size=6), min_size=1, max_size=5))
def test_any_batches_are_answered_as_langgraphs_own_store_answers_them(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[Any]]
) -> None:
    own = InMemoryStore()
    with PalazzoStore(tmp_path_factory.mktemp("any") / "palace", embedder="none") as palace:
        for batch in batches:
            assert [shown(one) for one in palace.batch(batch)] == [shown(one) for one in own.batch(batch)]
        assert sorted(palace.list_namespaces(limit=1000)) == sorted(
            {one.namespace for one in own.search((), limit=1000)}
        )


def test_items_last_as_long_as_they_were_given_and_reading_keeps_them_if_the_store_says_so(tmp_path: Path) -> None:
    clock = FixedClock()
    with Memory(tmp_path / "palace", embedder="none", clock=clock) as memory:
        store = PalazzoStore(memory, ttl={"default_ttl": 10, "refresh_on_read": True})
        store.put(("tea",), "cup", {"hot": True})
        store.put(("tea",), "pot", {"hot": True}, ttl=None)
        clock.advance(minutes=8)
        assert store.get(("tea",), "cup") is not None
        clock.advance(minutes=8)
        assert store.get(("tea",), "cup", refresh_ttl=False) is not None
        clock.advance(minutes=3)
        assert store.get(("tea",), "cup") is None
        assert [item.key for item in store.search(("tea",))] == ["pot"]
        assert store.sweep_ttl() == 1


def test_only_the_fields_that_are_named_are_searched(tmp_path: Path) -> None:
    with PalazzoStore(tmp_path / "palace", index={"fields": ["title"]}) as store:
        store.put(("films",), "one", {"title": "The lighthouse keeper", "notes": "a penguin"})
        store.put(("films",), "two", {"title": "A penguin in town", "notes": "a lighthouse"})
        assert [item.key for item in store.search(("films",), query="penguin")] == ["two", "one"]
        found = store.search(("films",), query="penguin")
        assert (found[0].score or 0) > (found[1].score or 0)


def test_an_embedding_function_is_told_to_be_of_no_use(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="embeds by itself"):
        PalazzoStore(tmp_path / "palace", index={"dims": 3, "embed": lambda texts: [[0.0] * 3 for _ in texts]}).close()
