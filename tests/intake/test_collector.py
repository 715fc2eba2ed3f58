"""The garbage collector waits while a batch is worked on, and only then."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from palazzo.intake.collector import HeldBack


@pytest.fixture(autouse=True)
def collector_as_it_was() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.enable()
    yield
    if not enabled:
        gc.disable()


def test_no_collection_starts_inside_and_they_start_again_after_it() -> None:
    held = HeldBack()
    with held:
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_starts_again_only_after_the_last_of_several() -> None:
    held = HeldBack()
    with held:
        with held:
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_inside_sets_it_going_again() -> None:
    with pytest.raises(ValueError, match="inside"), HeldBack():
        raise ValueError("inside")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with HeldBack():
        pass
    assert not gc.isenabled()
