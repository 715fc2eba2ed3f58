"""What goes into intake and what comes out: messages, the policy they are held to, and the result with every fate.

Owns the public values of this room. Knows nothing of how they are worked on. Invariant: a result names a fate for every
stretch of every message, and says which parts were missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal
from uuid import UUID

from mnemon.model.change import Receipt
from mnemon.model.entity import MentionDraft, RelationDraft
from mnemon.model.fate import Fate, Intake
from mnemon.model.kinds import ConflictMode
from mnemon.model.memory import Atom
from mnemon.model.provenance import NodeKind
from mnemon.model.scope import GLOBAL, Scope
from mnemon.model.turn import Role

Manner = Literal["remember", "observe"]
"""remember: somebody asked to keep it. observe: it was said, and what lasts is drawn from it."""

_NO_KINDS: Mapping[str, ConflictMode] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A text to take in.

    `at_us` is the message's own time (None: now); relative dates are read against it. `speaker` is who says "I",
    `addressee` who is "you"; without names they are the user and the assistant. An empty place or kind is chosen from
    the content. A message with a name, or marked `verbatim`, is kept as one memory, word for word.
    """

    text: str
    at_us: int | None = None
    author: str = ""
    speaker: str = ""
    addressee: str = ""
    role: Role = "user"
    scope: Scope = GLOBAL
    thread: str = ""
    session: str = ""
    place: str = ""
    kind: str = ""
    name: str = ""
    seen_revision: int | None = None
    """The revision of that name which its sender saw, 0 for none: if another stands there, nothing is written."""
    importance: float | None = None
    pinned: bool | None = None
    tags: tuple[str, ...] = ()
    source: NodeKind = "conversation"
    label: str = ""
    conflict: ConflictMode | None = None
    verbatim: bool = False
    mentions: tuple[MentionDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    """Entities and relations its sender knows of, beside those that are read out of the text."""
    entry: str = ""
    """The id it has in the file it was imported from; the same entry with the same words is taken in once."""
    metadata: Mapping[str, Any] | None = field(default=None, hash=False)
    """JSON values by key, kept beside what the message becomes; of a memory that is revised, None keeps what it has."""

    @property
    def imported(self) -> bool:
        """Whether it comes from a file nobody vouches for: then it is held in quarantine."""
        return self.source == "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asserted:
    """What a text asserts, read but not stored: the text as it may be kept, its atoms, and what kind it is of."""

    text: str
    atoms: tuple[Atom, ...]
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is let in and how disagreements are settled. The message's own mode comes first, then the kind's."""

    medical: bool = False
    paused: bool = False
    conflict: ConflictMode | None = None
    conflict_by_kind: Mapping[str, ConflictMode] = field(default_factory=lambda: _NO_KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresight:
    """Which of some messages are known already, and which would be refused as a whole and why, by their numbers."""

    repeated: tuple[int, ...]
    refused: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeResult:
    """What became of a call.

    `memory_ids` are the memories that now hold what was said, each once, in order. `intakes` has one account per
    message, in order. `degraded` says which parts were missing ("vectors: no embedder is configured"); `repeated` are
    the numbers of messages that had been taken in before, word for word.
    """

    memory_ids: tuple[UUID, ...]
    intakes: tuple[Intake, ...]
    receipt: Receipt
    degraded: tuple[str, ...] = ()
    repeated: tuple[int, ...] = ()

    @property
    def fates(self) -> tuple[Fate, ...]:
        """The fates of all messages, in order."""
        return tuple(fate for intake in self.intakes for fate in intake.fates)

    @property
    def stored(self) -> int:
        """How many stretches became or changed a memory."""
        return sum(f.outcome in ("stored", "merged", "superseded", "conflict", "flagged") for f in self.fates)
