"""Memories and revisions: writing whole ones, reading them back through a SqlReading; whose instructions act on a
reader.

Owns the rows memory, revision, atom, artifact, and the conditions for instructions: a reader's own act, the owner's,
and those the operator approved. Invariants: every memory has a current tag, and `memory.current` is the revision that
tag points to; an approval is of a revision, so what its author writes afterwards is approved by nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import DamagedRow, NotFound, VersionConflict
from palazzo.model.address import Kref, Place
from palazzo.model.change import AddRevision, Attachments, PlaceMemory
from palazzo.model.ids import id_from
from palazzo.model.kinds import Durability, Kind
from palazzo.model.memory import (
    ACTING,
    OWNER,
    STANDING_TAG,
    TIERS,
    Affect,
    Artifact,
    Atom,
    Detail,
    Memory,
    Revision,
    RevisionDraft,
    Tier,
)
from palazzo.model.retention import Wear, next_transition
from palazzo.model.scope import Scope
from palazzo.ports import FieldCipher
from palazzo.store.api import Marks
from palazzo.store.index.vector.vectors import guarded_vectors
from palazzo.store.sql import indexes
from palazzo.store.sql.graph import edges, entities
from palazzo.store.sql.memory import tags, turns
from palazzo.store.sql.port import Connection, bound, one
from palazzo.store.sql.reading import SqlReading, SQLValue
from palazzo.store.sql.rows import columns, require
from palazzo.store.sql.seal.sealing import ATOM, alike, digest, opened, sealed
from palazzo.store.sql.writing import SqlWriting
from palazzo.text.words.remembered import remembered
from palazzo.text.words.similarity import wording_key
from palazzo.text.words.tokens import content_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

_DETAIL = opened("r.detail", "r.id")
OWN = f"""(coalesce(r.author, '') IN ('', '{OWNER}', ?) OR instr(r.author, ':') = 0
    AND r.author = iif(json_valid({_DETAIL}), json_extract({_DETAIL}, '$.speaker'), NULL))"""
APPROVED = f"""EXISTS (SELECT 1 FROM tag_move a WHERE a.memory = m.id AND a.tag = '{STANDING_TAG}' AND a.revision = r.id
    AND a.until_us IS NULL)"""


def acting(reading: SqlReading) -> tuple[str, tuple[SQLValue, ...]]:
    """The condition over m and r that what is said acts on this reader."""
    return f"({OWN} OR {APPROVED})", (reading.view.subject,)


def approved_instructions(reading: SqlReading, keys: Sequence[int]) -> frozenset[int]:
    """Those of these revisions that the operator approved. Uses tag_move's primary key."""
    rows = reading.connection.execute(
        f"""SELECT r.id FROM carray(?) c CROSS JOIN revision r ON r.id = c.value CROSS JOIN memory m ON m.id = r.memory
            WHERE {APPROVED}""",
        (bound(keys),),
    )
    return frozenset(key for (key,) in rows)


def waiting_instructions(reading: SqlReading, limit: int) -> list[int]:
    """Keys of the newest instructions and procedures of others that nobody approved.

    Uses memory_standing and memory_procedure.
    """
    condition, values = acting(reading)
    found: list[int] = []
    for kind, indexed in zip(ACTING, ("m.kind IN ('instruction', 'preference') AND", ""), strict=True):
        rows = reading.connection.execute(
            f"""SELECT r.id FROM {reading.source} WHERE {indexed} m.kind = '{kind}' AND NOT {condition}
                AND {reading.where} ORDER BY m.id DESC LIMIT ?""",
            (*values, *reading.values, limit),
        )
        found += [key for (key,) in rows]
    return sorted(found, reverse=True)[:limit]


place_of = remembered(4096)(Place.parse)
scope_of = remembered(4096)(Scope.parse)

