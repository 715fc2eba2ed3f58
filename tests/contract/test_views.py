from __future__ import annotations

import numpy as np
import pytest

from palazzo.errors import NotFound
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, AddSpace, Attachments, ChangePlace, SetDeprecated, SetState
from palazzo.model.graph import Node
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import Filter, Store, TextSearch, VectorSearch
from palazzo.testing.palace import place_memory

ANNA = Scope.of(project="foxora", user="anna")
BEN = Scope.of(project="foxora", user="ben")
PROJECT = Scope.of(project="foxora")


def found(store: Store, view: View, word: str = "common") -> set[str]:
    with store.reading(view) as reading:
        hits = reading.search.text(TextSearch(terms=(word,)))
        return {memory.text for memory in reading.memories.by_keys(hits.keys.tolist()).values()}


def listed(store: Store, view: View) -> set[str]:
    with store.reading(view) as reading:
        return {memory.text for memory in reading.memories.by_keys(reading.search.newest(Filter(), 100)).values()}


def test_a_reader_finds_its_own_path_and_its_prefixes_only(store: Store) -> None:
    store.commit([
        place_memory("common anna", scope=ANNA), place_memory("common ben", scope=BEN),
        place_memory("common project", scope=PROJECT), place_memory("common global", scope=GLOBAL),
    ])  # fmt: skip
    assert found(store, View(scope=ANNA)) == {"common anna", "common project", "common global"}
    assert found(store, View(scope=PROJECT)) == {"common project", "common global"}
    assert found(store, View(scope=GLOBAL)) == {"common global"}
    assert found(store, View(scope=PROJECT, orchestrator=True)) == {"common project", "common global"}


def test_an_orchestrator_reads_below_its_project_but_not_into_users(store: Store) -> None:
    agent = Scope.of(project="foxora", agent="coder")
    store.commit([place_memory("common agent", scope=agent), place_memory("common anna", scope=ANNA)])
    assert found(store, View(scope=PROJECT, orchestrator=True)) == {"common agent"}
    assert found(store, View(scope=PROJECT)) == set()


def test_an_orchestrator_reads_what_it_leads_from_wherever_it_stands(store: Store) -> None:
    lead = Scope.of(project="foxora", squad="q", agent="lead")
    other = Scope.of(project="foxora", squad="q", agent="other")
    store.commit([place_memory("common other", scope=other)])
    assert found(store, View(scope=lead, orchestrator=True)) == {"common other"}
    assert found(store, View(scope=lead)) == set()


def test_a_memory_out_of_scope_cannot_be_read_by_id(store: Store) -> None:
    change = place_memory("secret of anna", scope=ANNA)
    store.commit([change])
    with store.reading(View(scope=BEN)) as reading, pytest.raises(NotFound):
        reading.memories.get(change.memory_id)


def test_reach_limits_every_read_to_the_places_it_covers(store: Store) -> None:
    store.commit([place_memory("common work", place="work.a"), place_memory("common life", place="life")])
    view = View(reach=(PlaceGlob.parse("work.**"),))
    assert found(store, view) == {"common work"}
    with store.reading(view) as reading:
        assert [info.place.path for info in reading.places.children(Place(()))] == ["work"]
    assert found(store, View(reach=())) == set()
    assert found(store, View(reach=(PlaceGlob.parse("work.*"),))) == {"common work"}
    assert found(store, View(reach=(PlaceGlob.parse("work"),))) == set()


def test_sealed_places_need_a_sealed_reach_and_the_vault_an_unlock(store: Store) -> None:
    store.commit([
        place_memory("common open", place="life"), place_memory("common sealed", place="life.health.notes"),
        place_memory("common vault", place="vault.keys"), ChangePlace(Place.parse("life.health"), "sealed"),
    ])  # fmt: skip
    everywhere = (PlaceGlob.parse("**"),)
    assert found(store, View()) == {"common open"}
    assert found(store, View(sealed_reach=everywhere)) == {"common open", "common sealed"}
    assert listed(store, View(unlocked=everywhere)) == {"common open", "common vault"}
    by_words = found(store, View(unlocked=everywhere))
    assert by_words == ({"common open"} if store.cipher else {"common open", "common vault"}), (
        "a sealed vault has no index"
    )
    store.commit([place_memory("common below", place="life.health.notes.deep")])
    assert "common below" not in found(store, View())


