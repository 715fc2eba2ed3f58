"""Operations about claims: proposing, looking, deciding. Parameters, results and declarations.

Owns no behaviour. Invariant: what only a person decides is asked for in words that must be repeated (the text of a
claim, the state of its source), is the operator's alone and in no toolset.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.belief import ClaimMode, ClaimStatus, SourceKind
from palazzo.model.capability import Level
from palazzo.operations.declared import Arguments, Operation, Scoped, operators, told, tool
from palazzo.operations.shared import Listing

A_CLAIM = "The id of the claim."
Decision = Literal["accept", "reject", "defer"]
SourceState = Literal["exact_match", "partial_overlap", "drifted", "missing"]
ITS_TEXT = "The text of the claim, repeated word for word."
ITS_SOURCE = "The state of its source as the preview shows it."


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


class GivenSource(Arguments):
    """Where a claim comes from."""

    kind: SourceKind = told("What sort of source it is.")
    reference: str = told("The id or address of a memory, the path of a file, or a URL.")
    excerpt: str = told("The words it had when it was read.", "")


class ProposeParameters(Scoped):
    text: str = told("One statement that makes sense on its own.")
    sources: tuple[GivenSource, ...] = told("Where it comes from: objects with kind, reference and excerpt.")
    kind: str = told("What kind of memory it would become.", "fact")
    recheck_days: float = told("After how many days its source should be looked at again.", 90.0, low=0.1, high=3650)


class ClaimsParameters(Scoped):
    status: ClaimStatus = told("Which ones.", "candidate")
    limit: int = told("How many at most.", 50, low=1, high=200)


class ClaimList(Listing[ShownClaim], frozen=True, kw_only=True):
    """Claims of a status, newest first, and the mode claims are in."""

    mode: str
    claims: tuple[ShownClaim, ...]


class OneClaimParameters(Scoped):
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


class DecideParameters(Scoped):
    claim: str = told(A_CLAIM)
    decision: Decision = told("accept, reject or defer.")
    text: str = told(ITS_TEXT)
    source_state: SourceState = told(ITS_SOURCE)


class RetractParameters(Scoped):
    claim: str = told(A_CLAIM)
    text: str = told(ITS_TEXT)
    source_state: SourceState = told(ITS_SOURCE)


class ClaimModeParameters(Arguments):
    mode: ClaimMode = told("observe and diagnostic keep candidates only; enforce lets a person accept.")


class ModeSet(msgspec.Struct, frozen=True, kw_only=True):
    """The mode claims are in now."""

    mode: str


class DrawParameters(Scoped):
    memory: str = told("Draw from this memory: a handoff, a summary, a document; its id or address.", "")
    archive: bool = told("Draw from the archive of what was told; the operator's alone.", False)
    limit: int = told("How many candidates at most.", 50, low=1, high=500)


class DrawnClaims(Listing[ShownClaim], frozen=True, kw_only=True):
    """The candidates that were drawn. Nobody believes them until a person accepts them; `read` counts the texts."""

    claims: tuple[ShownClaim, ...]
    read: int


class DiagnoseParameters(Scoped):
    limit: int = told("How many candidates at most, the most often stated first.", 50, low=1, high=200)


class CandidateSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate as evidence: its sources first, then what they say now and what speaks against it."""

    sources: tuple[str, ...]
    sorts: int
    source_state: str
    conflicts: tuple[UUID, ...]
    age_days: float
    claim: ShownClaim


class CandidateField(msgspec.Struct, frozen=True, kw_only=True):
    """The field of candidates, read only: those several sources state, those that clash with what is known, those a
    person would find nothing against, and those whose source no longer says so. One may stand in several."""

    mode: str
    candidates: int
    recurring: tuple[CandidateSeen, ...]
    conflicting: tuple[CandidateSeen, ...]
    ready: tuple[CandidateSeen, ...]
    decayed: tuple[CandidateSeen, ...]


OPERATIONS: Final[tuple[Operation, ...]] = (
    tool(
        "propose", ProposeParameters, ShownClaim, Level.write, writes=True,
        people="Propose a claim with its sources; a person decides about it.",
        models="Propose a statement you concluded, with its sources. It is believed by nobody until the user accepts"
        " it.",
    ),
    tool(
        "draw_claims", DrawParameters, DrawnClaims, Level.write, writes=True, idempotent=True,
        people="Draw candidate claims from a handoff, a summary or the archive, sentence by sentence.",
        models="Draw candidate claims from a handoff, a summary or a document that is remembered. The user decides"
        " about them.",
    ),
    tool(
        "claim_report", DiagnoseParameters, CandidateField, Level.read_public,
        people="Show the field of candidates: what recurs, what clashes, what is ready, what has decayed.",
        models="See which candidate claims recur, clash with what is known, are ready for the user, or have decayed.",
    ),
    tool(
        "claims", ClaimsParameters, ClaimList, Level.read_public,
        people="List claims of a status.",
        models="List proposed claims or those the user decided about.",
    ),
    tool(
        "preview", OneClaimParameters, ClaimPreview, Level.read_public,
        people="Show the evidence for a claim, the state of its sources and a recommendation.",
        models="See the evidence for a claim, whether its sources still say so, and what speaks against it.",
    ),
    operators(
        "decide", DecideParameters, ShownClaim, Level.write, writes=True,
        people="Accept, reject or defer a claim, repeating its text and the state of its source.",
    ),
    operators(
        "retract", RetractParameters, ShownClaim, Level.write, writes=True,
        people="Take back a claim that was accepted.",
    ),
    operators(
        "claim_mode", ClaimModeParameters, ModeSet, writes=True, idempotent=True,
        people="Choose what is done with claims: observe, diagnostic or enforce.",
    ),
)  # fmt: skip
