"""Care of a palace: verify (does everything agree?), rebuild (make the derived parts again), doctor (what is wrong and
what to do about it).

Reads below all views, because it looks at the palace and not at anybody's memories; it returns names, counts and ids,
never content. Invariant: verify and doctor change nothing that is
stored; the doctor only empties a log that an erasure could not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import apsw

from palazzo.errors import CorruptPalace, LocksLost, WrongKey
from palazzo.files import raw_files
from palazzo.model.memory import RevisionDraft
from palazzo.store.api import Finding
from palazzo.store.api.keeping import Damaged
from palazzo.store.index.text import documents as text_documents
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sql import indexes, journal, migrations
from palazzo.store.sql.erase import erasure
from palazzo.store.sql.graph import edges
from palazzo.store.sql.guard import audit
from palazzo.store.sql.memory import memories, search
from palazzo.store.sql.port import one, translated
from palazzo.store.sql.rows import cover, damage
from palazzo.store.sql.seal import resealing, sealing
from palazzo.store.sql.seal.sealing import opened
from palazzo.store.sql.tables import SqlTables
from palazzo.store.sqlite import held_locks
from palazzo.store.sqlite.erase import leftovers
from palazzo.store.sqlite.seal import padding

if TYPE_CHECKING:
    from palazzo.store.sqlite.palace import SqliteStore

if TYPE_CHECKING:
    from palazzo.store.sqlite.palace import SqliteStore

Progress = Callable[[str, int, int], None]
REPAIR_BATCH = 1000
LONG_LOG_BYTES = 64 << 20
"""What the log is cut back to when it is begun anew; a longer one that stays is held by a reader, or nobody came."""
LOG_WAIT_S = 1.0
_UNREADABLE = (apsw.Error, CorruptPalace, WrongKey, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
"""What a check that meets a damaged page or row ends in."""


def verify(store: SqliteStore, progress: Progress | None = None) -> list[str]:
    damaged: list[Damaged] = []

    def fields_problems(connection: apsw.Connection) -> list[str]:
        damaged.extend(damage(connection, store.cipher, store.options.kinds.names))
        cover(connection, damaged)
        return [str(one) for one in damaged]

    checks: tuple[tuple[str, Callable[[apsw.Connection], list[str]]], ...] = (
        ("file", _file_problems),
        ("fields", fields_problems),
        ("references", _dangling),
        ("current tags", _tag_problems),
        ("revisions", lambda connection: sealing.altered(connection, store.cipher)),
        ("events, grants and seals", journal.problems),
        ("journal", _journal_problems),
        ("audit", audit.verify),
        ("text index", _text_problems),
        ("vector index", _vector_problems),
    )
    found: list[str] = []
    with _whole(store) as connection:
        for done, (name, check) in enumerate(checks):
            if progress:
                progress(name, done, len(checks))
            try:
                found += check(connection)
            except _UNREADABLE as error:
                found.append(f"{name}: cannot be checked, for what it rests on is damaged ({type(error).__name__})")
            _newer_moment(connection)
        if progress:
            progress("done", len(checks), len(checks))
    return found


@contextmanager
def _whole(store: SqliteStore) -> Iterator[apsw.Connection]:
    """A connection in a read transaction that sees every row, whatever was set aside."""
    connection = store.database.connect()
    try:
        with translated():
            connection.execute("BEGIN")
            yield connection
    finally:
        connection.close(True)


def _newer_moment(connection: apsw.Connection) -> None:
    """Lets go of the moment that is being read: each check is about one, and the log waits for none longer."""
    if connection.in_transaction:
        connection.execute("COMMIT")
    connection.execute("BEGIN")


def _file_problems(connection: apsw.Connection) -> list[str]:
    return [f"file: {text}" for (text,) in connection.execute("PRAGMA integrity_check(20)") if text != "ok"]


def _dangling(connection: apsw.Connection) -> list[str]:
    rows = connection.execute('SELECT "table", rowid, parent FROM pragma_foreign_key_check LIMIT 20')
    return [f"{table}: row {row} refers to a missing {parent}" for table, row, parent in rows]


def _tag_problems(connection: apsw.Connection) -> list[str]:
    """Every memory's current revision is its own and is where its open current tag points."""
    rows = connection.execute(
        """SELECT hex(m.uuid) FROM memory m LEFT JOIN revision r ON r.id = m.current
           WHERE r.memory IS NOT m.id OR 1 <> (SELECT count(*) FROM tag_move t
               WHERE t.memory = m.id AND t.tag = 'current' AND t.until_us IS NULL AND t.revision = m.current)
           LIMIT 20"""
    )
    return [f"tag: memory {uuid} has no proper current revision" for (uuid,) in rows]


