"""The reads that recall ranks by: per-term scores, the turns around, marks, activation along edges, origins."""

from __future__ import annotations

import numpy as np
import pytest

from palazzo.model.address import PlaceGlob
from palazzo.model.change import AddEdge, Attachments, SetDeprecated
from palazzo.model.edge import Node
from palazzo.model.turn import Turn
from palazzo.model.view import View
from palazzo.store.api import Filter, Spread, ToldTurn
from palazzo.store.index.text import index as text_index
from palazzo.store.sqlite import fields
from palazzo.store.sqlite.belief import trusts
from palazzo.store.sqlite.graph import edges
from palazzo.store.sqlite.memory import memories, search, turns
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import place_memory


def talk(store: SqliteStore, *texts: str, session: str = "s") -> list[int]:
    changes = [
        place_memory(text, kind="exchange", attachments=Attachments(turn=Turn("t", session, speaker="Olga")))
        for text in texts
    ]
    store.commit(changes)
    with store.reading(View()) as reading:
        return [memories.get(reading, change.memory_id).revision.key for change in changes]


def test_scores_per_term_add_up_to_the_score(store: SqliteStore) -> None:
    store.commit([place_memory("red fox jumps"), place_memory("red dog"), place_memory("grey wolf")])
    with store.reading(View()) as reading:
        scopes = tuple(fields.partition(scope) for scope in reading.scopes)
        query = text_index.TextQuery(scopes=scopes, terms=("red", "fox", "nowhere", "red"))
        keys = np.array([1, 2, 3], np.int64)
        parts = text_index.term_scores(reading.connection, store.text_cache, query, keys)
        whole = text_index.score(reading.connection, store.text_cache, query, keys)
    assert parts.shape == (3, 3)
    assert parts.sum(axis=0) == pytest.approx(whole, abs=1e-5)
    assert not parts[2].any()


def test_having_been_let_through_opens_nothing_else(store: SqliteStore) -> None:
    changes = [place_memory("open", place="work"), place_memory("shut", place="home")]
    store.commit(changes)
    with store.reading(View()) as reading:
        both = [memories.get(reading, change.memory_id).revision.key for change in changes]
    with store.reading(View(reach=(PlaceGlob.parse("work.**"),))) as reading:
        assert reading.allowed(np.array(both)).tolist() == [True, False]
        assert memories.marks_of(reading, both).texts == ("open",)
        assert memories.marks_of(reading, both[:1]).texts == ("open",)
        assert memories.marks_of(reading, both[1:]).texts == ()
        assert list(trusts.figures(reading, both)) == both[:1]
        assert reading.allowed(np.array(both)).tolist() == [True, False]


def test_windows_bring_the_turns_around_in_order_and_stop_at_the_session(store: SqliteStore) -> None:
    first = talk(store, "one", "two", "three", "four")
    other = talk(store, "five", session="other")
    with store.reading(View()) as reading:
        found = turns.windows(reading, [first[1], other[0]], 1, 1)
    assert found.keys.tolist() == [*first[:3], *other]


def test_windows_show_only_what_the_reader_may_see(store: SqliteStore) -> None:
    keys = talk(store, "one", "two", "three")
    with store.reading(View()) as reading:
        hidden = memories.by_keys(reading, [keys[2]])[keys[2]].id
    store.commit([SetDeprecated(hidden, True)])
    with store.reading(View()) as reading:
        assert turns.windows(reading, [keys[1]], 1, 1).keys.tolist() == keys[:2]
        assert memories.marks_of(reading, keys).texts == ("one", "two")


def test_told_and_in_thread_name_the_conversation(store: SqliteStore) -> None:
    keys = talk(store, "one", "two")
    store.commit([place_memory("a fact")])
    with store.reading(View()) as reading:
        assert turns.told(reading, [*keys, 3])[keys[0]] == ToldTurn("t", "s", "Olga")
        assert turns.in_thread(reading, [*keys, 3], "t") == keys
        assert turns.in_thread(reading, keys, "another") == []


def test_activation_fades_with_each_hop_and_takes_the_strongest_path(store: SqliteStore) -> None:
    changes = [place_memory(name) for name in ("a", "b", "c", "d")]
    a, b, c, d = (change.memory_id for change in changes)
    store.commit(changes)
    store.commit([AddEdge("related_to", Node(x), Node(y)) for x, y in ((a, b), (b, c), (a, c), (c, d))])
    with store.reading(View()) as reading:
        found = edges.spread(reading, {1: 1.0}, Spread(hops=2))
        assert found == pytest.approx({2: 0.6, 3: 0.6, 4: 0.36})
        assert edges.spread(reading, {1: 0.1}, Spread()) == {}


def test_origins_are_the_memories_something_was_derived_from(store: SqliteStore) -> None:
    turn, fact = place_memory("said"), place_memory("known")
    store.commit([turn, fact])
    store.commit([AddEdge("derived_from", Node(fact.memory_id), Node(turn.memory_id))])
    with store.reading(View()) as reading:
        assert edges.origins(reading, [1, 2]) == {2: (1,)}


def test_standing_instructions_come_newest_first(store: SqliteStore) -> None:
    store.commit([place_memory(text, kind="instruction") for text in ("old", "new")])
    store.commit([place_memory("a fact"), place_memory("a taste", kind="preference")])
    with store.reading(View()) as reading:
        assert memories.standing(reading, 10) == [2, 1]
        assert memories.standing(reading, 1) == [2]
        assert memories.standing(reading, 10, preferences=True) == [4, 2, 1]


def test_passing_keeps_what_a_filter_lets_through(store: SqliteStore) -> None:
    store.commit([place_memory("a", place="work"), place_memory("b", place="life"), place_memory("c", kind="task")])
    wanted = Filter(glob=PlaceGlob.parse("work.**"), kinds=("fact",))
    with store.reading(View()) as reading:
        assert search.passing(reading, np.array([1, 2, 3], np.int64), wanted).tolist() == [True, False, False]
