"""What a message to a model is: small talk, or something that facts and standing instructions bear on.

Owns four readings of words, in the languages whose words are listed: whether a message only passes the time, whether a
statement says how somebody is to be called or how answers are to be, what a standing instruction is conditional on, and
whether a message leans on what was said before it, with the words that say what that was. Knows nothing of memories.
`passes_time` is the one place where a learned judgement of a message's kind can join in. Invariants: a message with one
word that carries meaning is no small talk; an instruction without a condition has an empty one; any string is safe, and
reading stops after a fixed length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from palazzo.text.meaning.topics import keywords
from palazzo.text.words.language import guess_language
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.tokens import STOP_WORDS, UNSPACED, fold, terms

_PAGE: Final = page("message", EVERY_LANGUAGE)
_MAX_TALK: Final = 160
"""Characters: whoever writes more says something."""
_MAX_READ: Final = 2_000
_OWN_WITH_POINTING: Final = 3
"""Words of its own that a message may have beside one that points back."""
_OWN_GOING_ON: Final = 2
_SMALL: Final = 4
"""Letters of the words between an order to answer and its language: "to the user only in"."""
_SPOKEN_WORDS: Final = 4
"""Words of what was just spoken of that a message is read with: more would outweigh its own."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_DRAWN_OUT = re.compile(r"(.)\1{2,}")
_TYPO_LENGTH: Final = 4
"""Shorter words have too many neighbours for a letter more or less to be a slip."""


@cache
def _words(entry: str) -> frozenset[str]:
    return frozenset(word for listing in _PAGE.listings(entry).values() for word in fold(listing).split())


@cache
def _courtesies() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Courtesies as their words, by the first of them."""
    listed = (phrase for listing in _PAGE.listings("courtesies").values() for phrase in listing.split(","))
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for words in (tuple(_WORD.findall(fold(phrase))) for phrase in listed):
        if words:
            found[words[0]] = (*found.get(words[0], ()), words)
    return found


@cache
def _misspellings() -> frozenset[str]:
    """Words of small talk with one letter left out, or two that stand beside each other exchanged."""
    found: set[str] = set()
    for word in _words("small_talk"):
        if len(word) < _TYPO_LENGTH or not word.isalpha():
            continue
        for at in range(1, len(word)):
            found.add(word[:at] + word[at + 1 :])
            found.add(word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :])
    return frozenset(word for word in found if len(word) >= _TYPO_LENGTH - 1) - STOP_WORDS


def _is_small(word: str) -> bool:
    """Whether a word is small talk, as it is written, drawn out ("heyyy"), or with a slip in it."""
    small = _words("small_talk")
    if word in small:
        return True
    short, double = _DRAWN_OUT.sub(r"\1", word), _DRAWN_OUT.sub(r"\1\1", word)
    if short in small or double in small:
        return True
    if len(word) < _TYPO_LENGTH:
        return False
    if word in _misspellings():
        return True
    # One letter too many or a wrong one: without it what is left is a word, or a word without one of its own.
    shorter = {word[:at] + word[at + 1 :] for at in range(1, len(word)) if len(word) > _TYPO_LENGTH}
    return not shorter.isdisjoint(small) or not shorter.isdisjoint(_misspellings())


@once
def passes_time(text: str) -> bool:
    """Whether a message only greets, thanks, agrees or passes the time, so that nothing known could bear on it."""
    if len(text) > _MAX_TALK or not text.strip():
        return False
    words = [part for word in _WORD.findall(fold(text)) for part in _unjoined(word)]
    if not words:
        return not any(sign.isalnum() for sign in text)
    small = [_is_small(word) for word in words]
    polite = _polite(words)
    if not any(small) and not polite:
        return False
    around = _words("around")
    left = [at for at, word in enumerate(words) if not small[at] and at not in polite and word not in around]
    # "Hello Marta": whoever is greeted by name.
    return not left or (left == [1] and len(words) == 2 and words[1].isalpha() and words[0] in _words("greeting"))


@cache
def _broad() -> tuple[str, ...]:
    listed = (phrase for listing in _PAGE.listings("broad").values() for phrase in listing.split(","))
    return tuple(f" {' '.join(_WORD.findall(fold(phrase)))} " for phrase in listed if phrase.strip())


@once
def asks_broadly(text: str) -> bool:
    """Whether a message asks for all that is going on, and not for one thing."""
    said = f" {' '.join(_WORD.findall(fold(text[:_MAX_READ])))} "
    return any(phrase in said for phrase in _broad())


@cache
def _runs() -> re.Pattern[str]:
    """Words of small talk in scripts that write no spaces, and those that stand around them."""
    listed = _words("small_talk") | _words("around")
    runs = sorted((word for word in listed if re.fullmatch(f"[{UNSPACED}]+", word)), key=len, reverse=True)
    return re.compile("|".join(runs))


def _unjoined(word: str) -> list[str]:
    """A run of signs as the words it is made of, where all of them are known; any other word as it is."""
    if word.isascii() or not re.fullmatch(f"[{UNSPACED}]+", word):
        return [word]
    found = _runs().findall(word)
    return found if "".join(found) == word else [word]


def _polite(words: list[str]) -> set[int]:
    """The places of words that make up a courtesy."""
    listed = _courtesies()
    return {
        place
        for at, first in enumerate(words)
        for phrase in listed.get(first, ())
        if tuple(words[at : at + len(phrase)]) == phrase
        for place in range(at, at + len(phrase))
    }


@cache
def _naming() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Listed forms at the beginning of a text, at that of a word, and in scripts without spaces.

    Behind one beginning, which is tried once at each letter, a search takes an eighth of the time.
    """
    lines = [line for listing in _PAGE.listings("naming").values() for line in listing.strip("\n").split("\n")]
    first, inside = ([line.removeprefix(mark) for line in lines if line.startswith(mark)] for mark in ("^", r"\b"))
    rest = [line for line in lines if not line.startswith(("^", r"\b"))]
    return re.compile("|".join(first)), re.compile(rf"\b(?:{'|'.join(inside)})"), re.compile("|".join(rest))


