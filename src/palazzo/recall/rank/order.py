"""The order of hits once it is known how likely each answers: what answers a question comes before what is about it.

Owns the rules that look at relevance after the ranking, and what a question for an order finds. Knows no store.
Invariants: no hit is lost or made; where a rule does not apply the order stays as it was ranked.
"""

from __future__ import annotations

from typing import Final

from palazzo.recall.answer.reply import Hit
from palazzo.recall.rank.relevance import NAMED
from palazzo.text.change.orders import settles
from palazzo.text.meaning.answering import reading, reads_as_english
from palazzo.text.words.parsed import parsed

ANSWERING: Final = 0.5
"""Share of the best hit's relevance from which on a hit stands among those that answer."""
ANSWERS: Final = 3
"""Hits that are put first because they answer; the rest stands as it was ranked."""


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


def answering_first(cue: str, hits: list[Hit]) -> list[Hit]:
    """Of what was told to an agent, what answers a question before what is far less likely to.

    The score knows what a memory is about, the relevance whether it answers. Among people, who answer each other in few
    words, the score decides.
    """
    if not reading(cue).asks or any(hit.speaker or hit.lane in ("place", "address", "earlier") for hit in hits):
        return hits
    least = ANSWERING * max((hit.relevance for hit in hits), default=0.0)
    first = [hit for hit in hits if hit.relevance >= least and not hit.replaced][:ANSWERS]
    return first + [hit for hit in hits if hit not in first]


def ordered(cue: str, hit: Hit) -> float:
    """How likely a standing instruction answers a question for one: it does where it has a word of it, or says what is
    asked: how long, in which language, in which tone."""
    if hit.memory.kind != "instruction":
        return 0.0
    shared = set(parsed(cue).content_terms).intersection(parsed(hit.text).content_terms)
    return NAMED if shared or settles(hit.text, cue) else 0.0
