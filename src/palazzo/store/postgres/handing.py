"""Writes that processes hand to each other: who finds the palace taken lets whoever has it next write for them.

Owns the table `handover`: what waits (its body is there), what was written (its outcome is there) and what its own
process has to write itself (neither is). It is not logged, so it costs no sync, and is empty after a crash, which also
ends everybody who waits. Owns the form of commits and of what came of them as bytes, too; it lasts for moments, so it
has no versions: who knows other changes does not read it. Invariants: an outcome is in the transaction of the write it
tells of, so it is read only after that lasts; a row is taken by one writer and told of once; who gives up waiting
learns first whether it was written after all; what is unpacked is what was packed, vectors included; in a palace with
a key the bytes are sealed, and nothing that was read from them is ever run.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Final

import msgspec
import numpy as np
from msgspec.structs import replace

from palazzo.errors import PalaceBusy, WrongKey
from palazzo.model.change import AddRevision, PlaceMemory, Receipt
from palazzo.store.postgres import schema
from palazzo.store.postgres.connection import LOCK, NEWS, PostgresConnection
from palazzo.store.sql.apply import JOINING, Batch
from palazzo.text.safety.gate import Gated

TABLE: Final = "handover"
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
        body bytea, outcome bytea, PRIMARY KEY (palace, ticket)) WITH (toast_tuple_target = 8160)""",
    f"ALTER TABLE {TABLE} ALTER COLUMN body SET STORAGE EXTERNAL",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_waiting ON {TABLE} (palace, number) WHERE body IS NOT NULL",
    f"""CREATE OR REPLACE PROCEDURE hand_over(told bytea, written bytea, INOUT came bytea) LANGUAGE plpgsql AS $$
    DECLARE here int := {schema.PALACE}; waits boolean; BEGIN
      INSERT INTO {TABLE} (ticket, body) VALUES (told, written);
      COMMIT;
      PERFORM pg_advisory_lock_shared({LOCK}, here);
      PERFORM pg_advisory_unlock_shared({LOCK}, here);
      SELECT outcome IS NULL INTO STRICT waits FROM {TABLE} WHERE palace = here AND ticket = told;
      IF waits THEN
        PERFORM pg_advisory_lock({LOCK}, here);
      END IF;
      DELETE FROM {TABLE} WHERE palace = here AND ticket = told RETURNING outcome INTO STRICT came;
      IF waits AND came IS NOT NULL THEN
        PERFORM pg_advisory_unlock({LOCK}, here);
      END IF; END $$""",
    "DROP FUNCTION IF EXISTS collected",
    "DROP TABLE IF EXISTS handed",
)
"""`hand_over` lays a write there, waits until whoever has the palace is through, with all who wait at once, and gives
what came of it. Who came too late for that waits for the palace itself; gives that nothing either, the session has it
beyond its transaction, and writes. All of it is one round trip. What earlier releases had for it goes."""


def declare(connection: PostgresConnection) -> None:
    """Makes the table and its fence, once for all palaces."""
    for statement in (*DECLARED, *schema.fenced(TABLE, set())):
        connection.plain(statement)


def begin(connection: PostgresConnection) -> int | None:
    """Begins a transaction and takes the palace if nobody has it: how many writes wait then. None: somebody has it."""
    connection.begins()
    held = f"set_config('palazzo.held', pg_try_advisory_xact_lock({LOCK}, {connection.translate.palace})::text, true)"
    told = _begun(connection, held, "current_setting('palazzo.held') = 'true'")
    if told is None:
        connection.plain("ROLLBACK")
    return told


def _begun(connection: PostgresConnection, taken: str, held: str) -> int | None:
    """Begins a transaction that takes the palace so: how many writes wait, and whether somebody listens; None where it
    is not held then."""
    listened = f"pg_try_advisory_xact_lock({NEWS}, {connection.translate.palace})"
    told = connection.plain(
        f"BEGIN; SELECT {taken}; SELECT CASE WHEN {held} THEN concat_ws(' ', {listened}, {_COUNT}) END"
    )
    if not told:
        return None
    unheard, waiting = told.split()
    connection.heard = unheard == b"f"
    return int(waiting)


def begin_alone(connection: PostgresConnection) -> None:
    """Begins a transaction and waits for the palace: what is written in it is handed to nobody."""
    connection.execute("BEGIN IMMEDIATE")


_COUNT: Final = f"""(SELECT count(*) FROM (
    SELECT 1 FROM {TABLE} WHERE palace = {schema.PALACE} AND body IS NOT NULL ORDER BY number LIMIT {MOST}) waiting)"""
"""In the order of the index: so what is gone from it is passed over once and not each time."""


def waiting(connection: PostgresConnection) -> int:
    """How many writes wait now."""
    return int(connection.plain(f"SELECT {_COUNT}") or 0)


def hand(connection: PostgresConnection, body: bytes) -> bytes | int:
    """Hands a write over and waits: what came of it. A number: it was nobody's, this session has the palace now, in a
    transaction, and so many others wait.

    Raises: PalaceBusy when somebody kept the palace for too long; then it is not written.
    """
    ticket = os.urandom(16)
    try:
        ((told,),) = connection.execute("CALL hand_over(?, ?, NULL)", (ticket, body))
        if told is not None:
            return bytes(told)
        here = f"({LOCK}, {connection.translate.palace})"
        return _begun(connection, f"pg_advisory_xact_lock{here}, pg_advisory_unlock{here}", "true") or 0
    except BaseException as error:
        if connection.usable:
            connection.plain("ROLLBACK; SELECT pg_advisory_unlock_all()")
            if isinstance(error, PalaceBusy) and (told := _withdrawn(connection, ticket)) is not None:
                return told
        raise


