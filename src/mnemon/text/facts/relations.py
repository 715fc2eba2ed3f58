"""Statements that tie two named things together, in the closed vocabulary of relation types.

Owns the patterns: kinship ("my sister Anna"), and a verb between a subject and an object ("Anna works for Acme").
Two names of one thing are read by equated.
The speaker is "the user", in first person or by that name. Knows nothing about stored entities.
Invariant: nothing is read out of a question, a negation, a wish or a thing of the past; what is found lies in
the text between `start` and `end`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mnemon.text.facts import entity_cues
from mnemon.text.facts import relation_patterns as patterns
from mnemon.text.facts.equated import EQUATING, equated
from mnemon.text.facts.relation_types import KIN, RELATIONS, RelationType
from mnemon.text.words import gazetteer

__all__ = ["RELATIONS", "USER", "RelationFact", "RelationType", "find_relations"]

USER: Final = "the user"


@dataclass(frozen=True, slots=True)
class RelationFact:
    """One tie read out of a text: who, what (a name of `RELATIONS`), whom, and where it was said."""

    subject: str
    predicate: str
    object: str
    confidence: float
    start: int
    end: int


def find_relations(text: str) -> tuple[RelationFact, ...]:
    """Every tie of the vocabulary that a text states, in order of appearance, each once."""
    verbs = patterns.verbs()
    found: dict[tuple[str, str, str], RelationFact] = {}
    last: tuple[str, int] | None = None
    reached = 0
    for spot in patterns.WORD.finditer(text.lower() if text.isascii() else _lowered(text)):
        word = spot.group()
        if word in EQUATING:
            for one in equated(text, spot.start(), word):
                key = (one.name, "also_known_as", one.other)
                if not _asks(text, one.end):
                    found.setdefault(key, RelationFact(*key, 0.9, one.start, one.end))
        if word in KIN:
            for fact in _kinship(text, spot.start()):
                found.setdefault((fact.subject, fact.predicate, fact.object), fact)
        elif word in verbs:
            if last is not None and patterns.BREAK.search(text, reached, spot.start()):
                last = None
            reached = spot.start()
            last = _subject_of(text, spot.start(), last)
            if last is not None and not _asks(text, spot.end()):
                for fact in _facts_at(text, spot, last):
                    found.setdefault((fact.subject, fact.predicate, fact.object), fact)
    return tuple(sorted(found.values(), key=lambda fact: (fact.start, fact.end)))


def _lowered(text: str) -> str:
    """Lower case with every position kept; a letter whose lower case is longer stays as it is."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _kinship(text: str, at: int) -> Iterator[RelationFact]:
    for pattern in patterns.kin_named():
        for match in pattern.finditer(text, max(0, at - patterns.LEFT_WINDOW), at + patterns.LEFT_WINDOW):
            owner, name, kin = match["owner"], _clean(match["name"]), match["kin"]
            if match.start("kin") != at or _asks(text, match.end()) or name.lower() in entity_cues.PLAIN:
                continue
            whose = USER if owner.lower() in ("my", "our", "the user's") else _clean(owner)
            if name and name != whose:
                yield RelationFact(name, KIN[kin], whose, 0.9, match.start(), match.end())


def _facts_at(text: str, spot: re.Match[str], subject: tuple[str, int]) -> Iterator[RelationFact]:
    name, start = subject
    left = text[max(0, spot.start() - 40) : spot.start()]
    if spot.group() in patterns.TASTE and not _can_like(spot.group(), left, name):
        return
    if spot.group() in patterns.JOBS and not patterns.IS_A.search(left):
        return
    for verb in patterns.verbs()[spot.group()]:
        match = verb.rest.match(text, spot.end())
        if match is None:
            continue
        for piece, end in _objects(text, match):
            ends = (piece, verb.predicate, name) if verb.swap else (name, verb.predicate, piece)
            if ends[0] != ends[2]:
                yield RelationFact(*ends, verb.confidence, start, end)
        return


