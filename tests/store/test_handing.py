"""Processes that write one palace on a server together: who finds it taken is written along by the next who has it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from palazzo.errors import Conflict, PalaceBusy
from palazzo.model import belief as b
from palazzo.model import change as c
from palazzo.model.capability import View
from palazzo.model.graph import Node, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.store.sql.apply import Batch
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_palace, options_for, place_memory
from palazzo.testing.postgres import NoServer, shared_server
from palazzo.text.safety.gate import Gated, passed

pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed: pip install psycopg[binary]")
from palazzo.store.postgres import handing
from palazzo.store.postgres.palace import PostgresStore

PROCESSES = 4


@pytest.fixture(params=["postgres", "postgres-sealed"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[PostgresStore]]:
    """The same palace, opened as often as processes would."""
    try:
        shared_server()
    except NoServer as missing:
        pytest.skip(str(missing))
    with ExitStack() as opened:
        first = make_palace(tmp_path / "p", request.param)
        assert isinstance(first, PostgresStore)
        opened.enter_context(first)
        yield [first, *(opened.enter_context(beside(first, request.param)) for _ in range(PROCESSES - 1))]


def beside(store: PostgresStore, engine: str, **file: Any) -> PostgresStore:
    return PostgresStore.open(store.address, store.folder, FixedClock(), options_for(engine, **file))


@contextmanager
def taken(store: PostgresStore) -> Iterator[Any]:
    """While somebody has the palace."""
    holder = store.database.connect()
    try:
        holder.execute("BEGIN IMMEDIATE")
        yield holder
    finally:
        holder.close()


def waiting(holder: Any, count: int) -> list[bytes]:
    """What so many have handed over, as soon as they have."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        rows = [bytes(body) for (body,) in holder.execute("SELECT body FROM handover WHERE body IS NOT NULL")]
        if len(rows) == count:
            return rows
        time.sleep(0.01)
    raise AssertionError("they did not hand over what they write")


def together(stores: list[PostgresStore], changes: list[c.Change]) -> tuple[list[Future[c.Receipt]], list[bytes]]:
    """Each commits its own while somebody has the palace; what became of it, and what lay there meanwhile."""
    with ThreadPoolExecutor(len(stores)) as pool, taken(stores[0]) as holder:
        done = [pool.submit(store.commit, [change]) for store, change in zip(stores, changes, strict=True)]
        bodies = waiting(holder, len(stores))
    return done, bodies


def look(store: PostgresStore, statement: str) -> list[Any]:
    with store.database.read() as connection:
        return list(connection.session.execute(statement))


def test_what_processes_write_while_they_wait_is_one_transaction(stores: list[PostgresStore]) -> None:
    changes: list[c.Change] = [
        place_memory(f"card 4012 8888 8888 1881, note {n}", name=f"n{n}") for n in range(PROCESSES)
    ]
    done, bodies = together(stores, changes)
    receipts = sorted(one.result().first_seq for one in done)
    assert receipts == list(range(receipts[0], receipts[0] + PROCESSES))
    assert look(stores[0], "SELECT count(DISTINCT xmin::text) FROM memory") == [(1,)]
    assert look(stores[0], "SELECT count(*) FROM handover") == [(0,)]
    assert stores[0].care.verify() == []
    assert any(b"note" in body for body in bodies) is (stores[0].cipher is None)
    assert all(one.result().notes for one in done)  # what the gate found in each is told to whose it is


def test_a_write_that_cannot_be_done_fails_alone(stores: list[PostgresStore]) -> None:
    made = place_memory("the heron stands in the reeds")
    stores[0].commit([made])
    done, _ = together(stores, [place_memory("one"), made, place_memory("three"), place_memory("four")])
    assert [type(one.exception()) for one in done] == [type(None), Conflict, type(None), type(None)]
    assert look(stores[0], "SELECT count(*) FROM memory") == [(4,)]
    assert stores[0].care.verify() == []


def test_who_waits_too_long_is_told_and_nothing_of_it_is_written_later(stores: list[PostgresStore]) -> None:
    with (
        beside(stores[0], "postgres-sealed" if stores[0].cipher else "postgres", busy_wait_s=0.05) as hasty,
        taken(stores[0]) as holder,
    ):
        with pytest.raises(PalaceBusy):
            hasty.commit([place_memory("said in vain")])
        assert waiting(holder, 0) == []
    stores[0].commit([place_memory("said after it")])
    assert look(stores[0], "SELECT count(*) FROM memory") == [(1,)]


def test_what_was_handed_over_by_a_process_that_died_is_not_kept(stores: list[PostgresStore]) -> None:
    store = stores[0]
    store.database.write(lambda connection: connection.plain(
        "INSERT INTO handover (ticket, body, made) VALUES ('a', 'of the dead', now() - interval '2 minutes'), "
        "('b', NULL, now() - interval '2 days')"
    ))  # fmt: skip
    store.commit([place_memory("the heron stands in the reeds")])
    assert look(store, "SELECT count(*) FROM memory") == [(1,)]
    from palazzo.store.postgres import handing

    store.database.write(handing.tidy)
    assert look(store, "SELECT body FROM handover") == [(None,)]


NODE = ProvenanceNode(id=new_id(1), kind="conversation", at_us=5, label="chat", metadata={"source": "chat", "n": [1]})
ATTACHED = c.Attachments(
    vectors={"bench": np.arange(4, dtype=np.float32)}, sources=(Source(node=NODE, start=1, end=2),)
)
CHANGES: tuple[Callable[[], c.Change], ...] = (
    lambda: place_memory("the heron stands in the reeds", attachments=ATTACHED),
    lambda: c.AddRevision(memory_id=uuid4(), content=RevisionDraft(text="two"), expected=1, attachments=ATTACHED),
    lambda: c.AddEdge("related_to", Node(uuid4()), Node(uuid4(), 2), metadata={"why": "both"}),
    lambda: c.LinkProvenance(memory_id=uuid4(), sources=(Source(node=NODE),), nodes=(NODE,)),
    lambda: b.ExpectHeld(View(), (("heron", "colour"),), frozenset({(1, 2)})),
)


@pytest.mark.parametrize("make", CHANGES)
@pytest.mark.parametrize("keyed", [False, True])
def test_a_commit_that_was_packed_is_unpacked_as_it_was(make: Callable[[], c.Change], keyed: bool) -> None:
    cipher = options_for("postgres-sealed").file.fields if keyed else None
    batch = Batch(passed([make()], keyed=keyed), 7, "agent:primary", options_for("sqlite").kinds, cipher)
    (again,) = handing.unpacked(handing.packed([batch]), batch._replace(gated=Gated(()), now_us=0, subject="operator"))
    assert (again.now_us, again.subject) == (7, "agent:primary")
    assert [_told(one) for one in again.gated.changes] == [_told(one) for one in batch.gated.changes]


def _told(change: Any) -> str:
    return repr(change)


def test_what_another_release_or_another_key_packed_is_left_to_it() -> None:
    batch = Batch(passed([place_memory("a")], keyed=False), 7, "operator", options_for("sqlite").kinds)
    said = handing.packed([batch])
    sealed = batch._replace(cipher=options_for("postgres-sealed").file.fields)
    assert handing.unpacked(said[:2] + bytes(8) + said[10:], batch) == []
    assert handing.unpacked(handing.packed([sealed]), batch) == []
    assert handing.unpacked(said, sealed) == []
