"""Under memory pressure work that can wait waits, caches are emptied, and every answer stays what it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.mind.jobs import Job, JobReport, Jobs, JobTurn
from palazzo.mind.pressure import MAKES_ROOM, SHEDDING, Pressure, level_of
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.delenv("PALAZZO_BUDGET_MB")
    with Memory(tmp_path / "palace", clock=FixedClock(), embedder="none", upkeep=False, durable=False) as made:
        made.remember("The ferry office has a green door.")
        yield made


def test_the_levels_begin_at_seven_and_at_nine_tenths_of_the_budget() -> None:
    assert [level_of(share, 100) for share in (0, 69, 70, 89, 90, 500)] == [
        "normal", "normal", "elevated", "elevated", "critical", "critical",
    ]  # fmt: skip


def test_each_level_sheds_what_the_level_below_sheds_and_more() -> None:
    def shed(level: str) -> set[str]:
        found = SHEDDING[level]  # type: ignore[index]
        return {name for name in found.__struct_fields__ if getattr(found, name)}

    assert shed("normal") < shed("elevated") < shed("critical")


def test_caches_go_when_it_is_critical_and_only_answers_before() -> None:
    gone: list[str] = []
    taken = [50]
    pressure = Pressure(lambda: taken[0], lambda: 100, lambda: gone.append("answers"), lambda: gone.append("caches"))
    assert pressure.relieve() == ()
    taken[0] = 75
    pressure.relieve()
    taken[0] = 95
    pressure.relieve()
    assert gone == ["answers", "caches"]


def test_under_critical_pressure_only_jobs_that_make_room_are_due_and_answers_stay(memory: Memory) -> None:
    due = set(memory.engine.jobs.due())
    before = [(one.text, one.score) for one in memory.recall("which colour has the door?")]
    memory.setting_put("budget_mb", "1")
    assert set(memory.engine.jobs.due()) == due & MAKES_ROOM
    memory.run("health")
    told = memory.health()
    assert told.pressure == "critical"
    assert any("of 1 MB" in word for word in told.words)
    assert [(one.text, one.score) for one in memory.recall("which colour has the door?")] == before
    memory.setting_put("budget_mb", "")
    assert set(memory.engine.jobs.due()) >= due - {"health"}


def test_one_heavy_job_runs_at_a_time(tmp_path: Path) -> None:
    with make_store(tmp_path / "palace") as store:
        seen: list[str] = []

        def first(_turn: JobTurn) -> JobReport:
            seen.append(jobs.run("second").state)
            seen.append(jobs.run("light").state)
            return JobReport()

        jobs = Jobs(store, [
            Job(name="first", about="One.", every_s=60, run=first, heavy=True),
            Job(name="second", about="Two.", every_s=60, run=lambda _turn: JobReport(), heavy=True),
            Job(name="light", about="Three.", every_s=60, run=lambda _turn: JobReport()),
        ])  # fmt: skip
        assert jobs.run("first").state == "done"
        assert seen == ["busy", "done"]
        assert jobs.run("second").state == "done"


def test_recalls_that_find_little_for_long_are_a_word_of_health(memory: Memory) -> None:
    memory.remember("The harbour office closes at noon.")
    assert not any("recall finds little" in word for word in memory.health().words)
    for number in range(10):
        memory.recall(f"quantum chromodynamics lecture {number}")
    assert any("recall finds little" in word for word in memory.health().words)
