"""What follows from what: cause and effect, and the steps of a procedure, where a text tells them.

Owns the reading; the words are data. Knows nothing about whether it is true. Invariant: what is found are words of the
text.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from palazzo.text.words.lexicon import page

_PAGE: Final = page("sequences")
_CAUSAL: Final = tuple(_PAGE.listing("causal").split("\n"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_PAGE.pattern("patterns", name), re.IGNORECASE)


def consequences(text: str) -> tuple[str, ...]:
    """Cause and effect as "cause -> effect", where the text states them."""
    lower = text.lower()
    if not any(sign in lower for sign in _CAUSAL):
        return ()
    for pattern in map(_pattern, ("because", "so")):
        if match := pattern.match(text):
            return (f"{match['cause'].strip()} -> {match['effect'].strip()}",)
    return ()


def steps(text: str) -> tuple[str, ...]:
    """The steps of a procedure, where they are numbered or told in order."""
    pieces = [piece.strip(" .;,\n") for piece in _pattern("step").split(text)]
    found = tuple(piece for piece in pieces if piece)
    return found if len(found) > 1 else ()
