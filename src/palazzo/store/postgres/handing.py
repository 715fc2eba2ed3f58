"""Writes that processes hand to each other: who finds the palace taken lets whoever has it next write for them.

Owns the table `handed`: what waits (its body is there), what was written (its outcome is there) and what its own
process has to write itself (neither is). It is not logged, so it costs no sync, and is empty after a crash, which also
ends everybody who waits. Knows nothing of what is written. Invariants: an outcome is in the transaction of the write it
tells of, so it is read only after that lasts; a row is taken by one writer and told of once; who gives up waiting
learns first whether it was written after all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from palazzo.errors import PalaceBusy
from palazzo.store.postgres import schema
from palazzo.store.postgres.connection import LOCK, NEWS, PostgresConnection

TABLE: Final = "handed"
MOST_BYTES: Final = 1 << 18
"""What is larger is written by its own process."""
MOST: Final = 64
"""Writes that one writer takes along."""
ABANDONED: Final = "interval '1 minute'"
"""A write that has waited for so long has perhaps nobody left who waits for it: nobody takes it, and its words go."""
FORGOTTEN: Final = "interval '1 day'"

DECLARED: Final = (
    f"""CREATE UNLOGGED TABLE IF NOT EXISTS {TABLE} (
        palace bigint NOT NULL DEFAULT {schema.PALACE}, ticket bytea NOT NULL,
        number bigint GENERATED ALWAYS AS IDENTITY, made timestamptz NOT NULL DEFAULT clock_timestamp(),
        body bytea, outcome bytea, PRIMARY KEY (palace, ticket))""",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_waiting ON {TABLE} (palace, number) WHERE body IS NOT NULL",
    f"""CREATE OR REPLACE FUNCTION collected(told bytea) RETURNS bytea LANGUAGE plpgsql AS $$
    DECLARE here int := {schema.PALACE}; found_one bytea; BEGIN
      PERFORM pg_advisory_lock_shared({LOCK}, here);
      PERFORM pg_advisory_unlock_shared({LOCK}, here);
      SELECT outcome INTO STRICT found_one FROM {TABLE} WHERE palace = here AND ticket = told;
      IF found_one IS NULL THEN
        PERFORM pg_advisory_xact_lock({LOCK}, here);
      END IF;
      DELETE FROM {TABLE} WHERE palace = here AND ticket = told RETURNING outcome INTO STRICT found_one;
      RETURN found_one; END $$""",
)
"""`collected` waits until whoever has the palace is through, with all who wait at once, and gives what came of a write.
Who came too late for that waits for the palace itself; gives that nothing either, the session has it and writes."""


def declare(connection: PostgresConnection) -> None:
    """Makes the table and its fence, once for all palaces."""
    for statement in (*DECLARED, *schema.fenced(TABLE, set())):
        connection.plain(statement)


def begin(connection: PostgresConnection) -> int | None:
    """Begins a transaction and takes the palace if nobody has it: how many writes wait then. None: somebody has it."""
    here = connection.translate.palace
    connection.begins()
    held, heard, waiting = (connection.plain(
        f"BEGIN; SELECT set_config('palazzo.held', pg_try_advisory_xact_lock({LOCK}, {here})::text, true); "
        "SELECT concat_ws(' ', current_setting('palazzo.held'), "
        f"current_setting('palazzo.held') = 'true' AND NOT pg_try_advisory_xact_lock({NEWS}, {here}), {_COUNT})"
    ) or b"").split()  # fmt: skip
    connection.heard = heard == b"t"
    return int(waiting) if held == b"true" else None


def begin_alone(connection: PostgresConnection) -> None:
    """Begins a transaction and waits for the palace: what is written in it is handed to nobody."""
    connection.execute("BEGIN IMMEDIATE")


_COUNT: Final = f"(SELECT count(*) FROM {TABLE} WHERE palace = {schema.PALACE} AND body IS NOT NULL)"


def waiting(connection: PostgresConnection) -> int:
    """How many writes wait now."""
    return int(connection.plain(f"SELECT {_COUNT}") or 0)


def hand(connection: PostgresConnection, body: bytes) -> bytes | None:
    """Hands a write over, in the transaction that was begun if one was, and waits: what came of it. None: it was
    nobody's, and this session has the palace now, in a transaction.

    Raises: PalaceBusy when somebody kept the palace for too long; then it is not written.
    """
    ticket = f"'\\x{os.urandom(16).hex()}'"
    begun = "" if connection.in_transaction else "BEGIN; "
    try:
        told = connection.plain(
            f"{begun}INSERT INTO {TABLE} (ticket, body) VALUES ({ticket}, '\\x{body.hex()}'); COMMIT; "
            f"BEGIN; SELECT collected({ticket})"
        )
    except PalaceBusy:
        told = _withdrawn(connection, ticket)
        if told is None:
            raise
        return _bytes(told)
    if not told:
        listened = f"SELECT pg_try_advisory_xact_lock({NEWS}, {connection.translate.palace})"
        connection.heard = connection.plain(listened) == b"f"
        return None
    connection.plain("COMMIT")
    return _bytes(told)


def _bytes(told: bytes) -> bytes:
    return bytes.fromhex(told[2:].decode())


def _withdrawn(connection: PostgresConnection, ticket: str) -> bytes | None:
    """Takes a write back; if somebody is writing it, waits for that and tells what came of it."""
    connection.execute("ROLLBACK")
    connection.plain("BEGIN; SET LOCAL lock_timeout = 0")
    told = connection.plain(
        f"DELETE FROM {TABLE} WHERE palace = {schema.PALACE} AND ticket = {ticket} RETURNING outcome"
    )
    connection.plain("COMMIT")
    return told or None


def take(connection: PostgresConnection) -> list[tuple[bytes, bytes]]:
    """The writes that wait, by ticket, for the writer who has the palace; they are answered in this transaction."""
    return list(connection.execute(
        f"""SELECT ticket, body FROM {TABLE} WHERE body IS NOT NULL
            AND made > clock_timestamp() - {ABANDONED} ORDER BY number LIMIT {MOST} FOR UPDATE SKIP LOCKED"""
    ))  # fmt: skip


def answer(connection: PostgresConnection, outcomes: Sequence[tuple[bytes, bytes | None]]) -> None:
    """Tells what came of writes that were taken; nothing: their own processes have to write them."""
    told = ",".join(f"('\\x{ticket.hex()}'::bytea, {_said(outcome)})" for ticket, outcome in outcomes)
    connection.plain(
        f"UPDATE {TABLE} h SET body = NULL, outcome = t.outcome FROM (VALUES {told}) t(ticket, outcome) "
        f"WHERE h.palace = {schema.PALACE} AND h.ticket = t.ticket"
    )


def _said(outcome: bytes | None) -> str:
    return "NULL::bytea" if outcome is None else f"'\\x{outcome.hex()}'::bytea"


def tidy(connection: PostgresConnection) -> None:
    """Empties what nobody waits for any more."""
    old = f"palace = {schema.PALACE} AND made < clock_timestamp()"
    connection.plain(
        f"UPDATE {TABLE} SET body = NULL WHERE {old} - {ABANDONED} AND body IS NOT NULL; "
        f"DELETE FROM {TABLE} WHERE {old} - {FORGOTTEN}"
    )
