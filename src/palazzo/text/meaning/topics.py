"""What a text is about: topics of a closed set, its own most telling words, and the situations to come in which it will
matter.

Owns the counting; the words of each topic are data. Knows nothing about a collection: a keyword is telling by its form
(a name, a number, a long or repeated word), not by how rare it is elsewhere. Owns the choice of situations, which are
data: by what sort of statement it is (`concern`) and what it is about, in words that differ from the statement's own,
because those are indexed anyway. Invariants: results are deterministic, without repeats, in order of weight; at most
five situations, at least three where any fit, none for small talk; one shares a content word with the text only where
three others could not be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from palazzo.text.words.cues import CueTable, cue_terms, listed_cues
from palazzo.text.words.lexicon import ENGLISH, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.remembered import emptied_by
from palazzo.text.words.tokens import STOP_WORDS, UNSPACED, terms, word_terms

_PAGE: Final = page("topics")

_TOPICS: Final = _PAGE.listings("topics")
TOPICS: Final = tuple(_TOPICS)
_MAX_TOPICS: Final = 4
_MAX_READ: Final = 20_000
_SURE_WORDS: Final = 2.0
"""Words of a topic below which a text may only happen to use one of them: who runs late is no runner."""
_LEAD: Final = 0.5
"""Words by which the first topic leads the next one at least."""
_WORD = re.compile(r"[^\W_]+(?:['’.+#-][^\W_]+)*(?:\+\+|#)?")
_POSSESSIVE = re.compile(r"['’]s?$")
_ORDER: Final = {topic: at for at, topic in enumerate(TOPICS)}
# Content words by the stop list, yet they tell nothing about what a text is about.
_EMPTY: Final = _PAGE.words("empty")
_SKIPPED: Final = STOP_WORDS | _EMPTY


@cache
def topics_by_term() -> dict[str, tuple[str, ...]]:
    """Term to the topics it speaks for; computed once, because stems need the stemmer."""
    found: dict[str, list[str]] = {}
    for topic, listing in _TOPICS.items():
        for word in listing.split():
            for term in terms(word)[-1:]:
                labels = found.setdefault(term, [])
                if topic not in labels:
                    labels.append(topic)
    return {term: tuple(labels) for term, labels in found.items()}


def topics(text: str) -> tuple[str, ...]:
    """The topics a text touches, strongest first, at most four."""
    by_term = topics_by_term()
    counts: dict[str, float] = {}
    for term in parsed(text[:_MAX_READ]).terms:
        if term in by_term:
            labels = by_term[term]
            for label in labels:
                counts[label] = counts.get(label, 0.0) + 1.0 / len(labels)
    if not counts:
        return ()
    strongest = max(counts.values())
    kept = [label for label, count in counts.items() if count * 4 >= strongest]
    return tuple(sorted(kept, key=lambda label: (-counts[label], _ORDER[label]))[:_MAX_TOPICS])


def clear_topic(text: str) -> str:
    """The topic a text is surely about: two different words speak for it and for no other as much; else empty."""
    by_term = topics_by_term()
    counts: dict[str, float] = {}
    for term in set(parsed(text[:_MAX_READ]).terms):
        labels = by_term.get(term, ())
        for label in labels:
            counts[label] = counts.get(label, 0.0) + 1.0 / len(labels)
    ranked = sorted(counts.values(), reverse=True)
    if not ranked or ranked[0] < _SURE_WORDS or (len(ranked) > 1 and ranked[0] - ranked[1] < _LEAD):
        return ""
    return max(counts, key=lambda label: counts[label])


@once
def keywords(text: str, limit: int = 8) -> tuple[str, ...]:
    """The most telling words of a text as written (lower case unless a name), at most `limit`."""
    weights: dict[str, float] = {}
    written: dict[str, tuple[str, bool]] = {}
    for word, named in _words(text[:_MAX_READ]):
        for term, weight in _telling[word]:
            weights[term] = weights.get(term, 0.0) + weight + named
            if named or term not in written:
                written[term] = (word, named)
    ranked = sorted(weights, key=weights.__getitem__, reverse=True)[: max(0, limit)]
    return tuple(dict.fromkeys(_display(*written[term], term) for term in ranked))


def _words(text: str) -> Iterable[tuple[str, bool]]:
    """The words of a text that tell something, and whether each is written as a name."""
    if text.isascii() and text[1:] == text[1:].lower():
        return [(word, False) for word in _WORD.findall(text) if _telling[word]]
    return [
        (word, word[0].isupper() and _is_inside(text, match.start()))
        for match in _WORD.finditer(text)
        if _telling[word := match.group()]
    ]


class _Telling(dict[str, tuple[tuple[str, float], ...]]):
    """A word's terms that tell something, with their weight; filled as words are met, bounded as text is not."""

    def __missing__(self, word: str) -> tuple[tuple[str, float], ...]:
        weight = 1.0 + min(len(word), 10) / 20 + word[0].isdecimal()
        by_term = topics_by_term()
        found = tuple(
            (term, weight + 0.5 * (term in by_term))
            for term in (() if word in _SKIPPED else word_terms(word))
            if term not in _SKIPPED and len(term) > 1
        )
        if len(self) >= _WORDS_REMEMBERED:
            self.clear()
        if len(word) <= _LONGEST_REMEMBERED:
            self[word] = found
        return found


_WORDS_REMEMBERED: Final = 40_000
_LONGEST_REMEMBERED: Final = 40
_telling = _Telling()
emptied_by(_telling.clear)


def _is_inside(text: str, start: int) -> bool:
    """Whether a word stands inside a sentence, where a capital means a name."""
    return start > 1 and text[start - 2] not in ".!?:\n"


def _display(word: str, named: bool, term: str) -> str:
    if not word.isascii() and re.search(f"[{UNSPACED}]", word):
        return term
    bare = word if word.isalpha() else _POSSESSIVE.sub("", word)
    return bare if named else bare.lower()


MIN_PROSPECTS: Final = 3
MAX_PROSPECTS: Final = 5
_SILENT_KINDS: Final = frozenset({"transient", "context", "exchange", "summary", "bundle", "schema"})
_MOST_READ_AHEAD: Final = 4000
_SITUATIONS: Final = page("prospects")
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
    return CueTable(listed_cues(_SITUATIONS, "concerns"))


@cache
def _situations(entry: str) -> Mapping[str, tuple[str, ...]]:
    return {label: tuple(listing.strip().split("\n")) for label, listing in _SITUATIONS.listings(entry).items()}


@cache
def _by_subject() -> dict[str, tuple[str, ...]]:
    """Term to situations; computed once, because stems need the stemmer."""
    found: dict[str, tuple[str, ...]] = {}
    for row in _SITUATIONS.rows("by_subject"):
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
    found = cue_terms(text[:_MOST_READ_AHEAD], ENGLISH)
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
