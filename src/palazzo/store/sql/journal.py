"""The journal: every change of memory state, in order, without gaps. Readers keep cursors of their own.

Owns event and cursor. Invariant: seq runs 1, 2, 3, ... without a gap; an event is written in the transaction of the
change it tells of.

Also says whether the journal agrees with the audit trail and both with what stands now, as a part of verify. That reads
below all views, tells ids and names of places and subjects, never content, and changes nothing. An event's detail may
be erased by law: where one is gone, nothing is concluded from its absence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.model.change import Event
from palazzo.store.sql.port import Connection, one
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.rows import SEALS


def last_seq(connection: Connection) -> int:
    return int(one(connection, "SELECT coalesce(max(seq), 0) FROM event")[0])


def events_after(reading: SqlReading, seq: int, limit: int = 1000) -> tuple[Event, ...]:
    whole = reading.view.all_scopes
    visible = f"SELECT 1 FROM memory m JOIN place p ON p.id = m.place WHERE {reading.where} AND m.uuid"
    rows = reading.connection.execute(
        f"""SELECT seq, at_us, kind, subject, memory, revision, detail FROM event v
            WHERE seq > ? AND (v.memory IS NULL AND ? = 1 OR EXISTS ({visible} = v.memory))
            AND (v.kind NOT IN ('edge_added', 'edge_removed') OR ? = 1
                OR EXISTS ({visible} = unhex(v.detail ->> '$.target', '-')))
            ORDER BY seq LIMIT ?""",
        (seq, whole, *reading.values, whole, *reading.values, limit),
    )
    return tuple(_event(row) for row in rows)


def tail(connection: Connection, seq: int, limit: int = 1000) -> tuple[Event, ...]:
    """Events newer than `seq` for the palace's own passes (indexes, sweep), which act below all views."""
    rows = connection.execute(
        "SELECT seq, at_us, kind, subject, memory, revision, detail FROM event WHERE seq > ? ORDER BY seq LIMIT ?",
        (seq, limit),
    )
    return tuple(_event(row) for row in rows)


def first_us(connection: Connection) -> int | None:
    row: Any = connection.execute("SELECT at_us FROM event ORDER BY seq LIMIT 1").fetchone()
    return row[0] if row else None


def last_us(connection: Connection) -> int | None:
    row: Any = connection.execute("SELECT at_us FROM event ORDER BY seq DESC LIMIT 1").fetchone()
    return row[0] if row else None


def moved_by(connection: Connection, subject: str, since_us: int) -> tuple[Event, ...]:
    """Changes of state; reads the whole journal, for whoever takes back what a pass did."""
    rows = connection.execute(
        """SELECT seq, at_us, kind, subject, memory, revision, detail FROM event
           WHERE subject = ? AND at_us >= ? AND kind IN ('state_changed', 'memory_forgotten', 'memory_restored')
           ORDER BY seq""",
        (subject, since_us),
    )
    return tuple(_event(row) for row in rows)


def _event(row: tuple[Any, ...]) -> Event:
    seq, at_us, kind, subject, memory, revision, detail = row
    return Event(
        seq, at_us, kind, subject, UUID(bytes=memory) if memory else None, revision,
        msgspec.json.decode(detail) if detail else {},
    )  # fmt: skip


