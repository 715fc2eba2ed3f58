"""Claims: from candidate to verified, by one path that ends with a person.

Owns the gate: propose, resolve the source, preview, decide, receipt; and the modes. Everything proposed starts as a
candidate, is inspectable and stands in no context. Two faces: `Claims` for anyone (propose, look, check), `ClaimDesk`
for a person (decide, retract, set the mode). Candidates are also drawn from texts, sentence by sentence and by fixed
rules; the text stays as it is. One lane needs nobody (`ClaimLane`): kinds an operator declared low in risk, whose
sources say so word for word. Invariants: `trusted` returns verified claims only, and only in enforce mode; a source
check never changes anything; what the lane accepts has a receipt, lacks the tag of a person's decision and is
retracted like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Literal, Protocol, cast
from uuid import UUID

import msgspec

from palazzo.belief.conflicts import require_person
from palazzo.errors import Conflict, InvalidInput
from palazzo.model.address import Place
from palazzo.model.belief import (
    VERIFIED_TAG,
    AddClaim,
    Claimed,
    ClaimMode,
    ClaimStatus,
    DecideClaim,
    SetClaimMode,
    SourceKind,
)
from palazzo.model.capability import View
from palazzo.model.change import Attachments, Change, PlaceMemory, Receipt, SetDeprecated
from palazzo.model.graph import ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import OWNER, Memory, RevisionDraft
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import Bounds, ClaimReceipt, Store, StoredClaim, TextSearch
from palazzo.text.change.contradiction import contradicts
from palazzo.text.safety.personal import tier_of
from palazzo.text.words.parsed import parsed
from palazzo.text.words.sentences import split_sentences
from palazzo.text.words.similarity import containment
from palazzo.text.words.tokens import content_hash, normalise

SourceState = Literal["exact_match", "partial_overlap", "drifted", "missing"]
Recommendation = Literal["accept", "narrow", "reverify", "retract", "wait"]
Resolver = Callable[[Claimed], str | None]
"""Reads what a source handle points to now; None when it is gone."""

OVERLAPPING = 0.5
"""The share of a claim's words a source must hold to count as saying part of it."""
DAY_US = 86_400_000_000
RECENT_US = 30 * DAY_US
MOST = 10_000
"""Claims that are looked at to be taken back."""
SHORTEST = 3
"""Words a sentence has at least to be a claim."""
LANE = "mind:claims"
"""Who accepts what goes through the low-risk lane."""
LOW_RISK_TAG = "low-risk"
LANE_POLICY = "claim_lane"
"""The rule of the palace that names the kinds an operator declared low in risk."""
CLAIMS_PLACE = Place(("_system", "claims"))
_DECIDED: dict[str, ClaimStatus] = {"accept": "verified", "reject": "rejected", "defer": "deferred"}


