"""The tables of a palace, as the first migration makes them. docs/storage.md gives each table and index its reason,
and a test keeps the two in step.

Rows refer to each other by small integer keys; the UUIDs that the outside world knows live in one column each.
The index rooms (text_index, vectors) declare their own tables.
"""

from __future__ import annotations

from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sqlite.belief import tables as belief_tables
from palazzo.store.sqlite.guard import tables as guard_tables

CORE: tuple[str, ...] = (
    """CREATE TABLE palace (
        key TEXT PRIMARY KEY, value TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE scope (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE
    )""",
    """CREATE TABLE place (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, parent INTEGER REFERENCES place(id),
        seal TEXT NOT NULL DEFAULT 'open' CHECK (seal IN ('open', 'sealed', 'vault')),
        created_us INTEGER NOT NULL
    )""",
    """CREATE TABLE memory (
        id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, place INTEGER NOT NULL REFERENCES place(id),
        name TEXT NOT NULL, kind TEXT NOT NULL, scope INTEGER NOT NULL REFERENCES scope(id),
        state TEXT NOT NULL DEFAULT 'active', tier TEXT NOT NULL DEFAULT 'clear',
        deprecated_us INTEGER, pinned INTEGER NOT NULL DEFAULT 0, durability TEXT,
        created_us INTEGER NOT NULL, accessed_us INTEGER NOT NULL, sessions INTEGER NOT NULL DEFAULT 0,
        last_session TEXT, due_us INTEGER, staleness REAL NOT NULL DEFAULT 0, current INTEGER
    )""",
    "CREATE UNIQUE INDEX memory_address ON memory(place, name, kind, scope)",
    # Who may see a revision that is current, from the index alone; place before scope, so that scopes are compared, not
    # searched for one by one.
    "CREATE INDEX memory_current ON memory(current, place, scope, state, deprecated_us)",
    # What a reader sees at a place, counted from the index alone: at a million memories a tenth of the time.
    "CREATE INDEX memory_place ON memory(place, created_us, scope, state, deprecated_us)",
    "CREATE INDEX memory_due ON memory(due_us) WHERE due_us IS NOT NULL",
    "CREATE INDEX memory_standing ON memory(id) WHERE kind IN ('instruction', 'preference')",
    "CREATE INDEX memory_procedure ON memory(id) WHERE kind = 'procedure'",
    "CREATE INDEX memory_stale ON memory(staleness DESC) WHERE staleness > 0.7",
    """CREATE TABLE revision (
        id INTEGER PRIMARY KEY, memory INTEGER NOT NULL REFERENCES memory(id),
        number INTEGER NOT NULL, text TEXT NOT NULL, summary TEXT, key_fact TEXT, label TEXT, detail TEXT,
        importance REAL NOT NULL, confidence REAL NOT NULL, valence REAL NOT NULL, intensity REAL NOT NULL,
        author TEXT, created_us INTEGER NOT NULL, valid_from_us INTEGER NOT NULL, valid_to_us INTEGER,
        hash BLOB NOT NULL
    )""",
    "CREATE UNIQUE INDEX revision_number ON revision(memory, number)",
    "CREATE INDEX revision_hash ON revision(substr(hash, 1, 8))",
    "CREATE INDEX revision_time ON revision(valid_from_us)",
    """CREATE TABLE tag_move (
        memory INTEGER NOT NULL REFERENCES memory(id), tag TEXT NOT NULL, seq INTEGER NOT NULL,
        revision INTEGER NOT NULL REFERENCES revision(id), from_us INTEGER NOT NULL, until_us INTEGER,
        PRIMARY KEY (memory, tag, seq)
    ) WITHOUT ROWID""",
    """CREATE TABLE atom (
        revision INTEGER NOT NULL REFERENCES revision(id), position INTEGER NOT NULL,
        subject TEXT NOT NULL, predicate TEXT NOT NULL, value TEXT NOT NULL,
        functional INTEGER NOT NULL, negated INTEGER NOT NULL, scope INTEGER NOT NULL REFERENCES scope(id),
        PRIMARY KEY (revision, position)
    ) WITHOUT ROWID""",
    "CREATE INDEX atom_slot ON atom(subject, predicate, scope)",
    """CREATE TABLE edge (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL,
        source INTEGER NOT NULL REFERENCES memory(id), source_revision INTEGER NOT NULL DEFAULT 0,
        target INTEGER NOT NULL REFERENCES memory(id), target_revision INTEGER NOT NULL DEFAULT 0,
        weight REAL NOT NULL, created_us INTEGER NOT NULL
    )""",
    "CREATE UNIQUE INDEX edge_source ON edge(source, kind, target, source_revision, target_revision)",
    "CREATE INDEX edge_target ON edge(target, kind)",
    "CREATE INDEX edge_contradicts ON edge(id) WHERE kind = 'contradicts'",
    """CREATE TABLE artifact (
        revision INTEGER NOT NULL REFERENCES revision(id), name TEXT NOT NULL, uri TEXT NOT NULL,
        media_type TEXT NOT NULL, size INTEGER, sha256 TEXT,
        PRIMARY KEY (revision, name)
    ) WITHOUT ROWID""",
    """CREATE TABLE entity (
        id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, scope INTEGER NOT NULL REFERENCES scope(id),
        name TEXT NOT NULL, kind TEXT NOT NULL, created_us INTEGER NOT NULL, merged_into INTEGER
    )""",
    """CREATE TABLE alias (
        key TEXT NOT NULL, scope INTEGER NOT NULL REFERENCES scope(id), entity INTEGER NOT NULL REFERENCES entity(id),
        text TEXT NOT NULL,
        PRIMARY KEY (key, scope, entity)
    ) WITHOUT ROWID""",
    "CREATE INDEX alias_entity ON alias(entity)",
    """CREATE TABLE mention (
        entity INTEGER NOT NULL REFERENCES entity(id), revision INTEGER NOT NULL REFERENCES revision(id),
        text TEXT,
        PRIMARY KEY (entity, revision)
    ) WITHOUT ROWID""",
    "CREATE INDEX mention_revision ON mention(revision)",
    """CREATE TABLE relation (
        subject INTEGER NOT NULL REFERENCES entity(id), predicate TEXT NOT NULL,
        object INTEGER NOT NULL REFERENCES entity(id), count INTEGER NOT NULL, last_us INTEGER NOT NULL,
        confidence REAL NOT NULL, revision INTEGER,
        PRIMARY KEY (subject, predicate, object)
    ) WITHOUT ROWID""",
    "CREATE INDEX relation_object ON relation(object, predicate)",
    """CREATE TABLE provenance_node (
        id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, at_us INTEGER NOT NULL,
        label TEXT NOT NULL, author TEXT NOT NULL
    )""",
    """CREATE TABLE provenance_edge (
        source INTEGER NOT NULL REFERENCES provenance_node(id), kind TEXT NOT NULL,
        target INTEGER NOT NULL REFERENCES provenance_node(id),
        PRIMARY KEY (source, kind, target)
    ) WITHOUT ROWID""",
    "CREATE INDEX provenance_edge_target ON provenance_edge(target)",
    """CREATE TABLE provenance_source (
        revision INTEGER NOT NULL REFERENCES revision(id), node INTEGER NOT NULL REFERENCES provenance_node(id),
        kind TEXT NOT NULL, span_start INTEGER, span_end INTEGER, stage TEXT NOT NULL,
        PRIMARY KEY (revision, node, kind)
    ) WITHOUT ROWID""",
    "CREATE INDEX provenance_source_node ON provenance_source(node)",
    """CREATE TABLE session (
        id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scope(id), thread TEXT NOT NULL,
        name TEXT NOT NULL, began_us INTEGER NOT NULL,
        UNIQUE (scope, thread, name)
    )""",
    """CREATE TABLE turn (
        session INTEGER NOT NULL REFERENCES session(id), position INTEGER NOT NULL,
        revision INTEGER NOT NULL REFERENCES revision(id), speaker TEXT NOT NULL, role TEXT NOT NULL,
        PRIMARY KEY (session, position)
    ) WITHOUT ROWID""",
    "CREATE UNIQUE INDEX turn_revision ON turn(revision)",
    """CREATE TABLE intake (
        id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, at_us INTEGER NOT NULL, made_us INTEGER NOT NULL,
        scope INTEGER NOT NULL REFERENCES scope(id), digest BLOB NOT NULL, fates TEXT NOT NULL
    )""",
    "CREATE INDEX intake_digest ON intake(substr(digest, 1, 8))",
    """CREATE TABLE breadcrumb (
        trail TEXT NOT NULL, at_us INTEGER NOT NULL, place INTEGER NOT NULL REFERENCES place(id),
        memory INTEGER NOT NULL DEFAULT 0, subject TEXT NOT NULL,
        PRIMARY KEY (trail, at_us, place, memory, subject)
    ) WITHOUT ROWID""",
    "CREATE INDEX breadcrumb_memory ON breadcrumb(memory) WHERE memory > 0",
    """CREATE TABLE correction (
        memory INTEGER NOT NULL REFERENCES memory(id), at_us INTEGER NOT NULL, space TEXT NOT NULL,
        context BLOB NOT NULL,
        PRIMARY KEY (memory, at_us)
    ) WITHOUT ROWID""",
    """CREATE TABLE in_mind (
        scope INTEGER NOT NULL REFERENCES scope(id), subject TEXT NOT NULL,
        memory INTEGER NOT NULL REFERENCES memory(id), activation REAL NOT NULL, touched_us INTEGER NOT NULL,
        saved_us INTEGER NOT NULL,
        PRIMARY KEY (scope, subject, memory)
    ) WITHOUT ROWID""",
    "CREATE INDEX in_mind_memory ON in_mind(memory)",
    """CREATE TABLE capability_grant (
        subject TEXT NOT NULL, glob TEXT NOT NULL, subject_kind TEXT NOT NULL, level INTEGER NOT NULL,
        start_us INTEGER NOT NULL, expires_us INTEGER, granted_by TEXT NOT NULL,
        PRIMARY KEY (subject, glob)
    ) WITHOUT ROWID""",
    """CREATE TABLE event (
        seq INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL,
        memory BLOB, revision INTEGER, detail TEXT
    )""",
    """CREATE TABLE cursor (
        name TEXT PRIMARY KEY, seq INTEGER NOT NULL, moved_us INTEGER NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE idempotency (
        subject TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL, until_us INTEGER NOT NULL, result BLOB,
        PRIMARY KEY (subject, key)
    ) WITHOUT ROWID""",
    """CREATE TABLE lease (
        name TEXT PRIMARY KEY, holder TEXT NOT NULL, until_us INTEGER NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE audit (
        id INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, subject TEXT NOT NULL, action TEXT NOT NULL,
        decision TEXT NOT NULL, place TEXT, capability TEXT, query TEXT, first_seq INTEGER, last_seq INTEGER,
        detail TEXT, detail_hash BLOB, hash BLOB NOT NULL
    )""",
)  # fmt: skip

TABLES: tuple[str, ...] = CORE + belief_tables.TABLES + guard_tables.TABLES + text_index.TABLES + vectors.TABLES
