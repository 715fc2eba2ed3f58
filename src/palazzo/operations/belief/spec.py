"""Operations about what is believed: revising, looking back, disagreements, audits and claims. Parameters, results and
declarations.

Owns no behaviour. Invariants: what only a person decides is asked for in words that must be repeated (the text of a
claim, the state of its source), is the operator's alone and in no toolset; whatever was dropped, brought back or left
undone is in the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.belief import ClaimMode, ClaimStatus, Resolution, SourceKind
from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, told
from palazzo.operations.shared import A_MEMORY, Listing, OneMemoryParameters, StoredMemory

Occasion = Literal["correction", "change"]
Outcome = Literal["well", "badly"]
A_CLAIM = "The id of the claim."
Decision = Literal["accept", "reject", "defer"]
SourceState = Literal["exact_match", "partial_overlap", "drifted", "missing"]
ITS_TEXT = "The text of the claim, repeated word for word."
ITS_SOURCE = "The state of its source as the preview shows it."


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedParameters(Scoped):
    """A statement: read out of a text, or named by its parts."""

    text: str = told("The statement in plain words; what it asserts is read out of it unless slot and value are given.")
    about: str = told("Whom or what it is about, when slot and value are given.", "user")
    slot: str = told("Which attribute it gives, such as editor; with value instead of reading the text.", "")
    value: str = told("The value of that attribute.", "")
    denied: bool = told("The statement says that this value does not hold.", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviseParameters(StatedParameters):
    """Arguments of `revise`."""

    occasion: Occasion = told(
        "correction: it was wrong, and what it had displaced may return; change: the world moved on.", "correction"
    )
    place: str = told("Where it belongs if nothing held that attribute before; inbox when left out.", "")
    kind: str = told("What kind of memory it is, such as preference; chosen from the text when left out.", "")
    name: str = told("Its name at that place, if it is new.", "")
    confidence: float = told("How sure it is, from 0 to 1.", 1.0, low=0, high=1)
    at: datetime | None = told("Since when it holds; now when left out.", None)


class BeliefChange(msgspec.Struct, frozen=True, kw_only=True):
    """What became of what is believed, statements in words: added, given up, and held again.

    `memory` holds what was stated; `touched` are all memories that changed. `consistent` is no when both sides stand.
    """

    memory: UUID | None
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    reinstated: tuple[str, ...]
    touched: tuple[UUID, ...]
    consistent: bool = True
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractParameters(StatedParameters):
    """Arguments of `contract`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertParameters(Scoped):
    """Arguments of `revert`."""

    memory: str = told(A_MEMORY)
    revision: int = told("The number of the revision to go back to.", low=1)
    tag: str = told("The tag that moves; current says which revision holds.", "current")


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOfParameters(Scoped):
    """Arguments of `as_of`."""

    at: datetime | None = told("The moment; now when left out.", None)
    about: str = told("Only statements with this word in them.", "")
    limit: int = told("How many at most.", 200, low=1, high=5000)


class ShownBelief(msgspec.Struct, frozen=True, kw_only=True):
    """One statement and the memory that holds it."""

    says: str
    memory: UUID
    kind: str
    confidence: float


