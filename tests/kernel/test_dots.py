"""The compiled products of a query with stored vectors are those of numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo import kernel
from palazzo.store.api import Metric
from palazzo.store.index.vector.codes import similar

native = kernel._built()
pytestmark = pytest.mark.skipif(
    not hasattr(native, "dots"), reason="the compiled kernel was not built: there is no C compiler here"
)


@settings(max_examples=80, deadline=None)
@given(
    size=st.integers(1, 400), count=st.integers(0, 30), metric=st.sampled_from(["cosine", "dot"]),
    scale=st.sampled_from([1e-7, 0.05, 3.0, 200.0]), seed=st.integers(0, 2**32),
)  # fmt: skip
def test_the_kernel_multiplies_as_numpy_does(size: int, count: int, metric: Metric, scale: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    stored = (rng.normal(size=(count, size)) * scale).astype(np.float16)
    stored[rng.random(count) < 0.2] = 0
    query = rng.normal(size=size).astype(np.float32)
    rows = [None if rng.random() < 0.2 else row.tobytes() for row in stored]
    by_kernel = similar(rows, query, metric)
    kernel.use(False)
    try:
        by_numpy = similar(rows, query, metric)
    finally:
        kernel.use(True)
    assert np.isnan(by_kernel).tolist() == [row is None for row in rows]
    assert np.isneginf(by_kernel).tolist() == np.isneginf(by_numpy).tolist()
    np.testing.assert_allclose(by_kernel, by_numpy, rtol=1e-5, atol=1e-5 * scale * size)


def test_what_is_no_row_of_the_query_is_refused() -> None:
    query, made = np.zeros(4, np.float32), np.zeros(2, np.float32)
    with pytest.raises(ValueError, match="a row of another length"):
        kernel.dots([bytes(8), bytes(6)], query, made, bounded=True)
    with pytest.raises(ValueError, match="what is made has 8 bytes"):
        kernel.dots([bytes(8)], query, made, bounded=True)
    with pytest.raises(TypeError):
        kernel.dots(["text", None], query, made, bounded=True)  # type: ignore[list-item]
