"""Ranking many codes against one query, coarse to fine, to choose the candidates that are scored from their vectors.

First the distance over the query's strong half of the bits, for every code; then, for the nearest of those, the
query's own components against the signs. Pure functions over arrays; knows no rows and no lists beyond the order
they come in. Invariant: whatever is asked for, at most `count` candidates come out, best first, and all there are when
they are no more than that; how the codes are cut into pieces changes nothing.

Measured on 300,000 real sentence embeddings, 384 dimensions, share of the true ten among the best n: plain Hamming
distance .949 (256), .986 (1,536); strong half of the bits .979, .998; components against signs .994 (256).
Centring, a random rotation and per-vector correction factors change these by less than .005 and are left out.
Leaving the lists when three pieces running yield less than a 64th of the candidates, on 900,000 embeddings of 384
dimensions: .994 of the true ten are among the codes looked at, a median of 8% of all; always looking at 8% reaches
.978, at 16% .995.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo import kernel
from palazzo.store.api import Metric
from palazzo.store.index.vector.codes import Codes, join, join_words, word_count
from palazzo.text.words.remembered import remembered

SHORTLIST = 9
SHORTLIST_OF_FEW = 6
"""How many codes per candidate wanted pass from the coarse distance to the finer estimate."""
DRY_PART = 64
DRY_PIECES = 3
"""A stream is left after so many pieces running that each hold less than this part of the best candidates."""
_CHUNK = 32_768  # codes scored at once: the scratch arrays stay in the processor's cache
_SMALL = 8_192  # smaller pieces are put together first: a numpy call costs more than their scan
_TABLE_BYTES = 16 << 20
_MEAN_SIGN = float(np.sqrt(np.pi / 2))  # |x| over the mean magnitude of its components, for a random direction
_SIGNS = (np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.float32) * 2) - 1

Chooser = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
Distances = NDArray[np.uint8] | NDArray[np.uint16]
Coarse = Distances | NDArray[np.float32]


class Candidates(msgspec.Struct, frozen=True):
    """Revisions and what their codes promise, best first."""

    revisions: NDArray[np.int64]
    estimates: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.revisions)

    def pick(self, chosen: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Candidates:
        """The chosen ones, in their order or in the order of the indices."""
        return Candidates(self.revisions[chosen], self.estimates[chosen])


class _Scratch(threading.local):
    """Arrays a thread uses again and again: memory fresh from the system costs more to touch than a scan of it."""

    def __init__(self) -> None:
        self.bits = np.empty(_CHUNK, np.uint64)
        self.counts = np.empty(_CHUNK, np.uint8)
        self.sums = np.empty(_CHUNK, np.uint8)
        self.words = np.empty(0, np.uint64)

    def joined(self, pieces: Sequence[Codes]) -> NDArray[np.uint64]:
        """The words of some pieces side by side, good until this is called again."""
        if len(pieces) == 1:
            return pieces[0].words
        width, size = len(pieces[0].words), sum(map(len, pieces))
        if len(self.words) < width * size:
            self.words = np.empty(width * size, np.uint64)
        return join_words(pieces, self.words[: width * size].reshape(width, size))


_scratch = _Scratch()


@remembered(16)
def _probe(vector: bytes, metric: Metric) -> Probe:
    return Probe(np.frombuffer(vector, np.float32), metric)


def probe_for(vector: NDArray[np.float32], metric: Metric) -> Probe:
    """The probe of a query; a recall asks several partitions with one vector, and preparing it takes a while."""
    return _probe(vector.tobytes(), metric)


class Probe:
    """One query, prepared for comparing with codes. Never changed once made."""

    __slots__ = ("_length", "_lookup", "_mask", "_sign", "bits", "metric")

    def __init__(self, vector: NDArray[np.float32], metric: Metric) -> None:
        width = word_count(len(vector)) * 64
        padded = np.zeros(width, np.float32)
        padded[: len(vector)] = vector
        size = np.abs(padded)
        middle = len(vector) // 2
        strong = size >= np.partition(size[: len(vector)], middle)[middle]
        strong[len(vector) :] = False
        self.metric = metric
        self._length = float(np.linalg.norm(vector))
        self._sign = np.packbits(padded >= 0, bitorder="little").view("<u8")
        self._mask = np.packbits(strong, bitorder="little").view("<u8")
        self.bits = int(np.count_nonzero(strong))
        """How far a code can be."""
        self._lookup = np.ascontiguousarray((_SIGNS @ padded.reshape(-1, 8).T).T)

    def nearest(
        self,
        pieces: Iterable[Codes],
        count: int,
        *,
        few: bool = False,
        only: NDArray[np.int64] | None = None,
        streams: Sequence[Iterable[Sequence[Codes]]] = (),
    ) -> Candidates:
        """The revisions whose codes promise most, at most `count`, best first; `only` (sorted) restricts.

        Of `few` codes fewer are looked at twice.
        All pieces are looked at. A stream gives groups of pieces that promise less and less, and is left once they
        yield next to nothing.
        """
        room = count * (SHORTLIST_OF_FEW if few else SHORTLIST)
        if self.metric == "cosine" and only is None and not streams:
            pieces = [piece for piece in pieces if len(piece)]
            if (found := self._shortlisted(pieces, room)) is not None:
                return _best(*found, count)
        scan = _Scan(self, count, room, _chooser(only))
        scan.take_all(pieces)
        for stream in streams:
            dry = 0
            for group in stream:
                dry = 0 if scan.take(group) * DRY_PART >= count else dry + 1
                if dry == DRY_PIECES and self.metric == "cosine":
                    break
        chosen = scan.nearest()
        if chosen is None:
            return Candidates(np.empty(0, np.int64), np.empty(0, np.float32))
        return _best(chosen.revisions, self._estimate(chosen), count)

    def _shortlisted(self, pieces: Sequence[Codes], room: int) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
        """The revisions worth a finer look and what their codes promise, by the kernel; None where there is none."""
        room = max(1, min(room, sum(map(len, pieces))))
        found, promised = np.empty(room, np.int64), np.empty(room, np.float32)
        parts = [part for piece in pieces for part in (piece.revisions, piece.words)]
        count = kernel.shortlist(parts, (self._sign, self._mask, self._lookup), (found, promised))
        return None if count is None else (found[:count], promised[:count])

    def coarse(self, words: NDArray[np.uint64], pieces: Sequence[Codes]) -> Coarse:
        """How little each code promises: the distance for cosine, else made from it and the stored lengths."""
        far = self._distances(words)
        if self.metric == "cosine":
            return far
        norms = np.concatenate([piece.norms for piece in pieces if piece.norms is not None])
        cosines = np.cos(far * np.float32(np.pi / max(1, self.bits)))
        return -self._scaled(cosines, norms)

    def _distances(self, words: NDArray[np.uint64]) -> Distances:
        """How many of the query's strong bits differ. Three counts of at most 64 fit the 8-bit sums."""
        total = words.shape[1]
        found: Distances = np.empty(total, np.uint8) if self.bits < 256 else np.empty(total, np.uint16)
        if kernel.scan(words, (self._sign, self._mask), found):
            return found
        step = len(self._sign) if self.bits < 256 else 3
        for start in range(0, total, _CHUNK):
            part = slice(start, min(total, start + _CHUNK))
            size = part.stop - start
            bits, counts, whole = _scratch.bits[:size], _scratch.counts[:size], found[part]
            for first in range(0, len(self._sign), step):
                sums = _scratch.sums[:size] if first else whole
                for word in range(first, min(first + step, len(self._sign))):
                    np.bitwise_xor(words[word, part], self._sign[word], out=bits)
                    np.bitwise_and(bits, self._mask[word], out=bits)
                    if word == first:
                        np.bitwise_count(bits, out=sums)
                    else:
                        np.bitwise_count(bits, out=counts)
                        np.add(sums, counts, out=sums)
                if first:
                    np.add(whole, sums, out=whole)
        return found

    def _estimate(self, table: Codes) -> NDArray[np.float32]:
        """The query's components against the signs of each code, through one look-up per byte of code."""
        rows = np.ascontiguousarray(table.words.T).astype("<u8", copy=False).view(np.uint8)
        places = rows.astype(np.intp)
        places += np.arange(rows.shape[1], dtype=np.intp) * 256
        # take in this mode is more than twice as fast as indexing, which checks every index first
        dots: NDArray[np.float32] = self._lookup.ravel().take(places, mode="clip").sum(axis=1)
        if table.norms is None or not self._length:
            return dots
        cosines = dots * np.float32(_MEAN_SIGN / (self._length * np.sqrt(self._lookup.shape[0] * 8)))
        return self._scaled(cosines, table.norms)

    def _scaled(self, cosines: NDArray[np.float32], norms: NDArray[np.float32]) -> NDArray[np.float32]:
        """An estimate of the metric from estimated cosines and the stored lengths; larger is nearer."""
        dots = cosines * norms * np.float32(self._length)
        return dots if self.metric == "dot" else 2 * dots - norms * norms


