"""The text index of a palace: BM25 over the revisions of a reader's partitions; fresh rows at once, a million in
milliseconds.

This module is its whole surface: `add` and `remove` inside a write, `search`, `score` and `exact` inside a
read, `plan_flush` and `apply_flush` for the background pass, `verify` and `rebuild` for care. It takes
terms, never text, and revisions as positive integers; who may see them is asked through `allowed`.
Invariant: everything is partitioned by partition, so rows of a partition that is not asked for are neither read nor
counted. The parts: text_documents (forward rows, tails), text_segments (posting lists), text_flush,
text_care, text_cache, text_scoring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from palazzo.store.index.tables import Tables
from palazzo.store.index.text import documents as text_documents
from palazzo.store.index.text import segments as text_segments
from palazzo.store.index.text.cache import TailPart, TextCache, TextView, open_view
from palazzo.store.index.text.care import rebuild, verify
from palazzo.store.index.text.documents import add
from palazzo.store.index.text.flush import (
    FLUSH_ROWS,
    FlushPolicy,
    TextFlush,
    TextState,
    apply_flush,
    pending,
    plan_flush,
    remove,
    state,
    unmerged,
)  # fmt: skip
from palazzo.store.index.text.scoring import BUDGET, Formula, Scorer, Shared, TextHits, TextQuery, rank

__all__ = [
    "FLUSH_ROWS",
    "TABLES",
    "Allowed",
    "FlushPolicy",
    "TextCache",
    "TextFlush",
    "TextHits",
    "TextQuery",
    "TextState",
    "add",
    "apply_flush",
    "exact",
    "pending",
    "plan_flush",
    "rebuild",
    "remove",
    "score",
    "search",
    "search_many",
    "state",
    "term_scores",
    "unmerged",
    "verify",
]  # fmt: skip

TABLES: tuple[str, ...] = text_documents.TABLES + text_segments.TABLES

Allowed = Callable[[NDArray[np.int64]], NDArray[np.bool_]]

_NO_HITS = TextHits(np.empty(0, np.int64), np.empty(0, np.float32))
_EXACT_BLOCK = 32_768


def search(
    tables: Tables, cache: TextCache, query: TextQuery, allowed: Allowed | None = None,
    opened: dict[int, TextView] | None = None,
) -> TextHits:  # fmt: skip
    """The best documents for the query that `allowed` lets through, asked about in growing rounds of candidates.

    Here and below, `opened` is what queries of one read transaction share; it is not to outlive it.

    Raises: InvalidInput when a weight is negative.
    """
    with tables.moment():
        scorer = _scorer(tables, cache, query, opened)
        if scorer is None or query.limit <= 0:
            return _NO_HITS
        if query.only is not None:
            hits = scorer.ranked(scorer.places_of(np.unique(np.asarray(query.only, np.int64))))
            return _first(hits, query.limit, allowed)
        if allowed is None:
            return scorer.best(query.limit)
        wanted, budget = query.limit + query.limit // 2 + 8, BUDGET
        verdicts: dict[int, bool] = {}
        while True:
            hits = scorer.best(wanted, budget)
            found = hits.revisions.tolist()
            for asked in (found[: query.limit], found):  # mostly all of the first may be seen, which is enough
                fresh = np.array([revision for revision in asked if revision not in verdicts], np.int64)
                if len(fresh):
                    passed = np.asarray(allowed(fresh), np.bool_)
                    verdicts.update(zip(fresh.tolist(), passed.tolist(), strict=True))
                kept = np.flatnonzero(np.fromiter(map(verdicts.__getitem__, asked), np.bool_, len(asked)))
                if len(kept) >= query.limit or (len(found) < wanted and len(asked) == len(found)):
                    return TextHits(hits.revisions[kept[: query.limit]], hits.scores[kept[: query.limit]])
            wanted, budget = 4 * wanted, 4 * budget


def search_many(tables: Tables, cache: TextCache, queries: Sequence[TextQuery]) -> list[TextHits]:
    """What `search` answers to each of several queries that differ in nothing but their terms and limit.

    The index is opened once, and a word that several of them have is looked up once.

    Raises: InvalidInput when a weight is negative.
    """
    if not queries:
        return []
    with tables.moment():
        weights = [query.weighted_hashes() for query in queries]
        view = open_view(tables, cache, queries[0].partitions, tuple(sorted({key for one in weights for key in one})))
        if not view.parts:
            return [_NO_HITS] * len(queries)
        shared = Shared()
        return [Scorer(view, query, one, shared).best(query.limit) for query, one in zip(queries, weights, strict=True)]


def score(
    tables: Tables, cache: TextCache, query: TextQuery, revisions: NDArray[np.int64],
    opened: dict[int, TextView] | None = None,
) -> NDArray[np.float32]:  # fmt: skip
    """BM25 of each given revision under the statistics of the query's partitions; zero where nothing matches."""
    with tables.moment():
        scores = np.zeros(len(revisions), np.float32)
        scorer = _scorer(tables, cache, query, opened)
        if scorer is None or not len(revisions):
            return scores
        asked, back = np.unique(revisions, return_inverse=True)
        places = scorer.places_of(asked)
        found = np.zeros(len(asked), np.float32)
        found[asked.searchsorted(scorer.revisions_at(places))] = scorer.scores_at(places)
        return found[back]


