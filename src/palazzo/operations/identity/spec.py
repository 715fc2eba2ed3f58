"""Operations on identity files: parameters, results and declarations.

Owns no behaviour. Invariant: what writes a file is the operator's alone and in no toolset.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, operators, told
from palazzo.operations.shared import Listing

IdentityFile = Literal["SOUL.md", "AGENTS.md", "ANCHOR.md", "TOOLS.md", "MEMORY.md"]


@arguments
class IdentityShowParameters(Scoped):
    """Arguments of `identity_show`."""


class ShownIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """An identity file: the tag it is read under, what it says, and a mark of its bytes."""

    file: str
    tag: str
    text: str
    sha256: str


class IdentityFiles(Listing[ShownIdentity], frozen=True, kw_only=True):
    """The identity files there are, in the order in which they are read."""

    files: tuple[ShownIdentity, ...]


@arguments
class IdentityPlanParameters(Scoped):
    file: IdentityFile = told("Which file.")
    text: str = told("What it is to say from then on, as a whole.")
    reason: str = told("Why.", "")


@arguments
class IdentityPlansParameters(Scoped):
    limit: int = told("How many at most, the last changed first.", 50, low=1, high=1000)


@arguments
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


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "identity_show", IdentityShowParameters, IdentityFiles, Level.read_all, "palace", toolset="full",
        people="Show the identity files: who the agent is, how it works, whom it works for.",
        models="Read your identity files.",
    ),
    Operation(
        "identity_plan", IdentityPlanParameters, ShownIdentityPlan, Level.write, "palace", writes=True, toolset="full",
        people="Plan what an identity file is to say; nothing is written before you apply it.",
        models="Propose what an identity file is to say. The user looks at it and applies it, or not.",
    ),
    Operation(
        "identity_plans", IdentityPlansParameters, IdentityPlanList, Level.read_all, "palace", toolset="full",
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
)  # fmt: skip
