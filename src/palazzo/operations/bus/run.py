"""Operations about the bus.

Owns what a caller may publish: what it may read, in its own name; a copy of it stands in the receiver's own scope.
"""

from __future__ import annotations

from palazzo.mind.bus import Bus, Published, Subscribed
from palazzo.model.capability import Level
from palazzo.operations.bus import spec
from palazzo.operations.context import CallContext
from palazzo.operations.dream.run import id_called
from palazzo.operations.shared import StoredMemory
from palazzo.text.safety.injection import REFUSE_AT, score_injection


def _scan(text: str) -> str:
    return "it reads like an order to whoever reads it" if score_injection(text).score >= REFUSE_AT else ""


def _bus(context: CallContext) -> Bus:
    return Bus(context.engine.store, _scan, context.engine.care().publish_above)


def publish(context: CallContext, asked: spec.PublishParameters) -> spec.Publication:
    found = [context.memory(named, level=Level.read_public) for named in asked.memories]
    told = Published(topics=asked.topics, visibility=asked.visibility, to=asked.to)
    made = _bus(context).publish(found, told, context.subject)
    return spec.Publication(id=made.id, memories=len(found))


def subscribe(context: CallContext, asked: spec.SubscribeParameters) -> spec.ShownSubscription:
    told = Subscribed(topics=asked.topics, sources=asked.sources, min_importance=asked.min_importance, rate=asked.rate)
    made = _bus(context).subscribe(told, context.subject)
    return spec.ShownSubscription(
        id=made.id, topics=told.topics, sources=told.sources, min_importance=told.min_importance, rate=told.rate
    )


def unsubscribe(context: CallContext, asked: spec.UnsubscribeParameters) -> spec.SubscriptionList:
    _bus(context).unsubscribe(id_called(asked.subscription, "subscription"), context.subject)
    return subscriptions(context, spec.SubscriptionsParameters())


def subscriptions(context: CallContext, _asked: spec.SubscriptionsParameters) -> spec.SubscriptionList:
    return spec.SubscriptionList(
        subscriptions=tuple(
            spec.ShownSubscription(
                id=packet.id, topics=told.topics, sources=told.sources, min_importance=told.min_importance,
                rate=told.rate,
            )
            for packet, told in _bus(context).subscriptions(context.subject)
        )
    )  # fmt: skip


def deliver(context: CallContext, asked: spec.DeliverParameters) -> spec.Delivered:
    view = context.view()
    found = _bus(context).deliver(view, asked.limit)
    with context.engine.store.reading(view) as reading:
        memories = tuple(StoredMemory.of(reading.memories.get(one)) for one in found.memories)
    return spec.Delivered(
        memories=memories, sources=found.sources, refused=found.refused, more=found.more,
        conflicts=tuple(
            spec.ShownConflict(memory=one.memory, other=one.other, holds=one.holds, why=one.why)
            for one in found.conflicts
        ),
    )  # fmt: skip
