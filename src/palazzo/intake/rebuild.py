"""Making a palace again from its archive: every commit is made again, at the moment it was first made.

Owns the clock of a replay and the loop. What was told before commits were archived, or while their file was lost, is
taken in again as it was told; then ids are others, and what was done by hand afterwards is not known. Invariants: the
commits of an archive give an equal palace; a commit that cannot be made again keeps no other from being made.

Also owns the comparison of a palace with its archive. A copy of a palace that was brought back without its archive
begins a new one, and what was told before the first day of an archive may have been told while it was off: that is
missing, but not lost.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from palazzo.archive import ArchivedCall, Read, calls_in_order
from palazzo.archive.commits import ArchivedCommit
from palazzo.errors import Conflict, InvalidInput, NotFound
from palazzo.intake.pipeline import Pipeline
from palazzo.model.change import PlaceMemory, RecordIntake
from palazzo.model.zone import moment
from palazzo.store.api import Store

if TYPE_CHECKING:
    from palazzo.intake.pipeline import Pipeline


class ReplayClock:
    """A clock that stands at the moment of the call that is being replayed."""

    def __init__(self) -> None:
        self._now_us = 0

    def now_us(self) -> int:
        """Microseconds since 1970-01-01 UTC."""
        return self._now_us

    def stand_at(self, now_us: int) -> None:
        """Moves to the moment of a call."""
        self._now_us = now_us


class Replayed(msgspec.Struct, frozen=True):
    """What is made again: what was told, and what was committed."""

    read: Read
    commits: tuple[ArchivedCommit, ...] = ()


class Rebuilt(msgspec.Struct, frozen=True, gc=False):
    """What a rebuild found and made; `differences` says in what it differs from the palace it was made from."""

    calls: int
    messages: int
    memories: int
    torn_lines: int
    """Lines that nobody can read; `unreadable` says where they stand."""
    degraded: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    commits: int = 0
    differences: tuple[str, ...] = ()


def replay(told: Replayed, pipeline: Pipeline, clock: ReplayClock) -> Rebuilt:
    """Makes every commit of an archive again, and takes in what was told without one.

    Raises: StorageError.
    """
    made = {one.intake_id for commit in told.commits for one in commit.changes if isinstance(one, RecordIntake)}
    steps: list[ArchivedCall | ArchivedCommit] = [*calls_in_order(told.read), *told.commits]
    calls = messages = commits = 0
    memories: set[object] = set()
    degraded: dict[str, None] = {}
    for step in sorted(steps, key=lambda one: one.made_us):
        clock.stand_at(step.made_us)
        if isinstance(step, ArchivedCommit):
            try:
                pipeline.store.commit(step.changes, subject=step.subject)
            except (Conflict, NotFound, InvalidInput) as error:
                degraded[f"a commit could not be made again: {error.code}"] = None
                continue
            commits += 1
            memories.update(one.memory_id for one in step.changes if isinstance(one, PlaceMemory))
            continue
        calls += 1
        messages += len(step.letters)
        if any(letter.id in made for letter in step.letters):
            pipeline.keep_told(step)
            continue
        result = pipeline.replay(step)
        memories.update(result.memory_ids)
        degraded.update(dict.fromkeys(result.degraded))
    unreadable = tuple(map(str, told.read.unreadable))
    return Rebuilt(calls, messages, len(memories), len(unreadable), tuple(degraded), unreadable, commits)


class Gap(msgspec.Struct, frozen=True, gc=False):
    """How many messages of a day are missing; `lost` says that the archive must have had them."""

    file: str
    count: int
    lost: bool

    def __str__(self) -> str:
        return f"{self.count} messages of {self.file} are missing"


def gaps(store: Store, pipeline: Pipeline) -> tuple[Gap, ...]:
    """What was taken in and is missing, day by day; nothing when it is not to be archived."""
    archive = pipeline.archive
    if archive is None or not pipeline.archiving:
        return ()
    taken_in = store.accounts.taken_in()
    known = {letter.id for call in archive.read().calls for letter in call.letters}
    files = {path.name for path in archive.folder.glob("*.jsonl")}
    missing = Counter(
        f"{moment(made_us).date().isoformat()}.jsonl" for letter, made_us in taken_in if letter not in known
    )
    first = min(files, default="") if archive.folder.is_dir() else "~"
    return tuple(Gap(file, count, file >= first) for file, count in sorted(missing.items()))