def _journal_problems(connection: apsw.Connection) -> list[str]:
    (strays,) = one(
        connection,
        """SELECT count(*) FROM memory m LEFT JOIN event v ON v.seq =
             (SELECT seq FROM tag_move WHERE memory = m.id AND tag = 'current' ORDER BY seq LIMIT 1)
           WHERE v.memory IS NOT m.uuid""",
    )
    found = journal.gaps(connection)
    return found + ([f"journal: {strays} memories have no event that placed them"] if strays else [])


def _text_problems(connection: apsw.Connection) -> list[str]:
    return [f"text index: {problem}" for problem in text_index.verify(SqlTables(connection), _indexed(connection))]


def _vector_problems(connection: apsw.Connection) -> list[str]:
    return [f"vector index: {problem}" for problem in vectors.verify(SqlTables(connection))]


def _indexed(connection: apsw.Connection) -> Iterator[tuple[int, int, list[str]]]:
    """What the text index should hold, derived again from the revisions."""
    rows = connection.execute(
        f"""SELECT r.id, m.scope, m.kind, {opened("r.text", "r.id")}, {opened("r.detail", "r.id")}, m.tier,
                   typeof(r.text) = 'blob' FROM revision r JOIN memory m ON m.id = r.memory ORDER BY r.id"""
    )
    for revision, scope, kind, text, detail, tier, sealed in rows:
        content = RevisionDraft(text=text, detail=memories.detail_from(detail))
        found = indexes.sealed_terms(content, kind, tier) if sealed else indexes.indexed_terms(content, kind)
        for field, words in found:
            yield indexes.partition(scope, field), revision, words


def rebuild(store: SqliteStore, progress: Progress | None = None) -> None:
    """Makes the text and vector indexes again from the revisions and their vectors.

    A text index that is damaged is emptied first; stored vectors that are none go, and their texts are embedded again.
    """

    def told(name: str) -> Callable[[int, int], None] | None:
        return (lambda done, total: progress(name, done, total)) if progress else None

    with translated():
        connection = store.database.connect()
        try:
            cover(connection, damage(connection, store.cipher, store.options.kinds.names))
            if not indexes.is_whole(connection, indexes.TEXT):
                with _immediate(connection):
                    indexes.empty_text(connection)
            _refill_text(connection, told("text"))
            text_index.rebuild(SqlTables(connection), told("text"))
            with _immediate(connection):
                indexes.drop_unusable_vectors(connection)
            vectors.rebuild(SqlTables(connection), told("vectors"))
        finally:
            connection.close()
    if store.database.aside.damaged:
        store.look_for_damage()
    store.upkeep.run()


def _refill_text(connection: apsw.Connection, progress: Callable[[int, int], None] | None) -> None:
    """Puts right every forward row that differs from its revision, in transactions of bounded size."""
    (total,) = one(connection, "SELECT count(*) FROM revision")
    wrong: list[tuple[int, int, list[str]]] = []
    for done, (partition, revision, words) in enumerate(_indexed(connection), 1):
        stored = connection.execute(
            "SELECT length, terms FROM text_doc WHERE scope = ? AND revision = ?", (partition, revision)
        ).fetchone()
        if stored != text_documents.encode(words):
            wrong.append((partition, revision, words))
        if progress and done % 5000 == 0:
            progress(min(done, total), total)
    extra: list[Any] = connection.execute(
        "SELECT scope, revision FROM text_doc d WHERE NOT EXISTS (SELECT 1 FROM revision WHERE id = d.revision)"
    ).fetchall()
    for start in range(0, len(wrong), REPAIR_BATCH):
        batch = wrong[start : start + REPAIR_BATCH]
        with _immediate(connection):
            text_index.remove(SqlTables(connection), [(partition, revision) for partition, revision, _ in batch])
            text_index.add(SqlTables(connection), batch)
    if extra:
        with _immediate(connection):
            text_index.remove(SqlTables(connection), extra)


