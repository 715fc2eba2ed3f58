"""Memories that come from another palace: whole ones, with their revisions, tags and times, under their own ids.

Owns the writing of RestoreMemory. What may come in was decided before; here only the store's own laws hold. Invariant:
a memory that is there is never touched, and one that comes in leaves the events of a memory made here.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

import apsw

from palazzo.model.change import RestoreMemory
from palazzo.model.message import Turn
from palazzo.model.scope import Scope
from palazzo.store.api import Seat, Taken
from palazzo.store.sqlite.memory import memories
from palazzo.store.sqlite.seal.sealing import opened
from palazzo.store.sqlite.writing import SqliteWriting


def standing(connection: apsw.Connection, ids: Iterable[UUID]) -> dict[UUID, Taken]:
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


def seat(connection: apsw.Connection, scope: Scope, turn: Turn) -> Seat:
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


def restore(writing: SqliteWriting, change: RestoreMemory) -> None:
    """Writes every row of a memory from elsewhere. It begins to fade from now on, however old it is.

    Raises: Conflict when the id or the address is taken.
    """
    writing.flush()
    memory, scope = writing.next_memory, writing.scope(change.scope)
    writing.next_memory += 1
    keys: list[int] = []
    affect = change.revisions[-1].content.affect
    due = memories.first_due(writing.kinds.get(change.kind), None, False, round(affect.arousal, 2))
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
    _tags(writing, change, (memory, keys), placed)


def _tags(writing: SqliteWriting, change: RestoreMemory, rows: tuple[int, list[int]], placed: int) -> None:
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
