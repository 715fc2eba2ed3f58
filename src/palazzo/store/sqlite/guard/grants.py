"""Grants: which subject holds which capability over which places, as rows. Deciding is the guard's business."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from palazzo.errors import NotFound, PalazzoError
from palazzo.model.address import ROOT, PlaceGlob
from palazzo.model.capability import Grant, Level
from palazzo.store.api import SubjectGrants
from palazzo.store.sqlite.guard.guarding import first_sight, lock_is_lifted, touch
from palazzo.store.sqlite.rows import columns, require
from palazzo.store.sqlite.writing import SqliteWriting

_SELECTED = columns("capability_grant", "subject glob subject_kind level start_us expires_us granted_by")


def add(writing: SqliteWriting, grant: Grant) -> None:
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


def revoke(writing: SqliteWriting, subject: str, glob: str) -> None:
    """Deletes a grant.

    Raises: NotFound.
    """
    writing.connection.execute("DELETE FROM capability_grant WHERE subject = ? AND glob = ?", (subject, glob))
    if not writing.connection.changes():
        raise NotFound(f"{subject} has no grant on {glob}")
    writing.event("grant_revoked", None, None, {"subject": subject, "glob": glob})
    touch(writing)


def of_subject(connection: apsw.Connection, subject: str) -> tuple[Grant, ...]:
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


def _grant(row: Sequence[Any]) -> Grant:
    require(_SELECTED, row)
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


def standing(connection: apsw.Connection, subject: str) -> SubjectGrants:
    """The subject's grants, whether its lock was lifted, and when it was first seen."""
    return SubjectGrants(
        of_subject(connection, subject), lock_is_lifted(connection, subject), first_sight(connection, subject)
    )
