"""Records out of a palace: every memory a reader may see, with revisions, tags, sources, edges and entities.

Owns the statements of an export. Works through a SqliteReading, so what the view hides is in no record: neither as a
memory nor as the end of an edge. Invariant: one moment of the palace, in the order in which memories were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

import msgspec

from palazzo.errors import PalazzoError
from palazzo.model.address import PlaceGlob
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.model.memory import Revision, TagMove
from palazzo.model.message import Turn
from palazzo.model.record import Record, RecordedEdge, RecordedNode, RecordedRevision, RecordedSource
from palazzo.model.scope import Scope
from palazzo.store.api import Broken
from palazzo.store.sqlite.connection import Database, one
from palazzo.store.sqlite.memory.memories import artifacts_at, revisions_where
from palazzo.store.sqlite.reading import SqliteReading, glob_condition
from palazzo.store.sqlite.seal.sealing import opened

MOST_BEHIND = 20


def count(reading: SqliteReading, glob: PlaceGlob | None = None) -> int:
    """How many memories an export has."""
    where, values = _within(glob)
    (found,) = one(
        reading.connection,
        f"SELECT count(*) FROM {reading.source} WHERE {reading.where} AND {where}",
        (*reading.values, *values),
    )
    return int(found)


def totals(database: Database) -> dict[str, int]:
    """How much a copy of the whole file holds."""
    with database.read() as connection:
        rows = {table: one(connection, f"SELECT count(*) FROM {table}")[0] for table in ("memory", "revision", "edge")}
    return {"memories": rows["memory"], "revisions": rows["revision"], "edges": rows["edge"]}


def _within(glob: PlaceGlob | None) -> tuple[str, tuple[Any, ...]]:
    return ("1", ()) if glob is None else glob_condition(glob)


def records(reading: SqliteReading, glob: PlaceGlob | None = None, user: str = "") -> Iterator[Record]:
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


def salvaged(reading: SqliteReading) -> Iterator[Record | Broken]:
    """Every memory of a file nobody vouches for; rows that are not as ours are become a Broken, not an error."""
    rows = reading.connection.execute(
        f"""SELECT m.id, m.uuid, p.path, m.name, m.kind, (SELECT path FROM scope WHERE id = m.scope), m.state, m.tier,
                   m.deprecated_us, m.pinned, m.created_us FROM {reading.source} WHERE {reading.where} ORDER BY m.id"""
    )
    for row in rows:
        try:
            yield msgspec.convert(msgspec.to_builtins(_record(reading, row)), type=Record)
        except (ValueError, TypeError, IndexError, OverflowError, msgspec.MsgspecError, PalazzoError) as error:
            yield Broken(row[0] if isinstance(row[0], int) else 0, f"not a row of ours: {type(error).__name__}")


def _record(reading: SqliteReading, row: tuple[Any, ...]) -> Record:
    number, uuid, place, name, kind, scope, state, tier, deprecated, pinned, created = row
    found = list(revisions_where(reading.connection, "r.memory = ? ORDER BY r.number", (number,)))
    return Record(
        id=UUID(bytes=uuid), place=place, name=name, kind=kind, scope=scope, state=state, tier=tier,
        deprecated_us=deprecated, pinned=bool(pinned), created_us=created,
        revisions=tuple(_revision(reading, revision) for revision in found), tags=_tags(reading, number),
        edges=_edges(reading, number), turn=_turn(reading, found[0].key),
    )  # fmt: skip


def _revision(reading: SqliteReading, revision: Revision) -> RecordedRevision:
    content, key = revision.content, revision.key
    return RecordedRevision(
        number=revision.number, created_us=revision.created_us, text=content.text, summary=content.summary,
        key_fact=content.key_fact, label=content.label, atoms=content.atoms, detail=content.detail,
        importance=content.importance, confidence=content.confidence, affect=content.affect, author=content.author,
        valid_from_us=content.valid_from_us, valid_to_us=content.valid_to_us, artifacts=artifacts_at(reading, key),
        sources=_sources(reading, key), mentions=_mentions(reading, key), relations=_relations(reading, key),
    )  # fmt: skip


def _sources(reading: SqliteReading, key: int) -> tuple[RecordedSource, ...]:
    """Uses the primary keys of provenance_source and provenance_edge."""
    rows: Iterable[Any] = reading.connection.execute(
        """SELECT n.id, n.kind, n.at_us, n.label, n.author, s.kind, s.span_start, s.span_end, s.stage
           FROM provenance_source s JOIN provenance_node n ON n.id = s.node
           WHERE s.revision = ? ORDER BY n.at_us, n.id""",
        (key,),
    )
    return tuple(
        RecordedSource(
            node=RecordedNode(kind=row[1], at_us=row[2], label=row[3], author=row[4]), link=row[5], start=row[6],
            end=row[7], stage=row[8], behind=_behind(reading, row[0]),
        )
        for row in rows
    )  # fmt: skip


def _behind(reading: SqliteReading, node: int) -> tuple[RecordedNode, ...]:
    rows = reading.connection.execute(
        """SELECT n.kind, n.at_us, n.label, n.author FROM provenance_edge e JOIN provenance_node n ON n.id = e.target
           WHERE e.source = ? ORDER BY n.at_us, n.id LIMIT ?""",
        (node, MOST_BEHIND),
    )
    return tuple(RecordedNode(kind=kind, at_us=at, label=label, author=by) for kind, at, label, by in rows)


def _mentions(reading: SqliteReading, key: int) -> tuple[MentionDraft, ...]:
    """Uses mention_revision."""
    rows = reading.connection.execute(
        f"""SELECT {opened("e.name")}, e.kind, coalesce({opened("x.text")}, '')
           FROM mention x JOIN entity e ON e.id = x.entity WHERE x.revision = ? ORDER BY e.id""",
        (key,),
    )
    return tuple(MentionDraft(*row) for row in rows)


def _relations(reading: SqliteReading, key: int) -> tuple[RelationDraft, ...]:
    """The relations this revision was the last to state, between the entities it mentions. Uses relation's key."""
    rows = reading.connection.execute(
        f"""SELECT {opened("s.name")}, x.predicate, {opened("o.name")}, x.confidence
           FROM mention y JOIN relation x ON x.subject = y.entity
           JOIN entity s ON s.id = x.subject JOIN entity o ON o.id = x.object
           WHERE y.revision = ?1 AND x.revision = ?1 ORDER BY 1, 2, 3""",
        (key,),
    )
    return tuple(RelationDraft(*row) for row in rows)