@contextmanager
def _immediate(connection: apsw.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def doctor(store: SqliteStore) -> list[Finding]:
    with _whole(store) as connection:
        found = [
            _integrity(connection),
            _fields(connection, store),
            Finding("schema", "good", f"{len(migrations.applied(connection))} migrations applied"),
            _lag(connection, store.upkeep.trouble),
            _orphans(connection),
            _vector_gap(connection),
            _sealing(connection, keyed=store.cipher is not None),
        ]
    return [*found, _locks(store), _modes(store), _disk(store), _wal(store), _erasure(store), *_padding(store)]


def broken(store: SqliteStore) -> list[str]:
    """What SQLite finds wrong with the file, a few of it; empty when it is sound."""
    with store.database.read() as connection:
        return [text for (text,) in connection.execute("PRAGMA integrity_check(5)") if text != "ok"]


def _integrity(connection: apsw.Connection) -> Finding:
    problems = [text for (text,) in connection.execute("PRAGMA quick_check(5)") if text != "ok"]
    if problems:
        return Finding("integrity", "bad", "; ".join(problems), "restore the newest backup, then `palazzo verify`")
    return Finding("integrity", "good", "the file is sound")


def _fields(connection: apsw.Connection, store: SqliteStore) -> Finding:
    damaged = damage(connection, store.cipher, store.options.kinds.names)
    if damaged:
        cover(connection, damaged)
        told = f"{len(damaged)} damaged fields, the first: {damaged[0]}"
        return Finding("fields", "bad", told, "`palazzo verify` names them; restore a backup, or purge what is damaged")
    return Finding("fields", "good", "every stored field is whole")


def _lag(connection: apsw.Connection, trouble: str) -> Finding:
    due = len(text_index.pending(SqlTables(connection))) + len(vectors.pending(SqlTables(connection)))
    left = sum(part.unfinished for part in text_index.state(SqlTables(connection)))
    if trouble:
        return Finding("indexes", "warning", f"upkeep could not go on: {trouble}", "`palazzo upkeep` tries again")
    if left:
        return Finding(
            "indexes",
            "warning",
            f"{left} segments of a rebuild that is under way or was interrupted",
            "they are never read; if nobody is rebuilding, `palazzo rebuild` takes their place",
        )
    if due:
        return Finding(
            "indexes",
            "warning",
            f"{due} index tails are due for a merge",
            "they answer meanwhile; `palazzo upkeep` merges now",
        )
    return Finding("indexes", "good", "text and vector indexes are merged up to their tails")


def _orphans(connection: apsw.Connection) -> Finding:
    dangling, lost = _dangling(connection), edges.orphans(connection)
    if dangling:
        return Finding("orphans", "bad", "; ".join(dangling[:3]), "`palazzo verify` lists them; restore a backup")
    return Finding("orphans", "good", f"no dangling rows, {lost} unused provenance nodes")


def _vector_gap(connection: apsw.Connection) -> Finding:
    active = [space for space in vectors.spaces(SqlTables(connection)) if space.state == "active"]
    if not active and not one(connection, "SELECT count(*) FROM (SELECT 1 FROM memory LIMIT 1)")[0]:
        return Finding("vectors", "good", "the first memory makes a vector space")
    if not active:
        return Finding("vectors", "warning", "no vector space", "recall works by text alone; configure an embedder")
    missing = search.count_missing_vectors(connection, active[0])
    if missing:
        return Finding("vectors", "warning", f"{missing} revisions wait for a vector", "`palazzo upkeep` fills them in")
    return Finding("vectors", "good", f"space {active[0].name} is complete")


def _locks(store: SqliteStore) -> Finding:
    """The locks that keep the log from being removed under this process."""
    with store.database.read() as connection:
        migrations.applied(connection)
        state = held_locks.state(store.database.path)
    if state == "lost":
        return Finding("locks", "bad", "this process has lost its locks on the palace", LocksLost.hint or "")
    told = "held" if state == "held" else "this system does not show which locks are held"
    return Finding("locks", "good", told)


def _modes(store: SqliteStore) -> Finding:
    if os.name != "posix":
        return Finding("permissions", "good", "file modes do not apply here")
    wide = [str(path.relative_to(store.folder)) for path in raw_files.readable_by_others(store.folder)]
    if wide:
        return Finding(
            "permissions", "warning", f"others can read {', '.join(wide[:8])}", f"chmod -R go= {store.folder}"
        )
    return Finding("permissions", "good", "only the owner can read the palace")


def _disk(store: SqliteStore) -> Finding:
    size = raw_files.size_of(store.folder, "palace.db")
    free = shutil.disk_usage(store.folder).free
    detail = f"palace {size / 1e6:.1f} MB, free {free / 1e9:.1f} GB"
    if free < max(2 * size, 200_000_000):
        return Finding(
            "disk", "warning", detail, "less than twice the palace's size is free: backups and migrations need it"
        )
    return Finding("disk", "good", detail)


def _wal(store: SqliteStore) -> Finding:
    """How long the log is. A long one is moved into the file and emptied, unless a reader holds it."""
    size = raw_files.size_of(store.folder, "palace.db-wal")
    if size <= LONG_LOG_BYTES:
        return Finding("wal", "good", f"the log has {size / 1e6:.1f} MB")
    told = f"the log has {size / 1e6:.0f} MB"
    if store.options.file.read_only:
        return Finding("wal", "warning", told, "open the palace for writing once, and let `palazzo doctor` empty it")
    if store.database.truncate_log(LOG_WAIT_S):
        return Finding("wal", "good", f"{told} and was emptied")
    readers = held_locks.readers(store.database.path)
    named = f" (process {', '.join(map(str, readers))})" if readers else ""
    return Finding(
        "wal", "warning", f"{told}, and somebody reads an older moment of the palace{named}: it grows until that ends",
        "end what has been reading for long: an export, a backup, a program that keeps a reading open; then "
        "`palazzo doctor` empties the log",
    )  # fmt: skip


def _erasure(store: SqliteStore) -> Finding:
    """Empties the log when an erasure could not, for a reader held it."""
    with store.database.read() as connection:
        waiting = leftovers.pending(connection)
        unfinished = len(erasure.unfinished(connection)) or int(erasure.owed(connection))
    if unfinished:
        return Finding(
            "erasure", "bad", f"{unfinished} erasures were begun and are not complete: what they take may be there",
            "open the palace for writing: that finishes them; running them again does, too",
        )  # fmt: skip
    if waiting and (store.options.file.read_only or not leftovers.empty_log(store)):
        return Finding(
            "erasure", "warning", "erased text is still in the write-ahead log, for somebody is reading",
            "close what has the palace open for long, then `palazzo doctor` again",
        )  # fmt: skip
    return Finding("erasure", "good", "nothing that was erased waits in the log")


def _sealing(connection: apsw.Connection, *, keyed: bool) -> Finding:
    plain = resealing.unsealed(connection)
    if plain and keyed:
        return Finding("encryption", "bad", f"{plain} guarded texts are in clear", "`palazzo encrypt` again seals them")
    if plain:
        return Finding(
            "encryption", "warning", f"{plain} sensitive or confidential texts are in clear: the palace has no key",
            "`palazzo encrypt`, or `palazzo encrypt --fields` for these texts alone",
        )  # fmt: skip
    return Finding("encryption", "good", "guarded texts are sealed" if keyed else "no text asks to be sealed")


def _padding(store: SqliteStore) -> list[Finding]:
    if store.options.file.key is None:
        return []
    size = (store.folder / "palace.db").stat().st_size
    if not padding.padded(size):
        told = f"{size} bytes are no whole number of buckets of {padding.BUCKET // 1024} KiB"
        return [Finding("padding", "warning", told, "the next write pads it; see whether another release writes here")]
    return [Finding("padding", "good", f"{size // padding.BUCKET} buckets of {padding.BUCKET // 1024} KiB")]
