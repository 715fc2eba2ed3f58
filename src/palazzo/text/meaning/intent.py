"""What a cue asks for, read from its words: the intent, and the few traits that decide which signals count.

Owns the reading; the phrases are data. Knows nothing of what is stored. Invariant: any string is safe, the time is
linear in its length, and every decision is a plain yes or no that the explanation can name.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

import msgspec

from palazzo.text.meaning.kinds import is_question
from palazzo.text.words.lexicon import page

Intent = Literal["lookup", "exploratory", "comparative", "temporal", "procedural", "causal", "entity"]

FEW_WORDS: Final = 3
"""A question that asks for several things in at most this many content words names them by their kind, not by their
words: its evidence is spread over sessions (a prototype on five development conversations, built-in / MiniLM: multi-hop
+2.6 / +3.3 points R@10, adversarial -0.9 / -0.9)."""
_MAX_READ: Final = 2_000

_PAGE: Final = page("intent")
_LABEL = re.compile(r"^\s*([^\W\d_][\w.'-]{0,30}(?: [^\W\d_][\w.'-]{0,30})?)\s*:\s+(?=\S)")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_PAGE.pattern("patterns", name), re.IGNORECASE)


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
    about_past: bool
    about_present: bool
    """It says that what holds now is wanted."""
    past_tense: bool
    collects: bool
    """It asks for all there were, up to now: which countries somebody has been to."""
    about_own: bool
    """About what the asker did, has or is."""
    retrospective: bool
    """It looks back on what was said: an order, a summary, a development."""


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
        about_past=says("past") or (says("before") and not says("present")), about_present=says("present"),
        past_tense=says("was"), collects=question and says("collects"), about_own=says("own"),
        retrospective=says("order"),
    )  # fmt: skip


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
