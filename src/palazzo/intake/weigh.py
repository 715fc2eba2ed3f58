"""Stage 9: does a draft disagree with what is believed, or with the batch so far, and what becomes of it?

Candidates are memories that fill the same slot and those nearest in words; whether two statements disagree is judged by
the text room, and which of the two is believed then by the beliefs. Owns what of both sides matters to that decision,
which verdict carries it out, the order of the checks, and the ids, names and places of what will be written. The mode
asked for comes from the message, else the policy's mode for the kind, else the policy's own. Invariant: after a draft
is weighed, later drafts of the batch see the palace as it will be.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import VersionConflict
from palazzo.intake.changed import (
    BOTH_REPLACED,
    DOUBT,
    FEW,
    HEDGED,
    PAIRS_A_CALL,
    READER,
    Budget,
    changes_read,
    holds_in_part,
    of_one_matter,
    says_more,
    surely_holds,
    what_stays,
    with_disputed,
)
from palazzo.intake.known import Held, Known, matter_of, word_set
from palazzo.intake.placing import bears_name, name_of, suggest, turn_name
from palazzo.intake.repeated import ALIKE, Verdict, by_meaning, by_slot, by_wording, in_other_words, place_given
from palazzo.intake.touched import touched_by
from palazzo.intake.values import GIVEN_ROLES, Draft, Policy
from palazzo.model.address import Place, slug
from palazzo.model.belief import Decide, Incumbent, Newcomer, Settlement
from palazzo.model.change import AddRevision
from palazzo.model.ids import new_id
from palazzo.model.kinds import HAPPENED, KindTable
from palazzo.model.memory import TEXT_LIMIT_BYTES
from palazzo.text.change import implied
from palazzo.text.change.contradiction import SUPERSEDES, Contradiction, contradicts, takes_up_again
from palazzo.text.change.orders import takes_place_of
from palazzo.text.facts.slots.find import find_slots
from palazzo.text.words.similarity import jaccard

FLOORS = {"slot": 0.65, "quantity": SUPERSEDES, "negation": 0.8, "cue": SUPERSEDES}
"""What a disagreement must score before anything is superseded. Away from the same slot words mislead more often: on
BEAM every slot match below 0.65 and three of four negations below 0.8 joined different matters."""
ANNOUNCED = 0.65
"""A figure scores this much when the newer statement says that it changed."""
ALSO = {"slot": SUPERSEDES, "quantity": 0.8}
"""What further memories must score to be taken out of belief together with the one that is revised."""
ONE_VALUE = frozenset({"slot", "quantity"})
"""Grounds on which only one of two statements can hold, whatever their kinds."""
ENOUGH_SHARED = 2
"""Statements with fewer content words in common are about different matters, unless they fill the same slot; two
figures may share only the thing they count."""
INTENTIONS = frozenset({"task", "activity", "context"})
"""What somebody is about to do is not taken back by what they have or have not done."""
_HAPPENINGS = frozenset({"event", "activity", "context", "reflection"})
"""What happened is taken back only by another value of the same slot or figure; words of change alone say nothing."""


_STATES = frozenset({"residence", "employment", "relationship", "identity", "preference"})
"""What is so until it changes: another one that has a day to come holds from that day on."""


def worth_comparing(draft: Draft) -> bool:
    """Whether a statement is compared with the nearest known ones, which costs a search.

    It is when another could disagree with it: it fills a slot, gives a figure, or has a word of change.
    """
    low = draft.statement.lower()
    if any(atom.functional for atom in draft.findings.atoms) or implied.gives_figure(low) or implied.tells_end(low):
        return True
    return draft.kind not in _HAPPENINGS and implied.may_tell_change(low)


class Judging(msgspec.Struct, frozen=True):
    """What a disagreement is settled by: the policy, the table of kinds, who decides, and what may yet be read."""

    policy: Policy
    kinds: KindTable
    decide: Decide
    budget: Budget


def by_belief(draft: Draft, candidates: Sequence[Held], known: Known, rules: Judging) -> Verdict | None:
    """How a disagreement with what is believed is settled; None when there is none."""
    said = draft.statement
    own = matter_of(draft.statement)
    brief = implied.gives_figure(said.lower()) or implied.tells_end(said.lower())
    enough = 1 if brief else min(ENOUGH_SHARED, len(own))
    found: list[tuple[Contradiction, Held]] = []
    for held in candidates:
        shared = own & matter_of(held.statement)
        if draft.kind == held.kind == "instruction":  # two of these disagree only about one matter
            found += [(Contradiction(FLOORS["slot"], "slot"), held)] if takes_place_of(said, held.statement) else []
            continue
        close = _same_slot(draft, held) or (shared and (_gives_up(said, held) or takes_up_again(held.statement, said)))
        if len(shared) < enough and not close:
            continue
        clash = contradicts(held.statement, said)
        if clash is not None and _counts(clash, draft, held) and not surely_holds(draft, held, clash):
            found.append((clash, held))
    if any(clash.score >= SUPERSEDES for clash, _ in found):
        found += [(clash, held) for _, clash, held in rules.budget.left.pop(draft.letter.number, ())]
    else:
        found += changes_read(draft, candidates, known, rules.budget)
    if not found:
        return None
    found.sort(key=lambda pair: -pair[0].score)
    clash, held = found[0]
    others = tuple(h for c, h in found[1:] if c.score >= _also(c.reason) and h.scope == known.scope)
    others = with_disputed((held, *others), known)[1:] if clash.score >= SUPERSEDES else others
    verdict = _settled(draft, (clash, held), others, _decided(draft, (clash, held), known, rules))
    if verdict.outcome in ("superseded", "conflict") and _to_come(draft, held):  # what is so holds until then
        return Verdict(reason="holds from a later day", score=clash.score, doubted=(held, *others))
    if verdict.outcome == "conflict" and clash.reason == READER and held.key is not None:
        part = Contradiction(SUPERSEDES, READER), held  # what is unsure of the whole may be sure of a part
        if what_stays(draft, held, least=BOTH_REPLACED):
            verdict = _settled(draft, part, (), _decided(draft, part, known, rules))
    if verdict.outcome == "superseded" and held.key is not None and draft.kind != "instruction":
        verdict = replace(verdict, stays=what_stays(draft, held))
        more = not verdict.stays and says_more(held, draft)
        if not verdict.stays and (more or holds_in_part(draft, held)):  # both are kept: what stays cannot be told apart
            unsure = Contradiction(HEDGED, clash.reason), held
            verdict = _settled(draft, unsure, (), _decided(draft, unsure, known, rules))
            if verdict.outcome == "conflict" and not more:
                verdict = replace(verdict, score=DOUBT)  # something of it has surely changed
    if verdict.outcome == "superseded":
        further, doubted = of_one_matter(draft, candidates, verdict.taken_back, known, rules.budget)
        verdict = replace(verdict, also=(*verdict.also, *further), doubted=doubted)
    return verdict


def _to_come(draft: Draft, held: Held) -> bool:
    """Whether a change is announced for later, of what is so now."""
    if "instruction" in (draft.kind, held.kind) or held.valid_from_us > draft.letter.at_us:
        return False
    later = (draft.findings.valid_from_us or 0) > draft.letter.at_us and held.kind not in HAPPENED
    announced = implied.lies_ahead(draft.text) and not implied.lies_ahead(held.text)
    return announced or (later and held.kind in _STATES)


def _also(reason: str) -> float:
    return SUPERSEDES if reason == READER else ALSO.get(reason, 1.0)


def _counts(clash: Contradiction, draft: Draft, held: Held) -> bool:
    """Whether a disagreement is strong enough to act on."""
    intended = (draft.kind in INTENTIONS) + (held.kind in INTENTIONS)
    if clash.reason == "slot" and clash.score < SUPERSEDES:
        return clash.score >= HEDGED and _same_slot(draft, held)
    if clash.reason == "quantity" and clash.score < ANNOUNCED and intended == 2:
        return False
    if clash.reason not in ONE_VALUE and intended and not implied.tells_end(draft.statement.lower()):
        return False
    return clash.score >= FLOORS.get(clash.reason, SUPERSEDES)


def _same_slot(draft: Draft, held: Held) -> bool:
    slots = {(atom.subject, atom.predicate) for atom in held.atoms if atom.functional}
    return any((atom.subject, atom.predicate) in slots for atom in draft.findings.atoms if atom.functional)


def _gives_up(said: str, held: Held) -> bool:
    """Whether what is said leaves behind by name a thing that the known memory names: "switched from Vim to Helix"."""
    named = matter_of(held.statement)
    return any(fact.old_value and fact.change_cue and matter_of(fact.old_value) <= named for fact in find_slots(said))


def _decided(draft: Draft, best: tuple[Contradiction, Held], known: Known, rules: Judging) -> Settlement:
    """What the room of beliefs makes of a disagreement with a known memory."""
    clash, held = best
    low = draft.statement.lower()
    return rules.decide(
        Incumbent(
            usual=rules.kinds.get(held.kind).conflict, stated_us=known.stated_us(held), wider=held.scope != known.scope
        ),
        Newcomer(
            said_us=draft.letter.at_us, sure=clash.score >= SUPERSEDES,
            one_value=clash.reason in ONE_VALUE or clash.reason == READER,
            over=clash.reason == READER or implied.tells_end(low),
            announced=any(slot.change_cue for slot in find_slots(draft.statement)),
            fits=len(f"{held.text} {draft.text}".encode()) <= TEXT_LIMIT_BYTES,
        ),
        draft.letter.message.conflict or rules.policy.conflict_by_kind.get(held.kind) or rules.policy.conflict,
    )  # fmt: skip


def _settled(draft: Draft, best: tuple[Contradiction, Held], others: tuple[Held, ...], settled: Settlement) -> Verdict:
    """The verdict that carries a decision out."""
    clash, held = best
    score, why = clash.score, f"{clash.reason}: {settled.why}" if settled.why else clash.reason
    if settled.act == "ask":
        hedged = clash.reason != READER and score < SUPERSEDES  # the newer one is unsure of itself
        return Verdict(outcome="conflict", reason=why, held=held, score=min(score, HEDGED) if hedged else score)
    if settled.act == "keep_both":
        return Verdict(outcome="stored", reason=why, score=score)
    if settled.act in ("keep_existing", "keep_as_past"):
        return Verdict(outcome="skipped", reason=why, held=held, score=score, history=True)
    if settled.act == "merge":
        return Verdict(outcome="merged", reason=why, held=held, score=score, text=f"{held.text} {draft.text}")
    return Verdict(outcome="superseded", reason=why, held=held, score=score, text=draft.text, also=others)


PLACED = frozenset({"stored", "conflict", "flagged"})


class Weighed(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A draft with its verdict; for a new memory its id, place and name, else the memory it joins."""

    draft: Draft
    verdict: Verdict
    memory_id: UUID
    place: Place
    name: str = ""
    revision: int = 1
    unread: bool = False
    """Whether it is still to be read beside what it may change."""
    rest: AddRevision | None = None
    """The older statement with what stays of it."""


