"""Stages 4 to 7: classify, extract, anticipate and embed. What each statement is, what is in it, when it will matter.

Classify: kind, importance, durability, and whether an observed statement is worth a memory of its own. What was asked
to be kept is kept. Of what was merely said, only what lasts becomes a memory: facts that fill a slot, preferences,
decisions, instructions, who people are and how they live, plans, dated events, errors, procedures. The rest stays
readable in the verbatim turn, which is never judged away.

Extract and anticipate: dates, slots, entities, relations, topics, language, affect, events and steps, and the
situations to come. Dates are read against the message's own time, in its own zone. Invariant: atoms carry a canonical
subject and predicate (lower case, single spaces, one name for each attribute), so that equal slots are found by
equality.

A name nobody has used before is checked for being another writing of a known one; an alias that is known is found by
the store. Two names are one when they are of one kind, `other_spelling` allows it, and their vectors are closer than
`ALIKE`: the vectors alone would join Anna and Hanna Berg, the spelling alone two projects that differ in a letter.
Names of one short word are left alone. Invariant: no mention is dropped or renamed, it only learns under which name its
entity is known.

Embed: a vector for every draft in every space in use, all texts in one call. It never blocks and never fails a write:
without vectors the drafts go on, the reason is told, and backfill gives the vectors later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from palazzo.intake.values import DOCUMENT_KIND, GIVEN_ROLES, SECTION_KIND, Draft, Findings, Judgement, Lost
from palazzo.model.graph import ENTITY_KINDS, EntityKind, MentionDraft, RelationDraft
from palazzo.model.kinds import HAPPENED, KINDS
from palazzo.model.memory import SECTIONED, Atom
from palazzo.model.message import Fate
from palazzo.model.scope import Scope
from palazzo.model.zone import local
from palazzo.store.api import Reading
from palazzo.text.dates.find import TimeSpan, dates_meant, validity
from palazzo.text.dates.tense import opens_in_present, tells_beginning
from palazzo.text.facts.aliases import first_letters, has_other_spellings, other_spelling, own_names
from palazzo.text.facts.entities import find_entities
from palazzo.text.facts.relations import USER, RelationFact, consequences, find_relations, steps
from palazzo.text.facts.slots.find import SlotFact, find_slots
from palazzo.text.facts.slots.phrases import canonical_predicate, canonical_subject
from palazzo.text.meaning.instructions import (
    for_once,
    is_hedged,
    is_order,
    is_passing,
    of_those_who_decide,
    passes_time,
    says_of_self,
    says_what_is,
    stands_alone,
    tells_somehow,
    tells_to_always,
)
from palazzo.text.meaning.kinds import Classification, classify, is_durable_statement, read_affect
from palazzo.text.meaning.message import says_who
from palazzo.text.meaning.requests import gives_up
from palazzo.text.meaning.topics import keywords, prospects, topics
from palazzo.text.words.language import guess_language
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import STOP_WORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class VectorRows(Protocol):
    """Vectors per space, row by row of the texts asked for, and why some are missing."""

    @property
    def by_space(self) -> dict[str, NDArray[np.float32]]: ...

    @property
    def pending(self) -> str: ...


class VectorSource(Protocol):
    """Gives vectors for texts about to be stored; tells what is missing instead of raising."""

    def embed(self, texts: Sequence[str]) -> VectorRows: ...


def embed(drafts: Sequence[Draft], source: VectorSource) -> tuple[list[Draft], str]:
    """Drafts with their vectors, and why some have none."""
    wanted = [draft for draft in drafts if not draft.kept]
    if not wanted:
        return list(drafts), ""
    made = source.embed([_embedded(draft) for draft in wanted])
    spaces = list(made.by_space.items())
    if not spaces:
        return list(drafts), made.pending
    filled = (
        replace(draft, vectors={name: rows[number] for name, rows in spaces}) for number, draft in enumerate(wanted)
    )
    return [draft if draft.kept else next(filled) for draft in drafts], made.pending


def _embedded(draft: Draft) -> str:
    """What stands for a draft's meaning: its words, with those it is called by; of a long document its beginning."""
    title = draft.letter.message.title if draft.role != "drawn" else ""
    text = draft.text[:SECTIONED] if draft.role == "document" else draft.text
    return f"{title}\n{text}" if title else text