COLUMNS = f"""m.uuid, p.path, m.name, m.kind, (SELECT path FROM scope WHERE id = m.scope), m.state, m.tier,
    m.deprecated_us, m.pinned, m.created_us, m.accessed_us, m.sessions, m.staleness,
    r.id, r.number, r.created_us, {opened("r.text", "r.id")}, {opened("r.summary", "r.id")},
    {opened("r.key_fact", "r.id")}, {opened("r.label", "r.id")}, {opened("r.detail", "r.id")}, r.importance,
    r.confidence,
    r.valence, r.intensity, r.author, r.valid_from_us, r.valid_to_us, r.hash, r.looked"""

_EMPTY_DETAIL = Detail()
_OF_REVISION = """id number created_us text summary key_fact label detail importance confidence valence intensity author
    valid_from_us valid_to_us hash looked"""
_SELECTED = (
    columns("memory", "uuid") + columns("place", "path") + columns("memory", "name kind")
    + columns("scope", "path")
    + columns("memory", "state tier deprecated_us pinned created_us accessed_us sessions staleness")
    + columns("revision", _OF_REVISION)
)  # fmt: skip
"""The columns of COLUMNS, by name, in its order."""
_WELL_TYPED: set[tuple[type, ...]] = set()
"""The types that rows which were found whole had: nearly every row has the types of one before it."""


@lru_cache(maxsize=4096)
def first_due(kind: Kind, durability: Durability | None, pinned: bool, arousal: float, importance: float) -> int | None:
    """How long after its last use a memory that was never used again changes its state; None: never."""
    wear = Wear(kind=kind, durability=durability, arousal=arousal, importance=importance, pinned=pinned)
    transition = next_transition(wear)
    return transition[1] if transition else None


class Owner(NamedTuple):
    """The memory a new revision belongs to, by its numbers."""

    memory_id: UUID
    memory: int
    scope: int
    kind: str
    number: int
    tier: Tier
    name: str


def place_memory(writing: SqlWriting, change: PlaceMemory) -> None:
    """Collects every row of a new memory. It begins to fade from now on, however long ago it was told."""
    now = change.created_us if change.created_us is not None else writing.now_us
    memory, revision = writing.next_memory, writing.next_revision
    writing.next_memory += 1
    scope = writing.scope(change.scope)
    arousal, importance = round(change.content.affect.arousal, 2), round(change.content.importance, 2)
    due = first_due(writing.kinds.get(change.kind), change.durability, change.pinned, arousal, importance)
    writing.rows["memory"].append((
        memory, change.memory_id.bytes, writing.place(change.place), change.name, change.kind, scope, change.tier,
        int(change.pinned), change.durability, now, writing.now_us,
        writing.now_us + due if due is not None else None, revision,
    ))  # fmt: skip
    writing.remember(change.memory_id, memory, scope)
    seq = writing.event("memory_placed", change.memory_id.bytes, 1, change.attachments.noted)
    owner = Owner(change.memory_id, memory, scope, change.kind, 1, change.tier, change.name)
    add_content(writing, change.content, owner, now)
    attach(writing, change.attachments, owner, revision)
    free = (tag for tag in change.tags if tag not in tags.RESERVED)
    writing.rows["tag_move"] += [(memory, tag, seq, revision, now) for tag in ("current", *free)]


def add_revision(writing: SqlWriting, change: AddRevision) -> int | None:
    """Collects the rows of a further revision and moves the tags to it; its key when it made the memory more guarded.

    Raises: NotFound, VersionConflict when `expected` is no longer current.
    """
    writing.flush()
    memory, scope = writing.memory(change.memory_id)
    newest, current, kind, tier, name, detail = one(
        writing.connection,
        f"""SELECT (SELECT max(number) FROM revision WHERE memory = m.id), r.number, m.kind, m.tier, m.name,
                   {opened("r.detail", "r.id")} FROM memory m JOIN revision r ON r.id = m.current WHERE m.id = ?""",
        (memory,),
    )
    if change.expected is not None and change.expected != current:
        raise VersionConflict(f"memory {change.memory_id} is at revision {current}, not {change.expected}")
    raised = TIERS.index(change.tier) > TIERS.index(tier)
    if raised:
        tier = change.tier
        writing.connection.execute("UPDATE memory SET tier = ? WHERE id = ?", (tier, memory))
    number, revision = newest + 1, writing.next_revision
    seq = writing.event("revision_added", change.memory_id.bytes, number, change.attachments.noted)
    owner = Owner(change.memory_id, memory, scope, kind, number, tier, name)
    add_content(writing, _as_before(change.content, detail), owner, writing.now_us)
    attach(writing, change.attachments, owner, revision)
    writing.flush()
    for tag in change.tags:
        tags.point(writing, memory, tag, revision, seq)
    return revision if raised else None


