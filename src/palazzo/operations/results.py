"""What operations return: plain frozen values with ids, aware datetimes and text, the same on every surface.

Owns the public shape of answers. Knows nothing of the store's keys or microseconds. Invariant: every value here turns
into JSON and back without loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from palazzo.operations.guard_results import ContextDecision


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemory:
    """A memory with its current revision (or the one that was current at the time asked for)."""

    id: UUID
    text: str
    address: str
    place: str
    name: str
    kind: str
    scope: str
    state: str
    revision: int
    importance: float
    confidence: float
    created_at: datetime
    revised_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    author: str = ""
    speaker: str = ""
    topics: tuple[str, ...] = ()
    pinned: bool = False
    deprecated: bool = False
    staleness: float = 0.0
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What became of one stretch of a text: its span, the outcome, why, and the memory that holds it now."""

    start: int
    end: int
    outcome: str
    reason: str = ""
    memory: UUID | None = None
    other: UUID | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The account of one message that was taken in."""

    id: UUID
    at: datetime
    fates: tuple[Fate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of a call that takes text in: the memories that hold it now, and an account for each message."""

    memories: tuple[UUID, ...]
    accounts: tuple[Account, ...]
    degraded: tuple[str, ...] = ()

    @property
    def id(self) -> UUID | None:
        """The first memory, for the usual case of one; None when nothing was worth keeping."""
        return self.memories[0] if self.memories else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One signal that counted: its figure from 0 to 1, its weight, and the memory's rank by it."""

    signal: str
    value: float
    weight: float
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMemory:
    """A memory that answers a cue. `text` is as much of it as the budget had room for."""

    text: str
    score: float
    trust: float
    memory: StoredMemory
    tier: str
    lane: str
    source: str = ""
    caveat: str = ""
    reasons: tuple[Reason, ...] = ()
    relevance: str = ""
    """The score beside the best one's, in a word: high, medium, low or minimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A candidate beside the hits, near the cue in meaning."""

    address: str
    text: str
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The memories that answer a cue, best first. Iterate over it, index it, ask for its length.

    `mode` says what was searched with (full, text only, degraded); `weights` which table of weights ranked; `dropped`
    which parts did not run, and why; `replaced` what matched but no longer holds and was left out, and what replaced
    it; `gist` what the hits are about where the budget had room for none; `siblings` what else a client that reranks
    itself may choose from.
    """

    hits: tuple[RecalledMemory, ...]
    mode: str
    intent: str
    tokens: int
    candidates: int
    left_out: int
    latency_ms: float
    dropped: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    weights: str = ""
    gist: str = ""
    siblings: tuple[Choice, ...] = ()
    damaged: tuple[str, ...] = ()
    """Stored fields that are damaged: their rows are left out."""

    def __iter__(self) -> Iterator[RecalledMemory]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> RecalledMemory:
        return self.hits[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """A text for a model to read before it answers, never longer than its budget, and the memories in it."""

    text: str
    tokens: int
    budget_tokens: int
    mode: str
    hits: tuple[RecalledMemory, ...]
    scope: str = ""
    """Whose memory was read, for the purpose it was asked for."""
    decisions: tuple[ContextDecision, ...] = ()
    dropped: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    """Stored fields that are damaged: their rows are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOnTheWay:
    """One question that was asked on the way, why, and the memories it brought."""

    question: str
    why: str
    depth: int
    found: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoned:
    """Evidence for a question, the steps that led to it, and the words of the question that nothing covers.

    With a language model at hand there is an `answer` too, and in `rests_on` the memories it names as its grounds.
    """

    question: str
    evidence: tuple[RecalledMemory, ...]
    steps: tuple[AskedOnTheWay, ...]
    missing: tuple[str, ...]
    stopped: str
    answer: str = ""
    rests_on: tuple[UUID, ...] = ()
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningPoint:
    """One moment in the life of what is known: added, reinforced or corrected."""

    at: datetime
    step: str
    memory: UUID
    revision: int
    text: str
    before: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolution:
    """How knowledge of a topic changed, oldest first."""

    topic: str
    changes: tuple[TurningPoint, ...]

    def __iter__(self) -> Iterator[TurningPoint]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def __getitem__(self, index: int) -> TurningPoint:
        return self.changes[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Memories, newest first, and where to go on; `total` is None where it takes long and no count was asked for."""

    memories: tuple[StoredMemory, ...]
    total: int | None
    next_cursor: str = ""
    damaged: tuple[str, ...] = ()
    """Stored fields that are damaged: their rows are left out."""

    def __iter__(self) -> Iterator[StoredMemory]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)

    def __getitem__(self, index: int) -> StoredMemory:
        return self.memories[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One revision of a memory: what it said from a time on."""

    revision: int
    text: str
    made_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    author: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Every revision of a memory, oldest first."""

    memory: UUID
    address: str
    revisions: tuple[Past, ...]

    def __iter__(self) -> Iterator[Past]:
        return iter(self.revisions)

    def __len__(self) -> int:
        return len(self.revisions)

    def __getitem__(self, index: int) -> Past:
        return self.revisions[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A happening behind a memory: what it was, when, how it bears on the memory and how many links away."""

    id: UUID
    kind: str
    at: datetime
    label: str
    author: str
    link: str
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link between two memories."""

    kind: str
    source: UUID
    target: UUID
    weight: float
    made_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause of an account, and what it speaks of: the id of a happening, or the address of a revision."""

    text: str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a memory is believed: in words, the happenings it came from, nearest first, and what it is linked with."""

    text: str
    clauses: tuple[Clause, ...]
    memory: StoredMemory
    origins: tuple[Origin, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A memory a walk came to, and how many links away it is."""

    depth: int
    memory: StoredMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """The memories a walk came to, nearest first."""

    start: UUID
    steps: tuple[Reached, ...]

    def __iter__(self) -> Iterator[Reached]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What a change did to a memory; `next` says what is left to do, if anything is."""

    memory: UUID
    address: str
    state: str
    next: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """Whether a memory is left out of contexts alike from now on, and why not."""

    memory: UUID
    address: str
    suppressed: bool
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """The accounts of the messages behind what was asked about, oldest first."""

    accounts: tuple[Account, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Two memories that cannot both hold: what the newer one says, and what the older one said."""

    newer: UUID
    says: str
    older: UUID
    said: str
    score: float
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreements:
    """Disagreements that wait for a person, newest first."""

    disagreements: tuple[Disagreement, ...]

    def __iter__(self) -> Iterator[Disagreement]:
        return iter(self.disagreements)

    def __len__(self) -> int:
        return len(self.disagreements)

    def __getitem__(self, index: int) -> Disagreement:
        return self.disagreements[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A disagreement that is closed: the memory that holds, and how many changes that took."""

    settled: UUID
    changes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceCount:
    """A place, how many memories stand in it, and when the newest came."""

    place: str
    seal: str
    memories: int
    newest_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceList:
    """The places directly below one."""

    below: str
    places: tuple[PlaceCount, ...]

    def __iter__(self) -> Iterator[PlaceCount]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, index: int) -> PlaceCount:
        return self.places[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One event of the journal: when, what happened, who did it, and to which memory. Never content.

    `seq` is its number for the operator, for others a word of their own that stands for it.
    """

    seq: str
    at: datetime
    kind: str
    subject: str
    memory: UUID | None
    revision: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Events, oldest first. `last` is where to go on, also when nothing was shown."""

    events: tuple[Happening, ...]
    last: str

    def __iter__(self) -> Iterator[Happening]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)
