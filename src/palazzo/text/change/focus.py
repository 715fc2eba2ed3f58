"""Where in a sentence a thing stands that a correction names without saying what it takes the place of.

Owns the choice of the words that give way: those before a noun for "the green one", the words behind one that both
sentences have for "pier G", what something is said to be for "it's almond", else the thing that the sentence ends in.
Knows nothing of how a correction is worded. Invariant: nothing is chosen where the sentence has no such place, so that
the verb and whom it is about always stay.
"""

from __future__ import annotations

from datetime import UTC, datetime
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from palazzo.text.dates.find import find_dates
from palazzo.text.words import grammar
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed

LONGEST: Final = 5
"""Words of what gives way."""
ALIKE: Final = 0.6
"""How alike two spellings of one name are."""
_BREAK: Final = grammar.PREP | grammar.COORD | grammar.SUBORD | grammar.PUNCT | grammar.WH
_LEADING: Final = grammar.DET | grammar.POSS
_NO_THING: Final = grammar.SUBJ | grammar.PRON | grammar.ADV | grammar.NEG
_ANY_DAY: Final = datetime(2024, 5, 15, 12, tzinfo=UTC)
Place = tuple[int, int, str]
"""From where to where words give way, and to which."""


class _Words(NamedTuple):
    """The words of a sentence without its signs at the end: where each stands, what it is, in small letters."""

    text: str
    spans: list[tuple[int, int]]
    bits: list[int]
    lower: list[str]

    def place(self, first: int, after: int, new: str) -> Place:
        return self.spans[first][0], self.spans[after - 1][1], new


def _words(text: str) -> _Words:
    reading = parsed(text)
    spans = list(zip(reading.tokens.starts, reading.tokens.ends, strict=True))
    bits = list(reading.said.bits)
    return _Words(text, spans, bits, list(reading.tokens.lower))


def focus(sentence: str, new: str, *, told_what: bool, unsure: bool = False) -> Place | None:
    """The words of a sentence that give way to `new`; `told_what` says that `new` is what something is ("it's ...").

    Where it is `unsure` that anything was put right, both must have a word in common, or a thing led by the same word.
    """
    old, value = _words(sentence), _words(new)
    if len(old.spans) != len(old.bits) or not value.spans:
        return None
    if value.lower[-1] in page("corrections").words("ones"):
        return _modifier(old, value)
    shared = _behind_shared(old, value) or _before_shared(old, value)
    if shared is not None or unsure:
        return shared or _led_alike(old, value)
    said_to_be = _said_to_be(old, new) if told_what else None
    return said_to_be or _led_alike(old, value) or _last_thing(old, value)


def near_spelling(sentence: str, name: str) -> tuple[int, int] | None:
    """Where a word stands that is the same name spelled in another way."""
    old = _words(sentence)
    scored = [
        (SequenceMatcher(None, word, name.lower()).ratio(), span)
        for word, span, bit in zip(old.lower, old.spans, old.bits, strict=False)
        if word != name.lower() and not bit & (grammar.PUNCT | grammar.PREP | _LEADING)
    ]
    best = max(scored, default=(0.0, (0, 0)))
    return best[1] if best[0] >= ALIKE else None


def _modifier(old: _Words, value: _Words) -> Place | None:
    """The words before a noun: "the early ferry" for "the late one"."""
    words = [at for at in range(len(value.spans) - 1) if not value.bits[at] & _LEADING]
    if not words or any(value.bits[at] & (_BREAK | grammar.FINITE) for at in words):
        return None
    if any(value.lower[at] in page("corrections").words("vague") for at in words):
        return None
    new = value.text[value.spans[words[0]][0] : value.spans[words[-1]][1]]
    things = [
        (at, end) for at in range(len(old.bits)) if old.bits[at] & _LEADING and (end := _end(old, at + 1)) > at + 1
    ]
    described = [(at, end) for at, end in things if end - at > 2]
    if described:
        plain = [(at, end) for at, end in described if old.bits[at + 1] & grammar.ADJ]
        at, end = (plain or described)[0]
        return old.place(at + 1, end - 1, new)
    for at, end in reversed(things):
        if at:  # the subject is seldom what was told wrong
            start = old.spans[end - 1][0]
            return start, start, f"{new} "
    return None


def _end(old: _Words, at: int) -> int:
    """Where the thing that begins here ends."""
    while at < len(old.bits) and not old.bits[at] & (_BREAK | grammar.AUX | grammar.SUBJ | _LEADING):
        at += 1
    return at


