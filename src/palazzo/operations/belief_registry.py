"""The belief room's part of the registry: revising, looking back, audits, claims, signals and work products.

Owns declarations only, like registry.py, which joins them to the others. Invariant: what decides for a person (recheck,
resolve, decide, retract, claim_mode) is the operator's alone and in no toolset.
"""

from __future__ import annotations

from typing import Final

from palazzo.model.capability import Level
from palazzo.operations import belief_parameters as p
from palazzo.operations import belief_results as r
from palazzo.operations.declared import Operation
from palazzo.operations.parameters import OneMemory

BELIEF_OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="revise", arguments=p.Revise, result=r.BeliefChange, level=Level.write, where="place", writes=True,
        idempotent=True, toolset="temporal",
        people="Believe a statement and give up what conflicts with it, and no more.",
        models="Hold a statement as true and give up exactly what cannot be true beside it. Use it for a correction the"
        " user made; for anything else worth keeping, use remember.",
    ),
    Operation(
        name="contract", arguments=p.Contract, result=r.BeliefChange, level=Level.write, where="reach", writes=True,
        idempotent=True, toolset="temporal",
        people="Stop believing a statement, without believing its opposite.",
        models="Stop holding a statement when the user says it is unknown or should not be assumed. It stays in the"
        " history.",
    ),
    Operation(
        name="revert", arguments=p.Revert, result=r.BeliefChange, level=Level.write, where="memory", writes=True,
        idempotent=True, toolset="temporal",
        people="Take a memory back to an earlier revision.",
        models="Take one memory back to what it said in an earlier revision; history shows the numbers.",
    ),
    Operation(
        name="as_of", arguments=p.AsOf, result=r.Believed, level=Level.read_public, where="reach", toolset="temporal",
        people="Show what is believed, now or at another time.",
        models="See the statements that are held, now or as of a time in the past.",
    ),
    Operation(
        name="path", arguments=p.Path, result=r.Pathway, level=Level.read_public, where="memory", toolset="graph",
        people="Show the shortest chain of links between two memories.",
        models="See how two memories are connected.",
    ),
    Operation(
        name="outcome", arguments=p.Outcomes, result=r.Trusted, level=Level.write, where="memory", writes=True,
        toolset="full",
        people="Note that relying on a memory went well or badly; trust moves with it.",
        models="Say whether a memory you relied on turned out right. Trust in it, and in what rests on it, moves.",
    ),
    Operation(
        name="staleness", arguments=OneMemory, result=r.Stale, level=Level.read_public, where="memory",
        toolset="temporal",
        people="Look whether a memory still holds: newer words against it, its age, what is done.",
        models="Check whether one memory may be out of date before you rely on it.",
    ),
    Operation(
        name="review", arguments=p.Review, result=r.Reviewed, level=Level.read_public, where="reach", toolset="full",
        people="Show what waits for a person: disagreements, claims, and what may have changed.",
        models="See what waits for the user to decide: contradictions, proposed claims, memories that may be out of"
        " date. Only the user decides.",
    ),
    Operation(
        name="recheck", arguments=p.Recheck, result=r.Audited, level=Level.forget, where="palace", writes=True,
        operator_only=True, toolset="",
        people="Look at the memories whose turn has come, whether they still hold.",
        models="",
    ),
    Operation(
        name="resolve", arguments=p.Resolve, result=r.Resolved, level=Level.write, where="memory", writes=True,
        operator_only=True, toolset="",
        people="Say whether a memory that may have changed still holds.",
        models="",
    ),
    Operation(
        name="signal", arguments=p.Signals, result=r.Signalled, level=Level.write, where="reach", writes=True,
        toolset="full",
        people="Add counts of what is done, such as languages used or music heard.",
        models="Report counts of what the user does (family, dimension, count), so that habits can be checked.",
    ),
    Operation(
        name="propose", arguments=p.Propose, result=r.Claim, level=Level.write, where="reach", writes=True,
        toolset="full",
        people="Propose a claim with its sources; a person decides about it.",
        models="Propose a statement you concluded, with its sources. It is believed by nobody until the user accepts"
        " it.",
    ),
    Operation(
        name="claims", arguments=p.Claims, result=r.ClaimList, level=Level.read_public, where="reach", toolset="full",
        people="List claims of a status.",
        models="List proposed claims or those the user decided about.",
    ),
    Operation(
        name="preview", arguments=p.OneClaim, result=r.ClaimPreview, level=Level.read_public, where="reach",
        toolset="full",
        people="Show the evidence for a claim, the state of its sources and a recommendation.",
        models="See the evidence for a claim, whether its sources still say so, and what speaks against it.",
    ),
    Operation(
        name="decide", arguments=p.Decide, result=r.Claim, level=Level.write, where="palace", writes=True,
        operator_only=True, toolset="",
        people="Accept, reject or defer a claim, repeating its text and the state of its source.",
        models="",
    ),
    Operation(
        name="retract", arguments=p.Retract, result=r.Claim, level=Level.write, where="palace", writes=True,
        operator_only=True, toolset="",
        people="Take back a claim that was accepted.",
        models="",
    ),
    Operation(
        name="claim_mode", arguments=p.SetMode, result=r.ModeSet, level=Level.forget, where="palace", writes=True,
        idempotent=True, operator_only=True, toolset="",
        people="Choose what is done with claims: observe, diagnostic or enforce.",
        models="",
    ),
    Operation(
        name="register", arguments=p.Register, result=r.Product, level=Level.write, where="place", writes=True,
        toolset="full",
        people="Register something that was made, with its files and what it was made from.",
        models="Register an output you made (a report, a design, a build) so that others find it; registering the same"
        " name again makes its next revision.",
    ),
    Operation(
        name="product", arguments=p.FindProduct, result=r.Product, level=Level.read_public, where="reach",
        toolset="full",
        people="Find the revision of a product that a tag points at, such as the approved one.",
        models="Find the approved (or otherwise tagged) revision of something that was made.",
    ),
)  # fmt: skip