class SourceCheck(msgspec.Struct, frozen=True):
    """What a source says now, compared with the claim, and what to do about it; nothing was changed."""

    state: SourceState
    recommendation: Recommendation
    by_source: tuple[tuple[str, SourceState], ...]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What a person sees before deciding. The evidence first, the recommendation last."""

    claim: StoredClaim
    check: SourceCheck
    recurrence: int
    diversity: int
    age_us: int
    conflicts: tuple[UUID, ...]
    recommendation: Recommendation
    references: tuple[str, ...] = ()


def _no_source(handle: Claimed) -> str | None:
    return handle.excerpt or None


def check_source(claim: StoredClaim, resolve: Resolver = _no_source) -> SourceCheck:
    """Compares a claim with each of its sources as they are now. Read-only."""
    states = tuple((handle.reference, _state(claim.text, handle, resolve(handle))) for handle in claim.sources)
    order: tuple[SourceState, ...] = ("exact_match", "partial_overlap", "drifted", "missing")
    found = {state for _, state in states}
    state: SourceState = next((one for one in order if one in found), "missing")
    advice: dict[SourceState, Recommendation] = {
        "exact_match": "accept", "partial_overlap": "narrow", "drifted": "retract", "missing": "reverify",
    }  # fmt: skip
    return SourceCheck(state, advice[state], states)


def _state(text: str, handle: Claimed, now: str | None) -> SourceState:
    if now is None:
        return "missing"
    if normalise(text) in normalise(now) and contradicts(text, now) is None:
        return "exact_match"
    own, there = set(parsed(text).terms), set(parsed(now).terms)
    if handle.excerpt and normalise(handle.excerpt) not in normalise(now):
        return "drifted"
    return "partial_overlap" if own and containment(own, there) >= OVERLAPPING else "drifted"


class DrawnFrom(msgspec.Struct, frozen=True, kw_only=True):
    """A text to draw candidates from: where it stands, and in whose scope."""

    text: str
    kind: SourceKind
    reference: str
    scope: Scope = GLOBAL


HANDED = "handoffs"
"""A step of the places handoffs stand at."""


def drawn_from(memory: Memory) -> DrawnFrom:
    """A memory as a text to draw from."""
    handed = "handoff" in memory.revision.content.detail.flags or HANDED in memory.place.segments
    kind: SourceKind = "handoff" if handed else "summary" if memory.kind == "summary" else "exchange"
    return DrawnFrom(text=memory.text, kind=kind, reference=str(memory.id), scope=memory.scope)


class ClaimRead(Protocol):
    """A sentence as it may be stored, and what kind of memory it would be."""

    @property
    def text(self) -> str: ...
    @property
    def kind(self) -> str: ...


Reads = Callable[[str, Scope], ClaimRead | None]
"""Reads one sentence; None when it states nothing, or nothing that may be stored."""


class ClaimStanding(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate as evidence: which sources name it, of how many sorts, what they say now and what speaks against."""

    claim: StoredClaim
    sources: tuple[str, ...]
    sorts: int
    state: SourceState
    conflicts: tuple[UUID, ...]
    age_us: int

    @property
    def recurs(self) -> bool:
        """Whether more than one source states it."""
        return len(self.sources) > 1

    @property
    def ready(self) -> bool:
        """Whether a person would find nothing against it."""
        return self.state == "exact_match" and not self.conflicts and not self.decayed

    @property
    def decayed(self) -> bool:
        """Whether its source no longer says so, or it waits for longer than its source may stay unlooked at."""
        return self.state in ("drifted", "missing") or self.age_us > self.claim.recheck_days * DAY_US


