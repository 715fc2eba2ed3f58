"""Operations about dreams: running one, reading its reports, carrying out what it proposes, and the questions it keeps.
Parameters, results and declarations.

Owns no behaviour. Invariant: a report is told in words to the operator; anyone else learns of it what they may read.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, operators, told, tool
from palazzo.operations.shared import Listing


@arguments
class DreamParameters:
    dry_run: bool = told("Only say what it would do.", False)
    only: tuple[str, ...] = told("Only these passes; as the setting dream_passes says when left out.", ())
    limit: int = told("How many steps of each pass, at most.", 100, low=1, high=10_000)
    ratio: float = told("The share of what is looked at that may be given up, at most.", 0.5, low=0.1, high=0.9)
    allow_published: bool = told("Also give up what is tagged published; it is noted in the report.", False)
    completed: str = told("A project that is over: what proved good in it is for everybody from then on.", "")


class ShownStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step: what the pass does, with which memories, what it made, why, and what became of it (planned, made,
    proposed, held back, failed, over).
    """

    of: str
    does: str
    memories: tuple[UUID, ...]
    made: tuple[UUID, ...]
    why: str
    figure: float
    state: str
    note: str = ""


class Dreamt(msgspec.Struct, frozen=True, kw_only=True):
    """A dream: its report as Markdown, and the same in parts. `state` is tried, made, proposed, rolled_back, undone,
    accepted, rejected, or busy when another process dreams. `probes` cues were asked before and after it.
    """

    id: UUID | None
    at: datetime
    state: str
    markdown: str
    steps: tuple[ShownStep, ...]
    passes: dict[str, str]
    probes: int = 0
    before: float = 1.0
    after: float = 1.0
    notes: tuple[str, ...] = ()


@arguments
class DreamsParameters:
    report: str = told("Only the report of this id, in full.", "")
    limit: int = told("How many at most, the newest first.", 10, low=1, high=200)


class DreamList(Listing[Dreamt], frozen=True, kw_only=True):
    """Reports of dreams, newest first."""

    dreams: tuple[Dreamt, ...]


@arguments
class ApplyDreamParameters:
    report: str = told("The id of the report that proposes something.")


@arguments
class PruneParameters:
    name: str = told("The pass, as a report names it, such as infer.")


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken back of a pass: memories it made and removed, links it added, states and questions."""

    name: str
    removed: int
    unlinked: int
    restored: int
    closed: int


@arguments
class GapsParameters(Scoped):
    limit: int = told("How many at most.", 20, low=1, high=1000)
    every: bool = told("Also those that rest, were answered or are not to be asked.", False)


class ShownGap(msgspec.Struct, frozen=True, kw_only=True):
    """A question that is open: `sort` is missing, contradiction or stale; `again_at` is until when it rests."""

    id: UUID
    sort: str
    question: str
    memories: tuple[UUID, ...]
    state: str
    again_at: datetime | None = None


class GapList(Listing[ShownGap], frozen=True, kw_only=True):
    """Questions to ask when there is time for them, those about contradictions first."""

    gaps: tuple[ShownGap, ...]


@arguments
class AskGapParameters(Scoped):
    gap: str = told("The id of the gap, as `gaps` tells it.")
    session: str = told("The session it is asked in: two questions are asked in one at most.", "")


@arguments
class MuteGapParameters(Scoped):
    gap: str = told("The id of the gap, as `gaps` tells it.")


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "dream", DreamParameters, Dreamt, Level.forget, "palace", writes=True, toolset="full",
        people="Think over what is remembered: gather what says the same, find gaps, and more; or only say what it"
        " would do. Every run is checked, reported and can be taken back.",
        models="Try a dream: with dry_run it says what would be gathered, linked or asked. Only the user runs one.",
    ),
    operators(
        "dreams", DreamsParameters, DreamList,
        people="Show the reports of dreams: what they did or propose, what the check found, how to take them back.",
    ),
    operators(
        "dream_apply", ApplyDreamParameters, Dreamt, writes=True,
        people="Carry out what a dream proposed, with the same check.",
    ),
    operators(
        "prune", PruneParameters, Pruned, writes=True,
        people="Take back everything one pass ever did, such as all that was inferred.",
    ),
    tool(
        "gaps", GapsParameters, GapList, Level.read_public,
        people="List open questions: what is not known, what contradicts itself, what may be out of date.",
        models="See what is worth asking the user when there is a quiet moment. Say gap_ask before you ask one.",
    ),
    tool(
        "gap_ask", AskGapParameters, ShownGap, Level.write, writes=True,
        people="Note that a question is asked now; it then rests for a week.",
        models="Note that you ask the user this question now. Two in a session at most; remember the answer.",
    ),
    tool(
        "gap_mute", MuteGapParameters, GapList, Level.write, writes=True, idempotent=True,
        people="Never ask a question again.",
        models="Never ask this question again, because the user does not want it.",
    ),
)  # fmt: skip
