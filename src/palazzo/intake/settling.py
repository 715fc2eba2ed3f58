"""What a batch told, read beside what it may change, after it was written: the same judgement as of a single statement.

Owns how a stored memory is weighed as if it were told now, and which changes carry the verdict out where both sides are
memories already. Knows nothing of when that is done (`mind/settling.py`). Invariants: what was said later takes back
what was said earlier, in whichever order the two came; of two that are linked as a change or a disagreement already
nothing is decided again; what somebody revised meanwhile is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

import msgspec
import numpy as np
from msgspec.structs import replace

from palazzo.errors import CycleRefused, NotFound, VersionConflict
from palazzo.intake.assemble import marks
from palazzo.intake.changed import Budget
from palazzo.intake.extract import VectorSource
from palazzo.intake.known import Held, Known, held_from
from palazzo.intake.repeated import Verdict, in_other_words
from palazzo.intake.touched import touched_by
from palazzo.intake.values import Draft, Findings, Judgement, Policy
from palazzo.intake.weigh import Judging, Weighed, by_belief
from palazzo.model.belief import Decide
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, AddRevision, Attachments, Change, SetDeprecated
from palazzo.model.graph import EdgeDraft, Node
from palazzo.model.memory import Memory
from palazzo.model.message import Letter, Message
from palazzo.store.api import Reading, Store

ATTEMPTS = 3
LATER = 4
"""Memories said later that are read beside one that came after them; nobody waits for the pass."""
SUBJECT = "mind:settling"
_LINKED = frozenset({"supersedes", "contradicts", "similar_to"})


class Decided(msgspec.Struct, frozen=True, gc=False):
    """What became of one memory's pairs: which older ones it took back or was taken back by, and which disagree."""

    superseded: int = 0
    conflicts: int = 0


