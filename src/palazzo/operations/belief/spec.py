"""Operations about what is believed: revising, looking back, disagreements and audits. Parameters, results and
declarations.

Owns no behaviour. Invariants: what only a person decides is the operator's alone and in no toolset; whatever was
dropped, brought back or left undone is in the result.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.belief import Resolution
from palazzo.model.capability import Level
from palazzo.operations.claims.spec import ShownClaim
from palazzo.operations.declared import Arguments, Operation, Scoped, operators, told, tool
from palazzo.operations.shared import A_MEMORY, Listing, OneMemoryParameters, ScopeParameters, StoredMemory

Occasion = Literal["correction", "change"]
Outcome = Literal["well", "badly"]


class StatedParameters(Scoped):
    """A statement: read out of a text, or named by its parts."""

    text: str = told(
        "The statement in plain words, out of which what it asserts is read unless slot and value are given; or as a"
        " formula: editor = vim or editor = helix; if weather = rain and not (bike = broken) then travel = bus."
    )
    about: str = told("Whom or what it is about, when slot and value are given.", "user")
    slot: str = told("Which attribute it gives, such as editor; with value instead of reading the text.", "")
    value: str = told("The value of that attribute.", "")
    denied: bool = told("The statement says that this value does not hold.", False)


class ExpandParameters(StatedParameters):
    place: str = told("Where it belongs if nothing held that attribute before; inbox when left out.", "")
    kind: str = told("What kind of memory it is, such as preference; chosen from the text when left out.", "")
    name: str = told("Its name at that place, if it is new.", "")
    confidence: float = told("How sure it is, from 0 to 1.", 1.0, low=0, high=1)
    at: datetime | None = told("Since when it holds; now when left out.", None)


class ReviseParameters(ExpandParameters):
    occasion: Occasion = told(
        "correction: it was wrong, and what it had displaced may return; change: the world moved on.", "correction"
    )


class BeliefChange(msgspec.Struct, frozen=True, kw_only=True):
    """What became of what is believed, statements in words: added, given up, and held again.

    `memory` holds what was stated; `touched` are all memories that changed, `shaken` those that rest on what was given
    up and are marked. `consistent` is no when both sides stand.
    """

    memory: UUID | None
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    reinstated: tuple[str, ...]
    touched: tuple[UUID, ...]
    shaken: tuple[UUID, ...] = ()
    consistent: bool = True
    degraded: tuple[str, ...] = ()


class ContractParameters(StatedParameters):
    """Arguments of `contract`."""


class ShownBelief(msgspec.Struct, frozen=True, kw_only=True):
    """One statement and the memory that holds it."""

    says: str
    memory: UUID
    kind: str
    confidence: float


class HoldsParameters(StatedParameters):
    as_of: datetime | None = told("As it was believed then; now when left out.", None)


class Holding(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a statement is held: true, false, or neither. `grounds` are the beliefs that this follows from."""

    holds: bool
    denied: bool
    grounds: tuple[ShownBelief, ...] = ()


class RevertParameters(Scoped):
    memory: str = told(A_MEMORY)
    revision: int = told("The number of the revision to go back to.", low=1)
    tag: str = told("The tag that moves; current says which revision holds.", "current")


class AsOfParameters(Scoped):
    at: datetime | None = told("The moment; now when left out.", None)
    about: str = told("Only statements with this word in them.", "")
    limit: int = told("How many at most.", 200, low=1, high=5000)


class Believed(Listing[ShownBelief], frozen=True, kw_only=True):
    """What was believed at a moment, oldest first. `total` counts what the limit left out as well."""

    at: datetime
    beliefs: tuple[ShownBelief, ...]
    total: int


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

    disagreements: tuple[ShownDisagreement, ...]


class SettleParameters(Scoped):
    memory: str = told("The memory that holds: its id or address.")
    other: str = told("Settle only with this one: its id or address. Every disagreement of it when left out.", "")
    both: bool = told("Keep both; only the disagreement is closed.", False)
    reopen: bool = told("Take the decision back: both are believed, and disagree again.", False)


class SettledDisagreement(msgspec.Struct, frozen=True, kw_only=True):
    """A disagreement that is closed: the memory that holds, and how many changes that took."""

    settled: UUID
    changes: int


