"""A second process reads half of a large batch: the same rows, whoever is killed, and no text left in it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.intake.test_later import talk

from palazzo import Memory
from palazzo.intake import beside
from palazzo.intake.beside import Beside, alone
from palazzo.model.message import Message
from palazzo.testing.clock import FixedClock
from palazzo.text.words.remembered import forget_texts

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no second process there")
TALK = talk(200)


@pytest.fixture
def helper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Beside]:
    """A second process from the first batch on, however many processors there are."""
    monkeypatch.setattr(beside, "_may", lambda: True)
    made = Beside(worth=1, wait_s=60.0)
    yield made
    made.forget()


def rows(folder: Path, halves: Any, messages: list[Message], *, later: bool, manner: str) -> list[tuple[Any, ...]]:
    """What a palace holds of memories, figures and accounts after a batch that was read in these parts."""
    with Memory(folder, clock=FixedClock(), upkeep=False) as memory:
        intake = memory.engine.intake
        intake._parts_of = halves
        intake.take(messages, manner, later=later)  # type: ignore[arg-type]
        assert memory.verify().clean
    with sqlite3.connect(folder / "palace.db") as palace:
        found = palace.execute(
            """SELECT m.kind, m.tier, r.text, r.summary, r.key_fact, r.detail, r.importance, r.confidence, r.valence,
                      r.valid_from_us, r.valid_to_us, (SELECT group_concat(subject || predicate || value) FROM atom
                      WHERE revision = r.id), (SELECT hex(data) FROM vector WHERE id % (1 << 48) = r.id)
               FROM memory m JOIN revision r ON r.memory = m.id ORDER BY r.id"""
        ).fetchall()
        told = palace.execute("SELECT count(*), sum(length(fates)) FROM intake").fetchall()
    palace.close()
    return [*found, *told]


@pytest.mark.parametrize(("manner", "later"), [("observe", False), ("observe", True), ("remember", False)])
def test_what_two_processes_read_is_kept_as_if_one_had_read_it(
    tmp_path: Path, helper: Beside, manner: str, later: bool
) -> None:
    asked: list[int] = []

    def halves(name: str, items: Any) -> list[Any]:
        found = helper.both(name, items)
        asked.append(len(found))
        return found

    two = rows(tmp_path / "two", halves, TALK, later=later, manner=manner)
    assert 2 in asked, "the second process had its half"
    assert two == rows(tmp_path / "one", alone, TALK, later=later, manner=manner)


@pytest.mark.parametrize("when", ["before", "while"])
def test_nothing_is_lost_when_the_second_process_is_killed(
    tmp_path: Path, helper: Beside, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    helper.both("screen", [f"Lamp {n} is lit." for n in range(200)])
    process = helper._process
    assert process is not None
    if when == "before":
        os.kill(process.pid, signal.SIGKILL)
    else:
        read = beside.WORK["screen"]

        def killing(texts: Any) -> Any:
            process.kill()
            return read(texts)

        monkeypatch.setitem(beside.WORK, "screen", killing)
    killed = rows(tmp_path / "killed", helper.both, TALK, later=False, manner="observe")
    assert killed == rows(tmp_path / "one", alone, TALK, later=False, manner="observe")
    assert process.returncode == -signal.SIGKILL


def test_an_erasure_ends_the_process_and_another_one_begins_when_there_is_work(helper: Beside) -> None:
    texts = [f"Lamp {n} is lit." for n in range(200)]
    assert len(helper.both("screen", texts)) == 2
    first = helper._process
    forget_texts(None)
    assert first is not None
    assert first.returncode is not None
    assert helper._process is None
    assert len(helper.both("screen", texts)) == 2


@pytest.mark.parametrize("wanted", [False, True])
def test_the_setting_says_whether_there_is_a_second_process(tmp_path: Path, wanted: bool) -> None:
    with Memory(tmp_path / "palace", upkeep=False, second_process=wanted) as memory:
        assert memory.engine.intake._parts_of == (beside.second().both if wanted else alone)


def test_a_few_texts_begin_no_process_and_what_fails_here_fails(helper: Beside) -> None:
    assert len(helper.both("screen", ["Lamp 1 is lit."] * 20)) == 1
    assert helper._process is None
    with pytest.raises(AttributeError):
        helper.both("read", ["no letter"] * 200)
    assert helper._process is None, "what was asked of it is nobody's answer any more"


COMMITTER = """
    import os, signal, sys
    from pathlib import Path
    from palazzo import Memory
    from palazzo.intake import beside
    from palazzo.testing.clock import FixedClock
    from tests.intake.test_later import talk

    beside._may = lambda: True
    helper = beside.Beside(worth=1, wait_s=60.0)
    memory = Memory(Path(sys.argv[1]), clock=FixedClock(), upkeep=False)
    intake = memory.engine.intake
    intake._parts_of = helper.both
    intake.take(talk(150), "observe")
    assert helper._process is not None
    read = beside.WORK["read"]

    def killed(letters):
        os.kill(os.getpid(), signal.SIGKILL)

    beside.WORK["read"] = killed
    intake.take(talk(300)[150:], "observe")
"""


def test_of_a_batch_whose_committer_was_killed_nothing_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(COMMITTER), str(folder)], check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    with Memory(folder, clock=FixedClock(), upkeep=False) as memory:
        assert memory.verify().clean
        with memory.engine.store.database.read() as connection:
            assert connection.execute("SELECT count(*) FROM intake").fetchall() == [(150,)]


def test_the_second_process_ends_when_whoever_began_it_is_gone(helper: Beside) -> None:
    helper.both("screen", [f"Lamp {n} is lit." for n in range(200)])
    process = helper._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()  # as the system does it
    assert process.wait(60) == 0
