"""The cue and its plan: what was asked, by whom, and what follows from it before anything is searched.

Owns the reading of a cue: terms, names taken out, dates as ranges, the wording's traits, an address if it is one. Knows
no store; the names of those who speak are handed in. Invariant: a plan is a pure function of the cue, the names and the
time, so equal cues at one journal position have equal answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

import msgspec

from palazzo.errors import PalazzoError
from palazzo.model.address import Kref, PlaceGlob, looks_like_address, parse_address
from palazzo.model.zone import UTC_NAME, local
from palazzo.store.api import Filter
from palazzo.text.meaning.asked import Traits, asks_nothing_else, read_traits, speaker_label, times_named
from palazzo.text.meaning.plainly import asked_plainly
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import STOP_WORDS, terms

MAX_CUE = 16_000
"""Characters of a cue that are read; the index looks at 256 distinct words at most."""
LONGEST_ADDRESS = 1_000
"""Characters."""
BUDGET_HITS = 60
TOKENS_A_HIT = 80
"""When a budget decides, so many hits are considered at most, one for so many tokens: with where it comes from a
memory takes about as much, and what ranks behind is better left out than squeezed in."""
LONGEST_RANGE = timedelta(days=400)
"""Longer periods ("in the last ten years") select nothing."""


class Cue(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What to recall. `speaker` is who says or asks it, `now_us` the moment it is asked (the clock's if None)."""

    text: str
    limit: int = 10
    budget_tokens: int | None = None
    preset: str = "balanced"
    mode: str = "relevance"
    fusion: str = "sum"
    rerank: str = "none"
    speaker: str = ""
    thread: str = ""
    now_us: int | None = None
    zone: str = ""
    """Where its dates are read; empty: where the palace is."""
    filter: Filter = Filter()
    valence: float = 0.0
    min_relevance: float | None = None
    """Hits below it are left out, and where none is above it nothing is known; None: the palace's own floor."""
    about: str = ""
    """What was spoken of just before: it says what a cue is about that says little by itself."""
    work: bool = False
    """Whether work is to be done with what is found, whatever the wording: standing instructions then apply."""
    leave_out: tuple[str, ...] = ()
    """Names of signals to ignore; for measuring what each one buys."""

    @property
    def most(self) -> int:
        """How many hits are considered at most."""
        if self.budget_tokens is None:
            return self.limit
        return max(self.limit, min(BUDGET_HITS, self.budget_tokens // TOKENS_A_HIT))


class OtherName(msgspec.Struct, frozen=True, gc=False):
    """Another name of something the cue names: which of the cue's terms name it, and the terms of the other name."""

    rows: tuple[int, ...]
    terms: tuple[str, ...]


class Plan(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A cue, read."""

    cue: Cue
    words: str
    """The cue without a speaker label."""
    terms: tuple[str, ...]
    content: tuple[bool, ...]
    """For each distinct term whether it carries meaning: no function word, no speaker's name."""
    meaning: str
    """What is embedded: the words without the names of those who speak, which drown the rest (FINDINGS: 47 -> 62)."""
    speakers: tuple[str, ...]
    """Those named in the cue, in lower case."""
    said_by: str
    traits: Traits
    ranges_us: tuple[tuple[int, int], ...]
    of_a_day: bool
    """Whether it names a time and asks for nothing but what was or is then."""
    now_us: int
    kref: Kref | None
    glob: PlaceGlob | None = None
    """The places the cue is, if it is an address and no words: what stands there is wanted, and nothing else."""
    other_names: tuple[OtherName, ...] = ()
    renamed: tuple[str, ...] = ()
    """The words of the cue with another name in the place of one that is known."""


def _named(words: str, names: Sequence[str]) -> list[str]:
    lowered = words.casefold()
    return [
        name for name in names
        if name and name.casefold() in lowered
        and re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", lowered)
    ]  # fmt: skip


def without_names(words: str, names: Sequence[str]) -> str:
    """The words without these names and their possessives."""
    for name in names:
        words = re.sub(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", " ", words, flags=re.IGNORECASE)
    return " ".join(words.split())


def _ranges(words: str, now_us: int, zone: str) -> tuple[tuple[tuple[int, int], ...], bool]:
    """The times a cue names, and whether it asks for nothing else."""
    found = []
    rest = words
    for span in times_named(words, local(now_us, zone)):
        rest = rest.replace(span.text, " ", 1)
        if span.kind not in ("date", "datetime", "period") or span.begin is None or span.finish is None:
            continue
        if span.finish - span.begin <= LONGEST_RANGE:
            found.append((int(span.begin.timestamp() * 1e6), int(span.finish.timestamp() * 1e6)))
    return tuple(found[:4]), bool(found) and asks_nothing_else(rest)


def _address(text: str) -> Kref | None:
    if len(text) > LONGEST_ADDRESS or "/" not in text or any(sign.isspace() for sign in text):
        return None
    try:
        return Kref.parse(text)
    except PalazzoError:
        return None


def _places(text: str, kref: Kref | None) -> PlaceGlob | None:
    """The places of a cue that is an address; that of a memory stands for its place."""
    if kref is None:
        if len(text) > LONGEST_ADDRESS or not looks_like_address(text):
            return None
        found = parse_address(text)
        if isinstance(found, PlaceGlob):
            return found
        kref = found
    return None if kref.palace else PlaceGlob(kref.place, "self")


def asked_of(cue: str, speaker: str) -> str:
    """The cue as a question to the one who speaks, or who asks."""
    if not speaker or speaker.casefold() not in cue.casefold():
        return cue
    name = rf"(?<!\w)(?<!the )(?<!an )(?<!a ){re.escape(speaker)}"
    cue = re.sub(rf"{name}['’]s(?!\w)", "my", cue, flags=re.IGNORECASE)
    return re.sub(rf"{name}(?!\w)", "I", cue, flags=re.IGNORECASE)


def read_cue(cue: Cue, names: Sequence[str], now_us: int) -> Plan:
    """Reads a cue; `names` are those who speak in the conversations this reader may see."""
    text = cue.text[:MAX_CUE].replace("\x00", " ").strip()
    label, words = speaker_label(text)
    if label and len(label) > 1 and label.casefold() not in {name.casefold() for name in names}:
        label, words = "", text
    words = asked_plainly(words)
    now_us = cue.now_us if cue.now_us is not None else now_us
    named = _named(words, names)
    spoken = f"{words} {cue.about}" if cue.about else words
    distinct = tuple(dict.fromkeys(parsed(spoken).terms))
    name_terms = {term for name in named for term in terms(name)}
    content = tuple(term not in STOP_WORDS and term not in name_terms for term in distinct)
    kref = _address(text)
    ranges, of_a_day = _ranges(words, now_us, cue.zone or UTC_NAME)
    return Plan(
        cue=cue, words=words, terms=distinct, content=content, meaning=without_names(spoken, named) or spoken,
        speakers=tuple(name.casefold() for name in named), said_by=(cue.speaker or label).casefold(),
        traits=read_traits(words, sum(content)), ranges_us=ranges, of_a_day=of_a_day, now_us=now_us,
        kref=kref, glob=_places(text, kref),
    )  # fmt: skip
