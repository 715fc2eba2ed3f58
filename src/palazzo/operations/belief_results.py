"""What the operations about belief return, in the same manner as results.py.

Owns the public shape. Invariant: every value here turns into JSON and back without loss; whatever an operation dropped,
brought back or left undone is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from palazzo.operations.results import Disagreement, StoredMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefChange:
    """What became of what is believed, statements in words: added, given up, and held again.

    `memory` holds what was stated; `touched` are all memories that changed. `consistent` is no when both sides stand.
    """

    memory: UUID | None
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    reinstated: tuple[str, ...]
    touched: tuple[UUID, ...]
    consistent: bool = True
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """One statement and the memory that holds it."""

    says: str
    memory: UUID
    kind: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Believed:
    """What was believed at a moment, oldest first. `total` counts what the limit left out as well."""

    at: datetime
    beliefs: tuple[Belief, ...]
    total: int

    def __iter__(self) -> Iterator[Belief]:
        return iter(self.beliefs)

    def __len__(self) -> int:
        return len(self.beliefs)

    def __getitem__(self, index: int) -> Belief:
        return self.beliefs[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pathway:
    """The shortest chain of links between two memories, both ends included; empty when there is none."""

    memories: tuple[StoredMemory, ...]

    def __iter__(self) -> Iterator[StoredMemory]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """Whether a memory still holds: three axes and their figure, why, and how sure its history of answers makes it."""

    memory: StoredMemory
    severity: float
    semantic: float
    temporal: float
    behavioral: float
    flagged: bool
    caveat: str
    confidence: float
    evidence: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedFrom:
    """A source of a claim."""

    kind: str
    reference: str
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement that waits for a person, or that one decided about; `memory` is what it became."""

    id: UUID
    text: str
    kind: str
    status: str
    sources: tuple[ClaimedFrom, ...]
    author: str
    proposed_at: datetime
    changed_at: datetime
    recheck_days: float
    memory: UUID | None = None
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimList:
    """Claims of a status, newest first, and the mode claims are in."""

    mode: str
    claims: tuple[Claim, ...]

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, index: int) -> Claim:
        return self.claims[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNow:
    """A source as it is now, compared with the claim."""

    reference: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionMade:
    """The receipt of a decision about a claim."""

    id: UUID
    at: datetime
    by: str
    status: str
    source_state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPreview:
    """Everything a person needs to decide about a claim; nothing was changed."""

    claim: Claim
    source_state: str
    sources: tuple[SourceNow, ...]
    recurrence: int
    diversity: int
    age_days: float
    conflicts: tuple[UUID, ...]
    recommendation: str
    receipts: tuple[DecisionMade, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeSet:
    """The mode claims are in now."""

    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """What waits for a person: disagreements, claims and memories that may have changed, the most severe first.

    `instructions` are those other subjects wrote: they act on nobody else until the operator tags them `standing`.

    `due` says that something waits and no audit was answered for a week.
    """

    due: bool
    disagreements: tuple[Disagreement, ...]
    claims: tuple[Claim, ...]
    stale: tuple[Stale, ...]
    instructions: tuple[StoredMemory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What a pass of audits did; `more` says that work is left, `busy` that another process is at it."""

    events: int
    queued: int
    audited: int
    flagged: int
    more: bool
    busy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The answer to an audit, and the confidence in the memory after it."""

    memory: UUID
    answer: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusted:
    """How far a memory may be relied on: its own accuracy, and that of the weakest thing it rests on."""

    memory: UUID
    own: float
    trust: float
    weakest: UUID
    confirm_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Signalled:
    """How many counts were added."""

    counts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductFile:
    """A file of a product. `state` is unchanged, changed, missing or elsewhere; empty when it was not looked at."""

    name: str
    uri: str
    media_type: str
    size: int | None
    sha256: str | None
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A work product at one revision: what it is, its files, and what it was made from."""

    memory: StoredMemory
    files: tuple[ProductFile, ...]
    made_from: tuple[UUID, ...]
    degraded: tuple[str, ...] = ()
