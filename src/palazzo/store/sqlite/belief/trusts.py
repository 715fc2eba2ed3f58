"""Trust in many memories at once: the evidence for each and for what it rests on, brought to one figure.

Owns the reads; the formula is the model's. Ranking asks for a page of hits, so everything is fetched in two statements.
Invariant: a conclusion is never trusted more than its weakest visible ground, ten links away at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from typing import Any, NamedTuple
from uuid import UUID

from palazzo.model.trust import IMPORTED_AT_MOST, Evidence, Standing, accuracy, said_by_person
from palazzo.store.sqlite.reading import SqliteReading, bound
from palazzo.text.words.remembered import remembered

DEPTH = 10
MOST_GROUNDS = 5_000
_LINEAGE = "('derived_from', 'depends_on', 'inferred_from', 'created_from')"
_FROM = "('derived_from', 'depends_on', 'inferred_from', 'created_from', 'supersedes')"


class _Own(NamedTuple):
    """What there is about one memory itself: how likely it is right, whether it rests on others."""

    accuracy: float
    rests: bool


def standings(reading: SqliteReading, keys: Sequence[int]) -> dict[int, Standing]:
    """How far visible memories may be relied on, by revision key."""
    weakest, owns = _weakest(reading, keys)
    rows = reading.connection.execute(
        "SELECT m.id, m.uuid FROM carray(?) c JOIN memory m ON m.id = c.value",
        (bound([node for _, node in weakest.values()]),),
    )
    ids = {number: UUID(bytes=uuid) for number, uuid in rows}
    return {
        key: Standing(owns[start].accuracy, owns[node].accuracy, ids[node]) for key, (start, node) in weakest.items()
    }


def figures(reading: SqliteReading, keys: Sequence[int]) -> dict[int, float]:
    """The trust in visible memories, by revision key: for ranking, which asks for nothing else."""
    weakest, owns = _weakest(reading, keys)
    return {key: owns[node].accuracy for key, (_, node) in weakest.items()}


def _weakest(reading: SqliteReading, keys: Sequence[int]) -> tuple[dict[int, tuple[int, int]], dict[int, _Own]]:
    """For each revision its memory and the weakest thing that rests on, and what is known of each, by number.

    A verbatim turn is a record of what was said, not a ground that could be wrong, so it is not counted.
    """
    joins, where, values = reading.gate(keys, "c.value")
    rows: list[Any] = reading.connection.execute(
        f"""SELECT {_COLUMNS} FROM carray(?) c {joins} CROSS JOIN revision r ON r.id = c.value {_OUTCOME}
            WHERE {where}""",
        (bound(keys), *values),
    ).fetchall()
    found = {row[1]: (row[0], row[0]) for row in rows}
    owns = _owns(reading, rows)
    if any(own.rests for own in owns.values()):
        lines = _lines(reading, keys)
        owns |= _further(reading, {node for _, node, _ in lines} - owns.keys())
        for start, node, depth in sorted(lines, key=lambda line: line[2]):
            if depth and node in owns and start in found and owns[node].accuracy < owns[found[start][1]].accuracy:
                found[start] = (found[start][0], node)
    return found, owns


def _lines(reading: SqliteReading, keys: Sequence[int]) -> list[tuple[int, int, int]]:
    """Key, memory and distance of every ground of these revisions, themselves included. Uses edge_source."""
    rows = reading.connection.execute(
        f"""WITH RECURSIVE line(start, node, depth) AS (
                SELECT c.value, m.id, 0 FROM carray(?) c {reading.shown("c.value")} WHERE {reading.where}
                UNION
                SELECT line.start, e.target, line.depth + 1 FROM line
                JOIN edge e ON e.source = line.node AND e.kind IN {_LINEAGE}
                JOIN memory g ON g.id = e.target AND g.kind <> 'exchange' WHERE line.depth < ?
            ) SELECT start, node, min(depth) FROM line GROUP BY start, node LIMIT ?""",
        (bound(keys), *reading.values, DEPTH, MOST_GROUNDS),
    )
    return [(int(start), int(node), int(depth)) for start, node, depth in rows]


_COLUMNS = "r.memory, r.id, r.author, coalesce(o.successes, 0), coalesce(o.failures, 0)"
_OUTCOME = "LEFT JOIN outcome o ON o.memory = r.memory"


def _further(reading: SqliteReading, numbers: Set[int]) -> dict[int, _Own]:
    """What there is about the visible ones among these memories."""
    rows: list[Any] = reading.connection.execute(
        f"""SELECT {_COLUMNS} FROM {reading.source} {_OUTCOME}
            WHERE m.id IN (SELECT value FROM carray(?)) AND {reading.where}""",
        (bound(sorted(numbers)), *reading.values),
    ).fetchall()
    return _owns(reading, rows)


def _owns(reading: SqliteReading, rows: Sequence[Any]) -> dict[int, _Own]:
    """What there is about the memories of these rows of _COLUMNS, from one statement for each sort of evidence."""
    nodes, speakers = _told(reading, [row[1] for row in rows])
    grounds, replacing, resting = _linked(reading, [row[0] for row in rows])
    found: dict[int, _Own] = {}
    for number, key, author, successes, failures in rows:
        names = (author or "", *sorted(speakers.get(key, ())))
        figure = _figure(
            max(len(nodes.get(key, ())) + grounds.get(number, 0), 1), names, number in replacing, successes, failures
        )
        # Memories of one file can vouch for each other without end; none of it is worth more than the file.
        imported = (author or "").startswith("import:")
        found[number] = _Own(min(figure, IMPORTED_AT_MOST) if imported else figure, number in resting)
    return found


@remembered(4096)
def _figure(sources: int, names: tuple[str, ...], replaced: bool, successes: int, failures: int) -> float:
    """The accuracy behind evidence of which there are few sorts, and many memories of each."""
    return accuracy(
        Evidence(
            sources=sources, said_by_person=said_by_person(names), replaced_contradiction=replaced,
            successes=successes, failures=failures,
        )
    )  # fmt: skip


def _told(reading: SqliteReading, keys: Sequence[int]) -> tuple[dict[int, set[int]], dict[int, set[str]]]:
    """The happenings behind these revisions, and who spoke in them. Uses the primary key of provenance_source."""
    nodes: dict[int, set[int]] = {}
    speakers: dict[int, set[str]] = {}
    for key, node, kind, author in reading.connection.execute(
        """SELECT s.revision, s.node, n.kind, n.author FROM carray(?) c JOIN provenance_source s ON s.revision = c.value
           JOIN provenance_node n ON n.id = s.node""",
        (bound(keys),),
    ):
        nodes.setdefault(key, set()).add(node)
        if author is not None and kind in ("conversation", "message"):
            speakers.setdefault(key, set()).add(author)
    return nodes, speakers


def _linked(reading: SqliteReading, numbers: Sequence[int]) -> tuple[Counter[int], set[int], set[int]]:
    """How many memories each of these was drawn from or is supported by, which of them replaced another, and which rest
    on any that is no turn.

    Uses edge_source and edge_target.
    """
    rows: list[Any] = reading.connection.execute(
        f"""SELECT DISTINCT e.source, e.kind, e.target, g.kind FROM carray(?) c
            JOIN edge e ON e.source = c.value AND e.kind IN {_FROM} JOIN memory g ON g.id = e.target
            UNION ALL SELECT DISTINCT e.target, e.kind, e.source, '' FROM carray(?) c
            JOIN edge e ON e.target = c.value AND e.kind = 'supports'""",
        (bound(numbers), bound(numbers)),
    ).fetchall()
    counts = Counter(number for number, kind, _, _ in rows if kind in ("derived_from", "supports"))
    replacing = {number for number, kind, _, _ in rows if kind == "supersedes"}
    resting = {number for number, kind, _, of in rows if kind not in ("supersedes", "supports") and of != "exchange"}
    return counts, replacing, resting
