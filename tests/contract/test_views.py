from __future__ import annotations

import numpy as np
import pytest

from palazzo.errors import NotFound
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.change import AddEdge, AddSpace, Attachments, ChangePlace, SetDeprecated, SetState
from palazzo.model.edge import Node
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.turn import Turn
from palazzo.model.view import View
from palazzo.store.api import Filter, TextSearch, VectorSearch
from palazzo.store.sqlite import journal
from palazzo.store.sqlite.memory import memories, places, search, turns
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import place_memory

ANNA = Scope.of(project="foxora", user="anna")
BEN = Scope.of(project="foxora", user="ben")
PROJECT = Scope.of(project="foxora")


def found(store: SqliteStore, view: View, word: str = "common") -> set[str]:
    with store.reading(view) as reading:
        hits = search.text(store, reading, TextSearch(terms=(word,)))
        return {memory.text for memory in memories.by_keys(reading, hits.keys.tolist()).values()}


def test_a_reader_finds_its_own_path_and_its_prefixes_only(store: SqliteStore) -> None:
    store.commit([
        place_memory("common anna", scope=ANNA), place_memory("common ben", scope=BEN),
        place_memory("common project", scope=PROJECT), place_memory("common global", scope=GLOBAL),
    ])  # fmt: skip
    assert found(store, View(scope=ANNA)) == {"common anna", "common project", "common global"}
    assert found(store, View(scope=PROJECT)) == {"common project", "common global"}
    assert found(store, View(scope=GLOBAL)) == {"common global"}
    assert found(store, View(scope=PROJECT, orchestrator=True)) == {"common project", "common global"}


def test_an_orchestrator_reads_below_its_project_but_not_into_users(store: SqliteStore) -> None:
    agent = Scope.of(project="foxora", agent="coder")
    store.commit([place_memory("common agent", scope=agent), place_memory("common anna", scope=ANNA)])
    assert found(store, View(scope=PROJECT, orchestrator=True)) == {"common agent"}
    assert found(store, View(scope=PROJECT)) == set()


def test_an_orchestrator_reads_what_it_leads_from_wherever_it_stands(store: SqliteStore) -> None:
    lead = Scope.of(project="foxora", squad="q", agent="lead")
    other = Scope.of(project="foxora", squad="q", agent="other")
    store.commit([place_memory("common other", scope=other)])
    assert found(store, View(scope=lead, orchestrator=True)) == {"common other"}
    assert found(store, View(scope=lead)) == set()


def test_turns_in_the_vault_do_not_show_even_who_spoke(store: SqliteStore) -> None:
    turn = Attachments(turn=Turn("talk", "s", speaker="Mallory"))
    store.commit([place_memory("common secret", place="vault.talks", attachments=turn)])
    with store.reading(View()) as reading:
        assert turns.speakers(reading) == ()
        assert turns.of_keys(reading, [1]) == {}


def test_a_memory_out_of_scope_cannot_be_read_by_id(store: SqliteStore) -> None:
    change = place_memory("secret of anna", scope=ANNA)
    store.commit([change])
    with store.reading(View(scope=BEN)) as reading, pytest.raises(NotFound):
        memories.get(reading, change.memory_id)


def test_reach_limits_every_read_to_the_places_it_covers(store: SqliteStore) -> None:
    store.commit([place_memory("common work", place="work.a"), place_memory("common life", place="life")])
    view = View(reach=(PlaceGlob.parse("work.**"),))
    assert found(store, view) == {"common work"}
    with store.reading(view) as reading:
        assert [info.place.path for info in places.children(reading, Place(()))] == ["work"]
    assert found(store, View(reach=())) == set()
    assert found(store, View(reach=(PlaceGlob.parse("work.*"),))) == {"common work"}
    assert found(store, View(reach=(PlaceGlob.parse("work"),))) == set()


def test_sealed_places_need_a_sealed_reach_and_the_vault_an_unlock(store: SqliteStore) -> None:
    store.commit([
        place_memory("common open", place="life"), place_memory("common sealed", place="life.health.notes"),
        place_memory("common vault", place="vault.keys"), ChangePlace(Place.parse("life.health"), "sealed"),
    ])  # fmt: skip
    everywhere = (PlaceGlob.parse("**"),)
    assert found(store, View()) == {"common open"}
    assert found(store, View(sealed_reach=everywhere)) == {"common open", "common sealed"}
    assert found(store, View(unlocked=everywhere)) == {"common open", "common vault"}
    store.commit([place_memory("common below", place="life.health.notes.deep")])
    assert "common below" not in found(store, View())


