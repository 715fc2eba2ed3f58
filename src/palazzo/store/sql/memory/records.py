"""Records out of a palace and into another: whole memories with revisions, tags, sources, edges and entities.

Owns the statements of an export and the writing of RestoreMemory. An export works through a SqlReading, so what the
view hides is in no record: neither as a memory nor as the end of an edge. What may come in was decided before; here
only the store's own laws hold. Invariants: an export is one moment of the palace, in the order in which memories were
made; a memory that is there is never touched, and one that comes in leaves the events of a memory made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import asdict

from palazzo.errors import PalazzoError
from palazzo.model.address import PlaceGlob
from palazzo.model.change import RestoreMemory
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.model.memory import Revision, TagMove
from palazzo.model.message import Turn
from palazzo.model.record import Record, RecordedEdge, RecordedNode, RecordedRevision, RecordedSource
from palazzo.model.scope import Scope
from palazzo.store.api import Broken, Seat, Taken
from palazzo.store.sql.memory import memories
from palazzo.store.sql.memory.memories import artifacts_at, revisions_where
from palazzo.store.sql.port import Connection, PalaceDatabase, one
from palazzo.store.sql.reading import SqlReading, glob_condition
from palazzo.store.sql.seal.sealing import opened
from palazzo.store.sql.writing import SqlWriting

MOST_BEHIND = 20


def count(reading: SqlReading, glob: PlaceGlob | None = None) -> int:
    where, values = _within(glob)
    (found,) = one(
        reading.connection,
        f"SELECT count(*) FROM {reading.source} WHERE {reading.where} AND {where}",
        (*reading.values, *values),
    )
    return int(found)


def totals(database: PalaceDatabase) -> dict[str, int]:
    """How much a copy of the whole file holds."""
    with database.read() as connection:
        rows = {table: one(connection, f"SELECT count(*) FROM {table}")[0] for table in ("memory", "revision", "edge")}
    return {"memories": rows["memory"], "revisions": rows["revision"], "edges": rows["edge"]}


def _within(glob: PlaceGlob | None) -> tuple[str, tuple[Any, ...]]:
    return ("TRUE", ()) if glob is None else glob_condition(glob)


def records(reading: SqlReading, glob: PlaceGlob | None = None, user: str = "") -> Iterator[Record]:
    """Every visible memory, oldest first; only those of a user when one is named. Uses the primary key of memory."""
    where, values = _within(glob)
    rows = reading.connection.execute(
        f"""SELECT m.id, m.uuid, p.path, m.name, m.kind, (SELECT path FROM scope WHERE id = m.scope), m.state, m.tier,
                   m.deprecated_us, m.pinned, m.created_us
            FROM {reading.source} WHERE {reading.where} AND {where} ORDER BY m.id""",
        (*reading.values, *values),
    )
    for row in rows:
        if not user or Scope.parse(row[5]).get("user") == user:
            yield _record(reading, row)


def salvaged(reading: SqlReading) -> Iterator[Record | Broken]:
    rows = reading.connection.execute(
        f"""SELECT m.id, m.uuid, p.path, m.name, m.kind, (SELECT path FROM scope WHERE id = m.scope), m.state, m.tier,
                   m.deprecated_us, m.pinned, m.created_us FROM {reading.source} WHERE {reading.where} ORDER BY m.id"""
    )
    for row in rows:
        try:
            yield msgspec.convert(msgspec.to_builtins(_record(reading, row)), type=Record)
        except (ValueError, TypeError, IndexError, OverflowError, msgspec.MsgspecError, PalazzoError) as error:
            yield Broken(row[0] if isinstance(row[0], int) else 0, f"not a row of ours: {type(error).__name__}")


def _record(reading: SqlReading, row: tuple[Any, ...]) -> Record:
    number, uuid, place, name, kind, scope, state, tier, deprecated, pinned, created = row
    found = list(revisions_where(reading.connection, "r.memory = ? ORDER BY r.number", (number,)))
    return Record(
        id=UUID(bytes=uuid), place=place, name=name, kind=kind, scope=scope, state=state, tier=tier,
        deprecated_us=deprecated, pinned=bool(pinned), created_us=created,
        revisions=tuple(_revision(reading, revision) for revision in found), tags=_tags(reading, number),
        edges=_edges(reading, number), turn=_turn(reading, found[0].key),
    )  # fmt: skip


def _revision(reading: SqlReading, revision: Revision) -> RecordedRevision:
    content, key = revision.content, revision.key
    return RecordedRevision(
        **asdict(content), number=revision.number, created_us=revision.created_us, artifacts=artifacts_at(reading, key),
        sources=_sources(reading, key), mentions=_mentions(reading, key), relations=_relations(reading, key),
    )  # fmt: skip


def _sources(reading: SqlReading, key: int) -> tuple[RecordedSource, ...]:
    """Uses the primary keys of provenance_source and provenance_edge."""
    rows: Iterable[Any] = reading.connection.execute(
        """SELECT n.id, n.kind, n.at_us, n.label, n.author, n.metadata, n.sha256, s.kind, s.span_start, s.span_end,
                  s.stage
           FROM provenance_source s JOIN provenance_node n ON n.id = s.node
           WHERE s.revision = ? ORDER BY n.at_us, n.id""",
        (key,),
    )
    return tuple(
        RecordedSource(
            node=_recorded(row[1:7]), link=row[7], start=row[8], end=row[9], stage=row[10],
            behind=_behind(reading, row[0]),
        )
        for row in rows
    )  # fmt: skip


def _behind(reading: SqlReading, node: int) -> tuple[RecordedNode, ...]:
    rows = reading.connection.execute(
        """SELECT n.kind, n.at_us, n.label, n.author, n.metadata, n.sha256
           FROM provenance_edge e JOIN provenance_node n ON n.id = e.target
           WHERE e.source = ? ORDER BY n.at_us, n.id LIMIT ?""",
        (node, MOST_BEHIND),
    )
    return tuple(map(_recorded, rows))


def _recorded(row: Sequence[Any]) -> RecordedNode:
    kind, at_us, label, author, metadata, sha256 = row
    return RecordedNode(
        kind=kind, at_us=at_us, label=label, author=author, metadata=metadata or "", sha256=sha256 or ""
    )


def _mentions(reading: SqlReading, key: int) -> tuple[MentionDraft, ...]:
    """Uses mention_revision."""
    rows = reading.connection.execute(
        f"""SELECT {opened("e.name")}, e.kind, coalesce({opened("x.text")}, '')
           FROM mention x JOIN entity e ON e.id = x.entity WHERE x.revision = ? ORDER BY e.id""",
        (key,),
    )
    return tuple(MentionDraft(*row) for row in rows)


def _relations(reading: SqlReading, key: int) -> tuple[RelationDraft, ...]:
    """The relations this revision was the last to state, between the entities it mentions. Uses relation's key."""
    rows = reading.connection.execute(
        f"""SELECT {opened("s.name")}, x.predicate, {opened("o.name")}, x.confidence
           FROM mention y JOIN relation x ON x.subject = y.entity
           JOIN entity s ON s.id = x.subject JOIN entity o ON o.id = x.object
           WHERE y.revision = ?1 AND x.revision = ?1 ORDER BY 1, 2, 3""",
        (key,),
    )
    return tuple(RelationDraft(*row) for row in rows)


