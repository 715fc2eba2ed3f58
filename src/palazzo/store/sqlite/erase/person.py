"""A person in the palace: the names they are known by, what is theirs, and where others speak of them.

Owns how a person is recognised: by name in any case, with or without `user:` before it, and by the names that the
entity of that name is known by. Erases nothing. Invariant: what was drawn from a person's words is theirs, however many
steps lie between; what others said of them is not, and is told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import apsw

from palazzo.model.scope import Scope
from palazzo.ports import FieldCipher
from palazzo.store.api.keeping import called, name_pattern
from palazzo.store.sqlite.reading import SqliteReading, bound
from palazzo.store.sqlite.seal.sealing import forms, opened
from palazzo.text.words.tokens import normalise

SHORTEST_NAME = 3
_DRAWN = ("derived_from", "inferred_from", "created_from")
_SAID = ("text", "summary", "key_fact", "label", "detail")


def names_of(connection: apsw.Connection, cipher: FieldCipher | None, user: str) -> tuple[str, ...]:
    """The names a user is known by: their own, and those of the entity of that name. Uses the keys of alias.

    What does not begin like a name ("the boss") is left out: others are called that, too.
    """
    keys = forms(cipher, normalise(user))
    rows = connection.execute(
        f"""SELECT DISTINCT {opened("b.text")}, {opened("e.name")} FROM alias a JOIN alias b ON b.entity = a.entity
            JOIN entity e ON e.id = a.entity WHERE a.key IN ({",".join("?" * len(keys))})""",
        keys,
    )
    found = {str(name) for row in rows for name in row}
    known = {name for name in found if len(name) >= SHORTEST_NAME and name[:1].isupper()}
    return (user, *sorted(name for name in known if name.casefold() != user.casefold()))


def spelled(connection: apsw.Connection, table: str, column: str, names: frozenset[str]) -> tuple[str, ...]:
    """The values of a column that are one of these casefolded names, as they are written there."""
    rows = connection.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")
    return tuple(value for (value,) in rows if isinstance(value, str) and value.casefold() in names)


def scopes_of(connection: apsw.Connection, user: str) -> tuple[int, ...]:
    """Numbers of the scopes that belong to a user."""
    rows = connection.execute("SELECT id, path FROM scope")
    return tuple(n for n, path in rows if (Scope.parse(path).get("user") or "").casefold() == user.casefold())


def theirs(reading: SqliteReading, user: str) -> tuple[UUID, ...]:
    """Memories of a user, oldest first: in their scopes, written or said by them, and drawn from any of these.

    Uses provenance_source_node, edge_target and the primary keys; names are compared in a scan of distinct ones.
    """
    connection, names = reading.connection, called(user)
    scopes = ",".join(map(str, scopes_of(connection, user))) or "-1"
    found = _numbers(connection, f"SELECT id FROM memory WHERE scope IN ({scopes})")
    authors = spelled(connection, "revision", "author", names)
    found |= _numbers(connection, f"SELECT memory FROM revision WHERE author IN ({_marks(authors)})", authors)
    speakers = spelled(connection, "turn", "speaker", names)
    found |= _numbers(
        connection,
        f"SELECT r.memory FROM turn t JOIN revision r ON r.id = t.revision WHERE t.speaker IN ({_marks(speakers)})",
        speakers,
    )
    found |= _drawn_from_messages(connection, names, speakers)
    waiting = found
    while waiting:
        rows = connection.execute(
            f"""SELECT DISTINCT e.source FROM carray(?) c JOIN edge e ON e.target = c.value
                WHERE e.kind IN ({_marks(_DRAWN)})""",
            (bound(sorted(waiting)), *_DRAWN),
        )
        waiting = {number for (number,) in rows} - found
        found |= waiting
    return _ids(connection, found)


def _drawn_from_messages(connection: apsw.Connection, names: frozenset[str], speakers: tuple[str, ...]) -> set[int]:
    """Memories made from what the person said or sent; a source that others speak in as well is not theirs alone."""
    authors = spelled(connection, "provenance_node", "author", names)
    nodes = _numbers(connection, f"SELECT id FROM provenance_node WHERE author IN ({_marks(authors)})", authors)
    nodes |= _numbers(
        connection,
        f"""SELECT s.node FROM turn t JOIN provenance_source s ON s.revision = t.revision
            WHERE t.speaker IN ({_marks(speakers)}) AND NOT EXISTS (
                SELECT 1 FROM provenance_source o JOIN turn u ON u.revision = o.revision
                WHERE o.node = s.node AND u.speaker NOT IN ({_marks(speakers)}))""",
        (*speakers, *speakers),
    )
    rows = connection.execute(
        """SELECT DISTINCT r.memory FROM carray(?) c JOIN provenance_source s ON s.node = c.value
           JOIN revision r ON r.id = s.revision""",
        (bound(sorted(nodes)),),
    )
    return {number for (number,) in rows}


def naming(reading: SqliteReading, names: Iterable[str]) -> tuple[UUID, ...]:
    """Memories whose texts, address or mentions name somebody, oldest first: a scan of every revision."""
    pattern = name_pattern(names)
    if pattern is None:
        return ()
    columns = ", ".join(opened(f"r.{name}", "r.id") for name in _SAID)
    rows = reading.connection.execute(
        f"""SELECT m.id, m.name, p.path, {columns} FROM revision r JOIN memory m ON m.id = r.memory
            JOIN place p ON p.id = m.place"""
    )
    found = {number for number, *told in rows if says(pattern, told)}
    rows = reading.connection.execute(
        f"SELECT r.memory, {opened('x.text')} FROM mention x JOIN revision r ON r.id = x.revision WHERE x.text NOT NULL"
    )
    found |= {number for number, text in rows if says(pattern, (text,))}
    return _ids(reading.connection, found)


def says(pattern: re.Pattern[str], told: Iterable[Any]) -> bool:
    """Whether one of these texts has a name of the pattern in it."""
    return any(pattern.search(text) for text in told if isinstance(text, str))


def _numbers(connection: apsw.Connection, statement: str, values: tuple[str, ...] = ()) -> set[int]:
    return {int(number) for (number,) in connection.execute(statement, values)}


def _marks(values: tuple[str, ...]) -> str:
    return ",".join("?" * len(values))


def _ids(connection: apsw.Connection, numbers: set[int]) -> tuple[UUID, ...]:
    rows = connection.execute(
        "SELECT m.uuid FROM carray(?) c JOIN memory m ON m.id = c.value ORDER BY m.id", (bound(sorted(numbers)),)
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)
