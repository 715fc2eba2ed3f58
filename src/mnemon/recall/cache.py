"""A small memory of recent answers, in front of the pipeline.

Owns the least-recently-used order and the rule of validity: an answer holds as long as the journal stands where it
stood when the answer was found, for any write may change an answer. Thread-safe.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

SIZE: Final = 500
Answer = TypeVar("Answer")


class Answers(Generic[Answer]):
    """At most `size` answers, each tied to a journal position."""

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, tuple[int, Answer]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, position: int) -> Answer | None:
        """The answer, if nothing was written since."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            if kept[0] != position:
                del self._kept[key]
                return None
            self._kept.move_to_end(key)
            return kept[1]

    def put(self, key: Hashable, position: int, answer: Answer) -> None:
        """Keeps an answer found at a journal position."""
        with self._lock:
            self._kept[key] = (position, answer)
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def __len__(self) -> int:
        return len(self._kept)
