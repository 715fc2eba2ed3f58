"""Operations of metabolism, inquiries, standing, dynamics, proposals and research bundles: parameters, results and
declarations.

Owns no behaviour. Invariants: what judges people answers only where somebody switched it on; what approves or exports
is the operator's alone and in no toolset.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, operators, told, tool
from palazzo.operations.identity.spec import IdentityFile, ShownIdentityPlan
from palazzo.operations.shared import Listing

A_THREAD = "The thread."


@arguments
class MetabolismParameters(Scoped):
    thread: str = told(A_THREAD)


class ShownMetabolism(msgspec.Struct, frozen=True, kw_only=True):
    """The signs of the last exchange of a thread, each from 0 to 1, and what they come to."""

    thread: str
    entropy: float
    loop: float
    confabulation: float
    tension: float
    coherence: float
    surprise: float
    unsettled: bool


@arguments
class InquiriesParameters(Scoped):
    limit: int = told("How many at most, the last changed first.", 50, low=1, high=1000)


class ShownInquiry(msgspec.Struct, frozen=True, kw_only=True):
    """Something unsettled that is thought over: candidate, relating, grown, or waiting for a person."""

    inquiry: str
    thread: str
    sort: str
    state: str
    entropy: float
    count: int
    passes: tuple[str, ...]
    begun_at: datetime


class InquiryList(Listing[ShownInquiry], frozen=True, kw_only=True):
    """Inquiries, the last changed first."""

    inquiries: tuple[ShownInquiry, ...]


@arguments
class ContemplateParameters(Scoped):
    inquiry: str = told("The id of the inquiry.")


@arguments
class CrystalliseParameters(Scoped):
    inquiry: str = told("The id of the inquiry.")
    file: IdentityFile = told("The identity file that would change.")
    text: str = told("The line that would be added to it.")


@arguments
class StandingParameters(Scoped):
    person: str = told("Whose standing.")


class ShownStanding(msgspec.Struct, frozen=True, kw_only=True):
    """Four figures from 0 to 10, and the last signs that moved each. An assessment, and no fact about anybody."""

    person: str
    grounding: float
    self_courage: float
    word: float
    brand: float
    turns: int
    trail: tuple[str, ...]


@arguments
class DynamicsParameters(Scoped):
    thread: str = told(A_THREAD)
    last: int = told("How many turns back.", 10, low=1, high=50)


class ShownDynamics(msgspec.Struct, frozen=True, kw_only=True):
    """How surprising the last turns of a thread were, oldest first: against the turn before, and against what was
    learned."""

    thread: str
    frozen: tuple[float, ...]
    learned: tuple[float, ...]
    updates: int


@arguments
class ProposalsParameters(Scoped):
    thread: str = told("The thread whose friction is looked at; without one, what was proposed is listed.", "")


class ShownProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A change that repeated friction suggests. Nothing is applied by it."""

    proposal: str
    thread: str
    state: str
    evidence: tuple[str, ...]
    change: str
    effect: str
    verification: str
    rollback: str


class ProposalList(Listing[ShownProposal], frozen=True, kw_only=True):
    """Proposals, the last changed first."""

    proposals: tuple[ShownProposal, ...]


@arguments
class ProposalDecideParameters(Scoped):
    proposal: str = told("The id of the proposal.")
    decision: Literal["accept", "reject"] = told("accept or reject.")


@arguments
class BundleMakeParameters(Scoped):
    thread: str = told(A_THREAD)
    dry_run: bool = told("Only say what it would hold.", False)


@arguments
class BundleApproveParameters(Scoped):
    bundle: str = told("The id of the bundle.")
    training: bool = told("Also approve it for training.", False)
    yes: bool = told("Say that you have looked at it.", False)


@arguments
class BundleExportParameters(Scoped):
    bundle: str = told("The id of the bundle.")
    to: str = told("The file to write: JSON lines, the first of them the manifest.")


class ShownBundle(msgspec.Struct, frozen=True, kw_only=True):
    """What may leave for research: how many turns, a hash over them, what was redacted, and what was approved."""

    bundle: str
    thread: str
    state: str
    turns: int
    sha256: str
    redaction: str
    training: bool
    written: int = 0


OPERATIONS: Final[tuple[Operation, ...]] = (
    tool(
        "metabolism", MetabolismParameters, ShownMetabolism, Level.read_public,
        people="Show how unsettled the last exchange of a thread was.",
        models="See how unsettled your last exchange was, and why.",
    ),
    tool(
        "inquiries", InquiriesParameters, InquiryList, Level.read_public,
        people="List what is thought over.",
        models="See what you think over.",
    ),
    tool(
        "contemplate", ContemplateParameters, ShownInquiry, Level.write, writes=True,
        people="Take the next pass of an inquiry: at once, after four hours, after twenty.",
        models="Take the next pass of an inquiry, when its hour has come.",
    ),
    Operation(
        "crystallise", CrystalliseParameters, ShownIdentityPlan, Level.write, "palace", writes=True, toolset="full",
        people="Propose that an inquiry changes an identity file: time and principles decide, then you.",
        models="Propose that what you thought over changes an identity file. The user decides.",
    ),
    Operation(
        "standing", StandingParameters, ShownStanding, Level.read_all, "palace",
        people="Show where a person stands, where that is assessed at all.",
    ),
    tool(
        "dynamics", DynamicsParameters, ShownDynamics, Level.read_public,
        people="Show how surprising the last turns of a thread were.",
        models="See how surprising the last turns of a thread were.",
    ),
    tool(
        "proposals", ProposalsParameters, ProposalList, Level.write, writes=True,
        people="List what repeated friction suggests to change; nothing is applied.",
        models="See what repeated friction suggests to change. The user decides.",
    ),
    operators(
        "proposal_decide", ProposalDecideParameters, ShownProposal, Level.write, writes=True,
        people="Accept or reject a proposal.",
    ),
    operators(
        "bundle_make", BundleMakeParameters, ShownBundle, Level.write, writes=True,
        people="Make a research bundle of a thread: what it would hold, without what must not leave.",
    ),
    operators(
        "bundle_approve", BundleApproveParameters, ShownBundle, Level.write, writes=True,
        people="Approve a research bundle; for training only where you say so.",
    ),
    operators(
        "bundle_export", BundleExportParameters, ShownBundle, Level.write,
        people="Write an approved research bundle to a file.",
    ),
)  # fmt: skip