def _as_before(content: RevisionDraft, before: str | None) -> RevisionDraft:
    """A further revision that says nothing of metadata or title has those of the current one."""
    if not before or ('"metadata"' not in before and '"title"' not in before):
        return content
    now, was = content.detail, detail_from(before)
    kept = was.metadata if now.metadata is None else now.metadata
    return replace(content, detail=replace(now, metadata=kept, title=now.title or was.title))


def add_content(writing: SqlWriting, content: RevisionDraft, owner: Owner, now_us: int) -> None:
    """Collects the rows of a revision's content, for callers inside the store."""
    revision = writing.next_revision
    writing.next_revision += 1
    cipher = writing.cipher if owner.tier != "clear" else None
    for field, words in (
        indexes.indexed_terms(content, owner.kind) if cipher is None
        else indexes.sealed_terms(content, owner.kind, owner.tier)
    ):  # fmt: skip
        writing.texts.append((indexes.partition(owner.scope, field), revision, words))
    writing.rows["revision"].append(
        (revision, owner.memory, owner.number, *columns_of(content, owner, now_us, revision, cipher))
    )
    writing.rows["atom"] += [
        (revision, position, *(alike(cipher, said) for said in (atom.subject, atom.predicate, atom.value)),
         int(atom.functional), int(atom.negated), owner.scope)
        for position, atom in enumerate(content.atoms)
    ]  # fmt: skip


def columns_of(
    content: RevisionDraft, owner: Owner, now_us: int, revision: int, cipher: FieldCipher | None
) -> tuple[object, ...]:
    """What the row of a revision holds of its content, from `text` to `digest`."""
    detail = None if content.detail == _EMPTY_DETAIL else msgspec.json.encode(_filled(content.detail)).decode()
    kept = (content.text, content.summary or None, content.key_fact or None, content.label or None, detail)
    wording_hash = hash_of(content.text, owner.kind)
    scored = (content.importance, content.confidence, content.affect.valence, content.affect.intensity)
    dated = (now_us, content.valid_from_us if content.valid_from_us is not None else now_us, content.valid_to_us)
    author = content.author or None
    written = digest(
        (owner.memory_id.bytes, owner.name, owner.kind, owner.number, *kept, *map(float, scored), author, *dated),
        [(atom.subject, atom.predicate, atom.value, int(atom.functional), int(atom.negated)) for atom in content.atoms],
    )
    if cipher is None:
        return (*kept, *scored, author, *dated, wording_hash, written)
    hidden = (sealed(cipher, text, revision) for text in kept)
    return (*hidden, *scored, author, *dated, cipher.mark(wording_hash), cipher.mark(written))


def hash_of(text: str, kind: str) -> bytes:
    """The key by which equal wording is found again; for a turn, the text to the letter."""
    return content_hash(text) if kind == indexes.TURN_KIND else wording_key(text)


def _filled(detail: Detail) -> dict[str, Any]:
    return {name: value for name in Detail.__struct_fields__ if (value := getattr(detail, name))}