def extract(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with what their text says, and when it holds; the text itself stays as it was told."""
    return [
        draft if draft.whole and draft.kept
        else _turn(draft) if draft.whole else _given(draft) if draft.role in GIVEN_ROLES else _statement(draft)
        for draft in drafts
    ]  # fmt: skip


def _turn(draft: Draft) -> Draft:
    affect = read_affect(draft.text)
    language = "en" if draft.text.isascii() else guess_language(draft.text)
    found = Findings(valid_from_us=draft.letter.at_us, affect=affect, language="" if language == "en" else language)
    return replace(draft, findings=found)


def _given(draft: Draft) -> Draft:
    """A document or a section: what it is about and whom it names. It fills no slot: its statements do."""
    text, message = draft.text[:SECTIONED], draft.letter.message
    own = draft.role == "document"
    found = Findings(
        mentions=(*(message.mentions if own else ()), *mentions_of(text)),
        relations=message.relations if own else (),
        topics=topics(text),
        keywords=keywords(text),
        language=guess_language(text),
        affect=read_affect(text),
        valid_from_us=draft.letter.at_us,
    )
    return replace(draft, findings=found)


def _statement(draft: Draft) -> Draft:
    said, kind, message = draft.statement, draft.kind, draft.letter.message
    spans, tokens = _spans(draft), parsed(said).tokens
    present = bool(spans) and kind not in HAPPENED and opens_in_present(tokens)
    lasting = bool(spans) and tells_beginning(tokens)
    begin, finish = validity(spans, draft.letter.at_us, happened=kind in HAPPENED, present=present, lasting=lasting)
    mentions = (*message.mentions, *(draft.findings.mentions or mentions_of(said)))
    relations = tuple(map(_relation, find_relations(said)))
    found = Findings(
        atoms=draft.findings.atoms or tuple(map(atom_of, find_slots(said))),
        mentions=(*mentions, *_ends(relations, mentions)),
        relations=(*message.relations, *relations, *_own_names(draft)),
        topics=topics(said),
        keywords=keywords(said),
        events=(consequences(said) or consequences(draft.sentence)) if kind not in ORDERS else (),
        steps=steps(said) if kind == "procedure" else (),
        language=guess_language(said),
        affect=read_affect(draft.sentence or said),
        valid_from_us=begin,
        valid_to_us=finish,
    )
    return replace(draft, findings=found)


def _spans(draft: Draft) -> tuple[TimeSpan, ...]:
    """The times its statement names, read when and where it was said."""
    return dates_meant(draft.statement, local(draft.letter.at_us, draft.letter.zone))


def _own_names(draft: Draft) -> tuple[RelationDraft, ...]:
    """What the user says they are called: by it they are found when somebody asks of them by name."""
    if draft.letter.message.speaker or not says_who(draft.statement):
        return ()
    return tuple(RelationDraft(USER, "also_known_as", name, OWN_WORD) for name in own_names(draft.statement))


def _relation(found: RelationFact) -> RelationDraft:
    return RelationDraft(found.subject, found.predicate, found.object, found.confidence)


def _ends(relations: Sequence[RelationDraft], known: Sequence[MentionDraft]) -> tuple[MentionDraft, ...]:
    """Those whom a text ties together by name and that nothing else in it gave away as a name."""
    named = {mention.name.casefold() for mention in known} | {mention.text.casefold() for mention in known}
    ends = dict.fromkeys(end for tie in relations for end in (tie.subject, tie.object))
    return tuple(MentionDraft(end, "other", end) for end in ends if end[:1].isupper() and end.casefold() not in named)


def mentions_of(text: str) -> tuple[MentionDraft, ...]:
    """The named things of a text that have a kind of their own."""
    return tuple(MentionDraft(m.name, m.kind, m.text) for m in find_entities(text) if m.kind in ENTITY_KINDS)


def atom_of(slot: SlotFact) -> Atom:
    """The slot as an atom with canonical subject and predicate."""
    return Atom(
        canonical_subject(slot.subject), canonical_predicate(slot.predicate), slot.value, slot.functional, slot.negated
    )


def anticipate(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with their situations; verbatim turns have none."""
    return [
        draft if draft.whole or draft.prospects or not (kind := _foreseen_as(draft))
        else replace(draft, prospects=prospects(draft.statement, kind))
        for draft in drafts
    ]  # fmt: skip


def _foreseen_as(draft: Draft) -> str:
    """The kind by which situations are foreseen; none for what is longer than a statement."""
    if draft.role not in GIVEN_ROLES:
        return draft.kind
    return draft.judgement.reads_as if draft.judgement is not None and len(draft.text) <= ONE_STATEMENT else ""


ORDERS = frozenset({"instruction", "procedure"})
"""Kinds that say what is to be done: "when it rains, take the bus" tells no event."""
LASTING = frozenset({
    "identity", "relationship", "preference", "decision", "instruction", "residence", "employment", "task", "error",
    "procedure",
})  # fmt: skip
LONG_MESSAGE = 600
"""Characters above which whoever writes tells things to be kept: each that reads alone is found by itself."""
ONE_STATEMENT = 400
"""Characters up to which a document may be a statement that somebody wants word for word."""
SURE = 0.5
"""A classification or slot below this is a guess; a guess alone makes no memory."""
NO_FACT_CUE, WITHOUT_CUE, PASSING = "fact: no cue", "transient: no cue", "transient: how somebody is just now"
SHORT_FACT = 90
"""Characters of a statement that may be a fact though no cue says so."""
DATED = 0.45
"""How much a few words with a day matter, like any statement without a cue."""
_MEASURED = re.compile(r"\d")
"""A statement about somebody that gives a figure is worth keeping, and a later figure replaces it."""
_FIELD = re.compile(r"\W*[^\W\d][\w ./()\[\]-]{0,40}[:=]")
ORDERS_IN = frozenset({"de", "fr", "es"})
"""Languages beside English whose ways of giving a standing order are known."""
TURN_IMPORTANCE = 0.3
INSTRUCTED = 0.9
OWN_WORD = 0.95
"""What somebody states without a doubt."""
HEDGED = 0.6
TOLD = 0.45


def judge(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Lost]]:
    """Drafts with their judgement; what does not last is left to the verbatim turn."""
    kept: list[Draft] = []
    lost: list[Lost] = []
    for draft in drafts:
        if draft.whole or draft.judgement is not None:
            kept.append(draft)
            continue
        if draft.role in GIVEN_ROLES:
            kept.append(replace(draft, judgement=_given_judgement(draft)))
            continue
        message = draft.letter.message
        drawn = draft.letter.manner == "observe" or draft.role == "drawn"
        found = _of_its_day(draft, _classified(draft))
        if found.kind == "transient" and found.reasons[:1] == (WITHOUT_CUE,) and (not drawn or _told_plainly(draft)):
            found = _as_fact(found)  # few words, but somebody asked to keep them
        told = draft.end > draft.start  # else it was handed in beside the text, as a fact
        if drawn and told and (_in_form(draft, found) or not _lasts(draft, found)):
            fate = Fate(start=draft.start, end=draft.end, outcome="stored", reason="verbatim")
            lost.append(Lost(draft.letter.number, fate))
            continue
        judgement = Judgement(
            kind=found.kind if drawn else message.kind or found.kind,
            importance=found.importance if message.importance is None else message.importance,
            confidence=_believed(draft, found),
            durability=found.durability if not message.kind or found.durability == "permanent" else None,
            reasons=found.reasons,
        )
        kept.append(replace(draft, judgement=judgement))
    return kept, lost