class Believed(Listing[ShownBelief], frozen=True, kw_only=True):
    """What was believed at a moment, oldest first. `total` counts what the limit left out as well."""

    at: datetime
    listed: ClassVar[str] = "beliefs"
    beliefs: tuple[ShownBelief, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxParameters(Scoped):
    """Arguments of `inbox`."""


class ShownDisagreement(msgspec.Struct, frozen=True, kw_only=True):
    """Two memories that cannot both hold: what the newer one says, and what the older one said."""

    newer: UUID
    says: str
    older: UUID
    said: str
    score: float
    since: datetime


class DisagreementList(Listing[ShownDisagreement], frozen=True, kw_only=True):
    """Disagreements that wait for a person, newest first."""

    listed: ClassVar[str] = "disagreements"
    disagreements: tuple[ShownDisagreement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleParameters(Scoped):
    """Arguments of `settle`."""

    memory: str = told("The memory that holds: its id or address.")
    other: str = told("Settle only with this one: its id or address. Every disagreement of it when left out.", "")
    both: bool = told("Keep both; only the disagreement is closed.", False)


class SettledDisagreement(msgspec.Struct, frozen=True, kw_only=True):
    """A disagreement that is closed: the memory that holds, and how many changes that took."""

    settled: UUID
    changes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeParameters(Scoped):
    """Arguments of `outcome`."""

    memory: str = told(A_MEMORY)
    went: Outcome = told("How relying on it went: well or badly.")


class Trusted(msgspec.Struct, frozen=True, kw_only=True):
    """How far a memory may be relied on: its own accuracy, and that of the weakest thing it rests on."""

    memory: UUID
    own: float
    trust: float
    weakest: UUID
    confirm_first: bool


class Stale(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a memory still holds: three axes and their figure, why, and how sure its history of answers makes it."""

    memory: StoredMemory
    severity: float
    semantic: float
    temporal: float
    behavioral: float
    flagged: bool
    caveat: str
    confidence: float
    evidence: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewParameters(Scoped):
    """Arguments of `review`."""

    limit: int = told("How many of each sort at most, the most severe first.", 5, low=1, high=100)


class ClaimedFrom(msgspec.Struct, frozen=True, kw_only=True):
    """A source of a claim."""

    kind: str
    reference: str
    excerpt: str


class ShownClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that waits for a person, or that one decided about; `memory` is what it became."""

    id: UUID
    text: str
    kind: str
    status: str
    sources: tuple[ClaimedFrom, ...]
    author: str
    proposed_at: datetime
    changed_at: datetime
    recheck_days: float
    memory: UUID | None = None
    degraded: tuple[str, ...] = ()


class Reviewed(msgspec.Struct, frozen=True, kw_only=True):
    """What waits for a person: disagreements, claims and memories that may have changed, the most severe first.

    `instructions` are those other subjects wrote: they act on nobody else until the operator tags them `standing`.

    `due` says that something waits and no audit was answered for a week.
    """

    due: bool
    disagreements: tuple[ShownDisagreement, ...]
    claims: tuple[ShownClaim, ...]
    stale: tuple[Stale, ...]
    instructions: tuple[StoredMemory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckParameters:
    """Arguments of `recheck`."""

    limit: int = told("How many memories to look at, at most.", 100, low=1, high=10_000)


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """What the passes did: memories that were audited and flagged; of those that a batch or an import told, how many
    were read beside what they may change, and what that took back or put before a person.

    `more` says that work is left, `busy` that another process is at it.
    """

    events: int
    queued: int
    audited: int
    flagged: int
    settled: int
    superseded: int
    conflicts: int
    more: bool
    busy: bool
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveParameters(Scoped):
    """Arguments of `resolve`."""

    memory: str = told(A_MEMORY)
    answer: Resolution = told(
        "refresh: a newer belief replaces it; confirm_stale: it holds no more; dismiss: it still holds."
    )


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to an audit, and the confidence in the memory after it."""

    memory: UUID
    answer: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSource:
    """Where a claim comes from."""

    kind: SourceKind = told("What sort of source it is.")
    reference: str = told("The id or address of a memory, the path of a file, or a URL.")
    excerpt: str = told("The words it had when it was read.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeParameters(Scoped):
    """Arguments of `propose`."""

    text: str = told("One statement that makes sense on its own.")
    sources: tuple[GivenSource, ...] = told("Where it comes from: objects with kind, reference and excerpt.")
    kind: str = told("What kind of memory it would become.", "fact")
    recheck_days: float = told("After how many days its source should be looked at again.", 90.0, low=0.1, high=3650)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsParameters(Scoped):
    """Arguments of `claims`."""

    status: ClaimStatus = told("Which ones.", "candidate")
    limit: int = told("How many at most.", 50, low=1, high=200)


class ClaimList(Listing[ShownClaim], frozen=True, kw_only=True):
    """Claims of a status, newest first, and the mode claims are in."""

    mode: str
    listed: ClassVar[str] = "claims"
    claims: tuple[ShownClaim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneClaimParameters(Scoped):
    """Arguments of operations that want nothing but a claim."""

    claim: str = told(A_CLAIM)


class SourceNow(msgspec.Struct, frozen=True, kw_only=True):
    """A source as it is now, compared with the claim."""

    reference: str
    state: str


class DecisionMade(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt of a decision about a claim."""

    id: UUID
    at: datetime
    by: str
    status: str
    source_state: str


class ClaimPreview(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a person needs to decide about a claim; nothing was changed."""

    claim: ShownClaim
    source_state: str
    sources: tuple[SourceNow, ...]
    recurrence: int
    diversity: int
    age_days: float
    conflicts: tuple[UUID, ...]
    recommendation: str
    receipts: tuple[DecisionMade, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideParameters(Scoped):
    """Arguments of `decide`."""

    claim: str = told(A_CLAIM)
    decision: Decision = told("accept, reject or defer.")
    text: str = told(ITS_TEXT)
    source_state: SourceState = told(ITS_SOURCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractParameters(Scoped):
    """Arguments of `retract`."""

    claim: str = told(A_CLAIM)
    text: str = told(ITS_TEXT)
    source_state: SourceState = told(ITS_SOURCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimModeParameters:
    """Arguments of `claim_mode`."""

    mode: ClaimMode = told("observe and diagnostic keep candidates only; enforce lets a person accept.")


class ModeSet(msgspec.Struct, frozen=True, kw_only=True):
    """The mode claims are in now."""

    mode: str


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="revise", arguments=ReviseParameters, result=BeliefChange, level=Level.write, where="place", writes=True,
        idempotent=True, toolset="temporal",
        people="Believe a statement and give up what conflicts with it, and no more.",
        models="Hold a statement as true and give up exactly what cannot be true beside it. Use it for a correction the"
        " user made; for anything else worth keeping, use remember.",
    ),
    Operation(
        name="contract", arguments=ContractParameters, result=BeliefChange, level=Level.write, where="reach",
        writes=True, idempotent=True, toolset="temporal",
        people="Stop believing a statement, without believing its opposite.",
        models="Stop holding a statement when the user says it is unknown or should not be assumed. It stays in the"
        " history.",
    ),
    Operation(
        name="revert", arguments=RevertParameters, result=BeliefChange, level=Level.write, where="memory", writes=True,
        idempotent=True, toolset="temporal",
        people="Take a memory back to an earlier revision.",
        models="Take one memory back to what it said in an earlier revision; history shows the numbers.",
    ),
    Operation(
        name="as_of", arguments=AsOfParameters, result=Believed, level=Level.read_public, where="reach",
        toolset="temporal",
        people="Show what is believed, now or at another time.",
        models="See the statements that are held, now or as of a time in the past.",
    ),
    Operation(
        name="inbox", arguments=InboxParameters, result=DisagreementList, level=Level.read_public, where="reach",
        toolset="full",
        people="List disagreements that wait for a person.",
        models="See which memories contradict each other and wait for the user to say which one holds.",
    ),
    Operation(
        name="settle", arguments=SettleParameters, result=SettledDisagreement, level=Level.write, where="memory",
        writes=True, operator_only=True,
        people="Believe a memory and no longer what disagrees with it.",
    ),
    Operation(
        name="outcome", arguments=OutcomeParameters, result=Trusted, level=Level.write, where="memory", writes=True,
        toolset="full",
        people="Note that relying on a memory went well or badly; trust moves with it.",
        models="Say whether a memory you relied on turned out right. Trust in it, and in what rests on it, moves.",
    ),
    Operation(
        name="staleness", arguments=OneMemoryParameters, result=Stale, level=Level.read_public, where="memory",
        toolset="temporal",
        people="Look whether a memory still holds: newer words against it, its age, what is done.",
        models="Check whether one memory may be out of date before you rely on it.",
    ),
    Operation(
        name="review", arguments=ReviewParameters, result=Reviewed, level=Level.read_public, where="reach",
        toolset="full",
        people="Show what waits for a person: disagreements, claims, and what may have changed.",
        models="See what waits for the user to decide: contradictions, proposed claims, memories that may be out of"
        " date. Only the user decides.",
    ),
    Operation(
        name="recheck", arguments=RecheckParameters, result=Audited, level=Level.forget, where="palace", writes=True,
        operator_only=True,
        people="Look at the memories whose turn has come, whether they still hold, and at what batches told.",
    ),
    Operation(
        name="resolve", arguments=ResolveParameters, result=Resolved, level=Level.write, where="memory", writes=True,
        operator_only=True,
        people="Say whether a memory that may have changed still holds.",
    ),
    Operation(
        name="propose", arguments=ProposeParameters, result=ShownClaim, level=Level.write, where="reach", writes=True,
        toolset="full",
        people="Propose a claim with its sources; a person decides about it.",
        models="Propose a statement you concluded, with its sources. It is believed by nobody until the user accepts"
        " it.",
    ),
    Operation(
        name="claims", arguments=ClaimsParameters, result=ClaimList, level=Level.read_public, where="reach",
        toolset="full",
        people="List claims of a status.",
        models="List proposed claims or those the user decided about.",
    ),
    Operation(
        name="preview", arguments=OneClaimParameters, result=ClaimPreview, level=Level.read_public, where="reach",
        toolset="full",
        people="Show the evidence for a claim, the state of its sources and a recommendation.",
        models="See the evidence for a claim, whether its sources still say so, and what speaks against it.",
    ),
    Operation(
        name="decide", arguments=DecideParameters, result=ShownClaim, level=Level.write, where="palace", writes=True,
        operator_only=True,
        people="Accept, reject or defer a claim, repeating its text and the state of its source.",
    ),
    Operation(
        name="retract", arguments=RetractParameters, result=ShownClaim, level=Level.write, where="palace", writes=True,
        operator_only=True,
        people="Take back a claim that was accepted.",
    ),
    Operation(
        name="claim_mode", arguments=ClaimModeParameters, result=ModeSet, level=Level.forget, where="palace",
        writes=True, idempotent=True, operator_only=True,
        people="Choose what is done with claims: observe, diagnostic or enforce.",
    ),
)  # fmt: skip
