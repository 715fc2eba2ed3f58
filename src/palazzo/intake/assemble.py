"""Stage 10, assemble: from weighed drafts to the changes of one transaction, and the account of every stretch.

Owns the shape of what is written: revisions, edges to the turn and to what was superseded, sources with spans. Decides
nothing. Invariant: everything a call makes is in one list of changes, in the order in which it was said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.intake.extract import TURN_IMPORTANCE
from palazzo.intake.screen import tier_within
from palazzo.intake.touched import Touched
from palazzo.intake.values import DRAWN_STAGE, SUMMARISED, TURN_KIND, Draft, Lost
from palazzo.intake.weigh import PLACED, Weighed
from palazzo.model.belief import IMPLIED, IMPORTED_AT_MOST, LOOK_AGAIN_US, Axes, RecordAudit
from palazzo.model.change import (
    AddEdge,
    AddRevision,
    Attachments,
    Change,
    CloseIntake,
    CompleteMemory,
    LinkProvenance,
    PlaceMemory,
    RecordAccess,
    RecordIntake,
    SetDeprecated,
)  # fmt: skip
from palazzo.model.graph import EdgeDraft, Node, ProvenanceNode, Source
from palazzo.model.kinds import HAPPENED
from palazzo.model.memory import SECTIONED, TIERED, Detail, RevisionDraft
from palazzo.model.message import Fate, Intake, Letter, Message, Turn
from palazzo.text.statements.tiers import make_tiers, summarise


class Assembled(msgspec.Struct, frozen=True, gc=False):
    """The changes of a call, its accounts in message order, and the memories that hold what was said."""

    changes: list[Change]
    intakes: list[Intake]
    memory_ids: tuple[UUID, ...]
    pending: int = 0


def assemble(
    letters: Sequence[Letter], weighed: Sequence[Weighed], lost: Sequence[Lost], digests: Mapping[int, bytes]
) -> Assembled:
    """Everything one call writes."""
    of_letter: dict[int, list[Weighed]] = {letter.number: [] for letter in letters}
    for one in weighed:
        of_letter[one.draft.letter.number].append(one)
    gone: dict[int, list[Fate]] = {letter.number: [] for letter in letters}
    for item in lost:
        gone[item.number].append(item.fate)
    changes: list[Change] = []
    intakes: list[Intake] = []
    ids: dict[UUID, None] = {}
    pending = 0
    for letter in letters:
        desk = _Desk(letter, of_letter[letter.number])
        fates = gone[letter.number]
        for one in of_letter[letter.number]:
            changes += desk.changes(one)
            if one.draft.role == "section":
                continue
            if not one.draft.whole:
                fates += desk.fates(one)
                ids.setdefault(one.memory_id)
            elif letter.manner == "observe":
                ids.setdefault(one.memory_id)
        account = Intake(letter.id, letter.at_us, desk.account(fates))
        intakes.append(account)
        if letter.kept is not None:
            changes += [SetDeprecated(letter.kept[0], True, "corrected")] if letter.unkept else []
            changes.append(CloseIntake(intake_id=letter.id, fates=account.fates))
            continue
        later = letter.pending if any(one.verdict.outcome in PLACED for one in of_letter[letter.number]) else ""
        pending += bool(later)
        changes.append(
            RecordIntake(
                intake_id=letter.id, at_us=letter.at_us, digest=digests[letter.number], fates=account.fates,
                scope=letter.message.scope, pending=later,
            )
        )  # fmt: skip
    return Assembled(changes, intakes, tuple(ids), pending)


class _Desk:
    """The changes of one letter."""

    def __init__(self, letter: Letter, weighed: Sequence[Weighed]) -> None:
        message = letter.message
        self.letter = letter
        self.turns = [one for one in weighed if one.draft.whole]
        self.document = next((one for one in weighed if one.draft.role == "document"), None)
        self.sections = [one for one in weighed if one.draft.role == "section"]
        self.node = ProvenanceNode(
            id=letter.id, kind=message.source, at_us=letter.at_us, author=message.author or message.speaker,
            label=message.label or "/".join(filter(None, (message.thread, message.session))),
        )  # fmt: skip

    def changes(self, one: Weighed) -> list[Change]:
        """What one draft writes, and the marks of what may have changed with it."""
        return [*self._written(one), *marks(one.verdict.touched, one.memory_id, self.letter.at_us)]

    def _written(self, one: Weighed) -> list[Change]:
        if one.draft.kept:
            return [] if one.draft.whole else [self._completed(one)]
        if one.draft.whole:
            return [self._turn(one)]
        verdict = one.verdict
        if verdict.outcome in PLACED or verdict.held is None:
            return [self._memory(one)]
        if one.rest is not None:
            gone = (SetDeprecated(other.memory_id, True, f"superseded by {one.memory_id}") for other in verdict.also)
            return [self._memory(one), one.rest, *gone]
        if verdict.outcome in ("merged", "superseded"):
            revision = AddRevision(
                memory_id=one.memory_id, content=self._content(one, verdict.text), expected=verdict.held.revision,
                attachments=self._attachments(one), tier=tier_within(self.letter, one.draft.start, one.draft.end),
            )  # fmt: skip
            why = f"superseded by {one.memory_id}"
            return [revision, *(SetDeprecated(other.memory_id, True, why) for other in verdict.also)]
        if verdict.history:
            return [
                AddRevision(
                    memory_id=one.memory_id, content=self._content(one, one.draft.text), tags=(),
                    attachments=replace(self._attachments(one), edges=()),
                    tier=tier_within(self.letter, one.draft.start, one.draft.end),
                )
            ]  # fmt: skip
        repeated = [
            AddEdge("derived_from", Node(one.memory_id, one.revision), Node(turn.memory_id))
            for turn in self._turn_of(one.draft)
        ]  # so that a turn which only repeats a statement falls with it when the statement is superseded
        return [
            RecordAccess(one.memory_id, self.letter.message.session),
            LinkProvenance(memory_id=one.memory_id, sources=(self._source(one.draft),)),
            *repeated,
        ]

    def fates(self, one: Weighed) -> list[Fate]:
        """The account of one draft: one line, and one more for each further memory it took out of belief."""
        first = self._fate(one)
        return [first, *(replace(first, other=other.memory_id) for other in one.verdict.also)]

    def _fate(self, one: Weighed) -> Fate:
        verdict, draft = one.verdict, one.draft
        outcome, reason = verdict.outcome, verdict.reason or draft.kind
        if outcome == "stored" and self._flagged(draft):
            outcome, reason = "flagged", "injection"
        other = verdict.held.memory_id if verdict.held and verdict.held.memory_id != one.memory_id else None
        return Fate(
            start=draft.start, end=draft.end, outcome=outcome, reason=reason, memory_id=one.memory_id, other=other,
            score=verdict.score,
        )  # fmt: skip

    def account(self, fates: Sequence[Fate]) -> tuple[Fate, ...]:
        """The fates in the order of the text; a verbatim turn that none of them names has a line of its own."""
        placed = [self._placed(fate) for fate in fates]
        named = {fate.memory_id for fate in placed}
        placed += [
            Fate(
                start=turn.draft.start, end=turn.draft.end, outcome="kept", reason="word for word",
                memory_id=turn.memory_id,
            )
            for turn in self.turns
            if turn.memory_id not in named
        ]  # fmt: skip
        return tuple(sorted(placed, key=lambda fate: fate.start))

    def _placed(self, fate: Fate) -> Fate:
        """The fate with the verbatim memory the stretch can still be read in."""
        if fate.memory_id is not None or not (self.turns or self.document):
            return fate
        if self.document is not None:
            return replace(fate, memory_id=self.document.memory_id)
        turn = next((t for t in self.turns if t.draft.start <= fate.start < t.draft.end), self.turns[0])
        return replace(fate, memory_id=turn.memory_id)

    def _turn(self, one: Weighed) -> PlaceMemory:
        letter, draft = self.letter, one.draft
        message = letter.message
        summary = summarise(draft.text) if len(draft.text) > SUMMARISED else ""
        content = RevisionDraft(
            text=draft.text,
            summary=summary if summary != draft.text else "",
            detail=Detail(
                speaker=message.speaker, flags=letter.flags, language=draft.findings.language,
                metadata=message.metadata,
            ),
            importance=TURN_IMPORTANCE if message.importance is None else message.importance,
            confidence=_held(message, 1.0), affect=draft.findings.affect, author=message.author or message.speaker,
            valid_from_us=letter.at_us,
        )  # fmt: skip
        turn = Turn(message.thread, message.session, -1, message.speaker, message.role)
        observed = letter.manner == "observe"
        return PlaceMemory(
            memory_id=one.memory_id, place=one.place, name=one.name, kind=TURN_KIND, content=content,
            scope=message.scope, tier=letter.tier, pinned=bool(message.pinned) and observed,
            tags=message.tags if observed else (),
            attachments=Attachments(
                sources=(self._source(draft),), turn=turn if observed else None, vectors=draft.vectors
            ),
        )  # fmt: skip

    def _memory(self, one: Weighed) -> PlaceMemory:
        message, draft = self.letter.message, one.draft
        judgement = draft.judgement
        told_to_fade = message.durability is not None or draft.kind in ("transient", "context")
        pinned = self.letter.manner == "remember" and not told_to_fade
        return PlaceMemory(
            memory_id=one.memory_id, place=one.place, name=one.name, kind=draft.kind,
            content=self._content(one, draft.text), scope=message.scope,
            tier=tier_within(self.letter, draft.start, draft.end),
            pinned=pinned if message.pinned is None else message.pinned,
            durability=message.durability or (judgement.durability if judgement else None), tags=message.tags,
            attachments=self._attachments(one),
        )  # fmt: skip

    def _completed(self, one: Weighed) -> CompleteMemory:
        """What is in a text that was kept first."""
        found = one.draft.findings
        return CompleteMemory(
            memory_id=one.memory_id, content=self._content(one, one.draft.text),
            attachments=Attachments(mentions=found.mentions, relations=found.relations),
        )  # fmt: skip

    def _content(self, one: Weighed, text: str) -> RevisionDraft:
        letter, draft, found = self.letter, one.draft, one.draft.findings
        judgement = draft.judgement
        tiers = make_tiers(text[:SECTIONED]) if len(text) > TIERED and not letter.pending else None
        key_fact = tiers.key_fact if tiers else ""
        if not tiers and draft.statement and draft.statement != text:
            key_fact = draft.statement
        begin, finish = found.valid_from_us, found.valid_to_us
        revised = one.verdict.held if one.verdict.outcome in ("merged", "superseded") else None
        if revised is not None and draft.kind in HAPPENED and revised.kind not in HAPPENED:
            told = begin is not None and revised.valid_from_us < begin < letter.at_us
            begin, finish = begin if told else letter.at_us, None  # told as what happened, it holds from then on
        flags = (*(("injection",) if self._flagged(draft) else ()), *_disputed(one))
        return RevisionDraft(
            text=text,
            summary=tiers.summary if tiers and tiers.summary != text else "",
            key_fact=key_fact if key_fact != text else "",
            label=" ".join(found.keywords[:5]),
            atoms=found.atoms,
            detail=Detail(
                topics=found.topics, keywords=found.keywords, events=found.events, prospects=draft.prospects,
                language=found.language, flags=flags, speaker=letter.message.speaker, steps=found.steps,
                metadata=letter.message.metadata, title=letter.message.title if draft.role != "drawn" else "",
            ),
            importance=judgement.importance if judgement else 0.5,
            confidence=_held(letter.message, judgement.confidence if judgement else 1.0),
            affect=found.affect, author=letter.message.author or letter.message.speaker,
            valid_from_us=begin, valid_to_us=finish,
        )  # fmt: skip

    def _attachments(self, one: Weighed) -> Attachments:
        draft, verdict = one.draft, one.verdict
        edges = [EdgeDraft("derived_from", Node(turn.memory_id)) for turn in self._turn_of(draft)]
        if verdict.held is not None:
            if verdict.outcome == "conflict":
                edges.append(EdgeDraft("contradicts", Node(verdict.held.memory_id), verdict.score or 1.0, False))
            elif verdict.outcome == "stored":
                edges.append(EdgeDraft("similar_to", Node(verdict.held.memory_id), verdict.score or 1.0, False))
            elif verdict.outcome in ("merged", "superseded"):
                former = Node(verdict.held.memory_id, verdict.held.revision)
                edges.append(EdgeDraft("supersedes", former, (verdict.score or 1.0) if one.rest is not None else 1.0))
                edges += [EdgeDraft("supersedes", Node(other.memory_id, other.revision)) for other in verdict.also]
        return Attachments(
            edges=tuple(edges), mentions=draft.findings.mentions, relations=draft.findings.relations,
            sources=(self._source(draft),), vectors=draft.vectors, unread=one.unread,
        )  # fmt: skip

    def _turn_of(self, draft: Draft) -> list[Weighed]:
        """What a draft was drawn from: the turn, the document, or that section of it."""
        if draft.role == "section":
            return [self.document] if self.document is not None else []
        if draft.role == "document":
            return []
        given = self.turns or self.sections or ([self.document] if self.document is not None else [])
        return [turn for turn in given if turn.draft.start <= draft.start < turn.draft.end][:1]

    def _source(self, draft: Draft) -> Source:
        stage = DRAWN_STAGE if draft.role in ("drawn", "section") else draft.stage or self.letter.manner
        return Source(node=self.node, start=draft.start, end=draft.end, stage=stage)

    def _flagged(self, draft: Draft) -> bool:
        flagged = self.letter.flagged
        return bool(flagged) and any(start < draft.end and draft.start < end for start, end in flagged)


def _held(message: Message, confidence: float) -> float:
    """What is imported is believed half at most, whatever it reads like."""
    return min(confidence, IMPORTED_AT_MOST) if message.imported else confidence


def marks(touched: Sequence[Touched], by: UUID, at_us: int) -> list[Change]:
    """The doubts about memories that may have changed with a newer one."""
    return [
        RecordAudit(
            memory_id=one.memory_id, axes=Axes(semantic=IMPLIED), severity=IMPLIED, next_us=at_us + LOOK_AGAIN_US,
            evidence=json.dumps({"contradicted_by": str(by), "follows": one.follows, "score": one.score}),
        )
        for one in touched
    ]  # fmt: skip


def _disputed(one: Weighed) -> tuple[str, ...]:
    return ("conflict",) if one.verdict.outcome == "conflict" else ()


def unconditional(changes: Sequence[Change]) -> list[Change]:
    """The changes without what they expect to find: what was told is kept even where others are always faster.

    A revision then follows whatever is current; the one before it stays in the history.
    """
    return [replace(change, expected=None) if isinstance(change, AddRevision) else change for change in changes]


def uncrossed(changes: Sequence[Change]) -> list[Change]:
    """The changes without edges to what they take the place of: one of those took the place of theirs before.

    What was told is kept, and what it takes back goes out of belief all the same.
    """
    return [_staying(change) if isinstance(change, AddRevision) else change for change in changes]


def _staying(change: AddRevision) -> AddRevision:
    own = [
        edge for edge in change.attachments.edges
        if edge.kind != "supersedes" or edge.target.memory_id == change.memory_id
    ]  # fmt: skip
    return replace(change, attachments=replace(change.attachments, edges=tuple(own)))
