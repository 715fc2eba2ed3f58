"""Operations about what a model is given to read and how much each model takes; about what is known as a whole, in
summaries and in what stands behind them; and about dreams and the questions they keep. Parameters, results and
declarations.

Owns no behaviour. Invariants: what is in mind is told to whose mind it is, and to nobody else; everything is made from
what the caller may see; a report is told in words to the operator, and anyone else learns of it what they may read.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import ClassVar, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Arguments, Operation, Scoped, operators, told, tool
from palazzo.operations.palace.spec import KnownPart
from palazzo.operations.recall.spec import ContextBlock
from palazzo.operations.shared import Listing, OneMemoryParameters, ScopeParameters, StoredMemory


class ModelsParameters(Arguments):
    name: str = told("Only the entry that speaks for the model of this name.", "")


class ShownModel(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the language models whose names begin with `prefix`; empty for those nobody knows."""

    prefix: str
    context_tokens: int
    output_tokens: int
    tools: bool
    vision: bool
    thinking: bool
    tokenizer: str
    ratio: float
    depth: int


class ModelList(Listing[ShownModel], frozen=True, kw_only=True):
    """The table of language models, with what the setting `models` laid over it."""

    models: tuple[ShownModel, ...]


class MindSlot(msgspec.Struct, frozen=True, kw_only=True):
    """Something in mind: its words, how it came there, how present it is from 0 to 1, and what it costs to show.

    `source` is recall, sensory (just said), explicit or inference (held by a person or by an agent), schema, or
    anticipated; `memory` is empty for what was only said.
    """

    text: str
    source: str
    activation: float
    tokens: int
    touched_at: datetime
    memory: UUID | None = None
    note: str = ""


class InMind(Listing[MindSlot], frozen=True, kw_only=True):
    """What the caller has in mind in a scope, most present first."""

    scope: str
    slots: tuple[MindSlot, ...]


class ClearMindParameters(Scoped):
    memory: str = told("Only this memory; everything when left out.", "")


class LetGo(msgspec.Struct, frozen=True, kw_only=True):
    """How much was let go of."""

    slots: int


class AnticipateParameters(Scoped):
    message: str = told("What may be said or asked next.")


class Anticipation(msgspec.Struct, frozen=True, kw_only=True):
    """What was recalled ahead: how many memories, and until when a turn near enough is answered by them."""

    memories: int
    until: datetime
    degraded: tuple[str, ...] = ()


class ContextsParameters(Arguments):
    subject: str = told("Only what was given to this subject.", "")
    limit: int = told("How many at most, the newest first.", 20, low=1, high=200)


class SeenContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a model saw: the message it was about to answer, when, for whom, and the block with all told of it."""

    at: datetime
    subject: str
    message: str
    block: ContextBlock


class SeenContexts(Listing[SeenContext], frozen=True, kw_only=True):
    """Contexts that were given by this process, newest first: the last two hundred, in its memory alone."""

    contexts: tuple[SeenContext, ...]


SummaryLevel = Literal["", "day", "week", "month", "year"]


class KnowsParameters(Scoped):
    cue: str = told("What may be asked.")


class KnownCue(msgspec.Struct, frozen=True, kw_only=True):
    """How well something is known: `verdict` is know, partly or unknown, `confidence` from 0 to 1; the domain it falls
    into, what that holds and how many questions about it are open; and the same in a line.
    """

    verdict: str
    confidence: float
    domain: str = ""
    node: str = ""
    memories: int = 0
    gaps: int = 0
    newest_at: datetime | None = None
    line: str = ""


class UnfoldParameters(Scoped):
    node: str = told(
        "A part, as `overview` with a level names it, or the id or address of a summary or of a gathered memory."
    )
    limit: int = told("How many memories at most.", 50, low=1, high=5000)


class Unfolded(Listing[StoredMemory], frozen=True, kw_only=True):
    """What stands behind a summary or a part: the parts below it, and memories, most central or oldest first."""

    node: str
    summary: str
    parts: tuple[KnownPart, ...]
    listed: ClassVar[str] = "memories"
    memories: tuple[StoredMemory, ...]


class SummariesParameters(Scoped):
    thread: str = told("Only of this conversation.", "")
    level: SummaryLevel = told("Only days, weeks, months or years.", "")
    since: datetime | None = told("Only what began then or later.", None)
    until: datetime | None = told("Only what began before then.", None)
    text: str = told("Only what has these words, best first.", "")
    limit: int = told("How many at most.", 20, low=1, high=1000)


class ShownSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A summary: of which period and conversation, its words, and how many memories it is made of."""

    id: UUID
    level: str
    first: date
    thread: str
    text: str
    sources: int


