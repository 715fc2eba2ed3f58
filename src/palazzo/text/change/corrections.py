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
from string import ascii_letters
from typing import Final, NamedTuple

from palazzo.text.change.focus import focus, near_spelling
from palazzo.text.dates.find import find_dates
from palazzo.text.words import grammar
from palazzo.text.words.language import guess_language
from palazzo.text.words.lexicon import ENGLISH, Page, page
from palazzo.text.words.marks import WordGroups
from palazzo.text.words.parsed import parsed

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl")
_EDGES: Final = " .,;:!?…\"'“”«»()–—-"
_MOST_WORDS: Final = 7
"""A value has no more words than this."""
_FEW_WORDS: Final = 4
_LEADING: Final = 2
"""How many words may lead to a time: "born in 1978", "am Dienstag"."""
_TIMES: Final = frozenset({"time", "date", "datetime", "period"})
_SIGNS: Final = ",.!:;…–—-"
_SIGN: Final = r"(?:\s*[,.!:;…–—-]+\s*|\s+)"
_JOINTS: Final = re.compile(r"\s*[,;…]\s*|\s+[–—-]+\s+|\s*—\s*|\.{2,}\s*")
"""Where somebody may stop in a sentence and begin again."""
_SAYING: Final = grammar.AUX | grammar.SUBJ | grammar.PRON | grammar.ADV | grammar.NEG | grammar.WH
"""Words that no name of a thing has."""
_LAST_DAY, _DAY_DIGITS = 31, 2
_SHORTEST: Final = 3
"""Letters of the shortest noun that a figure counts: "4 de mayo" are four of nothing."""
_ANY_DAY: Final = datetime(2024, 5, 15, 12, tzinfo=UTC)
_FIGURES: Final = "|".join(
    sorted({word for code in LANGUAGES for word in page("corrections", code).words("figures")}, key=len, reverse=True)
)
_NUMBER: Final = re.compile(
    rf"(?:(?<![\w'-])[a-z]{{1,3}}-?)?\d+(?:[.,:]\d+)*(?:(?:st|nd|rd|th)\b)?|(?<![\w'-])(?:{_FIGURES})(?![\w'])",
    re.IGNORECASE,
)
"""A figure, also one with letters before it ("E27"), or one in words."""
_NAME: Final = re.compile(r"(?<![\w'’])[A-ZÄÖÜÉÈÀÑÁÍÓÚ][\w'’-]+(?: [A-ZÄÖÜÉÈÀÑÁÍÓÚ][\w'’-]+)*")
_DAY_OR_CLOCK: Final = re.compile(r"(?<!\d )\b(?:on|at|in|am|um|im|le|à|el|a las|a la|by|from|until)\s+", re.IGNORECASE)


class Correction(NamedTuple):
    """What a sentence puts right: a value (`new`, for `old` or for what `head` names), or all of a statement again.

    `body` is where its own words begin; `told` whether it says that something was wrong. A `loose` one names a thing
    of no sort, so that only the sentence right before it can be meant; where it is `unsure` whether it is a correction
    at all, that sentence must have such a thing. `said_to_be` says that it tells what something is; `ordered` that it
    is worded as an order, which may be about a text at hand as well.
    """

    body: int
    new: str = ""
    old: str = ""
    head: str = ""
    told: bool = False
    loose: bool = False
    said_to_be: bool = False
    ordered: bool = False
    unsure: bool = False


class _Reader(NamedTuple):
    language: str
    sound: re.Pattern[str]
    opening: re.Pattern[str]
    telling: re.Pattern[str]
    copula: re.Pattern[str]
    instead: re.Pattern[str]
    trailing: re.Pattern[str]
    slip: re.Pattern[str]
    begun: re.Pattern[str]


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
            _compiled(one, "trailing", r"(?:[\s,]+(?:{}))+$"), _compiled(one, "slip", r"^\*(?! )|(?:\*|[\s,]+(?:{}))$"),
            re.compile("|".join(map(one.listing, ("sound", "opening", "telling"))), re.IGNORECASE),
        )
        for one in pages
    )  # fmt: skip


