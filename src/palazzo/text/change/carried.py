"""What a change makes of the statement it changes: "moved pigeon from Fly to Render", or only "switched to Render".

Owns the reading of such a change, and of the statement as it is since then: the old side gives way to the new one and
every other word stays. The ways of saying it are data. Knows nothing of memories. Invariants: a side that is named
stands in the statement, and what changed too; where only the new side is named, one thing of its sort must; a statement
of what was, or of what belongs to another ("Tom's ex"), is not changed; a name is replaced whole or not at all.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from palazzo.text.change.beside import read
from palazzo.text.change.corrections import is_thing, sort_of
from palazzo.text.change.focus import focus
from palazzo.text.dates.tense import opens_in_present
from palazzo.text.words.grammar import DET, POSS, SUBJ
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once, parsed

_PAGE: Final = page("change")
_EDGES: Final = " .,;:!?…\"'“”()–—-"
_OWNER: Final = re.compile(r"['’]s\b|s['’](?=\s)")
_NAME: Final = re.compile(r"(?<![\w'’])[a-z]?[A-ZÄÖÜÉÈ][\w'’+-]*(?: [A-Z\d][\w'’+-]*)*")
_FIGURE: Final = re.compile(rf"(?<![\w.,:-])(?:\d+(?:[.,]\d+)?|{_PAGE.listing('figures')})(?= [a-z]|$)")
_SPEAKER: Final = frozenset({"i", "i'm", "we", "we're", "my", "our"})
MOST_WORDS: Final = 5
"""Words of a side that is named."""


class SidedChange(NamedTuple):
    """What changed, from what, to what; where no old side is named, what changed may be unnamed as well."""

    what: str
    old: str
    new: str


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    lines = "".join(_PAGE.listing(sides) for sides in ("carried", "one_sided"))
    return tuple(re.compile(line, re.IGNORECASE) for line in lines.strip().split("\n"))


@once
def carried_change(sentence: str) -> SidedChange | None:
    """The change that a sentence tells with its sides; none where nothing is named that changed, or to what."""
    plain = sentence.replace("’", "'").replace("'ve ", " 've ").strip()
    for form in _forms():
        match = form.match(plain)
        if match is None:
            continue
        sides = match.groupdict("")
        old, new = (sides.get(side, "").strip(_EDGES) for side in ("old", "new"))
        what = " ".join(filter(None, (sides.get(part) for part in ("who", "what"))))
        if new and old.lower() != new.lower() and len(old.split()) <= MOST_WORDS >= len(new.split()):
            change = SidedChange(what, old, new)
            one_sided = not old and what.lower() in ("", "i", "we")
            return (
                change
                if (one_sided or words_named(what)) and (old or sort_of(new) != "other" or is_thing(new))
                else None
            )
    return None


def words_named(text: str) -> frozenset[str]:
    """The words of what changed, without "we" and "our"."""
    tokens = parsed(text).tokens
    terms = parsed(text).content_terms
    plain = {word for word, bit in zip(tokens.lower, tokens.bits, strict=True) if bit & (SUBJ | DET | POSS)}
    return frozenset(term for term in terms if term not in plain)


def since_then(statement: str, change: SidedChange) -> str:
    """A statement as it is since a change; empty where the change says nothing of it."""
    if _OWNER.search(statement) or not words_named(change.what) <= frozenset(parsed(statement).content_terms):
        return ""
    if not change.old:
        return _with_another(statement, change)
    if not opens_in_present(parsed(statement).tokens):
        return ""
    old = re.sub(r"^(?:the|a|an) ", "", change.old, flags=re.IGNORECASE)
    found = list(re.finditer(rf"(?<![\w-]){re.escape(old)}(?![\w-])", statement, re.IGNORECASE))
    if len(found) != 1:
        return ""
    start, end = found[0].span()
    behind, before = statement[end:].split(), statement[:start].split()
    if behind and (behind[0][:1].isupper() or behind[0][:1].isdigit()) and statement[end] == " ":
        return ""
    if before and before[-1][:1].isupper() and len(before) > 1 and old[:1].isupper():
        return ""
    if before and before[-1].lower() in _PAGE.words("apart"):
        return ""
    new = re.sub(r"^(?:the|a|an) ", "", change.new, flags=re.IGNORECASE) if before[-1:] and before[-1].lower() in (
        "the", "a", "an", "our", "my"
    ) else change.new  # fmt: skip
    return statement[:start] + new + statement[end:]


def _with_another(statement: str, change: SidedChange) -> str:
    """A statement of the present with the new side in place of the one thing of its sort; empty where there is none."""
    words, new = parsed(statement).said, change.new
    told = read(statement)
    of_speaker = bool(words_named(change.what)) or not _SPEAKER.isdisjoint(words.lower)
    if told.news.did or told.news.was or told.negated or not of_speaker:
        return ""
    if _FIGURE.match(new):
        counted = list(_FIGURE.finditer(statement))
        return (
            statement[: counted[0].start()] + new.split()[0] + statement[counted[0].end() :]
            if len(counted) == 1
            else ""
        )
    if any(slot.functional and not slot.predicate.startswith("tool") for slot in told.slots):
        return ""  # who somebody is, where they live, whom they work for: no thing that another takes the place of
    place = focus(statement, new, told_what=False, unsure=True)
    if place is None and not _led(new):
        named = [found.span() for found in _NAME.finditer(statement) if found.start()]
        last = focus(statement, new, told_what=False)
        if _NAME.search(new):
            place = (*named[0], new) if len(named) == 1 and not _led(statement[: named[0][0]].split()[-1]) else None
        elif last is not None and _bare(statement, last[:2]):
            place = last
    return statement[: place[0]] + place[2] + statement[place[1] :] if place is not None else ""


def _led(words: str) -> bool:
    """Whether words begin with an article or with whose it is."""
    return bool(parsed(words).tokens.bits[0] & (DET | POSS))


def _bare(statement: str, span: tuple[int, int]) -> bool:
    """Whether a thing has neither a name nor a word before it that says which one: "we use pnpm"."""
    thing, before = statement[slice(*span)], statement[: span[0]].split()
    return not _NAME.search(thing) and not _led(thing) and not (before and _led(before[-1]))