def attach(writing: SqlWriting, attachments: Attachments, owner: Owner, revision: int) -> None:
    """Collects what hangs on a revision, for callers inside the store."""
    for name, vector in attachments.vectors.items():
        field = indexes.vector_field(owner.kind, owner.tier, sealed=writing.cipher is not None)
        kept = vector if owner.tier == "clear" else guarded_vectors(writing.cipher, owner.tier, vector[None, :])[0]
        writing.vectors.setdefault(name, []).append((indexes.partition(owner.scope, field), revision, kept))
    secret = writing.cipher if owner.tier != "clear" else None
    for artifact in attachments.artifacts:
        writing.rows["artifact"].append((
            revision, alike(secret, artifact.name), alike(secret, artifact.uri), artifact.media_type,
            artifact.size, artifact.sha256,
        ))  # fmt: skip
    if attachments.turn is not None:
        turns.add(writing, owner.scope, revision, attachments.turn)
    if attachments.sources:
        edges.add_sources(writing, revision, attachments.sources)
    if attachments.mentions or attachments.relations:
        entities.add_mentions(
            writing, entities.Speaker(owner.scope, revision, secret), attachments.mentions, attachments.relations
        )
    if attachments.edges:
        edges.add_drafts(writing, (owner.memory_id, owner.memory, owner.number), attachments.edges)


def detail_from(text: str | None) -> Detail:
    """A Detail from its column.

    Raises: DamagedRow.
    """
    if not text:
        return _EMPTY_DETAIL
    try:
        return msgspec.json.decode(text, type=Detail)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamagedRow("the detail of a revision cannot be read") from error


def memory_from(row: Sequence[Any], extras: tuple[tuple[Atom, ...], ...] = ()) -> Memory:
    """A Memory from a row selected with COLUMNS.

    Raises: DamagedRow.
    """
    if (types := tuple(map(type, row))) not in _WELL_TYPED:
        require(_SELECTED, row)
        _WELL_TYPED.add(types)
    memory_id = id_from(row[0])
    content = RevisionDraft(
        text=row[16], summary=row[17] or "", key_fact=row[18] or "", label=row[19] or "",
        atoms=extras[0] if extras else (),
        detail=detail_from(row[20]),
        importance=row[21], confidence=row[22], affect=Affect(row[23], row[24]), author=row[25] or "",
        valid_from_us=row[26], valid_to_us=row[27],
    )  # fmt: skip
    revision = Revision(
        key=row[13], memory_id=memory_id, number=row[14], created_us=row[15], content=content, content_hash=row[28],
        looked=row[29] or b"",
    )  # fmt: skip
    return Memory(
        id=memory_id, place=place_of(row[1]), name=row[2], kind=row[3], scope=scope_of(row[4]), state=row[5],
        tier=row[6], deprecated=row[7] is not None, pinned=bool(row[8]), created_us=row[9], accessed_us=row[10],
        sessions=row[11], staleness=row[12], revision=revision,
    )  # fmt: skip


def get(reading: SqlReading, memory_id: UUID) -> Memory:
    """One memory by id, with its atoms. Uses the unique index on memory.uuid.

    Raises: NotFound, also when it exists but this reader may not see it.
    """
    row = reading.connection.execute(
        f"SELECT {COLUMNS} FROM {reading.source} WHERE m.uuid = ? AND {reading.where}",
        (memory_id.bytes, *reading.values),
    ).fetchone()
    if row is None:
        _require_absent(reading, "m.uuid = ?", (memory_id.bytes,))
        raise NotFound(f"no memory {memory_id}")
    return memory_from(row, (atoms_of(reading.connection, row[13]),))


def at_address(reading: SqlReading, kref: Kref) -> Memory:
    """The memory a kref names, at the revision, tag or time it asks for. Uses memory_address.

    Raises: NotFound.
    """
    row = reading.connection.execute(
        f"""SELECT {COLUMNS}, m.id FROM {reading.source}
            WHERE m.place = (SELECT id FROM place WHERE path = ?) AND m.name = ? AND m.kind = ? AND {reading.where}
            ORDER BY m.scope DESC LIMIT 1""",
        (kref.place.path, kref.name, kref.kind, *reading.values),
    ).fetchone()
    if row is None:
        named = "m.place = (SELECT id FROM main.place WHERE path = ?) AND m.name = ? AND m.kind = ?"
        _require_absent(reading, named, (kref.place.path, kref.name, kref.kind))
        raise NotFound(f"nothing at {kref}")
    revision = tags.resolve(reading, int(row[-1]), kref)
    memory = memory_from(row[:-1], (atoms_of(reading.connection, row[13]),))
    return memory if revision is None else _at(reading, memory, revision)