class Settler(msgspec.Struct, frozen=True):
    """Decides pairs in one palace by its policy."""

    store: Store
    decide: Decide
    policy: Policy
    vectors: VectorSource

    def with_rest(self, one: Weighed, reading: Reading) -> Weighed:
        """A weighed draft that replaces a part of a statement, with what stays of that as its next revision."""
        verdict = one.verdict
        if not verdict.stays or verdict.held is None:
            return one
        return replace(one, rest=self._rest(reading, verdict.held, verdict.stays))

    def _rest(self, reading: Reading, held: Held, stays: str) -> AddRevision:
        """The next revision of a statement that lost a part: with its sources, and the atoms and names left in it."""
        content = reading.memories.get(held.memory_id).revision.content
        words = stays.casefold()
        mentions = reading.beliefs.mentions_of(held.key) if held.key is not None else ()
        return AddRevision(
            memory_id=held.memory_id, expected=held.revision,
            content=replace(
                content, text=stays, summary="", key_fact="", label="",
                atoms=tuple(atom for atom in content.atoms if atom.value.casefold() in words),
                detail=replace(content.detail, prospects=(), keywords=()),
            ),
            attachments=Attachments(
                edges=(EdgeDraft("supersedes", Node(held.memory_id, held.revision)),),
                sources=reading.provenance.sources_of(held.memory_id), artifacts=reading.artifacts.of(held.memory_id),
                mentions=tuple(one for one in mentions if one.name.casefold() in words),
                vectors={name: rows[0] for name, rows in self.vectors.embed([stays]).by_space.items()},
            ),
        )  # fmt: skip

    def settle(self, memory_id: UUID, dry: bool = False) -> Decided:
        """Decides the pairs of one memory and writes what follows, a dry one only tells; nothing of one that no longer
        stands."""
        for _ in range(ATTEMPTS):
            try:
                changes, told = self._weighed(memory_id)
                if changes and not dry:
                    self.store.commit(changes, subject=SUBJECT)
                return told
            except VersionConflict:
                continue  # somebody revised one of them: it is read again
            except (NotFound, CycleRefused):
                break  # it went meanwhile, or was the newer one of the two before
        return Decided()

    def _weighed(self, memory_id: UUID) -> tuple[list[Change], Decided]:
        with self.store.reading(View(subject=SUBJECT, all_scopes=True)) as reading:
            scope = reading.memories.get(memory_id).scope
        with self.store.reading(View(subject=SUBJECT, scope=scope)) as reading:
            memory = reading.memories.get(memory_id)
            own, known = held_from(memory), Known(self.store, reading, scope)
            if own.given:
                return [], Decided()
            draft = _as_told(reading, known, memory)
            known.prepare([draft], [draft])
            linked = {edge.source.memory_id for edge in reading.edges.of(memory_id) if edge.kind in _LINKED}
            linked |= {edge.target.memory_id for edge in reading.edges.of(memory_id) if edge.kind in _LINKED}
            near = (*known.near(draft, in_meaning=True), *known.near(draft), *known.filling(draft.findings.atoms))
            found = {held.memory_id: held for held in near if held.memory_id not in {memory_id, *linked}}
            since = {one: _since(known, held) for one, held in found.items()}
            before = [held for one, held in found.items() if since[one] < _since(known, own)]
            judging = Judging(self.policy, self.store.kinds, self.decide, Budget(2 * LATER))
            verdict = by_belief(draft, before, known, judging) or Verdict()
            given = draft, before, verdict.taken_back, known, judging.budget, verdict.doubted
            touched = marks(touched_by(*given), memory_id, draft.letter.at_us)
            if verdict.held is not None or touched:
                changes, told = self._carried_out(reading, own, verdict)
                return [*changes, *touched], told
            alike = in_other_words(draft, before, (), known, self.store.kinds, judging.budget)
            if alike is not None and alike.held is not None:
                ends = Node(memory_id), Node(alike.held.memory_id)
                return [AddEdge("similar_to", *ends, alike.score or 1.0)], Decided()
            after = [held for held in found.values() if held not in before and not held.given][:LATER]
            unread = reading.known.unread([held.key for held in after if held.key is not None])
            for held in after:
                if held.key not in unread:  # one that is still to be read finds this memory by itself
                    newer = _as_told(reading, known, reading.memories.get(held.memory_id))
                    verdict = by_belief(newer, [own], known, judging) or Verdict()
                    if verdict.held is not None:
                        return self._carried_out(reading, held, verdict)
        return [], Decided()

    def _carried_out(self, reading: Reading, newer: Held, verdict: Verdict) -> tuple[list[Change], Decided]:
        """The changes that carry a verdict out between two memories; where both are to stand, none."""
        older, score = verdict.held, verdict.score or 1.0
        if older is None or verdict.outcome not in ("superseded", "conflict", "skipped"):
            return [], Decided()
        if verdict.outcome == "conflict":
            return [AddEdge("contradicts", Node(newer.memory_id), Node(older.memory_id), score)], Decided(conflicts=1)
        if verdict.outcome == "skipped":  # the mode asked for leaves what was there first
            return list(_taken_back(older, [newer], verdict.reason, score)), Decided(superseded=1)
        gone = [older, *verdict.also]
        if verdict.stays:
            edge = AddEdge(
                "supersedes", Node(newer.memory_id, newer.revision), Node(older.memory_id, older.revision), score
            )
            taken = _taken_back(newer, verdict.also, verdict.reason, score)
            return [self._rest(reading, older, verdict.stays), edge, *taken], Decided(superseded=len(gone))
        return list(_taken_back(newer, gone, verdict.reason, score)), Decided(superseded=len(gone))


def _since(known: Known, held: Held) -> tuple[int, int]:
    """When it was said; of what was said in one moment, in which order it came."""
    return known.stated_us(held), held.key or 0


def _as_told(reading: Reading, known: Known, memory: Memory) -> Draft:
    """A stored memory as a draft of what its speaker would tell now."""
    content, held = memory.revision.content, held_from(memory)
    at_us = known.stated_us(held)
    message = Message(text=content.text, at_us=at_us, scope=memory.scope, speaker=content.detail.speaker)
    letter = Letter(number=0, message=message, manner="remember", id=memory.id, text=content.text, at_us=at_us)
    vectors = {}
    if (space := reading.search.space()) is not None:
        _, rows = reading.search.vectors_of(space, np.asarray([memory.revision.key], np.int64))
        vectors = dict(zip([space.name], rows, strict=False))
    return Draft(
        letter=letter, text=content.text, statement=held.statement, start=0, end=len(content.text),
        judgement=Judgement(kind=memory.kind, importance=content.importance, confidence=content.confidence),
        findings=Findings(atoms=content.atoms, valid_from_us=content.valid_from_us), vectors=vectors,
    )  # fmt: skip


def _taken_back(by: Held, gone: Iterable[Held], reason: str, score: float) -> Iterable[Change]:
    for held in gone:
        yield AddEdge("supersedes", Node(by.memory_id, by.revision), Node(held.memory_id, held.revision), score)
        told = f"superseded by {by.memory_id}: {reason}, {score:.2f}"
        yield SetDeprecated(held.memory_id, True, told, expected=held.revision)
