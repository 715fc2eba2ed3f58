"""Summaries: days of a conversation, weeks and months of those, found when asked for and erased with a source."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copytree

import pytest

from palazzo import Memory
from palazzo.mind.dream import DreamTurn
from palazzo.mind.summaries import Summaries
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_palace, place_memory

BEGAN = datetime(2025, 3, 3, 9, tzinfo=UTC)
SAID = (
    "We decided to plant apricots behind the barn.", "The well pump needs a new gasket by Friday.",
    "I bought forty metres of fence from Brandt.", "My neighbour Ilse will lend us her trailer.",
)  # fmt: skip

SPACES = (
    "Indentation should be two spaces.", "Please indent with 2 spaces.", "I always use two spaces for indentation.",
    "The user prefers 2-space indentation.",
)  # fmt: skip


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(BEGAN)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six weeks of a conversation about a garden, a few turns on two days of each."""
    folder = tmp_path_factory.mktemp("told") / "palace"
    with Memory(folder, clock=FixedClock(BEGAN), embedder="none", upkeep=False, durable=False) as made:
        for week in range(6):
            for day in (0, 2):
                at = BEGAN + timedelta(weeks=week, days=day)
                made.observe(
                    [
                        {"content": f"{text[:-1]}, as in week {week} on day {day}.", "at": at + timedelta(minutes=n)}
                        for n, text in enumerate(SAID)
                    ],
                    thread="garden", session=f"{week}-{day}",
                )  # fmt: skip
    return folder