def _require_absent(reading: SqlReading, named: str, values: tuple[SQLValue, ...]) -> None:
    """Raises: DamagedRow when what this reader asks for would be there, were its rows not set aside."""
    row = reading.connection.execute(
        f"""SELECT lower(hex(m.uuid)) FROM main.memory m JOIN main.place p ON p.id = m.place
            LEFT JOIN revision r ON r.id = m.current LEFT JOIN memory w ON w.id = m.id
            WHERE {named} AND {reading.where} AND (r.id IS NULL OR w.id IS NULL)""",
        (*values, *reading.values),
    ).fetchone()
    if row is not None:
        raise DamagedRow(f"memory {row[0]} is damaged")


def _at(reading: SqlReading, memory: Memory, revision: int) -> Memory:
    (found,) = revisions_where(reading.connection, "r.id = ?", (revision,))
    return replace(memory, revision=found)


def by_keys(reading: SqlReading, keys: Sequence[int]) -> dict[int, Memory]:
    rows = reading.connection.execute(
        f"SELECT {COLUMNS} FROM carray(?) c {reading.at('c.value')} WHERE {reading.where}",
        (bound(keys), *reading.values),
    )
    return {row[13]: memory_from(row) for row in rows}


def earlier(reading: SqlReading, keys: Sequence[int]) -> list[tuple[int, Memory]]:
    """For current revisions, by key, what their memories said before and what they superseded, newest first.

    Uses revision_number and edge_source.
    """
    pairs = list(
        reading.connection.execute(
            """SELECT c.value, old.id FROM carray(?) c JOIN revision now ON now.id = c.value
               JOIN revision old ON old.memory = now.memory AND old.number < now.number
               UNION SELECT c.value, other.current FROM carray(?) c JOIN revision now ON now.id = c.value
               JOIN edge s ON s.source = now.memory AND s.kind = 'supersedes' AND s.target <> s.source
               JOIN memory other ON other.id = s.target""",
            (bound(keys), bound(keys)),
        )
    )
    found = by_keys(reading.through_time(), [old for _, old in pairs]) if pairs else {}
    return [(key, found[old]) for key, old in sorted(pairs, key=lambda pair: -pair[1]) if old in found]


def marks_of(reading: SqlReading, keys: Sequence[int]) -> Marks:
    """The marks of the visible ones among these revisions, in their order. Uses memory_current and the primary keys."""
    joins, where, values = reading.gate(keys, "c.value")
    rows = reading.connection.execute(
        f"""SELECT r.id, {opened("r.text", "r.id")}, r.importance, r.confidence, r.valid_from_us, r.valid_to_us,
                   r.valence, r.intensity
            FROM carray(?) c {joins} CROSS JOIN revision r ON r.id = c.value WHERE {where}""",
        (bound(keys), *values),
    ).fetchall()
    return Marks._make(zip(*rows, strict=True)) if rows else Marks((), (), (), (), (), (), (), ())


def kinds_of(reading: SqlReading, keys: Sequence[int]) -> dict[int, str]:
    hot = reading.hot.seen(reading, keys, lambda rows, seen: rows.kinds(seen))
    if hot is not None:
        return hot
    rows = reading.connection.execute(
        f"SELECT c.value, m.kind FROM carray(?) c {reading.at('c.value')} WHERE {reading.where}",
        (bound(keys), *reading.values),
    )
    return dict(rows)


