from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.recall.talk.working import ANTICIPATION_US, BLEND, Anticipated, Momentum, unit

X = np.array([1, 0, 0], np.float32)
Y = np.array([0, 1, 0], np.float32)


def centroid_of(vectors: list[np.ndarray]) -> Momentum:
    made = Momentum()
    for vector in vectors:
        made.add(vector)
    return made


def test_a_steady_conversation_pulls_a_vague_cue_towards_it() -> None:
    momentum = centroid_of([X] * 20)
    blended = momentum.blend(Y)
    assert 0 < blended[0] < blended[1]


def test_a_fresh_conversation_pulls_nothing() -> None:
    assert centroid_of([]).blend(Y) == pytest.approx(Y)
    assert centroid_of([X]).blend(Y) == pytest.approx(Y)


def test_topics_continue_drift_and_switch() -> None:
    momentum = centroid_of([X] * 10)
    assert momentum.shift(X) == "continue"
    assert momentum.shift(unit(X + Y * np.float32(1.3))) == "drift"
    assert momentum.shift(Y) == "switch"


def test_an_anticipated_answer_is_used_when_near_and_fresh() -> None:
    ahead: Anticipated[str] = Anticipated()
    ahead.put(X, "ready", 0)
    assert ahead.get(unit(X + Y * np.float32(0.5)), 1) == "ready"
    assert ahead.get(Y, 1) is None
    assert ahead.get(X, ANTICIPATION_US) is None


@given(st.lists(st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3), max_size=12))
def test_blending_moves_a_cue_by_at_most_forty_percent(turns: list[list[float]]) -> None:
    momentum = Momentum()
    for turn in turns:
        momentum.add(np.array(turn, np.float32))
    assert 0 <= momentum.stability <= 1.0001
    # The worst case is a centroid opposite to the cue: 0.6 of the cue against 0.4 of it.
    assert float(momentum.blend(X) @ X) >= (1 - 2 * BLEND) - 1e-3
