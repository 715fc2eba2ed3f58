"""The tables of the belief room, part of the first migration: what was given up, audits, claims, signals.

Declares only; beliefs.py, reviews.py, claims.py and signals.py use them. Invariant: every row that speaks of a memory
is found by that memory's number or its revisions', so a purge can take it along.
"""

from __future__ import annotations

TABLES: tuple[str, ...] = (
    """CREATE TABLE displaced (
        revision INTEGER NOT NULL REFERENCES revision(id), position INTEGER NOT NULL,
        by_revision INTEGER NOT NULL REFERENCES revision(id), by_position INTEGER NOT NULL, at_us INTEGER NOT NULL,
        PRIMARY KEY (revision, position, by_revision, by_position)
    ) WITHOUT ROWID""",
    "CREATE INDEX displaced_by ON displaced(by_revision)",
    """CREATE TABLE staleness_audit (
        id INTEGER PRIMARY KEY, memory INTEGER NOT NULL REFERENCES memory(id),
        revision INTEGER NOT NULL REFERENCES revision(id), at_us INTEGER NOT NULL,
        semantic REAL NOT NULL, temporal REAL NOT NULL, behavioral REAL NOT NULL, severity REAL NOT NULL,
        evidence TEXT NOT NULL, resolution TEXT, resolved_us INTEGER
    )""",
    "CREATE INDEX staleness_audit_memory ON staleness_audit(memory, at_us)",
    """CREATE TABLE freshness (
        memory INTEGER PRIMARY KEY REFERENCES memory(id), fresh INTEGER NOT NULL DEFAULT 0,
        stale INTEGER NOT NULL DEFAULT 0, next_us INTEGER NOT NULL
    )""",
    "CREATE INDEX freshness_next ON freshness(next_us)",
    """CREATE TABLE outcome (
        memory INTEGER PRIMARY KEY REFERENCES memory(id), successes INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0, last_us INTEGER NOT NULL
    )""",
    """CREATE TABLE claim (
        id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, scope INTEGER NOT NULL REFERENCES scope(id),
        text TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, recheck_days REAL NOT NULL,
        created_us INTEGER NOT NULL, updated_us INTEGER NOT NULL, memory INTEGER REFERENCES memory(id),
        author TEXT NOT NULL, hash BLOB NOT NULL
    )""",
    "CREATE INDEX claim_status ON claim(status, updated_us)",
    "CREATE INDEX claim_hash ON claim(hash)",
    "CREATE INDEX claim_memory ON claim(memory) WHERE memory IS NOT NULL",
    """CREATE TABLE claim_source (
        claim INTEGER NOT NULL REFERENCES claim(id), position INTEGER NOT NULL, kind TEXT NOT NULL,
        reference TEXT NOT NULL, excerpt TEXT NOT NULL,
        PRIMARY KEY (claim, position)
    ) WITHOUT ROWID""",
    """CREATE TABLE claim_decision (
        id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, claim INTEGER NOT NULL REFERENCES claim(id),
        at_us INTEGER NOT NULL, subject TEXT NOT NULL, status TEXT NOT NULL, source_state TEXT NOT NULL,
        text_hash BLOB NOT NULL
    )""",
    "CREATE INDEX claim_decision_claim ON claim_decision(claim, at_us)",
    """CREATE TABLE signal (
        scope INTEGER NOT NULL REFERENCES scope(id), family TEXT NOT NULL, day INTEGER NOT NULL,
        dimension TEXT NOT NULL, count INTEGER NOT NULL,
        PRIMARY KEY (scope, family, day, dimension)
    ) WITHOUT ROWID""",
)  # fmt: skip
