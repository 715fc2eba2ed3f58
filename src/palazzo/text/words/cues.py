"""Phrases that hint at something, matched against a text in one pass over its terms.

Owns the notation of cue phrases and their matching: words are compared as terms, forms of "be" are one word, the
speaker ("I", "my", "the user", a given name, the name a text opens with) is one word, `*` stands for up to three
words, and `^` ties a phrase to the beginning. Knows nothing about what the labels mean.
Invariant: matching is linear in the number of terms for a given table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import msgspec

from palazzo.text.words import gazetteer
from palazzo.text.words.lexicon import ENGLISH, Page, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.tokens import terms

SPEAKER: Final = "i"
# A capitalised opening is a name when a second capital, a possessive or a verb of the third person follows.
_OPENING_NAME = re.compile(
    r"[A-Z][\w-]+(?: [A-Z][\w-]+(?=(?:['’]s)? [a-z])|(?=['’]s [a-z])|(?= (?:(?:also|really|often|always|never|just) )?"
    r"(?:is|was|has|had|will|would|does|did|can|could|[a-z]{2,}(?:[a-rt-z]s|ed))\b))"
)
_GAP: Final = "*"
_START: Final = "^"
_PAYLOAD: Final = ""
_MAX_GAP: Final = 3
_MAX_TERMS: Final = 400


class CueHit(msgspec.Struct, frozen=True, gc=False):
    """A cue that matched: its label, its weight, the phrase as it was written in the table, and where it began."""

    label: str
    weight: float
    phrase: str
    at: int


@cache
def _lemmas(language: str) -> dict[str, str]:
    """One word for many; a given name stands for a speaker, as propositions name theirs."""
    names = gazetteer.FIRST_NAMES - gazetteer.AMBIGUOUS
    listed = page("kinds", language).labelled("lemmas")
    by_word = {term: lemma for word, lemma in listed.items() for term in terms(word)}
    return {term: SPEAKER for name in names for term in terms(name)} | by_word


@once
def cue_terms(text: str, language: str = ENGLISH) -> tuple[str, ...]:
    """Terms of a text in the form cues are written: one word for the speaker, one for forms of be."""
    opening = _OPENING_NAME.match(text) if language == ENGLISH else None
    if opening:
        first = opening.group().partition(" ")[0].lower()
        if first not in gazetteer.PLAIN and not first.endswith(("ing", "ly", "n't", "ed")):
            text = "I" + text[opening.end() :]
    lemma = _lemmas(language)
    found = [lemma.get(term, term) for term in parsed(text).terms[:_MAX_TERMS]]
    if "user" in found:
        for at in range(len(found) - 1, 0, -1):
            if found[at] == "user" and found[at - 1] == "the":
                found[at - 1 : at + 1] = [SPEAKER]
    return tuple(found)


Cues = Mapping[str, Iterable[tuple[float, str]]]


def listed_cues(listed: Page, entry: str) -> Cues:
    """The cues of a page: for each label its phrases by their weight."""
    return {
        label: [(float(weight), listing) for weight, listing in groups.items()]
        for label, groups in listed.table(entry).items()
    }


class CueTable:
    """Cue phrases as one tree; built once per table."""

    __slots__ = ("_language", "_tree")

    def __init__(self, cues: Cues, language: str = ENGLISH) -> None:
        self._tree: dict[str, Any] = {}
        self._language = language
        for label, groups in cues.items():
            for weight, listing in groups:
                for phrase in listing.split(","):
                    self._add(" ".join(phrase.split()), label, weight)

    def _add(self, phrase: str, label: str, weight: float) -> None:
        if not phrase:
            return
        node = self._tree
        for word in phrase.split(" "):
            for part in (word,) if word in (_GAP, _START) else cue_terms(word, self._language):
                node = node.setdefault(part, {})
        known = node.setdefault(_PAYLOAD, [])
        if all(label != other for other, _, _ in known):
            known.append((label, weight, phrase))

    def hits(self, found: Sequence[str]) -> list[CueHit]:
        """Every cue that occurs in these cue terms, in order of position."""
        matched: list[CueHit] = []
        tree = self._tree
        opening = tree.get(_START)
        if opening is not None:
            self._walk(opening, found, 0, 0, matched)
        for at, term in enumerate(found):
            node = tree.get(term)
            if node is not None:
                self._walk(node, found, at + 1, at, matched)
        return matched

    def _walk(self, node: dict[str, Any], found: Sequence[str], at: int, origin: int, matched: list[CueHit]) -> None:
        for label, weight, phrase in node.get(_PAYLOAD, ()):
            matched.append(CueHit(label, weight, phrase, origin))
        if at >= len(found):
            return
        follow = node.get(found[at])
        if follow is not None:
            self._walk(follow, found, at + 1, origin, matched)
        gap = node.get(_GAP)
        if gap is not None:
            for step in range(at, min(at + _MAX_GAP + 1, len(found))):
                follow = gap.get(found[step])
                if follow is not None:
                    self._walk(follow, found, step + 1, origin, matched)
                    return
