"""The pool: candidates and the turns around them as arrays, so that signals are computed on all of them at once.

Owns who stands before and after whom and in which session. Knows no weights. Invariant: rows are in ascending order of
key; a memory that is no turn has no neighbours and no session, and every signal of neighbours falls back to its own.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.recall.find.gather import Gathered, asked_terms, folded
from palazzo.recall.read.cue import Plan
from palazzo.store.api import Reading, Window, distinct

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """Candidates and their neighbours. `before` and `after` are row numbers, the row itself where there is none."""

    keys: Rows
    candidate: NDArray[np.bool_]
    before: Rows
    after: Rows
    session: Rows
    """Dense numbers; -1 for what has no place in a conversation."""
    origin: Rows
    """The row of the turn this was drawn from, the row itself where there is none."""
    turn: NDArray[np.bool_]
    """Whether it is itself a turn of a conversation."""
    speaker: NDArray[np.object_]
    agent: NDArray[np.bool_]
    term_scores: Floats
    """Terms by rows."""
    cosine: Floats
    """NaN where there is no vector."""


def make_pool(reading: Reading, plan: Plan, gathered: Gathered) -> Pool:
    """Brings in the turns around what was found; the one after a hit may be the answer, so it is a candidate.

    What was drawn from a turn stands where that turn stands, and brings it in.
    """
    hits = gathered.keys()
    origins = {key: found[0] for key, found in reading.edges.origins(hits.tolist()).items()}
    seeds = distinct(hits, np.fromiter(origins.values(), np.int64, len(origins))) if origins else hits
    around = reading.turns.windows(seeds, 1, 1)
    keys = distinct(seeds, around.keys) if len(around.keys) else seeds
    seats = _seats(keys, around, origins)
    before, after = _neighbours(seats)
    candidate = np.zeros(len(keys), np.bool_)
    candidate[keys.searchsorted(seeds)] = True
    candidate[after[candidate]] = True
    scores = reading.search.term_scores(asked_terms(plan), keys)
    cosine = np.full(len(keys), np.nan, np.float32)
    space = reading.search.space(gathered.space) if gathered.vector is not None else None
    if space is not None and gathered.vector is not None:
        cosine = reading.search.similarities(space, gathered.vector, keys, gathered.scored)
    return Pool(
        keys=keys, candidate=candidate, before=before, after=after, session=seats.session, origin=seats.origin,
        turn=seats.is_turn, speaker=seats.speaker, agent=seats.agent, term_scores=folded(scores, plan), cosine=cosine,
    )  # fmt: skip


class _Seats(msgspec.Struct, frozen=True):
    """Where each row sits: session, session and position in one number, who spoke, the turn it was drawn from."""

    session: Rows
    place: Rows
    is_turn: NDArray[np.bool_]
    speaker: NDArray[np.object_]
    agent: NDArray[np.bool_]
    origin: Rows


def _seats(keys: Rows, around: Window, origins: Mapping[int, int]) -> _Seats:
    count = len(keys)
    seats = _Seats(
        np.full(count, -1, np.int64), np.zeros(count, np.int64), np.zeros(count, np.bool_),
        np.full(count, "", np.object_), np.zeros(count, np.bool_), np.arange(count),
    )  # fmt: skip
    if len(around.keys):
        rows = np.searchsorted(keys, around.keys)
        numbers = np.cumsum(np.diff(around.sessions, prepend=around.sessions[0]) != 0)  # they come in order
        seats.session[rows] = numbers
        seats.place[rows] = (numbers << 32) + around.positions
        seats.is_turn[rows] = True
        names = {speaker: speaker.casefold() for speaker in set(around.speakers)}
        seats.speaker[rows] = [names[speaker] for speaker in around.speakers]
        if "assistant" in around.roles:
            seats.agent[rows] = [role == "assistant" for role in around.roles]
    if origins:
        drawn = np.searchsorted(keys, np.fromiter(origins, np.int64, len(origins)))
        source = np.searchsorted(keys, np.fromiter(origins.values(), np.int64, len(origins)))
        seats.origin[drawn] = source
        for part in (seats.session, seats.place, seats.speaker, seats.agent):
            part[drawn] = part[source]
    return seats


def _neighbours(seats: _Seats) -> tuple[Rows, Rows]:
    """For each row the row of the turn one position earlier and later, itself where there is none.

    The agent's words lend nothing to the user's: a long answer before a message shares words with everything.
    """
    own = np.arange(len(seats.place))
    turns_at = np.flatnonzero(seats.is_turn)
    if not len(turns_at):
        return own, own.copy()
    order = turns_at[np.argsort(seats.place[turns_at], kind="stable")]
    ordered = seats.place[order]
    found = []
    for step in (-1, 1):
        wanted = seats.place + step
        at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
        there = (ordered[at] == wanted) & (seats.session >= 0) & (seats.agent | ~seats.agent[order[at]])
        found.append(np.where(there, order[at], own))
    return found[0], found[1]