class Claims:
    """What anyone may do with claims: propose and look. There is no way from here to verified."""

    def __init__(self, store: Store, view: View, *, subject: str) -> None:
        self._store = store
        self._view = view
        self._subject = subject

    def propose(
        self, text: str, sources: tuple[Claimed, ...], *, kind: str = "fact", recheck_days: float = 90.0,
        scope: Scope = GLOBAL,
    ) -> UUID:  # fmt: skip
        """Records a candidate.

        Raises: InvalidInput without a text or a source.
        """
        if not text.strip():
            raise InvalidInput("a claim says something", field="text")
        if not sources:
            raise InvalidInput("a claim names at least one source", field="sources")
        claim_id = new_id(self._store.clock.now_us())
        self._store.commit(
            [
                AddClaim(
                    claim_id=claim_id, text=text, kind=kind, sources=sources, recheck_days=recheck_days, scope=scope
                )
            ],
            subject=self._subject,
        )
        return claim_id

    def draw(self, texts: Iterable[DrawnFrom], reads: Reads, limit: int = 100) -> tuple[UUID, ...]:
        """Records a candidate for each statement of some texts that was not drawn from there before."""
        return tuple(
            self.propose(found.text, (source,), kind=found.kind, scope=scope)
            for found, source, scope in islice(self._new(texts, reads), limit)
        )

    def would_draw(self, texts: Iterable[DrawnFrom], reads: Reads, limit: int = 100) -> int:
        """How many candidates that would record."""
        return len({(found.text, source.reference) for found, source, _ in islice(self._new(texts, reads), limit)})

    def _new(self, texts: Iterable[DrawnFrom], reads: Reads) -> Iterator[tuple[ClaimRead, Claimed, Scope]]:
        for one in texts:
            for sentence in split_sentences(one.text):
                if sentence.kind != "statement" or len(sentence.text.split()) < SHORTEST:
                    continue
                found = reads(sentence.text, one.scope)
                if found is not None and not self._drawn(found.text, one):
                    yield found, Claimed(kind=one.kind, reference=one.reference, excerpt=sentence.text), one.scope

    def _drawn(self, text: str, source: DrawnFrom) -> bool:
        with self._store.reading(self._view) as reading:
            known = reading.claims.same_text(text)
        return any(
            claim.scope == source.scope and any(handle.reference == source.reference for handle in claim.sources)
            for claim in known
        )

    def diagnose(self, resolve: Resolver = _no_source, limit: int = 50) -> tuple[ClaimStanding, ...]:
        """The candidates as a field of evidence, each text once, the most often stated first; changes nothing."""
        found: dict[str, ClaimStanding] = {}
        for claim in (*self.lane("candidate"), *self.lane("deferred")):
            name = normalise(claim.text)
            if name not in found:
                seen = self.preview(claim.id, resolve)
                found[name] = ClaimStanding(
                    claim=claim, sources=seen.references, sorts=seen.diversity, state=seen.check.state,
                    conflicts=seen.conflicts, age_us=seen.age_us,
                )  # fmt: skip
        order = sorted(found.values(), key=lambda one: (-len(one.sources), one.claim.created_us))
        return tuple(order[:limit])

    def get(self, claim_id: UUID) -> StoredClaim:
        """One claim.

        Raises: NotFound.
        """
        with self._store.reading(self._view) as reading:
            return reading.claims.get(claim_id)

    def lane(self, status: ClaimStatus, limit: int = 200) -> tuple[StoredClaim, ...]:
        """Claims of a status, for inspection, newest first."""
        with self._store.reading(self._view) as reading:
            return reading.claims.with_status(status, limit)

    def trusted(self) -> tuple[StoredClaim, ...]:
        """What may stand in context as established: verified claims in enforce mode, otherwise nothing."""
        with self._store.reading(self._view) as reading:
            return reading.claims.with_status("verified") if reading.claims.mode() == "enforce" else ()

    def mode(self) -> ClaimMode:
        """What is done with claims now."""
        with self._store.reading(self._view) as reading:
            return reading.claims.mode()

    def preview(self, claim_id: UUID, resolve: Resolver = _no_source) -> Preview:
        """Everything a person needs to decide; changes nothing.

        Raises: NotFound.
        """
        with self._store.reading(self._view) as reading:
            claim = reading.claims.get(claim_id)
            alike = reading.claims.same_text(claim.text)
            near = reading.search.text(TextSearch(terms=parsed(claim.text).terms, limit=20)
            )  # fmt: skip
            from_memory = {
                memory.id: memory.text
                for memory in reading.memories.by_keys(near.keys.tolist()).values()
                if memory.id != claim.memory_id
            }
        clashes = tuple(
            memory_id
            for memory_id, text in from_memory.items()
            if contradicts(text, claim.text) is not None or contradicts(claim.text, text) is not None
        )
        check = check_source(claim, resolve)
        references = {handle.reference for one in alike for handle in one.sources}
        kinds = {handle.kind for one in alike for handle in one.sources}
        age = self._store.clock.now_us() - claim.created_us
        advice: Recommendation = check.recommendation
        if advice == "accept" and (clashes or age > RECENT_US):
            advice = "wait" if clashes else "reverify"
        return Preview(
            claim=claim, check=check, recurrence=len(references), diversity=len(kinds), age_us=age, conflicts=clashes,
            recommendation=advice, references=tuple(sorted(references)),
        )  # fmt: skip

    def receipts(self, claim_id: UUID) -> tuple[ClaimReceipt, ...]:
        """Every decision about a claim.

        Raises: NotFound.
        """
        with self._store.reading(self._view) as reading:
            return reading.claims.receipts_of(claim_id)


