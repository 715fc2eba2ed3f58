"""What a cue asks for, read from its words: the intent, the traits that decide which signals count, and the figure it
asks for.

Owns the reading, and the test whether a newer text gives another figure for the same thing; the phrases are data. A
figure is read from "how many ...", "what is the ... rate", "when is ..." as a sort of figure and a thing. Knows nothing
of memories, times or ranking. Invariants: any string is safe, the time is linear in its length, every decision is a
plain yes or no that the explanation can name; a question that counts occasions ("how many times") asks for no figure,
for every occasion stays true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Final, Literal

import msgspec

from palazzo.text.dates.find import TimeSpan, find_dates
from palazzo.text.facts.quantities import Quantity, find_quantities, stem
from palazzo.text.meaning.kinds import is_question
from palazzo.text.words.grammar import ADJ, ADV, AUX, NAME, NUM, PREP, PUNCT, SUBJ, VERB, Tokens
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.tokens import STOP_WORDS, word_terms

_PAGE: Final = page("questions")

_DURATIONS: Final = _PAGE.words("durations")
_MONEY: Final = _PAGE.words("money")
_MOMENTS: Final = _PAGE.words("moments")
_MEASURES: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(_PAGE.words("of_shares"), frozenset({"%"})),
    **dict.fromkeys(_PAGE.words("of_durations"), _DURATIONS),
    **dict.fromkeys(_PAGE.words("of_times"), _DURATIONS | _MOMENTS),
    **dict.fromkeys(_PAGE.words("of_moments"), _MOMENTS),
    **dict.fromkeys(_PAGE.words("of_money"), _MONEY | {""}),
    **dict.fromkeys(_PAGE.words("of_anything"), frozenset()),
}
"""What a noun is measured in; an empty set: in whatever the question's own words name."""
_CHANGES: Final = _PAGE.words("changes")
_ATTAINING: Final = _PAGE.words("attaining")
_LEADING: Final = _PAGE.words("leading")
_NO_TOPIC: Final = _PAGE.words("no_topic")
_OF_A_DAY: Final = _PAGE.words("of_a_day")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|\d{1,2}(?:st|nd|rd|th)|noon|midnight|today|tomorrow|tonight|\d{1,2}"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
)
_MAX_READ: Final = 2_000
_REACH: Final = 14
"""Words on either side of a figure that may say what it counts."""
_RIGHT_BEFORE: Final = 4
AS_CLOSE: Final = 0.4
"""Share of the question's words around the older figure that must stand around the newer one."""
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}


class Wanted(msgspec.Struct, frozen=True):
    """The figure a question asks for: the units it may have, the things counted, and the question's other words."""

    units: frozenset[str]
    things: frozenset[str]
    topic: frozenset[str]
    numbered: Mapping[str, frozenset[int]]
    """Things the question tells apart by a number: "the first sprint"."""

    @property
    def least(self) -> int:
        """How many of the question's words must stand around a figure."""
        return min(2, len(self.things | self.topic))

    def __hash__(self) -> int:
        return hash((self.units, self.things, self.topic))


@once
def wanted_figure(question: str) -> Wanted | None:
    """The figure a question asks for; None when it asks for something else."""
    tokens = parsed(question[:_MAX_READ]).tokens
    found = _counted(tokens) or _moment(tokens) or _measured(tokens)
    if found is None:
        return None
    units, things = found
    stems = {
        stem(word) for word, bit in zip(tokens.lower, tokens.bits, strict=True)
        if not bit & PUNCT and word not in STOP_WORDS and word not in _NO_TOPIC and not bit & (AUX | SUBJ)
    }  # fmt: skip
    return Wanted(units, things, frozenset(stems - things), _numbered(tokens))


def _phrase(tokens: Tokens, first: int) -> list[str]:
    """The words of a noun phrase from `first` on."""
    found: list[str] = []
    for at in range(first, min(first + 6, len(tokens.lower))):
        bit = tokens.bits[at]
        if bit & (PUNCT | AUX | SUBJ | PREP) or tokens.lower[at] in ("a", "an", "the"):
            break
        if bit & VERB and not bit & (NAME | ADJ) and found and found[-1].endswith("s"):
            break
        found.append(tokens.lower[at])
    return found


