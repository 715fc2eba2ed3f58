"""A cue that names a known thing by one name also finds what uses another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.recall.conftest import Room

from palazzo.model.capability import View
from palazzo.model.change import Attachments, SetDeprecated
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.model.scope import GLOBAL, Scope
from palazzo.recall.find.gather import asked_terms, folded, may_name, with_other_names
from palazzo.recall.read.cue import Cue, Plan, read_cue
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.surfaces.library import Memory
from palazzo.testing.palace import place_memory
from palazzo.text.words.grammar import other_forms
from palazzo.text.words.tokens import word_terms

SPEAKERS = ("Roberta", "Piet")
ANNA = Scope.of(user="anna")


def told(room: Room, name: str, other: str, scope: Scope = GLOBAL, place: str = "work") -> None:
    """Says that two names are one."""
    change = place_memory(
        f"{name} is also known as {other}.", scope=scope, place=place,
        attachments=Attachments(relations=(RelationDraft(name, "also_known_as", other),)),
    )  # fmt: skip
    room.store.commit([change])


def plan_of(room: Room, text: str, view: View = View()) -> Plan:
    with room.store.reading(view) as reading:
        plan = read_cue(Cue(text=text), SPEAKERS, 0)
        return with_other_names(reading, plan, reading.entities.other_names(may_name(text)), SPEAKERS)


def others(room: Room, text: str, view: View = View()) -> set[tuple[str, ...]]:
    verbs = {tuple(word_terms(form)) for word in text.lower().strip("?").split() for form in other_forms(word)}
    return {name.terms for name in plan_of(room, text, view).other_names} - verbs


@pytest.mark.parametrize("cue", ["What does Bob keep?", "what does bob keep", "BOB'S animals"])
def test_a_memory_under_another_name_is_found_by_the_one_the_cue_has(room: Room, cue: str) -> None:
    told(room, "Robert Miles", "Bob")
    assert others(room, cue) == {("robert", "mile")}


def test_both_names_find_the_other_and_words_that_name_nothing_find_none(room: Room) -> None:
    told(room, "k8s", "Kubernetes")
    assert others(room, "Where is k8s running?") == {("kubernet",)}
    assert others(room, "Where is Kubernetes running?") == {("k8s",)}
    assert others(room, "Where is the cluster running?") == set()


def test_the_memory_that_only_has_the_other_name_comes_before_what_has_neither(room: Room) -> None:
    for number in range(30):
        room.keep(f"Entry {number} of the cellar list names a barrel.")
    room.keep("The scheduler of Kubernetes was replaced.")
    assert "Kubernetes" not in " ".join(room.texts("k8s", limit=3))
    told(room, "k8s", "Kubernetes")
    assert "The scheduler of Kubernetes was replaced." in room.texts("k8s", limit=2)


def test_the_literal_name_counts_more_than_the_other(room: Room) -> None:
    room.keep("The scheduler of Kubernetes was replaced.")
    room.keep("The scheduler of k8s was replaced.")
    told(room, "k8s", "Kubernetes")
    found = room.texts("Was the scheduler of k8s replaced?")
    assert found[:2] == ["The scheduler of k8s was replaced.", "The scheduler of Kubernetes was replaced."]


def test_both_names_in_one_memory_count_once_and_half_a_name_counts_nothing(room: Room) -> None:
    told(room, "Robert Miles", "Bob")
    plan = plan_of(room, "bob")
    assert asked_terms(plan) == ("bob", "robert", "mile")
    scores = np.array([[2.0, 2.0, 0.0, 0.0], [0.0, 2.0, 2.0, 2.0], [0.0, 2.0, 2.0, 0.0]], np.float32)
    own = folded(scores, plan)
    assert own.shape == (1, 4)
    assert own[0, 0] == own[0, 1] == 2.0
    assert 0 < own[0, 2] < 2.0
    assert own[0, 3] == 0


def test_at_most_three_other_names_are_taken(room: Room) -> None:
    for other in ("Anvil", "Beacon", "Citadel", "Dovetail", "Ember"):
        told(room, "Foxglove", other)
    assert len(plan_of(room, "foxglove").other_names) == 3


def test_other_writings_of_a_known_name_are_looked_for(room: Room) -> None:
    first, second = MentionDraft("Karla Brandt", "person"), MentionDraft("K. Brandt", "person", "", "Karla Brandt")
    for mention in (first, second):
        room.store.commit([place_memory(f"{mention.name} signed.", attachments=Attachments(mentions=(mention,)))])
    assert ("k", "brandt") in others(room, "What did Karla Brandt sign?")


def test_a_speaker_named_by_another_name_is_named_as_a_speaker(room: Room) -> None:
    told(room, "Bobbie", "Roberta")
    plan = plan_of(room, "Where did Bobbie's sister grow up?")
    assert plan.speakers == ("roberta",)
    assert "Bobbie" not in plan.meaning
    assert not plan.content[plan.terms.index("bobbi")]
    assert plan.content[plan.terms.index("sister")]


def test_what_a_speaker_said_counts_as_theirs_under_the_other_name_too(room: Room) -> None:
    room.talk("one", [("Roberta", "I grew up beside a quarry."), ("Piet", "I grew up beside a quarry too.")])
    told(room, "Bobbie", "Roberta")
    for cue in ("Where did Roberta grow up?", "Where did Bobbie grow up?"):
        theirs = {hit.text for hit in room.ask(cue).hits if "speaker" in {signal.name for signal in hit.signals}}
        assert theirs == {"I grew up beside a quarry."}


def test_who_may_not_see_that_two_names_are_one_is_not_told(room: Room) -> None:
    told(room, "Robert Miles", "Bob", scope=ANNA)
    assert others(room, "bob", View(scope=ANNA)) == {("robert", "mile")}
    assert others(room, "bob", View(scope=Scope.of(user="ben"))) == set()


def test_names_joined_in_the_vault_are_not_told(room: Room) -> None:
    told(room, "Robert Miles", "Bob", place="vault.people")
    assert others(room, "bob") == set()


def test_names_are_one_only_while_who_said_so_is_believed(room: Room) -> None:
    change = place_memory(
        "Bob is Robert Miles.", attachments=Attachments(relations=(RelationDraft("Bob", "also_known_as", "Robert"),))
    )
    room.store.commit([change])
    assert others(room, "bob") == {("robert",)}
    room.store.commit([SetDeprecated(change.memory_id, True)])
    assert others(room, "bob") == set()


def test_a_plan_without_other_names_asks_for_its_own_words(store: SqliteStore, room: Room) -> None:
    plan = plan_of(room, "where is the harbour crane")
    scores = np.ones((len(plan.terms), 2), np.float32)
    assert asked_terms(plan) == plan.terms
    assert folded(scores, plan) is scores


def test_a_palace_learns_from_a_sentence_that_two_names_are_one(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.remember("The ledger service moved to Kubernetes and runs on twelve nodes.")
        for number in range(12):
            memory.remember(f"The cellar list names barrel {number} and its vintage.")
        memory.remember("k8s is short for Kubernetes.")
        assert any("twelve nodes" in hit.text for hit in memory.recall("k8s nodes", limit=2).hits)


def test_a_verb_looks_for_its_irregular_forms(room: Room) -> None:
    room.keep("The miller sold the donkey.")
    room.keep("The donkey eats hay.")
    assert "sold" in room.texts("Who sells the donkey?")[0]
    assert {name.terms for name in plan_of(room, "What did she buy?").other_names} == {("bought",)}
