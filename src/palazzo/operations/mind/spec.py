"""Operations about what a model is given to read: what is in mind, and how much each model takes. Parameters, results
and declarations.

Owns no behaviour. Invariant: what is in mind is told to whose mind it is, and to nobody else.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, operators, told, tool
from palazzo.operations.recall.spec import ContextBlock
from palazzo.operations.shared import Listing, OneMemoryParameters


@arguments
class ModelsParameters:
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


@arguments
class MindParameters(Scoped):
    """Arguments of `mind`."""


@arguments
class ClearMindParameters(Scoped):
    memory: str = told("Only this memory; everything when left out.", "")


class LetGo(msgspec.Struct, frozen=True, kw_only=True):
    """How much was let go of."""

    slots: int


@arguments
class AnticipateParameters(Scoped):
    message: str = told("What may be said or asked next.")


class Anticipation(msgspec.Struct, frozen=True, kw_only=True):
    """What was recalled ahead: how many memories, and until when a turn near enough is answered by them."""

    memories: int
    until: datetime
    degraded: tuple[str, ...] = ()


@arguments
class ContextsParameters:
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


OPERATIONS: Final[tuple[Operation, ...]] = (
    operators(
        "contexts", ContextsParameters, SeenContexts,
        people="Show what models were given to read: message, block, what entered and what was left out, and why.",
    ),
    tool(
        "mind", MindParameters, InMind, Level.read_public,
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
)  # fmt: skip
