"""The jobs of a palace: what is done while nobody asks, how often, and what came of it.

Owns how a job runs: it is taken by one process at a time, says how far it is, stops when somebody cancels it, and
leaves a report. What a job does is a pass's. Invariants: a dry run takes nothing and writes nothing; a job whose
process died or stalled is free again after a minute, and what a stalled one writes later is refused; a job that fails
says so in its report and keeps no other from running.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal
from uuid import UUID, uuid4

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput, PalazzoError
from palazzo.store.api import JobHold, JobRow, JobState, Store

LEASE_S: Final = 60.0
KEPT_EVERY_S: Final = 1.0
"""How often a running job writes down how far it is: a write makes every reader of the file read its pages anew."""
RETRY_S: Final = 3600
"""How soon a job that failed is tried again, at the latest."""
MIND: Final = "mind"
"""Who the jobs that start by themselves are."""
Told = Callable[[str, int, int], None]
"""Told how far a job is: what is counted, how many are done, of how many."""
Seen = Literal["never", "running", "done", "cancelled", "failed", "lost"]
"""`lost`: the process that had it ended without a word."""


class Move(msgspec.Struct, frozen=True):
    """A memory that a run moved, or would move, from one state to another."""

    memory_id: UUID
    before: str
    after: str


class JobReport(msgspec.Struct, frozen=True):
    """What a run did: counts by name, what it could not do or left out, and some of the memories it moved. `more` says
    that work is left.
    """

    counts: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()
    more: bool = False
    moves: tuple[Move, ...] = ()

    @property
    def idle(self) -> bool:
        """Whether there was nothing to do."""
        return not (any(self.counts.values()) or self.notes)


class JobTurn:
    """A job's turn to work."""

    def __init__(
        self, keep: Callable[[str, int, int], bool], limit: int, kept_every_s: float = KEPT_EVERY_S, *,
        dry: bool = False, progress: Told | None = None, pause: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        """`keep` writes down how far it is, now and then; `pause` returns when nobody in the foreground waits."""
        self._keep = keep
        self._pause = pause
        self._progress = progress
        self._kept_every_s = kept_every_s
        self._kept_s = time.monotonic()
        self._going = True
        self.limit = limit
        """How many memories to deal with at most."""
        self.dry = dry
        """Whether it only tells what it would do."""

    def goes_on(self, step: str = "", done: int = 0, total: int = 0) -> bool:
        """Between two steps: whether to take the next one. False when the job was cancelled or taken by another."""
        if self._progress is not None:
            self._progress(step, done, total)
        if self.dry or not self._going:
            return self._going
        self._pause()
        now_s = time.monotonic()
        if now_s - self._kept_s >= self._kept_every_s:
            self._kept_s = now_s
            self._going = self._keep(step, done, total)
        return self._going

    @property
    def stopped(self) -> bool:
        return not self._going


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One job: what it is for, how often it runs by itself (0: never), and what it does."""

    name: str
    about: str
    every_s: int
    run: Callable[[JobTurn], JobReport]
    can_be_tried: bool = False
    """Whether a dry run tells what it would do."""
    undo: Callable[[int, str], JobReport] | None = None
    """Takes back what runs since a moment did, for a subject."""
    heavy: bool = False
    """Whether it takes long: one such job runs at a time, and none by itself while memory is short."""
    sooner: Callable[[int], bool] = lambda _since_us: False
    """Whether something came since a moment for which it does not wait until its turn comes."""


class JobRun(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a run. `busy`: another process has the job, nothing was done."""

    job: str
    state: Literal["done", "cancelled", "failed", "busy", "tried"]
    report: JobReport = JobReport()
    error: str = ""


class JobSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A job as it stands."""

    job: Job
    state: Seen
    due_us: int | None
    row: JobRow | None
    last: JobReport
    error: str


class _Kept(msgspec.Struct, frozen=True):
    """A report as it is written down."""

    report: JobReport = JobReport()
    error: str = ""


class CareRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the jobs go by; see settings.py for what each is for."""

    purge_after_days: float = 90.0
    raw_days: float = 14.0
    backup_every_h: float = 24.0
    backup_keep: int = 3
    stale_above: float = 0.7
    heartbeat_s: float = 60.0
    budget_mb: int = 0
    dream_passes: str = ""
    dream_drop: float = 1.0
    publish_above: float = 0.0

    def overlaid(self, policies: Mapping[str, str]) -> CareRules:
        """These rules with what the palace says instead."""
        given = {name: float(policies[name]) for name in ("purge_after_days", "stale_above") if name in policies}
        return replace(self, **given) if given else self


class Jobs:
    """The jobs of one palace."""

    def __init__(self, store: Store, jobs: Iterable[Job], kept_every_s: float = KEPT_EVERY_S) -> None:
        self._store = store
        self._jobs = {job.name: job for job in jobs}
        self._kept_every_s = kept_every_s
        self.pause: Callable[[], None] = lambda: None
        """Called between two steps; returns when nobody in the foreground waits."""
        self.may_run: Callable[[Job], bool] = lambda _job: True
        """Whether a job may start by itself now."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every job, in the order they run."""
        return tuple(self._jobs)

    def named(self, name: str) -> Job:
        """The job of this name.

        Raises: InvalidInput.
        """
        found = self._jobs.get(name)
        if found is None:
            raise InvalidInput(f"no job {name!r}", field="job", hint=f"one of {', '.join(self._jobs)}")
        return found

    def every(self) -> tuple[JobSeen, ...]:
        """Every job as it stands, in the order they run."""
        rows = {row.name: row for row in self._store.jobs.every()}
        return tuple(_seen(job, rows.get(job.name)) for job in self._jobs.values())

    def due(self) -> tuple[str, ...]:
        """The jobs whose turn has come, in the order they run."""
        now_us = self._store.clock.now_us()
        waiting = (one for one in self.every() if one.state != "running" and self.may_run(one.job))
        turns = ((one, one.due_us) for one in waiting if one.due_us is not None)
        return tuple(one.job.name for one, due_us in turns if due_us <= now_us or _wanted(one))

    def cancel(self, name: str) -> bool:
        """Asks whoever runs a job to stop after the step in hand; False when nobody does.

        Raises: InvalidInput.
        """
        return self._store.jobs.cancel(self.named(name).name, _machine_us())

    def run(
        self, name: str, subject: str = MIND, limit: int = 100, *, dry: bool = False, progress: Told | None = None,
        doing: Callable[[JobTurn], JobReport] | None = None,
    ) -> JobRun:  # fmt: skip
        """Runs a job now, whether it is due or not; `doing` is what it does this time, where something else is asked.

        Raises: InvalidInput for a job that does not exist or cannot be tried.
        """
        job = self.named(name) if doing is None else replace(self.named(name), run=doing)
        if dry:
            if not job.can_be_tried:
                can = ", ".join(one.name for one in self._jobs.values() if one.can_be_tried)
                raise InvalidInput(f"{name} has no dry run", field="dry_run", hint=f"these have one: {can}")
            return JobRun(job=name, state="tried", report=job.run(JobTurn(lambda *_: True, limit, dry=True)))
        holder = uuid4().hex
        hold = _hold(name, holder)
        if job.heavy and any(one.state == "running" and one.job.heavy for one in self.every()):
            return JobRun(job=name, state="busy")
        if not self._store.jobs.begin(hold, subject, self._store.clock.now_us()):
            return JobRun(job=name, state="busy")
        made = JobRun(job=name, state="failed", error="it was interrupted")
        try:
            turn = JobTurn(
                self._keeper(name, holder), limit, self._kept_every_s, progress=progress, pause=lambda: self.pause()
            )
            with self._store.jobs.held(hold):
                made = self._made(job, turn)
        finally:
            kept = msgspec.json.encode(_Kept(made.report, made.error)).decode()
            state: JobState = "failed" if made.state not in ("done", "cancelled") else made.state
            self._store.jobs.end(_hold(name, holder), state, kept, self._store.clock.now_us())
        return made

    def undo(self, name: str, since_us: int | None, subject: str) -> JobReport:
        """Takes back what a job did since a moment, or in its last run.

        Raises: InvalidInput for a job that cannot be taken back or never ran.
        """
        job = self.named(name)
        if job.undo is None:
            can = ", ".join(one.name for one in self._jobs.values() if one.undo is not None)
            raise InvalidInput(f"what {name} does is not taken back", field="job", hint=f"this is: {can}")
        row = next((row for row in self._store.jobs.every() if row.name == name), None)
        if row is None:
            raise InvalidInput(f"{name} never ran", field="job")
        return job.undo(row.began_us if since_us is None else since_us, subject)

    def _made(self, job: Job, turn: JobTurn) -> JobRun:
        try:
            report = job.run(turn)
        except PalazzoError as error:
            return JobRun(job=job.name, state="failed", error=f"{error.message} ({error.code})")
        return JobRun(job=job.name, state="cancelled" if turn.stopped else "done", report=report)

    def _keeper(self, name: str, holder: str) -> Callable[[str, int, int], bool]:
        def keep(step: str, done: int, total: int) -> bool:
            return self._store.jobs.go_on(_hold(name, holder), step, done, total)

        return keep


def _wanted(one: JobSeen) -> bool:
    """Whether something came since a job was done for which it does not wait."""
    return one.state == "done" and one.row is not None and one.job.sooner(one.row.ended_us or one.row.began_us)


def _machine_us() -> int:
    """Who has a job is about the machines' clocks, not about the palace's time."""
    return time.time_ns() // 1000


def _hold(name: str, holder: str) -> JobHold:
    now_us = _machine_us()
    return JobHold(name, holder, now_us, now_us + int(LEASE_S * 1_000_000))


def _seen(job: Job, row: JobRow | None) -> JobSeen:
    if row is None:
        return JobSeen(
            job=job, state="never", due_us=0 if job.every_s else None, row=None, last=JobReport(), error=""
        )  # fmt: skip
    state: Seen = "lost" if row.state == "running" and row.until_us < _machine_us() else row.state
    kept = msgspec.json.decode(row.report, type=_Kept) if row.report else _Kept()
    since_us = row.began_us if state == "lost" else row.ended_us or row.began_us
    wait_s = min(job.every_s, RETRY_S) if row.state == "failed" else job.every_s
    wait_us = 0 if kept.report.more and row.state == "done" else wait_s * 1_000_000
    due_us = since_us + wait_us if job.every_s else None
    return JobSeen(job=job, state=state, due_us=due_us, row=row, last=kept.report, error=kept.error)
