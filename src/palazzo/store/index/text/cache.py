"""What a process remembers of the text index between queries, and the parts a query reads through it.

Owns the cache and the two kinds of part: a segment and a tail. It knows nothing of BM25 or of who may read
what.

Segment entries are named by (id, generation) and need no
check; a tail and a list of segments are compared with the counters in `text_scope`, read in the query's own
snapshot, so the very next query sees another process's commit. Inside a write transaction nothing is stored:
what is rolled back must not be remembered.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.store.api import among
from palazzo.store.index import IndexCache
from palazzo.store.index.tables import EVERY, Tables
from palazzo.store.index.text import documents as text_documents
from palazzo.store.index.text import segments as text_segments
from palazzo.store.index.text.documents import Documents, TextPartition
from palazzo.store.index.text.segments import Header, Postings

TAIL_BLOCK = 32_768
"""A tail of up to this many rows is cached whole; a longer one, which is due, is read in blocks by each query."""
TAIL_TERMS = 4_096
"""Terms a tail remembers the postings of before it starts again: a few megabytes at most."""
_EMPTY: NDArray[np.uint32] = np.empty(0, np.uint32)
_NOTHING = Postings(0, 0, _EMPTY)
_END = np.uint32(0xFFFF)
"""The bits of a term by which most are told apart."""


class TextCache(IndexCache):
    """What was decoded of the text index."""

    def get(self, key: Hashable) -> Any:
        """The value under `key`, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def forget_segments(self, gone: set[tuple[int, int]]) -> None:
        """Let go of everything about the (id, generation) pairs in `gone`."""
        with self._lock:
            doomed = [key for key in self._entries if isinstance(key, tuple) and key[:2] in gone]
            for key in doomed:
                self._bytes -= self._entries.pop(key)[1]


class TextPart(Protocol):
    """Documents numbered by slot, as a query sees them."""

    @property
    def slots(self) -> int: ...
    @property
    def shortest(self) -> int: ...
    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def revisions(self) -> NDArray[np.int64]: ...
    @property
    def lengths(self) -> NDArray[np.uint16]: ...
    def look_up(self, term: int) -> Postings: ...
    def packed(self, term: int) -> NDArray[np.uint32]: ...


class SegmentPart:
    """A segment read through the cache."""

    __slots__ = (
        "_arrays",
        "_cache",
        "_found",
        "_header",
        "_key",
        "_store",
        "_tables",
        "high",
        "low",
        "shortest",
        "slots",
    )

    def __init__(self, tables: Tables, cache: TextCache, header: Header, *, store: bool) -> None:
        self._tables = tables
        self._cache = cache
        self._header = header
        self._key = (header.id, header.generation)
        self._store = store
        self._arrays: tuple[NDArray[np.int64], NDArray[np.uint16]] | None = None
        self._found: dict[int, Postings] = {}
        self.slots = header.slots
        self.shortest = header.shortest
        self.low = header.low
        self.high = header.high

    def _both(self) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        if self._arrays is None:
            self._arrays = self._cache.get(self._key)
            if self._arrays is None:
                self._arrays = text_segments.read_arrays(self._tables, self._header.id)
                if self._store:
                    self._cache.put(self._key, self._arrays, 10 * self.slots)
        return self._arrays

    @property
    def revisions(self) -> NDArray[np.int64]:
        return self._both()[0]

    @property
    def lengths(self) -> NDArray[np.uint16]:
        return self._both()[1]

    def look_up(self, term: int) -> Postings:
        found = self._found.get(term)
        if found is None:
            self.find([self], (term,))
            found = self._found[term]
        return found

    @staticmethod
    def find(parts: Sequence[SegmentPart], terms: Sequence[int]) -> None:
        """Looks some terms up in some segments of one connection at once; the parts know them afterwards."""
        missing: list[tuple[SegmentPart, int]] = []
        for part in parts:
            for term in terms:
                if (held := part._cache.get((*part._key, term))) is None:
                    missing.append((part, term))
                else:
                    part._found[term] = held
        if not missing:
            return
        found = text_segments.find(parts[0]._tables, [(part._header.id, term) for part, term in missing])
        for part, term in missing:
            part._found[term] = known = found.get((part._header.id, term), _NOTHING)
            if part._store:
                part._cache.put((*part._key, term), known, 0 if known.packed is None else known.packed.nbytes)

    def packed(self, term: int) -> NDArray[np.uint32]:
        found = self.look_up(term)
        if found.packed is not None:
            return found.packed
        packed = text_segments.read_large(self._tables, self._header.id, term)
        self._found[term] = known = Postings(found.count, found.peak, packed)
        if self._store:
            self._cache.put((*self._key, term), known, packed.nbytes)
        return packed


