"""Packing, variety, modes, the cache of answers: the parts that need no palace or little of one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recall.conftest import DAY_US, Room

from palazzo.model.belief import Trust
from palazzo.recall.answer.kept import Answers
from palazzo.recall.answer.reply import OVERHEAD_TOKENS, Hit, Reasons, pack
from palazzo.recall.rank.rank import fuse, vary
from palazzo.recall.rank.signals import QUESTION, REASONS, SEVERAL, STATEMENT, between, of_top
from palazzo.text.words.tokens import estimate_tokens


def test_every_weight_has_a_reason() -> None:
    for table in (QUESTION, SEVERAL, STATEMENT):
        assert set(table) <= set(REASONS)


def test_variety_puts_a_different_hit_before_a_repetition() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    assert vary(np.array([1.0, 0.9, 0.85], np.float32), vectors, 3) == [0, 2, 1]


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=30), st.integers(1, 10))
def test_variety_only_reorders(scores: list[float], wanted: int) -> None:
    rng = np.random.default_rng(len(scores))
    vectors = rng.normal(size=(len(scores), 4)).astype(np.float32)
    assert sorted(vary(np.array(scores, np.float32), vectors, wanted)) == list(range(len(scores)))


@given(st.lists(st.floats(-5, 5, width=32), max_size=20))
def test_calibrated_figures_lie_between_zero_and_one(values: list[float]) -> None:
    array = np.array(values, np.float32)
    assert ((between(array) >= 0) & (between(array) <= 1.0001)).all()
    assert (of_top(np.abs(array)) <= 1.0001).all()


def test_rank_fusion_ignores_what_a_branch_did_not_find() -> None:
    signals = {"text": np.array([1, 0], np.float32), "vector": np.array([0, 1], np.float32)}
    first, second = fuse("rank", signals, QUESTION, 2)
    assert first == pytest.approx(second)


def test_answers_are_forgotten_when_the_journal_moves_and_when_there_are_too_many() -> None:
    answers: Answers[str] = Answers(2)
    answers.put("a", 1, "x")
    assert answers.get("a", 1) == "x"
    assert answers.get("a", 2) is None
    for key in "abc":
        answers.put(key, 3, key)
    assert answers.get("a", 3) is None
    assert answers.get("c", 3) == "c"


def test_an_answer_of_an_older_moment_is_neither_kept_nor_given() -> None:
    answers: Answers[str] = Answers(2)
    answers.put("a", 3, "new")
    answers.put("b", 2, "found before the write, brought after it")
    assert answers.get("b", 2) is None
    assert answers.get("a", 3) == "new"
    assert answers.get("a", 4) is None
    assert not len(answers), "what a write made void is let go"


def test_packing_takes_a_shorter_form_before_leaving_a_hit_out(room: Room) -> None:
    room.keep("A long account of the harbour works in many words. " * 6, summary="Harbour works, shortly.")
    (hit,) = room.ask("harbour works").hits
    short = estimate_tokens("Harbour works, shortly.") + OVERHEAD_TOKENS
    packed = pack([hit], short, estimate_tokens)
    assert [(one.tier, one.text) for one in packed.hits] == [("summary", "Harbour works, shortly.")]
    assert pack([hit], short - 1, estimate_tokens).left_out == 1


@given(st.integers(0, 200))
def test_packing_never_exceeds_the_budget(budget: int) -> None:
    hits: list[Hit] = []
    assert pack(hits, budget, estimate_tokens).tokens <= budget


def test_the_recent_mode_prefers_the_newer_of_equals(room: Room) -> None:
    now = room.clock.now_us()
    room.keep("The quay was painted green.", valid_from_us=now)
    room.keep("The quay was painted green once.", valid_from_us=now - 900 * DAY_US)
    assert room.texts("quay painted green", mode="recent")[0] == "The quay was painted green."


def test_trust_is_highest_for_the_best_hit(room: Room) -> None:
    room.keep("The quay was painted green.")
    room.keep("The quay has a lamp.", confidence=0.4, valid_to_us=None)
    best, other = room.ask("quay painted green").hits
    assert isinstance(best.trust, Trust)
    assert best.trust.score > other.trust.score
    assert "unconfirmed" in other.caveat


def test_reasons_name_what_counted_strongest_first_with_its_rank() -> None:
    columns = {
        "text": np.array([0.5, 1.0, 0.0], np.float32), "vector": np.array([1.0, 0.2, 0.2], np.float32),
        "unweighed": np.ones(3, np.float32),
    }  # fmt: skip
    reasons = Reasons(columns, {"text": 0.4, "vector": -0.3}, 3)
    assert [(s.name, s.rank) for s in reasons.of(0)] == [("vector", 1), ("text", 2)]
    assert [(s.name, s.rank) for s in reasons.of(1)] == [("text", 1), ("vector", 2)]
    assert [(s.name, s.rank) for s in reasons.of(2)] == [("vector", 2)]