def uses_of(reading: SqlReading, keys: Sequence[int]) -> list[tuple[int, int]]:
    rows: Any = reading.connection.execute(
        f"SELECT m.accessed_us, m.sessions FROM carray(?) c {reading.at('c.value')} WHERE {reading.where}",
        (bound(keys), *reading.values),
    )
    return list(rows)


def standing(reading: SqlReading, limit: int, *, preferences: bool = False) -> list[int]:
    """Keys of the newest visible standing instructions, and preferences if asked for. Uses memory_standing.

    Instructions are those that act on the reader: its own, the owner's and what the operator approved. A taste that
    another told is one, unless it came with an import.
    """
    condition, values = acting(reading)
    if preferences:
        condition = f"({condition} OR m.kind = 'preference' AND r.author NOT GLOB 'import:*')"
    kinds = "'instruction', 'preference'" if preferences else "'instruction'"
    rows = reading.connection.execute(
        f"""SELECT r.id FROM {reading.source} WHERE m.kind IN ('instruction', 'preference') AND m.kind IN ({kinds})
            AND {condition} AND {reading.where} ORDER BY m.id DESC LIMIT ?""",
        (*values, *reading.values, limit),
    )
    return [key for (key,) in rows]


def procedures(reading: SqlReading, limit: int, among: Sequence[int]) -> list[int]:
    """Keys of the newest visible procedures, and of those among these revisions, ascending. Uses memory_procedure.

    What another wrote or an import brought is no way of doing things here until the operator approved it.
    """
    believed, values = acting(reading)
    rows = reading.connection.execute(
        f"""SELECT * FROM (SELECT r.id FROM {reading.source} WHERE m.kind = 'procedure' AND {believed}
                AND {reading.where} ORDER BY m.id DESC LIMIT ?)
            UNION SELECT r.id FROM carray(?) c {reading.at("c.value")} WHERE m.kind = 'procedure' AND {believed}
                AND {reading.where} ORDER BY 1""",
        (*values, *reading.values, limit, bound(among), *values, *reading.values),
    )
    return [key for (key,) in rows]


def history(reading: SqlReading, memory_id: UUID) -> tuple[Revision, ...]:
    """Every revision of a memory this reader may see, oldest first. Uses revision_number."""
    get(reading, memory_id)
    return tuple(
        revisions_where(
            reading.connection,
            "r.memory = (SELECT id FROM memory WHERE uuid = ?) ORDER BY r.number",
            (memory_id.bytes,),
        )
    )


def revisions_where(connection: Connection, condition: str, values: tuple[SQLValue, ...]) -> Iterator[Revision]:
    """Revisions by a condition over r, for callers inside the store that have checked visibility."""
    rows = connection.execute(
        f"""SELECT m.uuid, '', m.name, m.kind, '', m.state, m.tier, m.deprecated_us, m.pinned, m.created_us,
                   m.accessed_us, m.sessions, m.staleness, {COLUMNS.split("m.staleness,")[1]}
            FROM revision r JOIN memory m ON m.id = r.memory WHERE {condition}""",
        values,
    )
    for row in rows:
        yield memory_from(row, (atoms_of(connection, row[13]),)).revision


def atoms_of(connection: Connection, revision: int) -> tuple[Atom, ...]:
    rows = connection.execute(
        f"SELECT {ATOM}, functional, negated FROM atom WHERE revision = ? ORDER BY position", (revision,)
    )
    return tuple(Atom(s, p, v, bool(f), bool(n)) for s, p, v, f, n in rows)


def artifacts_of(reading: SqlReading, memory_id: UUID) -> tuple[Artifact, ...]:
    return artifacts_at(reading, get(reading, memory_id).revision.key)


def artifacts_at(reading: SqlReading, key: int) -> tuple[Artifact, ...]:
    rows = reading.connection.execute(
        f"""SELECT {opened("name")}, {opened("uri")}, media_type, size, sha256 FROM artifact
            WHERE revision = ? ORDER BY 1""",
        (key,),
    )
    return tuple(Artifact(*row) for row in rows)
