"""Edges between memories or their revisions, and the bounded walks along them.

Invariants: inside a family of acyclic kinds no cycle can be written (a memory as a whole stands for all its
revisions, except that supersedes runs between revisions of one memory); every walk is bounded in depth and in rows,
visits a node once, and sees only what its SqlReading may see.

Also owns provenance: what happened (nodes), how happenings bear on each other, what a revision was made from. A node is
shared by everything that came from it, and points only at nodes that are not newer, so that graph cannot have a cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict, CycleRefused, InvalidInput, NotFound
from palazzo.model.graph import (
    EDGE_KINDS,
    IMPACT_KINDS,
    PROVENANCE_DEPTH,
    Edge,
    EdgeDraft,
    EdgeKind,
    Node,
    ProvenanceEdge,
    ProvenanceNode,
    Source,
    family_of,
)
from palazzo.model.kinds import HAPPENED
from palazzo.model.memory import STATES
from palazzo.store.api import MAX_DEPTH, Ancestor, Direction, Drawn, EdgeStep, EdgeWalk, FirstSource, Spread
from palazzo.store.sql.port import Connection, bound, one
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.seal.sealing import opened, sealed
from palazzo.store.sql.writing import SqlWriting

MAX_ROWS = 10_000
_LINK = f"e.kind, e.source_revision, e.target_revision, e.weight, e.created_us, {opened('e.metadata', 'e.source')}"
_NODE = "n.uuid, n.kind, n.at_us, n.label, n.author, n.metadata, n.sha256"


def add_drafts(writing: SqlWriting, owner: tuple[UUID, int, int], drafts: Sequence[EdgeDraft]) -> None:
    """Edges from a memory that is being written."""
    memory_id, _, number = owner
    for draft in drafts:
        source = Node(memory_id, number if draft.own_revision else None)
        add(writing, Edge(draft.kind, source, draft.target, draft.weight), journal=False)


def add(writing: SqlWriting, edge: Edge, *, journal: bool = True) -> None:
    """Writes an edge, or its weight if it is there; what is told of it is replaced only by something told.

    What is told may quote: where there is a key it is sealed, for the memory the edge starts from.

    Raises: InvalidInput, NotFound, CycleRefused.
    """
    if edge.kind not in EDGE_KINDS:
        raise InvalidInput(f"unknown edge kind {edge.kind!r}", field="kind", hint=f"one of {', '.join(EDGE_KINDS)}")
    source, _ = writing.memory(edge.source.memory_id)
    target, _ = writing.memory(edge.target.memory_id)
    if edge.source == edge.target:
        raise CycleRefused(f"an edge {edge.kind} from a memory to itself")
    unreached = source >= writing.first_memory and source not in writing.pointed_at and source != target
    if not unreached and (family := family_of(edge.kind)):  # to a memory just made, no way can lead back
        _refuse_cycle(writing, edge, (source, target), tuple(sorted(family)))
    told = msgspec.json.encode(edge.metadata).decode() if edge.metadata else None
    writing.connection.execute(
        f"""INSERT INTO edge(kind, source, source_revision, target, target_revision, weight, created_us, metadata)
           VALUES (?,?,?,?,?,?,?,?)
           ON CONFLICT (source, kind, target, source_revision, target_revision)
           DO UPDATE SET weight = excluded.weight{"" if edge.metadata is None else ", metadata = excluded.metadata"}""",
        (
            edge.kind, source, edge.source.revision or 0, target, edge.target.revision or 0, edge.weight,
            writing.now_us, sealed(writing.cipher, told, source),
        ),
    )  # fmt: skip
    writing.pointed_at.add(target)
    if journal:
        writing.event(
            "edge_added", edge.source.memory_id.bytes, edge.source.revision,
            {"kind": edge.kind, "target": str(edge.target.memory_id)},
        )  # fmt: skip


def _refuse_cycle(writing: SqlWriting, edge: Edge, rows: tuple[int, int], family: tuple[EdgeKind, ...]) -> None:
    """Walks forward from the target along the family; reaching the source would close a circle. Uses edge_source.

    Two revisions of one memory are ordered by number, so inside one memory an edge must run from newer to older.
    """
    source, target = rows
    if source == target:
        if (edge.source.revision or 0) <= (edge.target.revision or 0):
            raise CycleRefused(f"{edge.kind} inside one memory must run from a newer revision to an older one")
        return
    marks = ",".join("?" * len(family))
    found = writing.connection.execute(
        f"""WITH RECURSIVE reach(node) AS (
                VALUES (?) UNION
                SELECT e.target FROM reach JOIN edge e ON e.source = reach.node AND e.kind IN ({marks})
            ) SELECT 1 FROM reach WHERE node = ? LIMIT 1""",
        (target, *family, source),
    ).fetchone()
    if found:
        raise CycleRefused(
            f"{edge.kind} from {edge.source.memory_id} to {edge.target.memory_id} would close a circle",
            hint="remove the edge that leads back first",
        )


def remove(writing: SqlWriting, edge: Edge) -> None:
    """Deletes an edge.

    Raises: NotFound.
    """
    source, _ = writing.memory(edge.source.memory_id)
    target, _ = writing.memory(edge.target.memory_id)
    writing.connection.execute(
        """DELETE FROM edge
           WHERE source = ? AND kind = ? AND target = ? AND source_revision = ? AND target_revision = ?""",
        (source, edge.kind, target, edge.source.revision or 0, edge.target.revision or 0),
    )
    if not writing.connection.changes():
        raise NotFound(f"no edge {edge.kind} from {edge.source.memory_id} to {edge.target.memory_id}")
    writing.event(
        "edge_removed", edge.source.memory_id.bytes, edge.source.revision,
        {"kind": edge.kind, "target": str(edge.target.memory_id)},
    )  # fmt: skip


def _number_of(reading: SqlReading, memory_id: UUID) -> int:
    row = reading.connection.execute(
        f"SELECT m.id FROM {reading.source} WHERE m.uuid = ? AND {reading.where}", (memory_id.bytes, *reading.values)
    ).fetchone()
    if row is None:
        raise NotFound(f"no memory {memory_id}")
    return int(row[0])


def of(reading: SqlReading, memory_id: UUID, direction: Direction = "both", limit: int = 200) -> tuple[Edge, ...]:
    """The edges of a memory whose other end this reader may see. Uses edge_source and edge_target."""
    memory = _number_of(reading, memory_id)
    found: list[Edge] = []
    for way, near, far in (("out", "source", "target"), ("in", "target", "source")):
        if direction not in (way, "both"):
            continue
        rows = reading.connection.execute(
            f"""SELECT {_LINK}, m.uuid
                FROM edge e JOIN {reading.source} WHERE m.id = e.{far} AND e.{near} = ? AND {reading.where} LIMIT ?""",
            (memory, *reading.values, limit),
        )
        for *edge, other in rows:
            ends = (memory_id, UUID(bytes=other)) if way == "out" else (UUID(bytes=other), memory_id)
            found.append(_edge(ends, edge))
    return tuple(found)


def walk(reading: SqlReading, start: UUID, walk: EdgeWalk) -> tuple[EdgeStep, ...]:
    if not 1 <= walk.depth <= MAX_DEPTH:
        raise InvalidInput(f"depth {walk.depth} is outside 1..{MAX_DEPTH}", field="depth")
    seen = {_number_of(reading, start): start}
    frontier = list(seen)
    steps: list[EdgeStep] = []
    for depth in range(1, walk.depth + 1):
        frontier = _expand(reading, frontier, walk, seen, steps, depth)
        if not frontier or len(steps) >= walk.limit:
            break
    return tuple(steps[: walk.limit])


def _expand(
    reading: SqlReading, frontier: list[int], walk: EdgeWalk, seen: dict[int, UUID], steps: list[EdgeStep],
    depth: int,
) -> list[int]:  # fmt: skip
    marks = ",".join("?" * len(walk.kinds))
    sides = [("source", "target")] if walk.direction != "in" else []
    if walk.direction != "out":
        sides.append(("target", "source"))
    reached: list[int] = []
    for near, far in sides:
        rows = reading.connection.execute(
            f"""SELECT m.id, m.uuid, c.value, {_LINK}
                FROM carray(?) c JOIN edge e ON e.{near} = c.value AND e.kind IN ({marks})
                JOIN {reading.source} WHERE m.id = e.{far} AND {reading.where} LIMIT ?""",
            (bound(frontier), *walk.kinds, *reading.values, MAX_ROWS),
        )
        for number, uuid, origin, *edge in rows:
            if number not in seen:
                there = seen[number] = UUID(bytes=uuid)
                reached.append(number)
                ends = (seen[origin], there) if near == "source" else (there, seen[origin])
                steps.append(EdgeStep(there, depth, _edge(ends, edge)))
    return reached


def _edge(ends: tuple[UUID, UUID], row: Sequence[Any]) -> Edge:
    """An edge between two memories from kind, revisions (0: the memory as a whole), weight, time and what is told."""
    kind, source, target, weight, created, told = row
    beside = msgspec.json.decode(told) if told else None
    return Edge(kind, Node(ends[0], source or None), Node(ends[1], target or None), weight, created, beside)


def spread(reading: SqlReading, seeds: Mapping[int, float], how: Spread) -> dict[int, float]:
    """Activation of revisions (by key) reached from seed revisions along edges either way; the strongest path counts.

    Seeds themselves are left out. Uses edge_source and edge_target.
    """
    best = dict(seeds)
    frontier = dict(seeds)
    statement = " UNION ALL ".join(
        f"""SELECT c.value, r.id, e.weight FROM carray(?) c JOIN revision own ON own.id = c.value
            JOIN edge e ON e.{near} = own.memory JOIN {reading.source} WHERE m.id = e.{far} AND {reading.where}"""
        for near, far in (("source", "target"), ("target", "source"))
    )
    for _ in range(how.hops):
        reached: dict[int, float] = {}
        keys = list(frontier)
        for origin, key, weight in reading.connection.execute(
            f"SELECT * FROM ({statement}) LIMIT ?",
            (bound(keys), *reading.values, bound(keys), *reading.values, MAX_ROWS),
        ):
            activation = frontier[origin] * how.decay * min(1.0, weight)
            if activation >= how.prune and activation > best.get(key, 0.0):
                best[key] = reached[key] = activation
        if not reached:
            break
        frontier = reached
    return {key: activation for key, activation in best.items() if key not in seeds}


def between(reading: SqlReading, keys: Collection[int], limit: int) -> tuple[tuple[int, int, EdgeKind], ...]:
    """Reads edge backwards by its row number; which memories are visible is known from where the keys came."""
    known = frozenset(keys)
    until = reading.view.as_of_us
    rows: Any = reading.connection.execute(
        "SELECT source, target, kind FROM edge WHERE created_us <= coalesce(?, created_us) ORDER BY id DESC", (until,)
    )
    found = (row for row in rows if row[0] in known and row[1] in known and row[0] != row[1])
    return tuple(islice(found, limit))


def origins(reading: SqlReading, keys: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """For revisions made out of other memories, the keys of those (their current revisions), oldest edge first.

    An edge of another revision of the same memory does not count. Uses memory_current and edge_source: of what has no
    such edge, which is most, no row is read.
    """
    found, keys = reading.hot.origins(reading, keys) or ({}, keys)
    if not len(keys):
        return found
    owner = "memory own ON own.current" if reading.is_now else "revision own ON own.id"
    number = "own.id" if reading.is_now else "own.memory"
    for key, origin in reading.connection.execute(
        f"""SELECT c.value, r.id FROM carray(?) c CROSS JOIN {owner} = c.value
            CROSS JOIN edge e ON e.source = {number} AND e.kind = 'derived_from'
            CROSS JOIN revision made ON made.id = c.value AND e.source_revision IN (0, made.number)
            JOIN {reading.source} WHERE m.id = e.target AND {reading.where}""",
        (bound(keys), *reading.values),
    ):
        found[key] = (*found.get(key, ()), origin)
        reading.seen.add(origin)
    return found


def drawn(reading: SqlReading, keys: Sequence[int], now_us: int) -> list[Drawn]:
    """What was ever drawn from these revisions, and what became of it. Uses edge_target and revision_number.

    Whatever is out of belief, archived or forgotten counts as no longer held. The text of what holds as it was drawn is
    not read where the columns tell so.
    """
    if (hot := reading.hot.drawn(reading, keys, now_us)) is not None:
        return hot
    ever = reading.through(replace(reading.view, include_deprecated=True, states=STATES))
    rows: Any = reading.connection.execute(
        f"""SELECT c.value, e.source, old.number, {opened("old.text", "old.id")}
            FROM carray(?) c JOIN revision own ON own.id = c.value
            JOIN edge e ON e.target = own.memory AND e.kind = 'derived_from' AND e.source_revision > 0
            JOIN revision old ON old.memory = e.source AND old.number = e.source_revision
            JOIN memory m ON m.id = e.source JOIN place p ON p.id = m.place WHERE {ever.where}""",
        (bound(keys), *ever.values),
    ).fetchall()
    if not rows:
        return []
    owners = sorted({row[1] for row in rows})
    held = {
        memory: (key, number, text, until is not None and until <= now_us and kind not in HAPPENED)
        for memory, kind, key, number, text, until in reading.connection.execute(
            f"""SELECT m.id, m.kind, r.id, r.number, {opened("r.text", "r.id")}, r.valid_to_us
                FROM carray(?) c JOIN {reading.source} WHERE m.id = c.value AND {reading.where}""",
            (bound(owners), *reading.values),
        )
    }
    instead = {
        memory: (key, text)
        for memory, key, text in reading.connection.execute(
            f"""SELECT c.value, r.id, {opened("r.text", "r.id")} FROM carray(?) c
                JOIN edge s ON s.target = c.value AND s.kind = 'supersedes' AND s.source <> s.target
                JOIN {reading.source} WHERE m.id = s.source AND {reading.where}""",
            (bound(owners), *reading.values),
        )
    }
    found = []
    for key, memory, number, text in rows:
        now_key, current, now, over = held.get(memory, (0, 0, "", False))
        if memory in instead and memory not in held:
            found.append(Drawn(key, text, False, instead[memory][1], instead[memory][0]))
        elif current > number:
            found.append(Drawn(key, text, False, now, now_key))
        else:
            found.append(Drawn(key, text, bool(now_key) and not over))
    return found


def impact(reading: SqlReading, start: UUID, depth: int = 10) -> tuple[EdgeStep, ...]:
    return walk(reading, start, EdgeWalk(direction="in", kinds=IMPACT_KINDS, depth=depth, limit=MAX_ROWS))


def path(reading: SqlReading, start: UUID, goal: UUID, depth: int = 10) -> tuple[EdgeStep, ...]:
    first, last = _number_of(reading, start), _number_of(reading, goal)
    if first == last:
        return (EdgeStep(start, 0),)
    came: dict[UUID, EdgeStep] = {start: EdgeStep(start, 0)}
    frontier = [start]
    for length in range(1, min(depth, MAX_DEPTH) + 1):
        following: list[UUID] = []
        for here in frontier:
            for edge in of(reading, here, "both", MAX_ROWS):
                there = edge.target.memory_id if edge.source.memory_id == here else edge.source.memory_id
                if there in came:
                    continue
                came[there] = EdgeStep(there, length, edge)
                if there == goal:
                    return _trace(came, goal)
                following.append(there)
        frontier = following
        if len(came) > MAX_ROWS:
            break
    return ()


def _trace(came: dict[UUID, EdgeStep], goal: UUID) -> tuple[EdgeStep, ...]:
    chain = [came[goal]]
    while (edge := chain[-1].edge) is not None:
        here = chain[-1].memory_id
        chain.append(came[edge.source.memory_id if edge.target.memory_id == here else edge.target.memory_id])
    return tuple(reversed(chain))


def add_sources(writing: SqlWriting, revision: int, sources: Sequence[Source]) -> None:
    """Links a revision to the nodes it came from, making the nodes on first use."""
    for source in sources:
        node = node_id(writing, source.node)
        writing.rows["provenance_source"].append((revision, node, source.kind, source.start, source.end, source.stage))


def node_id(writing: SqlWriting, node: ProvenanceNode) -> int:
    """The number of a node, made on first use."""
    if node.id not in writing.nodes:
        row = one(writing.connection, "SELECT id FROM provenance_node WHERE uuid = ?", (node.id.bytes,))
        writing.nodes[node.id] = row[0] if row else None
    known = writing.nodes[node.id]
    if known is None:
        known = writing.nodes[node.id] = writing.next_node
        writing.next_node += 1
        writing.rows["provenance_node"].append((
            known, node.id.bytes, node.kind, node.at_us, node.label, node.author,
            msgspec.json.encode(node.metadata).decode() if node.metadata else None, node.sha256 or None,
        ))  # fmt: skip
    return known


def add_edge(writing: SqlWriting, edge: ProvenanceEdge) -> None:
    """Relates two happenings.

    Raises: NotFound, Conflict when the target is newer than the source.
    """
    if writing.rows["provenance_node"]:
        writing.flush()
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


def sources_of(reading: SqlReading, memory_id: UUID) -> tuple[Source, ...]:
    rows = reading.connection.execute(
        f"""SELECT {_NODE}, s.kind, s.span_start, s.span_end, s.stage
            FROM {reading.source} JOIN provenance_source s ON s.revision = r.id JOIN provenance_node n ON n.id = s.node
            WHERE m.uuid = ? AND {reading.where} ORDER BY n.at_us, n.id""",
        (memory_id.bytes, *reading.values),
    )
    return tuple(Source(node=_node(row), kind=row[7], start=row[8], end=row[9], stage=row[10]) for row in rows)


def first_sources(reading: SqlReading, keys: Sequence[int]) -> dict[int, FirstSource]:
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


def _node(row: Sequence[Any]) -> ProvenanceNode:
    uuid, kind, at_us, label, author, metadata, sha256 = row[:7]
    return ProvenanceNode(
        id=UUID(bytes=uuid), kind=kind, at_us=at_us, label=label, author=author, sha256=sha256 or "",
        metadata=msgspec.json.decode(metadata) if metadata else None,
    )  # fmt: skip


def node(reading: SqlReading, origin: UUID) -> ProvenanceNode:
    """Uses provenance_edge_target and provenance_source_node.

    Raises: NotFound, also when nothing this reader sees came from it.
    """
    row = reading.connection.execute(
        f"""WITH RECURSIVE front(node, depth) AS (
                SELECT id, 0 FROM provenance_node WHERE uuid = ?1
                UNION SELECT e.source, front.depth + 1 FROM front JOIN provenance_edge e ON e.target = front.node
                WHERE front.depth < {PROVENANCE_DEPTH})
            SELECT {_NODE} FROM provenance_node n WHERE n.uuid = ?1 AND EXISTS (
                SELECT 1 FROM front JOIN provenance_source s ON s.node = front.node JOIN {reading.source}
                WHERE r.id = s.revision AND {reading.where})""",
        (origin.bytes, *reading.values),
    ).fetchone()
    if row is None:
        raise NotFound(f"no origin {origin}")
    return _node(row)


MOST_ANCESTORS = 1000


def ancestry(reading: SqlReading, memory_id: UUID, depth: int = PROVENANCE_DEPTH) -> tuple[Ancestor, ...]:
    """The happenings behind a memory, nearest first, at most `depth` links away. Uses the primary keys alone."""
    rows = reading.connection.execute(
        f"""WITH RECURSIVE chain(node, kind, depth, via) AS (
                SELECT s.node, s.kind, 0, CAST(NULL AS INTEGER)
                FROM {reading.source} JOIN provenance_source s ON s.revision = r.id
                WHERE m.uuid = ? AND {reading.where}
                UNION
                SELECT e.target, e.kind, chain.depth + 1, chain.node FROM chain
                JOIN provenance_edge e ON e.source = chain.node WHERE chain.depth < ?
            )
            SELECT {_NODE}, chain.kind, chain.depth,
                   (SELECT uuid FROM provenance_node WHERE id = chain.via)
            FROM chain CROSS JOIN provenance_node n ON n.id = chain.node
            ORDER BY chain.depth, n.at_us DESC""",
        (memory_id.bytes, *reading.values, min(depth, PROVENANCE_DEPTH)),
    )
    nearest: dict[Any, Any] = {}
    for row in rows:
        nearest.setdefault(row[0], row)
    return tuple(
        Ancestor(_node(row), row[7], row[8], UUID(bytes=row[9]) if row[9] else None)
        for row in islice(nearest.values(), MOST_ANCESTORS)
    )


def orphans(connection: Connection) -> int:
    """How many nodes no revision and no edge refers to any more."""
    (count,) = one(
        connection,
        """SELECT count(*) FROM provenance_node n
           WHERE NOT EXISTS (SELECT 1 FROM provenance_source WHERE node = n.id)
             AND NOT EXISTS (SELECT 1 FROM provenance_edge WHERE source = n.id)
             AND NOT EXISTS (SELECT 1 FROM provenance_edge WHERE target = n.id)""",
    )
    return int(count)
