"""Ranking modes and context: recency, decay, importance, confidence, the thread, the mood.

Owns the arithmetic over marks. The default mode leaves the measured order of relevance as it is; the others blend it
with what the store knows of each memory. Invariant: a mode never brings in what was not a candidate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palazzo.errors import InvalidInput
from palazzo.recall.rank.weights import CONGRUENT, MODES, SAME_THREAD
from palazzo.recall.read.cue import Plan
from palazzo.store.api import Marks

Floats = NDArray[np.float32]
DAY_US = 86_400e6
RECENCY_DAYS = 30.0
SPACING = 0.5


def modulate(
    scores: Floats, marks: Marks, plan: Plan, in_thread: NDArray[np.bool_], uses: Sequence[tuple[int, int]] = ()
) -> Floats:
    """Scores under the cue's mode, thread and mood; `uses`, last use and sessions of each, only for other modes.

    Raises: InvalidInput for a mode that does not exist.
    """
    mode = MODES.get(plan.cue.mode)
    if mode is None:
        raise InvalidInput(f"no mode {plan.cue.mode!r}", field="mode", hint=", ".join(MODES))
    semantic, recency, decay, importance, confidence = mode
    blended = scores
    if semantic < 1.0:
        relevance = _unit(scores)
        event_days = _days(plan.now_us, marks.valid_from_us)
        idle_days = _days(plan.now_us, [accessed_us for accessed_us, _ in uses])
        sessions = np.array([sessions for _, sessions in uses], np.float32)
        parts = (
            (semantic, relevance),
            (recency, np.exp2(-event_days / RECENCY_DAYS)),
            (decay, np.exp(-idle_days / (RECENCY_DAYS * (1 + SPACING * sessions)))),
            (importance, np.array(marks.importance, np.float32)),
            (confidence, np.array(marks.confidence, np.float32)),
        )
        blended = np.zeros(len(scores), np.float32)
        for weight, values in parts:
            blended += np.float32(weight) * values.astype(np.float32)
    if in_thread.any():
        blended = np.where(in_thread, _raised(blended, SAME_THREAD), blended)
    if plan.cue.valence:
        mood = (np.array(marks.valence) * np.array(marks.intensity)).astype(np.float32)
        blended = _raised(blended, 1 + CONGRUENT * np.maximum(0, mood * np.float32(plan.cue.valence)))
    return blended.astype(np.float32)


def _raised(scores: Floats, factor: float | NDArray[np.floating]) -> Floats:
    """Multiplied, whatever the sign: a factor above one always lifts."""
    low = min(0.0, float(scores.min())) if len(scores) else 0.0
    return ((scores - low) * factor + low).astype(np.float32)


def _unit(scores: Floats) -> Floats:
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    return ((scores - low) / max(high - low, 1e-6)).astype(np.float32)


def _days(now_us: int, times_us: Sequence[int]) -> Floats:
    ages = (now_us - np.array(times_us, np.float64)) / DAY_US
    return np.maximum(ages, 0.0).astype(np.float32)