def find_correction(sentence: str, *, among_people: bool = False) -> Correction | None:
    """The correction that a sentence is; none where it is none.

    Among people, who call each other by name and talk about all sorts of things, only one that says so counts, or one
    that names both values.
    """
    plain = sentence.replace("’", "'")
    readers = _readers_of(plain)
    language = guess_language(plain) if readers and len(plain.split()) > _FEW_WORDS else ""
    found = [
        one for reader in readers
        if (one := _read(plain, reader, foreign=language in LANGUAGES and language != reader.language)) is not None
        and (one.told or one.old or not among_people)
    ]  # fmt: skip
    return max(found, key=lambda one: (one.told, one.body), default=None)


def _readers_of(sentence: str) -> list[_Reader]:
    """Those in whose language a sentence has a beginning, a pair or a slip to read; most sentences have none of any."""
    begun, pairs_and_slips = _any_reader()
    named = pairs_and_slips.within(sentence.lower())
    if not named and begun.match(sentence) is None:
        return []
    return [one for at, one in enumerate(_readers()) if named >> at & 1 or one.begun.match(sentence)]


@cache
def _any_reader() -> tuple[re.Pattern[str], WordGroups]:
    begun = re.sub(r"\?P<\w+>", "?:", "|".join(one.begun.pattern for one in _readers()))
    marks = (page("corrections", language).listing("marks").split("|") for language in LANGUAGES)
    return re.compile(begun, re.IGNORECASE), WordGroups(*marks)


@cache
def _hint() -> re.Pattern[str]:
    """Words of any language behind a joint, whose sign comes first, by which a sentence may put itself right."""
    listed = [page("corrections", language).listing("opening") for language in LANGUAGES]
    words = "|".join((*listed, page("corrections").listing("within")))
    joint = r"[,;….–—-](?:(?<=[,;…—])\s*|(?<=\s[–—-])[–—-]*\s+|(?<=\.\.)\s*)"
    return re.compile(rf"{joint}(?:{words})\b", re.IGNORECASE)


def corrected_within(sentence: str) -> str | None:
    """A sentence that puts itself right, as it is meant: "at three, no wait, at four" is "at four"; else none."""
    if _hint().search(sentence) is None:
        return None
    plain = sentence.replace("’", "'")
    for joint in _JOINTS.finditer(plain):
        head, tail = plain[: joint.start()].rstrip(), plain[joint.end() :]
        owning = {reader.language: reader for reader in _readers() if _owns_up(tail, reader)}
        reader = owning.get(guess_language(plain)) if owning else None
        if reader is None:
            continue
        for cut in (*(found.start() for found in _JOINTS.finditer(tail)), len(tail)):
            said = _read(tail[:cut], reader, foreign=False)
            if said is None or not said.new or said.unsure or (said.loose and not said.told):
                continue
            text = corrected(head, said)
            if text is not None and text != head:
                rest = tail[cut:].lstrip(" –—-") if joint.group().strip() in ("-", "–", "—") else tail[cut:]
                made = f"{text} {rest}".rstrip() if rest[:1].isalnum() else text + rest
                return made if made[-1:] in ".!" else f"{made}."
    return None


def _owns_up(tail: str, reader: _Reader) -> bool:
    """Whether words within a sentence take back what stands before them; "no dogs" after a comma does not."""
    at = 0
    while (opened := reader.opening.match(tail, at)) is not None:
        at = opened.end()
        if opened.group().rstrip()[-1:] in _SIGNS or _NUMBER.match(tail, at) is not None:
            return True
    told = reader.telling.match(tail, at)
    return told is not None and told.end() > at