def _tags(reading: SqlReading, memory: int) -> tuple[TagMove, ...]:
    rows = reading.connection.execute(
        """SELECT t.tag, r.number, t.from_us, t.until_us FROM tag_move t JOIN revision r ON r.id = t.revision
           WHERE t.memory = ? ORDER BY t.tag, t.seq""",
        (memory,),
    )
    return tuple(TagMove(*row) for row in rows)


def _edges(reading: SqlReading, memory: int) -> tuple[RecordedEdge, ...]:
    """The edges from a memory to what this reader sees as well. Uses edge_source."""
    rows = reading.connection.execute(
        f"""SELECT e.kind, m.uuid, e.weight, e.source_revision, e.target_revision, {opened("e.metadata", "e.source")}
            FROM edge e JOIN {reading.source} WHERE m.id = e.target AND e.source = ? AND {reading.where}
            ORDER BY e.id""",
        (memory, *reading.values),
    )
    return tuple(
        RecordedEdge(
            kind=kind, target=UUID(bytes=uuid), weight=weight, revision=own or None, target_revision=far or None,
            metadata=told or "",
        )
        for kind, uuid, weight, own, far, told in rows
    )  # fmt: skip


def _turn(reading: SqlReading, key: int) -> Turn | None:
    """Uses turn_revision."""
    row = reading.connection.execute(
        """SELECT s.thread, s.name, w.position, w.speaker, w.role FROM turn w JOIN session s ON s.id = w.session
           WHERE w.revision = ?""",
        (key,),
    ).fetchone()
    return None if row is None else Turn(*row)


