"""The reads that recall ranks by: per-term scores, the turns around, marks, activation along edges, origins."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, AddRevision, Attachments, SetDeprecated
from palazzo.model.graph import Node, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.message import Turn
from palazzo.store.api import NEVER, Filter, Spread, Store, ToldTurn
from palazzo.testing.palace import place_memory


def talk(store: Store, *texts: str, session: str = "s") -> list[int]:
    changes = [
        place_memory(text, kind="exchange", attachments=Attachments(turn=Turn("t", session, speaker="Olga")))
        for text in texts
    ]
    store.commit(changes)
    with store.reading(View()) as reading:
        return [reading.memories.get(change.memory_id).revision.key for change in changes]


def test_having_been_let_through_opens_nothing_else(store: Store) -> None:
    changes = [place_memory("open", place="work"), place_memory("shut", place="home")]
    store.commit(changes)
    with store.reading(View()) as reading:
        both = [reading.memories.get(change.memory_id).revision.key for change in changes]
    with store.reading(View(reach=(PlaceGlob.parse("work.**"),))) as reading:
        assert reading.allowed(np.array(both)).tolist() == [True, False]
        assert reading.memories.marks_of(both).texts == ("open",)
        assert reading.memories.marks_of(both[:1]).texts == ("open",)
        assert reading.memories.marks_of(both[1:]).texts == ()
        assert list(reading.trusts.figures(both)) == both[:1]
        assert reading.allowed(np.array(both)).tolist() == [True, False]


def test_what_is_noted_of_texts_stays_the_same_while_columns_are_read(store: Store) -> None:
    told = ("Is it far?", "It is two hours by train from here.")
    changes = [place_memory(told[0]), place_memory(told[1]), place_memory("shut", place="home")]
    store.commit(changes)
    with store.reading(View()) as reading:
        keys = [reading.memories.get(change.memory_id).revision.key for change in changes]
    for _ in range(5):  # the first of them ask the tables
        with store.reading(View(reach=(PlaceGlob.parse("work.**"),))) as reading:
            reading.search.prepare()
            noted = reading.memories.noted(keys)
            assert noted.keys.tolist() == keys[:2]
            assert noted.characters.tolist() == [len(text) for text in told]
            assert noted.asks.tolist() == [1.0, 0.0]
            assert noted.importance.tolist() == list(reading.memories.marks_of(keys).importance)
            assert noted.ends.tolist() == [NEVER, NEVER]


def test_windows_bring_the_turns_around_in_order_and_stop_at_the_session(store: Store) -> None:
    first = talk(store, "one", "two", "three", "four")
    other = talk(store, "five", session="other")
    with store.reading(View()) as reading:
        found = reading.turns.windows([first[1], other[0]], 1, 1)
    assert found.keys.tolist() == [*first[:3], *other]


def test_windows_show_only_what_the_reader_may_see(store: Store) -> None:
    keys = talk(store, "one", "two", "three")
    with store.reading(View()) as reading:
        hidden = reading.memories.by_keys([keys[2]])[keys[2]].id
    store.commit([SetDeprecated(hidden, True)])
    with store.reading(View()) as reading:
        assert reading.turns.windows([keys[1]], 1, 1).keys.tolist() == keys[:2]
        assert reading.memories.marks_of(keys).texts == ("one", "two")


def test_told_and_in_thread_name_the_conversation(store: Store) -> None:
    keys = talk(store, "one", "two")
    store.commit([place_memory("a fact")])
    with store.reading(View()) as reading:
        assert reading.turns.told([*keys, 3])[keys[0]] == ToldTurn("t", "s", "Olga", "user")
        assert reading.turns.in_thread([*keys, 3], "t") == keys
        assert reading.turns.in_thread(keys, "another") == []


def test_activation_fades_with_each_hop_and_takes_the_strongest_path(store: Store) -> None:
    changes = [place_memory(name) for name in ("a", "b", "c", "d")]
    a, b, c, d = (change.memory_id for change in changes)
    store.commit(changes)
    store.commit([AddEdge("related_to", Node(x), Node(y)) for x, y in ((a, b), (b, c), (a, c), (c, d))])
    with store.reading(View()) as reading:
        found = reading.edges.spread({1: 1.0}, Spread(hops=2))
        assert found == pytest.approx({2: 0.6, 3: 0.6, 4: 0.36})
        assert reading.edges.spread({1: 0.1}, Spread()) == {}


def test_origins_are_the_memories_something_was_derived_from(store: Store) -> None:
    turn, fact = place_memory("said"), place_memory("known")
    store.commit([turn, fact])
    store.commit([AddEdge("derived_from", Node(fact.memory_id), Node(turn.memory_id))])
    with store.reading(View()) as reading:
        assert reading.edges.origins([1, 2]) == {2: (1,)}


def test_standing_instructions_come_newest_first(store: Store) -> None:
    store.commit([place_memory(text, kind="instruction") for text in ("old", "new")])
    store.commit([place_memory("a fact"), place_memory("a taste", kind="preference")])
    with store.reading(View()) as reading:
        assert reading.memories.standing(10) == [2, 1]
        assert reading.memories.standing(1) == [2]
        assert reading.memories.standing(10, preferences=True) == [4, 2, 1]


def test_passing_keeps_what_a_filter_lets_through(store: Store) -> None:
    store.commit([place_memory("a", place="work"), place_memory("b", place="life"), place_memory("c", kind="task")])
    wanted = Filter(glob=PlaceGlob.parse("work.**"), kinds=("fact",))
    with store.reading(View()) as reading:
        assert reading.search.passing(np.array([1, 2, 3], np.int64), wanted).tolist() == [True, False, False]


def test_what_was_drawn_from_a_turn_tells_whether_it_still_holds_and_what_holds_instead(store: Store) -> None:
    turn, tea, ship = place_memory("said"), place_memory("tea is oolong"), place_memory("the ship sails")
    store.commit([turn, tea, ship])
    store.commit([AddEdge("derived_from", Node(one.memory_id, 1), Node(turn.memory_id)) for one in (tea, ship)])
    with store.reading(View()) as reading:
        assert {(one.before, one.holds) for one in reading.edges.drawn([1], 0)} == {
            ("tea is oolong", True),
            ("the ship sails", True),
        }
    store.commit(
        [
            SetDeprecated(ship.memory_id, True, "sunk"),
            AddRevision(memory_id=tea.memory_id, content=replace(tea.content, text="tea is sencha")),
        ]
    )
    with store.reading(View()) as reading:
        found = {one.before: one for one in reading.edges.drawn([1], 0)}
        assert not found["the ship sails"].holds
        assert not found["the ship sails"].now
        assert (found["tea is oolong"].holds, found["tea is oolong"].now) == (False, "tea is sencha")
        assert reading.edges.drawn([2], 0) == []


def test_hits_come_with_what_they_were_first_made_from(store: Store) -> None:
    early = ProvenanceNode(id=new_id(1), kind="message", at_us=10, label="first", author="user")
    late = ProvenanceNode(id=new_id(2), kind="file", at_us=20, label="second", author="user")
    both = Attachments(sources=(Source(node=late), Source(node=early)))
    changes = [place_memory("told twice", attachments=both), place_memory("told by nobody"), place_memory("hidden")]
    store.commit(changes)
    store.commit([SetDeprecated(changes[2].memory_id, True)])
    with store.reading(View()) as reading:
        found, sources = reading.memories.with_sources([1, 2, 3])
        assert {key: memory.text for key, memory in found.items()} == {1: "told twice", 2: "told by nobody"}
        assert {key: one.label for key, one in sources.items()} == {1: "first"}
        assert sources == reading.provenance.first_sources([1, 2])
