"""A text on its way in: the message as it was told, its turn in a conversation, the letter admitted of it, its fate.

What was said just before and after is a first-class signal of recall, so the turn is kept as structure, not as text. A
fate carries positions, ids and reasons, never content, so it can be kept for good and shown to whoever may see the
memory it names. Invariant: a fate's `reason` is a short phrase of our own words or a class of finding, never a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

import msgspec

from palazzo.model.graph import MentionDraft, NodeKind, RelationDraft
from palazzo.model.kinds import ConflictMode, Durability
from palazzo.model.memory import Tier
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.zone import UTC_NAME

Manner = Literal["remember", "observe"]
"""remember: somebody asked to keep it. observe: it was said, and what lasts is drawn from it."""


class Message(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A text to take in.

    `at_us` is the message's own time (None: now); relative dates are read against it, in the zone it was told in
    (empty: that of the palace). `speaker` is who says "I",
    `addressee` who is "you"; without names they are the user and the assistant. An empty place or kind is chosen from
    the content. A message with a name that says more than one thing, or one marked `verbatim`, is a document: one
    memory, word for word, which only a text of the same name and place follows.
    """

    text: str
    at_us: int | None = None
    zone: str = ""
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
    title: str = ""
    """What its sender calls it, in any words; the name in the address is made of it (`name_for`)."""
    seen_revision: int | None = None
    """The revision of that name which its sender saw, 0 for none: if another stands there, nothing is written."""
    importance: float | None = None
    pinned: bool | None = None
    durability: Durability | None = None
    """How what it becomes fades; None: as its content asks for."""
    tags: tuple[str, ...] = ()
    source: NodeKind = "conversation"
    label: str = ""
    conflict: ConflictMode | None = None
    verbatim: bool = False
    mentions: tuple[MentionDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    """Entities and relations its sender knows of, beside those that are read out of the text."""
    facts: tuple[str, ...] = ()
    """Statements its sender knows to follow from it, beside those that are read out of the text."""
    entry: str = ""
    """The id it has in the file it was imported from; the same entry with the same words is taken in once."""
    metadata: Mapping[str, Any] | None = None
    """JSON values by key, kept beside what the message becomes; of a memory that is revised, None keeps what it has."""

    @property
    def imported(self) -> bool:
        """Whether it comes from a file nobody vouches for: then it is held in quarantine."""
        return self.source == "import"


class Letter(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A message that was admitted and screened: `text` is what may be stored of it.

    `at_us` and `zone` say when it was told, by whose clock: what is replayed is read as it was.
    `barred` are sentences nothing may be drawn from, with the class; `wholly` says nothing but such is left.
    """

    number: int
    message: Message
    manner: Manner
    id: UUID
    text: str
    at_us: int
    zone: str = UTC_NAME
    barred: tuple[tuple[int, int, str], ...] = ()
    flagged: tuple[tuple[int, int], ...] = ()
    flags: tuple[str, ...] = ()
    tier: Tier = "clear"
    personal: tuple[tuple[int, int, str], ...] = ()
    wholly: bool = False
    unread: tuple[tuple[int, int], ...] = ()
    """Stretches that ask something of the memory itself: nothing is drawn from them."""
    instead: tuple[tuple[int, int, str, tuple[UUID, ...]], ...] = ()
    """Stretches that put right what was said before: what to read in their place, and the memories it replaces."""
    carried: tuple[tuple[int, int, str, UUID], ...] = ()
    """Stretches that tell a change: what a statement that names the old side says now, and which memory it is."""
    answer: tuple[int, int, str] | None = None
    """A stretch that answers what was asked just before, and what the two say together."""
    before: str = ""
    """What the speaker said just before, where its pronouns speak of somebody named there."""
    unkept: bool = False
    """Nothing is said in it that is to be kept, not even as a turn."""
    pending: str = ""
    """What reading it later needs beside its text, where it is only kept for now."""
    kept: tuple[UUID, int] | None = None
    """Where its text is kept already, by the id of the memory and the key of its revision: it is read now."""


Role = Literal["user", "assistant", "system", "tool", "other"]


class Turn(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A place in a conversation. `position` counts turns within the session; -1 asks the store for the next one."""

    thread: str
    session: str
    position: int = -1
    speaker: str = ""
    role: Role = "user"


Outcome = Literal[
    "stored", "merged", "skipped", "superseded", "conflict", "dropped", "refused", "flagged", "kept", "forgotten"
]  # fmt: skip


class Fate(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One stretch of a message. `memory_id` is where it can be read now; `other` the memory it was weighed against.

    stored       a memory of its own, or kept in the verbatim turn (reason "verbatim")
    merged       joined with a memory that said less, as a new revision of it
    skipped      already known; counted as an access
    superseded   took the place of what was believed, as a new revision of the same memory
    conflict     disagrees with `other`; both are kept and listed for a person
    dropped      filler, greeting, question: no memory of its own
    refused      screened out; `reason` is the class
    flagged      stored, kept out of automatic context
    kept         the whole turn, word for word, beside what was drawn from it
    forgotten    asked to forget: `memory_id` is what was forgotten for it
    """

    start: int
    end: int
    outcome: Outcome
    reason: str = ""
    memory_id: UUID | None = None
    other: UUID | None = None
    score: float | None = None


class Intake(msgspec.Struct, frozen=True, gc=False):
    """The account of one message: its id is that of the provenance node its memories come from."""

    id: UUID
    at_us: int
    fates: tuple[Fate, ...]
