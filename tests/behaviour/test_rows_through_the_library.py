"""Repetitions, changes in part, what a squad keeps, and sessions begun twice, as a caller of the library meets them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=clock, embedder="builtin", upkeep=False) as made:
        yield made


def told(memory: Memory) -> list[str]:
    return sorted(one.text for one in memory.list())


def test_what_adds_is_merged_and_both_texts_are_in_the_history(memory: Memory, clock: FixedClock) -> None:
    first = memory.remember("I like tea.").id
    clock.advance(minutes=2)
    assert memory.remember("I like green tea.").id == first
    assert told(memory) == ["I like green tea."]
    assert [one.text for one in memory.history(str(first)).revisions] == ["I like tea.", "I like green tea."]
    memory.revert(str(first), 1)
    assert told(memory) == ["I like tea."]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The staging server is called Otter.", "Otter is the name of our staging server."),
        ("Lena is Paul's wife.", "Paul is married to Lena."),
        ("Deploys go out every Thursday.", "We release once a week, on Thursdays."),
        ("The train to work takes forty minutes.", "My commute by train lasts 40 minutes."),
        ("The kettle is from Bergen.", "The kettle is from Bergen, from the shop by the funicular."),
        ("I run three times a week.", "I run three times a week, mostly along the canal."),
    ],
)
def test_the_same_in_other_words_or_with_more_to_it_is_kept_and_the_link_is_walked(
    memory: Memory, clock: FixedClock, before: str, after: str
) -> None:
    first = memory.remember(before).id
    clock.advance(days=2)
    second = memory.remember(after).id
    (step,) = memory.walk(str(second)).steps
    assert (step.memory.id, step.link.kind) == (first, "similar_to")
    assert told(memory) == sorted([before, after])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I am allergic to peanuts.", "My son is allergic to peanuts."),
        ("The repository is hosted on GitLab.", "The documentation is hosted on GitLab."),
        ("I went for a swim in the canal.", "I took a swim in the canal."),
        ("My sister plays the cello.", "My sister's teacher plays the cello."),
    ],
)
def test_what_is_only_near_or_happened_another_day_is_not_linked(
    memory: Memory, clock: FixedClock, before: str, after: str
) -> None:
    memory.remember(before)
    clock.advance(days=2)
    assert not [step for step in memory.walk(str(memory.remember(after).id)) if step.link.kind == "similar_to"]


def test_what_happened_is_one_occasion_within_the_hour_and_another_one_later(memory: Memory, clock: FixedClock) -> None:
    swim = [{"role": "user", "content": "I went for a swim in the canal."}]
    again = [{"role": "user", "content": "Well, I went for a swim in the canal."}]
    for minutes, said in ((700, swim), (25, again), (120, swim)):
        clock.advance(minutes=minutes)
        memory.observe(said)
    assert len([one for one in memory.list() if "swim" in one.text and one.kind != "exchange"]) == 2


def test_of_a_statement_with_two_facts_only_the_changed_one_goes(memory: Memory, clock: FixedClock) -> None:
    memory.remember("Our standup is at 9:30 in room Vega.")
    clock.advance(minutes=2)
    memory.remember("Our standup is at 10:15 now.")
    assert told(memory) == ["Our standup is at 10:15 now.", "Our standup is in room Vega."]


def test_what_a_squad_was_told_stays_in_the_squad(memory: Memory) -> None:
    memory.remember("The north team berths at pier nine.", squad="north")
    asked = "Where does the north team berth?"
    assert [hit.text for hit in memory.recall(asked, squad="north", agent_id="second")]
    assert not list(memory.recall(asked, squad="south"))
    assert not list(memory.recall(asked))


def test_a_client_that_starts_twice_within_a_minute_tells_every_message_once(tmp_path: Path, clock: FixedClock) -> None:
    said = [{"role": "user", "content": "The buoy at the bar is yellow."},
            {"role": "assistant", "content": "Noted, a yellow buoy at the bar."}]  # fmt: skip
    for _ in range(2):
        with Memory(tmp_path / "palace", clock=clock, embedder="none", upkeep=False) as memory:
            memory.session_start("pier", session="one", source="startup")
            memory.observe(said, thread="pier", session="one")
        clock.advance(seconds=20)
    read = (path.read_text("utf-8").splitlines() for path in (tmp_path / "palace" / "archive").glob("*.jsonl"))
    letters = [letter for lines in read for line in lines if (letter := json.loads(line).get("letter"))]
    assert [letter["text"] for letter in letters] == [turn["content"] for turn in said]


KILLED = """
import os, sys
from palazzo import Memory
memory = Memory(sys.argv[1], embedder="none", upkeep=False, persona="dynamics")
for number in range(4):
    turns = [{"role": "user", "content": f"How high is tide {number}?"}, {"role": "assistant", "content": "Two."}]
    memory.turn_end("pier", turns, session="one")
    print(memory.dynamics("pier").updates, flush=True)
os.kill(os.getpid(), 9)
"""


def test_the_measure_of_every_turn_survives_a_kill(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "palace")], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr
    with Memory(tmp_path / "palace", embedder="none", upkeep=False, persona="dynamics") as memory:
        assert memory.dynamics("pier").updates == int(done.stdout.split()[-1]) > 0
