"""Operations about the messages of a running session: adding one, reading the last, beginning anew. Parameters, results
and declarations.

Owns no behaviour. Invariant: what is added is remembered like any turn; what is at hand is never the only copy.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.model.message import Role
from palazzo.operations.declared import Operation, Scoped, arguments, told, tool
from palazzo.operations.shared import Listing

MOST: Final = 50
"""Messages of a session that are at hand."""
A_CHAT: Final = "The session, by a name of your own; its messages are turns of the thread of this name."


@arguments
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


@arguments
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


@arguments
class ChatClearParameters(Scoped):
    session: str = told(A_CHAT)


class ChatCleared(msgspec.Struct, frozen=True, kw_only=True):
    """A session that begins anew: how many messages were at hand. No memory is lost."""

    session: str
    messages: int


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
)  # fmt: skip
