"""Operations about the bus: publishing memories, subscribing to those of others, receiving them. Parameters, results
and declarations.

Owns no behaviour. Invariant: a subject manages its own subscriptions and receives for itself alone.
"""

from __future__ import annotations

from typing import Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, told, tool
from palazzo.operations.shared import Listing, StoredMemory

Reaching = Literal["project", "squad", "targeted", "global"]


@arguments
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


@arguments
class SubscribeParameters(Scoped):
    topics: tuple[str, ...] = told("Only these topics; all when left out.", ())
    sources: tuple[str, ...] = told("Only what these subjects publish; all when left out.", ())
    min_importance: float = told("Only what is at least so important.", 0.0, low=0, high=1)
    rate: int = told("How many memories at most in one delivery.", 100, low=1, high=10_000)


@arguments
class UnsubscribeParameters(Scoped):
    subscription: str = told("The id of the subscription, as `subscriptions` tells it.")


@arguments
class SubscriptionsParameters(Scoped):
    """Arguments of `subscriptions`."""


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


@arguments
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
        "subscriptions", SubscriptionsParameters, SubscriptionList, Level.read_public,
        people="List what you want to receive.",
        models="List what you want to receive.",
    ),
    tool(
        "deliver", DeliverParameters, Delivered, Level.write, writes=True,
        people="Receive what others published since the last time, each once, in order.",
        models="Receive what other agents published for you since the last time, each once, in order.",
    ),
)  # fmt: skip
