"""One damaged field never takes the palace with it: it is named, its row is left out, and everything else works."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import apsw
import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from palazzo.adapters.ciphers import SealedFields
from palazzo.engine import Engine
from palazzo.errors import DamagedRow, PalazzoError
from palazzo.model.change import RecordCorrection
from palazzo.model.kinds import Kind
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.spaces import Spaces
from palazzo.store.sql import rows
from palazzo.store.sql.port import OpenOptions, StoreOptions
from palazzo.store.sqlite import care
from palazzo.store.sqlite.palace import FILE, SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import place_memory

NO_TEXT = "CAST(x'66ff6f' AS TEXT)"
STRANGE = "?? strange ??"
BYTES = "x'00ff01'"
KEPT = ("palace", "erasure", "erasure_memory", "erasure_stretch")
"""What the palace says of itself, and of erasures under way: nothing of it is left out, whoever needs it says what is
damaged."""


def engine_in(folder: Path, cipher: SealedFields | None = None) -> Engine:
    clock = FixedClock()
    options = StoreOptions(file=OpenOptions(fields=cipher), upkeep=False)
    exists = (folder / FILE).exists()
    store = SqliteStore.open(folder, clock, options) if exists else SqliteStore.create(folder, clock, options)
    return Engine(store, clock, Spaces(store, None, "none", lambda _: None))


def asked(engine: Engine, name: str, /, **arguments: Any) -> Any:
    return call(engine, Caller(subject="operator"), name, arguments)


def furnish(engine: Engine) -> UUID:
    """Something in every table; returns the memory that is to be left alone."""
    kept = asked(engine, "remember", text="The kettle in the green kitchen whistles in C sharp.", place="home").id
    other = asked(engine, "remember", text="Ada Lovelace works at the harbour office in Bergen.", place="work.desk").id
    third = asked(
        engine, "remember", text="Ada Lovelace moved to the lighthouse in Oslo.", place="work.sea", user_id="finn",
        metadata={"colour": "teal"},
    ).id  # fmt: skip
    asked(engine, "relate", source=str(other), kind="supports", target=str(kept))
    asked(engine, "observe", turns=[{"role": "user", "content": "My sister Ida lives in Tromso."}], thread="t")
    asked(engine, "update", memory=str(other), text="Ada Lovelace works at the harbour office in Stavanger.")
    asked(engine, "tag", memory=str(other), tag="draft")
    asked(engine, "grant", subject="agent:cook", place="home", level="read_all")
    asked(engine, "token_create", subject="agent:cook", label="kitchen")
    asked(engine, "context", message="What about Ada?")
    engine.store.commit([RecordCorrection(memory_id=other, space="none", context=np.zeros(4, np.float32))])
    assert third
    return kept  # type: ignore[no-any-return]


OWN_KIND = msgspec.json.encode(
    Kind(name="voyage", layer="episodic", base_stability_days=9, conflict="keep_both", entrenched_by="recency")
).decode()


def _fill(path: Path) -> None:
    """Whole rows for the tables that the calls above leave empty."""
    memory, revision, scope, place, entity, node = 2, 2, 1, 1, 1, 1
    uid = bytes(range(16))
    whole: dict[str, tuple[Any, ...]] = {
        "artifact": (revision, "plan", "file:///plan", "text/plain", 3, "ab"),
        "relation": (entity, "knows", entity, 1, 5, 0.5, revision),
        "provenance_node": (None, uid, "file", 5, "plan", "operator"),
        "provenance_edge": (node, "caused_by", node),
        "provenance_source": (revision, node, "caused_by", 0, 3, "hand"),
        "breadcrumb": ("day", 5, place, memory, "operator"),
        "in_mind": (scope, "operator", memory, 0.5, 5, 5),
        "cursor": ("reader", 1, 5),
        "idempotency": ("operator", "k", b"d", 5, "{}"),
        "lease": ("other", "holder", 5),
        "packet": (uid, "lease", scope, "operator", "active", "{}", None, 5, 5),
        "slip": (None, uid, "thread", scope, "harbour", "operator", "open", "{}", 1, None, 5, 5),
        "snapshot": (None, uid, place, None, scope, "operator", "2: code", 5, "{}", 2),
        "raw_event": (None, "command", "shell", scope, "operator", "make", "{}", 5),
        "own_kind": ("voyage", OWN_KIND, 5, "operator"),
        "job": ("sweep", "done", "holder", "mind", 5, 5, 5, "", 0, 0, 0, ""),
        "displaced": (revision, 0, revision, 0, 5),
        "staleness_audit": (None, memory, revision, 5, 0.1, 0.1, 0.1, 0.1, "{}", None, None),
        "freshness": (memory, 1, 0, 5),
        "outcome": (memory, 1, 0, 5),
        "claim": (
            None,
            uid,
            scope,
            "The sea is deep",
            "fact",
            "candidate",
            30.0,
            5,
            5,
            None,
            "operator",
            b"h",
            "clear",
        ),
        "claim_source": (1, 0, "file", "plan.md", "deep"),
        "claim_decision": (None, uid, 1, 5, "operator", "candidate", "same", b"h"),
        "signal": (scope, "language", 1, "python", 3),
        "subject_met": ("mcp:desk", 5),
        "lifted_lock": ("kit:health", 5, "operator"),
        "operator_plan": (uid, "lock", "{}", "{}", "planned", "operator", 5, 5),
        "alias": ("ada", scope, entity, "Ada"),
        "atom": (revision, 40, "ada", "lives_in", "oslo", 1, 0, scope),
    }
    connection = apsw.Connection(str(path))
    for table, row in whole.items():
        if not connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():
            connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    connection.close()


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, UUID]:
    folder = tmp_path_factory.mktemp("furnished") / "p"
    with engine_in(folder) as engine:
        kept = furnish(engine)
    _fill(folder / FILE)
    with engine_in(folder) as engine:
        assert care.verify(engine.store) == []
    return folder, kept


def damaged_copy(furnished: Path, folder: Path, table: str, column: str, value: str) -> str:
    """A copy in which one field of the newest row of a table holds this; returns what the row is called."""
    shutil.copytree(furnished, folder)
    connection = apsw.Connection(str(folder / FILE))
    connection.pragma("ignore_check_constraints", True)
    shape = rows.TABLES[table]
    connection.execute(
        f"UPDATE {table} SET {column} = {value} WHERE {shape.row} = (SELECT max({shape.row}) FROM {table})"
    )
    assert connection.changes() == 1
    (found,) = connection.execute(f"SELECT {shape.row} FROM {table} WHERE {column} IS {value}").fetchone()  # type: ignore[misc]
    connection.close()
    return str(found)


def damages(table: str) -> Iterator[tuple[str, str]]:
    """Each column of a table, with values it cannot hold."""
    shape = rows.TABLES[table]
    for column in shape.columns:
        if shape.numbered and column.name in shape.key:
            continue  # SQLite itself lets it hold nothing but a number
        if str in column.types:
            yield column.name, NO_TEXT
            yield from ((column.name, f"'{value}'") for value in (STRANGE, "") if not column.holds(value))
        else:
            yield column.name, f"'{STRANGE}'"
        if bytes not in column.types:
            yield column.name, BYTES


def test_every_table_that_holds_truth_has_a_shape_with_exactly_its_columns(furnished: tuple[Path, UUID]) -> None:
    connection = apsw.Connection(str(furnished[0] / FILE))
    tables = connection.execute(
        """SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('migration', 'sqlite_sequence')
           AND name NOT GLOB 'text_*' AND name NOT GLOB 'vector*'"""
    )
    for table in [str(name) for (name,) in tables.fetchall()]:
        found = [name for (name,) in connection.execute(f"SELECT name FROM pragma_table_info('{table}')")]
        assert [column.name for column in rows.TABLES[table].columns] == found, table
    connection.close()


@pytest.mark.parametrize("table", [table for table in rows.TABLES if table not in KEPT])
def test_a_damaged_field_is_named_and_everything_else_works(
    table: str, furnished: tuple[Path, UUID], tmp_path: Path
) -> None:
    folder, kept = furnished
    for number, (column, value) in enumerate(damages(table)):
        here = tmp_path / str(number)
        row = damaged_copy(folder, here, table, column, value)
        told = f"{table}: row {row}, column {column} is damaged"
        with engine_in(here) as engine:
            asked(engine, "list", state="all")
            assert any(m.id == kept for m in asked(engine, "list").memories), told
            assert any(hit.memory.id == kept for hit in asked(engine, "recall", cue="green kitchen kettle")), told
            asked(engine, "recall", cue="Ada Lovelace harbour", user_id="finn")
            asked(engine, "context", message="Where does Ada work?", user_id="finn")
            assert asked(engine, "get", memory=str(kept)).id == kept
            asked(engine, "export", to=str(here / "out.jsonl"))
            assert told in asked(engine, "verify").problems
            care.rebuild(engine.store)
            found = {f.check: f for f in asked(engine, "doctor").findings}
            assert found["fields"].level == "bad", told
            for name in ("status", "places", "inbox", "events", "token_list", "plans", "audit_list"):
                asked(engine, name)
            asked(engine, "remember", text=f"The bridge opens at {number}.", place="home")
        shutil.rmtree(here)


@pytest.mark.parametrize(("column", "value"), [("value", NO_TEXT), ("value", "'?'"), ("key", NO_TEXT)])
def test_what_the_palace_says_of_itself_may_be_damaged_and_no_call_ends_without_a_code(
    column: str, value: str, furnished: tuple[Path, UUID], tmp_path: Path
) -> None:
    folder, kept = furnished
    connection = apsw.Connection(str(folder / FILE))
    keys = [key for (key,) in connection.execute("SELECT key FROM palace")]
    connection.close()
    for number, key in enumerate(keys):
        here = tmp_path / str(number)
        shutil.copytree(folder, here)
        apsw.Connection(str(here / FILE)).execute(f"UPDATE palace SET {column} = {value} WHERE key = ?", (key,))
        with engine_in(here) as engine:
            assert asked(engine, "get", memory=str(kept)).id == kept, key
            assert any(m.id == kept for m in asked(engine, "list").memories), key
            assert any(p.startswith("palace: row") for p in asked(engine, "verify").problems), key
            for name, arguments in (("remember", {"text": "Bridges open."}), ("export", {"to": str(here / "out")})):
                with suppress(DamagedRow):
                    asked(engine, name, **arguments)
        shutil.rmtree(here)


def test_a_damaged_memory_is_said_to_be_damaged_and_lists_say_what_they_left_out(
    furnished: tuple[Path, UUID], tmp_path: Path
) -> None:
    folder, _ = furnished
    row = damaged_copy(folder, tmp_path / "p", "revision", "detail", "'{\"metadata\": 7'")
    with engine_in(tmp_path / "p") as engine:
        with engine.store.database.read() as connection:
            (uuid,) = connection.execute(
                "SELECT uuid FROM memory WHERE id = (SELECT memory FROM revision WHERE id = ?)", (int(row),)
            ).fetchone()  # type: ignore[misc]
        with pytest.raises(DamagedRow, match="palazzo verify") as raised:
            asked(engine, "get", memory=str(UUID(bytes=uuid)))
        assert raised.value.code == "damaged"
        told = f"revision: row {row}, column detail is damaged"
        assert asked(engine, "list").damaged == (told,)
        assert told in asked(engine, "recall", cue="anything").damaged
        assert call(engine, Caller(subject="agent:primary"), "list", {}).damaged == (
            "1 damaged fields; `palazzo verify` names them",
        )


def test_a_sealed_text_that_does_not_open_is_damage_and_not_a_wrong_key(tmp_path: Path) -> None:
    cipher = SealedFields(bytes(range(32)), bytes(32))
    with engine_in(tmp_path / "p", cipher) as engine:
        kept = asked(engine, "remember", text="The ferry leaves at six.", place="home").id
        engine.store.commit([replace(place_memory("The spare key is under the third stone."), tier="sensitive")])
        sealed: list[int] = []
        with engine.store.database.read() as connection:
            sealed = [row for (row,) in connection.execute("SELECT id FROM revision WHERE typeof(text) = 'blob'")]
    assert sealed
    connection = apsw.Connection(str(tmp_path / "p" / FILE))
    connection.execute(
        "UPDATE revision SET text = substr(text, 1, 30) || x'00' || substr(text, 32) WHERE id = ?", (sealed[0],)
    )
    connection.close()
    with engine_in(tmp_path / "p", cipher) as engine:
        found = asked(engine, "list")
        assert kept in {m.id for m in found.memories}
        assert found.damaged == (f"revision: row {sealed[0]}, column text is damaged",)
        assert f"revision: row {sealed[0]}, column text is damaged" in asked(engine, "verify").problems
        care.rebuild(engine.store)


def test_while_a_grant_is_damaged_its_subject_may_do_nothing(furnished: tuple[Path, UUID], tmp_path: Path) -> None:
    folder, _ = furnished
    damaged_copy(folder, tmp_path / "p", "capability_grant", "level", "99")
    with engine_in(tmp_path / "p") as engine:
        with pytest.raises(PalazzoError) as raised:
            call(engine, Caller(subject="agent:cook"), "list", {"place": "home"})
        assert raised.value.code == "not_permitted"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A palace whose indexes have rows in their segments and blocks."""
    folder = tmp_path_factory.mktemp("indexed") / "p"
    with with_vectors(folder) as engine:
        asked(engine, "remember", text="The kettle in the green kitchen whistles in C sharp.", place="home")
        engine.store.commit([place_memory(f"number {k} of the mill", place="work") for k in range(4200)])
        engine.spaces.backfill()
        engine.store.upkeep.run()
        assert care.verify(engine.store) == []
    return folder


