"""Vectors of single words that texts are compared by, what each word weighs, and which of them a text says.

Owns the table of those that come again and again. Knows nothing of cues or memories. Invariants: at most some thousands
are kept, and none after texts are forgotten; without vectors every word weighs the same and is like no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.model.fork_lock import ForkLock
from palazzo.text.meaning.answering import Word
from palazzo.text.words.remembered import kept_in

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
WordVectors = Callable[[Sequence[str]], Floats]

PLAIN_WEIGHT: Final = np.float32(12.0)
"""What a word weighs where there are no vectors to tell: that of an ordinary noun."""
_LIGHT_WEIGHT: Final = np.float32(4.0)
_MOST_WORDS: Final = 8_192
_MOST_TEXTS: Final = 8_192


class Meant(msgspec.Struct, frozen=True, gc=False):
    """The words of a text side by side: their terms, which are small, where their vectors stand in the table, what each
    weighs, and how long all are together."""

    terms: Sequence[str]
    small: Flags
    rows: NDArray[np.int64]
    weights: Floats
    length: np.float32


class _WordTable:
    """Rows of words that were met, each at the place its word has; rows are there before their word is listed.

    The first row is that of no word: nothing is like it.
    """

    def __init__(self) -> None:
        self.at: dict[str, int] = {}
        self.units: Floats = np.zeros((1, 1), np.float32)
        self.weights: Floats = np.full(1, PLAIN_WEIGHT, np.float32)
        self.texts: dict[str, Meant] = {}

    def add(self, words: Sequence[str], units: Floats, weights: Floats) -> None:
        start, end = len(self.at) + 1, len(self.at) + 1 + len(words)
        if end > len(self.weights):
            room = max(256, 2 * len(self.weights), end)
            grown = np.zeros((room, units.shape[1]), np.float32)
            grown[:start] = self.units[:start]
            self.units = grown
            self.weights = np.concatenate([self.weights, np.zeros(room - len(self.weights), np.float32)])
        self.units[start:end] = units
        self.weights[start:end] = weights
        self.at.update(zip(words, range(start, end), strict=True))


class KnownWords:
    """Unit vectors and weights of words that come again and again; at most some thousands are kept."""

    def __init__(self, vectors: WordVectors | None) -> None:
        self._vectors = vectors
        self._table = _WordTable()
        self._adding = ForkLock()
        kept_in(self)

    @property
    def at_hand(self) -> bool:
        """Whether there are vectors."""
        return self._vectors is not None

    def forget(self) -> None:
        """Forgets the words of texts that were compared, and the texts."""
        self._table = _WordTable()

    def of(self, words: Sequence[Word]) -> tuple[Floats, Floats]:
        """Unit rows and weights."""
        said = [word.text.casefold() for word in words]
        table = self._with(said)
        rows, weights = self._rows(table, said, words)
        return table.units[rows], weights

    def of_texts(self, texts: Sequence[str], told: Callable[[str], Sequence[Word]]) -> tuple[Floats, list[Meant]]:
        """The unit rows of all words that are known, and what each text means by its own; `told` reads a new text."""
        known = self._table.texts
        fresh = {text: told(text) for text in texts if text not in known}
        if not fresh:
            return self._table.units, [known[text] for text in texts]
        words = list(chain.from_iterable(fresh.values()))
        said = [word.text.casefold() for word in words]
        table = self._with(said)
        if table.texts is not known:  # begun anew
            fresh = {text: told(text) for text in texts}
            words = list(chain.from_iterable(fresh.values()))
            said = [word.text.casefold() for word in words]
            self._learn(table, said)
        made = dict(zip(fresh, self._meant(table, said, words, [len(one) for one in fresh.values()]), strict=True))
        found = [made[text] if text in made else table.texts[text] for text in texts]
        table.texts.update(made)
        return table.units, found

    def _rows(self, table: _WordTable, said: Sequence[str], words: Sequence[Word]) -> tuple[NDArray[np.int64], Floats]:
        """Where words stand and what they weigh; what no vector knows has none, and weighs as much as an ordinary
        noun."""
        count = len(said)
        if not self.at_hand:
            return np.zeros(count, np.int64), np.full(count, PLAIN_WEIGHT, np.float32)
        rows = np.fromiter(map(table.at.__getitem__, said), np.int64, count)
        weights = table.weights[rows]
        if strange := [place for place, word in enumerate(words) if word.strange]:
            rows[strange] = 0
            weights[strange] = [_LIGHT_WEIGHT if words[place].light else PLAIN_WEIGHT for place in strange]
        return rows, weights

    def _meant(
        self, table: _WordTable, said: Sequence[str], words: Sequence[Word], sizes: Sequence[int]
    ) -> Iterator[Meant]:
        """What texts mean by their words, which come one text after another; all are looked up at once."""
        rows, weights = self._rows(table, said, words)
        terms = [word.term for word in words]
        small = np.array([word.small for word in words], np.bool_)
        end = 0
        for size in sizes:
            one = slice(end, end := end + size)
            length = np.float32(0)
            if self.at_hand:
                together = weights[one] @ table.units[rows[one]]
                length = np.float32(np.sqrt(together @ together))
            yield Meant(terms[one], small[one], rows[one], weights[one], length)

    def _with(self, words: Iterable[str]) -> _WordTable:
        """A table that has these words; a full one is begun anew, and whoever reads it keeps the old one."""
        table = self._table
        if len(table.at) > _MOST_WORDS or len(table.texts) > _MOST_TEXTS:
            self._table = table = _WordTable()
        self._learn(table, words)
        return table

    def _learn(self, table: _WordTable, words: Iterable[str]) -> None:
        if self._vectors is None:
            return
        unknown = [word for word in dict.fromkeys(words) if word not in table.at]
        if not unknown:
            return
        with self._adding:
            fresh = [word for word in unknown if word not in table.at]
            if fresh:
                rows = self._vectors(fresh)
                lengths: Floats = np.sqrt(np.einsum("ij,ij->i", rows, rows))
                table.add(fresh, rows / np.where(lengths == 0, 1, lengths).astype(np.float32)[:, None], lengths)
