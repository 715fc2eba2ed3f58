"""Forgetting a person: how they are recognised, and what names them in the palace after their memories are gone.

A person is known by name in any case, with or without `user:` before it, and by the names that the entity of that name
is known by. What was drawn from their words is theirs, however many steps lie between; what others said of them is not,
and is told apart. Owns the last step of forgetting somebody: rows of their scopes, their claims, grants and trails,
replies that name them, their name in the journal and in the audit trail. Their memories were purged before. Invariants:
the name is replaced by one word drawn at random, so that what one person did still reads as one person's; the audit
chain verifies afterwards, and its own new line says from which line on it was written again and which hash it ended
with before; it may be done twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from palazzo.model.scope import Scope
from palazzo.ports import FieldCipher
from palazzo.store.api import AuditLine, Erasing, called
from palazzo.store.api.keeping import name_pattern
from palazzo.store.sql import indexes, raw_events, slips, snapshots
from palazzo.store.sql import reading as scopes
from palazzo.store.sql.belief import claims
from palazzo.store.sql.guard import audit
from palazzo.store.sql.port import Connection, bound, one
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.seal.sealing import forms, opened
from palazzo.text.words.tokens import normalise

SHORTEST_NAME = 3
_DRAWN = ("derived_from", "inferred_from", "created_from")
_SAID = ("text", "summary", "key_fact", "label", "detail")


def names_of(connection: Connection, cipher: FieldCipher | None, user: str) -> tuple[str, ...]:
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


def spelled(connection: Connection, table: str, column: str, names: frozenset[str]) -> tuple[str, ...]:
    """The values of a column that are one of these casefolded names, as they are written there."""
    rows = connection.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")
    return tuple(value for (value,) in rows if isinstance(value, str) and value.casefold() in names)


def scopes_of(connection: Connection, user: str) -> tuple[int, ...]:
    """Numbers of the scopes that belong to a user."""
    rows = connection.execute("SELECT id, path FROM scope")
    return tuple(n for n, path in rows if (Scope.parse(path).get("user") or "").casefold() == user.casefold())


def theirs(reading: SqlReading, user: str) -> tuple[UUID, ...]:
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


def dreamt_from(reading: SqlReading, ids: Sequence[UUID]) -> tuple[UUID, ...]:
    """Uses memory_uuid, edge_target and provenance_source's key; below all views, for it returns ids alone."""
    connection, found = reading.connection, set[int]()
    waiting = {
        int(number)
        for one in ids
        for (number,) in connection.execute("SELECT id FROM memory WHERE uuid = ?", (one.bytes,))
    }
    while waiting:
        rows = connection.execute(
            """SELECT DISTINCT m.id FROM carray(?) c JOIN edge e ON e.target = c.value
                 AND e.kind IN ('derived_from', 'inferred_from')
               JOIN memory m ON m.id = e.source JOIN provenance_source s ON s.revision = m.current
               JOIN provenance_node n ON n.id = s.node WHERE n.kind = 'dream'""",
            (bound(sorted(waiting)),),
        )
        waiting = {int(number) for (number,) in rows} - found
        found |= waiting
    return _ids(connection, found)


def _drawn_from_messages(connection: Connection, names: frozenset[str], speakers: tuple[str, ...]) -> set[int]:
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


def naming(reading: SqlReading, names: Iterable[str]) -> tuple[UUID, ...]:
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
        f"""SELECT r.memory, {opened("x.text")} FROM mention x JOIN revision r ON r.id = x.revision
            WHERE x.text IS NOT NULL"""
    )
    found |= {number for number, text in rows if says(pattern, (text,))}
    return _ids(reading.connection, found)


def says(pattern: re.Pattern[str], told: Iterable[Any]) -> bool:
    """Whether one of these texts has a name of the pattern in it."""
    return any(pattern.search(text) for text in told if isinstance(text, str))


def _numbers(connection: Connection, statement: str, values: tuple[str, ...] = ()) -> set[int]:
    return {int(number) for (number,) in connection.execute(statement, values)}


def _marks(values: tuple[str, ...]) -> str:
    return ",".join("?" * len(values))


