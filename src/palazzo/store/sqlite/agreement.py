"""Whether what the palace says of itself agrees: the journal with the audit trail, and both with what stands now.

Part of verify. Reads below all views and tells ids, names of places and subjects, never content. An event keeps its
number, time, kind and what it is about for good, but its detail may be erased by law: where one is gone, nothing is
concluded from its absence. Invariant: it changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import apsw
import msgspec

from palazzo.model.capability import Level
from palazzo.store.sqlite.rows import SEALS

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


def problems(connection: apsw.Connection) -> list[str]:
    """What does not agree, by name; empty when all does."""
    told = _Told()
    found = _lines(connection, told)
    for check in (_memories, _grants, _seals):
        found += check(connection, told)[:NAMED]
    return found


def _lines(connection: apsw.Connection, told: _Told) -> list[str]:
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


def _memories(connection: apsw.Connection, told: _Told) -> list[str]:
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


def _grants(connection: apsw.Connection, told: _Told) -> list[str]:
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


def _seals(connection: apsw.Connection, told: _Told) -> list[str]:
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