def test_deleted_and_deprecated_memories_are_found_by_no_search(store: Store) -> None:
    gone, wrong, kept = (place_memory(f"common {name}") for name in ("gone", "wrong", "kept"))
    store.commit([gone, wrong, kept])
    store.commit([SetState(gone.memory_id, "deleted"), SetDeprecated(wrong.memory_id, True)])
    assert found(store, View()) == {"common kept"}
    assert found(store, View(include_deprecated=True)) == {"common kept", "common wrong"}


def test_foreign_memories_never_change_a_readers_scores(store: Store) -> None:
    store.commit([place_memory(f"common apples number {n}", scope=ANNA) for n in range(20)])
    store.commit([place_memory("rare pears", scope=ANNA)])

    def scores() -> list[float]:
        with store.reading(View(scope=ANNA)) as reading:
            query = TextSearch(terms=("common", "appl", "pear"), limit=30)
            return [round(float(score), 5) for score in reading.search.text(query).scores]

    before = scores()
    assert before
    store.commit([place_memory(f"common common pears foreign {n}", scope=BEN) for n in range(300)])
    store.upkeep.run()
    assert scores() == before


def test_filters_narrow_a_search_inside_the_query(store: Store) -> None:
    store.commit([
        place_memory("common decision", kind="decision", place="work.a", valid_from_us=100),
        place_memory("common fact", kind="fact", place="work.b", valid_from_us=200, author="ben"),
    ])  # fmt: skip

    def filtered(**wanted: object) -> set[str]:
        with store.reading(View()) as reading:
            query = TextSearch(terms=("common",), filter=Filter(**wanted))  # type: ignore[arg-type]
            hits = reading.search.text(query)
            return {m.text for m in reading.memories.by_keys(hits.keys.tolist()).values()}

    assert filtered(kinds=("decision",)) == {"common decision"}
    assert filtered(glob=PlaceGlob.parse("work.b")) == {"common fact"}
    assert filtered(author="ben") == {"common fact"}
    assert filtered(valid_before_us=150) == {"common decision"}
    assert filtered(valid_after_us=150) == {"common fact"}
    assert filtered(glob=PlaceGlob.parse("life.**")) == set()


def test_vector_search_obeys_the_same_view(store: Store) -> None:
    vector = np.eye(8, dtype=np.float32)
    store.commit([AddSpace("tiny", "tiny", 8)])
    changes = [
        place_memory(f"axis {n}", scope=ANNA if n % 2 else BEN, attachments=Attachments(vectors={"tiny": vector[n]}))
        for n in range(8)
    ]
    store.commit(changes)
    with store.reading(View(scope=ANNA)) as reading:
        hits = reading.search.vector(VectorSearch(vector=vector[3], limit=20))
        texts = [reading.memories.by_keys([key])[key].text for key in hits.keys.tolist()]
    assert texts[0] == "axis 3"
    assert set(texts) <= {"axis 1", "axis 3", "axis 5", "axis 7"}
    assert hits.scores[0] == pytest.approx(1.0, abs=1e-3)


def test_journal_readers_see_only_events_about_what_they_may_see(store: Store) -> None:
    mine, foreign = place_memory("mine", scope=ANNA), place_memory("foreign", scope=BEN)
    store.commit([mine, foreign])
    with store.reading(View(scope=ANNA)) as reading:
        assert {event.memory_id for event in reading.journal.events_after(0)} == {mine.memory_id}


def test_journal_readers_are_not_told_of_edges_that_end_in_what_they_may_not_see(store: Store) -> None:
    mine, near, foreign = (
        place_memory(text, scope=scope) for text, scope in (("mine", ANNA), ("near", ANNA), ("far", BEN))
    )
    store.commit([mine, near, foreign])
    for target in (near, foreign):
        store.commit([AddEdge("related_to", Node(mine.memory_id), Node(target.memory_id))])
    kinds = []
    for view in (View(scope=ANNA), View(scope=ANNA, all_scopes=True)):
        with store.reading(view) as reading:
            kinds.append([event.kind for event in reading.journal.events_after(0)].count("edge_added"))
    assert kinds == [1, 2]