def test_deleted_and_deprecated_memories_are_found_by_no_search(store: SqliteStore) -> None:
    gone, wrong, kept = (place_memory(f"common {name}") for name in ("gone", "wrong", "kept"))
    store.commit([gone, wrong, kept])
    store.commit([SetState(gone.memory_id, "deleted"), SetDeprecated(wrong.memory_id, True)])
    assert found(store, View()) == {"common kept"}
    assert found(store, View(include_deprecated=True)) == {"common kept", "common wrong"}


def test_foreign_memories_never_change_a_readers_scores(store: SqliteStore) -> None:
    store.commit([place_memory(f"common apples number {n}", scope=ANNA) for n in range(20)])
    store.commit([place_memory("rare pears", scope=ANNA)])

    def scores() -> list[float]:
        with store.reading(View(scope=ANNA)) as reading:
            query = TextSearch(terms=("common", "appl", "pear"), limit=30)
            return [round(float(score), 5) for score in search.text(store, reading, query).scores]

    before = scores()
    assert before
    store.commit([place_memory(f"common common pears foreign {n}", scope=BEN) for n in range(300)])
    store.upkeep.run()
    assert scores() == before


def test_filters_narrow_a_search_inside_the_query(store: SqliteStore) -> None:
    store.commit([
        place_memory("common decision", kind="decision", place="work.a", valid_from_us=100),
        place_memory("common fact", kind="fact", place="work.b", valid_from_us=200, author="ben"),
    ])  # fmt: skip

    def filtered(**wanted: object) -> set[str]:
        with store.reading(View()) as reading:
            query = TextSearch(terms=("common",), filter=Filter(**wanted))  # type: ignore[arg-type]
            hits = search.text(store, reading, query)
            return {m.text for m in memories.by_keys(reading, hits.keys.tolist()).values()}

    assert filtered(kinds=("decision",)) == {"common decision"}
    assert filtered(glob=PlaceGlob.parse("work.b")) == {"common fact"}
    assert filtered(author="ben") == {"common fact"}
    assert filtered(valid_before_us=150) == {"common decision"}
    assert filtered(valid_after_us=150) == {"common fact"}
    assert filtered(glob=PlaceGlob.parse("life.**")) == set()


def test_vector_search_obeys_the_same_view(store: SqliteStore) -> None:
    vector = np.eye(8, dtype=np.float32)
    store.commit([AddSpace("tiny", "tiny", 8)])
    changes = [
        place_memory(f"axis {n}", scope=ANNA if n % 2 else BEN, attachments=Attachments(vectors={"tiny": vector[n]}))
        for n in range(8)
    ]
    store.commit(changes)
    with store.reading(View(scope=ANNA)) as reading:
        hits = search.vector(store, reading, VectorSearch(vector=vector[3], limit=20))
        texts = [memories.by_keys(reading, [key])[key].text for key in hits.keys.tolist()]
    assert texts[0] == "axis 3"
    assert set(texts) <= {"axis 1", "axis 3", "axis 5", "axis 7"}
    assert hits.scores[0] == pytest.approx(1.0, abs=1e-3)


def test_journal_readers_see_only_events_about_what_they_may_see(store: SqliteStore) -> None:
    mine, foreign = place_memory("mine", scope=ANNA), place_memory("foreign", scope=BEN)
    store.commit([mine, foreign])
    with store.reading(View(scope=ANNA)) as reading:
        assert {event.memory_id for event in journal.events_after(reading, 0)} == {mine.memory_id}


def test_journal_readers_are_not_told_of_edges_that_end_in_what_they_may_not_see(store: SqliteStore) -> None:
    mine, near, foreign = (
        place_memory(text, scope=scope) for text, scope in (("mine", ANNA), ("near", ANNA), ("far", BEN))
    )
    store.commit([mine, near, foreign])
    for target in (near, foreign):
        store.commit([AddEdge("related_to", Node(mine.memory_id), Node(target.memory_id))])
    kinds = []
    for view in (View(scope=ANNA), View(scope=ANNA, all_scopes=True)):
        with store.reading(view) as reading:
            kinds.append([event.kind for event in journal.events_after(reading, 0)].count("edge_added"))
    assert kinds == [1, 2]
