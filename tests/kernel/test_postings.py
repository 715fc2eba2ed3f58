"""The compiled scores of postings are those of numpy: the same documents, and the very same figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo import kernel
from palazzo.store.index.text.cache import TailPart, TextPart, TextView
from palazzo.store.index.text.documents import Documents, term_hash
from palazzo.store.index.text.scoring import Scorer, TextQuery

native = kernel._built()
pytestmark = pytest.mark.skipif(
    not hasattr(native, "best_postings"), reason="the compiled kernel was not built: there is no C compiler here"
)
WORDS = [f"w{number}" for number in range(9)]


def part_of(rng: np.random.Generator, first: int, size: int) -> TailPart:
    """Documents in which the first words are rare and the last ones everywhere."""
    shares = np.linspace(0.01, 0.95, len(WORDS)) ** 2
    hashes, counts, ends = [], [], []
    for _ in range(size):
        for word in np.flatnonzero(rng.random(len(WORDS)) < shares):
            hashes.append(term_hash(WORDS[word]))
            counts.append(int(rng.integers(1, 9)))
        ends.append(len(hashes))
    lengths = rng.integers(1, 60, size).astype(np.uint16)
    return TailPart(
        Documents(
            np.arange(first, first + size), lengths, np.array(ends, np.int64), np.array(hashes, np.uint32),
            np.array(counts, np.uint8),
        ), size,
    )  # fmt: skip


def view_of(rng: np.random.Generator, sizes: list[int]) -> TextView:
    parts: list[TextPart] = []
    first = 1
    for size in sizes:
        parts.append(part_of(rng, first, size))
        first += size
    return TextView(parts, sum(sizes), int(sum(part.lengths.sum() for part in parts)))


def asked(view: TextView, words: list[str], weights: dict[str, float]) -> Scorer:
    query = TextQuery(partitions=(1,), terms=tuple(words), weights=weights)
    return Scorer(view, query, query.weighted_hashes())


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.sampled_from([1, 7, 300, 2500]), min_size=1, max_size=4), wanted=st.sampled_from([1, 5, 40, 300]),
    words=st.lists(st.sampled_from([*WORDS, "nowhere"]), min_size=1, max_size=7, unique=True),
    weight=st.sampled_from([1.0, 0.7, 1e-60]), budget=st.sampled_from([500_000, 2_000, 1]), seed=st.integers(0, 2**32),
)  # fmt: skip
def test_the_kernel_scores_as_numpy_does(
    sizes: list[int], wanted: int, words: list[str], weight: float, budget: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    scorer = asked(view_of(rng, sizes), words, {words[0]: weight})
    places = np.unique(rng.integers(0, sum(sizes), 50))
    by_kernel, earned = scorer.best(wanted, budget), list(scorer.earned_at(places))
    kernel.use(False)
    try:
        by_numpy, expected = scorer.best(wanted, budget), list(scorer.earned_at(places))
    finally:
        kernel.use(True)
    assert by_kernel.revisions.tolist() == by_numpy.revisions.tolist()
    assert by_kernel.scores.tolist() == by_numpy.scores.tolist()
    for (key, made), (other, measured) in zip(earned, expected, strict=True):
        assert key == other
        assert made.tolist() == measured.astype(np.float32).tolist()


def test_many_documents_of_one_score_are_chosen_alike() -> None:
    hashes = np.full(5000, term_hash("same"), np.uint32)
    documents = Documents(
        np.arange(1, 5001), np.full(5000, 9, np.uint16), np.arange(1, 5001), hashes, np.ones(5000, np.uint8)
    )
    scorer = asked(TextView([TailPart(documents, 5000)], 5000, 45_000), ["same"], {})
    assert scorer.best(3).revisions.tolist() == [5000, 4999, 4998]


def lists_of(slot: int, part: int = 0, lengths: int = 3) -> kernel.PostingLists:
    return kernel.PostingLists(
        np.array([3], np.int64), [np.ones(lengths, np.uint16)], [np.array([slot << 8 | 1], np.uint32)],
        np.array([(0, part)], np.int32), np.array([(1.0, 1.0, 1.0)], np.float64),
    )  # fmt: skip


def test_a_posting_of_no_document_is_left_to_numpy_and_lists_of_no_part_are_refused() -> None:
    made = (np.zeros(3, np.float32), np.zeros(3, np.uint32), np.zeros(3, np.float32))
    limits = (1, 10, 10, 10)
    assert kernel.best_postings(lists_of(2), (0.3, 0.1), limits, made) == 1
    assert kernel.best_postings(lists_of(3), (0.3, 0.1), limits, made) is None
    assert not made[0].any()
    with pytest.raises(ValueError, match="in another order"):
        kernel.best_postings(lists_of(0, part=1), (0.3, 0.1), limits, made)
    with pytest.raises(ValueError, match="documents without a length"):
        kernel.best_postings(lists_of(0, lengths=2), (0.3, 0.1), limits, made)
    with pytest.raises(ValueError, match="places in no order"):
        kernel.earned_postings(lists_of(0), (0.3, 0.1), np.array([3], np.uint32), np.zeros((1, 1), np.float32))
