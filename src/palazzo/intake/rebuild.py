"""Making a palace again from its archive: every call is taken in again, at the moment it was first made.

Owns the clock of a replay and the loop. What was done to memories by hand afterwards (settling, moving, forgetting) was
not told and is not in the archive. Invariant: the same archive gives the same memories, apart from the ids of memories.
"""

from __future__ import annotations

import msgspec

from palazzo.archive.archive import Read, calls_in_order
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
