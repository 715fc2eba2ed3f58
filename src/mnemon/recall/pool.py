"""The pool: candidates and the turns around them as arrays, so that signals are computed on all of them at once.

Owns who stands before and after whom and in which session. Knows no weights. Invariant: rows are in ascending order of
key; a memory that is no turn has no neighbours and no session, and every signal of neighbours falls back to its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mnemon.recall.cue import Plan
from mnemon.recall.gather import Gathered
from mnemon.store import fields, text_index, turns, vectors
from mnemon.store.reading import Reading
from mnemon.store.store import Store

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Candidates and their neighbours. `before` and `after` are row numbers, the row itself where there is none."""

    keys: Rows
    candidate: NDArray[np.bool_]
    before: Rows
    after: Rows
    session: Rows
    """Dense numbers; -1 for what is no turn."""
    speaker: NDArray[np.object_]
    agent: NDArray[np.bool_]
    term_scores: Floats
    """Terms by rows."""
    cosine: Floats
    """NaN where there is no vector."""


def make_pool(store: Store, reading: Reading, plan: Plan, gathered: Gathered) -> Pool:
    """Brings in the turns around what was found; the one after a hit may be the answer, so it is a candidate."""
    hits = gathered.keys()
    around = turns.windows(reading, hits.tolist(), 1, 2)
    keys = np.union1d(hits, np.fromiter((turn.key for turn in around), np.int64, len(around)))
    count = len(keys)
    session = np.full(count, -1, np.int64)
    place = np.zeros(count, np.int64)
    speaker = np.full(count, "", np.object_)
    agent = np.zeros(count, np.bool_)
    if around:
        rows = np.searchsorted(keys, np.fromiter((turn.key for turn in around), np.int64, len(around)))
        numbers = np.fromiter((turn.session for turn in around), np.int64, len(around))
        session[rows] = np.unique(numbers, return_inverse=True)[1]
        place[rows] = (session[rows] << 32) + np.fromiter((turn.position for turn in around), np.int64, len(around))
        speaker[rows] = [turn.speaker.casefold() for turn in around]
        agent[rows] = [turn.role == "assistant" for turn in around]
    before, after = _neighbours(session, place)
    candidate = np.isin(keys, hits)
    candidate[after[candidate]] = True
    query = text_index.TextQuery(scopes=text_scopes(reading), terms=plan.terms)
    term_scores = text_index.term_scores(reading.connection, store.text_cache, query, keys)
    cosine = np.full(count, np.nan, np.float32)
    space = vectors.space_named(reading.connection, gathered.space) if gathered.vector is not None else None
    if space is not None and gathered.vector is not None:
        cosine = vectors.similarities(reading.connection, space, gathered.vector, keys)
    return Pool(
        keys=keys, candidate=candidate, before=before, after=after, session=session, speaker=speaker, agent=agent,
        term_scores=term_scores, cosine=cosine,
    )  # fmt: skip


def text_scopes(reading: Reading) -> tuple[int, ...]:
    """The partitions in which texts of either sort are indexed, so that both are scored by one set of statistics."""
    return tuple(fields.partition(scope, field) for scope in reading.scopes for field in ("turn", "text"))


def _neighbours(session: Rows, place: Rows) -> tuple[Rows, Rows]:
    """For each row the row of the turn one position earlier and later, itself where there is none."""
    own = np.arange(len(place))
    turns_at = np.flatnonzero(session >= 0)
    if not len(turns_at):
        return own, own.copy()
    order = turns_at[np.argsort(place[turns_at], kind="stable")]
    ordered = place[order]
    found = []
    for step in (-1, 1):
        wanted = place + step
        at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
        there = (ordered[at] == wanted) & (session >= 0)
        found.append(np.where(there, order[at], own))
    return found[0], found[1]