def _counted(tokens: Tokens) -> tuple[frozenset[str], frozenset[str]] | None:
    for at in range(len(tokens.lower) - 2):
        if tokens.lower[at] == "how" and tokens.lower[at + 1] in ("many", "much"):
            phrase = _phrase(tokens, at + 2)
            if tokens.lower[at + 1] == "much":
                known = _MEASURES.get(phrase[0] if phrase else "cost", _MONEY)
                return known, frozenset(map(stem, phrase))
            if not phrase or phrase[-1] == "times":
                return None
            return frozenset(), frozenset({stem(phrase[-1])})
        if tokens.lower[at] == "number" and tokens.lower[at + 1] == "of":
            phrase = [word for word in _phrase(tokens, at + 2) if word not in _LEADING]
            return (frozenset(), frozenset({stem(phrase[-1])})) if phrase else None
        if tokens.lower[at] == "how" and tokens.lower[at + 1] in ("long", "old"):
            return _DURATIONS, frozenset()
    return None


def _moment(tokens: Tokens) -> tuple[frozenset[str], frozenset[str]] | None:
    lower = tokens.lower
    for at in range(min(3, len(lower))):
        if lower[at] in ("when", "when's"):
            return _MOMENTS, frozenset()
    return None


def _measured(tokens: Tokens) -> tuple[frozenset[str], frozenset[str]] | None:
    for word in tokens.lower:
        units = _MEASURES.get(word)
        if units is not None:
            return units, frozenset({stem(word)})
    return None


class Figure(msgspec.Struct, frozen=True):
    """A figure given for what is wanted; `shared` counts the question's words that stand around it."""

    unit: str
    value: float
    shared: int


@once
def figures_for(text: str, wanted: Wanted) -> tuple[Figure, ...]:
    """The figures a text gives for what is wanted."""
    tokens = parsed(_CODE.sub(" ", text)[:_MAX_READ]).tokens
    if _another(wanted.numbered, _numbered(tokens)):
        return ()
    return tuple(
        Figure(unit, quantity.value, shared)
        for quantity in find_quantities(tokens)
        if (shared := len(_near(tokens, quantity) & (wanted.things | wanted.topic))) >= wanted.least
        and (unit := _fits(tokens, quantity, wanted)) is not None
    )


def answers(text: str, wanted: Wanted) -> bool:
    """Whether a text gives what is wanted: a figure, or for a question about a moment a day by its name or number."""
    if figures_for(text, wanted):
        return True
    if not wanted.units & _MOMENTS:
        return False
    tokens = parsed(_CODE.sub(" ", text)[:_MAX_READ]).tokens
    about = {stem(word) for word in tokens.lower} & (wanted.things | wanted.topic)
    return len(about) >= wanted.least and any(map(_DAY.fullmatch, tokens.lower))


def _fits(tokens: Tokens, quantity: Quantity, wanted: Wanted) -> str | None:
    """The sort of figure this is if it is of the sort wanted: its unit, or for counts what they are per, if anything.

    A bare figure counts when a word of change stands right before it: "the commits have now reached 165".
    """
    if _aimed_at(tokens, quantity):
        return None
    unit, _, per = quantity.unit.partition(" per ")
    after = tokens.lower[quantity.last : quantity.last + 2]
    if not per and len(after) == 2 and after[0] in ("a", "per", "each", "every") and stem(after[1]) in _DURATIONS:
        per = stem(after[1])
    if wanted.units:
        return unit if unit in wanted.units else None
    announced = any(word in _CHANGES for word in tokens.lower[max(0, quantity.first - _RIGHT_BEFORE) : quantity.first])
    counted = unit in wanted.things or (announced and (not unit or unit in wanted.topic))
    return f"per {per}" if counted and per else "" if counted else None


def _aimed_at(tokens: Tokens, quantity: Quantity) -> bool:
    """Whether the figure is only aimed at: "to reach 100%"."""
    lower = tokens.lower
    return any(
        lower[at] in ("goal", "target") or (lower[at] == "to" and lower[at + 1] in _ATTAINING)
        for at in range(max(0, quantity.first - 6), quantity.first - 1)
    )


