"""Provenance: what happened (nodes), how happenings bear on each other (edges), what a revision was made from.

Invariants: a node points only at nodes that are not newer than itself, so the graph cannot have a cycle; walks stop
at depth 5. A node is shared by everything that came from it (one exchange, many propositions).
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import apsw

from palazzo.errors import Conflict, NotFound
from palazzo.model.graph import PROVENANCE_DEPTH, ProvenanceEdge, ProvenanceNode, Source
from palazzo.store.api import Ancestor, FirstSource
from palazzo.store.sqlite.connection import one
from palazzo.store.sqlite.reading import SqliteReading, bound
from palazzo.store.sqlite.writing import SqliteWriting


def add_sources(writing: SqliteWriting, revision: int, sources: Sequence[Source]) -> None:
    """Links a revision to the nodes it came from, making the nodes on first use."""
    for source in sources:
        node = node_id(writing, source.node)
        writing.rows["provenance_source"].append((revision, node, source.kind, source.start, source.end, source.stage))


def node_id(writing: SqliteWriting, node: ProvenanceNode) -> int:
    """The number of a node, made on first use."""
    known = writing.nodes.get(node.id)
    if known is not None:
        return known
    execute = writing.connection.execute
    execute(
        "INSERT INTO provenance_node(uuid, kind, at_us, label, author) VALUES (?,?,?,?,?) ON CONFLICT(uuid) DO NOTHING",
        (node.id.bytes, node.kind, node.at_us, node.label, node.author),
    )
    if writing.connection.changes():
        number = writing.connection.last_insert_rowid()
    else:
        (number,) = one(writing.connection, "SELECT id FROM provenance_node WHERE uuid = ?", (node.id.bytes,))
    writing.nodes[node.id] = int(number)
    return int(number)


def add_edge(writing: SqliteWriting, edge: ProvenanceEdge) -> None:
    """Relates two happenings.

    Raises: NotFound, Conflict when the target is newer than the source.
    """
    rows = [
        one(writing.connection, "SELECT id, at_us FROM provenance_node WHERE uuid = ?", (end.bytes,))
        for end in (edge.source, edge.target)
    ]
    if rows[0] is None or rows[1] is None:
        raise NotFound(f"no provenance node {edge.source if rows[0] is None else edge.target}")
    (source, source_us), (target, target_us) = rows
    if target_us > source_us or source == target:
        raise Conflict(f"provenance runs backwards in time: {edge.target} is newer than {edge.source}")
    writing.connection.execute("INSERT OR IGNORE INTO provenance_edge VALUES (?,?,?)", (source, edge.kind, target))


def sources_of(reading: SqliteReading, memory_id: UUID) -> tuple[Source, ...]:
    """What the visible revision of a memory was made from, with spans."""
    rows = reading.connection.execute(
        f"""SELECT n.uuid, n.kind, n.at_us, n.label, n.author, s.kind, s.span_start, s.span_end, s.stage
            FROM {reading.source} JOIN provenance_source s ON s.revision = r.id JOIN provenance_node n ON n.id = s.node
            WHERE m.uuid = ? AND {reading.where} ORDER BY n.at_us, n.id""",
        (memory_id.bytes, *reading.values),
    )
    return tuple(Source(node=_node(row), kind=row[5], start=row[6], end=row[7], stage=row[8]) for row in rows)


def first_sources(reading: SqliteReading, keys: Sequence[int]) -> dict[int, FirstSource]:
    """The earliest source of each of these visible revisions. Uses the primary key of provenance_source."""
    if not keys:
        return {}
    joins, where, values = reading.gate(keys, "s.revision")
    rows = reading.connection.execute(
        f"""SELECT s.revision, n.kind, n.label, n.at_us, s.stage FROM carray(?) c
            CROSS JOIN provenance_source s ON s.revision = c.value CROSS JOIN provenance_node n ON n.id = s.node
            {joins} WHERE {where} ORDER BY n.at_us DESC, n.id DESC""",
        (bound(keys), *values),
    )
    return {key: FirstSource(*rest) for key, *rest in rows}


def _node(row: Sequence[object]) -> ProvenanceNode:
    uuid, kind, at_us, label, author = row[:5]
    return ProvenanceNode(id=UUID(bytes=uuid), kind=kind, at_us=at_us, label=label, author=author)  # type: ignore[arg-type]


def ancestry(reading: SqliteReading, memory_id: UUID, depth: int = PROVENANCE_DEPTH) -> tuple[Ancestor, ...]:
    """The happenings behind a memory, nearest first, at most `depth` links away. Uses the primary keys alone; the
    cross join keeps the planner from scanning all nodes for the grouping.
    """
    rows = reading.connection.execute(
        f"""WITH RECURSIVE chain(node, kind, depth, via) AS (
                SELECT s.node, s.kind, 0, NULL FROM {reading.source} JOIN provenance_source s ON s.revision = r.id
                WHERE m.uuid = ? AND {reading.where}
                UNION
                SELECT e.target, e.kind, chain.depth + 1, chain.node FROM chain
                JOIN provenance_edge e ON e.source = chain.node WHERE chain.depth < ?
            )
            SELECT n.uuid, n.kind, n.at_us, n.label, n.author, chain.kind, min(chain.depth),
                   (SELECT uuid FROM provenance_node WHERE id = chain.via)
            FROM chain CROSS JOIN provenance_node n ON n.id = chain.node
            GROUP BY chain.node ORDER BY 7, n.at_us DESC LIMIT 1000""",
        (memory_id.bytes, *reading.values, min(depth, PROVENANCE_DEPTH)),
    )
    return tuple(Ancestor(_node(row), row[5], row[6], UUID(bytes=row[7]) if row[7] else None) for row in rows)


def orphans(connection: apsw.Connection) -> int:
    """How many nodes no revision and no edge refers to any more."""
    (count,) = one(
        connection,
        """SELECT count(*) FROM provenance_node n
           WHERE NOT EXISTS (SELECT 1 FROM provenance_source WHERE node = n.id)
             AND NOT EXISTS (SELECT 1 FROM provenance_edge WHERE source = n.id)
             AND NOT EXISTS (SELECT 1 FROM provenance_edge WHERE target = n.id)""",
    )
    return int(count)
