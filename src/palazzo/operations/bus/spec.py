"""Operations about the bus: publishing memories, subscribing to those of others, receiving them. Parameters, results
and declarations.

Owns no behaviour. Invariant: a subject manages its own subscriptions and receives for itself alone.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, told
from palazzo.operations.shared import Listing, StoredMemory

Reaching = Literal["project", "squad", "targeted", "global"]


@arguments
class PublishParameters(Scoped):
    """Arguments of `publish`."""

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
    """Arguments of `subscribe`."""

    topics: tuple[str, ...] = told("Only these topics; all when left out.", ())
    sources: tuple[str, ...] = told("Only what these subjects publish; all when left out.", ())
    min_importance: float = told("Only what is at least so important.", 0.0, low=0, high=1)
    rate: int = told("How many memories at most in one delivery.", 100, low=1, high=10_000)


@arguments
class UnsubscribeParameters(Scoped):
    """Arguments of `unsubscribe`."""

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

    listed: ClassVar[str] = "subscriptions"
    subscriptions: tuple[ShownSubscription, ...]


@arguments
class DeliverParameters(Scoped):
    """Arguments of `deliver`."""

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

    listed: ClassVar[str] = "memories"
    memories: tuple[StoredMemory, ...]
    sources: tuple[str, ...]
    conflicts: tuple[ShownConflict, ...] = ()
    refused: tuple[str, ...] = ()
    more: bool = False


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="publish", arguments=PublishParameters, result=Publication, level=Level.write, where="reach", writes=True,
        toolset="full",
        people="Tell other agents of memories: of the same project or squad, those named, or all.",
        models="Tell other agents of memories they should know: of your project or squad, those named, or all.",
    ),
    Operation(
        name="subscribe", arguments=SubscribeParameters, result=ShownSubscription, level=Level.write, where="reach",
        writes=True, toolset="full",
        people="Want what others publish from now on, by topic, importance or source.",
        models="Want what other agents publish from now on, by topic, importance or source; `deliver` hands it over.",
    ),
    Operation(
        name="unsubscribe", arguments=UnsubscribeParameters, result=SubscriptionList, level=Level.write, where="reach",
        writes=True, toolset="full",
        people="Want it no longer.",
        models="Want it no longer.",
    ),
    Operation(
        name="subscriptions", arguments=SubscriptionsParameters, result=SubscriptionList, level=Level.read_public,
        where="reach", toolset="full",
        people="List what you want to receive.",
        models="List what you want to receive.",
    ),
    Operation(
        name="deliver", arguments=DeliverParameters, result=Delivered, level=Level.write, where="reach", writes=True,
        toolset="full",
        people="Receive what others published since the last time, each once, in order.",
        models="Receive what other agents published for you since the last time, each once, in order.",
    ),
)  # fmt: skip