class TailPart:
    """The first `slots` (at least one) documents of a decoded tail.

    Finding a term is one comparison with all hashes (88,000 take 25 µs), so a new row costs an append, no sorting.
    """

    __slots__ = ("_documents", "_found", "_size", "high", "lengths", "low", "revisions", "shortest", "slots")

    def __init__(self, documents: Documents, slots: int) -> None:
        self._documents = documents
        self._size = int(documents.ends[slots - 1])
        self._found: dict[int, Postings] = {}
        self.slots = slots
        self.revisions = documents.revisions[:slots]
        self.lengths = documents.lengths[:slots]
        self.shortest = int(self.lengths.min())
        self.low = int(self.revisions[0])
        self.high = int(self.revisions[-1])

    def look_up(self, term: int) -> Postings:
        found = self._found.get(term)
        if found is None:
            documents = self._documents
            places = np.flatnonzero(documents.hashes[: self._size] == np.uint32(term))
            found = _NOTHING
            if len(places):
                counts = documents.counts[places]
                packed = documents.ends.searchsorted(places, "right").astype(np.uint32) << np.uint32(8)
                packed |= counts
                found = Postings(len(places), int(counts.max()), packed)
            if len(self._found) >= TAIL_TERMS:
                self._found.clear()
            self._found[term] = found
        return found

    def packed(self, term: int) -> NDArray[np.uint32]:
        packed = self.look_up(term).packed
        return _EMPTY if packed is None else packed

    def reduced_to(self, terms: Sequence[int]) -> TailPart:
        """This part with the postings of `terms` only, so that the hashes can be let go."""
        for term in terms:
            self.look_up(term)
        documents = self._documents
        empty = Documents(
            documents.revisions, documents.lengths, documents.ends, documents.hashes[:0], documents.counts[:0]
        )
        reduced = TailPart(empty, self.slots)
        reduced._found = self._found
        return reduced


class TextView(msgspec.Struct, frozen=True):
    """What a query sees: its partitions' parts and the sums of their counters."""

    parts: list[TextPart]
    docs: int
    length: int


_NO_PARTS = TextView([], 0, 0)


def open_view(
    tables: Tables, cache: TextCache, partitions: Sequence[int], terms: Sequence[int],
    opened: dict[int, TextView] | None = None,
) -> TextView:  # fmt: skip
    """The parts of the partitions in the connection's present snapshot.

    `opened` holds the partitions that queries of the same snapshot have opened: their parts remember words looked up.
    """
    parts: list[TextPart] = []
    docs = length = 0
    for partition in dict.fromkeys(partitions):
        found = None if opened is None else opened.get(partition)
        if found is None:
            found = _open_partition(tables, cache, partition, terms, opened)
        parts += found.parts
        docs += found.docs
        length += found.length
    return TextView(parts, docs, length)


def holding(tables: Tables, cache: TextCache, partitions: Sequence[int], terms: Sequence[int]) -> set[int]:
    """Which of many terms any document of the partitions has, looked up past the lists in the cache: most of them never
    come again.

    In a tail all of them are one comparison. In a segment each is a seek the first time; who asks again has all terms
    of the segment read once, which takes as long as a few hundred seeks.
    """
    found: set[int] = set()
    wanted = np.array(terms, np.uint32)
    ends = np.zeros(int(_END) + 1, np.bool_)
    ends[wanted & _END] = True
    store = not tables.writing
    for partition in dict.fromkeys(partitions):
        row = _partition(tables, partition)
        if row is None or not row.docs:
            continue
        pairs: list[tuple[int, int]] = []
        for one in _segments(tables, cache, row, store):
            held = _every_term(tables, cache, one, store)
            if held is None:
                pairs += [(one.id, term) for term in terms]
            elif len(held):
                found.update(wanted[held[np.minimum(held.searchsorted(wanted), len(held) - 1)] == wanted].tolist())
        found.update(term for _, term in (text_segments.find(tables, pairs) if pairs else ()))
        if row.tail > TAIL_BLOCK:
            parts = _long_tail(tables, row, terms)
            found.update(term for term in terms if any(part.look_up(term).count for part in parts))
        elif row.tail:
            hashes = _tail(tables, cache, row, store).hashes
            near = hashes[ends[hashes & _END]]  # most go by their last bits, a tenth of the work
            found.update(near[among(near, wanted)].tolist())
    return found


