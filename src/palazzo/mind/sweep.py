"""The pass that sweeps: memories fade, rest, are forgotten and go, each when the one retention function says so.

What is due comes from an index, longest due first. Invariants: a run does a bounded amount of work and goes on where it
stopped; a change of state is told in the journal under the name of this pass, so it can be taken back; only what was
forgotten long ago goes for good, and what protects a memory from decay is the retention function's to say. Raw events
whose days are over go as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from palazzo.mind.jobs import JobReport, JobTurn, Move
from palazzo.mind.probes import followed
from palazzo.model.change import SetState
from palazzo.model.memory import STATES, State
from palazzo.model.raw_event import PruneRawEvents
from palazzo.model.retention import DAY_US, state_at
from palazzo.store.api import Fading, Store

SUBJECT: Final = "mind:sweep"
STEP: Final = 25
"""Memories of one transaction: a millisecond."""
LOOKED_AT: Final = 200
"""Memories that are weighed between two looks whether somebody waits."""
SHOWN: Final = 100
"""Moves a report names; the rest are counted."""
GONE: Final = "purged"


class Sweep:
    """The pass over one palace."""

    def __init__(
        self, store: Store, purge: Callable[[Sequence[UUID]], int], purged_after_days: Callable[[], float],
        raw_days: Callable[[], float],
    ) -> None:  # fmt: skip
        """`purge` erases memories for good and says how many there were."""
        self._store = store
        self._raw_days = raw_days
        self._purge = purge
        self._purged_after_days = purged_after_days

    def run(self, turn: JobTurn) -> JobReport:
        """Moves at most so many memories as the turn allows; a dry one only says which."""
        due = self._due(turn.limit)
        found: list[Move] = []
        for at in range(0, len(due), LOOKED_AT):
            turn.goes_on("memories", 0, len(due))
            found += map(self._move, due[at : at + LOOKED_AT])
        moves = [move for move in found if move.before != move.after]
        if not turn.dry:
            moves = self._apply(found, turn)
            turn.goes_on("memories", len(found), len(found))
            before_us = self._store.clock.now_us() - round(self._raw_days() * DAY_US)
            self._store.commit([PruneRawEvents(before_us)], subject=SUBJECT)
        counts = dict.fromkeys(("stale", "archived", "deleted", GONE), 0)
        for move in moves:
            counts[move.after] += 1
        return JobReport(counts, more=len(due) >= turn.limit, moves=tuple(moves[:SHOWN]))

    def _due(self, limit: int) -> tuple[Fading, ...]:
        now_us = self._store.clock.now_us()
        return self._store.lives.due(now_us, now_us - round(self._purged_after_days() * DAY_US), limit)

    def _move(self, one: Fading) -> Move:
        if one.state == "deleted":
            return Move(one.memory_id, one.state, GONE)
        faded = state_at(one.wear, self._store.clock.now_us() - one.accessed_us)
        return Move(one.memory_id, one.state, max(faded, one.state, key=STATES.index))

    def _apply(self, moves: Sequence[Move], turn: JobTurn) -> list[Move]:
        """Makes moves, a few in a transaction, for as long as the turn goes on; those that were made."""
        made: list[Move] = []
        fading = [move for move in moves if move.after != GONE]
        for at in range(0, len(fading), STEP):
            if not turn.goes_on("memories", at, len(moves)):
                return made
            step = fading[at : at + STEP]
            # A memory that keeps its state is written too: its next transition is foretold anew.
            self._store.commit([SetState(one.memory_id, _state(one.after), "faded") for one in step], subject=SUBJECT)
            followed(self._store, turn.goes_on)
            made += [move for move in step if move.before != move.after]
        gone = [move for move in moves if move.after == GONE]
        if gone and turn.goes_on("memories", len(fading), len(moves)):
            self._purge([move.memory_id for move in gone])  # together, for each erasure reads the whole archive
            made += gone
        return made

    def undo(self, since_us: int, subject: str) -> JobReport:
        """Gives every memory back the state it had before the sweeps since a moment, unless it was moved since."""
        before: dict[UUID, tuple[State, State]] = {}
        for event in self._store.lives.moved_by(SUBJECT, since_us):
            if event.memory_id is not None:
                first, _ = before.get(event.memory_id, (event.detail["from"], ""))
                before[event.memory_id] = (first, event.detail["to"])
        moves: list[Move] = []
        counts = {"restored": 0, "moved since": 0, GONE: 0}
        for memory_id, (first, last) in before.items():
            found = self._store.lives.fading(memory_id)
            if found is not None and found.state == last:
                moves.append(Move(memory_id, last, first))
            else:
                counts[GONE if found is None else "moved since"] += 1
        for at in range(0, len(moves), STEP):
            changes = [SetState(move.memory_id, _state(move.after), "undone") for move in moves[at : at + STEP]]
            self._store.commit(changes, subject=subject)
        counts["restored"] = len(moves)
        return JobReport(counts, moves=tuple(moves[:SHOWN]))


def _state(name: str) -> State:
    return next(state for state in STATES if state == name)