class ClaimDesk:
    """What only a person may do: decide, retract, set the mode. Made for nobody else."""

    def __init__(self, store: Store, view: View, *, subject: str) -> None:
        """Opens the desk for a person.

        Raises: NotPermitted.
        """
        require_person(subject, "decide about claims")
        self._store = store
        self._view = view
        self._subject = subject

    def decide(
        self, claim_id: UUID, decision: Literal["accept", "reject", "defer"], *, text: str, source_state: SourceState,
        resolve: Resolver = _no_source,
    ) -> Receipt:  # fmt: skip
        """Accepts, rejects or defers a claim; the person repeats its text and the state of its source.

        Raises: InvalidInput when the text or the state is not what the claim has now, Conflict when it was decided
        or when the mode keeps candidates only, or when nothing is as narrow as all of its sources; NotFound.
        """
        with self._store.reading(self._view) as reading:
            claim = reading.claims.get(claim_id)
            mode = reading.claims.mode()
            bounds = reading.claims.bounds(claim) if decision == "accept" else None
        if claim.status not in ("candidate", "deferred"):
            raise Conflict(f"claim {claim_id} is {claim.status}")
        if text != claim.text:
            raise InvalidInput("the text confirmed is not the claim's", field="text", hint="preview it again")
        found = check_source(claim, resolve).state
        if found != source_state:
            raise InvalidInput(f"the source is {found}, not {source_state}", field="source_state", hint="preview again")
        if decision == "accept" and mode != "enforce":
            raise Conflict(f"mode {mode} keeps candidates only", hint="an operator sets the mode to enforce first")
        changes: list[Change] = []
        memory_id = None
        if bounds is not None:
            memory_id = new_id(self._store.clock.now_us())
            changes.append(_verified(claim, memory_id, bounds, self._store.clock.now_us(), (VERIFIED_TAG,)))
        changes.append(_decision(self._store, claim, _DECIDED[decision], source_state, memory_id))
        return self._store.commit(changes, subject=self._subject)

    def retract(self, claim_id: UUID, *, text: str, source_state: SourceState) -> Receipt:
        """Takes a verified claim back, with a receipt of its own; its memory is deprecated.

        Raises: InvalidInput, Conflict when it is not verified, NotFound.
        """
        with self._store.reading(self._view) as reading:
            claim = reading.claims.get(claim_id)
        if claim.status != "verified":
            raise Conflict(f"claim {claim_id} is {claim.status}, not verified")
        if text != claim.text:
            raise InvalidInput("the text confirmed is not the claim's", field="text", hint="look at it again")
        changes: list[Change] = [_decision(self._store, claim, "retracted", source_state, None)]
        if claim.memory_id is not None:
            changes.append(SetDeprecated(claim.memory_id, deprecated=True, reason="claim retracted"))
        return self._store.commit(changes, subject=self._subject)

    def status(self, claim_id: UUID) -> str:
        """Where a claim stands.

        Raises: NotFound.
        """
        with self._store.reading(self._view) as reading:
            return reading.claims.get(claim_id).status

    def decided(self, claim_id: UUID, status: str, resolve: Resolver = _no_source) -> list[Change]:
        """What moves a claim to a status, not made yet: with it goes the memory it becomes, or became.

        Raises: NotFound, Conflict when it may not become that.
        """
        with self._store.reading(self._view) as reading:
            claim = reading.claims.get(claim_id)
            accepts = status == "verified" and claim.memory_id is None
            if accepts and reading.claims.mode() != "enforce":
                raise Conflict("only mode enforce accepts claims", hint="plan claims_mode first")
            bounds = reading.claims.bounds(claim) if accepts else None
        if status == "retracted" and claim.status != "verified":
            raise Conflict(f"claim {claim_id} is {claim.status}, not verified")
        changes: list[Change] = []
        memory_id = claim.memory_id
        if bounds is not None:
            memory_id = new_id(self._store.clock.now_us())
            changes.append(_verified(claim, memory_id, bounds, self._store.clock.now_us(), (VERIFIED_TAG,)))
        elif memory_id is not None:
            held = status == "verified"
            changes.append(SetDeprecated(memory_id, deprecated=not held, reason=f"claim {status}"))
        state = check_source(claim, resolve).state
        changes.append(_decision(self._store, claim, cast(ClaimStatus, status), state, memory_id))
        return changes

    def set_mode(self, mode: ClaimMode) -> Receipt:
        """Chooses between observe, diagnostic and enforce; journaled and audited like every change.

        Raises: InvalidInput.
        """
        return self._store.commit([SetClaimMode(mode)], subject=self._subject)


