"""Jobs: one process at a time, visible while they run, cancelled between two steps, reported when they end."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.errors import InvalidInput, NotPermitted, StorageError
from palazzo.mind.jobs import Job, JobReport, Jobs, JobTurn
from palazzo.store.api import JobHold
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, place_memory


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Iterator[SqliteStore]:
    with make_store(tmp_path / "palace", clock=clock) as made:
        yield made


def counting(store: SqliteStore, watch: Callable[[Jobs, int], None] = lambda _jobs, _done: None) -> Jobs:
    """A palace's one job: it counts to five, and says so at every step."""

    def run(turn: JobTurn) -> JobReport:
        done = 0
        while done < 5 and turn.goes_on("steps", done, 5):
            done += 1
            watch(jobs, done)
        return JobReport({"counted": done})

    jobs = Jobs(store, [Job(name="count", about="Count.", every_s=60, run=run)], kept_every_s=0)
    return jobs


def test_a_job_is_seen_while_it_runs_and_its_report_afterwards(store: SqliteStore) -> None:
    seen: list[tuple[str, int, int]] = []

    def watch(jobs: Jobs, _done: int) -> None:
        (one,) = jobs.every()
        assert one.row is not None
        seen.append((one.state, one.row.done, one.row.total))

    jobs = counting(store, watch)
    assert [one.state for one in jobs.every()] == ["never"]
    assert jobs.run("count").report.counts == {"counted": 5}
    assert seen == [("running", done, 5) for done in range(5)]
    (one,) = jobs.every()
    assert (one.state, one.last.counts) == ("done", {"counted": 5})


def test_a_second_process_finds_it_busy_and_a_cancelled_one_stops_between_two_steps(store: SqliteStore) -> None:
    def watch(jobs: Jobs, done: int) -> None:
        assert counting(store).run("count").state == "busy"
        if done == 3:
            assert counting(store).cancel("count")

    made = counting(store, watch).run("count")
    assert (made.state, made.report.counts) == ("cancelled", {"counted": 3})
    assert not counting(store).cancel("count")
    assert counting(store).run("count").state == "done"


def test_a_run_that_stalled_while_another_took_its_job_fails_and_leaves_the_other_alone(store: SqliteStore) -> None:
    def stall(_jobs: Jobs, done: int) -> None:
        if done == 2:
            later_us = time.time_ns() // 1000 + 3_600_000_000
            assert store.jobs.begin(JobHold("count", "another", later_us, later_us + 1), "mind", 1)
            store.commit([place_memory("Written too late.")])

    made = counting(store, stall).run("count")
    assert made.state == "failed"
    assert "another process has it now" in made.error
    assert store.jobs.every()[0].state == "running"
    assert store.journal.last_seq() == 0


def test_a_job_that_fails_says_why_and_runs_again(store: SqliteStore) -> None:
    def fall(jobs: Jobs, done: int) -> None:
        raise StorageError("the disk is full")

    made = counting(store, fall).run("count")
    assert (made.state, made.error) == ("failed", "the disk is full (storage)")
    (one,) = counting(store).every()
    assert (one.state, one.error) == ("failed", made.error)
    assert counting(store).run("count").state == "done"


def test_a_job_is_due_when_its_time_has_passed_and_at_once_while_work_is_left(
    store: SqliteStore, clock: FixedClock
) -> None:
    left = [True, False]
    run = Job(name="read", about="Read.", every_s=60, run=lambda _turn: JobReport({"read": 1}, more=left.pop(0)))
    never = Job(name="hand", about="By hand.", every_s=0, run=lambda _turn: JobReport())
    jobs = Jobs(store, [run, never])
    assert jobs.due() == ("read",)
    jobs.run("read")
    assert jobs.due() == ("read",)
    jobs.run("read")
    assert jobs.due() == ()
    clock.advance(seconds=59)
    assert jobs.due() == ()
    clock.advance(seconds=1)
    assert jobs.due() == ("read",)