@once
def says_who(text: str) -> bool:
    """Whether a statement says how its speaker is called or wants to be spoken to."""
    read = text[:_MAX_READ].replace("’", "'").strip()
    # The first letter alone is made small: names after "I'm" are told by theirs. A name may also come first.
    small = read[:1].lower() + read[1:]
    first, inside, unspaced = _naming()
    if first.match(small) or inside.search(small) or (small != read and (first.match(read) or inside.match(read))):
        return True
    return not read.isascii() and unspaced.search(small) is not None


@cache
def _ordering() -> re.Pattern[str]:
    return re.compile("|".join(_PAGE.pattern("orders_asked", language) for language in _PAGE.listings("orders_asked")))


@once
def asks_for_orders(text: str) -> bool:
    """Whether a question asks how its speaker wants something done: what they told an assistant to do."""
    return _ordering().search(fold(text[:_MAX_TALK]).replace("’", "'")) is not None


@once
def says_manner(text: str) -> bool:
    """Whether an instruction says how answers are to be, whatever they are about."""
    return not _words("manner").isdisjoint(_WORD.findall(fold(text[:_MAX_READ]).replace("-", " ")))


@once
def sets_language(text: str) -> bool:
    """Whether a text says in which language to answer its speaker, whatever is asked."""
    words = _WORD.findall(fold(text[:_MAX_READ]).replace("-", " "))
    spoken, to_speaker = _words("tongues"), _words("asking")
    for at, word in enumerate(words):
        told = words[at - 1] if at else ""
        if word in _words("answering") and told not in _words("narrators") and not condition_of(text):
            after = words[at + 1 : at + 8]
            named = next((place for place, one in enumerate(after) if one in spoken), None)
            if named is not None:
                between = [one for one in after[:named] if one not in to_speaker and one not in _words("before_orders")]
                return all(len(one) <= _SMALL for one in between)
    return False


@cache
def _condition_patterns() -> tuple[re.Pattern[str], ...]:
    leading = "|".join(_PAGE.pattern("conditions", language) for language in _PAGE.listings("conditions"))
    trailing = "|".join(_PAGE.pattern("behind", language) for language in _PAGE.listings("behind"))
    return (
        re.compile(
            rf"^\W*(?:[^\W\d_]+\W+){{0,3}}?(?P<when>{leading})\W*\b(?P<holds>[^,:;.]{{2,200}})[,:;]", re.IGNORECASE
        ),
        re.compile(rf"\W(?P<when>{trailing})\W*\b(?P<holds>[^,;.]{{2,200}})[.!]?\s*$", re.IGNORECASE),
    )


