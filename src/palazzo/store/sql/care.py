"""Care of a palace, as far as no engine is asked: does everything agree, and making the derived parts again.

Reads below all views, because it looks at the palace and not at anybody's memories; it returns names, counts and ids,
never content. Invariant: verify and doctor change nothing that is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from palazzo.errors import CorruptPalace, WrongKey
from palazzo.model.memory import RevisionDraft
from palazzo.store.api import Finding, Steps
from palazzo.store.api.keeping import Damaged
from palazzo.store.index.text import documents as text_documents
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sql import indexes, journal, migrations
from palazzo.store.sql.erase import erasure
from palazzo.store.sql.graph import edges
from palazzo.store.sql.guard import audit
from palazzo.store.sql.memory import intakes, memories, search
from palazzo.store.sql.port import Connection, EngineError, one, translated
from palazzo.store.sql.rows import damage
from palazzo.store.sql.seal import resealing, sealing
from palazzo.store.sql.seal.sealing import opened
from palazzo.store.sql.tables import SqlTables

if TYPE_CHECKING:
    from palazzo.store.sql.store import SqlStore

REPAIR_BATCH = 1000
_UNREADABLE = (
    EngineError, CorruptPalace, WrongKey, ValueError, TypeError, AttributeError, LookupError, ArithmeticError,
)  # fmt: skip
"""What a check that meets a damaged page or row ends in."""


Check = Callable[[Connection], list[str]]


def verify(store: SqlStore, progress: Steps | None, file: Check, dangling: Check) -> list[str]:
    """What does not agree in the whole palace; an engine brings what it knows of its file and of references."""
    damaged: list[Damaged] = []

    def fields_problems(connection: Connection) -> list[str]:
        damaged.extend(damage(connection, store.cipher, store.options.kinds.names))
        store.database.cover(connection, damaged)
        return [str(one) for one in damaged]

    checks: tuple[tuple[str, Check], ...] = (
        ("file", file),
        ("fields", fields_problems),
        ("references", dangling),
        ("current tags", _tag_problems),
        ("revisions", lambda connection: sealing.altered(connection, store.cipher)),
        ("events, grants and seals", journal.problems),
        ("journal", _journal_problems),
        ("audit", audit.verify),
        ("text index", _text_problems),
        ("vector index", _vector_problems),
    )
    found: list[str] = []
    with whole(store) as connection:
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
def whole(store: SqlStore) -> Iterator[Connection]:
    """A connection in a read transaction that sees every row, whatever was set aside."""
    connection = store.database.connect()
    try:
        with translated():
            connection.execute("BEGIN")
            yield connection
    finally:
        connection.close(True)


def _newer_moment(connection: Connection) -> None:
    """Lets go of the moment that is being read: each check is about one, and the log waits for none longer."""
    if connection.in_transaction:
        connection.execute("COMMIT")
    connection.execute("BEGIN")


def _tag_problems(connection: Connection) -> list[str]:
    """Every memory's current revision is its own and is where its open current tag points."""
    rows = connection.execute(
        """SELECT hex(m.uuid) FROM memory m LEFT JOIN revision r ON r.id = m.current
           WHERE r.memory IS NOT m.id OR 1 <> (SELECT count(*) FROM tag_move t
               WHERE t.memory = m.id AND t.tag = 'current' AND t.until_us IS NULL AND t.revision = m.current)
           LIMIT 20"""
    )
    return [f"tag: memory {uuid} has no proper current revision" for (uuid,) in rows]


def _journal_problems(connection: Connection) -> list[str]:
    (strays,) = one(
        connection,
        """SELECT count(*) FROM memory m LEFT JOIN event v ON v.seq =
             (SELECT seq FROM tag_move WHERE memory = m.id AND tag = 'current' ORDER BY seq LIMIT 1)
           WHERE v.memory IS NOT m.uuid""",
    )
    found = journal.gaps(connection)
    return found + ([f"journal: {strays} memories have no event that placed them"] if strays else [])


def _text_problems(connection: Connection) -> list[str]:
    return [f"text index: {problem}" for problem in text_index.verify(SqlTables(connection), _indexed(connection))]


def _vector_problems(connection: Connection) -> list[str]:
    return [f"vector index: {problem}" for problem in vectors.verify(SqlTables(connection))]


def _indexed(connection: Connection) -> Iterator[tuple[int, int, list[str]]]:
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


def rebuild(store: SqlStore, progress: Steps | None = None) -> None:
    """Makes the text and vector indexes again from the revisions and their vectors.

    A text index that is damaged is emptied first; stored vectors that are none go, and their texts are embedded again.
    """

    def told(name: str) -> Callable[[int, int], None] | None:
        return (lambda done, total: progress(name, done, total)) if progress else None

    with translated():
        connection = store.database.connect()
        try:
            store.database.cover(connection, damage(connection, store.cipher, store.options.kinds.names))
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


