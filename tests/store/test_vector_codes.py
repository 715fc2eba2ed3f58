"""Stored halves in single precision, and picking from codes."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from palazzo.store.api import Metric
from palazzo.store.index.vector import codes as vector_codes


def test_every_finite_half_becomes_the_single_numpy_makes_of_it() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)].reshape(1, -1)
    found = vector_codes.singles(halves)
    assert np.array_equal(found.view(np.uint32), halves.astype(np.float32).view(np.uint32))


def test_codes_are_picked_by_flags_and_by_place_alike() -> None:
    rng = np.random.default_rng(3)
    halves = rng.normal(size=(9, 100)).astype(np.float16)
    codes = vector_codes.encode(halves, "dot", np.arange(10, 19))
    flags = np.array([True, False, True, True, False, False, True, False, True])
    by_flag, by_place = codes.pick(flags), codes.pick(np.flatnonzero(flags))
    assert by_flag.revisions.tolist() == [10, 12, 13, 16, 18] == by_place.revisions.tolist()
    assert np.array_equal(by_flag.words, codes.words[:, flags])
    assert np.array_equal(by_place.words, by_flag.words)
    assert by_flag.norms is not None
    assert codes.norms is not None
    assert np.array_equal(by_flag.norms, codes.norms[flags])


@pytest.mark.parametrize("metric", get_args(Metric))
@pytest.mark.parametrize("dimensions", [1, 64, 100, 256])
def test_rows_of_a_tail_are_the_packed_codes(metric: Metric, dimensions: int) -> None:
    halves = np.random.default_rng(5).normal(size=(7, dimensions)).astype(np.float16)
    codes = vector_codes.encode(halves, metric, np.arange(7))
    assert vector_codes.tail_rows(halves, metric) == vector_codes.pack_rows(codes)