def _to_assistant(draft: Draft) -> bool:
    """Whether the user says it to the assistant: then whatever they state of themselves may matter."""
    message = draft.letter.message
    return draft.letter.manner == "observe" and message.role == "user" and not message.speaker


def _classified(draft: Draft) -> Classification:
    found, said, to_assistant = classify(draft.statement), draft.sentence or draft.statement, _to_assistant(draft)
    if to_assistant and gives_up(said):
        return _as_fact(found)
    passing, order = to_assistant and is_passing(draft.statement), found.kind == "instruction"
    plain = found.reasons[:1] == (NO_FACT_CUE,)
    if passing or (to_assistant and (((order or plain) and for_once(said)) or (plain and passes_time(said)))):
        made = replace(found, kind="transient", durability=KINDS["transient"].durability)
        return replace(made, reasons=(PASSING,)) if passing else made
    found = _as_fact(found) if order and _of_habit(draft) else found
    if found.kind != "instruction" and to_assistant and tells_to_always(said):
        return replace(found, kind="instruction", importance=INSTRUCTED, durability=KINDS["instruction"].durability)
    of_self = to_assistant and (draft.subject == USER or says_of_self(draft.statement))
    return _as_fact(found) if found.kind == "transient" and (of_self or says_what_is(draft.statement)) else found


def _told_plainly(draft: Draft) -> bool:
    """Whether a short statement to the assistant that no cue gives away reads as a fact."""
    short = _to_assistant(draft) and len(draft.statement) <= SHORT_FACT
    return short and tells_somehow(draft.statement, of_somebody=bool(draft.subject))


