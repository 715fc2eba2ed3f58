"""The engine on PostgreSQL: what it shares with a palace in a file, and its second fence."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from palazzo.errors import Conflict, InvalidInput, PalaceExists, PalaceMissing, PartUnavailable
from palazzo.model.capability import View
from palazzo.model.change import AddSpace, Attachments
from palazzo.model.graph import ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.scope import Scope
from palazzo.store.api import TextSearch, VectorSearch
from palazzo.store.sql import migrations, reading
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_palace, make_store, options_for, place_memory
from palazzo.testing.postgres import NoServer, Server, shared_server
from palazzo.text.words.tokens import terms

psycopg = pytest.importorskip(
    "psycopg", reason="the driver of PostgreSQL is not installed: pip install psycopg[binary]"
)
from palazzo.store.postgres.palace import Address, PostgresStore, prepare  # noqa: E402 - after the driver is there
from palazzo.store.postgres.statements import Table, Translator  # noqa: E402 - the same

WORDS = ("heron", "reed", "lake", "tuesday", "deploy", "invoice", "garden", "piano", "bicycle", "lisbon")


@pytest.fixture(scope="module")
def server() -> Server:
    try:
        return shared_server()
    except NoServer as missing:
        pytest.skip(str(missing))


@pytest.fixture
def store(server: Server, tmp_path: Path) -> Iterator[PostgresStore]:
    with make_palace(tmp_path / "p", "postgres") as made:
        assert isinstance(made, PostgresStore)
        yield made


def texts(count: int) -> list[str]:
    rng = np.random.default_rng(7)
    return [f"note {n}: " + " ".join(rng.choice(WORDS, 5)) for n in range(count)]


def test_the_first_ten_are_the_same_on_both_engines(store: PostgresStore, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((300, 16)).astype(np.float32)
    changes = [
        place_memory(text, attachments=Attachments(vectors={"bench": vector}))
        for text, vector in zip(texts(300), vectors, strict=True)
    ]
    with make_store(tmp_path / "file") as file:
        for one in (store, file):
            one.commit([AddSpace("bench", "random", 16)])
            one.commit(changes)
            one.care.upkeep()
        for _ in range(4):  # the first look at the tables, the later ones at what is kept of them
            for asked in ("heron lake", "deploy tuesday invoice", "lisbon", "piano garden reed"):
                found = [_text_hits(one, asked) for one in (store, file)]
                assert found[0] == found[1]
                assert len(found[0]) == 10
            for vector in vectors[:5]:
                near = [_near(one, vector) for one in (store, file)]
                assert near[0] == near[1]


def _text_hits(store: Any, asked: str) -> list[tuple[str, float]]:
    with store.reading(View()) as seen:
        seen.search.prepare()
        hits = seen.search.text(TextSearch(terms=tuple(terms(asked)), limit=10))
        found = _texts(seen, hits)
        return [
            (found[key], round(float(score), 6)) for key, score in zip(hits.keys.tolist(), hits.scores, strict=True)
        ]


def _texts(seen: Any, hits: Any) -> dict[int, str]:
    found = seen.memories.by_keys(hits.keys.tolist())
    return {key: memory.revision.content.text for key, memory in found.items()}


def _near(store: Any, vector: Any) -> list[str]:
    with store.reading(View()) as seen:
        hits = seen.search.vector(VectorSearch(vector=vector, limit=10))
        found = _texts(seen, hits)
        return [found[key] for key in hits.keys.tolist()]


def test_a_session_sees_the_rows_of_its_own_palace_only(server: Server, tmp_path: Path) -> None:
    with make_palace(tmp_path / "a", "postgres") as one, make_palace(tmp_path / "b", "postgres") as other:
        one.commit([place_memory("the heron stands in the reeds")])
        other.commit([place_memory("the invoice is due on Tuesday")])
        assert isinstance(one, PostgresStore)
        assert isinstance(other, PostgresStore)
        connection, beside = one.database.connect(), other.database.connect()
        try:
            ((theirs,),) = beside.session.execute("SELECT current_setting('palazzo.palace')::int").fetchall()
            rows = connection.session.execute("SELECT text FROM palazzo.revision").fetchall()
            assert [text for (text,) in rows] == ["the heron stands in the reeds"]
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.session.execute(f"INSERT INTO palazzo.scope(id, path, palace) VALUES (99, 'x', {theirs})")
            connection.session.execute("RESET palazzo.palace")
            with pytest.raises(psycopg.Error):
                connection.session.execute("SELECT text FROM palazzo.revision")
        finally:
            connection.close()
            beside.close()


def test_a_reading_whose_filter_was_removed_still_shows_no_row_of_another_scope(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = [Scope((("user", f"u{n}"),)) for n in range(8)]
    store.commit(
        [place_memory(f"the heron of user {n} stands in reed {n}", scope=user) for n, user in enumerate(users)]
    )
    real = reading._conditions
    monkeypatch.setattr(reading, "_conditions", lambda view, _scopes: _without_scopes(real(view, (424242,))))
    for user in users:
        with store.reading(View(scope=user)) as seen:
            rows = seen.connection.execute(
                f"SELECT m.id, s.path FROM {seen.source} JOIN scope s ON s.id = m.scope WHERE {seen.where}", seen.values
            ).fetchall()
        assert [path for _, path in rows] == [str(user)]


def _without_scopes(conditions: Any) -> Any:
    where, *rest = conditions
    assert "m.scope IN (424242) AND " in where
    return (where.replace("m.scope IN (424242) AND ", ""), *rest)


def test_columns_kept_of_a_palace_are_whole_whoever_asked_first(store: PostgresStore) -> None:
    users = [Scope((("user", f"u{n}"),)) for n in range(3)]
    store.commit([place_memory(f"heron number {n}", scope=user) for n, user in enumerate(users)])
    for _ in range(3):
        for n, user in enumerate(users):
            with store.reading(View(scope=user)) as seen:
                seen.search.prepare()
                hits = seen.search.text(TextSearch(terms=tuple(terms("heron")), limit=10))
                assert list(_texts(seen, hits).values()) == [f"heron number {n}"]


def test_a_server_that_was_killed_costs_the_call_under_way_and_never_the_next(tmp_path: Path) -> None:
    try:
        own = Server(durable=True)
    except NoServer as missing:
        pytest.skip(str(missing))
    try:
        address = Address(own.address, "kept")
        with PostgresStore.create(address, tmp_path, FixedClock(), options_for("postgres"), partitions=1) as store:
            store.commit([place_memory("said before the power went")])
            own.kill()
            own.start()
            store.commit([place_memory("said after it came back")])
            with store.database.read() as connection:
                rows = connection.execute("SELECT text FROM revision ORDER BY id").fetchall()
            assert [text for (text,) in rows] == ["said before the power went", "said after it came back"]
            assert store.care.verify() == []
    finally:
        own.stop()


def test_palaces_of_the_first_release_are_brought_up_to_date(server: Server, tmp_path: Path) -> None:
    name = f"old_{uuid4().hex}"
    with psycopg.connect(server.address, autocommit=True) as session:
        session.execute(f"CREATE DATABASE {name}")
    address = Address(server.address.replace("/postgres", f"/{name}"), "old")
    assert prepare(address, 1, 1, migrations.MIGRATIONS[:1]) == ("0001_first_schema",)
    with psycopg.connect(address.server, autocommit=True) as session:
        session.execute("INSERT INTO palazzo.register(name, made_us) VALUES ('old', 1), ('older', 2)")
        for number in (1, 2):
            session.execute(f"SET palazzo.palace = '{number}'")
            session.execute("INSERT INTO palazzo.palace(key, value) VALUES ('id', %s)", (str(uuid4()),))
            session.execute(
                "INSERT INTO palazzo.relation(subject, predicate, object, count, last_us, confidence)"
                " VALUES (%s, 'works_for', 2, 1, 1, 1)", (number,)
            )  # fmt: skip
    with PostgresStore.open(address, tmp_path, FixedClock(), options_for("postgres")) as store:
        with store.database.read() as connection:
            assert migrations.pending(connection) == ()
            assert connection.execute("SELECT predicate FROM relation").fetchall() == [("works_at",)]
        store.commit([place_memory("written by this release")])
        assert [one for one in store.care.verify() if "relation" not in one and "entity" not in one] == []


def test_what_only_a_file_has_is_refused_kindly(server: Server, store: PostgresStore, tmp_path: Path) -> None:
    assert store.features == frozenset()
    with pytest.raises(PartUnavailable, match="no file to encrypt"):
        PostgresStore.create(Address(server.address, "x"), tmp_path, FixedClock(), options_for("sqlite-encrypted"))
    with pytest.raises(PartUnavailable, match="own tools"):
        store.care.backup(tmp_path / "copy.db")


def test_an_address_names_server_database_and_palace() -> None:
    found = Address.parse("postgresql://maria:secret@db.example:5433/team?sslmode=require&palace=notes")
    assert found.palace == "notes"
    assert found.server == "postgresql://maria:secret@db.example:5433/team?sslmode=require"
    assert "secret" not in found.label
    assert "maria" not in found.label
    with pytest.raises(InvalidInput):
        Address.parse("postgresql://h/d?palace=a'b")


def test_a_palace_is_made_once_and_must_be_there_to_be_opened(server: Server, tmp_path: Path) -> None:
    address = Address(server.address, f"once-{uuid4().hex}")
    with pytest.raises(PalaceMissing):
        PostgresStore.open(address, tmp_path, FixedClock(), options_for("postgres"))
    PostgresStore.create(address, tmp_path, FixedClock(), options_for("postgres"), partitions=2).close()
    with pytest.raises(PalaceExists):
        PostgresStore.create(address, tmp_path, FixedClock(), options_for("postgres"), partitions=2)


TABLES = {
    "note": Table(("id", "text", "user"), ("id",), numbered=True), "tag": Table(("note", "name"), ("note", "name")),
}  # fmt: skip


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("SELECT n.id FROM note n LIMIT ?", "SELECT n.id FROM (SELECT * FROM note WHERE palace = 7) n LIMIT $1"),
        ("UPDATE tag SET name = ? WHERE note = ?", "UPDATE tag AS tag SET name = $1 WHERE tag.palace = 7 AND ( note = $2)"),  # noqa: E501
        ("DELETE FROM tag", "DELETE FROM tag AS tag  WHERE tag.palace = 7"),
        (
            "INSERT OR IGNORE INTO tag VALUES (?,?)",
            "INSERT INTO tag AS tag (note, name) VALUES ($1,$2) ON CONFLICT DO NOTHING",
        ),
        (
            "INSERT OR REPLACE INTO note VALUES (?,?,?)",
            "INSERT INTO note AS note (id, text, \"user\") VALUES ($1,$2,$3) ON CONFLICT (palace, id) DO UPDATE SET"
            " text = excluded.text, user = excluded.user RETURNING id",
        ),
        (
            "SELECT max(id, ?2), max(id) FROM note",
            "SELECT greatest(id, $2), max(id) FROM (SELECT * FROM note WHERE palace = 7) note",
        ),
        (
            "SELECT c.value FROM carray(?) c CROSS JOIN note n ON n.id = c.value",
            "SELECT c.value FROM unnest($1) c(value) JOIN (SELECT * FROM note WHERE palace = 7) n ON n.id = c.value",
        ),
        (
            "SELECT 1 FROM note WHERE text IS NOT ? AND 'from tag' = ?",
            "SELECT 1 FROM (SELECT * FROM note WHERE palace = 7) note WHERE text IS DISTINCT FROM $1"
            " AND 'from tag' = $2",
        ),
    ],
)  # fmt: skip
def test_a_statement_is_said_in_the_words_of_the_server_and_for_one_palace(said: str, meant: str) -> None:
    assert " ".join(Translator(7, TABLES)(said).text.split()) == " ".join(meant.split())


def test_rows_that_take_the_place_of_one_another_are_not_added_by_one_statement() -> None:
    said = Translator(7, TABLES)("INSERT OR REPLACE INTO note VALUES (?,?,?)")
    assert said.apart([(1, "heron", "ann"), (2, "heron", "ann")])
    assert not said.apart([(1, "heron", "ann"), (1, "reed", "ann")])


def test_many_rows_that_left_before_one_failed_are_gone_and_the_session_goes_on(store: PostgresStore) -> None:
    many = [place_memory(text, name=f"n{n}") for n, text in enumerate(texts(60))]
    with pytest.raises(Conflict):
        store.commit([*many, place_memory("Again.", name="n7")])
    assert store.journal.last_seq() == 0
    store.commit(many)
    assert store.care.verify() == []


def test_a_write_is_four_round_trips_however_much_it_asks_for(store: PostgresStore, tmp_path: Path) -> None:
    store.commit([AddSpace("here", "random", 4)])

    def write(n: int) -> None:
        told = ProvenanceNode(id=new_id(n + 1), kind="conversation", at_us=n, label="chat")
        attached = Attachments(vectors={"here": np.eye(4, dtype=np.float32)[n % 4]}, sources=(Source(node=told),))
        store.commit([place_memory(f"note {n}", attachments=attached)])

    for n in range(4):  # the server has met each statement then
        write(n)
    assert store.database._writer is not None
    server = store.database._writer.session.pgconn
    with (tmp_path / "trips").open("wb") as said:
        server.trace(said.fileno())
        write(5)
        server.untrace()
    asked = [line.split("\t") for line in (tmp_path / "trips").read_text().splitlines()]
    assert [line[3] for line in asked if line[1:2] == ["F"] and line[3] in ("Query", "Sync")] == [
        "Query",
        *["Sync"] * 3,
    ]
    assert store.care.verify() == []


def test_who_listens_is_woken_by_the_write_of_another_process_and_a_write_tells_nobody_else(
    store: PostgresStore, tmp_path: Path
) -> None:
    store.commit([place_memory("Nobody listens yet.")])
    assert store.database._writer is not None
    assert not store.database._writer.heard
    with PostgresStore.open(store.address, tmp_path / "other", FixedClock(), options_for("postgres")) as other:
        assert other.journal.await_news(0.0), "it listens from now on"
        woken: list[bool] = []
        waiting = threading.Thread(target=lambda: woken.append(other.journal.await_news(600.0)))
        waiting.start()
        store.commit([place_memory("The tide turns at six.")])
        waiting.join(60.0)
        assert woken == [True]
        assert other.journal.last_seq() == 2


def test_a_palace_that_is_closed_while_somebody_listens_leaves_the_session_to_who_listens(store: PostgresStore) -> None:
    assert store.database.await_news(0.0)  # from now on it listens
    listener = store.database._listener
    assert listener is not None
    with store.database._listening:  # as a thread does that waits for news
        store.close()
        assert listener.usable
    store.database.await_news(0.0)
    assert not listener.usable
    assert not store.database.await_news(0.0)
