"""Answers that are kept for as long as the journal stands where it stood when they were found.

Owns how many are kept and when all of them become void. Knows nothing of what they answer. Invariant: `forget_texts`
empties every one of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Generic, TypeVar

from palazzo.model.fork_lock import ForkLock
from palazzo.text.words.remembered import kept_in

SIZE: Final = 500
Answer = TypeVar("Answer")


class Answers(Generic[Answer]):
    """At most `size` answers, all found at one journal position: the newest that was asked for."""

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._position = -1
        self._kept: OrderedDict[Hashable, Answer] = OrderedDict()
        self._lock = ForkLock()
        kept_in(self)

    def get(self, key: Hashable, position: int) -> Answer | None:
        """The answer, if nothing was written since."""
        (found,) = self.get_many((key,), position)
        return found

    def get_many(self, keys: Sequence[Hashable], position: int) -> list[Answer | None]:
        """The answer of each key, if nothing was written since."""
        with self._lock:
            if not self._at(position):
                return [None] * len(keys)
            found = [self._kept.get(key) for key in keys]
            for key, answer in zip(keys, found, strict=True):
                if answer is not None:
                    self._kept.move_to_end(key)
            return found

    def put(self, key: Hashable, position: int, answer: Answer) -> None:
        """Keeps an answer found at a journal position, unless the journal has moved on meanwhile."""
        self.put_many({key: answer}, position)

    def put_many(self, answers: Mapping[Hashable, Answer], position: int) -> None:
        """Keeps several answers found at a journal position, unless it has moved on meanwhile."""
        with self._lock:
            if not self._at(position):
                return
            for key, answer in answers.items():
                self._kept[key] = answer
                self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def forget(self) -> None:
        """Forgets every answer."""
        with self._lock:
            self._kept.clear()

    def _at(self, position: int) -> bool:
        """Whether the answers are of this position; a newer one makes all of them void, and lets go of them."""
        if position > self._position:
            self._kept.clear()
            self._position = position
        return position == self._position

    def __len__(self) -> int:
        return len(self._kept)
