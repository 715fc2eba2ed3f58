"""The pass that looks whether memories still hold: from the journal into a queue, from the queue into audits.

What was written gets its first turn; what it may contradict gets one at once, as does what rests on a memory that was
given up; then those whose turn has come are audited, each seen from its own scope. How soon a memory is looked at again
comes from the variance of its posterior.
Invariants: a pass does a bounded amount of work and goes on where it stopped; it marks and never changes what is
believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol
from uuid import UUID

import msgspec

from palazzo.errors import NotFound
from palazzo.model.belief import AUDITOR
from palazzo.model.capability import View
from palazzo.model.kinds import Kind
from palazzo.model.scope import Scope
from palazzo.store.api import AUDIT_CURSOR, QueueStep, Store

NAME: Final = AUDIT_CURSOR
EVENTS: Final = 1_000
"""Journal events read in one step."""
WRITTEN: Final = frozenset({"memory_placed", "revision_added", "tag_moved", "memory_undeprecated", "memory_restored"})
GIVEN_UP: Final = frozenset({"memory_deprecated", "memory_forgotten"})

GoesOn = Callable[[str, int, int], bool]
"""Asked between two steps with what is counted, how far it is and of how many; False: stop here."""


def always(_step: str, _done: int, _total: int) -> bool:
    """For whoever is not asked to stop."""
    return True


class Flagged(Protocol):
    """What an audit found, as far as this pass wants to know."""

    @property
    def flagged(self) -> bool: ...


class Auditor(Protocol):
    """Audits for one reader."""

    def audit(self, memory_ids: Sequence[UUID]) -> Sequence[Flagged]: ...


class Pass(msgspec.Struct, frozen=True):
    """What a pass did. `more` says that work was left for the next one."""

    events: int = 0
    queued: int = 0
    audited: int = 0
    flagged: int = 0
    more: bool = False


class Audits:
    """The pass over one palace."""

    def __init__(
        self, store: Store, auditor: Callable[[View], Auditor], next_us: Callable[[int, Kind, int, int], int]
    ) -> None:
        """`next_us` gives the time of the next audit for a moment, a kind, and how often it was found fresh, stale."""
        self._store = store
        self._auditor = auditor
        self._next_us = next_us

    def run(self, limit: int = 100, events: int = 10 * EVENTS, goes_on: GoesOn = always) -> Pass:
        """Reads at most so many events and makes at most `limit` audits, as long as it goes on."""
        read, queued = self._queue(events, goes_on)
        audited, flagged = self._audit(limit, goes_on)
        return Pass(read, queued, audited, flagged, more=read >= events or audited >= limit)

    def _queue(self, most: int, goes_on: GoesOn) -> tuple[int, int]:
        """Takes events into the queue; the cursor moves with each step, in one transaction with what it put there."""
        read = queued = 0
        while read < most:
            found = self._store.journal.tail(self._store.journal.cursor(NAME), min(EVENTS, most - read))
            if not found or not goes_on("events", read, 0):
                break
            ids = [event.memory_id for event in found if event.kind in WRITTEN and event.memory_id is not None]
            gone = [event.memory_id for event in found if event.kind in GIVEN_UP and event.memory_id is not None]
            last = found[-1].seq
            step = QueueStep(tuple(ids), last, self._store.clock.now_us(), tuple(gone))
            queued += self._store.queue.take(step, self._turn)
            read += len(found)
        return read, queued

    def _turn(self, kind: str, fresh: int, stale: int) -> int:
        return self._next_us(self._store.clock.now_us(), self._store.kinds.get(kind), fresh, stale)

    def _audit(self, limit: int, goes_on: GoesOn) -> tuple[int, int]:
        due = self._store.queue.due(self._store.clock.now_us(), limit)
        audited = flagged = 0
        for scope, ids in due.items():
            if not goes_on("memories", audited, sum(map(len, due.values()))):
                break
            for found in self._of_scope(scope, ids):
                audited += 1
                flagged += found.flagged
        return audited, flagged

    def _of_scope(self, scope: Scope, ids: Sequence[UUID]) -> Sequence[Flagged]:
        auditor = self._auditor(View(subject=AUDITOR, scope=scope))
        try:
            return auditor.audit(ids)
        except NotFound:  # one of them went since the queue was read: the others are not kept waiting by it
            return [found for memory_id in ids for found in _one(auditor, memory_id)]


def _one(auditor: Auditor, memory_id: UUID) -> Sequence[Flagged]:
    try:
        return auditor.audit([memory_id])
    except NotFound:
        return ()
