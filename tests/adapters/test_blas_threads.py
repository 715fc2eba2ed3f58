"""The matrix library is held to one thread inside the block, and given back what it had."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from palazzo.files import blas_threads
from palazzo.files.blas_threads import one_blas_thread
from palazzo.files.forks import Lazy

LIBRARY = blas_threads._find()


@pytest.fixture
def three_threads() -> Iterator[int]:
    """Sets three threads, so that the setting differs from the one inside the block on any machine."""
    if LIBRARY is None:
        pytest.skip("numpy is not built on OpenBLAS here")
    before = LIBRARY.get()
    LIBRARY.set(3)
    yield 3
    LIBRARY.set(before)


def threads_now() -> int:
    assert LIBRARY is not None
    return LIBRARY.get()


def test_one_thread_inside_and_the_former_number_after(three_threads: int) -> None:
    with one_blas_thread():
        assert threads_now() == 1
    assert threads_now() == three_threads


def test_the_former_number_comes_back_after_a_failure(three_threads: int) -> None:
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert threads_now() == three_threads


def test_overlapping_blocks_of_several_threads_give_back_what_the_first_found(three_threads: int) -> None:
    inside, leave = threading.Event(), threading.Event()

    def run() -> None:
        with one_blas_thread():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=run)
    thread.start()
    inside.wait(10)
    with one_blas_thread():
        assert threads_now() == 1
    assert threads_now() == 1
    leave.set()
    thread.join()
    assert threads_now() == three_threads


def test_without_the_library_the_block_still_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas_threads, "_LIBRARY", Lazy(lambda: None))
    ran = False
    with one_blas_thread():
        ran = True
    assert ran
