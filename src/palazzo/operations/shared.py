"""What operations of several nouns take and return: a memory by its name, a turn of talk, a memory as it is shown.

Owns the way from the store's microseconds to aware datetimes and back. Loads nothing heavy. Invariant: no key of the
store and no count of microseconds is in a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar
from uuid import UUID

import msgspec

from palazzo.errors import InvalidInput
from palazzo.model import zone
from palazzo.model.message import Role
from palazzo.model.zone import moment as moment
from palazzo.operations.declared import Arguments, Scoped, told

if TYPE_CHECKING:
    from palazzo.model.memory import Memory

T = TypeVar("T")
Life = Literal["live", "archived", "forgotten", "all"]
A_MEMORY = "The id of the memory, its address (place/name.kind), or the name it was given."
DEPRECATED_TOO = "Also what is no longer believed; the operator's alone."
BY_TAG = "As this tag points, such as published, instead of what holds now; what does not carry it is left out."


def microseconds(moment: datetime | None) -> int | None:
    """An aware datetime as the store counts time."""
    return None if moment is None else zone.microseconds(moment)


def id_called(text: str, field: str, hint: str | None = None, what: str = "") -> UUID:
    """The id somebody typed.

    Raises: InvalidInput.
    """
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput(f"{what or f'a {field}'} is named by its id", field=field, hint=hint) from None


def require_yes(yes: bool, what: str, shown_by: str) -> None:
    """What takes effect only once somebody who looked at it says so.

    Raises: InvalidInput with how to look and how to say it.
    """
    if not yes:
        hint = f"`{shown_by}` shows what it would do; then ask again with yes (--yes on the command line)"
        raise InvalidInput(what, field="yes", hint=hint)


def moment_if_any(us: int | None) -> datetime | None:
    """The same of a time that may be missing."""
    return None if us is None else moment(us)


class Listing(msgspec.Struct, Generic[T], frozen=True):
    """A result that lists things: iterate over it, index it, ask for its length. What it lists is its first tuple, or
    the field `listed` names."""

    listed: ClassVar[str] = ""

    def _things(self) -> tuple[T, ...]:
        fields = (getattr(self, name) for name in ([self.listed] if self.listed else self.__struct_fields__))
        return next(value for value in fields if isinstance(value, tuple))

    def __iter__(self) -> Iterator[T]:
        return iter(self._things())

    def __len__(self) -> int:
        return len(self._things())

    def __getitem__(self, index: int) -> T:
        return self._things()[index]


class GivenTurn(Arguments):
    """One turn of a conversation, as chat programs keep it."""

    content: str = told("What was said.")
    role: Role = told("Who said it, as a role.", "user")
    speaker: str = told("Who said it, by name.", "")
    addressee: str = told("Whom it was said to, by name.", "")
    at: datetime | None = told("When it was said; now when left out.", None)


class OneMemoryParameters(Scoped):
    memory: str = told(A_MEMORY)


class SeenMemoryParameters(OneMemoryParameters):
    """The same where the operator may also ask about what is no longer believed."""

    include_deprecated: bool = told(DEPRECATED_TOO, False)


class ReasonedMemoryParameters(OneMemoryParameters):
    """The same with a reason."""

    reason: str = told("Why, for the record; never put content here.", "")


class NoParameters(Arguments):
    """Arguments of operations that want none."""


class ScopeParameters(Scoped):
    """Arguments of operations that want nothing but whose memory it is."""


class NewestParameters(Scoped):
    """Arguments of operations that list what changed last."""

    limit: int = told("How many at most, the last changed first.", 50, low=1, high=1000)


class ShownArtifact(msgspec.Struct, frozen=True, kw_only=True):
    """A file a revision points at. `state` is unchanged, changed, missing or elsewhere; empty when it was not looked
    at."""

    name: str
    uri: str
    media_type: str
    size: int | None
    sha256: str | None
    state: str = ""


class StoredMemory(msgspec.Struct, frozen=True, kw_only=True):
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
    metadata: dict[str, Any] = {}
    title: str = ""
    """What its sender calls it, in any words."""
    artifacts: tuple[ShownArtifact, ...] = ()
    """The files its revision points at, where one memory was asked for."""

    @classmethod
    def of(cls, found: Memory) -> StoredMemory:
        """A memory as callers see it."""
        content = found.revision.content
        return cls(
            id=found.id, text=content.text, address=found.kref.short, place=found.place.path, name=found.name,
            kind=found.kind, scope=str(found.scope), state=found.state, revision=found.revision.number,
            importance=content.importance, confidence=content.confidence, created_at=moment(found.created_us),
            revised_at=moment(found.revision.created_us), valid_from=moment_if_any(content.valid_from_us),
            valid_to=moment_if_any(content.valid_to_us), author=content.author, speaker=content.detail.speaker,
            topics=content.detail.topics, pinned=found.pinned, deprecated=found.deprecated, staleness=found.staleness,
            metadata=dict(content.detail.metadata or {}), title=found.title,
        )  # fmt: skip


class ChangedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What a change did to a memory; `next` says what is left to do, if anything is."""

    memory: UUID
    address: str
    state: str
    next: str = ""
    done: str = ""
    """What was done, in a word or two."""

    @classmethod
    def of(cls, found: Memory, state: str, done: str = "") -> ChangedMemory:
        """What a change to this state did."""
        return cls(memory=found.id, address=found.kref.short, state=state, done=done or state)
