"""The tables of the guard room, part of the first migration: tokens, subjects met, locks lifted, an operator's plans.

Declares only; guarding.py uses them. Invariant: nothing here holds remembered content or a secret in clear.
"""

from __future__ import annotations

TABLES: tuple[str, ...] = (
    """CREATE TABLE token (
        digest BLOB PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, subject TEXT NOT NULL, label TEXT NOT NULL,
        scope TEXT NOT NULL, created_us INTEGER NOT NULL, expires_us INTEGER, revoked_us INTEGER
    ) WITHOUT ROWID""",
    """CREATE TABLE subject_met (
        subject TEXT PRIMARY KEY, first_us INTEGER NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE lifted_lock (
        subject TEXT PRIMARY KEY, at_us INTEGER NOT NULL, lifted_by TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE operator_plan (
        uuid BLOB PRIMARY KEY, kind TEXT NOT NULL, wanted TEXT NOT NULL, prior TEXT NOT NULL, state TEXT NOT NULL,
        subject TEXT NOT NULL, made_us INTEGER NOT NULL, changed_us INTEGER NOT NULL
    ) WITHOUT ROWID""",
)  # fmt: skip
