"""Gaps: what is not known, contradicts itself or is old becomes a question, asked rarely and closed by its answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import Conflict, NotFound
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=clock, embedder="none", upkeep=False, durable=False) as made:
        yield made


def questions(memory: Memory) -> list[str]:
    return [one.question for one in memory.gaps()]


def test_a_tool_without_a_version_is_asked_about_until_it_is_told(memory: Memory, clock: FixedClock) -> None:
    memory.remember("I use Django.")
    memory.dream(only=("gaps",))
    assert "Which version of Django do you use?" in questions(memory)
    clock.advance(days=1)
    memory.remember("The shop runs on Django 5.1.")
    memory.dream(only=("gaps",))
    assert "Which version of Django do you use?" not in questions(memory)


def test_a_question_is_kept_once_and_not_asked_again_within_a_week(memory: Memory, clock: FixedClock) -> None:
    memory.remember("I use Django.")
    for _ in range(2):
        memory.dream(only=("gaps",))
    (gap,) = [one for one in memory.gaps() if "version" in one.question]
    memory.gap_ask(str(gap.id), session="monday")
    assert gap.id not in [one.id for one in memory.gaps()]
    clock.advance(days=6)
    with pytest.raises(Conflict):
        memory.gap_ask(str(gap.id), session="sunday")
    clock.advance(days=2)
    assert gap.id in [one.id for one in memory.gaps()]


def test_nobody_is_asked_who_he_is_himself(memory: Memory) -> None:
    memory.remember("My name is Thea.")
    memory.remember("Ruben works with Thea on the harbour.")
    memory.dream()
    assert "Who is Ruben to you?" in questions(memory)
    assert "Who is Thea to you?" not in questions(memory)


def test_a_third_question_in_one_session_is_refused(memory: Memory) -> None:
    memory.remember("I use Django, Redis and Terraform.")
    memory.dream(only=("gaps",))
    first, second, third, *_ = memory.gaps()
    memory.gap_ask(str(first.id), session="s")
    memory.gap_ask(str(second.id), session="s")
    with pytest.raises(Conflict):
        memory.gap_ask(str(third.id), session="s")
    memory.gap_ask(str(third.id), session="another")


def test_a_muted_question_never_comes_back(memory: Memory, clock: FixedClock) -> None:
    memory.remember("I use Django.")
    memory.dream(only=("gaps",))
    gap = memory.gaps()[0]
    memory.gap_mute(str(gap.id))
    clock.advance(days=30)
    memory.dream(only=("gaps",))
    assert gap.id not in [one.id for one in memory.gaps()]


def often_used(memory: Memory, clock: FixedClock, text: str = "The gym costs 40 euros a month.") -> str:
    """A memory that is old and often used, and is asked about."""
    at = str(memory.remember(text, verbatim=True, kind="fact").id)
    for _ in range(6):
        clock.advance(days=20)
        memory.get(at)
        memory.engine.uses.flush()
    memory.dream(only=("gaps",))
    assert questions(memory) == [f"I have a note from 4 months ago: \u201c{text}\u201d Is that still so?"]
    clock.advance(days=1)
    return at


@pytest.mark.parametrize("said", ["The gym costs 45 euros a month.", "The gym costs 40 euros a month."])
def test_what_is_old_and_often_used_is_asked_about_until_it_is_told_anew_or_again(
    memory: Memory, clock: FixedClock, said: str
) -> None:
    often_used(memory, clock)
    memory.remember(said)
    for _ in range(2):
        memory.dream(only=("gaps",))
        assert not questions(memory)


def test_what_is_old_is_not_asked_about_once_a_person_said_that_it_holds(memory: Memory, clock: FixedClock) -> None:
    at = often_used(memory, clock, "Parcels go to the neighbours this week.")
    memory.resolve(at, answer="dismiss")
    memory.dream(only=("gaps",))
    assert not questions(memory)


def test_two_notes_that_disagree_are_asked_about_until_a_person_says_which_holds(
    memory: Memory, clock: FixedClock
) -> None:
    older, newer = (
        str(memory.remember(f"The ledger listens on port {port}.", verbatim=True).id) for port in (7001, 7190)
    )
    memory.relate(newer, older, kind="contradicts")
    memory.dream(only=("gaps",))
    (asked,) = questions(memory)
    assert "7001" in asked
    assert "7190" in asked
    clock.advance(days=1)
    memory.settle(newer)
    memory.dream(only=("gaps",))
    assert not questions(memory)


def test_a_question_is_for_those_who_see_what_it_is_about(memory: Memory) -> None:
    memory.remember("I use Django.", user_id="ada")
    memory.dream(only=("gaps",))
    assert questions(memory) == []
    gap = memory.gaps(user_id="ada")[0]
    with pytest.raises(NotFound):
        memory.gap_ask(str(gap.id))


def test_a_palace_of_a_hundred_notes_has_some_questions_and_not_a_flood(memory: Memory) -> None:
    for number in range(93):
        memory.remember(f"Shelf {number} of the store room has {number + 2} boxes.")
    for text in (
        "I use Django.",
        "I use React.",
        "My sister writes Kotlin.",
        "We deploy with Terraform.",
        "I met Priya.",
        "I saw Tomas.",
        "The Atlas project began.",
    ):
        memory.remember(text)
    memory.dream(only=("gaps",))
    assert 5 <= len(questions(memory)) <= 50


def test_whoever_takes_work_up_again_reads_two_questions_and_what_was_thought_over(memory: Memory) -> None:
    memory.session_start("pier", session="one")
    said = [{"role": "user", "content": f"I use {name}."} for name in ("Django", "React", "Kafka")]
    memory.turn_end("pier", said, session="one")
    memory.session_end("one")
    memory.dream(only=("gaps",))
    started = memory.session_start("pier", session="two").warm_start
    assert "## Worth asking in a quiet moment" in started
    assert started.count("gap_ask") == 2
    assert "## Thought over since yesterday" in started


def test_who_takes_up_a_session_again_is_offered_only_what_may_still_be_asked_in_it(memory: Memory) -> None:
    def offered(text: str) -> int:
        return text.count("gap_ask")

    memory.session_start("mill", session="morning")
    memory.turn_end("mill", [{"content": "I use Postgres, Ansible, Grafana, Kubernetes and Redis."}], session="morning")
    memory.session_end("morning")
    memory.dream(only=("gaps",))
    assert len(memory.gaps()) >= 4
    memory.session_start("mill", session="noon")
    for left in (1, 0):
        memory.gap_ask(str(memory.gaps()[0].id), session="noon")
        assert offered(memory.session_start("mill", session="noon", source="compact").warm_start) == left
        assert offered(memory.warm_start("mill").text) == left
        assert offered(memory.handoff_read("mill").text) == left
    assert offered(memory.session_start("mill", session="evening").warm_start) == 2
    memory.session_end("evening")
    assert offered(memory.warm_start("mill").text) == 2