def _read(sentence: str, reader: _Reader, *, foreign: bool) -> Correction | None:
    """What a sentence corrects, by the words of one language; where it is in another, only if they say so."""
    at, opened, told, head, ordered = 0, False, False, "", False
    while True:
        if (match := reader.telling.match(sentence, at)) is not None and match.end() > at:
            groups = match.groupdict()
            ordered = bool(groups.pop("order", None))
            told = True
            head = next((found for found in groups.values() if found), head)
        elif (match := reader.opening.match(sentence, at)) is not None:
            signed = match.group().rstrip()[-1:] in _SIGNS
            if not signed and not _follows(sentence, match.end(), reader):
                break
            opened = True
        elif (match := reader.sound.match(sentence, at)) is None:
            break
        at = match.end()
    if foreign and not told:
        return None
    body = sentence[at:].strip(_EDGES)
    if reader.slip.search(body) is not None:
        opened, body = True, reader.slip.sub("", body).strip(_EDGES)
    if not body:
        return None
    copula = reader.copula.match(body)
    value = body[copula.end() :] if copula else body
    value = reader.trailing.sub("", value) or value
    pair = reader.instead.match(value) or (reader.instead.match(body) if value != body else None)
    new, old = _pair(pair) if pair is not None else ("", "")
    sure = opened or told or " " not in f"{new}{old}"
    if pair is not None and _is_value(new) and (sort := sort_of(new)) == sort_of(old) and (sure or sort != "other"):
        return Correction(at, new, old, head, told)
    if not (opened or told):
        return None
    value = _without_comment(value).strip(_EDGES)
    if _is_value(value) and (sort_of(value) != "other" or head):
        return Correction(at, value, "", head, told, ordered=ordered)
    if not old and is_thing(value, told=told):
        unsure = not (told or copula is not None or _means_one(value))
        return Correction(at, value, "", "", told, True, copula is not None, ordered, unsure)
    return Correction(at, old=old, head=head, told=told) if _is_statement(body, reader) else None


def _pair(match: re.Match[str]) -> tuple[str, str]:
    """The new value and the old one."""
    new, old = (
        next(found for key, found in match.groupdict().items() if key.startswith(name) and found).strip(_EDGES)
        for name in ("new", "old")
    )
    return new, old


def _without_comment(value: str) -> str:
    """A value without what is said about it: "Zaventem, Charleroi was last year", "Nowak, no c"."""
    first, _, rest = value.partition(",")
    vague = {word for language in LANGUAGES for word in page("corrections", language).words("vague")}
    beside = sort_of(rest) == "other" or not vague.isdisjoint(rest.lower().split()[:2])  # "the 26th, same time"
    own = _is_value(first) and (not _is_value(value) or beside)
    return first if rest.strip(_EDGES) and own else value


def _means_one(value: str) -> bool:
    return value.lower().split()[-1] in page("corrections").words("ones")


def is_thing(value: str, *, told: bool = False) -> bool:
    """Whether words name a thing or how it is, and say nothing of it: "almond", "the clock tower", "the green one"."""
    words = value.lower().split()
    if not 0 < len(words) <= _FEW_WORDS or value.endswith("?"):
        return False
    bits = parsed(value).tokens.bits[: -1 if _means_one(value) else None]
    if any(bit & _SAYING and not bit & grammar.ADJ for bit in bits):
        return False
    if any(bit & grammar.VERB and not bit & (grammar.NOUNISH | grammar.ADJ) for bit in bits) and not told:
        return False
    return all(words[-1] not in page("corrections", language).words("passing") for language in LANGUAGES)


def _follows(sentence: str, at: int, reader: _Reader) -> bool:
    """Whether what follows an opening word that no sign closes leads on to a correction."""
    led = any(one.match(sentence, at) for one in (reader.telling, reader.opening, reader.copula))
    rest = sentence[at:].strip(_EDGES)
    value = _is_value(rest) and sort_of(rest) in {*_TIMES, "number"}
    return led or value or _NUMBER.match(sentence, at) is not None


def _is_value(text: str) -> bool:
    """Whether words are a time, a figure with what it counts, or a name, and nothing else."""
    words = text.strip(_EDGES).split()
    if not words or len(words) > _MOST_WORDS:
        return False
    sort = sort_of(text)
    if sort in _TIMES:
        left = len(words) - sum(len(span.text.split()) for span in find_dates(text, _ANY_DAY))
        return left <= _LEADING
    if sort == "number":
        return len(words) <= _FEW_WORDS
    if sort == "name":
        return len(words) - sum(len(m.group().split()) for m in _NAME.finditer(text)) <= 2
    return len(words) <= 2


