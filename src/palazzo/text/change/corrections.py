"""Corrections of what was just said: "no, sorry, I meant 8 pm", "14, not 40", "wrong room: Vega".

Owns the reading of a sentence as a correction, and the making of the corrected sentence out of the one it corrects: the
value that was wrong gives way to the new one, every other word stays. The ways of saying it are data, language by
language. Knows nothing of what is kept. Invariant: a corrected sentence is made only where the old value is named, or
where exactly one value of the new one's sort stands in the old sentence; else there is none.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache
from typing import Final, NamedTuple

from palazzo.text.dates.find import find_dates
from palazzo.text.words import grammar
from palazzo.text.words.language import guess_language
from palazzo.text.words.lexicon import ENGLISH, Page, page
from palazzo.text.words.parsed import parsed

LANGUAGES: Final = ("en", "de", "fr", "es")
_EDGES: Final = " .,;:!?…\"'“”«»()–—-"
_MOST_WORDS: Final = 7
"""A value has no more words than this."""
_FEW_WORDS: Final = 4
_LEADING: Final = 2
"""How many words may lead to a time: "born in 1978", "am Dienstag"."""
_TIMES: Final = frozenset({"time", "date", "datetime", "period"})
_SIGNS: Final = ",.!:;…–—-"
_SIGN: Final = r"(?:\s*[,.!:;…–—-]+\s*|\s+)"
_ANY_DAY: Final = datetime(2024, 5, 15, 12, tzinfo=UTC)
_FIGURES: Final = "|".join(
    sorted({word for code in LANGUAGES for word in page("corrections", code).words("figures")}, key=len, reverse=True)
)
_NUMBER: Final = re.compile(rf"\d+(?:[.,:]\d+)*|(?<![\w'-])(?:{_FIGURES})(?![\w'])", re.IGNORECASE)
"""A figure, or one in words."""
_NAME: Final = re.compile(r"(?<![\w'’])[A-ZÄÖÜÉÈÀÑÁÍÓÚ][\w'’-]+(?: [A-ZÄÖÜÉÈÀÑÁÍÓÚ][\w'’-]+)*")
_DAY_OR_CLOCK: Final = re.compile(r"(?<!\d )\b(?:on|at|in|am|um|im|le|à|el|a las|a la|by|from|until)\s+", re.IGNORECASE)


class Correction(NamedTuple):
    """What a sentence puts right: a value (`new`, for `old` or for what `head` names), or all of a statement again.

    `body` is where its own words begin; `told` whether it says that something was wrong.
    """

    body: int
    new: str = ""
    old: str = ""
    head: str = ""
    told: bool = False


class _Reader(NamedTuple):
    language: str
    sound: re.Pattern[str]
    opening: re.Pattern[str]
    telling: re.Pattern[str]
    copula: re.Pattern[str]
    instead: re.Pattern[str]


def _compiled(listed: Page, entry: str, form: str) -> re.Pattern[str]:
    return re.compile(form.replace("{}", listed.listing(entry)), re.IGNORECASE)


@cache
def _readers() -> tuple[_Reader, ...]:
    pages = [page("corrections", language) for language in LANGUAGES]
    return tuple(
        _Reader(
            one.language, _compiled(one, "sound", rf"(?:{{}}){_SIGN}"),
            _compiled(one, "opening", r"(?:{})(?:\s*[,.!:;…–—-]+\s*|\s+(?=\S))"),
            _compiled(one, "telling", r"(?:{})(?:\s*[,.!:;…–—-]+\s*|\s+|$)"),
            _compiled(one, "copula", r"(?:{})"), _compiled(one, "instead", "{}"),
        )
        for one in pages
    )  # fmt: skip


def find_correction(sentence: str, *, among_people: bool = False) -> Correction | None:
    """The correction that a sentence is; none where it is none.

    Among people, who call each other by name and talk about all sorts of things, only one that says so counts, or one
    that names both values.
    """
    plain = sentence.replace("’", "'")
    language = guess_language(plain) if len(plain.split()) > _FEW_WORDS else ""
    found = [
        one for reader in _readers() if (one := _read(plain, reader)) is not None
        and (one.told or language == reader.language or language not in LANGUAGES)
        and (one.told or one.old or not among_people)
    ]  # fmt: skip
    return max(found, key=lambda one: (one.told, one.body), default=None)


def _read(sentence: str, reader: _Reader) -> Correction | None:
    at, opened, told, head = 0, False, False, ""
    while True:
        if (match := reader.telling.match(sentence, at)) is not None and match.end() > at:
            told = True
            head = next((found for found in match.groupdict().values() if found), head)
        elif (match := reader.opening.match(sentence, at)) is not None:
            signed = match.group().rstrip()[-1:] in _SIGNS
            if not signed and not _follows(sentence, match.end(), reader):
                break
            opened = True
        elif (match := reader.sound.match(sentence, at)) is None:
            break
        at = match.end()
    body = sentence[at:].strip(_EDGES)
    if not body:
        return None
    copula = reader.copula.match(body)
    value = body[copula.end() :] if copula else body
    pair = reader.instead.match(value)
    if pair is not None:
        new, old = (
            next(found for key, found in pair.groupdict().items() if key.startswith(name) and found).strip(_EDGES)
            for name in ("new", "old")
        )
        if _is_value(new) and _sort(new) == _sort(old) and (opened or told or _sort(new) != "other"):
            return Correction(at, new, old, head, told)
    if not (opened or told):
        return None
    if _is_value(value) and (_sort(value) != "other" or head):
        return Correction(at, value.strip(_EDGES), "", head, told)
    if not _is_statement(body, reader):
        return None
    return Correction(at, old=old if pair is not None else "", head=head, told=told)


def _follows(sentence: str, at: int, reader: _Reader) -> bool:
    """Whether what follows an opening word that no sign closes leads on to a correction."""
    led = any(one.match(sentence, at) for one in (reader.telling, reader.opening, reader.copula))
    return led or _NUMBER.match(sentence, at) is not None


def _is_value(text: str) -> bool:
    """Whether words are a time, a figure with what it counts, or a name, and nothing else."""
    words = text.strip(_EDGES).split()
    if not words or len(words) > _MOST_WORDS:
        return False
    sort = _sort(text)
    if sort in _TIMES:
        left = len(words) - sum(len(span.text.split()) for span in find_dates(text, _ANY_DAY))
        return left <= _LEADING
    if sort == "number":
        return len(words) <= _FEW_WORDS
    if sort == "name":
        return len(words) - sum(len(m.group().split()) for m in _NAME.finditer(text)) <= 1
    return len(words) <= 2


def _is_statement(text: str, reader: _Reader) -> bool:
    if len(text.split()) < _FEW_WORDS or text.endswith("?"):
        return False
    return reader.language != ENGLISH or any(bit & (grammar.AUX | grammar.VERB) for bit in parsed(text).tokens.bits)


def _sort(value: str) -> str:
    spans = find_dates(value, _ANY_DAY)
    if spans and spans[0].kind in _TIMES:
        return spans[0].kind
    if _NUMBER.search(value):
        return "number"
    return "name" if _NAME.search(value) else "other"


def corrected(old: str, correction: Correction) -> str | None:
    """The sentence with the new value in place of the one that was wrong; none where that cannot be told."""
    new = correction.new
    if not new:
        return None
    found = _named(old, correction.old) if correction.old else _only(old, new, correction.head)
    if found is None:
        return None
    start, end = found
    if _NUMBER.fullmatch(old[start:end]) and (figure := _NUMBER.search(new)) is not None and correction.old:
        rest = old[end:].lstrip().partition(" ")[0].strip(_EDGES).lower()
        if rest and rest in new.lower().split():  # "29 July" for the 19 of "19 July"
            new = figure.group()
    return old[:start] + _continued(old[:start], new) + old[end:]


def _continued(before: str, new: str) -> str:
    """The new value without the words that stand before it already: "born in 1978" after "I was born in"."""
    words = new.split()
    for size in range(len(words) - 1, 0, -1):
        if before.lower().rstrip().endswith(" ".join(words[:size]).lower()):
            return " ".join(words[size:])
    return new


def _named(sentence: str, value: str) -> tuple[int, int] | None:
    """Where the value that was wrong stands, in its words or by its figure."""
    match = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sentence, re.IGNORECASE)
    if match is not None:
        return match.span()
    figures = _NUMBER.findall(value)
    spans = [m.span() for m in _NUMBER.finditer(sentence) if m.group() in figures]
    return spans[0] if len(figures) == 1 and len(spans) == 1 else None


def _only(sentence: str, new: str, head: str) -> tuple[int, int] | None:
    """Where the one value of the same sort stands; beside what `head` names, where that is told."""
    sort = _sort(new)
    if head and (beside := _beside(sentence, head)) is not None:
        return beside
    if sort in _TIMES:
        spans = _times(sentence, sort)
    elif sort == "number":
        spans = [m.span() for m in _NUMBER.finditer(sentence)]
        unit = _NUMBER.sub("", new).strip(_EDGES).lower()
        if unit:
            spans = [(s, e + len(unit) + 1) for s, e in spans if sentence[e:].strip().lower().startswith(unit)] or spans
    elif sort == "name":
        spans = [m.span() for m in _NAME.finditer(sentence) if m.start() > 0 or m.group().count(" ")]
    else:
        return None
    return spans[-1] if len(spans) == 1 or (spans and sort == "name") else None


def _beside(sentence: str, head: str) -> tuple[int, int] | None:
    """The name or figure right after the last word of what was wrong: "meeting room Orion" for the room."""
    word = re.escape(head.split()[-1])
    match = re.search(rf"\b{word}\b(?:\s(?:number|no\.?|is|ist|est|es|called))*\s(?P<value>[A-ZÄÖÜ\d][\w-]*)", sentence)
    return match.span("value") if match is not None else None


def _times(sentence: str, sort: str) -> list[tuple[int, int]]:
    """Times of a sort, without the word that leads to them; of a day with an hour, the part of that sort."""
    found: list[tuple[int, int]] = []
    for span in find_dates(sentence, _ANY_DAY):
        start, end = span.start, span.end
        if span.kind == sort or {span.kind, sort} <= {"date", "period"}:
            found.append(_bare(sentence, start, end))
        elif span.kind == "datetime":
            for cut in [m.start() for m in _DAY_OR_CLOCK.finditer(sentence, start + 1, end)] or [end]:
                for first, last in ((start, cut), (cut, end)):
                    piece = sentence[first:last].strip()
                    inner = find_dates(piece, _ANY_DAY) if piece else ()
                    if inner and inner[0].kind == sort:
                        found.append(_bare(sentence, first, last))
    return found


def _bare(sentence: str, start: int, end: int) -> tuple[int, int]:
    lead = _DAY_OR_CLOCK.match(sentence, start)
    start = lead.end() if lead is not None and lead.end() < end else start
    return start, start + len(sentence[start:end].rstrip(_EDGES))
