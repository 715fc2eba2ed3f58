from __future__ import annotations

from pathlib import Path

import pytest

from palazzo.belief import products
from palazzo.belief.products import Product
from palazzo.belief.why import standing
from palazzo.errors import NotFound
from palazzo.model.address import Place
from palazzo.model.belief import RecordOutcome
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, Attachments
from palazzo.model.graph import Node, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import Artifact
from palazzo.model.scope import Scope
from palazzo.store.sql.belief import beliefs
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import place_memory

VIEW = View()
DESK = Place(("work", "desk"))


def chat(label: str, author: str) -> Source:
    return Source(node=ProvenanceNode(id=new_id(5), kind="conversation", at_us=5, label=label, author=author))


def test_a_persons_word_and_further_sources_raise_accuracy_and_failures_lower_it(store: SqliteStore) -> None:
    bare = place_memory("bare")
    said = place_memory("said", attachments=Attachments(sources=(chat("a", "mira"),)))
    twice = place_memory("twice", attachments=Attachments(sources=(chat("a", "mira"), chat("b", "mira"))))
    machine = place_memory("machine", attachments=Attachments(sources=(chat("a", "agent:primary"),)))
    store.commit([bare, said, twice, machine])
    store.commit([RecordOutcome(said.memory_id, success=False), RecordOutcome(twice.memory_id, success=True)])
    with store.reading(VIEW) as reading:
        figures = [standing(reading, one.memory_id).own for one in (bare, said, twice, machine)]
    assert figures == [0.5, 0.7, 0.95, 0.5]


def test_a_conclusion_is_never_trusted_more_than_its_weakest_ground(store: SqliteStore) -> None:
    solid = place_memory("solid", attachments=Attachments(sources=(chat("a", "mira"), chat("b", "mira"))))
    shaky = place_memory("shaky", author="agent:primary")
    middle, top = (place_memory(t, attachments=Attachments(sources=(chat("c", "mira"),))) for t in ("middle", "top"))
    store.commit([solid, shaky, middle, top])
    store.commit([
        AddEdge("derived_from", Node(middle.memory_id), Node(shaky.memory_id)),
        AddEdge("derived_from", Node(middle.memory_id), Node(solid.memory_id)),
        AddEdge("depends_on", Node(top.memory_id), Node(middle.memory_id)),
    ])  # fmt: skip
    with store.reading(VIEW) as reading:
        found = standing(reading, top.memory_id)
        sure = standing(reading, solid.memory_id)
    assert (found.trust, found.weakest) == (0.5, shaky.memory_id)
    assert found.own > found.trust
    assert found.confirm_first
    assert not sure.confirm_first


def test_trust_in_a_page_of_hits_is_read_at_once_and_only_for_what_is_seen(store: SqliteStore) -> None:
    made = [place_memory(f"note {n}", author="mira" if n % 2 else "agent:primary") for n in range(6)]
    hidden = place_memory("hidden", scope=Scope.of(user="ann"))
    store.commit([*made, hidden])
    with store.reading(VIEW) as reading:
        found = beliefs.trust_standings(reading, list(range(1, 20)))
    assert [found[key].trust for key in sorted(found)] == [0.5, 0.8] * 3


def test_an_output_registered_again_is_its_next_revision(store: SqliteStore) -> None:
    brief = place_memory("The brief")
    store.commit([brief])
    first = products.register(
        store, VIEW, Product(place=DESK, name="report", text="Draft one", made_from=(brief.memory_id,))
    )
    second = products.register(store, VIEW, Product(place=DESK, name="report", text="Draft two"))
    assert (first.memory_id, second.revision) == (second.memory_id, 2)
    with store.reading(VIEW) as reading:
        assert [one.text for one in products.made_from(reading, first.memory_id)] == ["The brief"]


def test_another_agent_finds_the_approved_one_by_its_tag(store: SqliteStore) -> None:
    first = products.register(store, VIEW, Product(place=DESK, name="logo", text="Fox, coral", author="agent:painter"))
    products.register(store, VIEW, Product(place=DESK, name="logo", text="Fox, grey", author="agent:painter"))
    with store.reading(VIEW) as reading, pytest.raises(NotFound):
        products.tagged(reading, DESK, "logo", "approved")
    products.tag(store, first.memory_id, "approved", 1)
    products.register(store, VIEW, Product(place=DESK, name="logo", text="Fox, blue"))
    with store.reading(VIEW) as reading:
        assert products.tagged(reading, DESK, "logo", "approved").text == "Fox, coral"
        assert products.tagged(reading, DESK, "logo", "current").text == "Fox, blue"


def test_an_artifact_says_when_its_file_changed_or_went(tmp_path: Path) -> None:
    file = tmp_path / "a report.txt"
    file.write_text("one")
    artifact = products.artifact_of(file)
    assert products.check(artifact) == "unchanged"
    file.write_text("two")
    assert products.check(artifact) == "changed"
    file.unlink()
    assert products.check(artifact) == "missing"
    assert products.check(Artifact("page", "https://example.org/x")) == "elsewhere"
    with pytest.raises(NotFound):
        products.artifact_of(file)


def test_a_bundle_groups_and_shows_what_the_reader_may_see(store: SqliteStore) -> None:
    seen, hidden = place_memory("seen"), place_memory("hidden", place="vault.x")
    store.commit([seen, hidden])
    more = place_memory("more")
    store.commit([more])
    box = products.bundle(
        store,
        View(),
        products.Bundle(place=DESK, name="box", add=(seen.memory_id, hidden.memory_id, more.memory_id)),
    )
    with store.reading(View(reach=VIEW.reach)) as reading:
        texts = {one.text for one, _ in products.contents(reading, box)}
    assert {"seen", "more"} <= texts
