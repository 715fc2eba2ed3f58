"""What a process remembers of the vector index between searches: tails, directories, list means and blocks of codes.

Bounded in bytes, least recently used first out, protected by a lock: the readers of one palace share it.
Invariants: what is served is checked against the partition's stamp within the search's own transaction, so the very
next search sees another process's commit; inside a write transaction nothing is stored, because what is rolled back
must not be remembered.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.store.api import Space
from palazzo.store.index import DEFAULT_BYTES, ENTRY_BYTES, IndexCache
from palazzo.store.index.tables import Tables
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import codes as vector_codes
from palazzo.store.index.vector.blocks import LOOSE
from palazzo.store.index.vector.codes import Codes, Lists

STORED_SHARE = 3
"""Beside the decoded index, a third as much again holds vectors that were candidates, and all room that the index does
not need: every vector of 100,000 fits, which are then read once."""
STORED_PART = 16
"""Of a partition of which no more than this part fits none is kept: hardly one would be met again before it goes."""
_NOTHING: tuple[Any, int] = (None, 0)
_JOINED_LISTS = 64  # lists put together at once: some 15,000 codes, which stay in the processor's cache


Moment = tuple[int, int]
"""How far a partition has come: its stamp, then the last position of its tail."""


@dataclass(slots=True)
class Stored:
    """Stored vectors of a partition, by revision, with the count of removals they hold for and the newest moment of all
    who added to them."""

    removals: int
    moment: Moment
    rows: dict[int, bytes] = field(default_factory=dict)
    row_bytes: int = 0

    def __len__(self) -> int:
        return len(self.rows)


class VectorCache(IndexCache):
    """What was decoded of the vector index, and stored vectors that were candidates."""

    def __init__(self, limit_bytes: int = DEFAULT_BYTES) -> None:
        super().__init__(limit_bytes)
        self._stored: dict[tuple[int, int], Stored] = {}
        self._stored_bytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
        return self._bytes + self._stored_bytes

    def get_many(self, keys: Sequence[Hashable]) -> list[Any]:
        """The value under each key, or None."""
        with self._lock:
            known = self._entries.get
            used = self._entries.move_to_end
            entries = [known(key, _NOTHING) for key in keys]
            if self._bytes > self._limit // 4 * 3:  # the order matters only to what is soon full
                for key, entry in zip(keys, entries, strict=True):
                    if entry is not _NOTHING:
                        used(key)
        return [entry[0] for entry in entries]

    def stored(self, own: tuple[int, int], removals: int, moment: Moment) -> Stored:
        """Vectors of a partition as they are stored, to look up and to add to, for a reader of this moment.

        A vector never changes but by a removal, which the partition counts. A reader of an older moment than any vector
        in the table was read at gets an empty table of his own: it may hold some that he must not see yet.
        """
        with self._lock:
            known = self._stored.get(own)
            if known is not None and known.removals == removals and known.moment <= moment:
                known.moment = moment
                return known
            fresh = Stored(removals, moment)
            if known is None or known.moment < moment:
                self._stored[own] = fresh
                self._stored_bytes -= 0 if known is None else len(known) * known.row_bytes
            return fresh

    def keep_stored(self, own: tuple[int, int], table: Stored, rows: dict[int, bytes], of: int = 0) -> None:
        """Adds vectors to a table that is in use, some `of` so many there are; the longest table lets its oldest go
        when all outgrow their share."""
        with self._lock:
            if self._stored.get(own) is not table or not rows:
                return
            table.row_bytes = len(next(iter(rows.values()))) + ENTRY_BYTES // 2
            if max(len(rows), of // STORED_PART) * table.row_bytes > self._share():
                return
            before = len(table.rows)
            table.rows.update(rows)
            self._stored_bytes += (len(table.rows) - before) * table.row_bytes
            self._make_room()

    def put(self, key: Hashable, value: Any, size: int) -> None:
        """Keeps a value of `size` bytes; stored vectors that are in its room go."""
        super().put(key, value, size)
        with self._lock:
            self._make_room()

    def _share(self) -> int:
        """Bytes that stored vectors may take."""
        return max(self._limit // STORED_SHARE, self._limit - self._bytes)

    def _make_room(self) -> None:
        while self._stored_bytes > self._share():
            self._let_go(max(self._stored.values(), key=len))

    def _let_go(self, table: Stored) -> None:
        """Some at a time, never all: a table that is emptied and filled again leaves the process larger every time."""
        oldest = tuple(islice(table.rows, 1 + len(table) // 32))
        for revision in oldest:
            del table.rows[revision]
        self._stored_bytes -= len(oldest) * table.row_bytes

    def forget(self) -> None:
        """Lets go of everything."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0
            self._stored.clear()
            self._stored_bytes = 0


class _Directory(msgspec.Struct, frozen=True):
    """Which blocks a partition has: loose ones, and those of each list (`blocks[starts[n]:starts[n + 1]]`)."""

    stamp: int
    loose: list[int]
    blocks: NDArray[np.int64]
    starts: NDArray[np.intp]
    sizes: NDArray[np.int64]
    lists: Lists | None
    count: int

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        means = 0 if self.lists is None else self.lists.nbytes
        return 32 * len(self.loose) + self.blocks.nbytes + self.starts.nbytes + self.sizes.nbytes + means


