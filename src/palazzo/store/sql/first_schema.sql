-- The tables of the first schema. Released: never change a statement here, write a migration. docs/storage.md gives each
-- table and index its reason.

-- Memories and what hangs on them, the journal, and what the palace keeps of itself.
CREATE TABLE palace (
    key TEXT PRIMARY KEY, value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE scope (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE
);
CREATE TABLE place (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, parent INTEGER REFERENCES place(id),
    seal TEXT NOT NULL DEFAULT 'open' CHECK (seal IN ('open', 'sealed', 'vault')),
    created_us INTEGER NOT NULL
);
CREATE TABLE memory (
    id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, place INTEGER NOT NULL REFERENCES place(id),
    name TEXT NOT NULL, kind TEXT NOT NULL, scope INTEGER NOT NULL REFERENCES scope(id),
    state TEXT NOT NULL DEFAULT 'active', tier TEXT NOT NULL DEFAULT 'clear',
    deprecated_us INTEGER, pinned INTEGER NOT NULL DEFAULT 0, durability TEXT,
    created_us INTEGER NOT NULL, accessed_us INTEGER NOT NULL, sessions INTEGER NOT NULL DEFAULT 0,
    last_session TEXT, due_us INTEGER, staleness REAL NOT NULL DEFAULT 0, current INTEGER
);
CREATE UNIQUE INDEX memory_address ON memory(place, name, kind, scope);
CREATE INDEX memory_current ON memory(current, place, scope, state, deprecated_us);
CREATE INDEX memory_place ON memory(place, created_us, scope, state, deprecated_us);
CREATE INDEX memory_due ON memory(due_us) WHERE due_us IS NOT NULL;
CREATE INDEX memory_standing ON memory(id) WHERE kind IN ('instruction', 'preference');
CREATE INDEX memory_procedure ON memory(id) WHERE kind = 'procedure';
CREATE INDEX memory_stale ON memory(staleness DESC) WHERE staleness > 0.7;
CREATE TABLE revision (
    id INTEGER PRIMARY KEY, memory INTEGER NOT NULL REFERENCES memory(id),
    number INTEGER NOT NULL, text TEXT NOT NULL, summary TEXT, key_fact TEXT, label TEXT, detail TEXT,
    importance REAL NOT NULL, confidence REAL NOT NULL, valence REAL NOT NULL, intensity REAL NOT NULL,
    author TEXT, created_us INTEGER NOT NULL, valid_from_us INTEGER NOT NULL, valid_to_us INTEGER,
    hash BLOB NOT NULL
);
CREATE UNIQUE INDEX revision_number ON revision(memory, number);
CREATE INDEX revision_hash ON revision(substr(hash, 1, 8));
CREATE INDEX revision_time ON revision(valid_from_us);
CREATE TABLE tag_move (
    memory INTEGER NOT NULL REFERENCES memory(id), tag TEXT NOT NULL, seq INTEGER NOT NULL,
    revision INTEGER NOT NULL REFERENCES revision(id), from_us INTEGER NOT NULL, until_us INTEGER,
    PRIMARY KEY (memory, tag, seq)
) WITHOUT ROWID;
CREATE TABLE atom (
    revision INTEGER NOT NULL REFERENCES revision(id), position INTEGER NOT NULL,
    subject TEXT NOT NULL, predicate TEXT NOT NULL, value TEXT NOT NULL,
    functional INTEGER NOT NULL, negated INTEGER NOT NULL, scope INTEGER NOT NULL REFERENCES scope(id),
    PRIMARY KEY (revision, position)
) WITHOUT ROWID;
CREATE INDEX atom_slot ON atom(subject, predicate, scope);
CREATE TABLE edge (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL,
    source INTEGER NOT NULL REFERENCES memory(id), source_revision INTEGER NOT NULL DEFAULT 0,
    target INTEGER NOT NULL REFERENCES memory(id), target_revision INTEGER NOT NULL DEFAULT 0,
    weight REAL NOT NULL, created_us INTEGER NOT NULL
);
CREATE UNIQUE INDEX edge_source ON edge(source, kind, target, source_revision, target_revision);
CREATE INDEX edge_target ON edge(target, kind);
CREATE INDEX edge_contradicts ON edge(id) WHERE kind = 'contradicts';
CREATE TABLE artifact (
    revision INTEGER NOT NULL REFERENCES revision(id), name TEXT NOT NULL, uri TEXT NOT NULL,
    media_type TEXT NOT NULL, size INTEGER, sha256 TEXT,
    PRIMARY KEY (revision, name)
) WITHOUT ROWID;
CREATE TABLE entity (
    id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, scope INTEGER NOT NULL REFERENCES scope(id),
    name TEXT NOT NULL, kind TEXT NOT NULL, created_us INTEGER NOT NULL, merged_into INTEGER
);
CREATE TABLE alias (
    key TEXT NOT NULL, scope INTEGER NOT NULL REFERENCES scope(id), entity INTEGER NOT NULL REFERENCES entity(id),
    text TEXT NOT NULL,
    PRIMARY KEY (key, scope, entity)
) WITHOUT ROWID;
CREATE INDEX alias_entity ON alias(entity);
CREATE TABLE mention (
    entity INTEGER NOT NULL REFERENCES entity(id), revision INTEGER NOT NULL REFERENCES revision(id),
    text TEXT,
    PRIMARY KEY (entity, revision)
) WITHOUT ROWID;
CREATE INDEX mention_revision ON mention(revision);
CREATE TABLE relation (
    subject INTEGER NOT NULL REFERENCES entity(id), predicate TEXT NOT NULL,
    object INTEGER NOT NULL REFERENCES entity(id), count INTEGER NOT NULL, last_us INTEGER NOT NULL,
    confidence REAL NOT NULL, revision INTEGER,
    PRIMARY KEY (subject, predicate, object)
) WITHOUT ROWID;
CREATE INDEX relation_object ON relation(object, predicate);
CREATE TABLE provenance_node (
    id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, at_us INTEGER NOT NULL,
    label TEXT NOT NULL, author TEXT NOT NULL
);
CREATE TABLE provenance_edge (
    source INTEGER NOT NULL REFERENCES provenance_node(id), kind TEXT NOT NULL,
    target INTEGER NOT NULL REFERENCES provenance_node(id),
    PRIMARY KEY (source, kind, target)
) WITHOUT ROWID;
CREATE INDEX provenance_edge_target ON provenance_edge(target);
CREATE TABLE provenance_source (
    revision INTEGER NOT NULL REFERENCES revision(id), node INTEGER NOT NULL REFERENCES provenance_node(id),
    kind TEXT NOT NULL, span_start INTEGER, span_end INTEGER, stage TEXT NOT NULL,
    PRIMARY KEY (revision, node, kind)
) WITHOUT ROWID;
CREATE INDEX provenance_source_node ON provenance_source(node);
CREATE TABLE session (
    id INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scope(id), thread TEXT NOT NULL,
    name TEXT NOT NULL, began_us INTEGER NOT NULL,
    UNIQUE (scope, thread, name)
);
CREATE TABLE turn (
    session INTEGER NOT NULL REFERENCES session(id), position INTEGER NOT NULL,
    revision INTEGER NOT NULL REFERENCES revision(id), speaker TEXT NOT NULL, role TEXT NOT NULL,
    PRIMARY KEY (session, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX turn_revision ON turn(revision);
CREATE TABLE intake (
    id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, at_us INTEGER NOT NULL, made_us INTEGER NOT NULL,
    scope INTEGER NOT NULL REFERENCES scope(id), digest BLOB NOT NULL, fates TEXT NOT NULL
);
CREATE INDEX intake_digest ON intake(substr(digest, 1, 8));
CREATE TABLE breadcrumb (
    trail TEXT NOT NULL, at_us INTEGER NOT NULL, place INTEGER NOT NULL REFERENCES place(id),
    memory INTEGER NOT NULL DEFAULT 0, subject TEXT NOT NULL,
    PRIMARY KEY (trail, at_us, place, memory, subject)
) WITHOUT ROWID;
CREATE INDEX breadcrumb_memory ON breadcrumb(memory) WHERE memory > 0;
CREATE TABLE correction (
    memory INTEGER NOT NULL REFERENCES memory(id), at_us INTEGER NOT NULL, space TEXT NOT NULL,
    context BLOB NOT NULL,
    PRIMARY KEY (memory, at_us)
) WITHOUT ROWID;
CREATE TABLE in_mind (
    scope INTEGER NOT NULL REFERENCES scope(id), subject TEXT NOT NULL,
    memory INTEGER NOT NULL REFERENCES memory(id), activation REAL NOT NULL, touched_us INTEGER NOT NULL,
    saved_us INTEGER NOT NULL,
    PRIMARY KEY (scope, subject, memory)
) WITHOUT ROWID;
CREATE INDEX in_mind_memory ON in_mind(memory);
CREATE TABLE capability_grant (
    subject TEXT NOT NULL, glob TEXT NOT NULL, subject_kind TEXT NOT NULL, level INTEGER NOT NULL,
    start_us INTEGER NOT NULL, expires_us INTEGER, granted_by TEXT NOT NULL,
    PRIMARY KEY (subject, glob)
) WITHOUT ROWID;
CREATE TABLE event (
    seq INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL,
    memory BLOB, revision INTEGER, detail TEXT
);
CREATE TABLE cursor (
    name TEXT PRIMARY KEY, seq INTEGER NOT NULL, moved_us INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE idempotency (
    subject TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL, until_us INTEGER NOT NULL, result BLOB,
    PRIMARY KEY (subject, key)
) WITHOUT ROWID;
CREATE TABLE lease (
    name TEXT PRIMARY KEY, holder TEXT NOT NULL, until_us INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE audit (
    id INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, subject TEXT NOT NULL, action TEXT NOT NULL,
    decision TEXT NOT NULL, place TEXT, capability TEXT, query TEXT, first_seq INTEGER, last_seq INTEGER,
    detail TEXT, detail_hash BLOB, hash BLOB NOT NULL
);

-- What is held true.
CREATE TABLE displaced (
    revision INTEGER NOT NULL REFERENCES revision(id), position INTEGER NOT NULL,
    by_revision INTEGER NOT NULL REFERENCES revision(id), by_position INTEGER NOT NULL, at_us INTEGER NOT NULL,
    PRIMARY KEY (revision, position, by_revision, by_position)
) WITHOUT ROWID;
CREATE INDEX displaced_by ON displaced(by_revision);
CREATE TABLE staleness_audit (
    id INTEGER PRIMARY KEY, memory INTEGER NOT NULL REFERENCES memory(id),
    revision INTEGER NOT NULL REFERENCES revision(id), at_us INTEGER NOT NULL,
    semantic REAL NOT NULL, temporal REAL NOT NULL, behavioral REAL NOT NULL, severity REAL NOT NULL,
    evidence TEXT NOT NULL, resolution TEXT, resolved_us INTEGER
);
CREATE INDEX staleness_audit_memory ON staleness_audit(memory, at_us);
CREATE TABLE freshness (
    memory INTEGER PRIMARY KEY REFERENCES memory(id), fresh INTEGER NOT NULL DEFAULT 0,
    stale INTEGER NOT NULL DEFAULT 0, next_us INTEGER NOT NULL
);
CREATE INDEX freshness_next ON freshness(next_us);
CREATE TABLE outcome (
    memory INTEGER PRIMARY KEY REFERENCES memory(id), successes INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0, last_us INTEGER NOT NULL
);
CREATE TABLE claim (
    id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, scope INTEGER NOT NULL REFERENCES scope(id),
    text TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, recheck_days REAL NOT NULL,
    created_us INTEGER NOT NULL, updated_us INTEGER NOT NULL, memory INTEGER REFERENCES memory(id),
    author TEXT NOT NULL, hash BLOB NOT NULL
);
CREATE INDEX claim_status ON claim(status, updated_us);
CREATE INDEX claim_hash ON claim(hash);
CREATE INDEX claim_memory ON claim(memory) WHERE memory IS NOT NULL;
CREATE TABLE claim_source (
    claim INTEGER NOT NULL REFERENCES claim(id), position INTEGER NOT NULL, kind TEXT NOT NULL,
    reference TEXT NOT NULL, excerpt TEXT NOT NULL,
    PRIMARY KEY (claim, position)
) WITHOUT ROWID;
CREATE TABLE claim_decision (
    id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, claim INTEGER NOT NULL REFERENCES claim(id),
    at_us INTEGER NOT NULL, subject TEXT NOT NULL, status TEXT NOT NULL, source_state TEXT NOT NULL,
    text_hash BLOB NOT NULL
);
CREATE INDEX claim_decision_claim ON claim_decision(claim, at_us);
CREATE TABLE signal (
    scope INTEGER NOT NULL REFERENCES scope(id), family TEXT NOT NULL, day INTEGER NOT NULL,
    dimension TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (scope, family, day, dimension)
) WITHOUT ROWID;

-- Who may do what.
CREATE TABLE token (
    digest BLOB PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, subject TEXT NOT NULL, label TEXT NOT NULL,
    scope TEXT NOT NULL, created_us INTEGER NOT NULL, expires_us INTEGER, revoked_us INTEGER
) WITHOUT ROWID;
CREATE TABLE subject_met (
    subject TEXT PRIMARY KEY, first_us INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE lifted_lock (
    subject TEXT PRIMARY KEY, at_us INTEGER NOT NULL, lifted_by TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE operator_plan (
    uuid BLOB PRIMARY KEY, kind TEXT NOT NULL, wanted TEXT NOT NULL, prior TEXT NOT NULL, state TEXT NOT NULL,
    subject TEXT NOT NULL, made_us INTEGER NOT NULL, changed_us INTEGER NOT NULL
) WITHOUT ROWID;
