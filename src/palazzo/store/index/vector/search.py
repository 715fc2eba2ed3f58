"""Nearest neighbours of a query among the vectors of a reader's partitions.

Codes choose candidates, the stored vectors score them, so every score returned is exact; who may see a revision is
asked through `allowed`. Does not know SQL beyond the modules it calls. Invariants: rows of a partition that is not
asked for are neither read nor returned; equal scores come newest first; when all candidates are re-scored, `search`
equals `exact`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.errors import InvalidInput
from palazzo.store.api import Late, Metric, Space, never
from palazzo.store.index.tables import Tables, timely
from palazzo.store.index.vector.cache import PartitionView, VectorCache
from palazzo.store.index.vector.codes import similar, similarity
from palazzo.store.index.vector.probe import Candidates, probe_for
from palazzo.store.index.vector.spaces import READ_ROWS, as_halves, every_row, read_rows
from palazzo.text.words.remembered import remembered

Allowed = Callable[[NDArray[np.int64]], NDArray[np.bool_]]

SHARE = 0.24
LEAST_LOOKED_AT = 98_304
"""A search looks at no more than this part of the listed vectors, or so many if that is more; mostly it stops long
before, because the lists yield nothing any more (vector_probe)."""
ONLY_EXACT = 8192
"""So many revisions of `only` are scored from their vectors at once; more go through the codes of all blocks first."""
FEW = 131_072
"""Among no more vectors than this, half of the candidates and a shorter list of codes are enough."""
_BITS_PER_CANDIDATE = 147_456
_LEAST_DEPTH = 128
_ONLY_DEPTH = 4  # who names the permitted revisions expects all the near ones: .998 of the true ten


class VectorQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A vector to look near. `only` (revisions) restricts; `effort` above 1 looks further and takes as much longer.

    The search notes every exact score it computes in `scored`, by revision, for whoever asks about some of them again.
    """

    space: Space
    partitions: tuple[int, ...]
    vector: NDArray[np.float32]
    limit: int = 50
    only: NDArray[np.int64] | None = None
    effort: float = 1.0
    scored: dict[int, float] | None = None
    late: Late = never


class NearestVectors(msgspec.Struct, frozen=True):
    """Revisions and their exact similarities, best first."""

    revisions: NDArray[np.int64]
    scores: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.revisions)


_NO_HITS = NearestVectors(np.empty(0, np.int64), np.empty(0, np.float32))