class ClaimLane:
    """The one way without a person: candidates of kinds that an operator declared low in risk, in enforce mode."""

    def __init__(self, store: Store, view: View, declared: frozenset[str]) -> None:
        self._store = store
        self._view = view
        self._declared = declared

    def waiting(self, resolve: Resolver, limit: int = 50) -> tuple[ClaimStanding, ...]:
        """Candidates that go through: drawn by rule or by the operator, of a declared kind, clear, stated word for word
        by two sources, and nothing against them."""
        claims = Claims(self._store, self._view, subject=LANE)
        if not self._declared or claims.mode() != "enforce":
            return ()
        return tuple(
            one
            for one in claims.diagnose(resolve, limit)
            if one.claim.kind in self._declared and one.claim.author in (LANE, OWNER)
            and one.claim.tier == "clear" and one.recurs and one.ready
        )  # fmt: skip

    def accept(self, found: ClaimStanding) -> Receipt:
        """Takes one of them in, with a receipt.

        Raises: Conflict when nothing is as narrow as all of its sources, VersionConflict when it was decided since.
        """
        with self._store.reading(self._view) as reading:
            bounds = reading.claims.bounds(found.claim)
            alike = [
                one
                for one in reading.claims.same_text(found.claim.text)
                if one.scope == found.claim.scope and one.status in ("candidate", "deferred")
            ]
        memory_id = new_id(self._store.clock.now_us())
        made = _verified(found.claim, memory_id, bounds, self._store.clock.now_us(), (LOW_RISK_TAG,))
        decided = [_decision(self._store, one, "verified", found.state, memory_id) for one in alike]
        return self._store.commit([made, *decided], subject=LANE)

    def undo(self, since_us: int, subject: str) -> dict[str, int]:
        """Takes back what was accepted here since a moment, and rejects what was drawn and nobody decided about, so
        that it is not drawn again."""
        with self._store.reading(self._view) as reading:
            drawn = [one for one in reading.claims.with_status("candidate", MOST) if one.author == LANE]
            taken = reading.claims.with_status("verified", MOST)
            last = {one.id: reading.claims.receipts_of(one.id)[-1] for one in taken}
        accepted = [one for one in taken if last[one.id].subject == LANE and last[one.id].at_us >= since_us]
        fresh = [one for one in drawn if one.created_us >= since_us]
        changes: list[Change] = [_decision(self._store, one, "retracted", "missing", None) for one in accepted]
        became = {one.memory_id for one in accepted if one.memory_id is not None}
        changes += [SetDeprecated(one, deprecated=True, reason="undone") for one in sorted(became)]
        changes += [_decision(self._store, one, "rejected", "missing", None) for one in fresh]
        if changes:
            self._store.commit(changes, subject=subject)
        return {"retracted": len(accepted), "rejected": len(fresh)}


def _verified(claim: StoredClaim, memory_id: UUID, bounds: Bounds, now: int, tags: tuple[str, ...]) -> PlaceMemory:
    """What the claim becomes: no wider, no more open and no clearer than what it was drawn from."""
    sources = tuple(
        Source(
            node=ProvenanceNode(
                id=new_id(now), kind="file" if handle.kind == "file" else "import", at_us=claim.created_us,
                author=claim.author,
                # A label stands in clear.
                label=handle.reference if tier_of(handle.reference) == "clear" else handle.kind,
            ),
            stage="claim",
        )
        for handle in claim.sources
    )  # fmt: skip
    return PlaceMemory(
        memory_id=memory_id, place=bounds.place or CLAIMS_PLACE, kind="claim", scope=bounds.scope,
        tier=bounds.tier,
        name="",
        content=RevisionDraft(text=claim.text, author=claim.author),
        attachments=Attachments(sources=sources), tags=tags,
    )  # fmt: skip


def _decision(
    store: Store, claim: StoredClaim, status: ClaimStatus, source_state: SourceState, memory_id: UUID | None
) -> DecideClaim:
    return DecideClaim(
        claim_id=claim.id, receipt_id=new_id(store.clock.now_us()), status=status, expected=claim.status,
        source_state=source_state, text_hash=content_hash(claim.text), memory_id=memory_id,
    )  # fmt: skip
