"""Operations about the messages of a running session and about the bus.

Owns what is at hand of a session: the ids of its last fifty turns for an hour, in the working store, and the session in
the queue of those that a pass should read soon; and what a caller may publish: what it may read, in its own name, of
which a copy stands in the receiver's own scope. A word of what was said stands in the palace alone, so whoever reads
gets what they may see of it now. Invariant: what the working store lost is read from the palace.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from typing import Final
from urllib.parse import quote
from uuid import UUID

import msgspec

from palazzo.errors import InvalidInput, NotFound
from palazzo.mind.bus import Bus, Published, Subscribed
from palazzo.model.address import ROOT
from palazzo.model.capability import Level
from palazzo.model.ids import new_id
from palazzo.model.memory import Memory
from palazzo.model.message import Message
from palazzo.model.slip import PutSlip, Slip
from palazzo.operations.context import CallContext
from palazzo.operations.shared import ScopeParameters, StoredMemory, id_called, moment
from palazzo.operations.talk import spec
from palazzo.text.safety.injection import REFUSE_AT, score_injection

LASTS_S: Final = 3600.0
QUEUE: Final = "consol_queue"
MOST_QUEUED: Final = 1000
LONGEST_NAME: Final = 200


class _AtHand(msgspec.Struct, frozen=True):
    """One message as it is at hand."""

    memory: UUID
    role: str
    speaker: str


class _Session(msgspec.Struct, frozen=True):
    """What is kept beside the messages."""

    subject: str
    changed_us: int


class _Kept(msgspec.Struct, frozen=True):
    cleared_us: int = 0


def chat_add(context: CallContext, asked: spec.ChatAddParameters) -> spec.ChatAdded:
    context.access.require(Level.write, ROOT, context.operation.name)
    key, working = _key(context, asked.session), context.engine.working
    said = Message(
        text=asked.text, author=context.subject, speaker=asked.speaker, role=asked.role, scope=context.scope,
        thread=asked.session, session=asked.session,
    )  # fmt: skip
    made = context.engine.observe([said], subject=context.subject, reach=context.writable)
    reasons = tuple(dict.fromkeys(fate.reason for fate in made.fates if fate.reason))
    turn = _turn_of(context, asked.session, made.memory_ids)
    if turn is not None:
        told = msgspec.json.encode(_AtHand(turn.id, asked.role, asked.speaker)).decode()
        working.push(f"{key}:messages", told, spec.MOST, LASTS_S)
        kept = _Session(context.subject, context.engine.clock.now_us())
        working.put(f"{key}:metadata", msgspec.json.encode(kept).decode(), LASTS_S)
        if asked.session not in working.listed(QUEUE):
            working.push(QUEUE, asked.session, MOST_QUEUED, LASTS_S)
    return spec.ChatAdded(
        session=asked.session, messages=len(working.listed(f"{key}:messages")),
        memory=None if turn is None else turn.id, reasons=() if turn is not None else reasons,
    )  # fmt: skip


def chat_get(context: CallContext, asked: spec.ChatGetParameters) -> spec.ChatMessages:
    key, working = _key(context, asked.session), context.engine.working
    held = [msgspec.json.decode(one, type=_AtHand) for one in working.listed(f"{key}:messages")]
    view = context.view()
    with context.engine.store.reading(view) as reading:
        if held:
            found = []
            for one in held[-asked.limit :]:
                with suppress(NotFound):  # forgotten, sealed or out of reach since
                    found.append((one, reading.memories.get(one.memory)))
            return _messages(asked.session, found, warm=True)
        since_us = _cleared_us(context, asked.session)
        turns = reading.turns.latest(asked.session, asked.limit)
        memories = reading.memories.by_keys([number for number, _ in turns])
        told = reading.turns.told([number for number, _ in turns])
    read = [
        (_AtHand(memories[number].id, told[number].role, told[number].speaker), memories[number])
        for number, _ in turns
        if number in memories and number in told and memories[number].created_us > since_us
    ]
    return _messages(asked.session, read, warm=False)


def chat_clear(context: CallContext, asked: spec.ChatClearParameters) -> spec.ChatCleared:
    key, working, now_us = _key(context, asked.session), context.engine.working, context.engine.clock.now_us()
    had = len(working.listed(f"{key}:messages"))
    slip = Slip(
        id=new_id(now_us), kind="chat", name=asked.session, subject=context.subject, state="cleared",
        scope=context.scope, told=msgspec.json.encode(_Kept(now_us)).decode(),
    )  # fmt: skip
    context.engine.store.commit([PutSlip(slip)], subject=context.subject)
    working.drop(f"{key}:")
    return spec.ChatCleared(session=asked.session, messages=had)


def _key(context: CallContext, session: str) -> str:
    """Where a session of this scope is at hand.

    Raises: InvalidInput.
    """
    if not session.strip() or len(session) > LONGEST_NAME:
        raise InvalidInput(f"a session has a name of 1 to {LONGEST_NAME} letters", field="session")
    scope = blake2b(str(context.scope).encode(), digest_size=6).hexdigest()
    return f"sessions:{scope}.{quote(session, safe='')}"


def _turn_of(context: CallContext, session: str, made: Iterable[UUID]) -> Memory | None:
    """The turn that keeps a message: the new one, or that of the same words said before."""
    wanted = set(made)
    with context.engine.store.reading(context.view()) as reading:
        newest = [number for number, _ in reading.turns.latest(session, spec.MOST)]
        found = reading.memories.by_keys(newest)
    return next((found[key] for key in newest[::-1] if key in found and found[key].id in wanted), None)


def _cleared_us(context: CallContext, session: str) -> int:
    slip = context.engine.store.slips.get("chat", session, context.scope)
    return 0 if slip is None else msgspec.json.decode(slip.told, type=_Kept).cleared_us


def _messages(session: str, found: list[tuple[_AtHand, Memory]], *, warm: bool) -> spec.ChatMessages:
    return spec.ChatMessages(
        session=session, warm=warm,
        messages=tuple(
            spec.ChatMessage(
                memory=memory.id, role=one.role, speaker=one.speaker, text=memory.text, at=moment(memory.created_us)
            )
            for one, memory in found
        ),
    )  # fmt: skip


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
    return subscriptions(context, ScopeParameters())


def subscriptions(context: CallContext, _asked: ScopeParameters) -> spec.SubscriptionList:
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