class Scales(msgspec.Struct, frozen=True):
    """What weighing needs: the rules, the moment, who decides, and whether names are to be made unlike any other."""

    policy: Policy
    kinds: KindTable
    now_us: int
    decide: Decide
    fresh_names: bool = False


def as_it_is(draft: Draft) -> Weighed:
    """A draft that is kept already: it is what it is."""
    kept = draft.letter.kept or (new_id(0), 0)
    return Weighed(draft=draft, verdict=Verdict(), memory_id=kept[0], place=suggest(draft))


def weigh(drafts: Sequence[Draft], known: Known, scales: Scales) -> list[Weighed]:
    """Every draft of one scope with what is to become of it."""
    statements = [not draft.whole and _is_statement(draft) for draft in drafts]
    few = sum(statements) <= FEW
    compared = [is_one and (few or worth_comparing(draft)) for is_one, draft in zip(statements, drafts, strict=True)]
    known.prepare(drafts, compress(drafts, compared))
    budget = Budget(PAIRS_A_CALL if few else 0, compress(drafts, statements))  # a batch is not held up by reading
    weighed: list[Weighed] = []
    for draft, is_one, worth in zip(drafts, statements, compared, strict=True):
        one = _weigh(draft, known, scales, budget if worth else None)
        left = is_one and draft.letter.message.conflict is None and (not few or budget.exhausted)
        weighed.append(replace(one, unread=True) if left and one.verdict.outcome != "skipped" else one)
    return _without_former(weighed, known)


