"""Stages 8 and 9 over a batch: each draft is weighed, in order, against what is known and against the batch so far.

Owns the order of the checks, and the ids, names and places of what will be written. Knows not how they are
written. Invariant: after a draft is weighed, later drafts of the batch see the palace as it will be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress
from typing import Final
from uuid import UUID

import msgspec

from palazzo.errors import VersionConflict
from palazzo.intake.admit import place_of
from palazzo.intake.known import Held, Known
from palazzo.intake.resolve import Judging, Verdict, by_belief, by_meaning, by_slot, by_wording, worth_comparing
from palazzo.intake.screen import tier_within
from palazzo.intake.values import TURN_KIND, Draft, Policy
from palazzo.model.address import Place, slug
from palazzo.model.belief import Decide
from palazzo.model.ids import new_id
from palazzo.model.kinds import KindTable
from palazzo.text.words.remembered import remembered

_slug = remembered(1024)(slug)
_NO_NAME = re.compile(r"[^a-z0-9_]+")
PLACED = frozenset({"stored", "conflict", "flagged"})


class Weighed(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A draft with its verdict; for a new memory its id, place and name, else the memory it joins."""

    draft: Draft
    verdict: Verdict
    memory_id: UUID
    place: Place
    name: str = ""
    revision: int = 1


class Scales(msgspec.Struct, frozen=True):
    """What weighing needs: the rules, the moment, who decides, and whether names are to be made unlike any other."""

    policy: Policy
    kinds: KindTable
    now_us: int
    decide: Decide
    fresh_names: bool = False


def weigh(drafts: Sequence[Draft], known: Known, scales: Scales) -> list[Weighed]:
    """Every draft of one scope with what is to become of it."""
    compared = [not draft.whole and worth_comparing(draft) for draft in drafts]
    known.prepare(drafts, compress(drafts, compared))
    return [_weigh(draft, known, scales, compared=worth) for draft, worth in zip(drafts, compared, strict=True)]


def _weigh(draft: Draft, known: Known, scales: Scales, *, compared: bool) -> Weighed:
    if draft.whole:
        memory_id = new_id(scales.now_us)
        return Weighed(
            draft=draft, verdict=Verdict(reason="verbatim"), memory_id=memory_id, place=suggest(draft),
            name=_turn_name(draft, memory_id),
        )  # fmt: skip
    verdict, near = _judged(draft, known, scales, compared=compared)
    held = verdict.held
    if verdict.outcome in PLACED or held is None:
        return _placed(draft, verdict, near, known, scales)
    if verdict.outcome in ("merged", "superseded"):
        revised = known.change(held, draft, verdict.text)
        for other in verdict.also:
            known.remove(other)
        return Weighed(
            draft=draft, verdict=verdict, memory_id=held.memory_id, place=held.place, revision=revised.revision
        )
    return Weighed(draft=draft, verdict=verdict, memory_id=held.memory_id, place=held.place, revision=held.revision)


def _judged(draft: Draft, known: Known, scales: Scales, *, compared: bool) -> tuple[Verdict, list[Held]]:
    kinds = scales.kinds
    message = draft.letter.message
    if message.name and draft.part == 0:
        held = known.at_address(suggest(draft), message.name, draft.kind)
        stands = held.revision if held is not None else 0
        if message.seen_revision not in (None, stands):
            raise VersionConflict(
                f"{message.name} is at revision {stands}, not {message.seen_revision}", hint="read it again"
            )
        if held is not None:
            return _same_address(draft, held), []
    known_already = by_wording(draft, known, kinds)
    if known_already is not None and known_already.held is not None and not message.name:
        held = known_already.held
        if held.scope == known.scope and _says_more_beside(draft, held):
            reason = "same wording, other metadata"
            return Verdict(outcome="merged", reason=reason, held=held, score=1.0, text=held.text), []
        return known_already, []
    near: list[Held] = []
    if compared:
        near = known.near(draft)
        filling = known.filling(draft.findings.atoms)
        verdict = None
        if not message.name:
            verdict = by_meaning(draft, near, known, kinds) or by_slot(draft, filling, known)
        if verdict is None:
            others = [h for h in near if all(h.memory_id != f.memory_id for f in filling)]
            verdict = by_belief(draft, [*filling, *others], known, Judging(scales.policy, kinds, scales.decide))
        if verdict is not None:
            return verdict, near
    return Verdict(), near


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
    place = suggest(draft, near[0].place.path if near else "")
    name = _name(draft, memory_id, known, place, fresh=scales.fresh_names)
    held = Held(
        memory_id=memory_id, revision=1, text=draft.text, statement=draft.statement, kind=draft.kind, scope=known.scope,
        place=place, valid_from_us=draft.findings.valid_from_us or draft.letter.at_us, atoms=draft.findings.atoms,
        vectors=draft.vectors, stated_us=draft.letter.at_us, metadata=draft.letter.message.metadata,
    )  # fmt: skip
    known.add(held, name)
    return Weighed(draft=draft, verdict=verdict, memory_id=memory_id, place=place, name=name)