class PartitionView:
    """One partition within one transaction: its codes by tail, loose blocks and the lists worth looking at."""

    __slots__ = ("_cache", "_directory", "_keep", "_order", "_space", "_stored", "_tables", "_tail", "partition")

    def __init__(self, tables: Tables, cache: VectorCache, space: Space, partition: int) -> None:
        self._tables = tables
        self._cache = cache
        self._space = space
        self._keep = not tables.writing
        own, end = tables.held(
            ("vectors", space.id, partition),
            lambda: (
                vector_blocks.partition_row(tables, space.id, partition),
                vector_blocks.tail_end(tables, space.id, partition),
            ),
        )
        self._directory = self._read_directory(partition, own.stamp, own.generation)
        self._tail = self._read_tail(partition, own.stamp, end)
        self._order: NDArray[np.intp] | None = None
        self.partition = partition
        moment = (own.stamp, end)
        self._stored = cache.stored((space.id, partition), own.removals, moment) if self._keep else Stored(0, moment)

    def known(self, revisions: Sequence[int]) -> list[bytes | None]:
        """The stored vectors of these revisions that are remembered."""
        return list(map(self._stored.rows.get, revisions))

    def remember(self, rows: dict[int, bytes]) -> None:
        """Keeps stored vectors of this partition for the next search."""
        self._cache.keep_stored((self._space.id, self.partition), self._stored, rows, len(self))

    def __len__(self) -> int:
        return self._directory.count + (0 if self._tail is None else len(self._tail))

    @property
    def listed(self) -> bool:
        """Whether there are lists to choose from."""
        return self._directory.lists is not None

    def loose(self) -> Iterator[Codes]:
        """The tail and the loose blocks."""
        yield from self._blocks(self._directory.loose)
        if self._tail is not None:
            yield self._tail

    def members(self, query: NDArray[np.float32], share: float) -> Iterator[list[Codes]]:
        """The members of the lists nearest to the query, some lists at a time, up to this share of all listed."""
        if self._directory.lists is not None:
            chosen = self._nearest_lists(self._directory, self._directory.lists, query, share)
            for start in range(0, len(chosen), _JOINED_LISTS):
                yield self._blocks(chosen[start : start + _JOINED_LISTS])

    def _nearest_lists(
        self, directory: _Directory, lists: Lists, query: NDArray[np.float32], share: float
    ) -> list[int]:
        if share >= 1:
            return list(directory.blocks.tolist())
        if self._order is None:
            self._order = lists.ranked(query)
        reached = np.cumsum(directory.sizes[self._order])
        needed = 1 + int(np.searchsorted(reached, share * reached[-1])) if len(reached) else 0
        chosen = self._order[:needed]
        starts = directory.starts[chosen]
        counts = directory.starts[chosen + 1] - starts
        ends = np.cumsum(counts)
        within = np.arange(ends[-1] if needed else 0) - np.repeat(ends - counts, counts)
        return list(directory.blocks[np.repeat(starts, counts) + within].tolist())

    def _blocks(self, ids: list[int]) -> list[Codes]:
        held = self._cache.get_many(ids)
        missing = [number for number, codes in zip(ids, held, strict=True) if codes is None]
        read: dict[int, Codes] = {}
        if missing:
            read = vector_blocks.read_blocks(self._tables, self._space, missing)
        if self._keep:
            for number, codes in read.items():
                self._cache.put(number, codes, codes.nbytes)
        return [read[number] if codes is None else codes for number, codes in zip(ids, held, strict=True)]

    def _read_directory(self, partition: int, stamp: int, generation: int) -> _Directory:
        key = ("directory", self._space.id, partition)
        (known,) = self._cache.get_many([key])
        if known is not None and known.stamp == stamp:
            return known  # type: ignore[no-any-return]
        loose = vector_blocks.directory(self._tables, self._space.id, partition, LOOSE)
        count = sum(row.count for row in loose)
        lists = self._read_lists(partition, generation) if generation else None
        if lists is None:
            empty = np.empty(0, np.int64)
            directory = _Directory(stamp, [row.id for row in loose], empty, empty, empty, None, count)
        else:
            rows = vector_blocks.directory(self._tables, self._space.id, partition, generation)
            homes = np.array([row.list for row in rows], np.int64)
            sizes = np.array([row.count for row in rows], np.int64)
            directory = _Directory(
                stamp,
                [row.id for row in loose],
                np.array([row.id for row in rows], np.int64),
                np.searchsorted(homes, np.arange(len(lists) + 1)),
                np.bincount(homes, weights=sizes, minlength=len(lists)).astype(np.int64),
                lists,
                count + int(sizes.sum()),
            )
        if self._keep:
            self._cache.put(key, directory, directory.nbytes)
        return directory

    def _read_lists(self, partition: int, generation: int) -> Lists | None:
        key = ("lists", self._space.id, partition, generation)
        (known,) = self._cache.get_many([key])
        if known is None:
            means = vector_blocks.read_means(self._tables, self._space, partition, generation)
            if means is None:
                return None
            known = Lists(means.astype(np.float32), self._space.metric)
            if self._keep:
                self._cache.put(key, known, 0)  # its bytes are counted with the directory
        return known  # type: ignore[no-any-return]

    def _read_tail(self, partition: int, stamp: int, end: int) -> Codes | None:
        key = ("tail", self._space.id, partition)
        (known,) = self._cache.get_many([key])
        _, last, codes = known if known is not None and known[0] == stamp else (stamp, 0, None)
        if last >= end:
            return codes
        reached, fresh = vector_blocks.read_tail(self._tables, self._space, partition, last)
        if fresh is None:
            return codes
        codes = fresh if codes is None else vector_codes.join([codes, fresh])
        if self._keep:
            self._cache.put(key, (stamp, reached, codes), codes.nbytes)
        return codes
