"""Which groups of words stand in a text, letter by letter: what a pattern needs to find anything, asked beforehand.

Owns one question for many groups at once, as the kernel answers it in one pass and `in` in one for each word.
Invariant: both say the same, and a group is found exactly where one of its words is part of the text.
"""

from __future__ import annotations

from collections.abc import Iterable

from palazzo import kernel


class WordGroups:
    """Groups of words, by number."""

    __slots__ = ("_groups", "_held")

    def __init__(self, *groups: Iterable[str]) -> None:
        self._groups = tuple(map(tuple, groups))
        self._held: object | None = None

    def within(self, text: str) -> int:
        """The groups of which a word stands in a text, a bit for each."""
        if (quick := kernel.part("marks_in")) is not None:
            if self._held is None:
                self._held = kernel.part("open_marks")(self._groups)
            if (found := quick(self._held, text)) is not None:
                return found  # type: ignore[no-any-return]
        return sum(1 << number for number, words in enumerate(self._groups) if any(map(text.__contains__, words)))
