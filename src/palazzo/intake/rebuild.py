"""Making a palace again from its archive: every call is taken in again, at the moment it was first made.

Owns the clock of a replay and the loop. What was done to memories by hand afterwards (settling, moving, forgetting) was
not told and is not in the archive. Invariant: the same archive gives the same memories, apart from the ids of memories.

Also owns the comparison of a palace with its archive. A copy of a palace that was brought back without its archive
begins a new one, and what was told before the first day of an archive may have been told while it was off: that is
missing, but not lost.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from palazzo.archive import Read, calls_in_order
from palazzo.intake.pipeline import Pipeline
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


class Rebuilt(msgspec.Struct, frozen=True, gc=False):
    """What a rebuild found and made."""

    calls: int
    messages: int
    memories: int
    torn_lines: int
    """Lines that nobody can read; `unreadable` says where they stand."""
    degraded: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


def replay(read: Read, pipeline: Pipeline, clock: ReplayClock) -> Rebuilt:
    """Takes in every call of an archive.

    Raises: StorageError.
    """
    calls = messages = 0
    memories: set[object] = set()
    degraded: dict[str, None] = {}
    for call in calls_in_order(read):
        clock.stand_at(call.made_us)
        result = pipeline.replay(call)
        calls += 1
        messages += len(call.letters)
        memories.update(result.memory_ids)
        degraded.update(dict.fromkeys(result.degraded))
    unreadable = tuple(map(str, read.unreadable))
    return Rebuilt(calls, messages, len(memories), len(unreadable), tuple(degraded), unreadable)


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
