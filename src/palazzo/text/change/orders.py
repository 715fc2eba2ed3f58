"""Whether a newer standing instruction takes the place of an older one: only where both are about the same matter.

An instruction is read as what it is about and what it asks for there. What it asks for is a value on a scale (a
language, long or short, formal or not, a unit, a number), what follows "with" or "as", what is to be used, or whether
something is wanted at all; the rest of its words say what it is about. Owns that reading; the words are data for
several languages at once. Knows nothing of memories. Invariant: two instructions about different matters ("work answers
short", "cooking answers detailed") both stand, whatever words they share.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from palazzo.text.meaning.message import says_who
from palazzo.text.reader import judgements
from palazzo.text.words.grammar import NUM
from palazzo.text.words.language import function_words, guess_language
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.tokens import STOP_WORDS, fold, terms

_PAGE: Final = page("message", EVERY_LANGUAGE)
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_QUOTED: Final = re.compile(r"[\"“„«]([^\"“”„«»]{1,80})[\"”“»]|(?<!\w)['‘]([^'’]{1,80})['’](?!\w)")
_LONGEST: Final = 400
_LANGUAGE: Final = frozenset({"language"})
_NUMBER: Final = frozenset({"number"})
_LENGTH: Final = frozenset({"length"})


class Order(NamedTuple):
    """What an instruction is about, and what it asks for there: values by their scale, other words, yes or no."""

    about: frozenset[str]
    scales: frozenset[frozenset[str]]
    """Of each value the scales it may be on: pounds are weights and money."""
    values: frozenset[str]
    negated: bool
    names: bool
    chosen: tuple[str, ...]
    """What is to be used, as it is written: one of several that would do."""
    back: bool
    """It stands in for something said before: "use pounds instead"."""


@cache
def _words(entry: str) -> frozenset[str]:
    return frozenset(word for listing in _PAGE.listings(entry).values() for word in fold(listing).split())


@cache
def _scales() -> dict[str, frozenset[str]]:
    found = dict.fromkeys(_words("tongues"), _LANGUAGE)
    for label, listing in _PAGE.listings("scales").items():
        for word in fold(listing).split():
            found[word] = found.get(word, frozenset()) | {label}
    return found


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
    first, last = _picked(plain)
    idle = _words("idle_in_orders") | function_words(guess_language(plain))
    numbers = _numbers(plain)
    scales: set[frozenset[str]] = set()
    about: set[str] = set()
    chosen: list[str] = []
    unnamed = _pattern("unlisted_language").search(plain)
    tongue = fold(unnamed["tongue"]) if unnamed is not None else ""
    for word in _WORD.finditer(plain):
        said = fold(word.group())
        if said == tongue or said in _scales() or said in numbers:
            scales.add(_LANGUAGE if said == tongue else _scales().get(said) or _counted(word, plain))
            values.add(said)
        elif said in _words("lengths"):
            continue  # so many sentences are a length
        elif given is not None and word.start() >= given.end():
            values.update(terms(said))
        elif said in idle:
            continue
        elif _qualifies(word, plain):
            values.update(terms(said))
        elif first <= word.start() < last:
            chosen.append(word.group())
        else:
            about.update(term for term in terms(said) if term not in STOP_WORDS)
    if scales or not (about or len(chosen) > 1):  # nothing to choose it for: it is what the instruction is about
        about.update(term for word in chosen for term in terms(word))
        chosen = []
    elif len(chosen) > 1:  # "Oxford spelling" is about spelling
        about.update(terms(chosen.pop()))
    values.update(term for word in chosen for term in terms(word))
    negated = _pattern("negated").search(plain) is not None
    return Order(
        frozenset(about), frozenset(scales), frozenset(values), negated, says_who(instruction), tuple(chosen),
        _pattern("back").search(plain) is not None,
    )  # fmt: skip


def _counted(word: re.Match[str], text: str) -> frozenset[str]:
    """The scale of a number: of sentences, lines or words it says how long."""
    following = _WORD.match(text, word.end() + 1)
    return _LENGTH if following is not None and fold(following.group()) in _words("lengths") else _NUMBER


def _qualifies(word: re.Match[str], text: str) -> bool:
    """Whether a name stands before a value and says which: Swiss francs, British English."""
    following = _WORD.match(text, word.end() + 1)
    return word.group()[0].isupper() and following is not None and fold(following.group()) in _scales()


def _picked(text: str) -> tuple[int, int]:
    """Where it says what is to be used; nowhere if it does not."""
    found = _pattern("picked").search(text)
    if found is None:
        return len(text), len(text)
    end = _pattern("until").search(text, found.end())
    return found.end(), end.start() if end is not None else len(text)


def _numbers(text: str) -> frozenset[str]:
    tokens = parsed(text).said
    return frozenset(fold(word) for word, bit in zip(tokens.lower, tokens.bits, strict=True) if bit & NUM)


@cache
def _asked_scales() -> dict[str, frozenset[str]]:
    """Words of a question for how something is to be done, and the scales its answer is on."""
    found: dict[str, frozenset[str]] = {}
    for label, listing in _PAGE.listings("scales_asked").items():
        for word in fold(listing).split():
            found[word] = found.get(word, frozenset()) | {label}
    return found


def settles(instruction: str, question: str) -> bool:
    """Whether an instruction gives a value on the scale that a question asks for: "how long should answers be?"."""
    asked = {scale for word in _WORD.findall(fold(question)) for scale in _asked_scales().get(word, ())}
    return any(asked & scale for scale in order_of(instruction).scales)


def takes_place_of(newer: str, older: str) -> bool:
    """Whether the newer of two instructions leaves the older one nothing to hold for."""
    new, old = order_of(newer), order_of(older)
    if new.names and old.names:
        return new != old
    other = new.values != old.values or new.negated != old.negated
    if new.back and not new.about and new.scales:
        return _same_scales(new, old) and other
    if new.about != old.about:
        return False
    if new.scales or old.scales:
        return _same_scales(new, old) and other
    if not new.about:
        return False
    if new.negated == old.negated and new.chosen and old.chosen and other:
        return _one_of_a_kind(new.chosen, old.chosen) or _read_as_change(newer, older)
    return new.negated != old.negated or (bool(new.values and old.values) and other)


def _same_scales(new: Order, old: Order) -> bool:
    return all(
        any(scale & other for other in there)
        for here, there in ((new.scales, old.scales), (old.scales, new.scales))
        for scale in here
    )


def _one_of_a_kind(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether both name something: of two named things to use for one matter the later one is meant."""
    return all(word[0].isupper() or any(map(str.isdigit, word)) for word in (*one, *other))


def _read_as_change(newer: str, older: str) -> bool:
    told = judgements.change([(older, newer)])
    return told is not None and told[0].replaces >= judgements.figure("replaced_at", 1.0)