def term_scores(
    tables: Tables, cache: TextCache, query: TextQuery, revisions: NDArray[np.int64],
    opened: dict[int, TextView] | None = None,
) -> NDArray[np.float32]:  # fmt: skip
    """What each distinct term of the query (rows, in order) adds to the BM25 of each revision (columns, ascending)."""
    terms = list(dict.fromkeys(query.terms))
    scores = np.zeros((len(terms), len(revisions)), np.float32)
    with tables.moment():
        scorer = _scorer(tables, cache, query, opened)
        if scorer is None or not len(revisions):
            return scores
        wanted = {text_documents.term_hash(term): row for row, term in reversed(list(enumerate(terms)))}
        places = scorer.places_of(revisions)
        columns = revisions.searchsorted(scorer.revisions_at(places))
        for key, earned in scorer.earned_at(places):
            scores[wanted[key], columns] = earned
    return scores


def exact(tables: Tables, query: TextQuery, allowed: Allowed | None = None) -> TextHits:
    """The answer of `search` by reading every forward row of its partitions: the measure for tests and verification."""
    weights = query.weighted_hashes()
    parts: list[TailPart] = []
    with tables.moment():
        for partition in dict.fromkeys(query.partitions):
            after = -1
            while rows := text_documents.read_rows(tables, partition, after, _EXACT_BLOCK):
                documents = text_documents.decode(rows)
                parts.append(TailPart(documents, len(rows)).reduced_to(tuple(weights)))
                after = rows[-1][0]
        docs = sum(part.slots for part in parts)
        if not docs or query.limit <= 0:
            return _NO_HITS
        revisions = np.concatenate([part.revisions for part in parts])
        lengths = np.concatenate([part.lengths for part in parts]).astype(np.float64)
        formula = Formula.of(query, docs, int(lengths.sum()))
        total = np.zeros(docs)
        for key, factor in weights.items():
            counts = np.concatenate([_dense(part, key) for part in parts])
            frequency = int(np.count_nonzero(counts))
            if frequency:
                total += factor * formula.weight(frequency) * formula.saturation(counts, lengths)
        hits = rank(revisions, total.astype(np.float32))
        if query.only is not None:
            kept = np.isin(hits.revisions, query.only)
            hits = TextHits(hits.revisions[kept], hits.scores[kept])
        return _first(hits, query.limit, allowed)


def _dense(part: TailPart, key: int) -> NDArray[np.float64]:
    counts = np.zeros(part.slots)
    packed = part.packed(key)
    counts[packed >> np.uint32(8)] = packed & np.uint32(0xFF)
    return counts


def _scorer(
    tables: Tables, cache: TextCache, query: TextQuery, opened: dict[int, TextView] | None = None
) -> Scorer | None:
    weights = query.weighted_hashes()
    view = open_view(tables, cache, query.partitions, tuple(weights), opened)
    return Scorer(view, query, weights) if view.parts else None


def _first(hits: TextHits, limit: int, allowed: Allowed | None) -> TextHits:
    revisions, scores = hits.revisions, hits.scores
    if allowed is not None and len(revisions):
        kept = np.asarray(allowed(revisions), np.bool_)
        revisions, scores = revisions[kept], scores[kept]
    return TextHits(revisions[:limit], scores[:limit])