def _without_former(weighed: list[Weighed], known: Known) -> list[Weighed]:
    """A further edition of a document takes what was drawn from the former one, and is not in it, out of belief."""
    editions = [
        row for row, one in enumerate(weighed) if one.draft.role == "document" and one.verdict.outcome == "superseded"
    ]
    for row in editions:
        edition = weighed[row]
        of_letter = {one.memory_id for one in weighed if one.draft.letter.number == edition.draft.letter.number}
        former = tuple(held for held in known.drawn_from(edition.memory_id) if held.memory_id not in of_letter)
        weighed[row] = replace(edition, verdict=replace(edition.verdict, also=former))
    return weighed


def _is_statement(draft: Draft) -> bool:
    """Whether a draft may say again, more, or something else than what is known: nothing that has a name does."""
    return draft.role not in GIVEN_ROLES and not bears_name(draft) and not draft.letter.message.verbatim


def _weigh(draft: Draft, known: Known, scales: Scales, budget: Budget | None) -> Weighed:
    if draft.whole:
        memory_id = new_id(scales.now_us)
        return Weighed(
            draft=draft, verdict=Verdict(reason="verbatim"), memory_id=memory_id, place=suggest(draft),
            name=turn_name(draft, memory_id),
        )  # fmt: skip
    verdict, near = _judged(draft, known, scales, budget)
    held = verdict.held
    if verdict.outcome in PLACED or held is None:
        return _placed(draft, verdict, near, known, scales)
    if verdict.stays:
        for gone in (held, *verdict.also):
            known.remove(gone)
        return _placed(draft, verdict, near, known, scales)
    if verdict.outcome in ("merged", "superseded"):
        revised = known.change(held, draft, verdict.text)
        for other in verdict.also:
            known.remove(other)
        return Weighed(
            draft=draft, verdict=verdict, memory_id=held.memory_id, place=held.place, revision=revised.revision
        )
    return Weighed(draft=draft, verdict=verdict, memory_id=held.memory_id, place=held.place, revision=held.revision)


