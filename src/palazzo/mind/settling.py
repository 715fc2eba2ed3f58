"""The passes that come after a batch: what was only kept is understood, what it told is read beside what it may
change, and all of it is looked at for orders to whoever will read it.

A call with many statements is not held up by reading; each revision it wrote is marked in the journal, and a message
that was kept first waits beside its account. Owns where the passes stand and how much they do. Invariants: a run does a
bounded amount of work and goes on where it stopped; a message is understood in one transaction that also closes its
account, and deciding a memory again changes nothing, so a run that was killed is repeated from its last step; without
the reader's weights nothing is passed over by the one that settles, it waits for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol
from uuid import UUID

import msgspec

from palazzo.mind.audits import GoesOn, always
from palazzo.model.capability import View
from palazzo.model.change import UNREAD
from palazzo.store.api import SETTLING_CURSOR, Filter, Look, Store
from palazzo.text.reader import judgements
from palazzo.text.safety import injection

NAME: Final = SETTLING_CURSOR
EVENTS: Final = 1_000
"""Journal events read in one step."""
STEP: Final = 8
"""Memories after which the place in the journal is kept."""


class PairsDecided(Protocol):
    """What became of one memory's pairs, as far as this pass wants to know."""

    @property
    def superseded(self) -> int: ...
    @property
    def conflicts(self) -> int: ...


class Settling(msgspec.Struct, frozen=True):
    """What a run did. `more` says that work was left for the next one."""

    settled: int = 0
    superseded: int = 0
    conflicts: int = 0
    more: bool = False
    degraded: str = ""


class Settle:
    """The pass over one palace."""

    def __init__(self, store: Store, decide: Callable[[UUID, bool], PairsDecided]) -> None:
        """`decide` settles a memory, or only tells what it would do."""
        self._store = store
        self._decide = decide

    def run(
        self, limit: int = 100, events: int = 100 * EVENTS, goes_on: GoesOn = always, *, dry: bool = False
    ) -> Settling:  # fmt: skip
        """Reads at most so many events and decides the pairs of at most `limit` memories, as long as it goes on; a dry
        run tells what it would decide of each by itself, and stays where it is."""
        if lacking := judgements.missing():
            return Settling(degraded=f"settling: {lacking} are not installed")
        settled = superseded = conflicts = read = 0
        last = self._store.journal.cursor(NAME)
        while settled < limit and read < events:
            found = self._store.journal.tail(last, min(EVENTS, events - read))
            if not found or not goes_on("memories", settled, 0):
                break
            for event in found:
                read, last = read + 1, event.seq
                if not event.detail.get(UNREAD) or event.memory_id is None:
                    continue
                made = self._decide(event.memory_id, dry)
                settled, superseded = settled + 1, superseded + made.superseded
                conflicts += made.conflicts
                if settled % STEP == 0 or settled == limit:
                    break
            if not dry:
                self._store.journal.move_cursor(NAME, last, self._store.clock.now_us())
        return Settling(settled, superseded, conflicts, more=settled >= limit or read >= events)


AT_ONCE: Final = 500
"""Messages that are understood in one transaction at most."""


def understand(read: Callable[[int], int], limit: int, goes_on: GoesOn = always) -> tuple[int, bool]:
    """Has messages read that were kept first, oldest first, about `limit` of them; how many, and whether more wait."""
    done = 0
    while done < limit and goes_on("messages", done, 0):
        made = read(min(AT_ONCE, limit - done))
        if not made:
            return done, False
        done += made
    return done, True


LOOKED_AT: Final = 20
"""Memories between two looks whether somebody calls."""
KEPT_AT_ONCE: Final = 200
LOOK_WAIT_S: Final = 5.0


def look_at_new(
    store: Store, judge: Callable[[Sequence[int]], list[Look]], limit: int, goes_on: GoesOn = always
) -> tuple[int, bool]:
    """Has what came since the last run looked at for orders to its reader, oldest first, about `limit` memories; how
    many, and whether more wait. Other judges than last time begin anew."""
    if not (judges := injection.judges()):
        return 0, False
    name = f"looked:{judges.hex()[:16]}"
    with store.reading(View(subject=NAME, all_scopes=True)) as reading:
        newest = max(reading.search.newest(Filter(), 1, None), default=0)
    begun = last = store.journal.cursor(name)
    looks: list[Look] = []
    while last < newest and last - begun < limit and goes_on("memories", last - begun, 0):
        looks += judge(range(last + 1, (upto := min(last + LOOKED_AT, newest)) + 1))
        last = upto
        if (last - begun) % KEPT_AT_ONCE == 0 or last == newest:
            store.keep_uses((), looks, LOOK_WAIT_S)
            store.journal.move_cursor(name, last, store.clock.now_us())
            looks = []
    return last - begun, last < newest
