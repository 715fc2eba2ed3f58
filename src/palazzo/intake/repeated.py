"""Stage 8: is a draft already known: in its own words, by the slot it fills, in nearly the same words, or in others?

A cosine says that two texts are about the same thing; only the words say whether they state it equally, so every merge
passes the guard of `similarity.near_duplicate`. What happened on two days happened twice: episodes are duplicates only
on the same day, and so is whatever names a day. Nothing is merged that differs in a number, name, negation, date,
direction or person.

Owns the verdict on a draft. Knows nothing of disagreements (`weigh`). Invariant: what is said in other words is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

import msgspec

from palazzo.intake.changed import BESIDE, SAME_AT, Budget, read_beside, repeats
from palazzo.intake.known import Held, Known, cosines, just_told, word_set
from palazzo.intake.screen import place_of
from palazzo.intake.touched import Touched
from palazzo.intake.values import Draft
from palazzo.model.address import Place
from palazzo.model.kinds import KindTable
from palazzo.model.message import Outcome
from palazzo.model.zone import local
from palazzo.text.words.lexicon import page
from palazzo.text.words.similarity import adds_information, agrees, jaccard, names_others, near_duplicate, says_all_of

NEAR_MEANING = 0.85
ALIKE = 0.5
"""Share of the words that two statements have in common, from which on where one lives tells where the other does."""
SHARED_WORDS = 0.6
"""Texts that share fewer of their words are not compared further: `near` allows a third of them to be extra."""
_CARRIERS = page("similarity").words("carriers")
"""Stems that carry a slot value and add nothing to it: "lives in" for "moved to"."""


class Verdict(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is to become of a draft, and which memory that concerns.

    `also` are further memories taken out of belief; `history` keeps the draft as an earlier revision; `stays` is what
    of the older statement still holds: then that is its next revision, and the draft a memory of its own.
    """

    outcome: Outcome = "stored"
    reason: str = ""
    held: Held | None = None
    score: float | None = None
    text: str = ""
    also: tuple[Held, ...] = ()
    history: bool = False
    stays: str = ""
    touched: tuple[Touched, ...] = ()
    """Memories that may have changed with it."""
    doubted: tuple[Held, ...] = ()
    """Memories that may be of the matter of what it replaces."""

    @property
    def taken_back(self) -> tuple[Held, ...]:
        """The memories whose statements it replaces."""
        return (self.held, *self.also) if self.outcome == "superseded" and self.held is not None else ()


def by_wording(draft: Draft, known: Known, kinds: KindTable) -> Verdict | None:
    """Skip what is known in the same words, where it was to be kept; of a document to the letter, if neither has a
    name."""
    place = place_given(draft)
    for text in dict.fromkeys((draft.text, draft.statement)):
        for held in known.worded_as(text):
            if place not in (None, held.place):
                continue
            same = not held.title and held.text == text if draft.role == "document" else not held.given
            if same and _same_occasion(draft, held, kinds, known):
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
    said = draft.statement
    own = word_set(draft.statement)
    for held in near:
        shared = jaccard(own, word_set(held.statement))
        if shared < SHARED_WORDS or held.scope != known.scope or not _same_occasion(draft, held, kinds, known):
            continue
        verdict = near_duplicate(held.statement, said)
        if verdict == "different":
            continue
        just_now = just_told(known, draft, held)
        score = cosines(known, draft, [held])[0]
        score = round(shared if score is None else score, 3)
        if verdict == "same":
            return Verdict(outcome="skipped", reason="same wording", held=held, score=score)
        if score < NEAR_MEANING and not just_now:
            continue
        if adds_information(held.statement, said):
            text = draft.text if len(draft.text) >= len(held.text) else held.text
            return Verdict(outcome="merged", reason="adds to what is known", held=held, score=score, text=text)
        reason = "told again within the hour" if score < NEAR_MEANING else "says no more than what is known"
        return Verdict(outcome="skipped", reason=reason, held=held, score=score)
    return None


def in_other_words(
    draft: Draft, candidates: Sequence[Held], near: Collection[UUID], known: Known, kinds: KindTable, budget: Budget
) -> Verdict | None:
    """Store what says the same as a known memory in other words, or all of it and more, and link it: both are kept.

    The reader says so of those it read; where it reads nothing, their vectors or half of their words do.
    """
    mine = [held for held in candidates if not held.given and held.scope == known.scope]
    episodic = kinds.get(draft.kind).layer == "episodic"
    mine = [
        held for held in mine
        if not (episodic and kinds.get(held.kind).layer == "episodic") or _same_occasion(draft, held, kinds, known)
    ]  # fmt: skip
    read = read_beside(draft, mine, known, budget)
    found = [
        (odds.same, held) for odds, held in read
        if odds.same >= SAME_AT and not names_others(held.statement, draft.statement)
    ]  # fmt: skip
    more = [held for odds, held in read if odds.holds < BESIDE] + [held for held in mine if repeats(draft, held)]
    found += [
        (jaccard(word_set(draft.statement), word_set(held.statement)), held)
        for held in more
        if says_all_of(held.statement, draft.statement)
    ]
    if not read and not found:  # there are no weights, or the call has read enough
        alike = [held for held in mine if _same_occasion(draft, held, kinds, known)]
        found = _near_in_meaning(draft, alike, near, known)
    if not found:
        return None
    score, held = max(found, key=lambda one: one[0])
    return Verdict(reason="near in meaning", held=held, score=round(score, 3))


def _near_in_meaning(
    draft: Draft, candidates: Sequence[Held], near: Collection[UUID], known: Known
) -> list[tuple[float, Held]]:
    own = word_set(draft.statement)
    alike = [h for h in candidates if h.memory_id in near or jaccard(own, word_set(h.statement)) >= ALIKE]
    alike = [held for held in alike if agrees(held.statement, draft.statement)]
    scores = [
        jaccard(own, word_set(held.statement)) if cosine is None else cosine
        for held, cosine in zip(alike, cosines(known, draft, alike), strict=True)
    ]
    return [(score, held) for score, held in zip(scores, alike, strict=True) if score >= NEAR_MEANING]


def place_given(draft: Draft) -> Place | None:
    """The place its sender gave: what stands elsewhere is another memory, whatever it says."""
    return place_of(draft.letter.message.place) if draft.letter.message.place else None


def _same_occasion(draft: Draft, held: Held, kinds: KindTable, known: Known) -> bool:
    """Whether both may be the same: what lasts always, what happened on one day, or told twice within the hour."""
    if draft.role == "document" or held.given:
        return draft.kind == held.kind
    letter, when = draft.letter, draft.findings.valid_from_us or 0
    dated = when != letter.at_us
    if not dated and kinds.get(draft.kind).layer != "episodic" and kinds.get(held.kind).layer != "episodic":
        return True
    same_day = local(when, letter.zone).date() == local(held.valid_from_us, letter.zone).date()
    return same_day or (not dated and held.valid_from_us == known.stated_us(held) and just_told(known, draft, held))
