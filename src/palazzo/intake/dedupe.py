"""Stage 8, dedupe: is this already known? Equal wording, or near enough in words and in meaning.

A cosine says that two texts are about the same thing; only the words say whether they state it equally, so every merge
passes the guard of `similarity.near_duplicate`. What happened on two days happened twice: episodes are duplicates only
on the same day. Invariant: nothing is merged that differs in a number, name, negation, date, direction or person.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from palazzo.intake.drafts import Draft
from palazzo.intake.known import Held, Known, plain, word_set
from palazzo.model.fate import Outcome
from palazzo.model.kinds import KindTable
from palazzo.text.words.lexicon import page
from palazzo.text.words.similarity import adds_information, jaccard, near_duplicate

SAME_MEANING = 0.95
NEAR_MEANING = 0.85
SHARED_WORDS = 0.6
"""Texts that share fewer of their words are not compared further: `near` allows a third of them to be extra."""
_CARRIERS = page("similarity").words("carriers")
"""Stems that carry a slot value and add nothing to it: "lives in" for "moved to"."""
DAY_US = 86_400_000_000


class Verdict(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is to become of a draft, and which memory that concerns.

    `also` are further memories taken out of belief; `history` keeps the draft as an earlier revision.
    """

    outcome: Outcome = "stored"
    reason: str = ""
    held: Held | None = None
    score: float | None = None
    text: str = ""
    also: tuple[Held, ...] = ()
    history: bool = False


def by_wording(draft: Draft, known: Known, kinds: KindTable) -> Verdict | None:
    """Skip what is known in the same words."""
    for text in dict.fromkeys((draft.text, draft.statement)):
        for held in known.worded_as(text):
            if _same_occasion(draft, held, kinds):
                return Verdict(outcome="skipped", reason="same wording", held=held, score=1.0)
    return None


def by_slot(draft: Draft, filling: Sequence[Held], known: Known) -> Verdict | None:
    """Skip a statement that fills a slot with the value it has and says hardly more."""
    atoms = {(a.subject, a.predicate, a.value.casefold(), a.negated) for a in draft.findings.atoms if a.functional}
    if len(atoms) != 1:
        return None
    for held in filling:
        states = {(a.subject, a.predicate, a.value.casefold(), a.negated) for a in held.atoms}
        if held.scope != known.scope or not atoms <= states:
            continue
        if word_set(draft.statement) ^ word_set(held.statement) <= _CARRIERS:
            return Verdict(outcome="skipped", reason="same slot and value", held=held)
    return None


def by_meaning(draft: Draft, near: Sequence[Held], known: Known, kinds: KindTable) -> Verdict | None:
    """Skip or merge what is known in nearly the same words."""
    said = plain(draft.statement)
    own = word_set(draft.statement)
    for held in near:
        shared = jaccard(own, word_set(held.statement))
        if shared < SHARED_WORDS or held.scope != known.scope or not _same_occasion(draft, held, kinds):
            continue
        verdict = near_duplicate(plain(held.statement), said)
        if verdict == "different":
            continue
        score = _cosine(draft, held, known)
        score = round(shared if score is None else score, 3)
        if verdict == "same":
            return Verdict(outcome="skipped", reason="same wording", held=held, score=score)
        if score < NEAR_MEANING:
            continue
        if adds_information(plain(held.statement), said):
            text = draft.text if len(draft.text) >= len(held.text) else held.text
            return Verdict(outcome="merged", reason="adds to what is known", held=held, score=score, text=text)
        return Verdict(outcome="skipped", reason="says no more than what is known", held=held, score=score)
    return None


def _same_occasion(draft: Draft, held: Held, kinds: KindTable) -> bool:
    if held.kind == "exchange":
        return False
    if kinds.get(draft.kind).layer != "episodic" and kinds.get(held.kind).layer != "episodic":
        return True
    when = draft.findings.valid_from_us or 0
    return when // DAY_US == held.valid_from_us // DAY_US


def _cosine(draft: Draft, held: Held, known: Known) -> float | None:
    """The cosine in the first space both have a vector in; None without one."""
    for space, vector in draft.vectors.items():
        if held.key is None:
            if space in held.vectors:
                return float(vector @ held.vectors[space])
            continue
        found = known.reading.search.space(space)
        if found is None:
            continue
        scores = known.reading.search.similarities(found, vector, np.asarray([held.key], np.int64))
        if not np.isnan(scores[0]):
            return float(scores[0])
    return None
