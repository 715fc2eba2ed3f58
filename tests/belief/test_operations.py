"""The operations over a real palace: what becomes of memories, revisions, tags, edges and texts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from palazzo.belief.conflicts import state
from palazzo.belief.logic import Or, statement
from palazzo.belief.operations import Assertion, Operations
from palazzo.engine import Engine
from palazzo.errors import Conflict, InvalidInput, VersionConflict
from palazzo.model.capability import View
from palazzo.model.memory import Atom
from palazzo.model.scope import Scope
from palazzo.spaces import Spaces
from palazzo.store.api import Filter
from palazzo.store.sql.belief import beliefs
from palazzo.store.sql.graph import edges
from palazzo.store.sql.memory import memories, tags
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

VIEW = View()


def colour(value: str, *, negated: bool = False) -> Atom:
    return Atom("user", "favourite_colour", value, functional=True, negated=negated)


@pytest.fixture
def operations(store: SqliteStore) -> Operations:
    return Operations(store, VIEW)


def texts(store: SqliteStore, view: View = VIEW) -> dict[str, tuple[str, ...]]:
    with store.reading(view) as reading:
        from palazzo.store.sql.memory import search

        keys = search.keys_where(reading, Filter(), 100)
        return {
            one.text: tuple(atom.value for atom in memories.get(reading, one.id).revision.content.atoms)
            for one in memories.by_keys(reading, keys.tolist()).values()
        }


def test_revising_a_slot_makes_a_revision_of_the_memory_that_held_it(
    store: SqliteStore, operations: Operations
) -> None:
    first = operations.revise(Assertion(atoms=(colour("blue"),), text="Blue is my favourite colour", kind="preference"))
    second = operations.revise(Assertion(atoms=(colour("black"),), text="It is black now", kind="preference"))
    assert second.memory_id == first.memory_id
    assert second.dropped == ("user favourite_colour blue",)
    assert texts(store) == {"It is black now": ("black",)}
    assert first.memory_id is not None
    with store.reading(VIEW) as reading:
        history = memories.history(reading, first.memory_id)
        links = edges.of(reading, first.memory_id, "out")
        moves = tags.moves(reading, first.memory_id)
    assert [one.content.text for one in history] == ["Blue is my favourite colour", "It is black now"]
    assert [(link.kind, link.source.revision, link.target.revision) for link in links] == [("supersedes", 2, 1)]
    assert [move.revision for move in moves] == [1, 2]


def test_contracting_one_atom_leaves_its_neighbours_in_a_new_revision(
    store: SqliteStore, operations: Operations
) -> None:
    made = place_memory(
        "Ann lives in Bern. She plays the oboe.", kind="fact",
        atoms=(Atom("ann", "lives_in", "Bern", functional=True), Atom("ann", "plays", "oboe")),
    )  # fmt: skip
    store.commit([made])
    changed = operations.contract(statement("ann", "lives_in", "Bern"))
    assert changed.dropped == ("ann lives_in bern",)
    assert texts(store) == {"She plays the oboe.": ("oboe",)}
    assert not operations.holds(statement("ann", "lives_in", "bern"))
    assert operations.holds(statement("ann", "plays", "oboe"))


def test_a_memory_is_deprecated_only_when_nothing_of_it_is_left(store: SqliteStore, operations: Operations) -> None:
    made = place_memory("Ann owns a boat", atoms=(Atom("ann", "owns", "boat"),))
    more = place_memory("Bob owns a boat. It leaks.", atoms=(Atom("bob", "owns", "boat"),))
    store.commit([made, more])
    operations.contract(statement("ann", "owns", "boat"))
    operations.contract(statement("bob", "owns", "boat"))
    assert texts(store) == {"It leaks.": ()}
    with store.reading(View(include_deprecated=True)) as reading:
        assert memories.get(reading, made.memory_id).text == "Ann owns a boat"


def test_a_derived_belief_goes_with_its_weakest_ground(store: SqliteStore, operations: Operations) -> None:
    operations.revise(Assertion(atoms=(Atom("ann", "has", "licence"),), kind="fact"))
    rule = Or((~statement("ann", "has", "licence"), statement("ann", "may", "drive")))
    operations.revise(Assertion(formula=rule, confidence=0.9))
    assert operations.holds(statement("ann", "may", "drive"))
    changed = operations.contract(statement("ann", "may", "drive"))
    assert not operations.holds(statement("ann", "may", "drive"))
    assert changed.dropped == ("ann has licence",)  # one source (0.5) against a rule held at 0.9
    with store.reading(VIEW) as reading:
        assert len(memories.by_keys(reading, [1, 2, 3])) == 1


def test_a_correction_brings_back_what_was_displaced_and_says_so(store: SqliteStore, operations: Operations) -> None:
    for value in ("blue", "black"):
        operations.revise(Assertion(atoms=(colour(value),), text=f"My colour is {value}.", kind="preference"))
    changed = operations.revise(Assertion(atoms=(colour("black", negated=True),), text="No, not black."))
    assert changed.reinstated == ("user favourite_colour blue",)
    assert operations.holds(colour_literal("blue"))


def test_what_the_world_changed_does_not_come_back(store: SqliteStore, operations: Operations) -> None:
    for value in ("blue", "black"):
        operations.revise(Assertion(atoms=(colour(value),), kind="preference"), occasion="change")
    changed = operations.revise(Assertion(atoms=(colour("black", negated=True),)))
    assert changed.reinstated == ()
    assert not operations.holds(colour_literal("blue"))


def test_what_was_contracted_does_not_come_back_by_itself(store: SqliteStore, operations: Operations) -> None:
    for value in ("blue", "black"):
        operations.revise(Assertion(atoms=(colour(value),), kind="preference"))
    operations.contract(colour_literal("black"))
    operations.revise(Assertion(atoms=(colour("red"),), kind="preference"))
    operations.revise(Assertion(atoms=(colour("red", negated=True),), kind="preference"))
    assert not operations.holds(colour_literal("blue"))


def test_a_rollback_moves_the_tag_and_keeps_the_record(store: SqliteStore, operations: Operations) -> None:
    first = operations.revise(Assertion(atoms=(colour("blue"),), kind="preference"))
    operations.revise(Assertion(atoms=(colour("black"),), kind="preference"))
    assert first.memory_id is not None
    operations.rollback(first.memory_id, 1)
    assert operations.holds(colour_literal("blue"))
    assert not operations.holds(colour_literal("black"))
    with store.reading(VIEW) as reading:
        assert [move.revision for move in tags.moves(reading, first.memory_id)] == [1, 2, 1]


def test_the_base_can_be_read_as_of_a_time(store: SqliteStore, operations: Operations, clock: FixedClock) -> None:
    operations.revise(Assertion(atoms=(colour("blue"),), kind="preference"))
    then = clock.now_us()
    clock.advance(days=3)
    operations.revise(Assertion(atoms=(colour("black"),), kind="preference"))
    assert operations.holds(colour_literal("black"))
    from palazzo.belief.held import told, whole

    with store.reading(View(as_of_us=then)) as reading:
        assert [told(one) for one in whole(reading)] == ["user favourite_colour blue"]
    with pytest.raises(InvalidInput, match="past"):
        Operations(store, View(as_of_us=then))


def test_an_expansion_adds_even_what_does_not_fit_and_says_so(store: SqliteStore, operations: Operations) -> None:
    operations.expand(Assertion(atoms=(colour("blue"),), kind="preference"))
    changed = operations.expand(Assertion(atoms=(colour("black"),), kind="preference"))
    assert not changed.consistent
    assert operations.holds(colour_literal("blue"))
    assert operations.holds(colour_literal("black"))
    settled = operations.revise(Assertion(atoms=(colour("red"),), kind="preference"))
    assert set(settled.dropped) == {"user favourite_colour blue", "user favourite_colour black"}


def test_revising_by_what_is_held_changes_nothing(store: SqliteStore, operations: Operations) -> None:
    operations.revise(Assertion(atoms=(colour("blue"),), kind="preference"))
    again = operations.revise(Assertion(atoms=(colour("blue"),), kind="preference"))
    assert again.receipt.changes == 0
    respelled = operations.revise(Assertion(atoms=(colour("Blue"),), kind="preference"))
    assert respelled.dropped == ()
    assert list(texts(store).values()) == [("Blue",)]


def test_what_cannot_be_true_and_what_cannot_be_false_are_refused(operations: Operations) -> None:
    with pytest.raises(InvalidInput, match="cannot be true"):
        operations.revise(Assertion(atoms=(colour("blue"), colour("black"))))
    blue = colour_literal("blue")
    with pytest.raises(InvalidInput, match="always true"):
        operations.contract(Or((blue, ~blue)))


def test_a_belief_stated_in_several_memories_is_given_up_in_all(store: SqliteStore, operations: Operations) -> None:
    for n in range(3):
        store.commit(
            [place_memory(f"Ann likes tea, note {n}", atoms=(Atom("ann", "likes", "tea"),), place=f"life.n{n}")]
        )
    operations.contract(statement("ann", "likes", "tea"))
    assert not operations.holds(statement("ann", "likes", "tea"))
    assert texts(store) == {}


def test_sources_go_along_when_a_neighbour_is_given_up(store: SqliteStore, operations: Operations) -> None:
    from palazzo.model.change import Attachments
    from palazzo.model.graph import ProvenanceNode, Source
    from palazzo.model.ids import new_id
    from palazzo.store.sql.graph import edges

    node = ProvenanceNode(id=new_id(1), kind="conversation", at_us=1, label="chat")
    made = place_memory(
        "Ann likes tea. Ann owns a boat.", atoms=(Atom("ann", "likes", "tea"), Atom("ann", "owns", "boat")),
        attachments=Attachments(sources=(Source(node=node),)),
    )  # fmt: skip
    store.commit([made])
    operations.contract(statement("ann", "likes", "tea"))
    with store.reading(VIEW) as reading:
        assert [source.node for source in edges.sources_of(reading, made.memory_id)] == [node]


def colour_literal(value: str):  # type: ignore[no-untyped-def]
    return statement("user", "favourite_colour", value)


def test_a_narrow_reader_does_not_decide_for_a_wider_scope(store: SqliteStore) -> None:
    Operations(store, VIEW).revise(Assertion(atoms=(colour("blue"),), kind="preference"))
    scope = Scope.of(user="ann")
    narrow = Operations(store, View(scope=scope))
    said = Assertion(atoms=(colour("black"),), kind="preference", scope=scope)
    with pytest.raises(Conflict, match="wider scope"):
        narrow.revise(said)
    with pytest.raises(Conflict, match="wider scope"):
        narrow.contract(colour_literal("blue"))
    stated = state(store, View(scope=scope), said, subject="agent:primary")
    assert (stated.conflicted, stated.mode) == (True, "ask")
    assert Operations(store, VIEW).holds(colour_literal("blue"))


def test_two_writers_at_once_lose_nothing(store: SqliteStore, operations: Operations) -> None:
    """Whoever comes second sees that the memory moved, reads again and revises what is there by then."""
    operations.revise(Assertion(atoms=(colour("blue"),), kind="preference"))
    with ThreadPoolExecutor(4) as pool:
        values = [f"shade {n}" for n in range(8)]
        list(pool.map(lambda value: _patient(store, value), values))
    with store.reading(VIEW) as reading:
        held = [row.atom.value for row in beliefs.about(reading, [("user", "favourite_colour")])]
        assert len(held) == 1
        assert len(memories.history(reading, memories.by_keys(reading, [1, *range(2, 40)]).popitem()[1].id)) == 9


def _patient(store: SqliteStore, value: str) -> None:
    while True:
        try:
            Operations(store, VIEW).revise(Assertion(atoms=(colour(value),), kind="preference"))
        except VersionConflict:
            continue
        return


def test_what_intake_superseded_is_one_call_away(store: SqliteStore, clock: FixedClock) -> None:
    spaces = Spaces(store, None, "none", lambda _: None)
    engine = Engine(store, clock, spaces)
    engine.remember("My favourite colour is blue.")
    clock.advance(days=1)
    engine.remember("My favourite colour is now black.")
    (now,) = [one for one in engine.beliefs.held() if "colour" in one]
    assert now.endswith("black")
    with store.reading(VIEW) as reading:
        (row,) = [row for row in beliefs.every(reading) if row.atom.value.lower() == "black"]
    engine.beliefs.rollback(row.memory_id, 1)
    (then,) = [one for one in engine.beliefs.held() if "colour" in one]
    assert then.endswith("blue")