def with_vectors(folder: Path) -> Engine:
    clock = FixedClock()
    options = StoreOptions(file=OpenOptions(durable=False), upkeep=False)
    store = (SqliteStore.open if (folder / FILE).exists() else SqliteStore.create)(folder, clock, options)
    return Engine(store, clock, Spaces(store, HashEmbedder(64), "hash", lambda _: None))


@pytest.mark.parametrize(
    "field",
    [
        "text_scope.docs", "text_scope.tail", "text_doc.scope", "text_doc.length", "text_doc.terms",
        "text_segment.slots", "text_segment.revisions", "text_segment.lengths", "text_posting.terms",
        "text_posting.body", "vector_space.metric", "vector.scope", "vector.data", "vector_block.count",
        "vector_code.id", "vector_code.revisions", "vector_code.codes",
    ],
)  # fmt: skip
def test_a_damaged_index_is_gone_without_and_made_again(field: str, indexed: Path, tmp_path: Path) -> None:
    table, column = field.split(".")
    name = "text index" if table.startswith("text") else "vector index"
    shutil.copytree(indexed, tmp_path / "p")
    connection = apsw.Connection(str(tmp_path / "p" / FILE))
    connection.pragma("ignore_check_constraints", True)
    (kind,) = connection.execute(f"SELECT typeof({column}) FROM {table}").fetchone()  # type: ignore[misc]
    value = {"integer": "-7", "blob": BYTES, "text": f"'{STRANGE}'"}[kind]
    every = table in ("text_scope", "text_segment", "text_posting", "vector_space", "vector_block", "vector_code")
    one = "" if every and column not in ("id", "terms") else f"ORDER BY {column} DESC LIMIT 1"
    connection.execute(f"UPDATE {table} SET {column} = {value} WHERE {column} IN (SELECT {column} FROM {table} {one})")
    connection.close()
    with with_vectors(tmp_path / "p") as engine:
        found = asked(engine, "recall", cue="kettle of the mill in the green kitchen")
        asked(engine, "context", message="What about the kettle?")
        problems = asked(engine, "verify").problems
        assert any(problem.startswith((name, "file: CHECK")) for problem in problems), problems
        told = [one for one in found.damaged if name in one]
        assert told == [] or (len(told) == 1 and "palazzo rebuild" in told[0])
        asked(engine, "remember", text="The bridge opens at nine.", place="home")
        if table == "vector_space":
            return  # what its vectors are is told nowhere else
        care.rebuild(engine.store)
        engine.spaces.backfill()
        assert care.verify(engine.store) == []
        again = asked(engine, "recall", cue="green kitchen kettle")
        assert any(hit.text.startswith("The kettle") for hit in again.hits)
        assert again.damaged == ()
