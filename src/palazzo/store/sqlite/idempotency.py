"""Requests that carry a key of their own: claimed before they run, answered once, replayed when they come again.

Owns the table idempotency. Knows nothing of operations: a request is a digest, an answer is a text. Invariants: one
request of a subject and key runs at a time; an answer is replayed only to the request it was given to; a claim whose
process died runs out by itself.
"""

from __future__ import annotations

from uuid import UUID

import apsw

from palazzo.errors import Conflict, KeyReused
from palazzo.ports import FieldCipher
from palazzo.store.api import KeyedRequest
from palazzo.store.sqlite.connection import Database
from palazzo.store.sqlite.seal.sealing import opened, sealed

RUNNING_US = 60_000_000
KEPT_US = 86_400_000_000
SWEPT = 100


def claim(database: Database, request: KeyedRequest, now_us: int) -> str | None:
    """The answer this request got before; None when it has none, and is now the caller's to run.

    Raises: KeyReused for another request under the same key, Conflict while it runs elsewhere.
    """

    def job(connection: apsw.Connection) -> str | None:
        _sweep(connection, now_us)
        row = connection.execute(
            f"SELECT digest, {opened('result')} FROM idempotency WHERE subject = ? AND key = ?",
            (request.subject, request.key),
        ).fetchone()
        if row is None:
            connection.execute(
                "INSERT INTO idempotency VALUES (?,?,?,?,NULL)",
                (request.subject, request.key, request.digest, now_us + RUNNING_US),
            )
            return None
        known, result = row
        if known != request.digest:
            raise KeyReused("this idempotency key was used for another request")
        if result is None:
            raise Conflict("a request with this idempotency key is still running", hint="wait, then send it again")
        return str(result)

    return database.write(job)


def _sweep(connection: apsw.Connection, now_us: int) -> None:
    """Deletes what has run out, a bounded number at a time: every claim adds one row at most."""
    connection.execute(
        """DELETE FROM idempotency WHERE (subject, key) IN (
               SELECT subject, key FROM idempotency WHERE until_us <= ? LIMIT ?)""",
        (now_us, SWEPT),
    )


def answer(database: Database, request: KeyedRequest, result: str, now_us: int, cipher: FieldCipher | None) -> None:
    """Keeps the answer to a claimed request for a day; in a palace with a key it is sealed, for it may quote."""

    def job(connection: apsw.Connection) -> None:
        connection.execute(
            "UPDATE idempotency SET result = ?, until_us = ? WHERE subject = ? AND key = ?",
            (sealed(cipher, result, 0), now_us + KEPT_US, request.subject, request.key),
        )

    database.write(job)


def release(database: Database, request: KeyedRequest) -> None:
    """Gives up a claim: the request failed and wrote nothing, so it may be sent again."""

    def job(connection: apsw.Connection) -> None:
        connection.execute(
            "DELETE FROM idempotency WHERE subject = ? AND key = ? AND result IS NULL", (request.subject, request.key)
        )

    database.write(job)


def forget(connection: apsw.Connection, memory_id: UUID) -> None:
    """Deletes every kept answer that names a memory: an address is made from content, and may not outlive it."""
    connection.execute(f"DELETE FROM idempotency WHERE instr({opened('result')}, ?) > 0", (str(memory_id),))
