"""What stands among present facts: what was said and still holds, and no talk.

Owns four tests over the best hits. A turn is shown through the statements drawn from it: where none of them holds any
longer (revised, superseded, ended, taken back, forgotten) the turn is no fact either. What a batch told and
no pass has settled yet is read beside the other hits. Of what the agent said, and of
turns to an agent that only ask, greet or pass the time, nothing is a fact: they are shown to a cue that asks for the
talk itself. Invariants: a cue that looks back keeps everything that was ever stated; nothing that was replaced is left
out without naming what replaced it; a turn that says more than what was replaced is put behind the first hits, with a
caveat, and never left out; among people, who tell each other things by asking, a question is evidence like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from palazzo.recall.answer.reply import Hit
from palazzo.recall.read.cue import Plan
from palazzo.store.api import Drawn, Marks, Reading
from palazzo.text.change.beside import BOTH_HOLD, of_another_number
from palazzo.text.change.contradiction import contradicts
from palazzo.text.change.implied import lies_ahead, tells_end
from palazzo.text.meaning.answering import reading as reading_of
from palazzo.text.meaning.asked import answers, gives_another, wanted_figure
from palazzo.text.meaning.instructions import for_once, is_order
from palazzo.text.reader import judgements
from palazzo.text.statements.propositions import states_nothing
from palazzo.text.words.parsed import parsed

FIRST: Final = 5
"""Places that hold only what still holds."""
LIKELY, DOUBTED = 0.42, 0.25
"""Weights from which on the older side of a conflict is left behind when the present is asked for, and from which on it
only stands behind the newer one, marked: odds of 0.86 and of one half by the reader. Of 319 statements for development
that answer the same question as a newer one and are between these odds, nine in ten no longer held."""
ANSWERS, ANEW = 0.5, 0.2
"""Relevance of two hits that both answer a question, and the odds of a change that are asked of them then: of 12 such
pairs of different days 10 were changes."""
DAY_US: Final = 86_400_000_000
LOOKED_AT: Final = 12
"""Best hits whose figures are compared."""
PAIRS: Final = 4
"""Pairs of the best hits that are read together, where one of the two was not settled yet."""
ABOUT: Final = 0.5
"""Share of what a turn has in common with the cue that the replaced statement must have: else it is not asked about."""
SHORT: Final = 6
"""Words of a statement that says one thing; of a longer one only what the newer statement speaks of was replaced."""
WHOLE: Final = 0.75
"""Share of a turn's words that the replaced statement must have, for the turn to say nothing else."""


class SaidTexts:
    """What the best hits say and since when: read at once when one of them is asked for it, unless it is known."""

    def __init__(self, reading: Reading, keys: Sequence[int], marks: Marks | None) -> None:
        self._reading = reading
        self._keys = keys
        self._known = None if marks is None else _by_key(marks)

    def of(self, key: int) -> tuple[str, int]:
        """The text of one of them, and since when that holds."""
        if self._known is None:
            self._known = _by_key(self._reading.memories.marks_of(self._keys))
        return self._known[key]


def _by_key(marks: Marks) -> dict[int, tuple[str, int]]:
    return dict(zip(marks.keys, zip(marks.texts, marks.valid_from_us, strict=True), strict=True))


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """One of the best hits, as far as it is compared here; `who` said it, empty for an agent's user without a name."""

    key: int
    said: SaidTexts
    who: str
    turn: bool
    to_agent: bool
    """Whether it was said to an agent and not among people."""
    by_agent: bool

    @property
    def text(self) -> str:
        """What it says."""
        return self.said.of(self.key)[0]

    @property
    def valid_from_us(self) -> int:
        """Since when."""
        return self.said.of(self.key)[1]


class Replaced(msgspec.Struct, frozen=True, gc=False):
    """A hit that no longer holds: by which revision (key; 0 where nothing took its place), and whether that is all the
    turn says."""

    by: int
    whole: bool
    sure: bool = True
    """Else it may have changed: it is marked, and stands behind what may have changed it."""
    likely: bool = True
    """Whether that is so likely that of two that answer as well only the newer one is shown."""
    part: bool = False
    """Whether something else that it told is known to hold still."""