def _ids(connection: Connection, numbers: set[int]) -> tuple[UUID, ...]:
    rows = connection.execute(
        "SELECT m.uuid FROM carray(?) c JOIN memory m ON m.id = c.value ORDER BY m.id", (bound(sorted(numbers)),)
    )
    return tuple(UUID(bytes=uuid) for (uuid,) in rows)


GONE: tuple[tuple[str, str], ...] = (
    ("capability_grant", "subject"), ("idempotency", "subject"), ("token", "subject"), ("subject_met", "subject"),
    ("lifted_lock", "subject"), ("in_mind", "subject"), ("slip", "subject"),
    ("snapshot", "subject"),
    ("raw_event", "subject"),
)  # fmt: skip
"""Columns that say whose a row is: it goes with them."""
NAMED: tuple[tuple[str, str], ...] = (
    ("event", "subject"), ("revision", "author"), ("turn", "speaker"), ("claim_decision", "subject"),
    ("provenance_node", "author"), ("breadcrumb", "subject"), ("capability_grant", "granted_by"),
    ("lifted_lock", "lifted_by"), ("operator_plan", "subject"), ("packet", "subject"),
    ("job", "subject"), ("own_kind", "subject"),
)  # fmt: skip
"""Columns that hold the name of somebody who acted."""
TOLD: tuple[tuple[str, str], ...] = (
    ("provenance_node", "label"), ("provenance_node", "metadata"),
    ("memory", "last_session"), ("session", "thread"), ("session", "name"),
    ("breadcrumb", "trail"), ("token", "label"),
)  # fmt: skip
"""Columns that name a conversation, a file or a trail: a person's name in them is replaced, the rest stays."""
SAID: tuple[tuple[str, str, str], ...] = (
    ("event", "detail", "UPDATE event SET detail = NULL WHERE detail = ?"),
    ("operator_plan", "wanted", "DELETE FROM operator_plan WHERE wanted = ?"),
    ("operator_plan", "prior", "DELETE FROM operator_plan WHERE prior = ?"),
    ("packet", "told", "DELETE FROM packet WHERE told = ?"),
    ("signal", "dimension", "DELETE FROM signal WHERE dimension = ?"),
    ("intake", "pending", "UPDATE intake SET pending = NULL WHERE pending = ?"),
)
"""Columns with small facts; what becomes of a row that names the person."""


_KEYS: Final = {
    "breadcrumb": ("trail", "at_us", "place", "memory", "subject"), "session": ("scope", "thread", "name"),
}  # fmt: skip
"""Tables whose renamed column is part of a key: what stands under the new name already makes way."""


def _rename(connection: Connection, where: tuple[str, str], new: str, old: str) -> int:
    table, column = where
    if column in _KEYS.get(table, ()):
        same = " AND ".join(f"o.{name} = {table}.{name}" for name in _KEYS[table] if name != column)
        _run(
            connection,
            f"""DELETE FROM {table} WHERE {column} = ?1
                AND EXISTS (SELECT 1 FROM {table} o WHERE o.{column} = ?2 AND {same})""",
            (new, old),
        )
    return _run(connection, f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, old))


