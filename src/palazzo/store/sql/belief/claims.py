"""Claims in the tables: atomic statements with source handles, on their way from candidate to verified.

Owns the rows of claim, claim_source and claim_decision, and the mode. Knows no policy. Invariants: a status changes
only together with a receipt, and only from the status the decider saw; a receipt is never changed; a claim that
rests on a memory outside a reader's reach is as hidden from that reader as the memory is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any
from uuid import UUID

from palazzo.errors import Conflict, InvalidInput, NotFound, VersionConflict
from palazzo.model.address import Kref, Place, PlaceGlob, looks_like_address, parse_address
from palazzo.model.belief import CLAIM_MODES, AddClaim, Claimed, ClaimMode, ClaimStatus, DecideClaim, SetClaimMode
from palazzo.model.memory import TIERS
from palazzo.model.scope import Scope
from palazzo.store.api import Bounds, ClaimReceipt, StoredClaim
from palazzo.store.sql.memory.places import SEALS
from palazzo.store.sql.port import Connection, one
from palazzo.store.sql.reading import SqlReading
from palazzo.store.sql.seal.sealing import alike, marked, opened, sealed
from palazzo.store.sql.writing import SqlWriting
from palazzo.text.words.tokens import content_hash


def add(writing: SqlWriting, change: AddClaim) -> None:
    """Records a candidate with its source handles, as guarded as it and the strictest of its sources ask for."""
    writing.flush()
    named = [one.reference for one in change.sources if one.kind not in ("file", "url")]
    drawn = (row for reference in named for row in _named(writing.connection, change.scope, reference))
    tier = max((change.tier, *(row[3] for row in drawn)), key=TIERS.index)
    cipher = writing.cipher if tier != "clear" else None
    (claim,) = one(writing.connection, "SELECT coalesce(max(id), 0) + 1 FROM claim")
    writing.connection.execute(
        """INSERT INTO claim(id, uuid, scope, text, kind, status, recheck_days, created_us, updated_us, author, hash,
           tier) VALUES (?,?,?,?,?,'candidate',?,?,?,?,?,?)""",
        (
            claim, change.claim_id.bytes, writing.scope(change.scope), sealed(cipher, change.text, claim), change.kind,
            change.recheck_days, writing.now_us, writing.now_us, writing.subject,
            marked(cipher, content_hash(change.text)), tier,
        ),
    )  # fmt: skip
    writing.connection.executemany(
        "INSERT INTO claim_source VALUES (?,?,?,?,?)",
        [
            (claim, n, source.kind, alike(cipher, source.reference), sealed(cipher, source.excerpt, claim))
            for n, source in enumerate(change.sources)
        ],
    )
    writing.event("claim_added", None, None, {"claim": str(change.claim_id)})


def decide(writing: SqlWriting, change: DecideClaim) -> None:
    """Moves a claim to a status and writes the receipt.

    Raises: NotFound, VersionConflict when its status is no longer the expected one.
    """
    writing.flush()
    row = one(writing.connection, "SELECT id, status, tier FROM claim WHERE uuid = ?", (change.claim_id.bytes,))
    if row is None:
        raise NotFound(f"no claim {change.claim_id}")
    if row[1] != change.expected:
        raise VersionConflict(f"claim {change.claim_id} is {row[1]}, not {change.expected}")
    memory = writing.memory(change.memory_id)[0] if change.memory_id else None
    writing.connection.execute(
        "UPDATE claim SET status = ?, updated_us = ?, memory = coalesce(?, memory) WHERE id = ?",
        (change.status, writing.now_us, memory, row[0]),
    )
    writing.connection.execute(
        """INSERT INTO claim_decision(uuid, claim, at_us, subject, status, source_state, text_hash)
           VALUES (?,?,?,?,?,?,?)""",
        (
            change.receipt_id.bytes, row[0], writing.now_us, writing.subject, change.status, change.source_state,
            marked(writing.cipher if row[2] != "clear" else None, change.text_hash),
        ),
    )  # fmt: skip
    writing.event("claim_decided", None, None, {"claim": str(change.claim_id), "status": change.status})


def remove(connection: Connection, claim: int) -> None:
    """Removes a claim with its sources and receipts: for erasures."""
    connection.execute("DELETE FROM claim_source WHERE claim = ?", (claim,))
    connection.execute("DELETE FROM claim_decision WHERE claim = ?", (claim,))
    connection.execute("DELETE FROM claim WHERE id = ?", (claim,))


def naming(connection: Connection, told: Callable[[str], object]) -> set[int]:
    """Numbers of the claims whose text or sources say what is looked for: a scan."""
    rows = connection.execute(
        f"""SELECT c.id, {opened("c.text", "c.id")}, {opened("s.reference")}, {opened("s.excerpt", "s.claim")}
            FROM claim c LEFT JOIN claim_source s ON s.claim = c.id"""
    )
    return {number for number, *said in rows if any(told(text) for text in said if isinstance(text, str))}


def resting_on(connection: Connection, references: Iterable[str]) -> set[int]:
    """Numbers of the claims one of whose sources is named so, by id or by address: a scan."""
    wanted = frozenset(references)
    rows: list[Any] = connection.execute(
        f"SELECT claim, {opened('reference')} FROM claim_source WHERE kind NOT IN ('file', 'url')"
    ).fetchall()
    return {claim for claim, reference in rows if _stands_at(reference) in wanted}


def _stands_at(reference: str) -> str:
    """The place, name and kind of a memory that is named by its address; anything else as it is."""
    if not looks_like_address(reference):
        return reference
    found = parse_address(reference)
    return f"{found.place.path}/{found.name}.{found.kind}" if isinstance(found, Kref) else reference


def set_mode(writing: SqlWriting, change: SetClaimMode) -> None:
    if change.mode not in CLAIM_MODES:
        raise InvalidInput(f"unknown claim mode {change.mode!r}", field="mode", hint=", ".join(CLAIM_MODES))
    writing.connection.execute(
        "INSERT INTO palace VALUES ('claim_mode', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (change.mode,),
    )
    writing.event("claim_mode_set", None, None, {"mode": change.mode})


def mode(reading: SqlReading) -> ClaimMode:
    row = one(reading.connection, "SELECT value FROM palace WHERE key = 'claim_mode'")
    return row[0] if row else "observe"


_COLUMNS = f"""c.id, c.uuid, {opened("c.text", "c.id")}, c.kind, c.status, c.recheck_days, c.created_us, c.updated_us,
    c.author, (SELECT uuid FROM memory WHERE id = c.memory),
    (SELECT path FROM scope WHERE id = c.scope), c.tier"""


def _claim(reading: SqlReading, row: tuple[object, ...]) -> StoredClaim:
    number, uuid, text, kind, status, days, created, updated, author, memory, scope, tier = row
    sources = reading.connection.execute(
        f"""SELECT kind, {opened("reference")}, {opened("excerpt", "claim")} FROM claim_source
            WHERE claim = ? ORDER BY position""",
        (number,),
    )
    return StoredClaim(
        id=UUID(bytes=uuid), text=text, kind=kind, status=status, recheck_days=days, created_us=created,  # type: ignore[arg-type]
        updated_us=updated, author=author, memory_id=UUID(bytes=memory) if memory else None,  # type: ignore[arg-type]
        sources=tuple(Claimed(kind=k, reference=r, excerpt=e) for k, r, e in sources),
        scope=Scope.parse(scope), tier=tier,  # type: ignore[arg-type]
    )  # fmt: skip


def _scopes(reading: SqlReading) -> str:
    return ",".join(map(str, reading.scopes)) or "-1"


def get(reading: SqlReading, claim_id: UUID) -> StoredClaim:
    row = one(
        reading.connection,
        f"SELECT {_COLUMNS} FROM claim c WHERE c.uuid = ? AND c.scope IN ({_scopes(reading)})",
        (claim_id.bytes,),
    )
    found = None if row is None else _claim(reading, row)
    if found is None or _rests_on_hidden(reading, found):
        raise NotFound(f"no claim {claim_id}")
    return found


def with_status(reading: SqlReading, status: ClaimStatus, limit: int = 200) -> tuple[StoredClaim, ...]:
    """Claims of a status, newest first. Uses claim_status."""
    return _shown(reading, "c.status = ? AND", "ORDER BY c.updated_us DESC", status, limit)


def same_text(reading: SqlReading, text: str) -> tuple[StoredClaim, ...]:
    """Claims that say the same in the same words. Uses claim_hash."""
    plain = content_hash(text)
    found = _shown(reading, "c.hash = ? AND", "", plain, 100)
    return (
        found
        if reading.cipher is None
        else found + _shown(reading, "c.hash = ? AND", "", reading.cipher.mark(plain), 100)
    )


def _shown(reading: SqlReading, condition: str, order: str, value: str | bytes, limit: int) -> tuple[StoredClaim, ...]:
    rows = reading.connection.execute(
        f"SELECT {_COLUMNS} FROM claim c WHERE {condition} c.scope IN ({_scopes(reading)}) {order}", (value,)
    )
    found = (_claim(reading, row) for row in rows)
    return tuple(islice((claim for claim in found if not _rests_on_hidden(reading, claim)), limit))


def _rests_on_hidden(reading: SqlReading, claim: StoredClaim) -> bool:
    """Whether the claim became, or was drawn from, a memory that is there and that this reader may not know of.

    Its author sees it all the same: otherwise naming a memory in a claim would tell whether it is there.
    """
    if claim.author == reading.view.subject:
        return False
    hidden = f"NOT (m.scope IN ({reading.scope_list}) AND {reading.place_where})"
    named = [claim.memory_id] if claim.memory_id else []
    for source in claim.sources:
        if source.kind in ("file", "url"):
            continue
        try:
            named.append(UUID(source.reference))
        except ValueError:
            # Somebody else's memory at the same place is no concern of this claim: its address is read in its scope.
            if looks_like_address(source.reference):
                path = parse_address(source.reference).place.path
                if _any(reading, f"p.path = ? AND NOT {reading.place_where}", path):
                    return True
    return any(_any(reading, f"m.uuid = ? AND {hidden}", one.bytes) for one in named)


def _any(reading: SqlReading, condition: str, value: str | bytes) -> bool:
    rows = reading.connection.execute(
        f"SELECT 1 FROM memory m JOIN place p ON p.id = m.place WHERE {condition} LIMIT 1",
        (value, *reading.place_values),
    )
    return rows.fetchone() is not None


def bounds(reading: SqlReading, claim: StoredClaim) -> Bounds:
    named = [source.reference for source in claim.sources if source.kind not in ("file", "url")]
    rows = [row for reference in named for row in _named(reading.connection, claim.scope, reference)]
    scope = claim.scope
    for path, *_ in rows:
        other = Scope.parse(path)
        if not other.is_prefix_of(scope):
            if not scope.is_prefix_of(other):
                raise Conflict(
                    "its sources belong to scopes that have nothing in common",
                    hint="propose it once in each scope, from the sources there",
                )
            scope = other
    shut = sorted({(SEALS.index(seal), path) for _, path, seal, _ in rows if seal != "open"})
    place = Place.parse(shut[-1][1]) if shut else None
    if place is not None and not all(Place.parse(path).contains(place) for _, path in shut):
        raise Conflict(
            "its sources stand in places that are sealed apart",
            hint="propose it once for each place, from the sources there",
        )
    tier = max((claim.tier, *(tier for *_, tier in rows)), key=TIERS.index)
    return Bounds(scope, tier, place)


def _named(connection: Connection, scope: Scope, reference: str) -> list[Any]:
    """Scope, place, seal and tier of what a source names: a memory, a place, or the account of a message.

    An address is read in the scope of the claim. Uses memory_address and the unique indexes on uuid and path.
    """
    known = "FROM memory m JOIN place p ON p.id = m.place JOIN scope s ON s.id = m.scope WHERE"
    query = f"SELECT s.path, p.path, p.seal, m.tier {known} m.uuid = ?1"
    values: tuple[str | bytes, ...]
    try:
        values = (UUID(reference).bytes,)
    except ValueError:
        address = parse_address(reference) if looks_like_address(reference) else None
        if address is None:
            return []
        if isinstance(address, PlaceGlob):
            query, values = "SELECT '', path, seal, 'clear' FROM place WHERE path = ?", (address.place.path,)
        else:
            paths = [str(prefix) for prefix in scope.prefixes()]
            query = f"""SELECT s.path, p.path, p.seal, m.tier {known} p.path = ? AND m.name = ? AND m.kind = ?
                        AND s.path IN ({",".join("?" * len(paths))})"""
            values = (address.place.path, address.name, address.kind, *paths)
    else:
        query += """ UNION ALL SELECT s.path, '', 'open', 'clear' FROM intake i JOIN scope s ON s.id = i.scope
                     WHERE i.uuid = ?1"""
    return connection.execute(query, values).fetchall()


def receipts_of(reading: SqlReading, claim_id: UUID) -> tuple[ClaimReceipt, ...]:
    """Every decision about a claim, oldest first. Uses claim_decision_claim."""
    get(reading, claim_id)
    rows = reading.connection.execute(
        """SELECT d.uuid, d.at_us, d.subject, d.status, d.source_state, d.text_hash FROM claim_decision d
           WHERE d.claim = (SELECT id FROM claim WHERE uuid = ?) ORDER BY d.at_us, d.id""",
        (claim_id.bytes,),
    )
    return tuple(
        ClaimReceipt(
            id=UUID(bytes=own), claim_id=claim_id, at_us=at, subject=subject, status=status, source_state=state,
            text_hash=text_hash,
        )
        for own, at, subject, status, state, text_hash in rows
    )  # fmt: skip
