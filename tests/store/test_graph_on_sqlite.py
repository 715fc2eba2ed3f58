from __future__ import annotations

from palazzo.model.capability import View
from palazzo.model.change import AddEdge, Attachments, PlaceMemory, SetState
from palazzo.model.graph import MentionDraft, Node, ProvenanceNode, RelationDraft
from palazzo.model.ids import new_id
from palazzo.model.message import Turn
from palazzo.model.scope import Scope
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import place_memory

VIEW = View()


def placed(store: SqliteStore, count: int) -> list[PlaceMemory]:
    changes = [place_memory(f"memory {n}") for n in range(count)]
    store.commit(changes)
    return changes


def link(kind: str, source: PlaceMemory, target: PlaceMemory) -> AddEdge:
    return AddEdge(kind, Node(source.memory_id), Node(target.memory_id))  # type: ignore[arg-type]


def _reaches(pairs: set[tuple[int, int]], start: int) -> set[int]:
    seen, frontier = {start}, {start}
    while frontier:
        frontier = {target for source, target in pairs if source in frontier} - seen
        seen |= frontier
    return seen


def node(at_us: int, kind: str = "conversation", label: str = "chat") -> ProvenanceNode:
    return ProvenanceNode(id=new_id(at_us), kind=kind, at_us=at_us, label=label)  # type: ignore[arg-type]


def test_entities_are_shared_inside_a_scope_and_never_across(store: SqliteStore) -> None:
    mention = Attachments(
        mentions=(MentionDraft("Anna", "person"), MentionDraft("Berlin", "location")),
        relations=(RelationDraft("Anna", "lives_in", "Berlin", 0.9),),
    )
    anna, ben = Scope.of(user="anna"), Scope.of(user="ben")
    store.commit(
        [place_memory("one", scope=anna, attachments=mention), place_memory("two", scope=anna, attachments=mention)]
    )
    store.commit([place_memory("three", scope=ben, attachments=mention)])
    with store.reading(View(scope=anna)) as reading:
        (entity,) = reading.entities.named("ANNA")
        assert (entity.kind, entity.mentions) == ("person", 2)
        assert len(reading.entities.mentioning(entity.id)) == 2
        known = reading.entities.profile("anna")
        assert known is not None
        (relation,) = known.relations
        assert (relation.predicate, relation.count) == ("lives_in", 2)
    with store.reading(View(scope=ben)) as reading:
        known = reading.entities.profile("anna")
        assert known is not None
        assert [one.count for one in known.relations] == [1]


def test_turns_know_what_was_said_before_and_after_and_by_whom(store: SqliteStore) -> None:
    def said(n: int, session: str) -> PlaceMemory:
        speaker = "Anna" if n % 2 else "Ben"
        return place_memory(f"line {n}", attachments=Attachments(turn=Turn("talk", session, speaker=speaker)))

    store.commit([said(n, "one") for n in range(4)])
    store.commit([said(4, "one"), said(5, "two")])
    with store.reading(VIEW) as reading:
        known = reading.turns.windows([2, 5, 6, 99], 0, 0)
        said_at = zip(known.keys.tolist(), known.positions.tolist(), known.speakers, strict=True)
        assert sorted(said_at) == [(2, 1, "Anna"), (5, 4, "Ben"), (6, 0, "Anna")]
        assert sorted(reading.turns.windows([2], 1, 1).keys.tolist()) == [1, 2, 3]
        assert sorted(reading.turns.windows([5, 6], 2, 2).keys.tolist()) == [3, 4, 5, 6]
        assert set(reading.turns.speakers()) == {"Anna", "Ben"}


def test_a_forgotten_turn_is_not_a_neighbour(store: SqliteStore) -> None:
    lines = [place_memory(f"line {n}", attachments=Attachments(turn=Turn("talk", "s"))) for n in range(3)]
    store.commit(lines)
    store.commit([SetState(lines[0].memory_id, "deleted")])
    with store.reading(VIEW) as reading:
        assert sorted(reading.turns.windows([2], 1, 1).keys.tolist()) == [2, 3]