class _Scan:
    """The nearest codes of those looked at so far; codes beyond the reach, which only shrinks, are let go at once."""

    __slots__ = ("_chooser", "_coarse", "_count", "_held", "_histogram", "_probe", "_reach", "_room", "_tables")

    def __init__(self, probe: Probe, count: int, room: int, chooser: Chooser | None) -> None:
        self._probe = probe
        self._count = count
        self._room = room
        self._chooser = chooser
        self._histogram = np.zeros(probe.bits + 1, np.intp)
        self._reach: float = probe.bits if probe.metric == "cosine" else np.inf
        self._held = 0
        self._tables: list[Codes] = []
        self._coarse: list[Coarse] = []

    def take_all(self, pieces: Iterable[Codes]) -> None:
        """Looks at every piece, small ones together."""
        small: list[Codes] = []
        gathered = 0
        for piece in pieces:
            if len(piece) >= _SMALL:
                self.take((piece,))
                continue
            small.append(piece)
            gathered += len(piece)
            if gathered >= _CHUNK:
                self.take(small)
                small, gathered = [], 0
        self.take(small)

    def take(self, pieces: Sequence[Codes]) -> int:
        """Looks at some pieces while they are in the processor's cache; how many are among the best so far."""
        if self._chooser is not None:
            pieces = [piece.pick(self._chooser(piece.revisions)) for piece in pieces]
        pieces = [piece for piece in pieces if len(piece)]
        if not pieces:
            return 0
        words = _scratch.joined(pieces)
        coarse = self._probe.coarse(words, pieces)
        among = len(coarse)
        if self._probe.metric == "cosine" and not self._tables:
            among, self._reach = self._count_in(coarse)
        near = np.flatnonzero(coarse <= self._reach)
        held = coarse.take(near)
        if self._probe.metric == "cosine" and self._tables:
            among, self._reach = self._count_in(held)
            closer = np.flatnonzero(held <= self._reach)
            near, held = near.take(closer), held.take(closer)
        self._tables.append(_picked(pieces, words, near))
        self._coarse.append(held)
        self._held += len(near)
        if self._held > 4 * self._room and self._probe.metric != "cosine":
            self._forget(np.partition(np.concatenate(self._coarse), self._room - 1)[self._room - 1])
        return among

    def _count_in(self, distances: Coarse) -> tuple[int, int]:
        """How many of these distances are among the best so far, and how far the shortlist now reaches."""
        counts = np.bincount(distances, minlength=len(self._histogram))
        self._histogram += counts
        within = np.cumsum(self._histogram)
        best, reach = np.searchsorted(within, (self._count, self._room)).tolist()
        return int(counts[: best + 1].sum()), reach

    def _forget(self, reach: float) -> None:
        self._reach = reach
        kept = [np.flatnonzero(coarse <= reach) for coarse in self._coarse]
        self._tables = [table.pick(near) for table, near in zip(self._tables, kept, strict=True)]
        self._coarse = [coarse.take(near) for coarse, near in zip(self._coarse, kept, strict=True)]
        self._held = sum(map(len, kept))

    def nearest(self) -> Codes | None:
        """The codes worth a finer look: no more than there is room for, of equally near ones the newest."""
        if not self._tables:
            return None
        table, coarse = join(self._tables), np.concatenate(self._coarse)
        if len(coarse) <= self._room:
            return table
        reach = np.partition(coarse, self._room - 1)[self._room - 1]
        sure, tied = np.flatnonzero(coarse < reach), np.flatnonzero(coarse == reach)
        left = self._room - len(sure)
        if left < len(tied):
            tied = tied[np.argpartition(-table.revisions[tied], left - 1)[:left]]
        return table.pick(np.concatenate((sure, tied)))