def _is_statement(text: str, reader: _Reader) -> bool:
    if len(text.split()) < _FEW_WORDS or text.endswith("?"):
        return False
    return reader.language != ENGLISH or any(bit & (grammar.AUX | grammar.VERB) for bit in parsed(text).tokens.bits)


def sort_of(value: str) -> str:
    """What a value is: a time of some kind, a number, a name, or other."""
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
    if correction.loose:
        place = focus(old, new, told_what=correction.said_to_be, unsure=correction.unsure)
        return None if place is None else old[: place[0]] + place[2] + old[place[1] :]
    if not correction.old and (day := _day_of(old, new)) is not None:
        ordinal = _NUMBER.search(new) if old[day[1] - 1].isalpha() else None
        return old[: day[0]] + (ordinal.group() if ordinal else _bare_day(new)) + old[day[1] :]
    found = _named(old, correction.old) if correction.old else _only(old, new, correction.head)
    if found is None:
        return None
    start, end = found
    if _NUMBER.fullmatch(old[start:end]) and (figure := _NUMBER.search(new)) is not None and correction.old:
        rest = old[end:].lstrip().partition(" ")[0].strip(_EDGES).lower()
        if rest and rest in new.lower().split():  # "29 July" for the 19 of "19 July"
            new = figure.group()
    if _NUMBER.fullmatch(old[start:end]) and re.search(r"\d[^\W\d_]", new):  # "40k for design" for the 40 of "40k"
        end += len(old[end:]) - len(old[end:].lstrip(ascii_letters))
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
    sort = sort_of(new)
    if head and (beside := _beside(sentence, head)) is not None:
        return beside
    if sort in _TIMES:
        spans = _times(sentence, sort)
    elif sort == "number":
        spans = [m.span() for m in _NUMBER.finditer(sentence)]
        unit = _NUMBER.sub("", new).strip(_EDGES).lower()
        if unit:
            same = [
                (s, e + gap + len(unit))
                for s, e in spans
                if sentence[e:].lstrip().lower().startswith(unit)
                and (gap := len(sentence[e:]) - len(sentence[e:].lstrip())) < 2
            ]
            spans = same or [(s, _counted_end(sentence, e)) for s, e in spans]
    elif sort == "name" and " " not in new and (near := near_spelling(sentence, new)) is not None:
        return near
    elif sort == "name":
        spans = [m.span() for m in _NAME.finditer(sentence) if m.start() > 0 or m.group().count(" ")]
    else:
        return None
    return spans[-1] if len(spans) == 1 or (spans and sort == "name") else None


@cache
def _day_alone() -> re.Pattern[str]:
    ways = [page("corrections", language).listing("day") for language in LANGUAGES]
    return re.compile("|".join(f"(?:{way})" for way in ways), re.IGNORECASE)


def _bare_day(value: str) -> str:
    """The day of the month that a value is, where its month is that of what it puts right: "the 5th"; else empty."""
    if _day_alone().fullmatch(value.replace("’", "'")) is None:
        return ""
    return found[0] if (found := re.findall(r"\d+", value)) and 0 < int(found[0]) <= _LAST_DAY else ""


def _day_of(sentence: str, new: str) -> tuple[int, int] | None:
    """Where the day stands in the one day of a month that a sentence names, if the new value is such a day."""
    if not _bare_day(new):
        return None
    days = [
        (start + number.start(), start + number.end())
        for start, end in _times(sentence, "date")
        for number in _NUMBER.finditer(sentence[start:end])
        if len(number.group().rstrip("stndrh")) <= _DAY_DIGITS
    ]
    return days[0] if len(days) == 1 else None


def _counted_end(sentence: str, end: int) -> int:
    """Where the thing ends that a figure before `end` counts, where that is one word: "two sons"."""
    noun = re.match(r"\s+([^\W\d_]+)", sentence[end:])
    if noun is None or len(noun[1]) < _SHORTEST or any(bit & ~grammar.NOUNISH for bit in parsed(noun[1]).tokens.bits):
        return end
    return end + noun.end()


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
        alone = find_dates(span.text, _ANY_DAY) if span.kind == "recurring" else ()  # a birthday comes round on its day
        if span.kind == sort or {span.kind, sort} <= {"date", "period"} or any(one.kind == sort for one in alone):
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