def _tags(reading: SqliteReading, memory: int) -> tuple[TagMove, ...]:
    rows = reading.connection.execute(
        """SELECT t.tag, r.number, t.from_us, t.until_us FROM tag_move t JOIN revision r ON r.id = t.revision
           WHERE t.memory = ? ORDER BY t.tag, t.seq""",
        (memory,),
    )
    return tuple(TagMove(*row) for row in rows)


def _edges(reading: SqliteReading, memory: int) -> tuple[RecordedEdge, ...]:
    """The edges from a memory to what this reader sees as well. Uses edge_source."""
    rows = reading.connection.execute(
        f"""SELECT e.kind, m.uuid, e.weight, e.source_revision, e.target_revision
            FROM edge e JOIN {reading.source} WHERE m.id = e.target AND e.source = ? AND {reading.where}
            ORDER BY e.id""",
        (memory, *reading.values),
    )
    return tuple(
        RecordedEdge(
            kind=kind, target=UUID(bytes=uuid), weight=weight, revision=own or None, target_revision=far or None
        )
        for kind, uuid, weight, own, far in rows
    )


def _turn(reading: SqliteReading, key: int) -> Turn | None:
    """Uses turn_revision."""
    row = reading.connection.execute(
        """SELECT s.thread, s.name, w.position, w.speaker, w.role FROM turn w JOIN session s ON s.id = w.session
           WHERE w.revision = ?""",
        (key,),
    ).fetchone()
    return None if row is None else Turn(*row)