def forget_names(connection: Connection, intent: Erasing, now_us: int) -> dict[str, int]:
    """Takes a user out of every table; returns how many rows of each were removed or renamed.

    Inside a write transaction, after the user's memories were purged.
    """
    changed: dict[str, int] = {}
    names, word = called(intent.user), intent.pseudonym
    pattern = name_pattern((intent.user, *intent.names))
    for scope in scopes_of(connection, intent.user):
        for table, count in empty_scope(connection, scope).items():
            changed[table] = changed.get(table, 0) + count
    _claims(connection, intent, pattern, changed)
    for table, column in GONE:
        for value in spelled(connection, table, column, names):
            _count(changed, table, _run(connection, f"DELETE FROM {table} WHERE {column} = ?", (value,)))
    # Their author is about to be another: the digests of what they wrote no longer hold, and cannot be made here.
    for value in spelled(connection, "revision", "author", names):
        _run(connection, "UPDATE revision SET digest = NULL WHERE author = ?", (value,))
    # A digest of a text beside the name of who told it would let the name be guessed.
    _run(connection, "UPDATE revision SET looked = NULL WHERE looked IS NOT NULL", ())
    for table, column in NAMED:
        for value in spelled(connection, table, column, names):
            _count(changed, table, _rename(connection, (table, column), word, value))
    if pattern is not None:
        for table, column in TOLD:
            for value in _naming(connection, table, column, pattern):
                _count(changed, table, _rename(connection, (table, column), pattern.sub(word, value), value))
        for table, column, statement in SAID:
            for value in _naming(connection, table, column, pattern):
                _count(changed, table, _run(connection, statement, (value,)))
        _replies(connection, pattern, changed)
        _count(changed, "slip", slips.remove_naming(connection, pattern))
        _count(changed, "snapshot", snapshots.remove_naming(connection, pattern))
        _count(changed, "edge", _untold(connection, intent))
        _count(changed, "raw_event", raw_events.remove_naming(connection, pattern))
        _count(changed, "audit", rename_in_audit(connection, intent, now_us))
    return {table: count for table, count in changed.items() if count}


def remains(connection: Connection, intent: Erasing, mentioned: int) -> tuple[str, ...]:
    """What still tells of a person who was forgotten, with the reason."""
    pattern = name_pattern((intent.user, *intent.names))
    named = len(claims.naming(connection, pattern.search)) if pattern is not None else 0
    (acted,) = one(connection, "SELECT count(*) FROM event WHERE subject = ?", (intent.pseudonym,))
    told = (
        (mentioned, f"{mentioned} memories of others mention them: `mentions` erases those, too"),
        (named, f"{named} claims of others name them: `mentions` erases those, too"),
        (acted, f"{acted} journal events say that {intent.pseudonym} acted: the order of what happened is kept"),
    )
    return tuple(why for count, why in told if count)


def _naming(connection: Connection, table: str, column: str, pattern: re.Pattern[str]) -> list[str]:
    rows = connection.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")
    return [value for (value,) in rows if isinstance(value, str) and pattern.search(value)]


def _untold(connection: Connection, intent: Erasing) -> int:
    """Empties what is told of a link and names the person, by further names where mentions go too; the link stays."""
    pattern = name_pattern((intent.user, *(intent.names if intent.mentions else ())))
    rows: list[Any] = connection.execute(
        f"SELECT id, {opened('metadata', 'source')} FROM edge WHERE metadata IS NOT NULL"
    ).fetchall()
    found = [(number,) for number, told in rows if pattern is not None and pattern.search(told)]
    connection.executemany("UPDATE edge SET metadata = NULL WHERE id = ?", found)
    return len(found)


def _claims(connection: Connection, intent: Erasing, pattern: re.Pattern[str] | None, changed: dict[str, int]) -> None:
    """Removes the claims a person made; with `mentions` those that name them as well."""
    authors = spelled(connection, "claim", "author", called(intent.user))
    rows: list[Any] = connection.execute("SELECT id, author FROM claim").fetchall()
    gone = {number for number, author in rows if author in authors}
    if intent.mentions and pattern is not None:
        gone |= claims.naming(connection, pattern.search)
    for number in gone:
        claims.remove(connection, number)
    _count(changed, "claim", len(gone))


def _replies(connection: Connection, pattern: re.Pattern[str], changed: dict[str, int]) -> None:
    """Removes answers that are kept to be given again and that name the person."""
    rows: list[Any] = connection.execute(
        f"SELECT subject, key, {opened('result')} FROM idempotency WHERE result IS NOT NULL"
    ).fetchall()
    for subject, key, result in rows:
        if pattern.search(result):
            connection.execute("DELETE FROM idempotency WHERE subject = ? AND key = ?", (subject, key))
            _count(changed, "idempotency", 1)


def _count(changed: dict[str, int], table: str, count: int) -> None:
    changed[table] = changed.get(table, 0) + count


def _run(connection: Connection, statement: str, values: Iterable[str | int]) -> int:
    connection.execute(statement, tuple(values))
    return connection.changes()


