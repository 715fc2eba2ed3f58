"""Trust in many memories at once: the evidence for each and for what it rests on, brought to one figure.

Owns the reads; the formula is the model's. Ranking asks for a page of hits, so everything is fetched in two statements.
Invariant: a conclusion is never trusted more than its weakest visible ground, ten links away at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from mnemon.model.trust import IMPORTED_AT_MOST, Evidence, Standing, accuracy, said_by_person
from mnemon.store.reading import Reading, bound

DEPTH = 10
MOST_GROUNDS = 5_000
_LINEAGE = "('derived_from', 'depends_on', 'inferred_from', 'created_from')"


def standings(reading: Reading, keys: Sequence[int]) -> dict[int, Standing]:
    """How far visible memories may be relied on, by revision key. Uses edge_source, edge_target and primary keys.

    A verbatim turn is a record of what was said, not a ground that could be wrong, so it is not counted.
    """
    rows = reading.connection.execute(
        f"SELECT c.value, m.id FROM carray(?) c {reading.shown('c.value')} WHERE {reading.where}",
        (bound(keys), *reading.values),
    )
    lines = [(int(key), int(number), 0) for key, number in rows]
    if _rest_on_others(reading, [number for _, number, _ in lines]):
        lines = _lines(reading, keys)
    figures = _accuracies(reading, sorted({node for _, node, _ in lines}))
    found: dict[int, Standing] = {}
    for start, node, depth in sorted(lines, key=lambda line: line[2]):
        if node not in figures:
            continue
        memory_id, own = figures[node]
        if depth == 0:
            found[start] = Standing(own, own, memory_id)
        elif start in found and own < found[start].trust:
            found[start] = Standing(found[start].own, own, memory_id)
    return found


def _rest_on_others(reading: Reading, numbers: Sequence[int]) -> bool:
    """Whether any of these memories has grounds at all: most have none, and then nothing needs to be followed."""
    row = reading.connection.execute(
        f"""SELECT 1 FROM carray(?) c JOIN edge e ON e.source = c.value AND e.kind IN {_LINEAGE}
            JOIN memory g ON g.id = e.target AND g.kind <> 'exchange' LIMIT 1""",
        (bound(numbers),),
    ).fetchone()
    return row is not None


def _lines(reading: Reading, keys: Sequence[int]) -> list[tuple[int, int, int]]:
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


def _accuracies(reading: Reading, numbers: Sequence[int]) -> dict[int, tuple[UUID, float]]:
    """Id and accuracy of the visible ones among these memories, from one statement for each sort of evidence."""
    rows: list[Any] = reading.connection.execute(
        f"""SELECT m.id, m.uuid, r.id, r.author, coalesce(o.successes, 0), coalesce(o.failures, 0)
            FROM {reading.source} LEFT JOIN outcome o ON o.memory = m.id
            WHERE m.id IN (SELECT value FROM carray(?)) AND {reading.where}""",
        (bound(numbers), *reading.values),
    ).fetchall()
    nodes, speakers = _told(reading, [int(row[2]) for row in rows])
    grounds, replacing = _linked(reading, numbers)
    found: dict[int, tuple[UUID, float]] = {}
    for number, uuid, key, author, successes, failures in rows:
        names = (author or "", *sorted(speakers.get(key, ())))
        figure = _figure(
            max(len(nodes.get(key, ())) + grounds.get(number, 0), 1), names, number in replacing, successes, failures
        )
        # Memories of one file can vouch for each other without end; none of it is worth more than the file.
        imported = (author or "").startswith("import:")
        found[number] = (UUID(bytes=uuid), min(figure, IMPORTED_AT_MOST) if imported else figure)
    return found


@lru_cache(maxsize=4096)
def _figure(sources: int, names: tuple[str, ...], replaced: bool, successes: int, failures: int) -> float:
    """The accuracy behind evidence of which there are few sorts, and many memories of each."""
    return accuracy(
        Evidence(
            sources=sources, said_by_person=said_by_person(names), replaced_contradiction=replaced,
            successes=successes, failures=failures,
        )
    )  # fmt: skip


def _told(reading: Reading, keys: Sequence[int]) -> tuple[dict[int, set[int]], dict[int, set[str]]]:
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


def _linked(reading: Reading, numbers: Sequence[int]) -> tuple[dict[int, int], set[int]]:
    """How many memories each of these was drawn from or is supported by, and which of them replaced another.

    Uses edge_source and edge_target.
    """
    pairs: set[tuple[int, str, int]] = set()
    for way, other, kinds in (("source", "target", "'derived_from', 'supersedes'"), ("target", "source", "'supports'")):
        pairs.update(
            reading.connection.execute(
                f"""SELECT e.{way}, e.kind, e.{other} FROM carray(?) c
                    JOIN edge e ON e.{way} = c.value AND e.kind IN ({kinds})""",
                (bound(numbers),),
            )
        )
    counts = Counter(number for number, kind, _ in pairs if kind != "supersedes")
    return counts, {number for number, kind, _ in pairs if kind == "supersedes"}