class Judged(msgspec.Struct, frozen=True, gc=False):
    """What the best hits are, by key: those that were replaced since, and those that are talk."""

    replaced: Mapping[int, Replaced]
    talk: frozenset[int]


def looks_back(plan: Plan) -> bool:
    """Whether a cue is about what was, or about all there were: then nothing is held back."""
    traits = plan.traits
    if traits.about_past or traits.retrospective or traits.collects:
        return True
    if any(end <= plan.now_us for _, end in plan.ranges_us) and not traits.about_present:
        return True
    return traits.wants_time and traits.past_tense


def wants_talk(plan: Plan) -> bool:
    """Whether a cue asks for what the asker said or asked, and not for what is the case."""
    return plan.traits.about_talk or plan.traits.retrospective


def judge(
    reading: Reading, plan: Plan, best: Sequence[Candidate], late: Callable[[], bool], *, reads: bool = True
) -> Judged:
    """Which of these hits, best first, do not stand among present facts; `reads`: a learned reader may be asked."""
    keys = [hit.key for hit in best]
    drawn: dict[int, list[Drawn]] = {}
    for one in reading.edges.drawn(keys, plan.now_us) if keys else ():
        drawn.setdefault(one.key, []).append(one)
    talk: frozenset[int] = frozenset()
    if not wants_talk(plan):
        talk = frozenset(
            hit.key for hit in best
            if hit.turn and hit.to_agent and not hit.by_agent and hit.key not in drawn
            and (states_nothing(hit.text) or (is_order(hit.text) and for_once(hit.text)))
        )  # fmt: skip
    if looks_back(plan) or not best:
        return Judged({}, talk)
    unsure = {} if late() else (_by_reader(reading, best) if reads else {}) | _disputed(reading, keys)
    return Judged(unsure | _by_figures(plan, best) | _by_store(plan, best, drawn), talk)


def _by_store(plan: Plan, best: Sequence[Candidate], drawn: Mapping[int, Sequence[Drawn]]) -> dict[int, Replaced]:
    cue = {term for term, carries in zip(plan.terms, plan.content, strict=True) if carries}
    wanted = wanted_figure(plan.words)
    found: dict[int, Replaced] = {}
    for hit in best:
        gone = [one for one in drawn.get(hit.key, ()) if not one.holds and not _only_fuller(one)]
        if not gone:
            continue
        by = max(one.now_key for one in gone)
        own = set(parsed(hit.text).content_terms)
        lost = {term for one in gone for term in _taken_back(one)}
        if len(gone) == len(drawn[hit.key]):  # nothing of what it told holds any longer
            found[hit.key] = Replaced(by, whole=len(lost & own) >= WHOLE * len(own))
            continue
        for one in gone:
            if wanted is not None and not answers(one.before, wanted):
                continue  # a figure is asked for, and this statement gave none
            matter = _taken_back(one)
            if len(cue & matter) >= max(1, 0 if wanted is not None else ABOUT * len(cue & own)):
                found[hit.key] = Replaced(one.now_key, whole=len(matter & own) >= WHOLE * len(own), part=True)
                break
    return found


def _taken_back(one: Drawn) -> set[str]:
    """The words of a statement that no longer hold: all of a short one, of a longer one what the newer speaks of."""
    before = set(parsed(one.before).content_terms)
    if len(before) <= SHORT:
        return before
    return before & set(parsed(one.now).content_terms) or before


def _only_fuller(one: Drawn) -> bool:
    """Whether what holds now only says more fully what was drawn."""
    if not one.now or tells_end(one.now.lower()):
        return False
    before, now = parsed(one.before).content_terms, parsed(one.now).content_terms
    return set(before) <= set(now) and contradicts(one.before, one.now) is None