def _name(draft: Draft, memory_id: UUID, known: Known, place: Place, *, fresh: bool) -> str:
    """A stable name for what fills a slot, so its address stays when the value changes; else the text's own words."""
    mark = memory_id.hex[-8:]
    message = draft.letter.message
    if message.name:
        stable = message.name if draft.part == 0 else f"{message.name}-{draft.part + 1}"
    elif tier_within(draft.letter, draft.start, draft.end) != "clear":
        return f"{draft.kind}-{memory_id.hex[-12:]}"  # an address is shown where the text is not
    else:
        slots = [atom for atom in draft.findings.atoms if atom.functional and not atom.negated]
        if not slots:
            return f"{_words(draft.statement)}-{mark}"
        stable = slug(f"{slots[0].subject.removeprefix('the ')} {slots[0].predicate}", 60)
    if not fresh and known.free_name(place, stable, draft.kind):
        return stable
    return f"{stable}-{mark}"


def _words(text: str) -> str:
    """The first words of a statement as a name; plain ASCII, which most are, does not need all that `slug` does."""
    start = text[:60]
    if not start.isascii():
        return slug(start, 40)
    return _NO_NAME.sub("-", start.lower())[:40].strip("-") or "x"


def _turn_name(draft: Draft, memory_id: UUID) -> str:
    message = draft.letter.message
    return f"{_slug(message.speaker or message.role, 20)}-{memory_id.hex[-12:]}"


LAST_RESORT: Final = "forest.today"
NO_THREAD: Final = "notes"

_BY_KIND: Final[dict[str, str]] = {
    "instruction": "life.preferences", "preference": "life.preferences", "relationship": "life.people",
    "identity": "life.people", "residence": "life.places", "employment": "work", "task": "life.goals",
    "decision": "work.reference", "procedure": "work.reference", "error": "work.reference", "event": "life.events",
    "activity": "life.events", "reflection": "life.reflections", "context": LAST_RESORT, "transient": LAST_RESORT,
    "summary": "work.reference", "claim": "work.reference", "rule": "work.reference", "schema": "work.reference",
    "bundle": "work.reference", "asset": "work.reference",
}  # fmt: skip
_BY_TOPIC: Final[dict[str, str]] = {
    "health": "life.health", "fitness": "life.health", "travel": "life.places", "food": "life.preferences",
    "family": "life.people", "relationships": "life.people", "finance": "life.finance", "software": "work.reference",
    "work": "work.desk", "education": "learning.courses", "home": "life.places", "pets": "life.people",
    "sports": "life.events", "music": "creative.music", "film": "creative.art", "books": "learning.books",
    "art": "creative.art", "games": "life.preferences", "science": "learning.papers", "vehicles": "life.places",
    "shopping": "life.finance", "events": "life.events",
}  # fmt: skip
_WORK: Final = frozenset({"work", "software"})
_TOPICAL: Final = frozenset({"fact", "event", "activity"})


def suggest(draft: Draft, similar: str = "") -> Place:
    """The place of a draft; `similar` is where the most similar known memory lives.

    | kind | place |
    |---|---|
    | exchange | conversations.<thread> |
    | instruction, preference | life.preferences |
    | identity | life.people, with a health topic life.health |
    | relationship | life.people |
    | residence | life.places |
    | employment | work.people when about somebody else, else work |
    | task | work.desk with a work topic, else life.goals |
    | decision | work.reference, with an everyday topic life.goals |
    | procedure, error | work.reference |
    | event, activity | by topic, else life.events |
    | fact | by topic, else where the most similar memory lives, else forest.today |
    | reflection | life.reflections |
    | context, transient | forest.today |
    | any other | work.reference |
    """
    message = draft.letter.message
    if message.place and not draft.whole:
        return place_of(message.place)
    if draft.whole:
        return conversation(message.thread)
    return place_of(_path(draft.kind, draft.findings.topics, draft.subject, similar))


def conversation(thread: str) -> Place:
    """Where the turns of a thread are kept."""
    return place_of(f"conversations.{slug(thread, 60)}" if thread else f"conversations.{NO_THREAD}")


def _path(kind: str, topics: Sequence[str], subject: str, similar: str) -> str:
    first = topics[0] if topics else ""
    if kind == "employment":
        return "work" if subject.startswith("the user") or not subject else "work.people"
    if kind == "task":
        return "work.desk" if _WORK & set(topics) else "life.goals"
    if kind == "identity" and "health" in topics:
        return "life.health"
    if kind == "decision" and topics and not _WORK & set(topics):
        return "life.goals"
    if kind in _TOPICAL and first in _BY_TOPIC:
        return _BY_TOPIC[first]
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    return similar or (LAST_RESORT if kind in ("fact", TURN_KIND) else "work.reference")
