"""Ranking: from what was gathered to rows in order, in two passes.

The first pass scores every candidate from the indexes alone; the second reads the texts of the best ones for the
signals that need them. Owns which table of weights a plan gets. Invariant: the order is a pure function of the plan and
one moment of the palace; equal scores are ordered newest first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mnemon.recall import fuse, present, signals
from mnemon.recall.cue import Plan
from mnemon.recall.gather import Gathered, Sources
from mnemon.recall.modulate import modulate
from mnemon.recall.pool import Pool, make_pool
from mnemon.recall.reply import Sibling
from mnemon.recall.weights import OVERLAP, QUESTION, SEVERAL, STATEMENT, Weights
from mnemon.store import corrections, memories, search, trusts, turns
from mnemon.store.memories import Marks

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
ALIKE = 0.7
CORRECTED_FOR_US = 90 * 86_400_000_000
UNREAD = 0.5
"""Trust in what is ranked without being read: that of a single source that is no person."""
TRUSTED = 30
"""For how many of the best trust is worked out at least; three for each hit asked for."""
IN_RANGE = np.float32(0.5)
"""Lift in the first pass for what lies in a range the cue names: the date signals come in the second."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates in order, best first, with the signals behind their scores."""

    keys: Rows
    scores: Floats
    signals: dict[str, Floats]
    weights: Weights
    table: str
    candidates: int
    trusted: Mapping[int, float]
    """By key, how far the rows whose texts were read may be relied on."""
    replaced: Mapping[int, present.Replaced]
    """What no longer holds, by key: behind the first hits, or left out."""
    cosine: Floats
    """To the cue; NaN where there is no vector."""
    siblings: tuple[Sibling, ...] = ()


def choose_weights(plan: Plan, cover: Floats) -> tuple[str, Weights]:
    """The table for this cue; `cover` is the share of its words found with each candidate."""
    if plan.traits.statement and (not len(cover) or float(cover.max()) < OVERLAP):
        return "statement", STATEMENT
    name, table = ("several", SEVERAL) if plan.traits.several else ("question", QUESTION)
    if plan.traits.about_agent:
        return f"{name}, agent's words", {**table, "agent": 0.1}
    return name, table


def rank(sources: Sources, plan: Plan, gathered: Gathered) -> Ranked | None:
    """Ranks what was gathered; None when there is nothing."""
    if not gathered.found:
        return None
    pool = make_pool(sources.store, sources.reading, plan, gathered)
    rows = np.flatnonzero(pool.candidate)
    first = signals.structural(pool, plan, gathered)
    table, weights = choose_weights(plan, first["cover"][rows])
    prior = signals.weigh(first, weights, len(pool.keys), plan.cue.leave_out)[rows]
    if "time" in gathered.found:
        prior = np.where(np.isin(pool.keys[rows], gathered.found["time"].keys), prior + IN_RANGE, prior)
    order = np.lexsort((-pool.keys[rows], -prior))[: 2 * sources.preset.read]
    rows = rows[order]
    by_key = {mark.key: mark for mark in memories.marks_of(sources.reading, pool.keys[rows].tolist())}
    seen = np.fromiter((key in by_key for key in pool.keys[rows].tolist()), np.bool_, len(rows))
    rows = rows[seen]
    marks = [by_key[key] for key in pool.keys[rows].tolist()]
    found = {name: values[rows] for name, values in first.items()}
    found |= signals.from_marks(marks, plan)
    _read_texts(found, marks, plan, weights, sources.preset.read)
    trusted = _trusted(found, pool.keys[rows], sources, plan, weights)
    scores = fuse.fuse(plan.cue.fusion, found, weights, len(rows), plan.cue.leave_out)
    in_thread = _in_thread(sources, plan, pool.keys[rows])
    scores = modulate(scores, marks, plan, in_thread)
    kept = np.flatnonzero(_current(marks, plan) & _passes(plan, marks, sources, pool.keys[rows]))
    kept = kept[np.lexsort((-pool.keys[rows][kept], -scores[kept]))]
    kept = _once(pool.origin[rows], kept)
    kept = _uncorrected(sources, gathered, pool.keys[rows], kept, plan.now_us)
    told = [marks[row] for row in kept[: present.LOOKED_AT + present.FIRST].tolist()]
    who = np.where(pool.agent, present.AGENT, pool.speaker)[rows][kept].tolist()
    gone = present.replaced(sources.reading, plan, told, who)
    kept = kept[present.order_without(pool.keys[rows][kept].tolist(), gone)] if gone else kept
    return Ranked(
        keys=pool.keys[rows][kept], scores=scores[kept],
        signals={name: values[kept] for name, values in found.items()}, weights=weights, table=table,
        candidates=int(pool.candidate.sum()), trusted=trusted, replaced=gone,
        cosine=pool.cosine[rows][kept],
    )  # fmt: skip