def cursor(connection: Connection, name: str) -> int:
    """Where a journal reader stands; 0 when it has never read."""
    row = connection.execute("SELECT seq FROM cursor WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


def move_cursor(connection: Connection, name: str, seq: int, now_us: int) -> None:
    """Moves a reader's cursor forward; never back, so two workers cannot undo each other."""
    connection.execute(
        """INSERT INTO cursor VALUES (?,?,?) ON CONFLICT (name) DO UPDATE SET
           seq = excluded.seq, moved_us = excluded.moved_us WHERE excluded.seq > cursor.seq""",
        (name, seq, now_us),
    )


def gaps(connection: Connection) -> list[str]:
    """Names the first gap in the numbering; empty when there is none."""
    count, low, high = one(connection, "SELECT count(*), min(seq), max(seq) FROM event")
    if not count or (low == 1 and high == count):
        return []
    row = one(
        connection,
        "SELECT seq FROM event v WHERE NOT EXISTS (SELECT 1 FROM event WHERE seq = v.seq + 1) ORDER BY seq LIMIT 1",
    )
    return [f"journal: {count} events numbered {low}..{high}; first gap after {row[0] if low == 1 else 0}"]


NAMED = 20
_STATES = frozenset({"state_changed", "memory_forgotten", "memory_restored"})


def journal_digest() -> blake2b:
    """What the events of one commit are taken into, one after the other, for its audit line."""
    return blake2b(digest_size=16)


def event_bytes(event: Sequence[object]) -> bytes:
    """What is covered of an event: number, time, kind, memory, revision."""
    return msgspec.json.encode(event)


@dataclass(slots=True)
class _Told:
    """What the journal says stands now."""

    states: dict[bytes, str] = field(default_factory=dict)
    believed: dict[bytes, bool] = field(default_factory=dict)
    grants: dict[tuple[str, str], str | None] = field(default_factory=dict)
    seals: dict[str, tuple[int, str]] = field(default_factory=dict)
    placed: set[bytes] = field(default_factory=set)
    purged: set[bytes] = field(default_factory=set)
    about: dict[bytes, int] = field(default_factory=dict)
    struck: bool = False
    """Whether the detail of a grant was erased."""


def problems(connection: Connection) -> list[str]:
    """What does not agree, by name; empty when all does."""
    told = _Told()
    found = _lines(connection, told)
    for check in (_memories, _grants, _seals):
        found += check(connection, told)[:NAMED]
    return found


def _lines(connection: Connection, told: _Told) -> list[str]:
    """Walks the journal beside the audit lines of its commits."""
    lines = connection.execute(
        "SELECT id, subject, first_seq, last_seq, detail FROM audit WHERE first_seq IS NOT NULL ORDER BY first_seq"
    )
    events: Any = connection.execute(
        "SELECT seq, at_us, kind, memory, revision, subject, detail FROM event ORDER BY seq"
    )
    found: list[str] = []
    event = next(events, None)
    for line, subject, first, last, detail in lines:
        seen = journal_digest()
        while event is not None and event[0] <= last:
            if event[0] >= first:
                seen.update(event_bytes(event[:5]))
                if event[5] != subject:
                    found.append(f"event: row {event[0]} is of another subject than line {line} of the audit trail")
            _take(told, event)
            event = next(events, None)
        written = _written(detail)
        if written is not None and written != seen.hexdigest():
            found.append(f"event: rows {first} to {last} are not as line {line} of the audit trail saw them")
    while event is not None:
        found.append(f"event: row {event[0]} is in no line of the audit trail")
        _take(told, event)
        event = next(events, None)
    return found[:NAMED]


def _written(detail: str | None) -> str | None:
    told = msgspec.json.decode(detail) if detail and detail.startswith("{") else {}
    found = told.get("events")
    return found if isinstance(found, str) else None


def _take(told: _Told, event: Sequence[Any]) -> None:
    seq, _, kind, memory, _, _, text = event
    detail = msgspec.json.decode(text) if text else None
    if memory is not None:
        told.about[memory] = seq
    if kind == "memory_placed":
        told.placed.add(memory)
    elif kind == "memory_purged":
        told.purged.add(memory)
    elif kind in _STATES:
        told.states.pop(memory, None)
        if detail is not None:
            told.states[memory] = detail["to"]
    elif kind in ("memory_deprecated", "memory_undeprecated"):
        told.believed[memory] = kind == "memory_undeprecated"
    elif kind in ("grant_added", "grant_revoked"):
        told.struck = told.struck or detail is None
        if detail is not None:
            told.grants[detail["subject"], detail["glob"]] = detail.get("level")
    elif kind == "place_changed" and detail is not None:
        told.seals[detail["place"]] = (seq, detail["seal"])


def _memories(connection: Connection, told: _Told) -> list[str]:
    found = []
    there = set()
    for uuid, state, deprecated in connection.execute("SELECT uuid, state, deprecated_us FROM memory"):
        there.add(uuid)
        if uuid not in told.placed:
            found.append(f"memory {uuid.hex()}: no event placed it")
        if told.states.get(uuid, state) != state:
            found.append(f"memory {uuid.hex()}: it is {state}, the journal says {told.states[uuid]}")
        if told.believed.get(uuid, deprecated is None) != (deprecated is None):
            found.append(f"memory {uuid.hex()}: whether it is believed is not what the journal says")
    # A purge leaves the id of what it removed in the journal, and says so.
    gone = told.about.keys() - there - told.purged
    return found + [f"event: row {told.about[uuid]} is about a memory that is not there" for uuid in sorted(gone)]


def _grants(connection: Connection, told: _Told) -> list[str]:
    found = []
    there = set()
    for subject, glob, level in connection.execute("SELECT subject, glob, level FROM capability_grant"):
        there.add((subject, glob))
        given = told.grants.get((subject, glob))
        if given is None:
            if not told.struck:
                found.append(f"grant: {subject} on {glob} was given by no event")
        elif given != Level(level).name:
            found.append(f"grant: {subject} on {glob} is {Level(level).name}, the journal says {given}")
    lost = [key for key, level in told.grants.items() if level is not None and key not in there]
    return found + (
        [] if told.struck else [f"grant: {subject} on {glob} is gone without an event" for subject, glob in lost]
    )


def _seals(connection: Connection, told: _Told) -> list[str]:
    """A place has at least the seal of the one above it; the seal somebody last gave it; without one, that above."""
    found = []
    rows = list(
        connection.execute("SELECT p.path, p.seal, u.path, u.seal FROM place p LEFT JOIN place u ON u.id = p.parent")
    )
    for path, seal, above, over in rows:
        if path and above != path.rpartition(".")[0]:
            found.append(f"place {path}: the place above it is not {above!r}")
        if over is not None and SEALS.index(seal) < SEALS.index(over):
            found.append(f"place {path}: it is {seal} below a place that is {over}")
        chain = [path.rsplit(".", n)[0] for n in range(path.count(".") + 1)] + [""]
        last = max((told.seals[one] for one in dict.fromkeys(chain) if one in told.seals), default=None)
        if last is None and seal != ("vault" if path.partition(".")[0] == "vault" else "open"):
            found.append(f"place {path}: it is {seal}, and nobody changed its seal")
        elif last is not None and told.seals.get(path) == last and last[1] != seal:
            found.append(f"place {path}: it is {seal}, the journal says {last[1]}")
    return found
