"""Pairs of words that cannot both hold of the same thing at the same time. Data and one lookup."""

from __future__ import annotations

from functools import cache

from mnemon.text.words.lexicon import page


@cache
def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in page("change").in_order("opposites"):
        left, right = pair.split()
        found.setdefault(left, set()).add(right)
        found.setdefault(right, set()).add(left)
    return {word: frozenset(others) for word, others in found.items()}


def opposites(found: frozenset[str]) -> frozenset[str]:
    """Every opposite of one of these words."""
    table = _table()
    return frozenset().union(*(table[word] for word in found if word in table))


def opposed(left: frozenset[str], right: frozenset[str]) -> tuple[str, str] | None:
    """The first pair of opposites with one word on either side, or None."""
    table = _table()
    for word in sorted(left - right):
        others = table.get(word)
        if others:
            hit = others & (right - left)
            if hit:
                return word, min(hit)
    return None