class OutcomeParameters(Scoped):
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


class ReviewParameters(Scoped):
    limit: int = told("How many of each sort at most, the most severe first.", 5, low=1, high=100)


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


class RecheckParameters(Arguments):
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
    understood: int
    settled: int
    superseded: int
    conflicts: int
    more: bool
    busy: bool
    degraded: tuple[str, ...] = ()


class ResolveParameters(Scoped):
    memory: str = told(A_MEMORY)
    answer: Resolution = told(
        "refresh: a newer belief replaces it; confirm_stale: it holds no more; dismiss: it still holds; reopen: the"
        " last answer is taken back."
    )


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to an audit, and the confidence in the memory after it."""

    memory: UUID
    answer: str
    confidence: float


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "revise", ReviseParameters, BeliefChange, Level.write, "place", writes=True, idempotent=True,
        toolset="temporal",
        people="Believe a statement and give up what conflicts with it, and no more.",
        models="Hold a statement as true and give up exactly what cannot be true beside it. Use it for a correction the"
        " user made; for anything else worth keeping, use remember.",
    ),
    Operation(
        "expand", ExpandParameters, BeliefChange, Level.write, "place", writes=True, idempotent=True,
        toolset="temporal",
        people="Believe a statement or a rule besides what is believed, whether or not it fits.",
        models="Add a statement or a rule to what is held without giving anything up. The result says whether it fits;"
        " use revise when it replaces something.",
    ),
    Operation(
        "holds", HoldsParameters, Holding, Level.read_public, "reach", toolset="temporal",
        people="Ask whether a statement follows from what is believed, and from what.",
        models="Check whether a statement follows from what is held, with rules and by exact logic, and see what it"
        " rests on.",
    ),
    Operation(
        "contract", ContractParameters, BeliefChange, Level.write, "reach", writes=True, idempotent=True,
        toolset="temporal",
        people="Stop believing a statement, without believing its opposite.",
        models="Stop holding a statement when the user says it is unknown or should not be assumed. It stays in the"
        " history.",
    ),
    Operation(
        "revert", RevertParameters, BeliefChange, Level.write, "memory", writes=True, idempotent=True,
        toolset="temporal",
        people="Take a memory back to an earlier revision.",
        models="Take one memory back to what it said in an earlier revision; history shows the numbers.",
    ),
    Operation(
        "as_of", AsOfParameters, Believed, Level.read_public, "reach", toolset="temporal",
        people="Show what is believed, now or at another time.",
        models="See the statements that are held, now or as of a time in the past.",
    ),
    tool(
        "inbox", ScopeParameters, DisagreementList, Level.read_public,
        people="List disagreements that wait for a person.",
        models="See which memories contradict each other and wait for the user to say which one holds.",
    ),
    Operation(
        "settle", SettleParameters, SettledDisagreement, Level.write, "memory", writes=True, operator_only=True,
        people="Believe a memory and no longer what disagrees with it.",
    ),
    Operation(
        "outcome", OutcomeParameters, Trusted, Level.write, "memory", writes=True, toolset="full",
        people="Note that relying on a memory went well or badly; trust moves with it.",
        models="Say whether a memory you relied on turned out right. Trust in it, and in what rests on it, moves.",
    ),
    Operation(
        "staleness", OneMemoryParameters, Stale, Level.read_public, "memory", toolset="temporal",
        people="Look whether a memory still holds: newer words against it, its age, what is done.",
        models="Check whether one memory may be out of date before you rely on it.",
    ),
    tool(
        "review", ReviewParameters, Reviewed, Level.read_public,
        people="Show what waits for a person: disagreements, claims, and what may have changed.",
        models="See what waits for the user to decide: contradictions, proposed claims, memories that may be out of"
        " date. Only the user decides.",
    ),
    operators(
        "recheck", RecheckParameters, Audited, writes=True,
        people="Look at the memories whose turn has come, whether they still hold, and at what batches told.",
    ),
    Operation(
        "resolve", ResolveParameters, Resolved, Level.write, "memory", writes=True, operator_only=True,
        people="Say whether a memory that may have changed still holds.",
    ),
)  # fmt: skip
