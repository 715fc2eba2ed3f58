"""Operations of an agent's own self: metabolism, inquiries, standing, dynamics, proposals and research bundles, its
identity files, and receipts for what it was handed. Parameters, results and declarations.

Owns no behaviour. Invariants: what judges people answers only where somebody switched it on; what writes a file,
approves or exports is the operator's alone and in no toolset.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, operators, told, tool
from palazzo.operations.shared import Listing, NewestParameters, ScopeParameters

A_THREAD = "The thread."


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


class ContemplateParameters(Scoped):
    inquiry: str = told("The id of the inquiry.")


class CrystalliseParameters(Scoped):
    inquiry: str = told("The id of the inquiry.")
    file: IdentityFile = told("The identity file that would change.")
    text: str = told("The line that would be added to it.")


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


class ProposalDecideParameters(Scoped):
    proposal: str = told("The id of the proposal.")
    decision: Literal["accept", "reject"] = told("accept or reject.")


class BundleMakeParameters(Scoped):
    thread: str = told(A_THREAD)
    dry_run: bool = told("Only say what it would hold.", False)


class BundleApproveParameters(Scoped):
    bundle: str = told("The id of the bundle.")
    training: bool = told("Also approve it for training.", False)
    yes: bool = told("Say that you have looked at it.", False)


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


IdentityFile = Literal["SOUL.md", "AGENTS.md", "ANCHOR.md", "TOOLS.md", "MEMORY.md"]


class ShownIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """An identity file: the tag it is read under, what it says, and a mark of its bytes."""

    file: str
    tag: str
    text: str
    sha256: str


class IdentityFiles(Listing[ShownIdentity], frozen=True, kw_only=True):
    """The identity files there are, in the order in which they are read."""

    files: tuple[ShownIdentity, ...]


class IdentityPlanParameters(Scoped):
    file: IdentityFile = told("Which file.")
    text: str = told("What it is to say from then on, as a whole.")
    reason: str = told("Why.", "")


class OneIdentityPlanParameters(Scoped):
    plan: str = told("The id of the plan.")
    yes: bool = told("Say that you have looked at what it changes.", False)


class ShownIdentityPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A change of an identity file: planned, applied or rolled back, with what it changes line by line."""

    plan: str
    file: str
    state: str
    by: str
    reason: str
    diff: str
    made_at: datetime
    changed_at: datetime


class IdentityPlanList(Listing[ShownIdentityPlan], frozen=True, kw_only=True):
    """Plans, the last changed first."""

    plans: tuple[ShownIdentityPlan, ...]


A_RECEIPT = "The id of the receipt, att_..."


class AttachParameters(Scoped):
    name: str = told("The file's path, or its name where its content is handed over.")
    content: str = told("The content in base64, instead of a path; only the operator names paths.", "")
    thread: str = told("The thread it is shown in.", "")
    session: str = told("The session it is shown in.", "")


class ShownReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an attachment after the turn it was shown in. `state` says whether its source still is what
    it was; `line` is how a model is told of it."""

    receipt: str
    kind: str
    filename: str
    media_type: str
    size: int
    sha256: str
    source: str
    state: str
    excerpt: str
    observation: str
    threads: tuple[str, ...]
    line: str
    at: datetime


class ReceiptsParameters(Scoped):
    thread: str = told("Only those shown in this thread.", "")
    limit: int = told("How many at most, the last changed first.", 50, low=1, high=1000)


class ReceiptList(Listing[ShownReceipt], frozen=True, kw_only=True):
    """Receipts, the last changed first."""

    receipts: tuple[ShownReceipt, ...]


class ReceiptCheckParameters(Scoped):
    receipt: str = told(A_RECEIPT)


class ObserveAttachmentParameters(Scoped):
    receipt: str = told(A_RECEIPT)
    text: str = told("What was seen in it.")


OPERATIONS: Final[tuple[Operation, ...]] = (
    tool(
        "metabolism", MetabolismParameters, ShownMetabolism, Level.read_public,
        people="Show how unsettled the last exchange of a thread was.",
        models="See how unsettled your last exchange was, and why.",
    ),
    tool(
        "inquiries", NewestParameters, InquiryList, Level.read_public,
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
    Operation(
        "identity_show", ScopeParameters, IdentityFiles, Level.read_all, "palace", toolset="full",
        people="Show the identity files: who the agent is, how it works, whom it works for.",
        models="Read your identity files.",
    ),
    Operation(
        "identity_plan", IdentityPlanParameters, ShownIdentityPlan, Level.write, "palace", writes=True, toolset="full",
        people="Plan what an identity file is to say; nothing is written before you apply it.",
        models="Propose what an identity file is to say. The user looks at it and applies it, or not.",
    ),
    Operation(
        "identity_plans", NewestParameters, IdentityPlanList, Level.read_all, "palace", toolset="full",
        people="List plans for identity files, with what each changes.",
        models="See which changes of identity files were proposed, and what became of them.",
    ),
    operators(
        "identity_apply", OneIdentityPlanParameters, ShownIdentityPlan, Level.write, writes=True,
        people="Write what a plan for an identity file says.",
    ),
    operators(
        "identity_rollback", OneIdentityPlanParameters, ShownIdentityPlan, Level.write, writes=True,
        people="Give back what an identity file said before a plan was applied.",
    ),
    tool(
        "attach", AttachParameters, ShownReceipt, Level.write, writes=True, idempotent=True,
        people="Keep a receipt of a file before a model is shown it; the file is not copied.",
        models="Keep a receipt of something you are shown, so that later turns know what it was.",
    ),
    tool(
        "receipts", ReceiptsParameters, ReceiptList, Level.read_public,
        people="List what was attached, and whether its sources still are what they were.",
        models="See what was attached before. You do not see the files themselves.",
    ),
    tool(
        "receipt_check", ReceiptCheckParameters, ShownReceipt, Level.read_public,
        people="Look whether the source of a receipt is unchanged, changed or missing.",
        models="Check whether the source of a receipt still is what you were shown.",
    ),
    tool(
        "observe_attachment", ObserveAttachmentParameters, ShownReceipt, Level.write, writes=True,
        people="Keep what was seen in an attachment.",
        models="Keep what you saw in an attachment: later turns carry that instead of the file.",
    ),
)  # fmt: skip
