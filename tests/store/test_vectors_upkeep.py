"""Writers, readers, flushes, builds and sweeps in any order: the index always agrees with the truth."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.store.opened_tables import ENGINES
from tests.store.vector_palace import (
    agrees,
    flush,
    small,
    some,
    space,
    sweep,
)

from palazzo.store.index.vector import vectors
from palazzo.store.index.vector.vectors import ListBuild, VectorCache, VectorQuery


class Upkeep(RuleBasedStateMachine):
    """Writers, readers and two background passes take turns in any order; the index always agrees with the truth."""

    engine: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self.patch = small()
        self.patch.__enter__()
        # A shared in-memory file: a second connection sees commits as another process would, without the disk.
        name = f"file:/vectors{id(self)}?vfs=memdb"
        self.writer = ENGINES[self.engine](name)
        self.reader = ENGINES[self.engine](name)
        for statement in vectors.TABLES:
            self.writer.execute(statement)
        self.space = space(self.writer)
        self.cache = VectorCache(40_000)
        self.next = 1
        self.alive: list[int] = []
        self.plan: vectors.VectorFlush | None = None
        self.builds: list[ListBuild] = []
        self._add(45)
        while flush(self.writer):
            pass

    def teardown(self) -> None:
        self.reader.close()
        self.writer.close()
        self.patch.__exit__(None, None, None)

    @rule(count=st.integers(1, 30))
    def add(self, count: int) -> None:
        self._add(count)

    def _add(self, count: int) -> None:
        revisions = list(range(self.next, self.next + count))
        vectors.add(self.writer, self.space, [(1, r) for r in revisions], some(count, self.next))
        self.next += count
        self.alive += revisions

    @rule(count=st.integers(1, 5))
    def add_and_roll_back(self, count: int) -> None:
        self.writer.execute("BEGIN IMMEDIATE")
        vectors.add(self.writer, self.space, [(1, self.next + n) for n in range(count)], some(count, 77))
        agrees(self.writer, self.space, self.cache, seed=self.next)
        self.writer.execute("ROLLBACK")

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        revision = data.draw(st.sampled_from(self.alive))
        vectors.add(self.writer, self.space, [(1, revision)], some(1, revision + 5000))

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        gone = data.draw(st.lists(st.sampled_from(self.alive), min_size=1, max_size=6, unique=True))
        vectors.remove(self.writer, [(1, r) for r in gone])
        self.alive = [r for r in self.alive if r not in gone]

    @rule()
    def plan_a_flush(self) -> None:
        self.plan = vectors.plan_flush(self.reader, self.space.id, 1)

    @precondition(lambda self: self.plan is not None)
    @rule()
    def apply_the_flush(self) -> None:
        assert self.plan is not None
        vectors.apply_flush(self.writer, self.plan)

    @rule()
    def flush(self) -> None:
        while flush(self.writer):
            pass

    @precondition(lambda self: len(self.builds) < 2)
    @rule()
    def begin_a_build(self) -> None:
        self.builds.append(ListBuild(self.space.id, 1))

    @precondition(lambda self: self.builds)
    @rule(which=st.integers(0, 1), steps=st.integers(1, 25))
    def advance_a_build(self, which: int, steps: int) -> None:
        going = self.builds[which % len(self.builds)]
        for _ in range(steps):
            write = going.advance(self.reader)
            if write is not None and not vectors.apply_lists(self.writer, write):
                going.lose()
            if going.finished:
                self.builds.remove(going)
                break

    @precondition(lambda self: self.builds)
    @rule(which=st.integers(0, 1))
    def lose_a_build(self, which: int) -> None:
        self.builds.pop(which % len(self.builds))

    @rule()
    def sweep(self) -> None:
        sweep(self.writer)

    @rule()
    def rebuild(self) -> None:
        vectors.rebuild(self.writer)

    @invariant()
    def search_agrees_with_the_truth(self) -> None:
        agrees(self.reader, self.space, self.cache, seed=self.next, limit=len(self.alive) + 5)
        query = VectorQuery(space=self.space, partitions=(1,), vector=some(1)[0], limit=len(self.alive) + 5)
        assert sorted(vectors.search(self.reader, self.cache, query).revisions.tolist()) == sorted(self.alive)

    @invariant()
    def the_index_verifies(self) -> None:
        assert vectors.verify(self.reader) == []

    @invariant()
    def the_partition_counts_what_it_holds(self) -> None:
        for state in vectors.state(self.reader):
            rows = self.reader.execute(
                """SELECT coalesce(sum(count) FILTER (WHERE b.generation = 0), 0),
                          coalesce(sum(count) FILTER (WHERE b.generation = p.generation AND b.generation > 0), 0)
                   FROM vector_partition p LEFT JOIN vector_block b USING (space, scope)"""
            ).fetchone()
            assert (state.loose, state.listed) == rows


class UpkeepOverApsw(Upkeep):
    engine = "apsw"


class UpkeepOverSqlite3(Upkeep):
    engine = "sqlite3"


UpkeepOverApsw.TestCase.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
UpkeepOverSqlite3.TestCase.settings = settings(max_examples=8, stateful_step_count=40, deadline=None)
TestUpkeepOverApsw = UpkeepOverApsw.TestCase
TestUpkeepOverSqlite3 = UpkeepOverSqlite3.TestCase
