"""Building inverted lists in the background: training, giving every vector a home, handing out and applying what is to
be written.

A ListBuild is advanced piece by piece, each with a reading connection of its own, and hands out small writes for the
caller to apply in transactions of his own; nothing is locked in between. Old lists and loose blocks answer until the
switch. Invariants: a piece reads one moment; a build that was refused a write hands out no more; a crash leaves
leftovers for `sweep`, never a wrong answer, because a vector that is both loose and listed is found once; a vector
removed or replaced while the build went on never comes back (if `removals` moved, codes are made again from the truth);
the switch moves out exactly what the new lists hold and keeps what only the old ones held, so nothing is lost whatever
happened meanwhile; a build whose number is no longer the partition's, or whose lists somebody else rewrote, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.store.api import Space
from palazzo.store.index.tables import Tables
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.blocks import LOOSE, VectorPartition
from palazzo.store.index.vector.codes import PIECE_ROWS, ROUNDS, SAMPLE_PER_LIST, Codes, Lists, list_count, train
from palazzo.store.index.vector.flush import lists_due, training_due
from palazzo.store.index.vector.spaces import read_halves, space_of

LEFT_OVER = -1
"""The generation of blocks that only wait for the sweep."""
_LOOSE_ROWS = 16_384


class Switch(msgspec.Struct, frozen=True):
    """What a switch does, as planned under a stamp: loose blocks to drop, codes that stay or become loose."""

    stamp: int
    dropped: tuple[int, ...]
    loose: Codes | None
    listed: int


class ListWrite(msgspec.Struct, frozen=True, kw_only=True):
    """One short write of a build: the beginning (`means`), blocks of some lists in place of `replaced`, or the end."""

    space: int
    partition: int
    generation: int
    removals: int
    blocks: tuple[tuple[int, Codes], ...] = ()
    replaced: tuple[int, ...] = ()
    means: NDArray[np.float16] | None = None
    switch: Switch | None = None
    trained: int = 0


def plan_switch(tables: Tables, own: VectorPartition, generation: int) -> Switch:
    """Works out what leaves the loose blocks because this generation holds it, and what only the old lists hold."""
    space = space_of(tables, own.space)
    held = sorted_revisions(tables, own, (generation,))
    dropped: list[int] = []
    loose: list[Codes] = []
    for number, revisions in _revisions(tables, own, LOOSE).items():
        left = ~_within(revisions, held)
        if not left.all():
            dropped.append(number)
            loose += _picked(tables, space, number, left)
    if generation == own.building and own.generation:
        for number, revisions in _revisions(tables, own, own.generation).items():
            loose += _picked(tables, space, number, ~_within(revisions, held))
    return Switch(own.stamp, tuple(dropped), vector_codes.join(loose) if loose else None, len(held))


def _picked(tables: Tables, space: Space, number: int, chosen: NDArray[np.bool_]) -> list[Codes]:
    if not chosen.any():
        return []
    return [codes.pick(chosen) for codes in vector_blocks.read_blocks(tables, space, [number]).values()]


def _revisions(tables: Tables, own: VectorPartition, generation: int) -> dict[int, NDArray[np.int64]]:
    """The revisions of each block of a generation, by the block's id."""
    return {
        number: vector_codes.unpack_revisions(blob, count)
        for number, count, blob in tables.rows(
            """SELECT b.id, b.count, c.revisions FROM vector_block b CROSS JOIN vector_code c
               WHERE c.id = b.id AND b.space = ? AND b.scope = ? AND b.generation = ?""",
            (own.space, own.partition, generation),
        )
    }


def sorted_revisions(tables: Tables, own: VectorPartition, generations: tuple[int, ...]) -> NDArray[np.int64]:
    """Every revision in these generations, once."""
    found = [np.empty(0, np.int64)]
    for generation in set(generations):
        found += _revisions(tables, own, generation).values()
    return np.unique(np.concatenate(found))


def _within(revisions: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not len(held):
        return np.zeros(len(revisions), np.bool_)
    places = np.minimum(np.searchsorted(held, revisions), len(held) - 1)
    return np.equal(held[places], revisions)


def apply_lists(tables: Tables, write: ListWrite) -> bool:
    """Applies one write of a build inside the caller's transaction; False, and nothing done, if the build has lost."""
    own = vector_blocks.partition_row(tables, write.space, write.partition)
    if write.means is not None:
        return _begin(tables, own, write, write.means)
    if not write.generation or write.generation not in (own.generation, own.building):
        return False
    if write.switch is not None:
        _switch(tables, own, write, write.switch)
        return True
    there, held = _count_blocks(tables, write.replaced)
    if there != len(write.replaced):
        return False
    space = space_of(tables, write.space)
    with tables.whole():
        vector_blocks.delete_blocks(tables, write.replaced)
        added = 0
        for number, codes in write.blocks:
            kept = codes if own.removals == write.removals else _made_again(tables, space, codes)
            if len(kept):
                vector_blocks.insert_block(tables, write.space, write.partition, (write.generation, number), kept)
                added += len(kept)
        if write.generation == own.generation:
            vector_blocks.change_row(tables, write.space, write.partition, "listed = listed + ?", added - held)
    return True


def _begin(tables: Tables, own: VectorPartition, write: ListWrite, means: NDArray[np.float16]) -> bool:
    if write.generation <= max(own.generation, own.building):
        return False
    with tables.whole():
        vector_blocks.write_means(tables, write.space, write.partition, write.generation, means)
        vector_blocks.change_row(tables, write.space, write.partition, "building = ?", write.generation)
    return True


def _switch(tables: Tables, own: VectorPartition, write: ListWrite, planned: Switch) -> None:
    """The new lists answer from here on. A plan that is out of date is made again here, which takes longer."""
    switch = planned if planned.stamp == own.stamp else plan_switch(tables, own, write.generation)
    with tables.whole():
        tables.change_many(
            "UPDATE vector_block SET generation = ? WHERE id = ?", [(LEFT_OVER, number) for number in switch.dropped]
        )
        if switch.loose is not None:
            for start in range(0, len(switch.loose), _LOOSE_ROWS):
                part = switch.loose.pick(np.arange(start, min(start + _LOOSE_ROWS, len(switch.loose))))
                vector_blocks.insert_block(tables, write.space, write.partition, (LOOSE, 0), part)
        loose = sum(row.count for row in vector_blocks.directory(tables, write.space, write.partition, LOOSE))
        new = write.generation == own.building
        vector_blocks.change_row(
            tables, write.space, write.partition, "generation = ?, building = ?, trained = ?, loose = ?, listed = ?",
            write.generation, 0 if new else own.building, write.trained if new else own.trained,
            loose, switch.listed,
        )  # fmt: skip


def _count_blocks(tables: Tables, ids: tuple[int, ...]) -> tuple[int, int]:
    """How many of these blocks are there, and how many codes they hold."""
    if not ids:
        return 0, 0
    counts = [
        count
        for (count,) in tables.rows_of(
            np.array(ids, np.int64),
            "SELECT b.count FROM wanted w CROSS JOIN vector_block b WHERE b.id = w.id AND b.generation >= 0",
        )
    ]
    return len(counts), sum(counts)


def _made_again(tables: Tables, space: Space, codes: Codes) -> Codes:
    """The codes of the vectors as they are now, for revisions that still have one that is not zero."""
    pieces = [
        vector_codes.encode(halves, space.metric, revisions).pick(vector_codes.filled(halves))
        for revisions, halves in read_halves(tables, space, codes.revisions)
    ]
    return vector_codes.join(pieces) if pieces else codes.pick(np.zeros(len(codes), np.bool_))


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
