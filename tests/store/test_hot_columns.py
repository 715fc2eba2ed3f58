"""The hot columns say what the tables say: whatever was written, by whom, in whichever order, for whoever reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palazzo.errors import PalazzoError
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.belief import RecordOutcome
from palazzo.model.capability import View
from palazzo.model.change import (
    AddEdge,
    AddRevision,
    Attachments,
    Change,
    ChangePlace,
    LinkProvenance,
    MoveMemory,
    MoveTag,
    PlaceMemory,
    PurgeMemory,
    RemoveEdge,
    SetDeprecated,
    SetState,
)
from palazzo.model.graph import EdgeDraft, EdgeKind, Node, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.model.message import Turn
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import Filter
from palazzo.store.sql.hot import columns as hot
from palazzo.store.sql.memory import lifecycle
from palazzo.store.sql.nouns import PalaceReading
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, options_for, place_memory
from palazzo.text.words.remembered import forget_texts

ANNA = Scope.of(user="anna")
VIEWS = (
    View(), View(scope=ANNA), View(states=("active",)), View(include_deprecated=True),
    View(reach=(PlaceGlob.parse("work.**"),)), View(sealed_reach=(PlaceGlob.parse("**"),)), View(all_scopes=True),
)  # fmt: skip
NOW_US = FixedClock.START_US + 1
PLACES = ("work", "work.deep", "talks", "cellar")
KINDS: tuple[EdgeKind, ...] = ("derived_from", "supersedes", "supports", "depends_on", "contradicts")


def from_tables(reading: PalaceReading) -> PalaceReading:
    """The same moment for the same reader, without columns."""
    return dataclasses.replace(reading, position=-1, seen=set())


def answers(reading: PalaceReading, keys: list[int]) -> dict[str, Any]:
    """What ranking asks of these revisions."""
    current = [key for key in keys if reading.allowed(np.array([key], np.int64))[0]]
    around = reading.turns.windows(np.array(current, np.int64), 1, 1)
    drawn = reading.edges.drawn(current, NOW_US) if current else []
    return {
        "allowed": reading.allowed(np.array(keys, np.int64)).tolist(),
        "kinds": dict(reading.memories.kinds_of(keys)),
        "noted": [column.tolist() for column in reading.memories.noted(keys)],
        "windows": [list(part) for part in (around.keys, around.sessions, around.positions)],
        "who": (tuple(around.speakers), tuple(around.roles)),
        "told": reading.turns.told(keys),
        "origins": reading.edges.origins(keys),
        "drawn": sorted((one.key, one.holds, one.before * (not one.holds), one.now, one.now_key) for one in drawn),
        "trust": reading.trusts.figures(keys),
        "disputed": reading.known.disputed(keys, 0.5),
        "unread": reading.known.unread(keys),
        "newest": [
            reading.search.newest(Filter(kinds=kinds), limit, before)
            for kinds in (("fact",), ("event", "exchange"), ("identity",))
            for limit, before in ((100, None), (2, None), (100, max(keys, default=0)))
        ],
        "names": reading.entities.other_names(["olga", "work"]),
    }


def counts(reading: PalaceReading) -> dict[str, Any]:
    """How much there is, where and since when."""
    reading.palace.tallies.forget()
    spans, glob = (0, FixedClock.START_US, NOW_US, NOW_US + 1_000_000_000), PlaceGlob.parse("work.**")
    places = reading.places
    return {
        "places": (places.counted(), places.counted(glob)), "kinds": (places.kinds(), places.kinds(glob)),
        "placed": (sorted(places.placed(spans)), sorted(places.placed(spans, glob))),
    }  # fmt: skip


def agree(store: SqliteStore) -> None:
    """The columns and the tables tell every reader the same."""
    with store.database.read() as connection:
        keys = [key for (key,) in connection.execute("SELECT id FROM revision ORDER BY id")]
    for view in VIEWS:
        for _ in range(hot.BEFORE + 1):  # as many readings as it takes before there are any
            with store.reading(view) as reading:
                reading.search.prepare()
        with store.reading(view) as reading:
            assert isinstance(reading, PalaceReading)
            assert store.columns.allowed(reading, np.array(keys, np.int64)) is not None
            assert answers(reading, keys) == answers(from_tables(reading), keys)
            assert counts(reading) == counts(from_tables(reading))
            assert store.columns.tally(reading) == tuple(sorted(lifecycle.tally(reading.connection)))


def turn(text: str, random: Random) -> Change:
    return place_memory(
        text, kind="exchange", place="talks", scope=random.choice((GLOBAL, ANNA)),
        attachments=Attachments(turn=Turn("thread", random.choice("ab"), speaker=random.choice(("Olga", "")))),
    )  # fmt: skip


def statement(text: str, random: Random, known: list[UUID]) -> Change:
    drafts = tuple(
        EdgeDraft(random.choice(KINDS), Node(other), 0.9) for other in random.sample(known, min(2, len(known)))
    )
    node = ProvenanceNode(id=new_id(NOW_US), kind="message", at_us=1, label="m", author=random.choice(("user", "bot")))
    return place_memory(
        text, place=random.choice(PLACES), kind=random.choice(("fact", "event")),
        valid_to_us=random.choice((None, NOW_US - 10)),
        attachments=Attachments(edges=drafts, sources=(Source(node=node),), unread=random.random() < 0.3),
    )  # fmt: skip


def some_change(random: Random, known: list[UUID], number: int) -> Change:
    one, other = random.choice(known), random.choice(known)
    kind = random.choice(KINDS)
    made: list[Callable[[], Change]] = [
        lambda: turn(f"said {number}", random),
        lambda: statement(f"told {number}", random, known),
        lambda: AddRevision(memory_id=one, content=RevisionDraft(text=f"said otherwise {number}")),
        lambda: MoveTag(one, "current", 1),
        lambda: AddEdge(kind, Node(one), Node(other), 0.8),
        lambda: RemoveEdge(kind, Node(one), Node(other)),
        lambda: SetDeprecated(one, random.random() < 0.5),
        lambda: SetState(one, random.choice(("active", "archived", "deleted"))),
        lambda: MoveMemory(one, Place.parse(random.choice((*PLACES, f"new.n{number}")))),
        lambda: ChangePlace(Place.parse(random.choice(PLACES)), random.choice(("open", "sealed"))),
        lambda: RecordOutcome(one, random.random() < 0.5),
        lambda: LinkProvenance(memory_id=one, sources=(
            Source(node=ProvenanceNode(id=new_id(NOW_US), kind="message", at_us=2, label="x", author="Olga")),
        )),
        lambda: PurgeMemory(one),
    ]  # fmt: skip
    return random.choice(made)()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random=st.randoms(use_true_random=False))
def test_columns_that_follow_say_what_the_tables_say(tmp_path_factory: pytest.TempPathFactory, random: Random) -> None:
    folder = tmp_path_factory.mktemp("palace")
    with make_store(folder / "palace") as store, SqliteStore.open(
        folder / "palace", FixedClock(), options_for("sqlite")
    ) as elsewhere:  # fmt: skip
        first = [place_memory("the first"), turn("hello", random), turn("hello again", random)]
        store.commit(first)
        agree(store)
        for number in range(12):
            with store.database.read() as connection:
                known = [UUID(bytes=uuid) for (uuid,) in connection.execute("SELECT uuid FROM memory ORDER BY id")]
            writer = random.choice((store, elsewhere))
            if not known:
                break
            try:
                writer.commit([some_change(random, known, number)])
            except PalazzoError:  # of what is there it makes no sense
                continue
            agree(store)


def test_a_reader_of_an_earlier_moment_is_not_told_of_a_later_one(store: SqliteStore) -> None:
    change = place_memory("the gate is green")
    store.commit([change])
    agree(store)
    with store.reading(View()) as before:
        store.commit([SetDeprecated(change.memory_id, True)])
        with store.reading(View()) as after:
            after.search.prepare()
            assert not after.memories.kinds_of([1])
        assert before.memories.kinds_of([1]) == {1: "fact"}


def test_columns_tell_who_only_asks_with_a_mark_or_without(store: SqliteStore) -> None:
    asking = ("Where is the ladder?", "how long does it take", "So, what's for dinner", "kannst du mir das zeigen")
    telling = ("Ladders lean by the shed.", "cómo no", " ", "Whatever", "what\u00a0now", "naïve café 日本", "no\twords")
    store.commit([place_memory(text) for text in (*asking, *telling)])
    agree(store)
    with store.reading(View()) as reading:
        asks = reading.memories.noted(list(range(1, len(asking) + 1))).asks
    assert all(asks > 0)


def test_an_erasure_empties_the_columns(store: SqliteStore) -> None:
    store.commit([turn("said by somebody", Random(1))])
    agree(store)
    assert store.columns.nbytes
    forget_texts(store)
    assert not store.columns.nbytes


def test_columns_are_read_in_steps_and_whole_in_the_end(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palazzo.store.sql.hot.rows.BLOCK", 8)
    random = Random(3)
    store.commit([turn(f"said {n}", random) for n in range(50)])
    for number in range(20):
        with store.reading(View()) as reading:
            reading.search.prepare()
        store.commit([statement(f"told {number}", random, [])])
    agree(store)


def test_no_reading_reads_more_than_one_step_for_those_that_come_after_it(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palazzo.store.sql.hot.rows.BLOCK", 8)
    store.commit([place_memory(f"jar {number}") for number in range(50)])
    more, readings = True, 0
    while more:
        with store.reading(View()) as reading:
            more = reading.search.prepare()
        readings += 1
    assert readings == hot.BEFORE + 7  # fifty keys in steps of eight
    agree(store)


def test_a_large_batch_is_followed_in_steps_and_answered_from_the_tables_meanwhile(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(5)
    store.commit([turn(f"said {n}", random) for n in range(20)])
    agree(store)
    monkeypatch.setattr(hot, "AGAIN", 8)
    batch = [turn(f"said later {n}", random) for n in range(30)]
    store.commit(batch)
    answered = []
    for _ in range(6):
        with store.reading(View(all_scopes=True)) as reading:
            reading.search.prepare()
            answered.append(store.columns.memories(reading, [1]) is not None)  # type: ignore[arg-type]
            assert len(reading.memories.kinds_of(list(range(1, 51)))) == 50
    assert not answered[0]
    assert answered[-1]
    agree(store)


def test_whoever_does_not_rank_reads_no_columns(store: SqliteStore) -> None:
    for number in range(6):
        store.commit([place_memory(f"jar {number}")])
        with store.reading(View()) as reading:
            assert reading.allowed(np.array([1], np.int64))[0]  # type: ignore[attr-defined]
    assert not store.columns.nbytes


def test_readers_beside_a_writer_are_told_what_their_own_moment_holds(store: SqliteStore) -> None:
    random = Random(11)
    first = [turn(f"said {n}", random) for n in range(12)]
    store.commit(first)
    agree(store)
    done = Event()

    def read() -> int:
        compared = 0
        while not done.is_set() or not compared:
            with store.reading(View(all_scopes=True)) as reading:
                assert isinstance(reading, PalaceReading)
                reading.search.prepare()
                keys = list(range(1, 40))
                assert answers(reading, keys) == answers(from_tables(reading), keys)
                compared += 1
        return compared

    with ThreadPoolExecutor(3) as threads:
        readers = [threads.submit(read) for _ in range(3)]
        try:
            for number in range(25):
                known = [one.memory_id for one in first if isinstance(one, PlaceMemory)]
                store.commit([statement(f"told {number}", random, known)])
                store.commit([SetDeprecated(random.choice(known), bool(number % 2))])
        finally:
            done.set()
        assert all(reader.result() for reader in readers)