def _judged(draft: Draft, known: Known, scales: Scales, budget: Budget | None) -> tuple[Verdict, list[Held]]:
    """The verdict, and what is nearest; a draft that is not worth comparing has no budget."""
    kinds = scales.kinds
    if bears_name(draft):
        held = _at_its_name(draft, known)
        if held is not None and draft.role == "document":
            known.open_edition(held.memory_id)
        return (_same_address(draft, held) if held is not None else Verdict()), []
    if draft.role == "section":
        held = known.section(draft.text)
        return (Verdict(outcome="skipped", reason="as before", held=held) if held is not None else Verdict()), []
    wrong = [held for one in draft.replaces if (held := known.held(one)) is not None]
    if wrong:
        first, *also = wrong
        return Verdict(outcome="superseded", reason="corrected", held=first, text=draft.text, also=tuple(also)), []
    known_already = by_wording(draft, known, kinds)
    if known_already is not None and known_already.held is not None:
        held = known_already.held
        if held.scope == known.scope and _says_more_beside(draft, held):
            reason = "same wording, other metadata"
            return Verdict(outcome="merged", reason=reason, held=held, score=1.0, text=held.text), []
        return known_already, []
    near: list[Held] = []
    if budget is not None:
        place = place_given(draft)
        near = [held for held in known.near(draft) if place in (None, held.place)]
        filling = [held for held in known.filling(draft.findings.atoms) if place in (None, held.place)]
        verdict = by_meaning(draft, near, known, kinds) or by_slot(draft, filling, known)
        if verdict is None:
            alike = known.near(draft, in_meaning=True) if budget.pairs else []
            alike = [held for held in alike if place in (None, held.place)]
            # A memory that fills the same slot is known with its atoms: that reading of it counts.
            candidates = {held.memory_id.int: held for held in (*alike, *near, *filling)}
            judging = Judging(scales.policy, kinds, scales.decide, budget)
            verdict = (
                by_belief(draft, list(candidates.values()), known, judging)
                or in_other_words(
                    draft, list(candidates.values()), {held.memory_id for held in alike}, known, kinds, budget
                )
                or Verdict()
            )
            told = draft, list(candidates.values()), verdict.taken_back, known, budget
            verdict = replace(verdict, touched=touched_by(*told, verdict.doubted) if budget.pairs else ())
        return verdict, near
    return Verdict(), near


