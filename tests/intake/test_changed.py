"""A change told in other words takes the older statement back, reversibly; what only looks like one does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.intake.conftest import Palace

from palazzo import Memory
from palazzo.belief.why import why
from palazzo.intake import changed
from palazzo.model.capability import View
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.text.reader import judgements

CHANGES = [
    ("Choir practice is on Wednesdays.", "Choir has been moved to Thursday evenings for good."),
    ("I work night shifts at the bakery.", "I switched to day shifts at the bakery last month."),
]
HARMLESS = [
    ("Choir practice is on Wednesdays.", "The choir sang at a wedding on Saturday and got free cake."),
    ("We host the wiki on a server in the basement.", "There was water in the basement of my parents' house."),
    ("I take the tram to the office.", "My cousin drives a tram in Lisbon."),
]


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_change_in_other_words_takes_the_older_statement_back(palace: Palace, old: str, new: str) -> None:
    (kept,) = palace.remember(old).memory_ids
    result = palace.remember(new)
    assert "superseded" in {fate.outcome for fate in result.fates}
    assert any(fate.reason == changed.READER and (fate.score or 0) > 0.5 for fate in result.fates)
    assert kept in result.memory_ids, "it is a revision of what it takes back"


@pytest.mark.parametrize(("old", "new"), HARMLESS)
def test_what_only_looks_like_a_change_leaves_it_standing(palace: Palace, old: str, new: str) -> None:
    palace.remember(old)
    result = palace.remember(new)
    assert not {"superseded", "conflict"} & {fate.outcome for fate in result.fates}


LINES = [
    (
        "We meet the surveyor on 3 March.",
        "The surveyor asked for the 10th instead.",
        "Surveyor's visit slipped again, it's the 24th now.",
    ),
    (
        "The budget for the bathroom is 7,000.",
        "We can only spend 5,000 on the bathroom.",
        "Bathroom quote came in and we agreed on 6,200.",
    ),
    (
        "Our rehearsal room is in Mill Lane.",
        "We rehearse in the old brewery these days.",
        "The brewery threw us out, we rehearse at Tom's.",
    ),
    (
        "My running club meets on Mondays.",
        "The club asked for Thursdays instead.",
        "Running club slipped again, it's Sundays now.",
    ),
]


def test_of_a_line_of_changes_mostly_the_last_alone_is_believed(tmp_path: Path) -> None:
    left = []
    for number, line in enumerate(LINES):
        with Memory(tmp_path / str(number), upkeep=False) as memory:
            for text in line:
                memory.remember(text)
            left.append([one.text for one in memory.list().memories])
    alone = [texts == [line[-1]] for line, texts in zip(LINES, left, strict=True)]
    assert sum(alone) >= 3, left


def test_what_takes_back_one_of_two_in_open_conflict_takes_back_both(palace: Palace) -> None:
    (first,) = palace.remember("Choir practice is on Wednesdays.").memory_ids
    (second,) = palace.remember(Message(text="Choir practice is on Thursdays now.", conflict="ask")).memory_ids
    assert second != first, "both wait for a person"
    palace.remember("Choir practice is on Mondays now.")
    assert palace.texts() == ["Choir practice is on Mondays now."]


WOOD = (
    "We keep the firewood in the barn.",
    "There is firewood stacked behind the house.",
    "The firewood in the barn is mostly beech.",
    "All of the firewood lies in the cellar since the storm.",
)


@pytest.mark.parametrize(("between", "stands"), [(0.5, False), (0.001, True)])
def test_what_takes_one_back_takes_back_what_else_was_said_of_its_matter(
    palace: Palace, monkeypatch: pytest.MonkeyPatch, between: float, stands: bool
) -> None:
    first, second, more, last = WOOD
    replaced = {(first, last): 0.97, (first, second): between, (second, last): 0.3}

    def said(pairs: list[tuple[str, str]]) -> list[judgements.ChangeOdds]:
        return [judgements.ChangeOdds(odds := replaced.get(pair, 0.01), 1 - odds, 0.0, 0.0) for pair in pairs]

    monkeypatch.setattr(judgements, "change", said)
    for text in (first, second, more):
        palace.remember(Message(text=text, conflict="keep_both"))
    palace.remember(last)
    assert set(palace.texts()) == {more, last} | ({second} if stands else set())


def said_of(
    replaced: dict[tuple[str, str], float],
) -> Callable[[Sequence[tuple[str, str]]], list[judgements.ChangeOdds]]:
    """A reader that says these odds, and of all other pairs that both hold."""

    def said(pairs: Sequence[tuple[str, str]]) -> list[judgements.ChangeOdds]:
        return [judgements.ChangeOdds(odds := replaced.get(pair, 0.01), 1 - odds, 0.0, 0.0) for pair in pairs]

    return said


NURSERIES = "The nursery in Elm Row takes babies.", "The nursery in Foss Lane stopped taking babies."


@pytest.mark.parametrize(("odds", "stands"), [(0.02, True), (0.4, False)])
def test_a_certain_rule_takes_nothing_back_that_the_reader_is_sure_still_holds(
    palace: Palace, monkeypatch: pytest.MonkeyPatch, odds: float, stands: bool
) -> None:
    monkeypatch.setattr(judgements, "change", said_of({NURSERIES: odds}))
    for text in NURSERIES:
        palace.remember(text)
    assert (NURSERIES[0] in palace.texts()) is stands


def test_a_batch_is_read_where_a_certain_rule_would_take_something_back(
    palace: Palace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgements, "change", said_of({NURSERIES: 0.02}))
    palace.remember(NURSERIES[0])
    palace.remember(NURSERIES[1], *(f"The shed number {at} is painted green." for at in range(changed.FEW)))
    assert set(NURSERIES) <= set(palace.texts())


def test_a_message_in_two_statements_changes_one_matter(palace: Palace, monkeypatch: pytest.MonkeyPatch) -> None:
    school, piano = "The kids go to Millbrook.", "My piano lessons are with Mrs Vane."
    told = "We took the children out of school and teach them at the kitchen table."

    def said(pairs: Sequence[tuple[str, str]]) -> list[judgements.ChangeOdds]:
        both = [0.95 if pair[0] == school else 0.88 if pair == (piano, told) else 0.01 for pair in pairs]
        return [judgements.ChangeOdds(odds, 1 - odds, 0.0, 0.0) for odds in both]

    monkeypatch.setattr(judgements, "change", said)
    for text in (school, piano):
        palace.remember(text)
    palace.remember(told)
    assert piano in palace.texts()
    assert school not in palace.texts()


def test_of_a_reason_and_what_holds_now_the_latter_is_the_next_revision(palace: Palace) -> None:
    (kept,) = palace.remember("My laptop is a ThinkPad.").memory_ids
    palace.remember("I spilled tea on the ThinkPad, so my laptop is a Dell now.")
    with palace.store.reading(View()) as reading:
        assert "Dell" in reading.memories.get(kept).revision.content.text
    assert len(palace.texts()) == 2


def test_what_is_far_from_a_statement_is_not_marked_by_lower_odds(
    palace: Palace, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = "The build takes ten minutes.", "Managed to run a quarter of an hour without stopping!"
    figures = {"replaced_at": 0.8, "marked_at": 0.5, "far_replaced_at": 0.85, "far_marked_at": 0.3}
    monkeypatch.setattr(judgements, "figure", lambda name, _: figures.get(name, 1.0))
    monkeypatch.setattr(judgements, "change", said_of({(old, new): 0.4}))
    palace.remember(old)
    assert "conflict" not in {fate.outcome for fate in palace.remember(new).fates}


def test_another_users_statement_is_left_alone(palace: Palace) -> None:
    old, new = CHANGES[0]
    (kept,) = palace.remember(Message(text=old, scope=Scope.of(user="una"))).memory_ids
    result = palace.remember(Message(text=new, scope=Scope.of(user="theo")))
    assert kept not in result.memory_ids
    assert "superseded" not in {fate.outcome for fate in result.fates}


def test_without_weights_rules_judge_alone(palace: Palace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgements, "encoder", lambda *_: None)
    assert judgements.missing()
    old, new = CHANGES[0]
    palace.remember(old)
    assert {fate.outcome for fate in palace.remember(new).fates} == {"stored"}


def test_a_call_reads_no_more_pairs_than_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[str, str]] = []
    monkeypatch.setattr(judgements, "change", lambda pairs: read.extend(pairs) or [])
    budget = changed.Budget(3)
    budget.odds([(f"old {n}", "new") for n in range(10)])
    assert len(read) == 3
    assert budget.pairs == 0


def test_a_statement_is_read_beside_the_few_that_are_nearest(palace: Palace, monkeypatch: pytest.MonkeyPatch) -> None:
    for told in (
        "is fired by Ines",
        "has a brick arch",
        "needs a new thermocouple",
        "was built by a monk",
        "runs on gas",
        "takes nine hours to cool",
        "has a crack in its door",
    ):
        palace.remember(f"The kiln in the pottery studio {told}.")
    read: list[int] = []

    def counted(pairs: list[tuple[str, str]]) -> list[judgements.ChangeOdds]:
        read.append(len(pairs))
        return [judgements.ChangeOdds(0.0, 1.0, 0.0, 0.0)] * len(pairs)

    monkeypatch.setattr(judgements, "change", counted)
    palace.remember("Ines brought a new shelf into the pottery studio beside the kiln.")
    assert sum(read) == changed.PAIRS
    assert sum(map(bool, read)) == 1, "all of them in one go"


def test_what_a_message_says_itself_is_not_read_as_what_it_may_take_back(
    palace: Palace, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[tuple[str, str]] = []

    def noted(pairs: list[tuple[str, str]]) -> list[judgements.ChangeOdds]:
        read.extend(pairs)
        return [judgements.ChangeOdds(1.0, 0.0, 0.0, 0.0)] * len(pairs)

    monkeypatch.setattr(judgements, "change", noted)
    palace.remember("Ruiz is our plumber for the boiler.")
    palace.remember("Our plumber Ruiz retired, so we call a firm from Lund for the boiler now.")
    assert [older for older, newer in read if older.rstrip(".") in newer] == []


def test_why_names_the_reader_and_how_sure_it_was(palace: Palace) -> None:
    (kept,) = palace.remember(CHANGES[0][0]).memory_ids
    palace.remember(CHANGES[0][1])
    with palace.store.reading(View()) as reading:
        assert "it replaced revision 1, by reader (0." in why(reading, kept).text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My lecture starts at 9 in the morning.", "My flatmate's lecture starts at 14 now."),
        ("Our tram leaves at 7:20.", "Our neighbour's tram leaves at 8:05 now."),
    ],
)
def test_what_is_somebody_elses_takes_nothing_back(palace: Palace, old: str, new: str) -> None:
    palace.remember(old)
    palace.remember(new)
    assert {old, new} <= set(palace.texts())
