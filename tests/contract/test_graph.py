from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palazzo.errors import Conflict, CycleRefused, InvalidInput, NotFound
from palazzo.model.capability import View
from palazzo.model.change import (
    AddEdge,
    AddRevision,
    Attachments,
    LinkProvenance,
    MergeEntities,
    PlaceMemory,
    RemoveEdge,
    SetState,
    SplitEntity,
)
from palazzo.model.graph import (
    ACYCLIC_FAMILIES,
    EdgeDraft,
    Entity,
    MentionDraft,
    Node,
    ProvenanceEdge,
    ProvenanceNode,
    RelationDraft,
    Source,
)
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import EdgeWalk, Store
from palazzo.testing.palace import place_memory

VIEW = View()


def placed(store: Store, count: int) -> list[PlaceMemory]:
    changes = [place_memory(f"memory {n}") for n in range(count)]
    store.commit(changes)
    return changes


def link(kind: str, source: PlaceMemory, target: PlaceMemory) -> AddEdge:
    return AddEdge(kind, Node(source.memory_id), Node(target.memory_id))  # type: ignore[arg-type]


@pytest.mark.parametrize("family", ACYCLIC_FAMILIES, ids=lambda family: sorted(family)[0])
def test_an_edge_that_would_close_a_circle_is_refused_across_its_family(store: Store, family: frozenset[str]) -> None:
    a, b, c = placed(store, 3)
    first, last = min(family), max(family)
    store.commit([link(first, a, b), link(last, b, c)])
    with pytest.raises(CycleRefused):
        store.commit([link(first, c, a)])
    with pytest.raises(CycleRefused):
        store.commit([link(last, a, a)])
    with store.reading(VIEW) as reading:
        assert len(reading.edges.of(a.memory_id)) == 1


def test_a_schema_may_be_derived_from_its_own_instances(store: Store) -> None:
    schema, episode = placed(store, 2)
    store.commit([link("derived_from", schema, episode), link("instance_of", episode, schema)])


def test_revisions_of_one_memory_supersede_from_newer_to_older_only(store: Store) -> None:
    (memory,) = placed(store, 1)
    supersede = Attachments(edges=(EdgeDraft("supersedes", Node(memory.memory_id, 1)),))
    store.commit([AddRevision(memory_id=memory.memory_id, content=RevisionDraft(text="new"), attachments=supersede)])
    with pytest.raises(CycleRefused):
        store.commit([AddEdge("supersedes", Node(memory.memory_id, 1), Node(memory.memory_id, 2))])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=25))
def test_whatever_edges_are_tried_the_dependency_graph_stays_acyclic(
    store: Store, pairs: list[tuple[int, int]]
) -> None:
    nodes = placed(store, 6)
    kept: set[tuple[int, int]] = set()
    for source, target in pairs:
        try:
            store.commit([link("depends_on", nodes[source], nodes[target])])
            kept.add((source, target))
        except CycleRefused:
            assert source in _reaches(kept, target)
    for node in range(6):
        assert all(node not in _reaches(kept, target) | {target} for source, target in kept if source == node)


def _reaches(pairs: set[tuple[int, int]], start: int) -> set[int]:
    seen, frontier = {start}, {start}
    while frontier:
        frontier = {target for source, target in pairs if source in frontier} - seen
        seen |= frontier
    return seen


def test_walks_are_bounded_and_report_depth(store: Store) -> None:
    chain = placed(store, 6)
    store.commit([link("depends_on", a, b) for a, b in pairwise(chain)])
    with store.reading(VIEW) as reading:
        steps = reading.edges.walk(chain[0].memory_id, EdgeWalk(depth=3))
        assert [(s.memory_id, s.depth) for s in steps] == [(chain[n].memory_id, n) for n in (1, 2, 3)]
        assert {s.memory_id for s in reading.edges.impact(chain[5].memory_id)} == {c.memory_id for c in chain[:5]}
        way = reading.edges.path(chain[4].memory_id, chain[1].memory_id)
        assert [(s.memory_id, s.depth) for s in way] == [(chain[n].memory_id, 4 - n) for n in (4, 3, 2, 1)]
        assert [s.edge.source.memory_id if s.edge else None for s in way] == [
            None, *(chain[n].memory_id for n in (3, 2, 1))
        ]  # fmt: skip
        assert {s.edge.kind for s in steps if s.edge} == {"depends_on"}
        with pytest.raises(InvalidInput):
            reading.edges.walk(chain[0].memory_id, EdgeWalk(depth=99))