def _best(revisions: NDArray[np.int64], estimates: NDArray[np.float32], count: int) -> Candidates:
    best = np.arange(len(estimates)) if len(estimates) <= count else np.argpartition(-estimates, count - 1)[:count]
    best = best[np.argsort(-estimates[best])]
    return Candidates(revisions[best], estimates[best])


def _picked(pieces: Sequence[Codes], words: NDArray[np.uint64], near: NDArray[np.intp]) -> Codes:
    """The codes at these places of the joined pieces; a copy, for the words are not there for long."""
    if len(pieces) == 1:
        return pieces[0].pick(near)
    norms = [piece.norms for piece in pieces if piece.norms is not None]
    return Codes(
        np.concatenate([piece.revisions for piece in pieces]).take(near, mode="clip"),
        words.take(near, axis=1, mode="clip"),
        np.concatenate(norms).take(near, mode="clip") if norms else None,
    )


def _chooser(only: NDArray[np.int64] | None) -> Chooser | None:
    """A test for being among `only` (sorted): by a table where numbers are dense, ten times faster than by search."""
    if only is None:
        return None
    if not len(only):
        return lambda revisions: np.zeros(len(revisions), np.bool_)
    first, last = int(only[0]), int(only[-1])
    if last - first > _TABLE_BYTES:
        return lambda revisions: np.equal(only[np.minimum(np.searchsorted(only, revisions), len(only) - 1)], revisions)
    table = np.zeros(last - first + 3, np.bool_)
    table[only - first + 1] = True
    return lambda revisions: table[np.clip(revisions, first - 1, last + 1) - (first - 1)]
