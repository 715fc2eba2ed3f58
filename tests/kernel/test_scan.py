"""The compiled scan of one-bit codes counts what numpy counts, on every kind of processor."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from palazzo import kernel
from palazzo.store.index.vector.probe import Probe

native = kernel._built()
pytestmark = pytest.mark.skipif(native is None, reason="the compiled kernel was not built: there is no C compiler here")


def bits_apart(code: NDArray[np.uint64], sign: NDArray[np.uint64], mask: NDArray[np.uint64]) -> list[int]:
    return [
        sum(
            ((int(word) ^ int(one)) & int(strong)).bit_count()
            for word, one, strong in zip(row, sign, mask, strict=True)
        )
        for row in code.T
    ]


@pytest.mark.parametrize("version", range(native.scans if native is not None else 0))
@settings(max_examples=60, deadline=None)
@given(words=st.integers(1, 12), codes=st.integers(0, 1100), seed=st.integers(0, 2**32))
def test_bits_that_differ_are_counted(version: int, words: int, codes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    code, (sign, mask) = (
        rng.integers(0, 2**64, (words, codes), np.uint64),
        rng.integers(0, 2**64, (2, words), np.uint64),
    )
    made = np.full(codes, 7, np.uint8 if words < 4 else np.uint16)
    assert kernel.scan(code, (sign, mask), made, version)
    assert made.tolist() == bits_apart(code, sign, mask)


@settings(max_examples=30, deadline=None)
@given(dimensions=st.sampled_from([8, 100, 384, 600, 768]), codes=st.integers(1, 300), seed=st.integers(0, 2**32))
def test_a_query_finds_the_codes_as_far_as_numpy_does(dimensions: int, codes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    probe = Probe(rng.normal(size=dimensions).astype(np.float32), "cosine")
    code = rng.integers(0, 2**64, (-(-dimensions // 64), codes), np.uint64)
    found = probe._distances(code)
    kernel.use(False)
    try:
        assert found.tolist() == probe._distances(code).tolist()
    finally:
        kernel.use(True)
    assert probe._distances(np.asfortranarray(code)).tolist() == found.tolist(), "in whatever order they stand"


def test_arrays_of_another_size_are_refused() -> None:
    code, probe = np.zeros((2, 5), np.uint64), (np.zeros(2, np.uint64), np.zeros(2, np.uint64))
    with pytest.raises(ValueError, match="what is made has 4 bytes"):
        kernel.scan(code, probe, np.zeros(4, np.uint8))
    with pytest.raises(ValueError, match="the signs has 8 bytes"):
        kernel.scan(code, (probe[0][:1], probe[1]), np.zeros(5, np.uint8))