def test_a_walk_does_not_pass_through_what_the_reader_may_not_see(store: Store) -> None:
    a, b, c = placed(store, 3)
    store.commit([link("depends_on", a, b), link("depends_on", b, c)])
    store.commit([SetState(b.memory_id, "deleted")])
    with store.reading(VIEW) as reading:
        assert reading.edges.walk(a.memory_id, EdgeWalk(depth=5)) == ()
        assert reading.edges.path(a.memory_id, c.memory_id) == ()


def test_an_edge_can_be_removed_once(store: Store) -> None:
    a, b = placed(store, 2)
    store.commit([link("related_to", a, b)])
    store.commit([RemoveEdge("related_to", Node(a.memory_id), Node(b.memory_id))])
    with pytest.raises(NotFound):
        store.commit([RemoveEdge("related_to", Node(a.memory_id), Node(b.memory_id))])


def test_an_edge_to_a_missing_memory_is_not_found(store: Store) -> None:
    (a,) = placed(store, 1)
    with pytest.raises(NotFound):
        store.commit([AddEdge("related_to", Node(a.memory_id), Node(new_id(5)))])


def node(at_us: int, kind: str = "conversation", label: str = "chat") -> ProvenanceNode:
    return ProvenanceNode(id=new_id(at_us), kind=kind, at_us=at_us, label=label)  # type: ignore[arg-type]


def test_the_happenings_behind_a_memory_come_back_nearest_first(store: Store) -> None:
    chat, command, file = node(30), node(20, "command", "git diff"), node(10, "file", "a.html")
    memory = place_memory(
        "decided", attachments=Attachments(sources=(Source(node=chat, start=3, end=9, stage="split"),))
    )
    other = place_memory("z", attachments=Attachments(sources=(Source(node=command), Source(node=file))))
    store.commit([memory, other])
    store.commit([
        LinkProvenance(edges=(
            ProvenanceEdge("triggered_by", chat.id, command.id), ProvenanceEdge("context_for", command.id, file.id),
        ))
    ])  # fmt: skip
    with store.reading(VIEW) as reading:
        found = reading.provenance.ancestry(memory.memory_id)
        assert [(a.node.label, a.kind, a.depth) for a in found] == [
            ("chat", "mentioned_in", 0), ("git diff", "triggered_by", 1), ("a.html", "context_for", 2),
        ]  # fmt: skip
        (source,) = reading.provenance.sources_of(memory.memory_id)
    assert (source.start, source.end, source.stage) == (3, 9, "split")


def test_provenance_never_points_at_something_newer(store: Store) -> None:
    old, new = node(10), node(20)
    store.commit([place_memory("x", attachments=Attachments(sources=(Source(node=old), Source(node=new))))])
    with pytest.raises(Conflict):
        store.commit([LinkProvenance(edges=(ProvenanceEdge("caused_by", old.id, new.id),))])


def naming(text: str, name: str, known_as: str = "", scope: Scope = GLOBAL) -> PlaceMemory:
    said = Attachments(
        mentions=(MentionDraft(name, "person", name, known_as),), relations=(RelationDraft(name, "lives_in", "Ghent"),)
    )
    return place_memory(text, attachments=said, scope=scope)


def entity_named(store: Store, name: str, scope: Scope = GLOBAL) -> Entity:
    with store.reading(View(scope=scope)) as reading:
        (found,) = reading.entities.named(name)
    return found


def test_a_writing_that_was_taken_for_a_known_name_is_set_apart_with_what_was_told_under_it(store: Store) -> None:
    store.commit([naming("one", "Katharina Berg"), naming("two", "Catharina Berg", "Katharina Berg")])
    assert entity_named(store, "Catharina Berg") == entity_named(store, "Katharina Berg")
    store.commit([SplitEntity("catharina berg", GLOBAL)])
    with store.reading(VIEW) as reading:
        for name in ("Katharina Berg", "Catharina Berg"):
            known = reading.entities.profile(name)
            assert known is not None
            assert (known.entity.name, known.entity.aliases, len(known.keys)) == (name, (name,), 1)
    store.commit([MergeEntities(entity_named(store, "Katharina Berg").id, entity_named(store, "Catharina Berg").id)])
    with store.reading(VIEW) as reading:
        known = reading.entities.profile("Catharina Berg")
        assert known is not None
        assert (known.entity.name, len(known.keys)) == ("Katharina Berg", 2)
        assert "Catharina Berg" in reading.entities.other_names(["katharina berg"])["katharina berg"]
        assert len(reading.entities.mentioning(known.entity.id)) == 2


