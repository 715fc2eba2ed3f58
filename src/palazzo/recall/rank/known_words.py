"""Vectors of single words that texts are compared by, and what each word weighs.

Owns the table of those that come again and again. Knows nothing of cues or memories. Invariants: at most some thousands
are kept, and none after texts are forgotten; without vectors every word weighs the same and is like no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from palazzo.model.fork_lock import ForkLock
from palazzo.text.words.remembered import kept_in

Floats = NDArray[np.float32]
WordVectors = Callable[[Sequence[str]], Floats]

PLAIN_WEIGHT: Final = np.float32(12.0)
"""What a word weighs where there are no vectors to tell: that of an ordinary noun."""
_MOST_WORDS: Final = 8_192


class _WordTable:
    """Rows of words that were met, each at the place its word has; rows are there before their word is listed."""

    def __init__(self, dimensions: int) -> None:
        self.at: dict[str, int] = {}
        self.units = np.zeros((256, dimensions), np.float32)
        self.weights = np.zeros(256, np.float32)

    def add(self, words: Sequence[str], units: Floats, weights: Floats) -> None:
        start, end = len(self.at), len(self.at) + len(words)
        if end > len(self.weights):
            room = max(2 * len(self.weights), end)
            self.units = np.concatenate([self.units, np.zeros((room - len(self.units), units.shape[1]), np.float32)])
            self.weights = np.concatenate([self.weights, np.zeros(room - len(self.weights), np.float32)])
        self.units[start:end] = units
        self.weights[start:end] = weights
        self.at.update(zip(words, range(start, end), strict=True))


class KnownWords:
    """Unit vectors and weights of words that come again and again; at most some thousands are kept."""

    def __init__(self, vectors: WordVectors | None) -> None:
        self._vectors = vectors
        self._table: _WordTable | None = None
        self._adding = ForkLock()
        kept_in(self)

    @property
    def at_hand(self) -> bool:
        """Whether there are vectors."""
        return self._vectors is not None

    def forget(self) -> None:
        """Forgets the words of texts that were compared."""
        self._table = None

    def of(self, words: Sequence[str]) -> tuple[Floats, Floats]:
        """Unit rows and weights."""
        if self._vectors is None:
            return np.zeros((len(words), 1), np.float32), np.full(len(words), PLAIN_WEIGHT, np.float32)
        table = self._table or self._with(self._vectors, dict.fromkeys(words))
        places = list(map(table.at.get, words))
        if None in places:
            table = self._with(self._vectors, dict.fromkeys(words))
            places = list(map(table.at.get, words))
        return table.units[places], table.weights[places]

    def _with(self, vectors: WordVectors, words: Iterable[str]) -> _WordTable:
        """A table that has these words; a full one is begun anew, and whoever reads it keeps the old one."""
        with self._adding:
            table = self._table if self._table is not None and len(self._table.at) <= _MOST_WORDS else None
            fresh = [word for word in words if table is None or word not in table.at]
            if fresh:
                rows = vectors(fresh)
                lengths: Floats = np.sqrt(np.einsum("ij,ij->i", rows, rows))
                table = table or _WordTable(rows.shape[1])
                table.add(fresh, rows / np.where(lengths == 0, 1, lengths).astype(np.float32)[:, None], lengths)
                self._table = table
            return table or _WordTable(1)
