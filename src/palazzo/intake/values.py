"""What goes into intake and what comes out: messages, the policy they are held to, and the result with every fate.

Owns the public values of this room. Knows nothing of how they are worked on. Invariant: a result names a fate for every
stretch of every message, and says which parts were missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from uuid import UUID

import msgspec

from palazzo.model.change import Receipt
from palazzo.model.fate import Fate, Intake
from palazzo.model.kinds import ConflictMode
from palazzo.model.memory import Atom

_NO_KINDS: Mapping[str, ConflictMode] = MappingProxyType({})


class Asserted(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a text asserts, read but not stored: the text as it may be kept, its atoms, and what kind it is of."""

    text: str
    atoms: tuple[Atom, ...]
    kind: str


class Policy(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is let in and how disagreements are settled. The message's own mode comes first, then the kind's."""

    medical: bool = False
    paused: bool = False
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
