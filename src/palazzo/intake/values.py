"""What goes into intake and what comes out: messages, the policy they are held to, and the result with every fate.

Owns the values of this room, the drafts on their way through its stages among them. Knows not how they are worked on.
Invariants: a result names a fate for every stretch of every message, and says which parts were missing; `start` and
`end` of a draft index the message's text as it will be stored (secrets already replaced by their class).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.change import Receipt
from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.model.kinds import ConflictMode, Durability
from palazzo.model.memory import Affect, Atom
from palazzo.model.message import Fate, Intake, Letter
from palazzo.model.zone import UTC_NAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NO_KINDS: Mapping[str, ConflictMode] = MappingProxyType({})


class Asserted(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a text asserts, read but not stored: the text as it may be kept, its atoms, and what kind it is of."""

    text: str
    atoms: tuple[Atom, ...]
    kind: str


class Policy(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is let in and how disagreements are settled. The message's own mode comes first, then the kind's."""

    paused: bool = False
    zone: str = UTC_NAME
    """Where a message that tells no zone is read."""
    conflict: ConflictMode | None = None
    conflict_by_kind: Mapping[str, ConflictMode] = msgspec.field(default_factory=lambda: _NO_KINDS)


class Foresight(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Which of some messages are known already, and which would be refused as a whole and why, by their numbers."""

    repeated: tuple[int, ...]
    refused: Mapping[int, str]


class IntakeResult(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What became of a call.

    `memory_ids` are the memories that now hold what was said, each once, in order. `intakes` has one account per
    message, in order. `degraded` says which parts were missing ("vectors: no embedder is configured"); `repeated` are
    the numbers of messages that had been taken in before, word for word. `pending` is how many were only kept, to be
    understood later.
    """

    memory_ids: tuple[UUID, ...]
    intakes: tuple[Intake, ...]
    receipt: Receipt
    degraded: tuple[str, ...] = ()
    repeated: tuple[int, ...] = ()
    pending: int = 0

    @property
    def fates(self) -> tuple[Fate, ...]:
        """The fates of all messages, in order."""
        return tuple(fate for intake in self.intakes for fate in intake.fates)

    @property
    def stored(self) -> int:
        """How many stretches became or changed a memory."""
        return sum(f.outcome in ("stored", "merged", "superseded", "conflict", "flagged") for f in self.fates)


_NO_VECTORS: Mapping[str, NDArray[np.float32]] = MappingProxyType({})
TURN_KIND = "exchange"
DOCUMENT_KIND = "document"
SECTION_KIND = "section"
DRAWN_STAGE = "drawn"
"""The stage of what comes out of a document: no one said it by itself."""
OBSERVED = "observe"
"""The stage of what was said in a conversation."""
SUMMARISED = 240
"""Turns up to this length are their own summary: about sixty tokens, the most a summary may have."""


class Judgement(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What sort of statement it is."""

    kind: str
    importance: float
    confidence: float
    durability: Durability | None = None
    reasons: tuple[str, ...] = ()
    reads_as: str = ""
    """What a short document would be if it were a statement: in which situations it matters follows from that."""


class Findings(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What was read out of the text."""

    atoms: tuple[Atom, ...] = ()
    mentions: tuple[MentionDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    topics: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    language: str = ""
    affect: Affect = Affect()
    valid_from_us: int | None = None
    valid_to_us: int | None = None


DraftRole = Literal["statement", "document", "section", "drawn"]

GIVEN_ROLES: Final = frozenset({"document", "section"})


class Draft(msgspec.Struct, frozen=True, gc=False):
    """One future memory. `statement` is the text as a proposition that reads alone; `text` what will be stored."""

    letter: Letter
    text: str
    statement: str
    start: int
    end: int
    whole: bool = False
    role: DraftRole = "statement"
    """What it is of its message: a statement, the document that the message is, a section of it, or drawn from it."""
    part: int = 0
    sentence: str = ""
    subject: str = ""
    corrects: bool = False
    """Whether it puts right what was said before; `replaces` are the memories that said it."""
    replaces: tuple[UUID, ...] = ()
    stage: str = ""
    """Who read it out of the message, when it was not the offline reading."""
    judgement: Judgement | None = None
    findings: Findings = Findings()
    prospects: tuple[str, ...] = ()
    vectors: Mapping[str, NDArray[np.float32]] = _NO_VECTORS

    @property
    def kind(self) -> str:
        return self.judgement.kind if self.judgement is not None else TURN_KIND

    @property
    def kept(self) -> bool:
        """Whether a memory holds it already, which was kept first."""
        return self.letter.kept is not None and (self.whole or self.role == "document")


class Lost(msgspec.Struct, frozen=True, gc=False):
    """What a stage took out: the number of the message and the fate."""

    number: int
    fate: Fate
