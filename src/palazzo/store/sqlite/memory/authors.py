"""Whose instructions act on a reader: its own, the owner's, and those the operator approved.

Owns the conditions; model/authorship.py has the rule in words. Invariant: an approval is of a revision, so what its
author writes afterwards is approved by nobody.
"""

from __future__ import annotations

from collections.abc import Sequence

from palazzo.model.memory import ACTING, OWNER, STANDING_TAG
from palazzo.store.sqlite.reading import SqliteReading, SQLValue, bound
from palazzo.store.sqlite.seal.sealing import opened

_DETAIL = opened("r.detail", "r.id")
OWN = f"""(coalesce(r.author, '') IN ('', '{OWNER}', ?) OR instr(r.author, ':') = 0
    AND r.author = iif(json_valid({_DETAIL}), json_extract({_DETAIL}, '$.speaker'), NULL))"""
APPROVED = f"""EXISTS (SELECT 1 FROM tag_move a WHERE a.memory = m.id AND a.tag = '{STANDING_TAG}' AND a.revision = r.id
    AND a.until_us IS NULL)"""


def acting(reading: SqliteReading) -> tuple[str, tuple[SQLValue, ...]]:
    """The condition over m and r that what is said acts on this reader."""
    return f"({OWN} OR {APPROVED})", (reading.view.subject,)


def approved(reading: SqliteReading, keys: Sequence[int]) -> frozenset[int]:
    """Those of these revisions that the operator approved. Uses tag_move's primary key."""
    rows = reading.connection.execute(
        f"""SELECT r.id FROM carray(?) c CROSS JOIN revision r ON r.id = c.value CROSS JOIN memory m ON m.id = r.memory
            WHERE {APPROVED}""",
        (bound(keys),),
    )
    return frozenset(key for (key,) in rows)


def waiting(reading: SqliteReading, limit: int) -> list[int]:
    """Keys of the newest instructions and procedures of others that nobody approved.

    Uses memory_standing and memory_procedure.
    """
    condition, values = acting(reading)
    found: list[int] = []
    for kind, indexed in zip(ACTING, ("m.kind IN ('instruction', 'preference') AND", ""), strict=True):
        rows = reading.connection.execute(
            f"""SELECT r.id FROM {reading.source} WHERE {indexed} m.kind = '{kind}' AND NOT {condition}
                AND {reading.where} ORDER BY m.id DESC LIMIT ?""",
            (*values, *reading.values, limit),
        )
        found += [key for (key,) in rows]
    return sorted(found, reverse=True)[:limit]
