"""The text index of a palace: BM25 over the revisions of a reader's partitions; fresh rows at once, a million in
milliseconds.

This module is its whole surface: `add` and `remove` inside a write, `search`, `score` and `exact` inside a read,
`plan_flush` and `apply_flush` for the background pass, `verify` and `rebuild` for care. It takes terms, never text, and
revisions as positive integers; who may see them is asked through `allowed`. The parts: documents (forward rows, tails),
segments (posting lists), flush, cache, scoring. Invariants: everything is partitioned by partition, so rows of a
partition that is not asked for are neither read nor counted. The forward rows are the truth of care; whether those fit
the remembered text is asked by passing the truth to `verify`. New segments of a rebuild stay invisible until one short
transaction swaps them for the old, so readers always have a complete index, an interrupted rebuild leaves the old one
in place, and leftovers are named by `verify`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palazzo.errors import CorruptPalace
from palazzo.store.index.tables import EVERY, Tables, number
from palazzo.store.index.text import documents as text_documents
from palazzo.store.index.text import segments as text_segments
from palazzo.store.index.text.cache import TailPart, TextView, open_view
from palazzo.store.index.text.cache import TextCache as TextCache
from palazzo.store.index.text.cache import holding as held_terms
from palazzo.store.index.text.documents import Documents, TextPartition
from palazzo.store.index.text.documents import add as add
from palazzo.store.index.text.flush import FLUSH_ROWS as FLUSH_ROWS
from palazzo.store.index.text.flush import FlushPolicy as FlushPolicy
from palazzo.store.index.text.flush import TextFlush as TextFlush
from palazzo.store.index.text.flush import TextState as TextState
from palazzo.store.index.text.flush import apply_flush as apply_flush
from palazzo.store.index.text.flush import pending as pending
from palazzo.store.index.text.flush import plan_flush as plan_flush
from palazzo.store.index.text.flush import remove as remove
from palazzo.store.index.text.flush import state as state
from palazzo.store.index.text.flush import unmerged as unmerged
from palazzo.store.index.text.scoring import BUDGET, Formula, Scorer, Shared, rank
from palazzo.store.index.text.scoring import TextHits as TextHits
from palazzo.store.index.text.scoring import TextQuery as TextQuery
from palazzo.store.index.text.segments import EMPTY, Header

_NAMED = 20  # differences named for each segment; the rest are counted
_ATTEMPTS = 5
_NO_SEGMENT = "id >> 32 NOT IN (SELECT id FROM text_segment)"


def verify(tables: Tables, truth: Iterable[tuple[int, int, Sequence[str]]] | None = None) -> list[str]:
    """Names every difference between counters, segments and forward rows.

    With `truth`, all (partition, revision, terms) there should be, also those between it and the forward rows.
    """
    with tables.moment():
        differences = [] if truth is None else _compare_with_truth(tables, truth)
        known = [partition for (partition,) in tables.rows("SELECT scope FROM text_scope ORDER BY scope")]
        stray = tables.rows(
            "SELECT scope FROM text_doc UNION SELECT scope FROM text_segment UNION SELECT scope FROM text_late"
            " EXCEPT SELECT scope FROM text_scope"
        )
        differences += [f"partition {partition}: rows without counters" for (partition,) in stray]
        for partition in known:
            row = text_documents.read_partition(tables, partition)
            if row is not None:
                differences += _verify_partition(tables, row)
        orphans = number(tables, f"SELECT count(*) FROM text_posting WHERE {_NO_SEGMENT}")
        if orphans:
            differences.append(f"{orphans} posting rows without a segment")
        return differences


def _compare_with_truth(tables: Tables, truth: Iterable[tuple[int, int, Sequence[str]]]) -> list[str]:
    differences = []
    seen = 0
    for partition, revision, terms, row in text_documents.beside(tables, truth):
        seen += row is not None
        if row is None:
            differences.append(f"partition {partition}: revision {revision} is missing")
        elif row != text_documents.encode(terms):
            differences.append(f"partition {partition}: revision {revision} has other terms")
    extra = number(tables, "SELECT count(*) FROM text_doc") - seen
    if extra:
        differences.append(f"{extra} indexed revisions should not be there")
    return differences


def _verify_partition(tables: Tables, row: TextPartition) -> list[str]:
    name = f"partition {row.partition}"
    differences = []
    docs, length, _ = _counted(tables, row.partition, -1)
    if (docs, length) != (row.docs, row.length):
        differences.append(f"{name}: counters say {row.docs} documents of {row.length} terms, found {docs} of {length}")
    tail = len(text_documents.read_tail(tables, row, -1, EVERY).revisions)
    if tail != row.tail:
        differences.append(f"{name}: counters say a tail of {row.tail}, found {tail}")
    in_segments = np.empty(0, np.int64)
    for header in text_segments.headers_of(tables, row.partition):
        revisions, found = _verify_segment(tables, row.partition, header)
        differences += found
        in_segments = np.concatenate((in_segments, revisions))
    differences += _named(f"{name}: revisions in two segments", _repeated(in_segments))
    settled = _settled_revisions(tables, row)
    if not np.array_equal(settled, np.sort(in_segments)):
        differences += _named(f"{name}: revisions in no segment", np.setdiff1d(settled, in_segments))
        differences += _named(f"{name}: revisions in a segment only", np.setdiff1d(in_segments, settled))
    return differences


def _settled_revisions(tables: Tables, row: TextPartition) -> NDArray[np.int64]:
    rows = tables.rows(
        "SELECT revision FROM text_doc WHERE scope=? AND revision<=?"
        " EXCEPT SELECT revision FROM text_late WHERE scope=?",
        (row.partition, row.applied, row.partition),
    )
    return np.array([revision for (revision,) in rows], np.int64)


def _verify_segment(tables: Tables, partition: int, header: Header) -> tuple[NDArray[np.int64], list[str]]:
    """The revisions a segment holds, and where its arrays and lists differ from the forward rows."""
    name = f"partition {partition}, segment {header.id}"
    try:
        revisions, lengths = text_segments.read_arrays(tables, header.id)
    except CorruptPalace as error:
        return np.empty(0, np.int64), [f"{name}: {error.message}"]
    slots = np.flatnonzero(lengths != EMPTY)
    differences = []
    if len(slots) != header.docs:
        differences.append(f"{name}: counts {header.docs} documents, has {len(slots)}")
    documents = text_documents.decode(sorted(text_documents.read_some(tables, partition, revisions[slots])))
    there = np.isin(revisions[slots], documents.revisions)
    places = slots[there]
    if len(places) == len(documents.revisions):
        wrong = documents.lengths != lengths[places]
        differences += _named(f"{name}: revisions of another length", documents.revisions[wrong])
        expected = np.sort(_keys(documents, places))
        terms, packed = text_segments.read_all(tables, header.id)
        found = terms.astype(np.uint64) << np.uint64(32) | packed
        found = found[np.isin(packed >> np.uint32(8), places)] if not there.all() else found
        if np.any(found[1:] <= found[:-1]):
            differences.append(f"{name}: lists out of order")
        if np.array_equal(expected, found):  # the set operations below take ten seconds on a large segment
            return revisions[slots], differences
        for words, keys in (
            ("lists lack entries of revisions", np.setdiff1d(expected, found)),
            ("lists have extra entries of revisions", np.setdiff1d(found, expected)),
        ):
            owners = np.unique((keys & np.uint64(0xFFFFFFFF)) >> np.uint64(8)).astype(np.int64)
            differences += _named(f"{name}: {words}", revisions[np.minimum(owners, header.slots - 1)])
    return revisions[slots], differences


def _keys(documents: Documents, places: NDArray[np.int64]) -> NDArray[np.uint64]:
    keys = documents.hashes.astype(np.uint64) << np.uint64(32)
    keys |= places[documents.ordinals()].astype(np.uint64) << np.uint64(8)
    keys |= documents.counts
    return keys


def _repeated(revisions: NDArray[np.int64]) -> NDArray[np.int64]:
    ordered = np.sort(revisions)
    return np.unique(ordered[1:][ordered[1:] == ordered[:-1]])


def _named(what: str, revisions: NDArray[np.int64]) -> list[str]:
    if not len(revisions):
        return []
    listed = ", ".join(str(revision) for revision in revisions[:_NAMED].tolist())
    more = f" and {len(revisions) - _NAMED} more" if len(revisions) > _NAMED else ""
    return [f"{what}: {listed}{more}"]


def rebuild(tables: Tables, progress: Callable[[int, int], None] | None = None) -> None:
    """Make every segment again from the forward rows, in transactions of its own.

    `progress` is told the documents done and the total. Beside others it tries a few times; a partition that keeps
    changing is then made in one transaction, for which writers wait.
    """
    total = number(tables, "SELECT count(*) FROM text_doc")
    done = 0

    def report(docs: int) -> None:
        if progress is not None:
            progress(done + docs, total)

    with tables.whole():
        tables.change(f"DELETE FROM text_posting WHERE {_NO_SEGMENT}")
    partitions = list(tables.rows("SELECT scope FROM text_doc UNION SELECT scope FROM text_scope ORDER BY 1"))
    for row in partitions:
        partition: Any = row[0]
        for _ in range(_ATTEMPTS):
            docs = _rebuild_partition(tables, partition, report)
            if docs is not None:
                break
        else:
            with tables.whole():
                docs = _rebuild_partition(tables, partition, report) or 0
        done += docs
    report(0)


def _rebuild_partition(tables: Tables, partition: int, report: Callable[[int], object]) -> int | None:
    """Documents rebuilt, or None when the partition changed meanwhile and the old segments stay.

    Hidden segments of another rebuild are left to it until this one is complete: who is first wins, and the other, or
    nobody if it was cut off, finds that the structure has changed.
    """
    with tables.whole():
        tables.change(
            "INSERT INTO text_scope(scope,docs,length,tail,high,applied,generation,structure)"
            " VALUES(?,0,0,0,0,0,0,0) ON CONFLICT DO NOTHING",
            (partition,),
        )
        before = text_documents.read_partition(tables, partition)
    docs = length = applied = 0
    made: list[int] = []
    while True:
        rows = text_documents.read_rows(tables, partition, applied, FlushPolicy().largest)
        if len(rows) < FLUSH_ROWS:
            break
        documents = text_documents.decode(rows)
        draft = text_segments.draft_of_documents(documents)
        with tables.whole():
            made.append(text_segments.insert(tables, partition, draft, visible=False))
        docs += len(rows)
        length += int(documents.lengths.sum())
        applied = int(documents.revisions[-1])
        report(docs)
    with tables.whole():
        now = text_documents.read_partition(tables, partition)
        if before is None or now is None or (now.generation, now.structure) != (before.generation, before.structure):
            for segment in made:
                text_segments.delete(tables, segment)
            return None
        for visible in (True, False):
            for header in text_segments.headers_of(tables, partition, visible=visible):
                if header.id not in made:
                    text_segments.delete(tables, header.id)
        tables.change("UPDATE text_segment SET visible=1 WHERE scope=?", (partition,))
        tables.change("DELETE FROM text_late WHERE scope=?", (partition,))
        tail, tail_length, high = _counted(tables, partition, applied)
        tables.change(
            "UPDATE text_scope SET docs=?, length=?, tail=?, high=?, applied=?, generation=generation+1,"
            " structure=structure+1 WHERE scope=?",
            (docs + tail, length + tail_length, tail, max(now.high, applied, high), applied, partition),
        )
    return docs + tail


def _counted(tables: Tables, partition: int, after: int) -> tuple[int, int, int]:
    """The forward rows above revision `after`: how many, their lengths together, the highest revision (0 of none)."""
    found = tables.row(
        "SELECT count(*), coalesce(sum(length), 0), coalesce(max(revision), 0) FROM text_doc"
        " WHERE scope=? AND revision>?",
        (partition, after),
    )
    rows, length, highest = map(int, found or (0, 0, 0))
    return rows, length, highest


TABLES: tuple[str, ...] = text_documents.TABLES + text_segments.TABLES

Allowed = Callable[[NDArray[np.int64]], NDArray[np.bool_]]

_NO_HITS = TextHits(np.empty(0, np.int64), np.empty(0, np.float32))
_EXACT_BLOCK = 32_768
LOOKED_UP = 64
"""Terms that are looked up through the cache: those of a cue, which is searched for them next."""


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
            fresh = np.array([revision for revision in found if revision not in verdicts], np.int64)
            if len(fresh):
                passed = np.asarray(allowed(fresh), np.bool_)
                verdicts.update(zip(fresh.tolist(), passed.tolist(), strict=True))
            kept = np.flatnonzero(np.fromiter(map(verdicts.__getitem__, found), np.bool_, len(found)))
            if len(kept) >= query.limit or len(found) < wanted:
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
        places, columns = scorer.found_at(revisions)
        for key, earned in scorer.earned_at(places):
            scores[wanted[key], columns] = earned
    return scores


def holding(
    tables: Tables, cache: TextCache, partitions: Sequence[int], terms: Sequence[str],
    opened: dict[int, TextView] | None = None,
) -> frozenset[str]:  # fmt: skip
    """Which of these terms any document of the partitions has; a few are looked up as a search does that follows."""
    asked = {text_documents.term_hash(term): term for term in terms}
    with tables.moment():
        if len(asked) > LOOKED_UP:
            return frozenset(asked[key] for key in held_terms(tables, cache, partitions, sorted(asked)))
        view = open_view(tables, cache, partitions, tuple(asked), opened)
        return frozenset(term for key, term in asked.items() if any(part.look_up(key).count for part in view.parts))


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