def empty_scope(connection: Connection, scope: int) -> dict[str, int]:
    """Removes what a scope holds beside memories, and the scope itself."""
    changed: dict[str, int] = {}
    for statement in (
        "DELETE FROM relation WHERE subject IN (SELECT id FROM entity WHERE scope = ?)",
        "DELETE FROM relation WHERE object IN (SELECT id FROM entity WHERE scope = ?)",
        "DELETE FROM mention WHERE entity IN (SELECT id FROM entity WHERE scope = ?)",
        "DELETE FROM alias WHERE entity IN (SELECT id FROM entity WHERE scope = ?)",
        "DELETE FROM alias WHERE scope = ?",
        "DELETE FROM entity WHERE scope = ?",
        "DELETE FROM claim_source WHERE claim IN (SELECT id FROM claim WHERE scope = ?)",
        "DELETE FROM claim_decision WHERE claim IN (SELECT id FROM claim WHERE scope = ?)",
        "DELETE FROM claim WHERE scope = ?",
        "DELETE FROM session WHERE scope = ? AND NOT EXISTS (SELECT 1 FROM turn WHERE session = session.id)",
        "DELETE FROM intake WHERE scope = ?",
        "DELETE FROM signal WHERE scope = ?",
        "DELETE FROM packet WHERE scope = ?",
        "DELETE FROM slip WHERE scope = ?",
        "DELETE FROM snapshot WHERE scope = ?",
        "DELETE FROM raw_event WHERE scope = ?",
        "DELETE FROM in_mind WHERE scope = ?",
    ):
        table = statement.split()[2]
        _count(changed, table, _run(connection, statement, (scope,)))
    if one(connection, "SELECT NOT EXISTS (SELECT 1 FROM memory WHERE scope = ?)", (scope,))[0]:
        for partition in indexes.partitions(scope):
            _run(connection, "DELETE FROM text_scope WHERE scope = ?", (partition,))
            _run(connection, "DELETE FROM vector_partition WHERE scope = ?", (partition,))
        _count(changed, "scope", scopes.remove(connection, scope))
    return changed


def rename_in_audit(connection: Connection, intent: Erasing, now_us: int) -> int:
    """Replaces a name in the audit trail and chains the lines from there on anew; returns how many lines named it."""
    names, word = called(intent.user), intent.pseudonym
    pattern = name_pattern((intent.user, *intent.names))

    def renamed(row: Row) -> Row:
        subject, place, detail, query = row
        if pattern is not None and place is not None:
            place = pattern.sub(word, place)
        told = pattern is not None and detail is not None and pattern.search(detail) is not None
        return (word if subject and subject.casefold() in names else subject), place, None if told else detail, query

    return rewrite_audit(connection, renamed, ("forget_user", "renamed"), now_us)


Row = tuple[str | None, str | None, str | None, str | None]
"""Who, where, the detail and the hash of the question of an audit line."""


def rewrite_audit(connection: Connection, change: Callable[[Row], Row], why: tuple[str, str], now_us: int) -> int:
    """Alters lines of the audit trail and chains it anew from the first of them; a new line says so and from where."""
    action, done = why
    rows: list[Any] = connection.execute("SELECT id, subject, place, detail, query FROM audit ORDER BY id").fetchall()
    altered = [(number, after) for number, *row in rows if (after := change(tuple(row))) != tuple(row)]
    if not altered:
        return 0
    (ended,) = one(connection, "SELECT hash FROM audit ORDER BY id DESC LIMIT 1")
    connection.executemany(
        """UPDATE audit SET subject = ?2, place = ?3, detail_hash = iif(?6 = 1, NULL, detail_hash), detail = ?4,
           query = ?5 WHERE id = ?1""",
        [(number, *after, int(after[2] is None)) for number, after in altered],
    )
    first = altered[0][0]
    audit.chain_again(connection, first)
    audit.append(
        connection,
        AuditLine(
            at_us=now_us, subject="operator", action=action,
            detail=f"{len(altered)} lines {done} from line {first} on; the chain ended with {ended.hex()}",
        ),
    )  # fmt: skip
    return len(altered)