def standing(connection: Connection, ids: Iterable[UUID]) -> dict[UUID, Taken]:
    """Which of these ids are taken, by whatever memory. Uses the unique index on memory.uuid."""
    found: dict[UUID, Taken] = {}
    for memory_id in ids:
        row = connection.execute(
            f"""SELECT {opened("r.text", "r.id")}, coalesce(r.author GLOB 'import:*', 0)
                FROM memory m JOIN revision r ON r.id = m.current
               WHERE m.uuid = ?""",
            (memory_id.bytes,),
        ).fetchone()
        if row is not None:
            found[memory_id] = Taken(row[0], bool(row[1]))
    return found


def seat(connection: Connection, scope: Scope, turn: Turn) -> Seat:
    """Whether a turn may stand where it stood. Uses the unique keys of scope and session, and turn's primary key."""
    row = connection.execute(
        """SELECT id FROM session WHERE scope = (SELECT id FROM scope WHERE path = ?) AND thread = ? AND name = ?""",
        (str(scope), turn.thread, turn.session),
    ).fetchone()
    if row is None:
        return "free"
    own = connection.execute(
        """SELECT 1 FROM turn w JOIN revision r ON r.id = w.revision
           WHERE w.session = ? AND (r.author IS NULL OR r.author NOT GLOB 'import:*') LIMIT 1""",
        (row[0],),
    ).fetchone()
    if own is not None:
        return "strange"
    taken = connection.execute("SELECT 1 FROM turn WHERE session = ? AND position = ?", (row[0], turn.position))
    return "free" if taken.fetchone() is None else "taken"


def restore(writing: SqlWriting, change: RestoreMemory) -> None:
    """Writes every row of a memory from elsewhere. It begins to fade from now on, however old it is.

    Raises: Conflict when the id or the address is taken.
    """
    writing.flush()
    memory, scope = writing.next_memory, writing.scope(change.scope)
    writing.next_memory += 1
    keys: list[int] = []
    newest = change.revisions[-1].content
    kind, arousal = writing.kinds.get(change.kind), round(newest.affect.arousal, 2)
    due = memories.first_due(kind, None, False, arousal, round(newest.importance, 2))
    first = writing.next_revision
    writing.rows["memory"].append((
        memory, change.memory_id.bytes, writing.place(change.place), change.name, change.kind, scope, change.tier, 0,
        None, change.created_us, writing.now_us, writing.now_us + due if due is not None else None, first,
    ))  # fmt: skip
    writing.remember(change.memory_id, memory, scope)
    placed = writing.event("memory_placed", change.memory_id.bytes, 1)
    for number, revision in enumerate(change.revisions, start=1):
        keys.append(writing.next_revision)
        if number > 1:
            writing.event("revision_added", change.memory_id.bytes, number)
        owner = memories.Owner(change.memory_id, memory, scope, change.kind, number, change.tier, change.name)
        memories.add_content(writing, revision.content, owner, revision.created_us)
        memories.attach(writing, revision.attachments, owner, keys[-1])
    writing.flush()
    _restore_tags(writing, change, (memory, keys), placed)


def _restore_tags(writing: SqlWriting, change: RestoreMemory, rows: tuple[int, list[int]], placed: int) -> None:
    memory, keys = rows
    execute = writing.connection.execute
    for number, move in enumerate(sorted(change.moves, key=lambda move: (move.tag != "current", move.from_us))):
        seq = placed
        if number:
            seq = writing.event("tag_moved", change.memory_id.bytes, move.revision, {"tag": move.tag})
        execute(
            "INSERT INTO tag_move VALUES (?,?,?,?,?,?)",
            (memory, move.tag, seq, keys[move.revision - 1], move.from_us, move.until_us),
        )
        if move.tag == "current" and move.until_us is None:
            execute("UPDATE memory SET current = ? WHERE id = ?", (keys[move.revision - 1], memory))
    execute("UPDATE memory SET state = ?, deprecated_us = ? WHERE id = ?", (change.state, change.deprecated_us, memory))
    if change.state == "deleted":
        execute("UPDATE memory SET due_us = ? WHERE id = ?", (writing.now_us, memory))
