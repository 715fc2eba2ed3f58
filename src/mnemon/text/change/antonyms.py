"""Pairs of words that cannot both hold of the same thing at the same time. Data and one lookup."""

from __future__ import annotations

from functools import cache
from typing import Final

_PAIRS: Final = """
like dislike|love hate|enjoy hate|enjoy dislike|love dislike|like hate|prefer avoid|like avoid|love avoid
enjoy avoid|accept reject|accept decline|approve reject|agree disagree|allow forbid|allow ban|enable disable
enabled disabled|open closed|open close|start stop|begin end|increase decrease|increase reduce|raise lower
grow shrink|rise fall|improve worsen|improved worsened|succeed fail|pass fail|win lose|buy sell|arrive leave
join leave|join quit|married single|married divorced|single engaged|vegetarian carnivore|vegan carnivore
happy unhappy|happy sad|employed unemployed|hired fired|early late|cheap expensive|online offline
available unavailable|active inactive|public private|optional required|optional mandatory|synchronous asynchronous
sync async|manual automatic|local remote|present absent|full empty|light dark|hot cold|warm cold|fast slow
high low|strong weak|easy difficult|easy hard|safe dangerous|healthy sick|healthy unhealthy|true false
correct incorrect|right wrong|legal illegal|possible impossible|pro against|support oppose|trust distrust
confident doubtful|optimistic pessimistic|interested uninterested|satisfied dissatisfied|comfortable uncomfortable
certain uncertain|stable unstable|finished unfinished|complete incomplete|resolved unresolved|confirmed cancelled
confirmed canceled|postponed confirmed|deployed reverted|merged reverted|positive negative|advantage disadvantage
paid unpaid|pay unpaid|paid overdue|passing failing|include exclude|add remove|install uninstall|subscribe unsubscribe
calm anxious|relaxed stressed|normal abnormal|early-bird night-owl
introvert extrovert|indoors outdoors|inside outside|alone together|never always
"""


@cache
def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.replace("\n", "|").split("|"):
        words = pair.split()
        if len(words) == 2:
            found.setdefault(words[0], set()).add(words[1])
            found.setdefault(words[1], set()).add(words[0])
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
