"""Signs of a change, cheap enough to be looked for in every statement, and what else may have changed with it, by typed
implication: who moves has another commute, gym and surgery.

Owns the reading of the types, which are data of each language: the kind a statement is of, the signs that it tells a
change, and the words of what goes with it. Knows nothing of memories. Invariant: only of the speaker's own change
anything follows, and only for what is the speaker's own.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import msgspec

from palazzo.text.words.language import reading_language
from palazzo.text.words.lexicon import has_page, page
from palazzo.text.words.parsed import parsed

PAGE: Final = "consequences"
_OPENING: Final = 12
_OWNER: Final = re.compile(r"([\w-]+)['’]s\b")


class Implied(msgspec.Struct, frozen=True, gc=False):
    """A type of change: its name, the kinds that tell it, its signs, and the words of what goes with it."""

    name: str
    kinds: frozenset[str]
    signs: re.Pattern[str]
    terms: frozenset[str]
    subject: frozenset[str]
    speaker: frozenset[str]


@cache
def _types(language: str) -> tuple[Implied, ...]:
    listed = page(PAGE, language)
    return tuple(
        Implied(
            row["name"], frozenset(row["kinds"].split()), re.compile(row["signs"], re.IGNORECASE),
            frozenset(parsed(row["touches"]).content_terms), listed.words("subject"), listed.words("speaker"),
        )
        for row in listed.rows("types")
    )  # fmt: skip


def implied_by(text: str, kind: str, *, changed: bool) -> Implied | None:
    """The type of change that the speaker's own statement tells; `changed` says that it replaced one
    of its kind."""
    language = reading_language(text)
    for one in _types(language if has_page(PAGE, language) else "en"):
        told = kind in one.kinds and (changed or one.signs.search(text) is not None)
        if told and _own(text, one):
            return one
    return None


def goes_with(text: str, implied: Implied) -> bool:
    """Whether a statement is of what goes with a change, and the speaker's own: not that of a brother."""
    words = parsed(text)
    if implied.terms.isdisjoint(words.content_terms) or implied.speaker.isdisjoint(words.said.lower):
        return False
    owners = {term for name in _OWNER.findall(text) for term in parsed(name).content_terms}
    return owners - implied.speaker <= implied.terms


def _own(text: str, implied: Implied) -> bool:
    """Whether the speaker is whom it is about: the first who is named."""
    return not implied.subject.isdisjoint(parsed(text).said.lower[:2]) and not _OWNER.search(text[:_OPENING])


_PAGE: Final = page("change")


@cache
def _sign(name: str) -> re.Pattern[str]:
    return re.compile(_PAGE.pattern("signs", name))


def gives_figure(low: str) -> bool:
    """Whether a figure is given, in digits or in words."""
    return _sign("figure").search(low) is not None


def may_tell_change(low: str) -> bool:
    """Whether a word of change, of denial or of liking stands in it."""
    return _sign("change").search(low) is not None


def tells_end(low: str) -> bool:
    """Whether something that was so is said to be over, told as something that happened."""
    return _sign("over").search(low) is not None


def tells_leaving(low: str) -> bool:
    """Whether somebody or something is said to be there no longer: given up, or gone."""
    return tells_end(low) or _sign("leaving").search(low) is not None


def lies_ahead(text: str) -> bool:
    """Whether a text tells of a change that is still to come, so that what was so before holds until then."""
    language = reading_language(text)
    return _ahead(language if has_page(PAGE, language) else "en").search(text.replace("’", "'")) is not None


@cache
def _ahead(language: str) -> re.Pattern[str]:
    return re.compile(page(PAGE, language).listing("ahead"), re.IGNORECASE | re.VERBOSE)