def _by_figures(plan: Plan, best: Sequence[Candidate]) -> dict[int, Replaced]:
    wanted = wanted_figure(plan.words)
    if wanted is None:
        return {}
    told = [hit for hit in best[:LOOKED_AT] if not hit.by_agent]
    found: dict[int, Replaced] = {}
    for old in told[:FIRST]:
        for new in told:
            newer = new.valid_from_us > old.valid_from_us and new.who == old.who
            apart = of_another_number(old.text, new.text) or lies_ahead(new.text)
            if newer and not apart and gives_another(wanted, old.text, new.text):
                found[old.key] = Replaced(new.key, whole=False)
                break
    return found


def _by_reader(reading: Reading, best: Sequence[Candidate]) -> dict[int, Replaced]:
    """What a newer one of the best hits changes of an older one, where no pass has read the two together yet."""
    keys = [hit.key for hit in best[:LOOKED_AT] if not hit.turn and not hit.by_agent]
    unread = reading.known.unread(keys) if len(keys) > 1 else frozenset[int]()
    if not unread:
        return {}
    told = reading.known.of(keys)
    pairs = [
        (old, new) for old in told[:FIRST] for new in told
        if (new.valid_from_us, new.key) > (old.valid_from_us, old.key) and not unread.isdisjoint((old.key, new.key))
        and not of_another_number(old.text, new.text)
    ][:PAIRS]  # fmt: skip
    odds = judgements.change([(old.text, new.text) for old, new in pairs]) if pairs else None
    marked_at, replaced_at = judgements.figure("marked_at", 1.0), judgements.figure("replaced_at", 1.0)
    return {
        old.key: Replaced(new.key, whole=False, sure=(sure := one.replaces >= replaced_at), likely=sure)
        for (old, new), one in zip(pairs, odds or (), strict=False)
        if one.replaces >= marked_at
    }


def _disputed(reading: Reading, keys: Sequence[int]) -> dict[int, Replaced]:
    """The older sides of open conflicts in which the newer one may be right."""
    found = reading.known.disputed(keys[:LOOKED_AT], DOUBTED)
    likely = reading.known.disputed(keys[:LOOKED_AT], LIKELY) if found else {}
    return {
        older: Replaced(newer, whole=False, sure=False, likely=likely.get(older) == newer)
        for older, newer in found.items()
    }


def order_without(keys: Sequence[int], judged: Judged) -> list[int]:
    """Positions in their new order: talk is left out; what was replaced stands behind the first five, or is left out if
    it is all."""
    gone = {key: one for key, one in judged.replaced.items() if one.sure}
    kept = [row for row, key in enumerate(keys) if key not in judged.talk and (key not in gone or not gone[key].whole)]
    first = [row for row in kept if keys[row] not in gone][:FIRST]
    taken = set(first)
    return [*first, *(row for row in kept if row not in taken)]


def answered_anew(plan: Plan, hits: Sequence[Hit]) -> dict[int, Replaced]:
    """Which of the first hits answer a question of the present that a newer one of another day answers too, where the
    reader gives it some odds that the newer one takes the older one's place: both are shown, the older one marked."""
    if looks_back(plan) or not reading_of(plan.words).asks:
        return {}
    told = [
        (hit.memory.revision.content.valid_from_us or hit.memory.revision.created_us, hit) for hit in hits[:FIRST]
        if hit.relevance >= ANSWERS and not (hit.speaker or hit.replaced or hit.quoted) and hit.lane == "recalled"
    ]  # fmt: skip
    told = [(since, hit) for since, hit in told if since <= plan.now_us]
    if len(told) < 2:
        return {}
    last, newest = max(told, key=lambda one: one[0])
    older = [hit for since, hit in told if last - since >= DAY_US]
    pairs = [(hit.text, newest.text) for hit in older]
    odds = judgements.change(pairs) if pairs else None
    return {
        hit.memory.revision.key: Replaced(newest.memory.revision.key, whole=False, sure=False, likely=False)
        for hit, pair, one in zip(older, pairs, odds or (), strict=False)
        if one.replaces >= ANEW and not any(test(*pair) for test in BOTH_HOLD)
    }
