"""Trust in many memories at once: the evidence for each and for what it rests on, brought to one figure.

Owns the reads; the formula is the model's. Ranking asks for a page of hits, so everything is fetched in two statements.
Invariant: a conclusion is never trusted more than its weakest visible ground, ten links away at most.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """Id and accuracy of the visible ones among these memories."""
    rows = reading.connection.execute(
        f"""SELECT m.id, m.uuid, r.author,
                   (SELECT count(DISTINCT node) FROM provenance_source WHERE revision = r.id)
                   + (SELECT count(DISTINCT e.target) FROM edge e WHERE e.source = m.id AND e.kind = 'derived_from')
                   + (SELECT count(DISTINCT e.source) FROM edge e WHERE e.target = m.id AND e.kind = 'supports'),
                   (SELECT group_concat(DISTINCT n.author) FROM provenance_source s
                    JOIN provenance_node n ON n.id = s.node
                    WHERE s.revision = r.id AND n.kind IN ('conversation', 'message')),
                   EXISTS (SELECT 1 FROM edge e WHERE e.source = m.id AND e.kind = 'supersedes'),
                   coalesce(o.successes, 0), coalesce(o.failures, 0)
            FROM {reading.source} LEFT JOIN outcome o ON o.memory = m.id
            WHERE m.id IN (SELECT value FROM carray(?)) AND {reading.where}""",
        (bound(numbers), *reading.values),
    )
    found: dict[int, tuple[UUID, float]] = {}
    for number, uuid, author, sources, speakers, replaced, successes, failures in rows:
        evidence = Evidence(
            sources=max(sources, 1), said_by_person=said_by_person([author or "", *(speakers or "").split(",")]),
            replaced_contradiction=bool(replaced), successes=successes, failures=failures,
        )  # fmt: skip
        figure = accuracy(evidence)
        # Memories of one file can vouch for each other without end; none of it is worth more than the file.
        imported = (author or "").startswith("import:")
        found[number] = (UUID(bytes=uuid), min(figure, IMPORTED_AT_MOST) if imported else figure)
    return found
