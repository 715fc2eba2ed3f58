"""Scopes in the store: a small table that gives each scope path a number, and which of them a reader sees."""

from __future__ import annotations

import apsw

from palazzo.model.capability import View
from palazzo.model.scope import Scope, visible
from palazzo.text.safety import gate


def scope_id(connection: apsw.Connection, scope: Scope) -> int:
    """The number of a scope, made on first use (inside a write transaction).

    Raises: Refused when a new one holds a secret.
    """
    path = str(scope)
    found = connection.execute("SELECT id FROM scope WHERE path = ?", (path,)).fetchone()
    if found:
        return int(found[0])
    gate.refuse_scope(scope)
    connection.execute(
        """INSERT INTO scope(id, path) SELECT 1 + max(coalesce((SELECT max(id) FROM scope), 0),
           coalesce((SELECT CAST(value AS INTEGER) FROM palace WHERE key = 'scopes_below'), 0)), ?""",
        (path,),
    )
    return connection.last_insert_rowid()


def remove(connection: apsw.Connection, number: int) -> int:
    """Takes a scope out whose partitions of the indexes are gone; returns how many there were of it.

    Its number is never used again: caches of other processes know the partitions by it, and count from their beginning.
    """
    connection.execute("DELETE FROM scope WHERE id = ?", (number,))
    removed = connection.changes()
    connection.execute(
        """INSERT INTO palace VALUES ('scopes_below', ?) ON CONFLICT (key) DO UPDATE SET
           value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))""",
        (str(number),),
    )
    return removed


def visible_scopes(connection: apsw.Connection, view: View) -> tuple[int, ...]:
    """Numbers of the scopes this view shows: the reader's path and its prefixes; more for an orchestrator."""
    if view.all_scopes:
        return tuple(number for (number,) in connection.execute("SELECT id FROM scope"))
    paths = [str(prefix) for prefix in view.scope.prefixes()]
    marks = ",".join("?" * len(paths))
    found = [n for (n,) in connection.execute(f"SELECT id FROM scope WHERE path IN ({marks})", paths)]
    led = view.scope.led if view.orchestrator else None
    if led is not None:
        below = f"{led}/"
        rows = connection.execute(
            "SELECT id, path FROM scope WHERE path >= ? AND path < ?", (below, below + "\U0010ffff")
        )
        found += [
            n for n, path in rows
            if n not in found and visible(view.scope, Scope.parse(path), orchestrator=True)
        ]  # fmt: skip
    return tuple(found)