def test_a_name_that_means_nothing_and_a_try_of_what_cannot_be_tried_are_refused(store: SqliteStore) -> None:
    with pytest.raises(InvalidInput, match="no job 'cuont'"):
        counting(store).run("cuont")
    with pytest.raises(InvalidInput, match="no dry run"):
        counting(store).run("count", dry=True)
    with pytest.raises(InvalidInput, match="not taken back"):
        counting(store).undo("count", None, "operator")


KILLED = """
import os, signal, sys
from palazzo import Memory
from palazzo.mind.jobs import Job, JobReport, Jobs

def run(turn):
    os.kill(os.getpid(), signal.SIGKILL)

with Memory(sys.argv[1], embedder="none") as memory:
    Jobs(memory.engine.store, [Job(name="sweep", about="x", every_s=60, run=run)]).run("sweep")
"""


def test_a_job_whose_process_was_killed_is_not_done_and_stays_taken_until_its_time_is_over(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with Memory(folder, embedder="none") as memory:
        memory.remember("The ferry leaves at noon.")
    made = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False, timeout=120)
    assert made.returncode == -signal.SIGKILL
    with Memory(folder, embedder="none") as memory:
        (one,) = (job for job in memory.jobs() if job.job == "sweep")
        assert (one.state, one.ended_at) == ("running", None)
        assert memory.run("sweep")[0].state == "busy"
        memory.engine.store.database.write(
            lambda connection: connection.execute("UPDATE job SET until_us = 1") and None
        )
        assert {job.job: job.state for job in memory.jobs()}["sweep"] == "lost"
        assert memory.run("sweep")[0].state == "done"


def test_the_operator_runs_what_is_due_and_an_agent_only_tries(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", embedder="none") as memory:
        memory.grant("agent:primary", "forget")
        assert {run.job for run in memory.run("due")} >= {"upkeep", "backfill", "settle", "audits", "sweep"}
        assert all(job.state == "done" and job.started_by == "operator" for job in memory.jobs() if job.every_s)
        assert len(memory.run("due")) == 0
    with Memory(tmp_path / "palace", embedder="none", subject="agent:primary") as agent:
        assert all(job.started_by == "" and not job.counts for job in agent.jobs())
        assert agent.run("sweep", dry_run=True)[0].state == "tried"
        with pytest.raises(NotPermitted, match="only the operator runs a job"):
            agent.run("sweep")


def test_a_try_of_settling_tells_what_it_would_decide_and_writes_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", upkeep=False, durable=False) as memory:
        memory.remember("The ledger service listens on port 7001.")
        told = [
            f"{name} collects stamps." for name in ("Ruben", "Hedda", "Nils", "Petra", "Olaf", "Ines", "Wim", "Juri")
        ]
        memory.remember_many([*told, *(f"{one[:-1]} and oaks." for one in told), "The ledger is now on port 7044."])
        last = memory.engine.store.journal.last_seq()
        tried = memory.run("settle", dry_run=True)[0]
        assert memory.engine.store.journal.last_seq() == last
        assert tried.counts["settled"] >= 1
        assert dict(memory.run("settle")[0].counts) == dict(tried.counts)


def test_what_a_session_said_is_thought_over_when_it_ends_and_not_only_after_ten_minutes(tmp_path: Path) -> None:
    clock = FixedClock()
    with Memory(tmp_path / "palace", embedder="none", clock=clock, upkeep=False) as memory:
        memory.session_start("pier", session="one")
        memory.run("due")
        clock.advance(seconds=90)
        assert "dream" not in {run.job for run in memory.run("due")}
        memory.session_end("one")
        clock.advance(seconds=1)
        assert "dream" in {run.job for run in memory.run("due")}
        assert "dream" not in {run.job for run in memory.run("due")}


def test_a_palace_is_made_ready_before_anybody_asks_and_that_is_no_recall(tmp_path: Path, clock: FixedClock) -> None:
    with Memory(tmp_path / "palace", clock=clock, embedder="none", upkeep=False) as memory:
        memory.remember("The ferry to Hven leaves at nine.")
        last = memory.engine.store.journal.last_seq()
        while memory.engine.made_ready():
            pass
        assert memory.engine.store.journal.last_seq() == last
        assert not memory.engine.recalls_ms
        assert memory.recall("when does the ferry leave?").hits
