"""A question about the present: what was said once and replaced since does not stand among what holds.

Owns two tests. The store's: a statement drawn from a turn was revised or superseded, so the turn's words hold no more.
And, among the best hits only, the words': an older one and a newer one give different figures for what is asked.
Invariants: a cue that looks back keeps everything; nothing is held back without naming what replaced it; a turn that
says more than what was replaced is put behind the first hits, never left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from palazzo.recall.read.cue import Plan
from palazzo.store.api import Reading
from palazzo.text.change.contradiction import contradicts
from palazzo.text.meaning.asked import answers, gives_another, wanted_figure
from palazzo.text.words.parsed import parsed

FIRST: Final = 5
"""Places that hold only what still holds."""
LOOKED_AT: Final = 12
"""Best hits whose figures are compared."""
ABOUT: Final = 0.5
"""Share of what a turn has in common with the cue that the replaced statement must have: else it is not asked about."""
SHORT: Final = 6
"""Words of a statement that says one thing; of a longer one only what the newer statement speaks of was replaced."""
WHOLE: Final = 0.75
"""Share of a turn's words that the replaced statement must have, for the turn to say nothing else."""
AGENT: Final = "\x00agent"
"""Stands for the agent among those who speak: its answers repeat figures and state none."""


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """One of the best hits, as far as it is compared here; `who` said it."""

    key: int
    text: str
    valid_from_us: int
    who: str


class Replaced(msgspec.Struct, frozen=True, gc=False):
    """A hit that no longer holds: by which revision (key), and whether the turn says anything else."""

    by: int
    whole: bool


def looks_back(plan: Plan) -> bool:
    """Whether a cue is about what was, or about all there were: then nothing is held back."""
    traits = plan.traits
    if traits.about_past or traits.retrospective or traits.collects:
        return True
    if any(end <= plan.now_us for _, end in plan.ranges_us) and not traits.about_present:
        return True
    return traits.wants_time and traits.past_tense


def replaced(reading: Reading, plan: Plan, best: Sequence[Candidate]) -> dict[int, Replaced]:
    """Which of these hits, best first, were replaced since; by key."""
    if looks_back(plan) or not best:
        return {}
    return _by_figures(plan, best) | _by_store(reading, plan, best)


def _by_store(reading: Reading, plan: Plan, best: Sequence[Candidate]) -> dict[int, Replaced]:
    texts = {hit.key: hit.text for hit in best}
    drawn = reading.edges.replaced(list(texts))
    if not drawn:
        return {}
    cue = _words_of(plan)
    wanted = wanted_figure(plan.words)
    found: dict[int, Replaced] = {}
    for one in drawn:
        before = set(parsed(one.before).content_terms)
        if before <= set(parsed(one.now).content_terms) and contradicts(one.before, one.now) is None:
            continue  # only said more fully since
        if wanted is not None and not answers(one.before, wanted):
            continue  # a figure is asked for, and this statement gave none
        own = set(parsed(texts[one.key]).content_terms)
        matter = before if len(before) <= SHORT else before & set(parsed(one.now).content_terms)
        if len(cue & matter) < max(1, 0 if wanted is not None else ABOUT * len(cue & own)):
            continue
        whole = len(before & own) >= WHOLE * len(own)
        known = found.get(one.key)
        found[one.key] = Replaced(one.now_key, whole or (known is not None and known.whole))
    return found


def _by_figures(plan: Plan, best: Sequence[Candidate]) -> dict[int, Replaced]:
    wanted = wanted_figure(plan.words)
    if wanted is None:
        return {}
    told = [hit for hit in best[:LOOKED_AT] if hit.who != AGENT]
    found: dict[int, Replaced] = {}
    for old in told[:FIRST]:
        for new in told:
            newer = new.valid_from_us > old.valid_from_us and new.who == old.who
            if newer and gives_another(wanted, old.text, new.text):
                found[old.key] = Replaced(new.key, whole=False)
                break
    return found


def _words_of(plan: Plan) -> set[str]:
    return {term for term, carries in zip(plan.terms, plan.content, strict=True) if carries}


def order_without(keys: Sequence[int], gone: Mapping[int, Replaced]) -> list[int]:
    """Positions in their new order: what was replaced stands behind the first five, or is left out if it is all."""
    kept = [row for row, key in enumerate(keys) if key not in gone or not gone[key].whole]
    first = [row for row in kept if keys[row] not in gone][:FIRST]
    taken = set(first)
    return [*first, *(row for row in kept if row not in taken)]
