"""Stages 5 and 6, extract and anticipate: dates, slots, entities, relations, topics, language, affect, events and steps
of each statement, and the situations to come in which it will matter.

Relative dates in the text become absolute against the message's own time. Invariant: atoms carry a canonical subject
and predicate (lower case, single spaces, one name for each attribute), so that equal slots are found by equality.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec.structs import replace

from palazzo.intake.split import moment
from palazzo.intake.values import Draft, Findings
from palazzo.model.graph import ENTITY_KINDS, MentionDraft, RelationDraft
from palazzo.model.kinds import HAPPENED
from palazzo.model.memory import Atom
from palazzo.text.dates.find import TimeSpan, find_dates, resolve_inline
from palazzo.text.facts.entities import find_entities
from palazzo.text.facts.relations import RelationFact, find_relations
from palazzo.text.facts.sequences import consequences, steps
from palazzo.text.facts.slots.find import SlotFact, find_slots
from palazzo.text.facts.slots.tables import canonical_predicate, canonical_subject
from palazzo.text.meaning.affect import read_affect
from palazzo.text.meaning.prospects import prospects
from palazzo.text.meaning.topics import keywords, topics
from palazzo.text.words.language import guess_language

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def extract(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with what their text says; the statement's relative dates are made absolute."""
    return [_turn(draft) if draft.whole else _statement(draft) for draft in drafts]


def _turn(draft: Draft) -> Draft:
    affect = read_affect(draft.text)
    language = "en" if draft.text.isascii() else guess_language(draft.text)
    found = Findings(valid_from_us=draft.letter.at_us, affect=affect, language="" if language == "en" else language)
    return replace(draft, findings=found)


def _statement(draft: Draft) -> Draft:
    said, kind, message = draft.statement, draft.kind, draft.letter.message
    at = moment(draft.letter.at_us)
    spans = find_dates(said, at)
    resolved = resolve_inline(said, at) if spans else said
    begin, finish = validity(kind, spans, draft.letter.at_us)
    found = Findings(
        atoms=draft.findings.atoms or tuple(map(atom_of, find_slots(said))),
        mentions=(*message.mentions, *(draft.findings.mentions or mentions_of(said))),
        relations=(*message.relations, *map(_relation, find_relations(said))),
        topics=topics(said),
        keywords=keywords(said),
        events=consequences(said) if kind in HAPPENED or kind in ("decision", "fact") else (),
        steps=steps(said) if kind == "procedure" else (),
        language=guess_language(said),
        affect=read_affect(draft.sentence or said),
        valid_from_us=begin,
        valid_to_us=finish,
    )
    if draft.text == said and not message.verbatim:  # what is asked for word for word keeps its words
        return replace(draft, text=resolved, statement=resolved, findings=found)
    return replace(draft, statement=resolved, findings=found)


def _relation(found: RelationFact) -> RelationDraft:
    return RelationDraft(found.subject, found.predicate, found.object, found.confidence)


def mentions_of(text: str) -> tuple[MentionDraft, ...]:
    """The named things of a text that have a kind of their own."""
    return tuple(MentionDraft(m.name, m.kind, m.text) for m in find_entities(text) if m.kind in ENTITY_KINDS)


def atom_of(slot: SlotFact) -> Atom:
    """The slot as an atom with canonical subject and predicate."""
    return Atom(
        canonical_subject(slot.subject), canonical_predicate(slot.predicate), slot.value, slot.functional, slot.negated
    )


def validity(kind: str, spans: Sequence[TimeSpan], at_us: int) -> tuple[int, int | None]:
    """Since when and until when a statement holds.

    What happened has the time it names. Anything else holds from when it was said, or from a named time before that;
    a plan ends at the time it names.
    """
    for span in spans:
        if span.kind in ("duration", "recurring"):
            continue
        begin = _us(span.begin)
        finish = _us(span.finish)
        if kind in HAPPENED and begin is not None:
            return begin, finish
        if kind == "task":
            return at_us, finish if finish is not None and finish > at_us else None
        if begin is not None and begin < at_us and kind in ("residence", "employment", "relationship"):
            return begin, None
    return at_us, None


def _us(moment_: datetime | None) -> int | None:
    if moment_ is None:
        return None
    found = (moment_ - _EPOCH) // _MICROSECOND
    return found if found >= 0 else None


def anticipate(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with their situations; verbatim turns have none."""
    return [
        draft if draft.whole or draft.prospects else replace(draft, prospects=prospects(draft.statement, draft.kind))
        for draft in drafts
    ]