def _at_its_name(draft: Draft, known: Known) -> Held | None:
    """What its sender's name stands for already, if anything.

    Raises: VersionConflict when that is at another revision than the sender saw.
    """
    message = draft.letter.message
    if message.title:
        held = known.called(message.title, place_given(draft), message.kind)
        if held is None and message.title == slug(message.title, len(message.title)):
            held = known.at_address(
                suggest(draft), message.title, draft.kind
            )  # its name in an address, as it was shown
    else:
        held = known.at_address(suggest(draft), message.name, draft.kind)
    stands = held.revision if held is not None else 0
    if message.seen_revision not in (None, stands):
        raise VersionConflict(
            f"{message.title or message.name} is at revision {stands}, not {message.seen_revision}",
            hint="read it again",
        )
    return held


def _same_address(draft: Draft, held: Held) -> Verdict:
    if held.text == draft.text and not _says_more_beside(draft, held):
        return Verdict(outcome="skipped", reason="same address, same text", held=held, score=1.0)
    return Verdict(outcome="superseded", reason="same address", held=held, text=draft.text)


def _says_more_beside(draft: Draft, held: Held) -> bool:
    """Whether a draft in the same words brings other metadata."""
    given = draft.letter.message.metadata
    return given is not None and given != (held.metadata or {})


def _placed(draft: Draft, verdict: Verdict, near: Sequence[Held], known: Known, scales: Scales) -> Weighed:
    memory_id = new_id(scales.now_us)
    place = suggest(draft, next((held.place.path for held in near if _much_alike(draft, held)), ""))
    name = name_of(draft, memory_id, known, place, fresh=scales.fresh_names)
    held = Held(
        memory_id=memory_id, revision=1, text=draft.text, statement=draft.statement, kind=draft.kind, scope=known.scope,
        place=place, valid_from_us=draft.findings.valid_from_us or draft.letter.at_us, atoms=draft.findings.atoms,
        vectors=draft.vectors, stated_us=draft.letter.at_us, metadata=draft.letter.message.metadata,
        title=draft.letter.message.title if bears_name(draft) else "",
    )  # fmt: skip
    known.add(held, name)
    return Weighed(draft=draft, verdict=verdict, memory_id=memory_id, place=place, name=name)


def _much_alike(draft: Draft, held: Held) -> bool:
    """Whether a known memory is so similar that the two belong in one place."""
    return jaccard(word_set(draft.statement), word_set(held.statement)) >= ALIKE
