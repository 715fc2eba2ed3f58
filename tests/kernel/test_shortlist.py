"""The compiled choice of codes is that of numpy: the same revisions, and the very same promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo import kernel
from palazzo.store.index.vector.codes import Codes
from palazzo.store.index.vector.probe import Probe

native = kernel._built()
pytestmark = pytest.mark.skipif(
    not hasattr(native, "shortlist"), reason="the compiled kernel was not built: there is no C compiler here"
)


def pieces_of(rng: np.random.Generator, words: int, sizes: list[int]) -> list[Codes]:
    """Pieces of codes; in some of them many codes are the same, so that many are equally near."""
    made, begin = [], 1
    for size in sizes:
        code = rng.integers(0, 2**64, (words, size), np.uint64)
        if size % 2:
            code[:, size // 2 :] = code[:, : size - size // 2]
        made.append(Codes(rng.permutation(np.arange(begin, begin + size)), code, None))
        begin += size
    return made


@settings(max_examples=60, deadline=None)
@given(
    dimensions=st.sampled_from([8, 100, 384, 600, 1100, 3000]), sizes=st.lists(st.integers(0, 400), max_size=4),
    count=st.integers(1, 90), seed=st.integers(0, 2**32),
)  # fmt: skip
def test_the_kernel_chooses_what_numpy_chooses(dimensions: int, sizes: list[int], count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    probe = Probe(rng.normal(size=dimensions).astype(np.float32), "cosine")
    pieces = pieces_of(rng, -(-dimensions // 64), sizes)
    by_kernel = probe.nearest(pieces, count)
    kernel.use(False)
    try:
        by_numpy = probe.nearest(pieces, count)
    finally:
        kernel.use(True)
    assert by_kernel.estimates.tolist() == by_numpy.estimates.tolist()
    promised = by_numpy.estimates.tolist()
    sure = sum(one > promised[-1] for one in promised)  # of those that promise as much as the last, any may be chosen
    if len(set(promised[:sure])) == sure:
        assert by_kernel.revisions[:sure].tolist() == by_numpy.revisions[:sure].tolist()


@pytest.mark.parametrize("version", range(native.scans if native is not None else 0))
def test_of_equally_near_codes_the_newest_are_chosen_on_every_processor(version: int) -> None:
    code, room = np.zeros((2, 9), np.uint64), 4
    probe = (np.zeros(2, np.uint64), np.full(2, 2**64 - 1, np.uint64), np.ones((16, 256), np.float32))
    found, promised = np.zeros(room, np.int64), np.zeros(room, np.float32)
    revisions = np.array([3, 9, 1, 7, 2, 8, 4, 6, 5], np.int64)
    assert kernel.shortlist([revisions, code], probe, (found, promised), version) == room
    assert sorted(found.tolist()) == [6, 7, 8, 9]
    assert promised.tolist() == [16.0] * room


def test_codes_and_rooms_of_another_size_are_refused() -> None:
    probe = (np.zeros(2, np.uint64), np.zeros(2, np.uint64), np.zeros((16, 256), np.float32))
    made = (np.zeros(4, np.int64), np.zeros(4, np.float32))
    with pytest.raises(ValueError, match="the codes of a piece has 64 bytes"):
        kernel.shortlist([np.zeros(5, np.int64), np.zeros((2, 4), np.uint64)], probe, made)
    with pytest.raises(ValueError, match="what is promised has 12 bytes"):
        kernel.shortlist([np.zeros(4, np.int64), np.zeros((2, 4), np.uint64)], probe, (made[0], made[1][:3]))
    with pytest.raises(ValueError, match="codes of another shape"):
        kernel.shortlist([np.zeros(4, np.int64)], probe, made)