def _as_fact(found: Classification) -> Classification:
    return replace(found, kind="fact", importance=TOLD, durability=KINDS["fact"].durability)


def _of_habit(draft: Draft) -> bool:
    """Whether it only sounds like an order word for word in English: "nunca como carne" tells what somebody does."""
    said = draft.sentence or draft.statement
    return guess_language(said) in ORDERS_IN and not tells_to_always(said)


def _believed(draft: Draft, found: Classification) -> float:
    """How sure a statement is: the owner's word counts; what is hedged, hearsay or concluded by an agent does not."""
    message = draft.letter.message
    if message.role not in ("user", "other") or message.source not in ("conversation", "message"):
        return found.confidence
    return min(HEDGED, found.confidence) if is_hedged(draft.sentence or draft.statement) else OWN_WORD


def _given_judgement(draft: Draft) -> Judgement:
    """What is given whole is of the kind its sender says, else a document; it is what it is, so it is certain."""
    message = draft.letter.message
    own = draft.role == "document"
    found = classify(draft.statement) if own and len(draft.text) <= ONE_STATEMENT else None
    importance = message.importance if message.importance is not None else found.importance if found else 0.5
    return Judgement(
        kind=(message.kind or DOCUMENT_KIND) if own else SECTION_KIND, importance=importance, confidence=1.0,
        reads_as=found.kind if found else "",
    )  # fmt: skip


def _of_its_day(draft: Draft, found: Classification) -> Classification:
    """What a few words without any cue are if they name another day or come round: "Exam Friday", "Payday is the 15th".

    A moment that is going on says nothing: "Nice weather today".
    """
    if found.kind != "transient" or found.reasons[:1] != (WITHOUT_CUE,):
        return found
    at = local(draft.letter.at_us, draft.letter.zone)
    for span in _spans(draft):
        if span.kind == "recurring":
            return replace(found, kind="fact", durability="decaying", importance=max(found.importance, DATED))
        other = (span.begin is not None and span.begin > at) or (span.finish is not None and span.finish <= at)
        if other and span.kind not in ("duration", "time"):
            return replace(found, kind="event", durability="decaying", importance=max(found.importance, DATED))
    return found


def _in_form(draft: Draft, found: Classification) -> bool:
    """Whether it is a line of a form or a configuration, which says nothing without what it stands in."""
    if draft.role != "drawn" or draft.subject or found.kind == "instruction":
        return False
    return bool(_FIELD.match(draft.letter.text, draft.start))


def _lasts(draft: Draft, found: Classification) -> bool:
    if draft.corrects or found.kind == "instruction" or gives_up(draft.sentence):
        return True
    if found.kind in LASTING and found.confidence >= SURE:
        return True
    said = draft.statement
    if _to_assistant(draft) and found.kind not in ("context", "transient") and not is_order(draft.sentence):
        about = draft.subject or "the user" in said.lower() or stands_alone(said)
        if about or of_those_who_decide(said):
            return True
    if found.kind == "context" and any(span.begin and span.finish is None for span in _spans(draft)):
        return True  # what has held since a day
    if found.kind in ("context", "transient"):
        return False
    if draft.subject and len(draft.letter.text) > LONG_MESSAGE:
        return True
    if any(slot.confidence >= SURE for slot in find_slots(draft.statement)):
        return True
    if found.kind == "event" and any(reason.startswith("life event") for reason in found.reasons):
        return True
    if found.kind != "reflection" and any(
        span.begin or span.finish or span.kind == "recurring" for span in _spans(draft)
    ):
        return True  # what has a day of its own, or comes round
    if found.kind != "reflection" and draft.subject and _MEASURED.search(draft.statement):
        return True
    return is_durable_statement(draft.sentence)


ALIKE = 0.85
SHORTEST = 5
"""A single word with fewer letters is too easily another one."""
NAMED = frozenset({"person", "organization", "project", "event"})
"""Kinds of things that are known by their name in small letters, too."""
_SMALL = re.compile(r"(?<!\S)[^\W\d_]+(?![\w'\u2019-])")
COMPARED = frozenset({"person", "organization", "location", "technology", "project", "event", "concept"})


