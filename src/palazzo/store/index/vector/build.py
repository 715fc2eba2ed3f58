"""Building inverted lists in the background: training, giving every vector a home, handing out the lists to be
written.

A ListBuild is advanced piece by piece, each with a reading connection of its own, and hands out small writes for
the caller to apply (vector_switch) in transactions of his own; nothing is locked in between. Old lists and loose
blocks answer until the switch. Invariants: a piece reads one moment; a build that was refused a write hands out no
more; a crash leaves leftovers for `sweep`, never a wrong answer, because a vector that is both loose and listed is
found once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from palazzo.store.api import Space
from palazzo.store.index.tables import Tables
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.blocks import LOOSE, VectorPartition
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.flush import lists_due, training_due
from palazzo.store.index.vector.lists import PIECE_ROWS, ROUNDS, SAMPLE_PER_LIST, Lists, list_count, train
from palazzo.store.index.vector.spaces import read_halves, space_of
from palazzo.store.index.vector.switch import ListWrite, apply_lists, plan_switch, sorted_revisions

Progress = Callable[[int, int], None]

_WRITE_CODES = 16_384  # codes written per transaction: about 1 MB
_PASS_CODES = 524_288  # codes held in memory between two reads of the blocks


_END = ListWrite(space=0, partition=0, generation=0, removals=0)


class ListBuild:
    """One build: call `advance` inside a reading, apply what it returns in a write, until `finished`."""

    def __init__(self, space: int, partition: int) -> None:
        self.finished = False
        self.done = 0
        self.total = 1
        self._number = space
        self._partition = partition
        self._lost = False
        self._tables: Tables | None = None
        self._pieces = self._run()

    def advance(self, tables: Tables) -> ListWrite | None:
        """Reads and thinks for some tenths of a second; returns a write if one is ready."""
        self._tables = tables
        with tables.moment():
            write = next(self._pieces, _END)
        self._tables = None
        self.finished = write is _END
        return None if write is _END else write

    def lose(self) -> None:
        """To be called when a write was refused: the next `advance` finishes."""
        self._lost = True

    @property
    def tables(self) -> Tables:
        """The connection of the piece in hand."""
        if self._tables is None:
            raise RuntimeError("a build is advanced through `advance` only")
        return self._tables

    def _run(self) -> Generator[ListWrite | None]:
        own = vector_blocks.partition_row(self.tables, self._number, self._partition)
        if not lists_due(own):
            return
        space = space_of(self.tables, self._number)
        total = own.loose + own.listed
        anew = training_due(own)
        if anew:
            revisions = sorted_revisions(self.tables, own, (LOOSE, own.generation))
            self.total = len(revisions) * 3
            means = yield from self._train(space, revisions)
            if not len(means):
                return
            generation = 1 + max(own.generation, own.building)
            yield self._write(own, generation, means=means)
        else:
            revisions = sorted_revisions(self.tables, own, (LOOSE,))
            self.total = len(revisions) * 3
            found = vector_blocks.read_means(self.tables, space, self._partition, own.generation)
            if found is None:
                return
            means, generation = found, own.generation
        homes = yield from self._homes(space, revisions, means)
        generations = (LOOSE, own.generation) if anew else (LOOSE,)
        for bounds in _ranges(homes, len(means)):
            if self._lost:
                return
            yield from self._write_lists(space, generation, generations, bounds, (revisions, homes))
        if not self._lost:
            now = vector_blocks.partition_row(self.tables, self._number, self._partition)
            yield self._write(now, generation, switch=plan_switch(self.tables, now, generation), trained=total)

    def _write(self, own: VectorPartition, generation: int, **parts: object) -> ListWrite:
        return ListWrite(
            space=self._number, partition=self._partition, generation=generation, removals=own.removals,
            **parts,  # type: ignore[arg-type]
        )  # fmt: skip

    def _train(
        self, space: Space, revisions: NDArray[np.int64]
    ) -> Generator[ListWrite | None, None, NDArray[np.float16]]:
        count = list_count(len(revisions))
        size = min(len(revisions), count * SAMPLE_PER_LIST)
        picked = np.random.default_rng(len(revisions)).choice(revisions, size, replace=False)
        none = np.empty((0, space.dimensions), np.float16)
        sample = np.concatenate([none, *(halves for _, halves in read_halves(self.tables, space, picked))])
        yield None
        if not len(sample):
            return sample
        done, step = self.done, len(revisions) * PIECE_ROWS // max(1, ROUNDS * len(sample))
        for means in train(sample, count, space.metric):
            if means is not None:
                self.done = done + len(revisions)
                return means.astype(np.float16)
            self.done += step
            yield None
            if self._lost:
                break
        return sample[:0]

    def _homes(
        self, space: Space, revisions: NDArray[np.int64], means: NDArray[np.float16]
    ) -> Generator[ListWrite | None, None, NDArray[np.int32]]:
        """The list of every revision; -1 for one that went meanwhile."""
        lists = Lists(means.astype(np.float32), space.metric)
        homes = np.full(len(revisions), -1, np.int32)
        for start in range(0, len(revisions), PIECE_ROWS):
            for found, halves in read_halves(self.tables, space, revisions[start : start + PIECE_ROWS]):
                homes[np.searchsorted(revisions, found)] = lists.home(halves)
            self.done += min(PIECE_ROWS, len(revisions) - start)
            yield None
            if self._lost:
                break
        return homes

    def _write_lists(
        self, space: Space, generation: int, generations: tuple[int, ...], bounds: tuple[int, int],
        homes: tuple[NDArray[np.int64], NDArray[np.int32]],
    ) -> Generator[ListWrite | None]:  # fmt: skip
        """The members of the lists within `bounds`, read in one moment, then handed out some lists at a time."""
        own = vector_blocks.partition_row(self.tables, self._number, self._partition)
        found = self._members(space, generations, bounds, homes)
        if found is None:
            return
        old: dict[int, list[int]] = {}
        if generation == own.generation:
            for row in vector_blocks.directory(self.tables, space.id, self._partition, generation):
                old.setdefault(row.list, []).append(row.id)
        blocks: list[tuple[int, Codes]] = []
        replaced: list[int] = []
        written = 0
        for number, codes in _by_list(*found):
            before = list(vector_blocks.read_blocks(self.tables, space, old.get(number, [])).values())
            known = np.concatenate([piece.revisions for piece in before]) if before else np.empty(0, np.int64)
            fresh = codes.pick(~np.isin(codes.revisions, known))
            blocks.append((number, vector_codes.join([*before, fresh])))
            replaced += old.get(number, [])
            written += len(blocks[-1][1])
            self.done += len(codes)
            if written >= _WRITE_CODES:
                yield self._write(own, generation, blocks=tuple(blocks), replaced=tuple(replaced))
                if self._lost:
                    return
                blocks, replaced, written = [], [], 0
        if blocks:
            yield self._write(own, generation, blocks=tuple(blocks), replaced=tuple(replaced))

    def _members(
        self, space: Space, generations: tuple[int, ...], bounds: tuple[int, int],
        homes: tuple[NDArray[np.int64], NDArray[np.int32]],
    ) -> tuple[Codes, NDArray[np.int32]] | None:  # fmt: skip
        """Codes of all vectors at home in these lists, from the blocks of these generations, and their lists."""
        revisions, lists = homes
        pieces: list[Codes] = []
        found: list[NDArray[np.int32]] = []
        for generation in dict.fromkeys(generations):
            rows = vector_blocks.directory(self.tables, space.id, self._partition, generation)
            for start in range(0, len(rows), 64):
                blocks = vector_blocks.read_blocks(self.tables, space, [row.id for row in rows[start : start + 64]])
                codes = vector_codes.join(list(blocks.values()))
                at = np.minimum(np.searchsorted(revisions, codes.revisions), len(revisions) - 1)
                home = np.where(revisions[at] == codes.revisions, lists[at], -1)
                chosen = np.flatnonzero((home >= bounds[0]) & (home < bounds[1]))
                pieces.append(codes.pick(chosen))
                found.append(home[chosen])
        if not pieces:
            return None
        members, where = vector_codes.join(pieces), np.concatenate(found)
        _, first = np.unique(members.revisions, return_index=True)
        return members.pick(first), where[first]


def _ranges(homes: NDArray[np.int32], count: int) -> Iterator[tuple[int, int]]:
    """Neighbouring lists whose members together fit in memory."""
    sizes = np.bincount(homes[homes >= 0], minlength=count)
    start = held = 0
    for number, size in enumerate(sizes.tolist()):
        if held and held + size > _PASS_CODES:
            yield start, number
            start, held = number, 0
        held += size
    yield start, count


def _by_list(members: Codes, lists: NDArray[np.int32]) -> Iterator[tuple[int, Codes]]:
    if not len(lists):
        return  # the last lists of a build may all be empty
    order = np.argsort(lists, kind="stable")
    numbers, starts = np.unique(lists[order], return_index=True)
    for number, part in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
        if len(part):
            yield number, members.pick(part)


def build_lists(
    read: Callable[[], AbstractContextManager[Tables]],
    write: Callable[[Callable[[Tables], bool]], bool],
    space: int, partition: int, progress: Progress | None = None, stopping: Callable[[], bool] | None = None,
) -> bool:  # fmt: skip
    """Runs a whole build with a database's `read` and `write`, piece by piece, until done or `stopping` says so.

    False if nothing was due, another build won, or it was stopped; then what it wrote is left over and swept.
    """
    build = ListBuild(space, partition)
    applied = False
    while not build.finished:
        if stopping is not None and stopping():
            return False
        with read() as tables:
            step = build.advance(tables)
        if step is not None:
            applied = write(lambda tables, step=step: apply_lists(tables, step))  # type: ignore[misc]
            if not applied:
                build.lose()
        if progress is not None:
            progress(min(build.done, build.total), build.total)
    return applied