def _withdrawn(connection: PostgresConnection, ticket: bytes) -> bytes | None:
    """Takes a write back; if somebody is writing it, waits for that and tells what came of it."""
    connection.plain("BEGIN; SET LOCAL lock_timeout = 0")
    rows = list(connection.execute(f"DELETE FROM {TABLE} WHERE ticket = ? RETURNING outcome", (ticket,)))
    connection.plain("COMMIT")
    return bytes(rows[0][0]) if rows and rows[0][0] is not None else None


def take(connection: PostgresConnection) -> list[tuple[bytes, bytes]]:
    """The writes that wait, by ticket, for the writer who has the palace; they are answered in this transaction."""
    return list(connection.execute(
        f"""SELECT ticket, body FROM {TABLE} WHERE body IS NOT NULL
            AND made > clock_timestamp() - {ABANDONED} ORDER BY number LIMIT {MOST} FOR UPDATE SKIP LOCKED"""
    ))  # fmt: skip


def answer(connection: PostgresConnection, outcomes: Sequence[tuple[bytes, bytes | None]]) -> None:
    """Tells what came of writes that were taken; nothing: their own processes have to write them. It travels with what
    ends the transaction."""
    connection.later(
        f"UPDATE {TABLE} h SET body = NULL, outcome = t.outcome "
        f"FROM unnest($1::bytea[], $2::bytea[]) t(ticket, outcome) "
        f"WHERE h.palace = {schema.PALACE} AND h.ticket = t.ticket",
        [_array([ticket for ticket, _ in outcomes]), _array([outcome for _, outcome in outcomes])],
    )


def _array(values: Sequence[bytes | None]) -> bytes:
    return b"{%s}" % b",".join(b"NULL" if one is None else b'"\\\\x%s"' % one.hex().encode() for one in values)


def tidy(connection: PostgresConnection) -> None:
    """Empties what nobody waits for any more."""
    old = f"palace = {schema.PALACE} AND made < clock_timestamp()"
    connection.plain(
        f"UPDATE {TABLE} SET body = NULL WHERE {old} - {ABANDONED} AND body IS NOT NULL; "
        f"DELETE FROM {TABLE} WHERE {old} - {FORGOTTEN}"
    )


_TYPES: Final = {kind.__name__: kind for kind in sorted(JOINING, key=lambda kind: kind.__name__)}


class _Packed(msgspec.Struct, array_like=True):
    """One commit: when, by whom, and its changes, each with its name."""

    now_us: int
    subject: str
    changes: list[tuple[str, msgspec.Raw]]


@cache
def _form() -> bytes:
    """What the changes look like in this release."""
    shapes = msgspec.json.schema_components(_TYPES.values())
    return blake2b(msgspec.json.encode(shapes, order="deterministic"), digest_size=8).digest()


def packed(batches: Sequence[Batch]) -> bytes:
    """What commits of one process are about."""
    said = _encoder.encode((_form(), [
        _Packed(one.now_us, one.subject, [
            (type(change).__name__, msgspec.Raw(_encoder.encode(change))) for change in one.gated.changes
        ])
        for one in batches
    ]))  # fmt: skip
    cipher = batches[0].cipher
    return said if cipher is None else cipher.seal(b64encode(said).decode(), 0)


def unpacked(said: bytes, beside: Batch) -> list[Batch]:
    """Commits that another process packed, to be written beside one of this process's own; none where they are not to
    be read here: of another release, or sealed by another key."""
    try:
        clear = said if beside.cipher is None else b64decode(beside.cipher.open(said, 0))
        form, told = _decoder.decode(clear)
        if form != _form():
            return []
        return [beside._replace(gated=Gated(_changes(one)), now_us=one.now_us, subject=one.subject) for one in told]
    except (msgspec.DecodeError, WrongKey, KeyError, ValueError):
        return []


def packed_receipts(receipts: Sequence[Receipt], together: int) -> bytes:
    """What came of the commits of one process, without the notes, which it has; and how many processes it was."""
    return msgspec.msgpack.encode((together, [(one.first_seq, one.last_seq, one.changes) for one in receipts]))


def unpacked_receipts(said: bytes, batches: Sequence[Batch]) -> tuple[int, list[Receipt]]:
    """The same, each with its notes."""
    together, told = msgspec.msgpack.decode(said, type=tuple[int, list[tuple[int, int, int]]])
    return together, [Receipt(*one, batch.gated.notes) for one, batch in zip(told, batches, strict=True)]


def _changes(one: _Packed) -> tuple[Any, ...]:
    return tuple(_seen(msgspec.msgpack.decode(body, type=_TYPES[name])) for name, body in one.changes)


def _seen(change: Any) -> Any:
    """A change whose vectors are figures again."""
    if isinstance(change, PlaceMemory | AddRevision) and change.attachments.vectors:
        vectors = {name: np.frombuffer(one, np.float32) for name, one in change.attachments.vectors.items()}
        return replace(change, attachments=replace(change.attachments, vectors=vectors))
    return change


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else np.asarray(value, np.float32).tobytes()


_encoder: Final = msgspec.msgpack.Encoder(enc_hook=_plain)
_decoder: Final = msgspec.msgpack.Decoder(tuple[bytes, list[_Packed]])