def prepared(space: Space, vector: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """The query in single precision, of length one for cosine; None if it points nowhere and so matches nothing.

    Raises: InvalidInput.
    """
    query = np.ascontiguousarray(vector, np.float32).reshape(-1)
    if len(query) != space.dimensions:
        raise InvalidInput(
            f"the query has {len(query)} dimensions, space {space.name!r} has {space.dimensions}", field="vector"
        )
    return _prepared(query.tobytes(), space.metric)


@remembered(16)
def _prepared(vector: bytes, metric: Metric) -> NDArray[np.float32] | None:
    """One recall asks with the same vector several times."""
    query = np.frombuffer(vector, np.float32)
    if not np.isfinite(query).all():
        raise InvalidInput("the query has a component that is not a finite number", field="vector")
    if metric != "cosine":
        return query
    length = float(np.linalg.norm(query.astype(np.float64)))
    return (query / length).astype(np.float32) if length > 0 else None


def search(
    tables: Tables, cache: VectorCache, query: VectorQuery, allowed: Allowed | None = None,
    opened: dict[tuple[int, int], PartitionView] | None = None,
) -> NearestVectors:  # fmt: skip
    """The best revisions for the query that `allowed` lets through, asked about in growing rounds of candidates.

    Partitions that were looked at are noted in `opened`, which is not to outlive the read transaction.

    Raises: InvalidInput, PartUnavailable when the query says that it is too late.
    """
    vector = prepared(query.space, query.vector)
    if vector is None or query.limit <= 0 or query.space.state == "retired":
        return _NO_HITS
    with tables.moment():
        if query.only is not None and len(query.only) <= ONLY_EXACT:
            return _first(_scored(tables, query, vector, np.unique(query.only)), query.limit, allowed)
        views = [PartitionView(tables, cache, query.space, partition) for partition in dict.fromkeys(query.partitions)]
        if opened is not None:
            opened.update({(query.space.id, view.partition): view for view in views})
        if not any(map(len, views)):
            return _NO_HITS
        return _Rounds(tables, views, query, vector).run(allowed)


class _Rounds:
    """Candidates by code in growing rounds, until enough of those that are allowed have been scored."""

    def __init__(
        self, tables: Tables, views: list[PartitionView], query: VectorQuery, vector: NDArray[np.float32]
    ) -> None:
        self._tables = tables
        self._views = views
        self._query = query
        self._vector = vector
        self._probe = probe_for(vector, query.space.metric)
        self._only = None if query.only is None else np.unique(query.only)
        self._total = sum(map(len, views))
        self._depth = depth(query, self._total) * (1 if query.only is None else _ONLY_DEPTH)
        self._seen = np.empty(0, np.int64)

    def run(self, allowed: Allowed | None) -> NearestVectors:
        """The answer."""
        limit = self._query.limit
        hits = self._score(self._fresh(1.0).revisions)
        if allowed is None:
            wide = 1.0
            while len(hits) < limit and not self._exhausted(wide):
                wide *= 4
                hits = _merged(hits, self._score(self._fresh(wide).revisions))
            return NearestVectors(hits.revisions[:limit], hits.scores[:limit])
        kept = np.empty(0, np.bool_)
        for enough in (limit + limit // 8 + 2, limit + limit // 2 + 8):
            part = hits.revisions[len(kept) : enough]
            if np.count_nonzero(kept) < limit and len(part):
                kept = np.concatenate((kept, allowed(part)))
        asked = len(kept)
        if np.count_nonzero(kept) >= limit:
            hits = NearestVectors(hits.revisions[:asked][kept], hits.scores[:asked][kept])
            return NearestVectors(hits.revisions[:limit], hits.scores[:limit])
        if asked < len(hits):
            kept = np.concatenate((kept, allowed(hits.revisions[asked:])))
        hits = NearestVectors(hits.revisions[kept], hits.scores[kept])
        hits = self._widen(hits, allowed, (len(hits) + 1) / (len(kept) + 1))
        return NearestVectors(hits.revisions[:limit], hits.scores[:limit])

    def _score(self, revisions: NDArray[np.int64]) -> NearestVectors:
        return _scored(self._tables, self._query, self._vector, revisions, self._views)

    def _widen(self, hits: NearestVectors, allowed: Allowed, rate: float) -> NearestVectors:
        """More candidates, asked about before they are scored, until enough passed for exact scores to choose from."""
        wide = 1.0
        while len(hits) < max(self._query.limit, self._depth // 2) and not self._exhausted(wide):
            wide *= max(2.0, min(64.0, 1.2 / rate / wide))
            fresh = self._fresh(wide).revisions
            if len(fresh):
                passed = fresh[allowed(fresh)]
                rate = (len(passed) + 1) / (len(fresh) + 1)
                hits = _merged(hits, self._score(passed))
        return hits

    def _share(self, wide: float) -> float:
        if self._only is not None or self._total <= self._depth:
            return 1.0
        return max(SHARE, LEAST_LOOKED_AT / self._total) * self._query.effort * math.sqrt(wide)

    def _exhausted(self, wide: float) -> bool:
        total = self._total if self._only is None else len(self._only)
        whole = self._share(wide) >= 1 or not any(view.listed for view in self._views)
        return self._depth * wide >= total and whole

    def _fresh(self, wide: float) -> Candidates:
        """Candidates of this round that no earlier round had, best first."""
        share, count = self._share(wide), int(self._depth * wide)
        late = self._query.late
        loose = timely(chain.from_iterable(view.loose() for view in self._views), late)
        members = [timely(view.members(self._vector, share), late) for view in self._views if view.listed]
        few = self._total <= FEW
        if share >= 1:
            pieces = chain(loose, *map(chain.from_iterable, members))
            found = self._probe.nearest(pieces, count, few=few, only=self._only)
        else:
            found = self._probe.nearest(loose, count, few=few, streams=members)
        fresh = found
        if len(self._seen) or len(set(found.revisions.tolist())) < len(found):
            revisions, places = np.unique(found.revisions, return_index=True)
            fresh = found.pick(np.sort(places[~np.isin(revisions, self._seen, assume_unique=True)]))
        self._seen = np.concatenate((self._seen, fresh.revisions))
        return fresh


def depth(query: VectorQuery, total: int) -> int:
    """How many candidates are scored from their vectors: the shorter the codes and the more of them, the more."""
    bits = _BITS_PER_CANDIDATE // 2 if total <= FEW else _BITS_PER_CANDIDATE
    least = max(_LEAST_DEPTH, bits // query.space.dimensions, 3 * query.limit)
    return max(query.limit, int(least * query.effort))


def _scored(
    tables: Tables, query: VectorQuery, vector: NDArray[np.float32], revisions: NDArray[np.int64],
    views: Sequence[PartitionView] = (),
) -> NearestVectors:  # fmt: skip
    """Exact similarities of these revisions, best first; those without a vector in the query's partitions are left
    out."""
    hits = _NO_HITS
    for found, scores in timely(measured(tables, query.space, vector, revisions, views, query.partitions), query.late):
        if query.scored is not None:
            noted = zip(found.tolist(), scores.tolist(), strict=True)
            query.scored.update([one for one in noted if one[1] == one[1]] if np.isnan(scores).any() else noted)
        hits = _merged(hits, NearestVectors(found, scores))
    return hits


def measured(
    tables: Tables, space: Space, vector: NDArray[np.float32], revisions: NDArray[np.int64],
    views: Sequence[PartitionView] = (), partitions: Sequence[int] | None = None,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:  # fmt: skip
    """These revisions, some thousand at a time, and the similarity of each; NaN where there is no stored vector (in
    these partitions).

    What views remember is not read; what is read they remember from then on.
    """
    for start in range(0, len(revisions), READ_ROWS):
        asked = revisions[start : start + READ_ROWS]
        listed = asked.tolist()
        held: list[bytes | None] = [None] * len(listed)
        for view in views:
            known = view.known(listed)
            held = known if view is views[0] else [a if a is not None else b for a, b in zip(held, known, strict=True)]
        if None in held:
            missing = asked[[place for place, data in enumerate(held) if data is None]]
            for rows in read_rows(tables, space, missing, partitions):
                for view in views:
                    view.remember({revision: data for revision, partition, data in rows if partition == view.partition})
                read = {revision: data for revision, _, data in rows}
                held = [read.get(one) if data is None else data for one, data in zip(listed, held, strict=True)]
        yield asked, similar(held, vector, space.metric)


def _merged(first: NearestVectors, second: NearestVectors) -> NearestVectors:
    revisions, scores = second.revisions, second.scores
    if len(first):
        revisions = np.concatenate((first.revisions, revisions))
        scores = np.concatenate((first.scores, scores))
    order = np.lexsort((-revisions, -scores))
    order = order[: np.count_nonzero(scores > -np.inf)]
    return NearestVectors(revisions[order], scores[order])


def _first(hits: NearestVectors, limit: int, allowed: Allowed | None) -> NearestVectors:
    revisions, scores = hits.revisions, hits.scores
    if allowed is not None and len(revisions):
        kept = allowed(revisions)
        revisions, scores = revisions[kept], scores[kept]
    return NearestVectors(revisions[:limit], scores[:limit])


def exact(tables: Tables, query: VectorQuery, allowed: Allowed | None = None) -> NearestVectors:
    """The answer of `search` by reading every vector of the space: the measure for tests and for verification.

    Raises: InvalidInput.
    """
    vector = prepared(query.space, query.vector)
    if vector is None or query.limit <= 0 or not query.partitions:
        return _NO_HITS
    revisions: list[NDArray[np.int64]] = [_NO_HITS.revisions]
    scores: list[NDArray[np.float32]] = [_NO_HITS.scores]
    with tables.moment():
        for found in every_row(tables, query.space):
            rows = [row for row in found if row[1] in query.partitions]
            revisions.append(np.array([row[0] for row in rows], np.int64))
            scores.append(similarity(as_halves([row[2] for row in rows], query.space), vector, query.space.metric))
        hits = _merged(_NO_HITS, NearestVectors(np.concatenate(revisions), np.concatenate(scores)))
        if query.only is not None:
            kept = np.isin(hits.revisions, query.only)
            hits = NearestVectors(hits.revisions[kept], hits.scores[kept])
        return _first(hits, query.limit, allowed)