def recognise(drafts: Sequence[Draft], reading: Reading, scope: Scope, source: VectorSource) -> list[Draft]:
    """Drafts of one scope whose mentions say under which known name their entity is found."""
    drafts = _in_lower_case(drafts, reading, scope)
    wanted = dict.fromkeys(
        (mention.name, mention.kind) for draft in drafts for mention in draft.findings.mentions if _comparable(mention)
    )
    if not wanted:
        return list(drafts)
    new = set(reading.entities.without_alias(scope, dict.fromkeys(name for name, _ in wanted)))
    pairs = _pairs([(name, kind) for name, kind in wanted if name in new], reading, scope)
    known_as = _confirmed(pairs, source) if pairs else {}
    return [_told(draft, known_as) for draft in drafts] if known_as else list(drafts)


def _in_lower_case(drafts: Sequence[Draft], reading: Reading, scope: Scope) -> list[Draft]:
    """Drafts that also mention what they name in small letters, where it is known by two words or more: "project
    alpha". A single word in small letters is a word."""
    grams = [_grams(draft.statement) for draft in drafts]
    wanted = dict.fromkeys(gram for some in grams for gram in some)
    unknown = set(reading.entities.without_alias(scope, wanted)) if wanted else set()
    known: dict[str, MentionDraft] = {}
    for gram in wanted:
        for entity in reading.entities.named(gram) if gram not in unknown else ():
            if entity.scope == scope and entity.kind in NAMED and entity.name != gram:
                known.setdefault(gram, MentionDraft(entity.name, entity.kind, gram))
    if not known:
        return list(drafts)
    made = []
    for draft, some in zip(drafts, grams, strict=True):
        there = {mention.name.casefold() for mention in draft.findings.mentions}
        new = [known[gram] for gram in some if gram in known and known[gram].name.casefold() not in there]
        mentions = (*draft.findings.mentions, *new)
        made.append(replace(draft, findings=replace(draft.findings, mentions=mentions)) if new else draft)
    return made


def _grams(text: str) -> list[str]:
    """Two and three words in small letters that follow each other, the first and the last of which carry meaning."""
    small = [one for one in _SMALL.finditer(text) if one.group().islower()]
    words = [(one.start(), one.end(), one.group() in STOP_WORDS) for one in small]
    found = []
    for count in (2, 3):
        for some in zip(*(words[at:] for at in range(count)), strict=False):
            (start, _, opens), (_, end, ends) = some[0], some[-1]
            follow = all(one[1] + 1 == other[0] for one, other in pairwise(some))
            if follow and not (opens or ends):
                found.append(text[start:end])
    return list(dict.fromkeys(found))


def _comparable(mention: MentionDraft) -> bool:
    name = mention.name
    sought = mention.kind in COMPARED and (" " in name or len(name) >= SHORTEST)
    return sought and has_other_spellings(name, person=mention.kind == "person")


def _pairs(new: Sequence[tuple[str, EntityKind]], reading: Reading, scope: Scope) -> list[tuple[str, str, EntityKind]]:
    """New names with a known one, or an earlier one of the batch, that they may be a spelling of."""
    found: list[tuple[str, str, EntityKind]] = []
    met: list[tuple[str, EntityKind]] = []
    for name, kind in new:
        known = reading.entities.beginning_with(scope, first_letters(name), kind)
        for other in (*known, *(earlier for earlier, of in met if of == kind)):
            if other.casefold() != name.casefold() and other_spelling(name, other, person=kind == "person"):
                found.append((name, other, kind))
        met.append((name, kind))
    return found


def _confirmed(pairs: Sequence[tuple[str, str, EntityKind]], source: VectorSource) -> dict[tuple[str, EntityKind], str]:
    """The closest of the pairs that are close enough, in the first space there is."""
    names = list(dict.fromkeys(name for one, other, _ in pairs for name in (one, other)))
    rows = next(iter(source.embed(names).by_space.values()), None)
    if rows is None:
        return {}
    at = {name: number for number, name in enumerate(names)}
    best: dict[tuple[str, EntityKind], tuple[float, str]] = {}
    for name, other, kind in pairs:
        score = float(rows[at[name]] @ rows[at[other]])
        if score > ALIKE and score > best.get((name, kind), (0.0, ""))[0]:
            best[name, kind] = score, other
    return {key: other for key, (_, other) in best.items()}


def _told(draft: Draft, known_as: dict[tuple[str, EntityKind], str]) -> Draft:
    mentions = draft.findings.mentions
    if not any((mention.name, mention.kind) in known_as for mention in mentions):
        return draft
    told = tuple(replace(m, known_as=known_as.get((m.name, m.kind), "")) for m in mentions)
    return replace(draft, findings=replace(draft.findings, mentions=told))
