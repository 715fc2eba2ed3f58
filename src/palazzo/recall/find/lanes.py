"""Lanes: what must not crowd each other out. Standing instructions get one place in five when work is asked for, or a
general question, where they stand at the end: what answers comes first. Work also has a procedure in the third place of
every ten, if one is about it: a topic much talked about would bury the one memory that says how it is done.

Owns the interleaving. The user's and the agent's words are told apart by a signal (weights.py), not by a lane of fixed
size, because a question about the agent's answers needs them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from palazzo.recall.find.gather import Gathered, GatherSources, asked_terms, folded
from palazzo.recall.rank.rank import Ranked
from palazzo.recall.rank.signals import between, of_top
from palazzo.recall.read.cue import Plan

Floats = NDArray[np.float32]
STANDING_READ = 500
EVERY = 5


THIRD, TEN = 2, 10
"""The place of a procedure, and of how many it is one."""
SHARED = 1 / 3
"""Of the cue's meaningful words a procedure about it has at least this share, or it is as near as the hits are."""

Lane = Literal["none", "instructions", "instructions and preferences", "procedures"]


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


def standing(sources: GatherSources, plan: Plan, gathered: Gathered, wanted: int) -> list[int]:
    """Keys of what the lane holds, nearest to the cue first."""
    lane = lane_for(plan)
    if lane == "none":
        return []
    found = sources.kept(
        lane, lambda: sources.reading.memories.standing(STANDING_READ, preferences=lane != "instructions")
    )
    if not found:
        return []
    keys = np.unique(np.array(found, np.int64))
    scores = of_top(_words(sources, plan, keys).sum(axis=0))
    cosine = _cosines(sources, gathered, keys)
    scores = scores if cosine is None else scores + between(cosine)
    return [int(keys[row]) for row in np.lexsort((-keys, -scores))[:wanted]]


def procedures(sources: GatherSources, plan: Plan, gathered: Gathered, ranked: Ranked, limit: int) -> list[int]:
    """Keys of procedures about the work a cue asks for, best first; not what the first `limit` hits say already."""
    if lane_for(plan) != "instructions and preferences" or not plan.cue.filter.empty:
        return []
    hits = [found.keys for name, found in gathered.found.items() if name.endswith("of knowledge")]
    among = np.concatenate(hits).tolist() if hits else []
    keys = np.array(sources.reading.memories.procedures(STANDING_READ, among), np.int64)
    if not len(keys):
        return []
    words = _words(sources, plan, keys)
    content = np.array(plan.content, np.bool_)
    about = (words[content] > 0).mean(axis=0) >= SHARED if content.any() else np.zeros(len(keys), np.bool_)
    scores = of_top(words.sum(axis=0))
    cosine = _cosines(sources, gathered, keys)
    if cosine is not None:
        near = ranked.cosine[:limit]
        near = near[~np.isnan(near)]
        about |= np.nan_to_num(cosine, nan=-1.0) >= (float(np.median(near)) if len(near) else 1.0)
        scores = scores + between(cosine)
    best = np.lexsort((-keys, -scores))
    chosen = keys[best[about[best]]][:limit].tolist()
    told = sources.reading.edges.origins(chosen) if chosen else {}
    shown = set(ranked.keys[:limit].tolist())
    return [key for key in chosen if shown.isdisjoint(told.get(key, ()))][: max(1, limit // TEN)]


def _words(sources: GatherSources, plan: Plan, keys: NDArray[np.int64]) -> Floats:
    """What each term of the cue adds to each of these memories (terms by memories)."""
    reading = sources.reading
    scores = reading.search.term_scores(asked_terms(plan), keys)
    return folded(scores, plan)


def _cosines(sources: GatherSources, gathered: Gathered, keys: NDArray[np.int64]) -> Floats | None:
    if gathered.vector is None:
        return None
    space = sources.reading.search.space(gathered.space)
    return None if space is None else sources.reading.search.similarities(space, gathered.vector, keys)


def _due(place: int, limit: int, kind: Lane) -> bool:
    """Whether a place belongs to the lane: every fifth when work is asked for, the end of every ten for a question.

    The third of every ten is for procedures.
    """
    if kind == "procedures":
        return place % TEN == THIRD
    if kind != "instructions":
        return place % EVERY == EVERY - 1
    block = max(EVERY, min(2 * EVERY, limit))
    return place % block >= block - block // EVERY


def interleave(ranked: Ranked, lane: Sequence[int], limit: int, kind: Lane) -> Ranked:
    """Gives the lane its places; what is in both stays where it ranks higher."""
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
