"""People and things: who is known, what is known of each, and that two names can be joined and told apart again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import Conflict, NotFound
from palazzo.operations.graph.spec import EntityProfile


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none") as made:
        yield made


def ties(known: EntityProfile) -> set[tuple[str, str]]:
    return {(one.relation, one.other) for one in known.relations}


def test_the_people_and_things_that_memories_speak_of_are_listed_by_how_often(memory: Memory) -> None:
    for text in ("Ottilie works at Brackwater.", "Ottilie plays the viola.", "Severin lives in Ghent."):
        memory.remember(text)
    listed = memory.entities()
    assert (listed[0].name, listed[0].mentions) == ("Ottilie", 2)
    assert {one.name for one in memory.entities(kind="location")} == {"Ghent"}
    assert [one.name for one in memory.entities(words="sever")] == ["Severin"]


def test_a_profile_tells_relations_from_both_sides_with_their_strength(memory: Memory) -> None:
    memory.remember("Ottilie manages Severin.")
    memory.remember("Ottilie manages Severin since the merger.")
    memory.remember("Severin is married to Ludmila.")
    assert ("manages", "Severin") in ties(memory.entity("Ottilie"))
    severin = memory.entity("severin")
    assert {("reports_to", "Ottilie"), ("married_to", "Ludmila")} <= ties(severin)
    assert ("married_to", "Severin") in ties(memory.entity("Ludmila"))
    told = {one.other: one for one in severin.relations}
    assert told["Ottilie"].count == 2
    assert 1 >= told["Ottilie"].strength > told["Ludmila"].strength > 0


def test_a_profile_is_ordered_by_the_time_memories_are_about(memory: Memory) -> None:
    def told(text: str, day: int) -> None:
        memory.remember(text, at=datetime(2026, 3, day, 12, tzinfo=UTC))

    told("Ottilie moved to Ghent on 20 March 2026.", 1)
    told("Ottilie works on the canoe since 5 March 2026.", 9)
    known = memory.entity("Ottilie")
    assert ["canoe" in one.memory.text for one in known.timeline] == [True, False]
    assert known.timeline[0].at < known.timeline[1].at
    assert known.entity.first_seen is not None
    assert known.entity.last_seen is not None
    assert known.entity.first_seen <= known.entity.last_seen


def test_whoever_a_sentence_ties_to_another_is_mentioned_by_it(memory: Memory) -> None:
    memory.remember("Ottilie mentors Severin.")
    known = memory.entity("Ottilie")
    assert (known.entity.mentions, [one.memory.text for one in known.timeline]) == (1, ["Ottilie mentors Severin."])
    assert {"Ottilie", "Severin"} <= {one.name for one in memory.entities()}


def test_a_relation_that_no_longer_holds_is_not_in_the_profile(memory: Memory) -> None:
    kept = memory.remember("Severin works at Brackwater.")
    assert ("works_at", "Brackwater") in ties(memory.entity("Severin"))
    memory.update(str(kept.id), "Severin works at Lindholm.")
    known = ties(memory.entity("Severin"))
    assert ("works_at", "Lindholm") in known
    assert ("works_at", "Brackwater") not in known


def test_two_names_are_joined_and_told_apart_again_without_a_trace(memory: Memory) -> None:
    memory.remember("Ottilie works at Brackwater.")
    memory.remember("Madame Vestergaard sails on Sundays.")
    before = [memory.entity(name) for name in ("Ottilie", "Madame Vestergaard")]
    joined = memory.merge_entities("Ottilie", "Madame Vestergaard")
    assert joined.entity.name == "Ottilie"
    assert joined.entity.mentions == 2
    memory.remember("Madame Vestergaard repairs clocks.")
    assert memory.entity("Madame Vestergaard").entity.mentions == 3
    assert "sails" in memory.recall("What does Ottilie do on Sundays?")[0].text
    with pytest.raises(Conflict):
        memory.merge_entities("Ottilie", "Madame Vestergaard")
    apart = memory.split_entity("Madame Vestergaard")
    assert apart.entity.mentions == 2
    assert memory.entity("Ottilie") == before[0]
    assert before[1].timeline[0] in apart.timeline


def test_a_name_that_means_nothing_here_is_not_found_and_a_single_one_is_not_split(memory: Memory) -> None:
    memory.remember("Severin lives in Ghent.")
    with pytest.raises(NotFound):
        memory.entity("Brackwater")
    with pytest.raises(NotFound):
        memory.merge_entities("Severin", "Brackwater")
    with pytest.raises(Conflict):
        memory.split_entity("Severin")


def test_nobody_learns_of_whom_only_hidden_memories_speak(memory: Memory) -> None:
    memory.remember("Severin lives in Ghent.", user_id="ann")
    kept = memory.remember("Ludmila is married to Severin.", user_id="ann")
    assert [one.name for one in memory.entities(user_id="ben")] == []
    with pytest.raises(NotFound):
        memory.entity("Severin", user_id="ben")
    memory.forget(str(kept.id), user_id="ann")
    assert {one.name for one in memory.entities(kind="person", user_id="ann")} == {"Severin"}
    assert ties(memory.entity("Severin", user_id="ann")) == {("lives_in", "Ghent")}
    with pytest.raises(NotFound):
        memory.entity("Ludmila", user_id="ann")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ottilie works at Brackwater.", ("Ottilie", "works_at", "Brackwater")),
        ("Severin is managed by Ottilie.", ("Ottilie", "manages", "Severin")),
        ("Severin answers to Ottilie.", ("Severin", "reports_to", "Ottilie")),
        ("Ottilie is friends with Ludmila.", ("Ottilie", "friend_of", "Ludmila")),
        ("Ludmila moved to Ghent.", ("Ludmila", "lives_in", "Ghent")),
        ("Ludmila is the mother of Severin.", ("Ludmila", "parent_of", "Severin")),
        ("Ludmila has a son called Severin.", ("Severin", "child_of", "Ludmila")),
        ("Ottilie and Severin are dating.", ("Ottilie", "dating", "Severin")),
        ("Ottilie and Severin got married.", ("Ottilie", "married_to", "Severin")),
        ("Severin plays for Ghent Rovers.", ("Severin", "member_of", "Ghent Rovers")),
        ("Ottilie is the founder of Brackwater.", ("Ottilie", "founded", "Brackwater")),
        ("Severin uses Kubernetes.", ("Severin", "uses", "Kubernetes")),
        ("Heron was written by Ottilie.", ("Ottilie", "created", "Heron")),
        ("Ottilie works closely with Severin.", ("Ottilie", "collaborates_with", "Severin")),
        ("Severin is mentored by Ottilie.", ("Ottilie", "mentors", "Severin")),
        ("Lindholm competes with Brackwater.", ("Lindholm", "competitor_of", "Brackwater")),
        ("Ludmila is Severin's partner.", ("Ludmila", "partner_of", "Severin")),
        ("Lindholm is a client of Brackwater.", ("Lindholm", "client_of", "Brackwater")),
        ("Ottilie and Severin are siblings.", ("Ottilie", "sibling_of", "Severin")),
        ("Ottilie has known Ludmila for years.", ("Ottilie", "knows", "Ludmila")),
    ],
)
def test_relations_are_drawn_from_plain_sentences(memory: Memory, text: str, said: tuple[str, str, str]) -> None:
    memory.remember(text)
    subject, relation, target = said
    assert (relation, target) in ties(memory.entity(subject))
    assert any(one.other == subject for one in memory.entity(target).relations)