@pytest.fixture
def memory(told: Path, tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    """The same palace, four months later."""
    copytree(told, tmp_path / "palace")
    clock.advance(days=120)
    with Memory(tmp_path / "palace", clock=clock, embedder="none", upkeep=False, durable=False) as made:
        yield made


def found(memory: Memory) -> list[list[tuple[str, float]]]:
    cues = ("apricots behind the barn", "who lends us a trailer?", "what did I buy from Brandt in week 3?")
    return [[(one.text, one.score) for one in memory.recall(cue)] for cue in cues]


def test_days_become_weeks_weeks_months_and_each_unfolds_to_what_was_said(memory: Memory) -> None:
    memory.dream(only=("summaries",), limit=1000)
    assert {one.level for one in memory.summaries(limit=1000)} == {"day", "week", "month"}
    month = next(one for one in memory.summaries(level="month") if one.first.month == 3)
    weeks = memory.unfold(str(month.id))
    days = memory.unfold(str(weeks[0].id))
    turns = memory.unfold(str(days[0].id))
    assert any("apricots behind the barn" in one.text and one.kind == "exchange" for one in turns)
    assert month.text.startswith("March 2025, garden:")


def test_a_summary_is_found_by_its_words_and_never_beside_its_sources(memory: Memory) -> None:
    before = found(memory)
    memory.dream(only=("summaries",), limit=1000)
    assert found(memory) == before
    assert memory.summaries(text="gasket pump", level="day")[0].text.count("gasket") >= 1
    assert memory.summaries(thread="another") == memory.summaries(since=datetime(2031, 1, 1, tzinfo=UTC))


def test_summaries_are_made_once_and_a_late_turn_makes_its_day_anew(memory: Memory) -> None:
    memory.dream(only=("summaries",), limit=1000)
    assert not memory.dream(only=("summaries",), limit=1000).steps
    at = BEGAN + timedelta(days=2, hours=3)
    memory.observe([{"content": "We agreed on the 9th of May for the barn dance.", "at": at}], thread="garden")
    made = memory.dream(only=("summaries",), limit=1000)
    levels = [step.why.split(":")[0] for step in made.steps]
    assert levels == ["5 March 2025", "the week of 3 March 2025", "March 2025"]
    assert len([one for one in memory.summaries(level="day", limit=1000) if one.first.isoformat() == "2025-03-05"]) == 1


def test_what_is_erased_stands_in_no_summary_and_the_next_dream_makes_them_from_the_rest(memory: Memory) -> None:
    memory.remember("The combination of the shed is under the quince.")
    memory.dream(only=("summaries",), limit=1000)
    turn = next(one for one in memory.list(limit=1000) if "week 4 on day 2" in one.text and one.kind == "exchange")
    told = [one for one in memory.list(limit=1000) if one.kind == "digest"]
    memory.burn(memories=[one.id for one in memory.list(limit=1000) if "week 4 on day 2" in one.text], yes=True)
    left = {one.id for one in memory.list(limit=1000)}
    gone = [one for one in told if one.id not in left]
    assert turn.id not in left
    assert {one.text.split(",")[0].split(":")[0] for one in gone} >= {"2 April 2025", "April 2025"}
    assert not [one for one in memory.list(limit=1000) if "week 4 on day 2" in one.text]
    memory.dream(only=("summaries",), limit=1000)
    april = next(one for one in memory.summaries(level="month") if one.first.month == 4)
    assert "week 4 on day 2" not in april.text
    assert memory.verify().clean


def told_of(memory: Memory, *words: str) -> list[str]:
    """What there is, of any kind, that has one of these words."""
    return [f"{one.kind}: {one.text}" for one in memory.list(limit=1000) if any(word in one.text for word in words)]


def test_a_turn_that_is_burnt_takes_along_what_only_it_told_and_no_later_summary_says_it_again(
    memory: Memory, clock: FixedClock
) -> None:
    said = "The alarm of the cellar is set with 58-Heron and the locksmith is Odalys Brandt."
    memory.observe([{"content": said}, {"content": "The hens lay well."}], thread="garden", session="x")
    clock.advance(days=40)
    memory.dream(only=("summaries",), limit=1000)
    kinds = {one.split(":")[0] for one in told_of(memory, "Heron", "Odalys")}
    assert {"exchange", "digest"} < kinds
    (turn,) = (one for one in memory.list(limit=1000) if one.kind == "exchange" and "Heron" in one.text)
    assert memory.burn(memories=[turn.id]).memories == len(told_of(memory, "Heron", "Odalys"))
    done = memory.burn(memories=[turn.id], yes=True)
    assert (done.done, done.left, done.remains) == (True, (), ())
    memory.dream(only=("summaries",), limit=1000)
    assert not told_of(memory, "Heron", "Odalys")
    assert told_of(memory, "hens lay well")


def test_what_another_turn_tells_too_stays_and_the_report_names_it_until_that_one_is_burnt(memory: Memory) -> None:
    for session in ("x", "y"):
        memory.observe([{"content": "The rake hangs behind the green door."}], thread="garden", session=session)
    first, second = (one for one in memory.list(limit=1000) if one.kind == "exchange" and "rake" in one.text)
    (fact,) = (one for one in memory.list(limit=1000) if one.kind != "exchange" and "rake" in one.text)
    done = memory.burn(memories=[first.id], yes=True)
    assert done.remains == (f"{fact.id} stays: others tell it, too",)
    assert not memory.burn(memories=[second.id], yes=True).remains
    assert not told_of(memory, "rake")


def test_a_fact_of_one_day_is_found_by_the_month_that_left_it_out(memory: Memory) -> None:
    at = BEGAN + timedelta(days=2, hours=1)
    many = [f"The {thing} of bed {n} was moved on the {n + 1}th." for n in range(12) for thing in ("hose", "net")]
    said = [*many, "Heintje mends the weathercock.", *many[::-1]]
    turns = [{"content": text, "at": at + timedelta(minutes=n)} for n, text in enumerate(dict.fromkeys(said))]
    memory.observe(turns, thread="garden", session="long")
    memory.dream(only=("summaries",), limit=1000)
    (month,) = (one for one in memory.summaries(level="month") if one.first.month == 3)
    assert "weathercock" not in month.text
    assert memory.summaries(text="Heintje weathercock", level="month")[0].id == month.id
    assert not memory.summaries(text="Heintje weathercock", level="month", thread="another")


def test_what_is_forgotten_is_forgotten_in_summaries_too(memory: Memory) -> None:
    memory.dream(only=("summaries",), limit=1000)
    for one in memory.list(limit=1000):
        if "week 4 on day 2" in one.text and one.kind != "digest":
            memory.forget(str(one.id))
    assert not [one for one in memory.summaries(limit=1000) if "week 4 on day 2" in one.text]


def test_undo_takes_the_summaries_away(memory: Memory) -> None:
    made = memory.dream(only=("summaries",), limit=1000)
    memory.undo(str(made.id))
    assert not memory.summaries()
    assert memory.verify().clean


def test_a_gathered_memory_goes_with_any_of_its_sources_and_the_others_come_back(
    tmp_path: Path, clock: FixedClock
) -> None:
    with Memory(tmp_path / "other", clock=clock, upkeep=False, durable=False) as memory:
        for text in SPACES:
            memory.remember(text)
        memory.setting_put("dream_passes", "consolidate=on")
        (step,) = memory.dream(only=("consolidate",)).steps
        gone, *rest = step.memories
        memory.purge(str(gone))
        left = {one.id for one in memory.list()}
        assert left >= set(rest)
        assert not left & {gone, *step.made}


def test_where_not_all_is_read_at_once_what_was_summed_up_stands_and_the_rest_is_made_of_it(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2025, 11, 3, 9, tzinfo=UTC))
    with make_palace(tmp_path / "palace", clock=clock) as store:
        few, all_ = Summaries(store, "UTC", most=40), Summaries(store, "UTC")
        for day in range(65):
            store.commit([place_memory(f"On day {day} we set {number} stones in the wall.") for number in range(3)])
            clock.advance(days=1)
            turn = DreamTurn(limit=100, since_us=0, now_us=clock.now_us())
            for step in few.plan(turn):
                assert not step.hides, step.why
                store.commit(list(few.changes(step)), subject="mind:summaries")
        made = [event for event in store.journal.tail(0, 1_000) if event.subject == "mind:summaries"]
        assert len(made) == 65 + 9 + 2 + 1  # days, weeks, November and December, the year
        left = [(one.why, one.about, one.hides) for one in all_.plan(turn)]
        assert not left