def _can_like(verb: str, left: str, name: str) -> bool:
    """Only people like and own; after a form of be "like" compares, and one person "likes"."""
    if name == USER:
        return not left.endswith(patterns.COPULA) and not patterns.POSSESSED.search(left)
    return name[0].isupper() and verb.endswith("s") and not left.endswith(patterns.COPULA)


def _objects(text: str, match: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The object and those coordinated with it: "German, French and Dutch"."""
    piece, end = _trimmed(match["object"], match.start("object"))
    while piece:
        yield piece, end
        if not piece[0].isupper() and not gazetteer.is_name(piece):
            return
        more = patterns.another().match(text, end)
        if more is None or not (more["object"][0].isupper() or gazetteer.is_name(more["object"].lower())):
            return
        piece, end = _trimmed(more["object"], more.start("object"))


def _trimmed(phrase: str, start: int) -> tuple[str, int]:
    """The phrase up to the first word that begins something else, and where it ends."""
    kept: list[str] = []
    for word in phrase.split(" "):
        bare = word.rstrip(".,;:!?")
        lower = word.lower()
        if lower in patterns.STOP_OBJECT or (kept and (lower in entity_cues.CALENDAR or lower.endswith("ly"))):
            break
        kept.append(bare)
        if bare != word:
            break
    if not kept or kept[0].lower() in entity_cues.PLAIN | entity_cues.CALENDAR:
        return "", start
    piece = " ".join(kept)
    name = _clean(piece)
    return (name, start + len(piece)) if name and not name.isdigit() else ("", start)


def _subject_of(text: str, at: int, last: tuple[str, int] | None) -> tuple[str, int] | None:
    """Who does what the verb at a position says, and where that was named."""
    begin = max(0, at - patterns.LEFT_WINDOW)
    left = text[begin:at]
    match = patterns.subject().search(left)
    if match is None or left.endswith(", "):
        return last if left.endswith(patterns.JOINS) else None
    middle = match["middle"].lower().replace(",", " ").replace("’", "'").replace("'", " '").split()
    if patterns.CANCELS.intersection(middle) or left.endswith(patterns.CANCELLING_ENDS):
        return None
    if not patterns.JOINED.isdisjoint(middle):
        return last
    subject, start = match["subject"], begin + match.start("subject")
    while " " in subject and subject.partition(" ")[0].lower() in patterns.OPENERS:
        if subject.partition(" ")[0].lower() in patterns.CONDITIONS:
            return None
        start += subject.index(" ") + 1
        subject = subject.partition(" ")[2]
    if text[max(0, start - 8) : start].lower().split()[-1:] in patterns.CONDITION_ENDS:
        return None
    if not patterns.BETWEEN.issuperset(middle) and not _is_role(middle):
        return None
    if subject.lower() in patterns.NOBODY or subject[:2] in ("I'", "I’"):
        return None
    return _named(subject), start


def _is_role(middle: list[str]) -> bool:
    """ "I am a senior engineer at": words between a form of be and the noun are its description."""
    return bool(middle) and middle[0] in ("am", "is", "'m", "'s")


def _named(phrase: str) -> str:
    phrase = phrase.rstrip(",")
    if phrase.lower() in ("i", "we", USER):
        return USER
    match = patterns.kin_subject().match(phrase)
    if match is None:
        return _clean(patterns.DETERMINER.sub("", phrase))
    if match["name"]:
        return _clean(match["name"])
    whose, _, rest = phrase.partition(" ")
    if whose.lower() in ("my", "our"):
        return f"{USER}'s {rest}"
    return USER + phrase[len(USER) :] if phrase.lower().startswith(USER) else phrase


def _asks(text: str, at: int) -> bool:
    """Whether the sentence around a position is a question."""
    match = patterns.SENTENCE_END.search(text, at, at + patterns.SENTENCE_WINDOW)
    return match is not None and match.group() == "?"


def _clean(name: str) -> str:
    return patterns.POSSESSIVE.sub("", name.strip(" ,.;:!?-"))