def test_entities_of_two_scopes_are_not_merged(store: Store) -> None:
    ann = Scope.of(user="ann")
    store.commit([naming("one", "Katharina"), naming("two", "Kate", scope=ann)])
    with pytest.raises(InvalidInput):
        store.commit([MergeEntities(entity_named(store, "Katharina").id, entity_named(store, "Kate", ann).id)])


def test_what_was_merged_into_something_merged_comes_back_step_by_step(store: Store) -> None:
    store.commit([naming(name, name) for name in ("Katharina", "Kate", "Kitty")])
    ids = {name: entity_named(store, name).id for name in ("Katharina", "Kate", "Kitty")}
    store.commit([MergeEntities(ids["Kate"], ids["Kitty"]), MergeEntities(ids["Katharina"], ids["Kate"])])
    assert entity_named(store, "Kitty").name == "Katharina"
    with pytest.raises(Conflict):
        store.commit([MergeEntities(ids["Kitty"], ids["Katharina"])])
    store.commit([SplitEntity("Kate", GLOBAL)])
    assert entity_named(store, "Kitty").name == "Kate"
    store.commit([SplitEntity("Kitty", GLOBAL)])
    assert entity_named(store, "Kitty").name == "Kitty"
    with pytest.raises(NotFound):
        store.commit([SplitEntity("Kasimir", GLOBAL)])


def test_only_what_the_reader_sees_counts_for_an_entity(store: Store) -> None:
    kept, gone = naming("one", "Katharina"), naming("two", "Katharina")
    store.commit([kept, gone])
    store.commit([SetState(gone.memory_id, "deleted")])
    with store.reading(VIEW) as reading:
        listed = [one for one in reading.entities.listed() if one.name == "Katharina"]
        assert [one.mentions for one in listed] == [1]
        assert reading.entities.listed("location") == ()
    store.commit([SetState(kept.memory_id, "deleted")])
    with store.reading(VIEW) as reading:
        assert reading.entities.listed() == ()
        assert reading.entities.profile("Katharina") is None


def test_who_is_tied_to_somebody_is_told_with_the_words_that_say_so_to_who_sees_them(store: Store) -> None:
    def says(text: str, name: str, scope: Scope = GLOBAL) -> PlaceMemory:
        tie = Attachments(
            mentions=(MentionDraft(name, "person", name, ""),), relations=(RelationDraft(name, "child_of", "the user"),)
        )
        return place_memory(text, attachments=tie, scope=scope)

    ann = Scope.of(user="ann")
    kept, gone = says("my girl Ida sings", "Ida"), says("my boy Per rows", "Per")
    store.commit([kept, gone, says("my boy Ole naps", "Ole", ann)])
    store.commit([SetState(gone.memory_id, "deleted")])
    with store.reading(VIEW) as reading:
        assert reading.entities.tied("the user", "child_of") == (("Ida", "my girl Ida sings"),)
        assert reading.entities.tied("the user", "sibling_of") == ()
        assert reading.entities.tied("nobody", "child_of") == ()


def test_where_memories_stand_and_the_edges_between_them_are_told_to_who_sees_them(store: Store) -> None:
    a, b, c = placed(store, 3)
    store.commit([link("supports", a, b), link("supports", b, c)])
    with store.reading(VIEW) as reading:
        found = reading.places.standing(2)
        assert [one.id for one in found] == [b.memory_id, c.memory_id]
        assert {one.kind for one in found} == {b.kind}
        keys = {one.key: one.id for one in found}
        assert [(keys[x], keys[y], kind) for x, y, kind in reading.edges.between(keys, 10)] == [
            (b.memory_id, c.memory_id, "supports")
        ]
        assert reading.edges.between(keys, 0) == ()
    with store.reading(View(scope=Scope.of(user="nobody"), reach=())) as reading:
        assert reading.places.standing(10) == ()