def _trusted(found: dict[str, Floats], keys: Rows, sources: Sources, plan: Plan, weights: Weights) -> dict[int, float]:
    """Adds how far the best rows may be relied on, and returns it; only for rows that trust could still lift."""
    found["trust"] = np.full(len(keys), UNREAD, np.float32)
    scores = fuse.fuse(plan.cue.fusion, found, weights, len(keys), plan.cue.leave_out)
    best = np.argsort(-scores, kind="stable")[: max(TRUSTED, 3 * plan.cue.limit)]
    trusted = {key: one.trust for key, one in trusts.standings(sources.reading, keys[best].tolist()).items()}
    found["trust"][best] = [trusted.get(key, UNREAD) for key in keys[best].tolist()]
    return trusted


def _read_texts(found: dict[str, Floats], marks: Sequence[Marks], plan: Plan, weights: Weights, limit: int) -> None:
    """Adds the signals of texts for the best `limit` rows; rows come in the order of the first pass."""
    for name, values in signals.from_text(marks[:limit], plan, weights).items():
        whole = np.zeros(len(marks), np.float32)
        whole[: len(values)] = values
        found[name] = np.maximum(found[name], whole) if name in found else whole


def _current(marks: Sequence[Marks], plan: Plan) -> NDArray[np.bool_]:
    """What still holds; a question about the past wants the rest as well."""
    if present.looks_back(plan):
        return np.ones(len(marks), np.bool_)
    now = plan.now_us
    return np.fromiter((m.valid_to_us is None or m.valid_to_us > now for m in marks), np.bool_, len(marks))


def _passes(plan: Plan, marks: Sequence[Marks], sources: Sources, keys: Rows) -> NDArray[np.bool_]:
    """Neighbours and graph hits must meet the cue's own filter too."""
    if plan.cue.filter.empty:
        return np.ones(len(marks), np.bool_)
    return search.passing(sources.reading, keys, plan.cue.filter)


def _in_thread(sources: Sources, plan: Plan, keys: Rows) -> NDArray[np.bool_]:
    if not plan.cue.thread:
        return np.zeros(len(keys), np.bool_)
    return np.isin(keys, turns.in_thread(sources.reading, keys.tolist(), plan.cue.thread))


def _uncorrected(sources: Sources, gathered: Gathered, keys: Rows, order: Rows, now_us: int) -> Rows:
    """Leaves out what was corrected in a context like this one within ninety days."""
    if gathered.vector is None:
        return order
    found = corrections.against(sources.reading, keys[order].tolist(), gathered.space, now_us - CORRECTED_FOR_US)
    length = float(np.linalg.norm(gathered.vector)) or 1.0
    wrong = [
        key for key, context in found
        if context.shape == gathered.vector.shape
        and float(context @ gathered.vector) > ALIKE * length * (float(np.linalg.norm(context)) or 1.0)
    ]  # fmt: skip
    return order[~np.isin(keys[order], wrong)] if wrong else order


def _once(origin: Rows, order: Rows) -> Rows:
    """Of a turn and what was drawn from it only the first: one fact, one hit."""
    _, first = np.unique(origin[order], return_index=True)
    return order[np.sort(first)]


def shares(found: Mapping[str, Floats], first: int, weights: Weights) -> list[list[tuple[str, float, float, int]]]:
    """For each of the `first` rows name, figure, weight and rank of every signal that counted, strongest first."""
    reasons: list[list[tuple[str, float, float, int]]] = [[] for _ in range(first)]
    for name, values in found.items():
        weight = weights.get(name, 0.0)
        if not weight:
            continue
        shown = values[:first]
        ranks = 1 + len(values) - np.sort(values).searchsorted(shown, "right")
        for row, (value, rank_by_it) in enumerate(zip(shown.tolist(), ranks.tolist(), strict=True)):
            if value:
                reasons[row].append((name, value, weight, rank_by_it))
    for counted in reasons:
        counted.sort(key=lambda one: -abs(one[1] * one[2]))
    return reasons


__all__ = ["Pool", "Ranked", "choose_weights", "rank", "shares"]
