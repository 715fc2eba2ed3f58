"""Keeps numpy's matrix library to one thread while a model runs.

Owns a counter and, through ctypes, the thread setting of the OpenBLAS that numpy's wheels carry. Its threads spin while
they wait for each other; with other work on the machine one MiniLM query took 11 ms on one thread and 280 ms on two,
and a memory is never alone on its machine. The setting is the process's, so it is put back when the last run has ended;
where numpy is built on another library nothing is set.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from palazzo.files.forks import Lazy


class _Library(NamedTuple):
    get: Callable[[], int]
    set: Callable[[int], object]


class _Runs:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.under_way = 0
        self.threads_before = 1


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """One thread inside the block; blocks of several threads may overlap."""
    library = _LIBRARY.get()
    if library is None:
        yield
        return
    runs = _RUNS.get()
    with runs.lock:
        if runs.under_way == 0:
            runs.threads_before = library.get()
            library.set(1)
        runs.under_way += 1
    try:
        yield
    finally:
        with runs.lock:
            runs.under_way -= 1
            if runs.under_way == 0:
                library.set(runs.threads_before)


def _find() -> _Library | None:
    import ctypes

    import numpy as np

    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                loaded: Any = ctypes.CDLL(str(path))
            except OSError:
                continue
            for before, after in (("scipy_", "64_"), ("", "64_"), ("scipy_", ""), ("", "")):
                getter = getattr(loaded, f"{before}openblas_get_num_threads{after}", None)
                setter = getattr(loaded, f"{before}openblas_set_num_threads{after}", None)
                if getter is not None and setter is not None:
                    getter.restype, setter.argtypes = ctypes.c_int, [ctypes.c_int]
                    return _Library(getter, setter)
    return None


_LIBRARY = Lazy(_find)
# A forked child has none of its parent's runs; forked during one, it stays at one thread, which is no harm.
_RUNS = Lazy(_Runs, per_process=True)
