"""Operations about the messages of a running session (adding one, reading the last, beginning anew) and about the bus
(publishing memories, subscribing to those of others, receiving them). Parameters, results and declarations.

Owns no behaviour. Invariants: what is added is remembered like any turn, and what is at hand is never the only copy; a
subject manages its own subscriptions and receives for itself alone.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.model.message import Role
from palazzo.operations.declared import Operation, Scoped, told, tool
from palazzo.operations.shared import Listing, ScopeParameters, StoredMemory

MOST: Final = 50
"""Messages of a session that are at hand."""
A_CHAT: Final = "The session, by a name of your own; its messages are turns of the thread of this name."


class ChatAddParameters(Scoped):
    session: str = told(A_CHAT)
    text: str = told("What was said.")
    role: Role = told("Who said it: user, assistant, system or tool.", "user")
    speaker: str = told("The name of who said it.", "")


class ChatAdded(msgspec.Struct, frozen=True, kw_only=True):
    """A message that was added: how many are at hand, and the memory that keeps it; none where intake kept nothing of
    it, `reasons` say why."""

    session: str
    messages: int
    memory: UUID | None = None
    reasons: tuple[str, ...] = ()


class ChatGetParameters(Scoped):
    session: str = told(A_CHAT)
    limit: int = told("How many at most, the newest.", MOST, low=1, high=MOST)


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message."""

    memory: UUID
    role: str
    speaker: str
    text: str
    at: datetime


class ChatMessages(Listing[ChatMessage], frozen=True, kw_only=True):
    """The last messages of a session, oldest first. `warm` says that they were at hand; else they were read from the
    palace, which is slower and the same."""

    session: str
    messages: tuple[ChatMessage, ...]
    warm: bool


class ChatClearParameters(Scoped):
    session: str = told(A_CHAT)


class ChatCleared(msgspec.Struct, frozen=True, kw_only=True):
    """A session that begins anew: how many messages were at hand. No memory is lost."""

    session: str
    messages: int


Reaching = Literal["project", "squad", "targeted", "global"]


class PublishParameters(Scoped):
    memories: tuple[str, ...] = told("The memories, by id, address or name.")
    topics: tuple[str, ...] = told("What they are about; their own topics when left out.", ())
    visibility: Reaching = told(
        "Who may receive them: of the same project, of the same squad, those named, all.", "project"
    )
    to: tuple[str, ...] = told("Whom they are for, by subject, where they are for some.", ())


class Publication(msgspec.Struct, frozen=True, kw_only=True):
    """What was published."""

    id: UUID
    memories: int


class SubscribeParameters(Scoped):
    topics: tuple[str, ...] = told("Only these topics; all when left out.", ())
    sources: tuple[str, ...] = told("Only what these subjects publish; all when left out.", ())
    min_importance: float = told("Only what is at least so important.", 0.0, low=0, high=1)
    rate: int = told("How many memories at most in one delivery.", 100, low=1, high=10_000)


class UnsubscribeParameters(Scoped):
    subscription: str = told("The id of the subscription, as `subscriptions` tells it.")


class ShownSubscription(msgspec.Struct, frozen=True, kw_only=True):
    """What a subject wants to receive; empty fields want all."""

    id: UUID
    topics: tuple[str, ...]
    sources: tuple[str, ...]
    min_importance: float
    rate: int


class SubscriptionList(Listing[ShownSubscription], frozen=True, kw_only=True):
    """The caller's subscriptions, oldest first."""

    subscriptions: tuple[ShownSubscription, ...]


class DeliverParameters(Scoped):
    limit: int = told("How many memories at most.", 100, low=1, high=10_000)


class ShownConflict(msgspec.Struct, frozen=True, kw_only=True):
    """Two edits that did not know of each other: both are kept, `holds` says which holds for now, and why."""

    memory: UUID
    other: UUID
    holds: UUID
    why: str


class Delivered(Listing[StoredMemory], frozen=True, kw_only=True):
    """What came since the last delivery, in the order it was published, with who published each. `more` says that the
    rate kept some back; `refused` what did not travel, and why.
    """

    memories: tuple[StoredMemory, ...]
    sources: tuple[str, ...]
    conflicts: tuple[ShownConflict, ...] = ()
    refused: tuple[str, ...] = ()
    more: bool = False


OPERATIONS: Final[tuple[Operation, ...]] = (
    tool(
        "chat_add", ChatAddParameters, ChatAdded, Level.write, writes=True,
        people="Add a message to a running session: remembered as a turn, and at hand for an hour.",
        models="Add a message to the running session. It is remembered as a turn, and at hand for an hour.",
    ),
    tool(
        "chat_get", ChatGetParameters, ChatMessages, Level.read_public,
        people="Read the last messages of a session.",
        models="Read the last messages of a session, oldest first.",
    ),
    tool(
        "chat_clear", ChatClearParameters, ChatCleared, Level.write, writes=True,
        people="Begin a session anew: its messages are no longer at hand; no memory is lost.",
        models="Begin the session anew. What was said stays remembered.",
    ),
    tool(
        "publish", PublishParameters, Publication, Level.write, writes=True,
        people="Tell other agents of memories: of the same project or squad, those named, or all.",
        models="Tell other agents of memories they should know: of your project or squad, those named, or all.",
    ),
    tool(
        "subscribe", SubscribeParameters, ShownSubscription, Level.write, writes=True,
        people="Want what others publish from now on, by topic, importance or source.",
        models="Want what other agents publish from now on, by topic, importance or source; `deliver` hands it over.",
    ),
    tool(
        "unsubscribe", UnsubscribeParameters, SubscriptionList, Level.write, writes=True,
        people="Want it no longer.",
        models="Want it no longer.",
    ),
    tool(
        "subscriptions", ScopeParameters, SubscriptionList, Level.read_public,
        people="List what you want to receive.",
        models="List what you want to receive.",
    ),
    tool(
        "deliver", DeliverParameters, Delivered, Level.write, writes=True,
        people="Receive what others published since the last time, each once, in order.",
        models="Receive what other agents published for you since the last time, each once, in order.",
    ),
)  # fmt: skip
