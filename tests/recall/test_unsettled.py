"""What a batch told and no pass has settled yet: recall looks at its own first hits, and at nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.testing.clock import FixedClock
from palazzo.text.reader import judgements

OLD = "Choir practice is on Wednesdays."
NEW = "Choir has been moved to Thursday evenings for good."
ASKED = "When is choir practice?"
FILLER = [f"{name} collects {thing}." for name, thing in zip(
    ("Ruben", "Hedda", "Nils", "Petra", "Olaf", "Ines", "Tomke", "Wim", "Greta", "Juri"),
    ("stamps", "bassoons", "violins", "beakers", "canoes", "rabbits", "printers", "oaks", "ferries", "windows"),
    strict=True,
)]  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "palace", clock=FixedClock(), upkeep=False)


def test_what_an_unsettled_statement_replaces_stands_behind_it_and_says_so(memory: Memory) -> None:
    memory.remember(OLD)
    memory.remember_many([*FILLER, NEW])
    hits = memory.recall(ASKED).hits
    assert hits[0].text == NEW
    (old,) = [hit for hit in hits if hit.text == OLD]
    assert old.caveat.startswith("replaced since: Choir has been moved")
    memory.recheck()
    assert OLD not in [hit.text for hit in memory.recall(ASKED).hits]


@pytest.mark.parametrize("settled", [False, True])
def test_of_an_unsure_pair_the_newer_comes_first_and_says_what_it_may_stand_for(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, settled: bool
) -> None:
    memory.remember(OLD)
    memory.remember_many([*FILLER, NEW])
    monkeypatch.setattr(
        judgements, "figure", lambda name, otherwise: {"replaced_at": 1.1, "marked_at": 0.3}.get(name, otherwise)
    )
    if settled:
        memory.recheck()
        assert [one.newer for one in memory.inbox()]
    hits = memory.recall(ASKED).hits
    assert hits[0].text == NEW
    assert hits[0].caveat.startswith(f'perhaps instead of "{OLD}"')
    assert all("may have changed" in hit.caveat for hit in hits if hit.text == OLD)


@pytest.mark.parametrize("batch", [False, True])
def test_of_a_pair_that_is_in_doubt_both_are_shown_the_newer_first(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, batch: bool
) -> None:
    memory.remember(OLD)
    doubt, none = judgements.ChangeOdds(0.6, 0.4, 0.0, 0.0), judgements.ChangeOdds(0.0, 1.0, 0.0, 0.0)
    monkeypatch.setattr(
        judgements, "change", lambda pairs: [doubt if {*pair} == {OLD, NEW} else none for pair in pairs]
    )
    if batch:
        memory.remember_many([*FILLER, NEW])
    else:
        memory.remember(NEW)
        assert memory.inbox()
    first, second, *_ = memory.recall(ASKED).hits
    assert (first.text, second.text) == (NEW, OLD)
    assert "may have changed" in second.caveat


def test_a_question_about_the_past_hides_nothing(memory: Memory) -> None:
    memory.remember(OLD)
    memory.remember_many([*FILLER, NEW])
    texts = {hit.text: hit.caveat for hit in memory.recall("When did choir practice use to be before it changed?").hits}
    assert not texts[OLD].startswith("replaced since")


def test_recall_reads_nothing_where_everything_is_settled(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember(OLD)
    memory.remember("The choir sang at a wedding on Saturday and got free cake.")
    memory.remember_many([*FILLER, "Our choir has forty singers."])
    memory.recheck()
    read: list[object] = []
    monkeypatch.setattr(judgements, "change", read.append)
    assert memory.recall(ASKED).hits
    assert not read


def test_recall_reads_few_pairs_whatever_is_unsettled(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    days = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
    memory.remember_many([*(f"Choir number {n} practises on {day}." for n, day in enumerate(days)), *FILLER])
    read: list[int] = []
    change = judgements.change
    monkeypatch.setattr(judgements, "change", lambda pairs: read.append(len(pairs)) or change(pairs))
    memory.recall("On which day does the choir practise?")
    assert sum(read) <= 4
