"""A whole palace from one engine into another, by the contract of the store alone.

Owns the order: every row, in parts that are each kept with how far it came; the indexes made again; then the two
compared. Knows no engine and no statement. Invariants: what was interrupted goes on after the last part that arrived,
if the source still is what it was, and begins anew if not; a copy that differs in one row is told, and not called one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict
from palazzo.store.api import CarriedMoment, CarryNote, Store

PART: Final = 2000
"""Rows that arrive together."""
Progress = Callable[[str, int, int], None]


class Copied(msgspec.Struct, frozen=True, kw_only=True):
    """A palace that was copied: how many rows and memories, whether it went on with an earlier try, and the digest that
    both have."""

    rows: int
    memories: int
    resumed: bool
    digest: str


def carry(source: CarriedMoment, target: Store, progress: Progress) -> bool:
    """Brings every row of a moment into a store that has nothing else; whether it went on with an earlier try."""
    carried, mark, counts = target.carried, source.mark(), source.counts()
    note = carried.note()
    resumed = note is not None and note.source == mark and bool(note.rows)
    if note is None or note.source != mark:
        note = CarryNote(mark)
        carried.begin(note)
    total = sum(counts.values())
    if not note.whole:
        tables = carried.tables
        for table in tables[tables.index(note.table) if note.table else 0 :]:
            after = note.after if table == note.table else ()
            while rows := source.rows(table, after, PART):
                after = source.key_of(table, rows[-1])
                note = CarryNote(mark, table, after, note.rows + len(rows))
                carried.take(note, rows)
                progress(table, note.rows, total)
        note = replace(note, table=tables[-1], whole=True)
        carried.take(note, ())
    progress("indexes", 0, 0)
    target.care.rebuild()
    return resumed


def compare(source: CarriedMoment, target: Store, progress: Progress, *, exact: bool) -> str:
    """The digest of both.

    Raises: Conflict when they differ, or the copy does not verify.
    """
    wanted = source.digest(exact=exact, progress=progress)
    with target.carried.moment() as moment:
        made = moment.digest(exact=exact, progress=progress)
    if made != wanted:
        raise Conflict("the copy differs from its source", hint="run it again; it begins anew where the source changed")
    faults = target.care.verify()
    if faults:
        raise Conflict(f"the copy does not verify: {faults[0]}", hint="`palazzo verify` on the source says more")
    return made