@cache
def _for_good() -> re.Pattern[str]:
    ways = "|".join(_PAGE.pattern("for_good", language) for language in _PAGE.listings("for_good"))
    return re.compile(rf"\b(?:{ways})\b", re.IGNORECASE)


@once
def condition_of(instruction: str) -> str:
    """What a standing instruction is conditional on, in its own words; empty where it always holds.

    "When you answer me" is no condition: every answer is one; nor is "from now on".
    """
    read = instruction[:_MAX_READ]
    found = _condition(read)
    return _condition(_for_good().sub("", read)) if found else ""


def _condition(read: str) -> str:
    for leads, pattern in zip((True, False), _condition_patterns(), strict=True):
        found = pattern.search(read)
        before = _WORD.findall(fold(read[: found.start("when")])) if found is not None else []
        if leads and not _words("orders").isdisjoint(before):  # "answer in verse, ..." says how, and no occasion
            continue
        if found is not None and telling(found["holds"]) and _words("concessions").isdisjoint(before[-1:]):
            return found["holds"].strip()
    return ""


@cache
def _small_words(language: str) -> frozenset[str]:
    """The function words of a language."""
    return frozenset(fold(page("languages", EVERY_LANGUAGE).listings("function_words").get(language, "")).split())


@once
def orders(text: str) -> bool:
    """Whether a text tells a model how to answer, or what to do whenever something is the case.

    What it is to do once, now, is work and no standing order.
    """
    read = text[:_MAX_READ]
    condition = condition_of(read)
    if not condition and not says_manner(read):
        return False
    opening = _condition_patterns()[0].match(read) if condition else None
    words = _WORD.findall(fold(read[opening.end() if opening else 0 :])[:80])
    before = _words("before_orders")
    first = next((word for word in words if word not in before), "")
    return first in _words("orders") or first.partition("-")[0] in _words("orders")


def telling(text: str) -> tuple[str, ...]:
    """The words of a condition or a message that say what it is about."""
    idle = _words("asking") | _small_words(guess_language(text))
    read = parsed(text[:_MAX_READ])
    if read.glossed:
        said = zip(read.said.words, read.said.lower, strict=True)
        idle |= {fold(word) for word, low in said if low != word.lower() and STOP_WORDS.issuperset(terms(low))}
    found = _WORD.findall(fold(text[:_MAX_READ]))
    return tuple(dict.fromkeys(word for word in found if word not in idle and not STOP_WORDS.issuperset(terms(word))))


def shares_a_word(words: Iterable[str], message: str) -> bool:
    """Whether a message has one of these words, in whatever form."""
    said = set(terms(message[:_MAX_READ]))
    return any(not said.isdisjoint(set(terms(word)) - STOP_WORDS) for word in words)


@cache
def _openings() -> tuple[tuple[str, ...], ...]:
    listed = (phrase for listing in _PAGE.listings("going_on").values() for phrase in listing.split(","))
    return tuple(tuple(fold(phrase).split()) for phrase in listed)


@once
def leans_back(text: str) -> bool:
    """Whether a message can only be understood from what was said before it: "deploy it", "and the price?"."""
    words = _WORD.findall(fold(text[:_MAX_READ]))
    own = len([word for word in telling(text) if word not in _words("pointing")])
    if not words or own > _OWN_WITH_POINTING:
        return False
    if own == 0 or not _words("pointing").isdisjoint(words):
        return True
    return own <= _OWN_GOING_ON and any(tuple(words[: len(opening)]) == opening for opening in _openings())


def spoken_of(turns: Sequence[str]) -> str:
    """The words that say what the newest of these turns, which come last, were about."""
    found: list[str] = []
    for turn in reversed(turns):
        if passes_time(turn):
            continue
        found += [word for word in keywords(turn[:_MAX_READ], _SPOKEN_WORDS) if word not in found]
        if len(found) >= _SPOKEN_WORDS:
            break
    return " ".join(found[:_SPOKEN_WORDS])
