"""What may have changed, as a user is told: by what is done, by time alone, above a threshold of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.errors import Conflict, NotFound
from palazzo.testing.clock import FixedClock

Opened = Callable[..., AbstractContextManager[Memory]]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def opened(tmp_path: Path, clock: FixedClock) -> Opened:
    @contextmanager
    def made(**settings: Any) -> Iterator[Memory]:
        with Memory(tmp_path / "palace", embedder="none", clock=clock, upkeep=False, **settings) as memory:
            yield memory

    return made


@pytest.fixture
def memory(opened: Opened) -> Iterator[Memory]:
    with opened() as made:
        yield made


def test_signals_mark_at_once_what_they_speak_against(memory: Memory) -> None:
    habit = memory.remember("I always drink espresso in the morning.", verbatim=True, kind="preference")
    other = memory.remember("I always drink water at lunch.", verbatim=True, kind="preference")
    counts = [{"family": "drink", "dimension": "espresso", "count": 2}]
    assert memory.signal(counts).flagged == 0
    told = memory.signal(
        [{"family": "drink", "dimension": "espresso"}, {"family": "drink", "dimension": "tea", "count": 60}]
    )
    assert told.flagged == 1
    (hit,) = [hit for hit in memory.recall("espresso in the morning") if hit.memory.id == habit.id]
    assert "espresso was 3 of the last 63 drink events" in hit.caveat
    assert [one.memory.id for one in memory.review().stale] == [habit.id]
    assert not memory.staleness(str(other.id)).flagged


@pytest.mark.parametrize(
    "text",
    [
        "This week the harbour office is at the north pier.",
        "The lift is out of order until Friday.",
        "At the moment parcels go to the neighbours.",
        "The cafeteria serves soup today.",
        "Our team is rewriting the billing module this month.",
    ],
)
def test_time_alone_warns_of_what_was_said_of_a_time_that_is_over(text: str, memory: Memory, clock: FixedClock) -> None:
    made = memory.remember(text, verbatim=True)
    assert not memory.staleness(str(made.id)).flagged
    clock.advance(days=56)
    found = memory.staleness(str(made.id))
    assert found.flagged
    assert "a time that ended on" in found.caveat


def test_an_old_message_that_is_told_later_has_run_out_and_what_was_over_when_it_was_said_has_not(
    memory: Memory, clock: FixedClock
) -> None:
    long_ago = clock.now() - timedelta(days=56)
    made = memory.remember("The lift is out of order until Friday.", at=long_ago)
    assert "a time that ended on" in memory.staleness(str(made.id)).caveat
    over = memory.remember("The lift was out of order until last Friday.", at=long_ago)
    assert not memory.staleness(str(over.id)).flagged


@pytest.mark.parametrize(
    "text", ["I visited the harbour office this week.", "The harbour office has green doors.", "We meet every week."]
)
def test_what_happened_or_always_holds_does_not_run_out_by_itself(text: str, memory: Memory, clock: FixedClock) -> None:
    made = memory.remember(text, verbatim=True)
    clock.advance(days=56)
    assert not memory.staleness(str(made.id)).flagged


def test_the_pass_looks_when_the_time_of_a_memory_is_over(memory: Memory, clock: FixedClock) -> None:
    made = memory.remember("The office is at the north pier until Friday.", kind="fact")
    memory.recheck()
    clock.advance(days=60)
    assert memory.recheck().flagged == 1
    (found,) = memory.review().stale
    assert (found.memory.id, "a time that ended on" in found.caveat) == (made.id, True)


def test_the_threshold_is_a_setting(opened: Opened) -> None:
    with opened(stale_above=0.99) as strict:
        made = strict.remember("I mostly drink espresso.", verbatim=True, kind="preference")
        strict.signal(
            [
                {"family": "drink", "dimension": "espresso", "count": 14},
                {"family": "drink", "dimension": "tea", "count": 8},
            ]
        )
        assert 0.4 < strict.staleness(str(made.id)).severity < 0.99
        assert strict.review().stale == ()
    with opened(stale_above=0.4) as eager:
        assert eager.staleness(str(made.id)).flagged
        assert eager.signal([{"family": "drink", "dimension": "tea", "count": 1}]).flagged == 0
        assert eager.signal([{"family": "drink", "dimension": "espresso", "count": 0}]).flagged == 1
        assert [one.memory.id for one in eager.review().stale] == [made.id]


def test_a_person_answers_whatever_is_flagged_now(memory: Memory, clock: FixedClock) -> None:
    made = memory.remember("Parcels go to the neighbours this week.", verbatim=True, kind="fact")
    with pytest.raises(NotFound):
        memory.resolve(str(made.id), "dismiss")
    clock.advance(days=56)
    answered = memory.resolve(str(made.id), "dismiss")
    assert answered.confidence > 0.5
    clock.advance(days=1)
    memory.resolve(str(made.id), "confirm_stale")
    assert memory.get(str(made.id), include_deprecated=True).deprecated


@pytest.mark.parametrize("answer", ["dismiss", "confirm_stale", "refresh"])
def test_an_answer_is_taken_back_with_what_it_did(memory: Memory, answer: str) -> None:
    made = memory.remember("I always drink espresso.", verbatim=True, kind="preference")
    memory.signal([{"family": "drink", "dimension": "tea", "count": 60}, {"family": "drink", "dimension": "espresso"}])
    (before,) = memory.review().stale
    memory.resolve(str(made.id), answer)
    assert memory.review().stale == ()
    assert memory.resolve(str(made.id), "reopen").confidence == before.confidence
    (after,) = memory.review().stale
    assert (after.memory.id, after.severity) == (made.id, before.severity)
    assert not memory.get(str(made.id)).deprecated
    with pytest.raises(Conflict):
        memory.resolve(str(made.id), "reopen")


def test_what_is_not_flagged_is_not_answered_twice(memory: Memory, clock: FixedClock) -> None:
    made = memory.remember("I always drink espresso.", verbatim=True, kind="preference")
    memory.signal([{"family": "drink", "dimension": "tea", "count": 60}, {"family": "drink", "dimension": "espresso"}])
    memory.resolve(str(made.id), "dismiss")
    clock.advance(days=40)
    with pytest.raises(Conflict):
        memory.resolve(str(made.id), "dismiss")
