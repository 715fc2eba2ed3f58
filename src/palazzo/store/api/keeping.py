"""Values of what belongs to the palace rather than to a memory: audit, guard, erasures, requests, damage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from uuid import UUID

import msgspec

from palazzo.model.capability import Grant
from palazzo.model.memory import State
from palazzo.model.raw_event import RawSelection
from palazzo.model.retention import Wear


class SubjectGrants(msgspec.Struct, frozen=True):
    """What the palace holds about a subject."""

    grants: tuple[Grant, ...]
    lifted: bool | None
    """What an operator decided about its hard lock: lifted, locked, or nothing."""
    first_us: int | None


class AuditLine(msgspec.Struct, frozen=True, kw_only=True):
    """Who did or tried what, where, when, with which capability, and what was decided."""

    at_us: int
    subject: str
    action: str
    decision: str = "allowed"
    place: str | None = None
    capability: str | None = None
    query: str | None = None
    """A keyed hash of what was asked: equal questions can be told apart from others, and nothing more."""
    first_seq: int | None = None
    last_seq: int | None = None
    detail: str | None = None


class AuditFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which lines are wanted; an empty field wants all."""

    subject: str = ""
    action: str = ""
    decision: str = ""
    place: str = ""
    after_us: int | None = None
    before_us: int | None = None


class Finding(msgspec.Struct, frozen=True):
    """One thing the doctor looked at. `advice` says what to do when it is not good."""

    check: str
    level: Literal["good", "warning", "bad"]
    detail: str
    advice: str = ""


class KeyedRequest(msgspec.Struct, frozen=True):
    """One request of a subject under a key of its own."""

    subject: str
    key: str
    digest: bytes


JobState = Literal["running", "done", "cancelled", "failed"]


class JobRow(msgspec.Struct, frozen=True, kw_only=True):
    """What the palace knows of a job: who has it and until when, how far it is, and how its last run ended.

    While it runs, `ended_us` and `report` are those of the run before.
    """

    name: str
    state: JobState
    subject: str
    began_us: int
    until_us: int
    ended_us: int | None = None
    step: str = ""
    done: int = 0
    total: int = 0
    cancelled: bool = False
    report: str = ""


class Fading(msgspec.Struct, frozen=True, gc=False):
    """A memory whose next transition is due: the state it is in, when it was used last, and how fast it fades."""

    memory_id: UUID
    state: State
    accessed_us: int
    wear: Wear


class JobHold(msgspec.Struct, frozen=True):
    """Who has a job: a random name, and until when by the machine's clock, which stood at `now_us`."""

    name: str
    holder: str
    now_us: int
    until_us: int


AUDIT_CURSOR = "audits"
SETTLING_CURSOR = "settling"


class QueueStep(msgspec.Struct, frozen=True):
    """A stretch of the journal: the memories it says were written, its last event, the moment it is read, and the
    memories it says were given up."""

    ids: tuple[UUID, ...]
    last: int
    now_us: int
    gone: tuple[UUID, ...] = ()


Stretches = tuple[tuple[int, int], ...]


ErasureKind = Literal["memories", "user", "everything"]


class Erasing(msgspec.Struct, frozen=True, kw_only=True):
    """One erasure. `names` are those a person is known by; `unreadable` takes archive lines nobody can read as well."""

    kind: ErasureKind = "memories"
    subject: str = "operator"
    user: str = ""
    names: tuple[str, ...] = ()
    pseudonym: str = ""
    mentions: bool = False
    unreadable: bool = False
    captured: RawSelection | None = None
    """Which raw events go with it; None: none but a person's own."""
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToErase:
    """What is to go from an archive: stretches of letters by id (None: the letter), commits of memories, all of some
    people (casefolded), these names wherever they are said, what stands around memories of what was captured, lines
    nobody can read, or everything.
    """

    stretches: Mapping[UUID, Stretches | None] = field(default_factory=dict)
    memories: frozenset[UUID] = frozenset()
    people: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    captured: RawSelection | None = None
    unreadable: bool = False
    everything: bool = False

    @property
    def empty(self) -> bool:
        return self == ToErase()


class Erased(msgspec.Struct, frozen=True):
    """How many lines an archive changed, and where the lines stand that nobody can read."""

    lines: int = 0
    unreadable: tuple[str, ...] = ()


class GuardRules(msgspec.Struct, frozen=True):
    """What holds for a subject and for everybody, in one moment."""

    version: int
    policies: dict[str, str]
    vaults: tuple[str, ...]
    granted: SubjectGrants


class AuditHead(msgspec.Struct, frozen=True):
    """The last line of the chain; line 0 without a hash while there is none."""

    line: int = 0
    hash: bytes = b""
    at_us: int = 0


class Damaged(msgspec.Struct, frozen=True, order=True):
    """A field that does not hold what its column holds. `row` is the number of the row, or its key in hexadecimal.

    Of an index there is neither row nor column: it is damaged as a whole.
    """

    table: str
    row: str
    column: str

    def __str__(self) -> str:
        if not self.row:
            return f"the {self.table} is damaged, this is without it; `palazzo rebuild` makes it again"
        return f"{self.table}: row {self.row}, column {self.column} is damaged"


CarriedRow = tuple[Any, ...]
"""A row as it is stored."""


class CarryNote(msgspec.Struct, frozen=True):
    """How far a palace has come that is carried from another: which moment of which palace it is, the table in hand,
    the key of its last row that arrived, and how many rows did. `whole` says that all are there."""

    source: str
    table: str = ""
    after: CarriedRow = ()
    rows: int = 0
    whole: bool = False


class CarriedMoment(Protocol):
    """One moment of a palace, row by row."""

    def counts(self) -> dict[str, int]:
        """How many rows each table has."""

    def mark(self) -> str:
        """What tells this moment of this palace from others."""

    def rows(self, table: str, after: CarriedRow, limit: int) -> list[CarriedRow]:
        """The rows of a table behind a key, in the order of keys; from the beginning for an empty one."""

    def key_of(self, table: str, row: CarriedRow) -> CarriedRow:
        """The key of a row."""

    def digest(self, *, exact: bool, progress: Callable[[str, int, int], None]) -> str:
        """What every row says, in one line: equal for palaces that hold the same. One that is not exact is the same
        whatever key seals."""


class Carried(Protocol):
    """Every row a palace consists of, the same on every engine: for moving it as a whole."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables, in the order they are carried."""

    def moment(self) -> AbstractContextManager[CarriedMoment]:
        """One moment of the palace."""

    def note(self) -> CarryNote | None:
        """How far this palace has come; None for one that is not being carried."""

    def begin(self, note: CarryNote) -> None:
        """Takes out every row and notes what is to come."""

    def take(self, note: CarryNote, rows: Sequence[CarriedRow]) -> None:
        """Puts rows in, and notes how far it came, in one transaction."""

    def finish(self) -> None:
        """Takes the note away: the palace is complete."""


def called(user: str) -> frozenset[str]:
    """What a user is called where rows name who acted, casefolded."""
    return frozenset({user.casefold(), f"user:{user}".casefold()})


def name_pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of these names as words of their own, in any case; None when there are none."""
    found = sorted({name for name in names if name}, key=len, reverse=True)
    if not found:
        return None
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, found))})(?!\w)", re.IGNORECASE)


MOST_PIECES = 256
