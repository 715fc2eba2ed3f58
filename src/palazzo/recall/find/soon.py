"""A cue's vector from an embedder that is elsewhere: asked for at once, waited for no longer than there is time.

Owns the threads that wait. While an endpoint answers, text is searched; one that is late is left behind and named, and
the answer it gives later is thrown away. Invariant: nobody waits longer than the time handed in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from typing import Final

import numpy as np
from numpy.typing import NDArray

Asked = tuple[str, NDArray[np.float32] | None, str]
Query = Callable[[str], Asked]
AT_ONCE: Final = 4
"""Questions to an endpoint that may wait side by side; more wait for one of them."""
TOO_LATE: Final = "the embedder did not answer in time"


class Soon:
    """Asks an embedder in the background."""

    def __init__(self) -> None:
        self._threads: tuple[int, ThreadPoolExecutor] | None = None
        """With the process they belong to: a forked child has none of them."""

    def ask(self, query: Query, cue: str, left_s: Callable[[], float]) -> Query:
        """Starts asking; what comes back gives the vector of that cue, or says that it came too late."""
        if self._threads is None or self._threads[0] != os.getpid():
            self._threads = os.getpid(), ThreadPoolExecutor(AT_ONCE, thread_name_prefix="palazzo-embed")
        waiting: Future[Asked] = self._threads[1].submit(query, cue)

        def answer(asked: str) -> Asked:
            if asked != cue:
                return query(asked)
            try:
                return waiting.result(timeout=max(0.0, left_s()))
            except Late:
                waiting.cancel()
                return "", None, TOO_LATE

        return answer
