"""What nobody said is never kept: pronouns stay as they were said where they may mean somebody nearer, no statement is
reworded into another one, and what is only a text to work with tells nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.testing.clock import FixedClock

NOW = datetime(2026, 11, 12, 9, 0, tzinfo=UTC)


def told(folder: Path, *says: str) -> Memory:
    """A palace that was told these, a day apart."""
    memory = Memory(folder / "palace", clock=FixedClock(NOW), zone="+01:00", durable=False, upkeep=False)
    for days, text in enumerate(says, start=-len(says)):
        memory.observe([{"role": "user", "content": text, "at": NOW + timedelta(days=days)}])
    return memory


def stated(memory: Memory) -> set[str]:
    return {held.text for held in memory.list(limit=100) if held.kind != "exchange"}


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("My nephew Anton stayed over.", "The chimney sweep left his ladder here."),
        ("My cousin Rike is a diver.", "Our new midwife is calm, her rounds begin at 7."),
        ("My neighbour Bodo is in Spain.", "Someone scratched his car again."),
        ("The roofer phoned.", "Ulla's sold her shop in Gera."),
        ("I saw Dagmar on Sunday.", "One of the trainees broke her wrist."),
        ("My uncle Heiner came by.", "The caretaker says he wants a new lock."),
    ],
)
def test_a_pronoun_means_nobody_of_an_earlier_message_where_its_own_names_somebody(
    tmp_path: Path, before: str, said: str
) -> None:
    with told(tmp_path, before, said) as memory:
        assert stated(memory) <= {before, said}


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("My sister Mara is a judge. The gardener came today. She wants to be paid in cash.", "Mara wants"),
        ("We parted, Olga and I. I've met someone lovely, her name is Ines.", "Olga's name"),
        ("Eva is in town. I told Nora. She loves sushi.", "Nora loves"),
        ("I used to love Blur. I can't bear Blur any more, it's Pulp now.", "Blur is Pulp"),
    ],
)
def test_a_pronoun_that_may_mean_somebody_nearer_stays_as_it_was_said(tmp_path: Path, said: str, wrong: str) -> None:
    with told(tmp_path, said) as memory:
        assert not [text for text in stated(memory) if wrong in text]


def test_a_pronoun_with_one_person_before_it_and_nobody_nearer_is_still_resolved(tmp_path: Path) -> None:
    with told(tmp_path, "My colleague Aylin is from Izmir.", "Yesterday I met her brother.") as memory:
        assert "Yesterday I met Aylin's brother." in stated(memory)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I quit sugar, only honey now.", "Sugar's back, I gave in."),
        ("I work as a welder at Thyssen in Essen.", "I left Thyssen. I'm a courier at UPS now."),
        ("We have two goats, Zilly and Mop.", "Mop died last week."),
        ("I am engaged to Carla from Turin.", "Carla and I broke up."),
        ("Our rent is 900 euros a month with heating.", "The rent is 1000 now."),
    ],
)
def test_a_statement_of_which_a_part_is_over_stands_whole_or_not_at_all(tmp_path: Path, before: str, said: str) -> None:
    with told(tmp_path, before, said) as memory:
        sentences = {f"{one.strip(' .')}." for one in (*before.split(". "), *said.split(". "))}
        assert stated(memory) <= sentences


@pytest.mark.parametrize(
    ("before", "said", "question", "holds"),
    [
        ("I live in Graz.", "We're going to move to Linz in March.", "Where do I live?", "Graz"),
        ("I work at Bosch.", "I'm starting at Siemens on January 4th.", "Where do I work?", "Bosch"),
        ("My dentist is Dr. Weber.", "Dr. Klein will be my dentist from next year.", "Who is my dentist?", "Weber"),
    ],
)
def test_what_is_so_holds_until_the_day_of_a_change_that_is_announced(
    tmp_path: Path, before: str, said: str, question: str, holds: str
) -> None:
    with told(tmp_path, before, said) as memory:
        assert {before, said} <= stated(memory)
        assert holds in memory.context(question).text


def test_a_revision_is_never_another_statement_of_the_message_that_made_it(tmp_path: Path) -> None:
    with told(tmp_path, "My friend Lio lives in Gent.", "Lio broke up with Per. Lio moved to Liège.") as memory:
        histories = [[one.text for one in memory.history(held.id)] for held in memory.list(limit=50)]
    assert not [texts for texts in histories if texts[0].endswith("Gent.") and "Per" in texts[-1]]


@pytest.mark.parametrize(
    ("texts", "question", "wanted"),
    [
        ([f"Crate k{n} weighs {n * 3} kilos." for n in range(20, 28)], "How much does crate k22 weigh?", "66"),
        (["Plan v1 costs 20 euros.", "Plan v2 costs 30 euros."], "What does plan v1 cost?", "20"),
        (["Shelf A-17 carries 40 kg.", "Shelf A-18 carries 55 kg."], "How much does shelf A-17 carry?", "40"),
    ],
)
def test_things_with_labels_of_their_own_replace_each_other_never(
    tmp_path: Path, texts: list[str], question: str, wanted: str
) -> None:
    with told(tmp_path) as memory:
        for text in texts:
            memory.remember(text)
        known = memory.context(question).text
        assert len(stated(memory)) == len(texts)
    assert wanted in known
    assert "replaced" not in known


@pytest.mark.parametrize(
    "said",
    [
        "Translate to Dutch: I live in Lyon and my husband is ill.",
        "Proofread this please: my son Till starts at Audi in May.",
        "Can you put it better? Rephrase this: I quit and I hate Bruno.",
        "Write a tale about a boy called Ole who lives in Kiel and hates nuts.",
        "Let's pretend: you are a knight and I'm Queen Ann, I lost my crown.",
        "Korrigiere bitte: Mein Bruder arbeitet bei Opel in Bochum.",
        "Schreib ein Märchen über Pia, die in Ulm wohnt.",
    ],
)
def test_a_text_to_do_something_with_is_kept_as_said_and_tells_nothing(tmp_path: Path, said: str) -> None:
    with told(tmp_path, said) as memory:
        assert stated(memory) == set()
        assert [held.text for held in memory.list(limit=10)] == [said]


def test_a_fact_behind_a_colon_that_nobody_is_to_work_on_is_told(tmp_path: Path) -> None:
    with told(tmp_path, "Update: I moved to Ulm.", "My job: I translate books.") as memory:
        assert any("Ulm" in text for text in stated(memory))
        assert any("translate books" in text for text in stated(memory))