def _near(tokens: Tokens, quantity: Quantity) -> frozenset[str]:
    lower, bits = tokens.lower, tokens.bits
    first, last = quantity.first, quantity.last
    while first > 0 and quantity.first - first < _REACH and lower[first - 1] not in ".!?;":
        first -= 1
    while last < len(lower) and last - quantity.last < _REACH and lower[last] not in ".!?;":
        last += 1
    return frozenset(stem(lower[at]) for at in range(first, last) if not bits[at] & (PUNCT | ADV | AUX | SUBJ))


def _numbered(tokens: Tokens) -> dict[str, frozenset[int]]:
    """Things told apart by a number: "the first sprint", "sprint 2"."""
    found: dict[str, set[int]] = {}
    for at in range(len(tokens.lower) - 1):
        word, following = tokens.lower[at], tokens.lower[at + 1]
        if word in _ORDINALS and not tokens.bits[at + 1] & PUNCT:
            found.setdefault(stem(following), set()).add(_ORDINALS[word])
        elif following.isdecimal() and len(following) <= 2 and not tokens.bits[at] & (PUNCT | PREP | AUX | NUM | VERB):
            found.setdefault(stem(word), set()).add(int(following))
    return {thing: frozenset(numbers) for thing, numbers in found.items()}


def _another(asked: Mapping[str, frozenset[int]], told: Mapping[str, frozenset[int]]) -> bool:
    """Whether a text is about another of several numbered things."""
    return any(thing in told and not numbers & told[thing] for thing, numbers in asked.items())


def gives_another(wanted: Wanted, old: str, new: str) -> bool:
    """Whether the newer text gives another figure than the older one for what is wanted."""
    before, after = figures_for(old, wanted), figures_for(new, wanted)
    units = {figure.unit for figure in before} & {figure.unit for figure in after}
    if not units:
        return False
    around = max(figure.shared for figure in before if figure.unit in units)
    later = {(f.unit, f.value) for f in after if f.unit in units and f.shared >= AS_CLOSE * around}
    earlier = {(f.unit, f.value) for f in before if f.unit in units}
    if not later:
        return False
    if earlier & later:
        return earlier < later and any(word in _CHANGES for word in parsed(new[:_MAX_READ]).tokens.lower)
    return True


Intent = Literal["lookup", "exploratory", "comparative", "temporal", "procedural", "causal", "entity"]

FEW_WORDS: Final = 3
"""A question that asks for several things in at most this many content words names them by their kind, not by their
words: its evidence is spread over sessions (a prototype on five development conversations, built-in / MiniLM: multi-hop
+2.6 / +3.3 points R@10, adversarial -0.9 / -0.9)."""

_INTENTS: Final = page("intent")
_LABEL = re.compile(r"^\s*([^\W\d_][\w.'-]{0,30}(?: [^\W\d_][\w.'-]{0,30})?)\s*:\s+(?=\S)")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_INTENTS.pattern("patterns", name), re.IGNORECASE)


