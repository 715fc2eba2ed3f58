"""Lanes: what must not crowd each other out. Standing instructions get one place in five when work is asked for, or a
general question, where they stand at the end: what answers comes first.

Owns the interleaving. The user's and the agent's words are told apart by a signal (weights.py), not by a lane of fixed
size, because a question about the agent's answers needs them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mnemon.recall.cue import Plan
from mnemon.recall.gather import Gathered, Sources
from mnemon.recall.pool import text_scopes
from mnemon.recall.rank import Ranked
from mnemon.recall.signals import between, of_top
from mnemon.store import memories, search, text_index, vectors

Floats = NDArray[np.float32]
STANDING_READ = 500
EVERY = 5


Lane = Literal["none", "instructions", "instructions and preferences"]


def lane_for(plan: Plan) -> Lane:
    """What a cue needs beside its hits: work needs instructions and tastes, a general question instructions alone.

    What looks back on what was said needs neither.
    """
    traits = plan.traits
    if plan.cue.work:
        return "instructions and preferences"
    if traits.retrospective or traits.about_agent or plan.speakers:
        return "none"
    if traits.request or traits.intent == "procedural":
        return "instructions and preferences"
    general = traits.question and not (traits.about_own or traits.about_past or traits.wants_time)
    return "instructions" if general else "none"


def standing(sources: Sources, plan: Plan, gathered: Gathered, wanted: int) -> list[int]:
    """Keys of what the lane holds, nearest to the cue first."""
    lane = lane_for(plan)
    if lane == "none":
        return []
    found = memories.standing(sources.reading, STANDING_READ, preferences=lane != "instructions")
    if not found:
        return []
    keys = np.unique(np.array(found, np.int64))
    query = text_index.TextQuery(scopes=text_scopes(sources.reading), terms=plan.terms)
    reading = sources.reading
    scores = of_top(text_index.score(reading.connection, sources.store.text_cache, query, keys, reading.text_parts))
    space = vectors.space_named(sources.reading.connection, gathered.space) if gathered.vector is not None else None
    if space is not None and gathered.vector is not None:
        scores = scores + between(search.similarities(sources.reading, space, gathered.vector, keys))
    return [int(keys[row]) for row in np.lexsort((-keys, -scores))[:wanted]]


def _due(place: int, limit: int, kind: Lane) -> bool:
    """Whether a place belongs to the lane: every fifth when work is asked for, the end of every ten for a question."""
    if kind != "instructions":
        return place % EVERY == EVERY - 1
    block = max(EVERY, min(2 * EVERY, limit))
    return place % block >= block - block // EVERY


def interleave(ranked: Ranked, lane: Sequence[int], limit: int, kind: Lane) -> Ranked:
    """Gives one place in five to the lane; what is in both stays where it ranks higher."""
    if not lane:
        return ranked
    own = ranked.keys.tolist()
    position = {key: row for row, key in enumerate(own)}
    merged: list[int] = []
    taken: set[int] = set()
    rest = iter(own)
    waiting = list(lane)
    most = max(limit, len(own))
    while waiting and len(merged) < most:
        key = waiting.pop(0) if _due(len(merged), limit, kind) else next(rest, None)
        if key is None:
            key = waiting.pop(0)
        if key not in taken:
            taken.add(key)
            merged.append(key)
    merged = [*merged, *(key for key in rest if key not in taken)][:most]
    rows = np.array([position.get(key, -1) for key in merged], np.int64)
    low = float(ranked.scores.min()) if len(ranked.scores) else 0.0

    def pick(values: Floats, absent: float) -> Floats:
        if not len(values):
            return np.full(len(rows), absent, np.float32)
        return np.where(rows >= 0, values[np.maximum(rows, 0)], np.float32(absent)).astype(np.float32)

    return replace(
        ranked, keys=np.array(merged, np.int64), scores=pick(ranked.scores, low),
        signals={name: pick(values, 0.0) for name, values in ranked.signals.items()},
        cosine=pick(ranked.cosine, float("nan")),
    )  # fmt: skip