def _behind_shared(old: _Words, value: _Words) -> Place | None:
    """What stands behind a word that both have: "pier C" for "pier G"."""
    if len(value.spans) < 2:
        return None
    first = 1 if value.bits[0] & _LEADING and len(value.spans) > 2 else 0
    word, left = value.lower[first], len(value.spans) - first
    if value.bits[first] & (_BREAK | _LEADING | grammar.AUX):
        return None
    for at in range(len(old.spans) - 1, -1, -1):
        if old.lower[at] == word and at + left <= len(old.spans):
            if any(old.bits[one] & _BREAK for one in range(at + 1, at + left)):
                continue
            return old.place(at, at + left, value.text[value.spans[first][0] : value.spans[-1][1]])
    return None


def _before_shared(old: _Words, value: _Words) -> Place | None:
    """What stands before a noun that both have: "second floor" for "third floor"."""
    size = len(value.spans)
    if size < 2 or value.bits[-1] & (_BREAK | grammar.AUX):
        return None
    for at in range(len(old.spans) - 1, size - 2, -1):
        inner = old.bits[at - size + 1 : at]
        if old.lower[at] == value.lower[-1] and not any(bit & (_BREAK | grammar.AUX | grammar.SUBJ) for bit in inner):
            return old.place(at - size + 1, at + 1, value.text)
    return None


def _led_alike(old: _Words, value: _Words) -> Place | None:
    """The last thing behind a verb that is led by the same word: "plays the cello" for "the viola"; the last word where
    both are bare and of one number: "walnuts" for "hazelnuts"."""
    if len(value.spans) == 1 and not value.bits[0] & (grammar.VERB | grammar.ADV | grammar.ADJ):
        place = _last_thing(old, value)
        bare = old.text[place[0] : place[1]] if place is not None else " "
        many = [word.lower().endswith("s") for word in (bare, value.text)]
        return place if " " not in bare and many == [True, True] else None
    if not value.bits[0] & _LEADING or len(value.spans) < 2:
        return None
    for at in range(len(old.bits) - 1, 0, -1):
        end = _end(old, at + 1)
        led = {old.lower[at], value.lower[0]}
        if (len(led) == 1 or led == {"a", "an"}) and 1 < end - at <= LONGEST:
            return old.place(at, end, value.text)
    return None


def _said_to_be(old: _Words, new: str) -> Place | None:
    """What somebody or something is said to be: the words behind the last "is", where no verb follows."""
    for at in range(len(old.bits) - 2, 0, -1):
        if not old.bits[at] & grammar.BE:
            continue
        end = _end(old, at + 2 if old.bits[at + 1] & _LEADING else at + 1)
        if end <= at + 1 or end - at - 1 > LONGEST or old.bits[at + 1] & (grammar.GERUND | grammar.NEG):
            return None
        return old.place(at + 1, end, new)
    return None


def _last_thing(old: _Words, value: _Words) -> Place | None:
    """The thing a sentence ends in, but for its time, behind a verb or a word such as "at"."""
    times = [(span.start, span.end) for span in find_dates(old.text, _ANY_DAY)]
    end = len(old.bits)
    while end and (old.bits[end - 1] & grammar.PUNCT or _within(old.spans[end - 1], times)):
        end -= 1
        while end and old.bits[end - 1] & grammar.PREP and _within_next(old, end - 1, times):
            end -= 1
    at = end
    while at and not old.bits[at - 1] & (_BREAK | grammar.AUX | grammar.VERB):
        at -= 1
    led = bool(at) and old.bits[at - 1] & (grammar.PREP | grammar.VERB | grammar.BE)
    if not led or not 0 < end - at <= LONGEST or any(old.bits[one] & _NO_THING for one in range(at, end)):
        return None
    if value.bits[0] & grammar.PREP:
        return old.place(at - 1 if old.bits[at - 1] & grammar.PREP else at, end, value.text)
    if old.bits[at] & _LEADING and not value.bits[0] & (_LEADING | grammar.NAME | grammar.NUM) and end - at > 1:
        at += 1
    return old.place(at, end, value.text)


def _within(span: tuple[int, int], times: list[tuple[int, int]]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in times)


def _within_next(old: _Words, at: int, times: list[tuple[int, int]]) -> bool:
    """Whether a word such as "on" leads to the time that was left out."""
    return at + 1 < len(old.spans) and _within(old.spans[at + 1], times)