class Traits(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a cue's wording says about what would answer it."""

    intent: Intent
    question: bool
    statement: bool
    """A told sentence in the first person: what helps is what it touches, not what shares its words."""
    request: bool
    """It asks for work to be done, so standing instructions apply."""
    several: bool
    wants_time: bool
    wants_number: bool
    about_agent: bool
    about_talk: bool
    """It asks for what the asker asked or said, as it was said."""
    about_past: bool
    about_former: bool
    """It asks for what no longer is."""
    about_present: bool
    """It says that what holds now is wanted."""
    past_tense: bool
    collects: bool
    """It asks for all there were, up to now: which countries somebody has been to."""
    about_own: bool
    """About what the asker did, has or is."""
    retrospective: bool
    """It looks back on what was said: an order, a summary, a development."""


def asks_nothing_else(rest: str) -> bool:
    """Whether what is left of a question without the times it names asks only what was, or will be, then."""
    return all(low in _OF_A_DAY or not low[0].isalpha() or low in STOP_WORDS for low in parsed(rest).tokens.lower)


def speaker_label(text: str) -> tuple[str, str]:
    """Splits "Name: what was said" into name and words; the name is empty when there is none."""
    found = _LABEL.match(text[:120])
    return (found.group(1), text[found.end() :]) if found else ("", text)


def read_traits(text: str, content_words: int) -> Traits:
    """The traits of a cue; `content_words` counts its words beside function words and names."""
    text = text[:_MAX_READ].replace("’", "'")

    def says(name: str) -> bool:
        return _pattern(name).search(text) is not None

    question = is_question(text) or text.rstrip().endswith("?")
    request = says("request")
    wants_time = says("time")
    statement = not question and not request and says("first_person") and len(text.split()) >= 6
    collecting = question and says("several")
    several = (collecting and content_words <= FEW_WORDS) or (question and content_words < FEW_WORDS and not wants_time)
    intent: Intent = "lookup"
    if wants_time:
        intent = "temporal"
    elif says("cause"):
        intent = "causal"
    elif says("compare"):
        intent = "comparative"
    elif says("steps"):
        intent = "procedural"
    elif collecting or says("order") or not question:
        intent = "exploratory"
    elif content_words <= 1:
        intent = "entity"
    return Traits(
        intent=intent, question=question, statement=statement, request=request and not (says("own") and wants_time),
        several=several, wants_time=wants_time, wants_number=says("number"), about_agent=says("agent"),
        about_talk=says("talk"), about_former=says("former"),
        about_past=says("former") or says("past") or (says("before") and not says("present")),
        about_present=says("present"), past_tense=says("was"), collects=question and says("collects"),
        about_own=says("own"), retrospective=says("order"),
    )  # fmt: skip


def talked_about(cue: str) -> str:
    """What a cue that asks for talk is about: its meaningful words without those for talking."""
    for name in ("agent", "talk"):
        cue = _pattern(name).sub(" ", cue)
    tokens = parsed(cue).tokens
    return " ".join(
        word for word, lower in zip(tokens.words, tokens.lower, strict=True)
        if lower.isalnum() and not set(word_terms(lower)) <= STOP_WORDS
    )  # fmt: skip


def times_named(cue: str, now: datetime) -> list[TimeSpan]:
    """The times a cue names: no figure that counts something, no name that is also a month's."""
    found: list[TimeSpan] = []
    for span in find_dates(cue, now):
        told = _pattern("as_of").match(span.text)
        if told is not None and span.finish is None:
            found += find_dates(span.text[told.end() :], now, prefer="past")  # what was so is asked about
        elif not _counts_something(cue, span) and not _names_someone(cue, span):
            found.append(span)
    return found


def _counts_something(cue: str, span: TimeSpan) -> bool:
    """Whether a figure that could be a year counts what follows it: "2000 tokens"."""
    return span.text.isdecimal() and _pattern("counted").match(cue[span.end :]) is not None


def _names_someone(cue: str, span: TimeSpan) -> bool:
    """Whether a month alone stands where somebody is spoken of: "What does April like?", "May's birthday"."""
    if not span.text.isalpha() or not span.text[:1].isupper():
        return False
    before = parsed(cue[: span.start]).tokens
    after_auxiliary = bool(before.bits) and bool(before.bits[-1] & AUX)
    return after_auxiliary or _pattern("owning").match(cue[span.end :]) is not None


def parts_of(question: str) -> list[str]:
    """The questions a conjunctive question consists of; itself alone when it is simple."""
    both = _pattern("both").search(question)
    if both:
        return [_pattern("both").sub(name, question, count=1) for name in both.groups()]
    parts = [part.strip(" ?") for part in _pattern("joints").split(question) if len(part.split()) >= 3]
    return [f"{part}?" for part in parts] if len(parts) > 1 else [question]


def gives_number(text: str) -> bool:
    """Whether a text has a figure in it, in digits or small words."""
    return _pattern("any_number").search(text) is not None


def speaks_of_oneself(text: str) -> bool:
    """Whether somebody speaks of themselves in a text."""
    return _pattern("of_oneself").search(text) is not None
