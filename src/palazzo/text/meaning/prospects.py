"""Situations to come in which a statement will matter, so that it is found when they arise.

Owns the choice: what sort of statement it is (`concern`), what it is about (its subjects), and that the words
differ from the statement's own, because those are indexed anyway. The situations themselves are data.
Invariant: deterministic; at most five phrases, at least three where any fit, none for small talk; a phrase
shares a content word with the text only where three others could not be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from palazzo.text.meaning.topics import topics
from palazzo.text.words.cues import CueTable, cue_terms, listed_cues
from palazzo.text.words.lexicon import ENGLISH, page
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import STOP_WORDS, terms

MIN_PROSPECTS: Final = 3
MAX_PROSPECTS: Final = 5
_SILENT_KINDS: Final = frozenset({"transient", "context", "exchange", "summary", "bundle", "schema"})
_MAX_READ: Final = 4000
_PAGE: Final = page("prospects")
_BY_KIND: Final = {
    "identity": "identity", "relationship": "relationship", "preference": "preference", "event": "event",
    "activity": "habit", "task": "deadline", "decision": "decision", "instruction": "instruction",
    "residence": "residence", "employment": "employment", "reflection": "value", "error": "error",
    "procedure": "procedure", "rule": "instruction", "asset": "possession",
}  # fmt: skip
# The kind decides here, whatever else the statement mentions.
_KIND_FIRST: Final = frozenset({"instruction", "error", "residence", "employment", "procedure"})


@cache
def _concerns() -> CueTable:
    """Most telling first: an allergy is a health matter too, but its own situations fit better."""
    return CueTable(listed_cues(_PAGE, "concerns"))


@cache
def _situations(entry: str) -> Mapping[str, tuple[str, ...]]:
    return {label: tuple(listing.strip().split("\n")) for label, listing in _PAGE.listings(entry).items()}


@cache
def _by_subject() -> dict[str, tuple[str, ...]]:
    """Term to situations; computed once, because stems need the stemmer."""
    found: dict[str, tuple[str, ...]] = {}
    for row in _PAGE.rows("by_subject"):
        situations = tuple(row["situations"].strip().split("\n"))
        for word in row["words"].split():
            for term in terms(word)[-1:]:
                found.setdefault(term, situations)
    return found


@cache
def _content(situation: str) -> frozenset[str]:
    return frozenset(parsed(situation).content_terms)


def prospects(text: str, kind: str) -> tuple[str, ...]:
    """Three to five situations to come in which this statement will matter; none for small talk."""
    if kind in _SILENT_KINDS:
        return ()
    found = cue_terms(text[:_MAX_READ], ENGLISH)
    own = {term for term in found if term not in STOP_WORDS}
    if not own:
        return ()
    pools = [_situations("by_concern")[concern] for concern in _ranked_concerns(found, kind)[:2]]
    subjects = _by_subject()
    pools[1:1] = list(dict.fromkeys(subjects[term] for term in found if term in subjects))[:2]
    if len(pools) < 2:
        pools += [_situations("by_topic")[topic] for topic in topics(text)[:2]]
    return _choose(pools, own) if pools else ()


def _ranked_concerns(found: tuple[str, ...], kind: str) -> list[str]:
    hits = sorted(_concerns().hits(found), key=lambda hit: (-hit.weight, hit.at))
    concerns = [hit.label for hit in hits]
    usual = _BY_KIND.get(kind)
    if usual is not None and (kind in _KIND_FIRST or not concerns):
        concerns.insert(0, usual)
    elif usual is not None:
        concerns.append(usual)
    return list(dict.fromkeys(concerns))


def _choose(pools: list[tuple[str, ...]], own: set[str]) -> tuple[str, ...]:
    """Round after round one phrase from each pool, those in other words first."""
    fresh: list[str] = []
    spare: list[str] = []
    for at in range(max(map(len, pools))):
        for pool in pools:
            if at < len(pool) and pool[at] not in fresh:
                (fresh if _content(pool[at]).isdisjoint(own) else spare).append(pool[at])
                if len(fresh) == MAX_PROSPECTS:
                    return tuple(fresh)
    missing = max(0, MIN_PROSPECTS - len(fresh))
    return tuple(fresh + list(dict.fromkeys(spare))[:missing])
