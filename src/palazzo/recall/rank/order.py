"""The order of hits once it is known how likely each answers: what answers a question comes before what is about it.

Owns the rules that look at relevance after the ranking, and what a question for an order finds. Knows no store.
Invariants: no hit is lost or made; where a rule does not apply the order stays as it was ranked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from palazzo.recall.answer.reply import Hit
from palazzo.recall.rank.relevance import NAMED
from palazzo.text.change.orders import settles
from palazzo.text.meaning.answering import reading, reads_as_english
from palazzo.text.words.parsed import parsed

ANSWERING: Final = 0.5
"""Share of the best hit's relevance from which on a hit stands among those that answer."""
_FOR_A_NAME: Final = re.compile(r"\bnames?\b|\bcalled\b|\bnickname\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
CLEARLY: Final = 0.1
"""How much likelier than the first hit another one has to be to stand before it."""
LOOKED_AT: Final = 10
"""Hits among which those that answer come first; what was ranked behind them stays behind."""


def across_languages(cue: str, hits: list[Hit]) -> list[Hit]:
    """The signals of ranking read English: what is in another language stands by how well it answers.

    Of a cue in another language all hits do.
    """
    asked_in_english = reads_as_english(cue)
    ordered = [hit for hit in hits if asked_in_english and reads_as_english(hit.text)]
    for hit in sorted(hits, key=lambda one: -one.relevance):
        if asked_in_english and reads_as_english(hit.text):
            continue
        at = next((place for place, one in enumerate(ordered) if one.relevance < hit.relevance), len(ordered))
        ordered.insert(0 if hit.lane in ("place", "address") else at, hit)
    return ordered


def answering_first(cue: str, hits: list[Hit], *, of_a_day: bool) -> list[Hit]:
    """Of what was told to an agent, what answers a question before what is far less likely to, and first of all what is
    clearly likeliest to, where no day decides.

    The score knows what a memory is about, the relevance whether it answers. Among people, who answer each other in few
    words, the score decides.
    """
    if not reading(cue).asks or any(hit.speaker or hit.lane in ("place", "address", "earlier") for hit in hits):
        return hits
    best = hits[:LOOKED_AT]
    least = ANSWERING * max((hit.relevance for hit in best), default=0.0)
    first = [hit for hit in best if hit.relevance >= least and not hit.replaced]
    likeliest = max(range(len(first)), key=lambda at: first[at].relevance, default=0)
    clearly = likeliest and first[likeliest].relevance >= first[0].relevance + CLEARLY
    if clearly and not of_a_day and first[0].text not in first[likeliest].text:  # a turn has its statements before it
        first.insert(0, first.pop(likeliest))
    return [*first, *(hit for hit in best if hit.relevance < least or hit.replaced), *hits[LOOKED_AT:]]


def ordered(cue: str, hit: Hit) -> float:
    """How likely a standing instruction answers a question for one: it does where it has a word of it, or says what is
    asked: how long, in which language, in which tone."""
    if hit.memory.kind != "instruction":
        return 0.0
    shared = set(parsed(cue).content_terms).intersection(parsed(hit.text).content_terms)
    return NAMED if shared or settles(hit.text, cue) else 0.0


def names_asked(cue: str, renamed: Sequence[str]) -> frozenset[str]:
    """The other names of whom a question asks for the name: "what is my grandmother's name?" where she is known."""
    if not renamed or _FOR_A_NAME.search(cue) is None:
        return frozenset()
    said = set(_WORD.findall(cue))
    return frozenset(word for one in renamed for word in _WORD.findall(one) if word not in said and word[0].isupper())


def has_name(names: frozenset[str], text: str) -> bool:
    """Whether a text says one of these names."""
    return not names.isdisjoint(_WORD.findall(text))