def _every_term(tables: Tables, cache: TextCache, header: Header, store: bool) -> NDArray[np.uint32] | None:
    """The terms of a segment, ascending; None for the first who asks."""
    key = (header.id, header.generation, "terms")
    known: NDArray[np.uint32] | bool | None = cache.get(key)
    if isinstance(known, np.ndarray) or not store:
        return known if isinstance(known, np.ndarray) else None
    held = text_segments.terms_of(tables, header.id) if known else None
    cache.put(key, True if held is None else held, 0 if held is None else held.nbytes)
    return held


def _partition(tables: Tables, partition: int) -> TextPartition | None:
    return tables.held(("text", partition), lambda: text_documents.read_partition(tables, partition))


def _open_partition(
    tables: Tables, cache: TextCache, partition: int, terms: Sequence[int], opened: dict[int, TextView] | None
) -> TextView:
    store = not tables.writing
    row = _partition(tables, partition)
    if row is None or not row.docs:
        found = _NO_PARTS
    else:
        headers = _segments(tables, cache, row, store)
        segments = [SegmentPart(tables, cache, header, store=store) for header in headers]
        SegmentPart.find(segments, terms)
        parts: list[TextPart] = [*segments]
        if row.tail > TAIL_BLOCK:
            return TextView(
                [*parts, *_long_tail(tables, row, terms)], row.docs, row.length
            )  # it knows these terms only
        if row.tail:
            parts.append(_tail_part(tables, cache, row, store))
        found = TextView(parts, row.docs, row.length)
    if opened is not None:
        opened[partition] = found
    return found


def _segments(tables: Tables, cache: TextCache, row: TextPartition, store: bool) -> tuple[Header, ...]:
    known: tuple[int, tuple[Header, ...]] | None = cache.get(("segments", row.partition))
    if known is not None and known[0] == row.structure:
        return known[1]
    headers = text_segments.headers_of(tables, row.partition)
    if store and (known is None or known[0] < row.structure):
        cache.put(("segments", row.partition), (row.structure, headers), 100 * len(headers))
        if known is not None:
            present = {(header.id, header.generation) for header in headers}
            cache.forget_segments({(old.id, old.generation) for old in known[1]} - present)
    return headers


def _tail_part(tables: Tables, cache: TextCache, row: TextPartition, store: bool) -> TailPart:
    """The tail of `row`; the same object while nothing is written, for it remembers the terms it was asked for."""
    stamp = (row.generation, row.tail)
    known: tuple[tuple[int, int], TailPart] | None = cache.get(("part", row.partition))
    if known is not None and known[0] == stamp:
        return known[1]
    part = TailPart(_tail(tables, cache, row, store), row.tail)
    if store and (known is None or known[0] < stamp):
        cache.put(("part", row.partition), (stamp, part), 0)  # its arrays are counted with the tail
    return part


def _tail(tables: Tables, cache: TextCache, row: TextPartition, store: bool) -> Documents:
    """At least the tail of `row`; a reader of an older snapshot may be given more rows than its own."""
    known: tuple[int, Documents] | None = cache.get(("tail", row.partition))
    if known is not None and known[0] == row.generation:
        documents = known[1]
        if len(documents.revisions) < row.tail:
            after = int(documents.revisions[-1])
            documents = documents.followed_by(text_documents.read_tail(tables, row, after, EVERY))
    else:
        documents = text_documents.read_tail(tables, row, -1, EVERY)
    newer = known is None or (row.generation, row.tail) > (known[0], len(known[1].revisions))
    if store and newer:
        cache.put(("tail", row.partition), (row.generation, documents), documents.nbytes)
    return documents


def _long_tail(tables: Tables, row: TextPartition, terms: Sequence[int]) -> list[TextPart]:
    parts: list[TextPart] = []
    after = -1
    while True:
        documents = text_documents.read_tail(tables, row, after, TAIL_BLOCK)
        if not len(documents.revisions):
            return parts
        parts.append(TailPart(documents, len(documents.revisions)).reduced_to(terms))
        after = int(documents.revisions[-1])
