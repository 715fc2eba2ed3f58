"""What somebody cannot have or do, and the messages that must not be answered without knowing it.

Owns the reading of a statement as such a limit, by the matters in which it counts, and of a message by the matters it
is about; both are data. Knows nothing of memories. Invariants: any text is safe; what is in another language is read as
its glossary says it in English.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.tokens import terms

_PAGE: Final = page("limits")
_LONGEST: Final = 600
_WORD: Final = re.compile(r"[a-z]+")
_EATEN: Final = "eaten"
_FOOD: Final = "food"


@cache
def _limits() -> dict[str, re.Pattern[str]]:
    return {
        matter: re.compile("|".join(f"(?:{line})" for line in listing.strip().split("\n")), re.IGNORECASE)
        for matter, listing in _PAGE.listings("limits").items()
    }


@cache
def _about() -> dict[str, frozenset[str]]:
    return {matter: frozenset(listing.split()) for matter, listing in _PAGE.listings("about").items()}


@cache
def _ways() -> dict[str, re.Pattern[str]]:
    return {matter: re.compile(form.strip(), re.IGNORECASE) for matter, form in _PAGE.listings("ways").items()}


@cache
def limit_terms() -> tuple[str, ...]:
    """Index terms of which a limit has at least one."""
    return tuple(dict.fromkeys(terms(" ".join(_PAGE.listings("terms").values()))))


@once
def limits_of(text: str) -> frozenset[str]:
    """The matters in which a statement says what somebody cannot have or do."""
    said = parsed(text[:_LONGEST]).gloss.replace("’", "'")
    found = {matter for matter, form in _limits().items() if matter != _EATEN and form.search(said)}
    if not found and _limits()[_EATEN].search(said):
        found = {_FOOD}
    return frozenset(found)


@once
def matters_of(message: str) -> frozenset[str]:
    """The matters a message is about in which a limit may count."""
    read = parsed(message[:_LONGEST]).gloss
    said = set(_WORD.findall(read.casefold()))
    found = {matter for matter, words in _about().items() if not words.isdisjoint(said)}
    return frozenset(found | {matter for matter, way in _ways().items() if way.search(read)})
