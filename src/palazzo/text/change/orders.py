"""Whether a newer standing instruction takes the place of an older one: only where both are about the same matter.

An instruction is read as what it is about and what it asks for there. What it asks for is a value on a scale (a
language, long or short, formal or not, a unit), what follows "with" or "as", or whether something is wanted at all; the
rest of its words say what it is about. Owns that reading; the words are data for several languages at once. Knows
nothing of memories. Invariant: two instructions about different matters ("work answers short", "cooking answers
detailed") both stand, whatever words they share.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from palazzo.text.meaning.message import says_who
from palazzo.text.words.language import function_words, guess_language
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page
from palazzo.text.words.parsed import once
from palazzo.text.words.tokens import STOP_WORDS, fold, terms

_PAGE: Final = page("message", EVERY_LANGUAGE)
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_QUOTED: Final = re.compile(r"[\"“„«]([^\"“”„«»]{1,80})[\"”“»]|(?<!\w)['‘]([^'’]{1,80})['’](?!\w)")
_LONGEST: Final = 400


class Order(NamedTuple):
    """What an instruction is about, and what it asks for there: values by their scale, other words, yes or no."""

    about: frozenset[str]
    scales: frozenset[str]
    values: frozenset[str]
    negated: bool
    names: bool


@cache
def _words(entry: str) -> frozenset[str]:
    return frozenset(word for listing in _PAGE.listings(entry).values() for word in fold(listing).split())


@cache
def _scales() -> dict[str, str]:
    found = {fold(word): label for label, listing in _PAGE.listings("scales").items() for word in listing.split()}
    return found | dict.fromkeys(_words("tongues"), "language")


@cache
def _pattern(entry: str) -> re.Pattern[str]:
    listed = "|".join(_PAGE.pattern("orders_read", f"{entry}_{language}") for language in ("en", "de", "fr", "es"))
    return re.compile(listed, re.IGNORECASE)


@once
def order_of(instruction: str) -> Order:
    """Reads an instruction."""
    text = _pattern("reason").split(instruction[:_LONGEST].replace("’", "'"), maxsplit=1)[0]
    values: set[str] = set()
    for quoted in _QUOTED.finditer(text):
        values.update(terms(quoted[1] or quoted[2] or ""))
    plain = _QUOTED.sub(" ", text)
    given = _pattern("given").search(plain)
    idle = _words("idle_in_orders") | function_words(guess_language(plain))
    scales: set[str] = set()
    about: set[str] = set()
    unnamed = _pattern("unlisted_language").search(plain)
    tongue = fold(unnamed["tongue"]) if unnamed is not None else ""
    for word in _WORD.finditer(plain):
        said = fold(word.group())
        if said == tongue or said in _scales():
            scales.add("language" if said == tongue else _scales()[said])
            values.add(said)
        elif given is not None and word.start() >= given.end():
            values.update(terms(said))
        elif said not in idle:
            about.update(term for term in terms(said) if term not in STOP_WORDS)
    negated = _pattern("negated").search(plain) is not None
    return Order(frozenset(about), frozenset(scales), frozenset(values), negated, says_who(instruction))


def takes_place_of(newer: str, older: str) -> bool:
    """Whether the newer of two instructions leaves the older one nothing to hold for."""
    new, old = order_of(newer), order_of(older)
    if new.names and old.names:
        return new != old
    if new.about != old.about:
        return False
    other = new.values != old.values or new.negated != old.negated
    if new.scales or old.scales:
        return new.scales == old.scales and other
    if not new.about:
        return False
    return new.negated != old.negated or (bool(new.values and old.values) and other)