def _refill_text(connection: Connection, progress: Callable[[int, int], None] | None) -> None:
    """Puts right every forward row that differs from its revision, in transactions of bounded size."""
    (total,) = one(connection, "SELECT count(*) FROM revision")
    wrong: list[tuple[int, int, list[str]]] = []
    tables = SqlTables(connection)
    with tables.moment():  # revisions and forward rows of one moment: what goes between two would look wrong
        for done, (partition, revision, words, stored) in enumerate(
            text_documents.beside(tables, _indexed(connection)), 1
        ):
            if stored != text_documents.encode(words):
                wrong.append((partition, revision, list(words)))
            if progress and done % 5000 == 0:
                progress(min(done, total), total)
        extra: list[Any] = connection.execute(
            "SELECT scope, revision FROM text_doc d WHERE NOT EXISTS (SELECT 1 FROM revision WHERE id = d.revision)"
        ).fetchall()
    put_right(connection, wrong)
    if extra:
        with _immediate(connection):
            text_index.remove(tables, extra)


def put_right(connection: Connection, wrong: Sequence[tuple[int, int, list[str]]]) -> None:
    """Writes forward rows anew; of what was erased since it was looked at, nothing comes back."""
    tables = SqlTables(connection)
    for start in range(0, len(wrong), REPAIR_BATCH):
        batch = wrong[start : start + REPAIR_BATCH]
        with _immediate(connection):
            text_index.remove(tables, [(partition, revision) for partition, revision, _ in batch])
            text_index.add(tables, [row for row in batch if _is_there(connection, row[1])])


def _is_there(connection: Connection, revision: int) -> bool:
    """Uses the primary key of revision."""
    return connection.execute("SELECT 1 FROM revision WHERE id = ?", (revision,)).fetchone() is not None


@contextmanager
def _immediate(connection: Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def findings(connection: Connection, store: SqlStore, first: Finding, dangling: Sequence[str]) -> list[Finding]:
    """What the doctor of either engine looks at, after what it finds of its own ground."""
    if dangling:
        orphans = Finding("orphans", "bad", "; ".join(dangling[:3]), "`palazzo verify` lists them; restore a backup")
    else:
        lost = edges.orphans(connection)
        orphans = Finding("orphans", "good", f"no dangling rows, {lost} unused provenance nodes")
    return [
        first,
        _fields(connection, store),
        Finding("schema", "good", f"{len(migrations.applied(connection))} migrations applied"),
        _lag(connection, store.upkeep.trouble),
        orphans,
        _vector_gap(connection),
        _unread_messages(connection),
        _sealed_texts(connection, keyed=store.cipher is not None),
    ]


def unfinished(connection: Connection) -> Finding | None:
    """An erasure that was begun and is not complete, if there is one."""
    count = len(erasure.unfinished(connection)) or int(erasure.owed(connection))
    if not count:
        return None
    return Finding(
        "erasure", "bad", f"{count} erasures were begun and are not complete: what they take may be there",
        "open the palace for writing: that finishes them; running them again does, too",
    )  # fmt: skip


def _fields(connection: Connection, store: SqlStore) -> Finding:
    damaged = damage(connection, store.cipher, store.options.kinds.names)
    if damaged:
        store.database.cover(connection, damaged)
        told = f"{len(damaged)} damaged fields, the first: {damaged[0]}"
        return Finding("fields", "bad", told, "`palazzo verify` names them; restore a backup, or purge what is damaged")
    return Finding("fields", "good", "every stored field is whole")


def _lag(connection: Connection, trouble: str) -> Finding:
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


def _vector_gap(connection: Connection) -> Finding:
    active = [space for space in vectors.spaces(SqlTables(connection)) if space.state == "active"]
    if not active and not one(connection, "SELECT count(*) FROM (SELECT 1 FROM memory LIMIT 1)")[0]:
        return Finding("vectors", "good", "the first memory makes a vector space")
    if not active:
        return Finding("vectors", "warning", "no vector space", "recall works by text alone; configure an embedder")
    missing = search.count_missing_vectors(connection, active[0])
    if missing:
        return Finding("vectors", "warning", f"{missing} revisions wait for a vector", "`palazzo upkeep` fills them in")
    return Finding("vectors", "good", f"space {active[0].name} is complete")


def _unread_messages(connection: Connection) -> Finding:
    waiting = intakes.backlog(connection)
    if waiting:
        told = f"{waiting} messages are kept and not understood yet"
        return Finding("intake", "warning", told, "they are found by their words; `palazzo upkeep` understands them")
    return Finding("intake", "good", "everything that was told is understood")


def _sealed_texts(connection: Connection, *, keyed: bool) -> Finding:
    plain = resealing.unsealed(connection)
    if plain and keyed:
        return Finding("encryption", "bad", f"{plain} guarded texts are in clear", "`palazzo encrypt` again seals them")
    if plain:
        return Finding(
            "encryption", "warning", f"{plain} sensitive or confidential texts are in clear: the palace has no key",
            "`palazzo encrypt`, or `palazzo encrypt --fields` for these texts alone",
        )  # fmt: skip
    return Finding("encryption", "good", "guarded texts are sealed" if keyed else "no text asks to be sealed")
