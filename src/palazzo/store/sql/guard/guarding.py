"""The guard's rows: grants, tokens by their hash, subjects met, locks lifted, policies, an operator's plans, and the
packets of the integration spine.

Owns the statements; deciding is the guard's business. Invariant: whatever changes who may do what raises the guard
version in the same transaction, so that a cache of another process is never believed after it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from palazzo.errors import NotFound, PalazzoError, VersionConflict
from palazzo.model import capability as g
from palazzo.model.address import ROOT, PlaceGlob
from palazzo.model.capability import Grant, Level
from palazzo.model.scope import Scope
from palazzo.store.api import SubjectGrants
from palazzo.store.sql.port import Connection
from palazzo.store.sql.rows import columns, require
from palazzo.store.sql.writing import SqlWriting

VERSION = "guard_version"
_OF_TOKEN = "uuid, subject, label, scope, created_us, expires_us, revoked_us"  # noqa: S105 - columns
_SELECTED = columns("token", _OF_TOKEN.replace(",", ""))
_PLAN = "uuid, kind, wanted, prior, state, subject, made_us, changed_us"


_DAMAGED = (ValueError, TypeError, PalazzoError)
"""What a row that cannot be read ends in."""


def touch(writing: SqlWriting) -> None:
    """Tells every cache of every process that what subjects may do has changed."""
    _put(writing.connection, VERSION, str(writing.next_seq))


def _put(connection: Connection, key: str, value: str) -> None:
    connection.execute(
        "INSERT INTO palace VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value)
    )


def version(connection: Connection) -> int:
    found = connection.execute("SELECT CAST(value AS INTEGER) FROM palace WHERE key = ?", (VERSION,)).fetchone()
    if found and found[0] <= 0:
        return -time.monotonic_ns()  # damaged: nothing was read at it, so nothing that was read is believed
    return int(found[0]) if found else 0


def add_token(writing: SqlWriting, change: g.AddToken) -> None:
    token = change.token
    writing.connection.execute(
        "INSERT INTO token VALUES (?,?,?,?,?,?,?,NULL)",
        (
            change.digest, token.id.bytes, token.subject, token.label, str(token.scope), writing.now_us,
            token.expires_us,
        ),
    )  # fmt: skip
    writing.event("token_added", None, None, {"token": str(token.id), "subject": token.subject})


def revoke_token(writing: SqlWriting, change: g.RevokeToken) -> None:
    """Raises: NotFound."""
    writing.connection.execute(
        "UPDATE token SET revoked_us = ? WHERE uuid = ? AND revoked_us IS NULL",
        (writing.now_us, change.token_id.bytes),
    )
    if not writing.connection.changes():
        raise NotFound(f"no token {change.token_id} that still holds")
    writing.event("token_revoked", None, None, {"token": str(change.token_id)})


def _token(row: Any) -> g.Token:
    require(_SELECTED, row)
    return g.Token(
        id=UUID(bytes=row[0]), subject=row[1], label=row[2], scope=Scope.parse(row[3]), created_us=row[4],
        expires_us=row[5], revoked_us=row[6],
    )  # fmt: skip


def token_with(connection: Connection, digest: bytes) -> g.Token | None:
    """The token whose text has this hash; a damaged one opens nothing. Uses the primary key of token."""
    try:
        row = connection.execute(f"SELECT {_OF_TOKEN} FROM token WHERE digest = ?", (digest,)).fetchone()
        return _token(row) if row else None
    except _DAMAGED:
        return None


def tokens(connection: Connection) -> tuple[g.Token, ...]:
    """Every token that can be read, oldest first, revoked ones too."""
    found = []
    for (digest,) in connection.execute("SELECT digest FROM token ORDER BY created_us, uuid"):
        token = token_with(connection, digest)
        if token is not None:
            found.append(token)
    return tuple(found)


def meet(writing: SqlWriting, change: g.MeetSubject) -> None:
    """Keeps the first sight only."""
    writing.connection.execute("INSERT OR IGNORE INTO subject_met VALUES (?,?)", (change.subject, writing.now_us))
    if writing.connection.changes():
        writing.event("subject_met", None, None, {"subject": change.subject})
        touch(writing)


def first_sight(connection: Connection, subject: str) -> int | None:
    """When a subject was first seen; None while it never was. Uses the primary key of subject_met."""
    row = connection.execute("SELECT first_us FROM subject_met WHERE subject = ?", (subject,)).fetchone()
    return int(row[0]) if row else None


def set_lock(writing: SqlWriting, change: g.SetLock) -> None:
    execute = writing.connection.execute
    execute("DELETE FROM lifted_lock WHERE subject = ?", (change.subject,))
    execute("DELETE FROM palace WHERE key = ?", (_LOCKED + change.subject,))
    if change.lifted:
        execute("INSERT INTO lifted_lock VALUES (?,?,?)", (change.subject, writing.now_us, writing.subject))
    elif change.lifted is not None:
        _put(writing.connection, _LOCKED + change.subject, writing.subject)
    writing.event("lock_lifted" if change.lifted else "lock_restored", None, None, {"subject": change.subject})
    touch(writing)


_LOCKED = "locked."


def lock_of(connection: Connection, subject: str) -> bool | None:
    """Whether an operator lifted this subject's hard lock (True) or locked it (False); None while nobody decided.

    Uses the primary keys of lifted_lock and palace.
    """
    if connection.execute("SELECT 1 FROM lifted_lock WHERE subject = ?", (subject,)).fetchone() is not None:
        return True
    locked = connection.execute("SELECT 1 FROM palace WHERE key = ?", (_LOCKED + subject,)).fetchone()
    return None if locked is None else False


def set_policy(writing: SqlWriting, change: g.SetPolicy) -> None:
    key = f"policy.{change.name}"
    if change.value is None:
        writing.connection.execute("DELETE FROM palace WHERE key = ?", (key,))
    else:
        _put(writing.connection, key, change.value)
    writing.event("policy_set", None, None, {"policy": change.name, "value": change.value})
    touch(writing)


def policies(connection: Connection) -> dict[str, str]:
    """The rules of the palace by name. A range of the primary key of palace."""
    rows = connection.execute("SELECT key, value FROM palace WHERE key >= 'policy.' AND key < 'policy/'")
    return {key.removeprefix("policy."): value for key, value in rows}


def vault_places(connection: Connection) -> tuple[str, ...]:
    return tuple(path for (path,) in connection.execute("SELECT path FROM place WHERE seal = 'vault' ORDER BY path"))


def add_plan(writing: SqlWriting, change: g.AddPlan) -> None:
    plan = change.plan
    writing.connection.execute(
        "INSERT INTO operator_plan VALUES (?,?,?,?,?,?,?,?)",
        (
            plan.id.bytes, plan.kind, plan.wanted, plan.before, plan.state, writing.subject, writing.now_us,
            writing.now_us,
        ),
    )  # fmt: skip
    writing.event("plan_made", None, None, {"plan": str(plan.id), "kind": plan.kind})


def move_plan(writing: SqlWriting, change: g.MovePlan) -> None:
    """Raises: NotFound, VersionConflict when somebody else moved it since."""
    found = plan(writing.connection, change.plan_id)
    if found.state != change.expected:
        raise VersionConflict(f"the plan is {found.state}, not {change.expected}")
    writing.connection.execute(
        "UPDATE operator_plan SET state = ?, prior = coalesce(?, prior), changed_us = ? WHERE uuid = ?",
        (change.state, change.before, writing.now_us, change.plan_id.bytes),
    )
    told = {"plan": str(change.plan_id), "kind": found.kind}
    writing.event("plan_applied" if change.state == "applied" else "plan_rolled_back", None, None, told)


def _plan(row: Any) -> g.OperatorPlan:
    return g.OperatorPlan(
        id=UUID(bytes=row[0]), kind=row[1], wanted=row[2], before=row[3], state=row[4], subject=row[5],
        made_us=row[6], changed_us=row[7],
    )  # fmt: skip


def plan(connection: Connection, plan_id: UUID) -> g.OperatorPlan:
    row = connection.execute(f"SELECT {_PLAN} FROM operator_plan WHERE uuid = ?", (plan_id.bytes,)).fetchone()
    if row is None:
        raise NotFound(f"no plan {plan_id}")
    return _plan(row)


def plans(connection: Connection) -> tuple[g.OperatorPlan, ...]:
    rows = connection.execute(f"SELECT {_PLAN} FROM operator_plan ORDER BY made_us DESC, uuid DESC")
    return tuple(_plan(row) for row in rows)


_PACKET = "p.uuid, p.kind, p.subject, p.state, p.told, s.path, p.until_us, p.made_us, p.changed_us"


def add_packet(writing: SqlWriting, change: g.AddPacket) -> None:
    made = change.packet
    writing.connection.execute(
        "INSERT INTO packet VALUES (?,?,?,?,?,?,?,?,?)",
        (
            made.id.bytes, made.kind, writing.scope(made.scope), made.subject, made.state, made.told, made.until_us,
            writing.now_us, writing.now_us,
        ),
    )  # fmt: skip
    writing.event("packet_added", None, None, {"packet": str(made.id), "kind": made.kind})


def move_packet(writing: SqlWriting, change: g.MovePacket) -> None:
    """Raises: NotFound, VersionConflict when somebody else moved it since."""
    found = packet(writing.connection, change.packet_id)
    if found.state != change.expected:
        raise VersionConflict(f"it is {found.state}, not {change.expected}")
    writing.connection.execute(
        "UPDATE packet SET state = ?, until_us = coalesce(?, until_us), changed_us = ? WHERE uuid = ?",
        (change.state, change.until_us, writing.now_us, change.packet_id.bytes),
    )
    writing.event("packet_moved", None, None, {"packet": str(change.packet_id), "state": change.state})


def drop_packet(writing: SqlWriting, change: g.DropPacket) -> None:
    writing.connection.execute("DELETE FROM packet WHERE uuid = ?", (change.packet_id.bytes,))
    writing.event("packet_moved", None, None, {"packet": str(change.packet_id), "state": "dropped"})


def _packet(row: Any) -> g.Packet:
    return g.Packet(
        id=UUID(bytes=row[0]), kind=row[1], subject=row[2], state=row[3], told=row[4], scope=Scope.parse(row[5]),
        until_us=row[6], made_us=row[7], changed_us=row[8],
    )  # fmt: skip


def packet(connection: Connection, packet_id: UUID) -> g.Packet:
    row = connection.execute(
        f"SELECT {_PACKET} FROM packet p JOIN scope s ON s.id = p.scope WHERE p.uuid = ?", (packet_id.bytes,)
    ).fetchone()
    if row is None:
        raise NotFound(f"no packet {packet_id}")
    return _packet(row)


def packets(connection: Connection, kind: g.PacketKind, subject: str = "", limit: int = 200) -> tuple[g.Packet, ...]:
    """Uses packet_kind."""
    rows = connection.execute(
        f"""SELECT {_PACKET} FROM packet p JOIN scope s ON s.id = p.scope
            WHERE p.kind = ?1 AND (?2 = '' OR p.subject = ?2) ORDER BY p.changed_us DESC, p.uuid DESC LIMIT ?3""",
        (kind, subject, limit),
    )
    return tuple(_packet(row) for row in rows)


APPLY: dict[type, Callable[[SqlWriting, Any], None]] = {
    g.AddToken: add_token,
    g.RevokeToken: revoke_token,
    g.MeetSubject: meet,
    g.SetLock: set_lock,
    g.SetPolicy: set_policy,
    g.AddPlan: add_plan,
    g.MovePlan: move_plan,
    g.AddPacket: add_packet,
    g.MovePacket: move_packet,
    g.DropPacket: drop_packet,
}


_SELECTED_GRANT = columns("capability_grant", "subject glob subject_kind level start_us expires_us granted_by")


def add_grant(writing: SqlWriting, grant: Grant) -> None:
    """Writes a grant; a subject has one per glob, the newest stands."""
    writing.connection.execute(
        "INSERT OR REPLACE INTO capability_grant VALUES (?,?,?,?,?,?,?)",
        (
            grant.subject, str(grant.glob), grant.subject_kind, int(grant.level), grant.start_us, grant.expires_us,
            grant.granted_by,
        ),
    )  # fmt: skip
    writing.event(
        "grant_added", None, None, {"subject": grant.subject, "glob": str(grant.glob), "level": grant.level.name}
    )
    touch(writing)


def revoke_grant(writing: SqlWriting, subject: str, glob: str) -> None:
    """Deletes a grant.

    Raises: NotFound.
    """
    writing.connection.execute("DELETE FROM capability_grant WHERE subject = ? AND glob = ?", (subject, glob))
    if not writing.connection.changes():
        raise NotFound(f"{subject} has no grant on {glob}")
    writing.event("grant_revoked", None, None, {"subject": subject, "glob": glob})
    touch(writing)


def grants_of(connection: Connection, subject: str) -> tuple[Grant, ...]:
    """The grants of a subject; nothing at all when one of them is damaged. Uses the primary key of capability_grant."""
    rows = connection.execute(
        """SELECT subject, glob, subject_kind, level, start_us, expires_us, granted_by
           FROM capability_grant WHERE subject = ?""",
        (subject,),
    )
    try:
        return tuple(_grant(row) for row in rows)
    except (PalazzoError, ValueError, TypeError):
        return (_nothing(subject),)


def subjects(connection: Connection) -> tuple[str, ...]:
    """Uses the primary key of capability_grant; there are few tokens."""
    rows: Any = connection.execute("SELECT subject FROM capability_grant UNION SELECT subject FROM token ORDER BY 1")
    return tuple(subject for (subject,) in rows)


def _grant(row: Sequence[Any]) -> Grant:
    require(_SELECTED_GRANT, row)
    subject, glob, kind, level, start, expires, by = row
    return Grant(
        subject=subject, glob=PlaceGlob.parse(glob), subject_kind=kind, level=Level(level), start_us=start,
        expires_us=expires, granted_by=by,
    )  # fmt: skip


def _nothing(subject: str) -> Grant:
    """What a subject has while one of its grants is damaged: that one may have been the one that denies."""
    return Grant(
        subject=subject, glob=PlaceGlob(ROOT, "subtree"), subject_kind="damaged", level=Level.none, start_us=0,
        expires_us=None, granted_by="damaged",
    )  # fmt: skip


def grants_standing(connection: Connection, subject: str) -> SubjectGrants:
    """The subject's grants, whether its lock was lifted, and when it was first seen."""
    return SubjectGrants(grants_of(connection, subject), lock_of(connection, subject), first_sight(connection, subject))