class SummaryList(Listing[ShownSummary], frozen=True, kw_only=True):
    """Summaries, the newest first, or the best first where words were asked for."""

    summaries: tuple[ShownSummary, ...]


class DreamParameters(Arguments):
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


class DreamsParameters(Arguments):
    report: str = told("Only the report of this id, in full.", "")
    limit: int = told("How many at most, the newest first.", 10, low=1, high=200)


class DreamList(Listing[Dreamt], frozen=True, kw_only=True):
    """Reports of dreams, newest first."""

    dreams: tuple[Dreamt, ...]


class ApplyDreamParameters(Arguments):
    report: str = told("The id of the report that proposes something.")


class PruneParameters(Arguments):
    name: str = told("The pass, as a report names it, such as infer.")


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken back of a pass: memories it made and removed, links it added, states and questions."""

    name: str
    removed: int
    unlinked: int
    restored: int
    closed: int


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


class AskGapParameters(Scoped):
    gap: str = told("The id of the gap, as `gaps` tells it.")
    session: str = told("The session it is asked in: two questions are asked in one at most.", "")


class MuteGapParameters(Scoped):
    gap: str = told("The id of the gap, as `gaps` tells it.")


OPERATIONS: Final[tuple[Operation, ...]] = (
    operators(
        "contexts", ContextsParameters, SeenContexts,
        people="Show what models were given to read: message, block, what entered and what was left out, and why.",
    ),
    tool(
        "mind", ScopeParameters, InMind, Level.read_public,
        people="Show what is in mind between two turns: recalled, just said, held or anticipated.",
        models="See what is in mind for you between two turns, and how it came there.",
    ),
    Operation(
        "mind_hold", OneMemoryParameters, InMind, Level.read_public, "memory", toolset="full",
        people="Hold a memory in mind, so that the next contexts have it.",
        models="Keep one memory in mind for the next turns.",
    ),
    tool(
        "mind_clear", ClearMindParameters, LetGo, Level.read_public,
        people="Let go of one memory that is in mind, or of everything; no memory is lost.",
        models="Let go of what is in mind, for instance when the topic changes for good. No memory is lost.",
    ),
    tool(
        "anticipate", AnticipateParameters, Anticipation, Level.read_public,
        people="Recall for a turn that may come next: within a minute one near enough is answered at once.",
        models="Recall ahead for what the user may say next, while you write your answer.",
    ),
    Operation(
        "models", ModelsParameters, ModelList, Level.metadata, "palace", toolset="full",
        people="List the language models a context can be made for, and how much each takes.",
        models="See how many tokens a model takes and gives, as contexts made for it assume.",
    ),
    tool(
        "knows", KnowsParameters, KnownCue, Level.read_public,
        people="Say how well something is known: know, partly or unknown, and why.",
        models="Ask before you promise an answer: whether this is known, partly known or unknown.",
    ),
    tool(
        "unfold", UnfoldParameters, Unfolded, Level.read_public,
        people="Show what stands behind a summary, a gathered memory or a part of what is known.",
        models="Go from a summary, a gathered memory or a part of the map down to the memories behind it.",
    ),
    tool(
        "summaries", SummariesParameters, SummaryList, Level.read_public,
        people="List summaries of days, weeks, months and years, or search them.",
        models="Read summaries of days, weeks, months or years of a conversation, or search them by words.",
    ),
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
