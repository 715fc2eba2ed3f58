"""A text on its way in: the message as it was told, and the letter that was admitted of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

import msgspec

from palazzo.model.entity import MentionDraft, RelationDraft
from palazzo.model.kinds import ConflictMode
from palazzo.model.memory import Tier
from palazzo.model.provenance import NodeKind
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.turn import Role

Manner = Literal["remember", "observe"]
"""remember: somebody asked to keep it. observe: it was said, and what lasts is drawn from it."""


class Message(msgspec.Struct, frozen=True, gc=False, kw_only=True):
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
    metadata: Mapping[str, Any] | None = None
    """JSON values by key, kept beside what the message becomes; of a memory that is revised, None keeps what it has."""

    @property
    def imported(self) -> bool:
        """Whether it comes from a file nobody vouches for: then it is held in quarantine."""
        return self.source == "import"


class Letter(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A message that was admitted and screened: `text` is what may be stored of it.

    `barred` are sentences nothing may be drawn from, with the class; `wholly` says nothing but such is left.
    """

    number: int
    message: Message
    manner: Manner
    id: UUID
    text: str
    at_us: int
    barred: tuple[tuple[int, int, str], ...] = ()
    flagged: tuple[tuple[int, int], ...] = ()
    flags: tuple[str, ...] = ()
    tier: Tier = "clear"
    personal: tuple[tuple[int, int, str], ...] = ()
    wholly: bool = False
