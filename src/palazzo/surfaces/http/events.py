"""The journal as a stream of server-sent events, resumable by Last-Event-ID.

Owns the form of the stream and the waiting. What is told is what the operation `events` tells this caller, asked again
for every batch, so a grant or token that ends, ends the stream. Invariant: the id of the last line a client got is
always where it may go on without a gap, also when nothing in between was for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec
from msgspec.structs import replace

from palazzo.operations.caller import Caller
from palazzo.operations.care.spec import FROM_NOW, EventList
from palazzo.operations.declared import SCOPE_KEYS
from palazzo.surfaces.daemon.service import Asked, Service, Told
from palazzo.surfaces.http.messages import HttpReply, Receive, Send, answer, problem, unauthenticated
from palazzo.surfaces.wire import Fault

BATCH: Final = 500
HEARTBEAT_S: Final = 15.0
LOOK_S: Final = 0.2
NEWS_S: Final = 1.0
"""How long an engine that tells of writes is listened to between two looks."""
_START: Final = {
    "type": "http.response.start", "status": 200,
    "headers": [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")],
}  # fmt: skip


Known = Callable[[], Caller | None]
"""Who follows a stream, looked up anew each time: a token, a grant or a session may have ended."""


class EventWatch:
    """Tells every open stream when the journal grew, whoever wrote it: one look for all, only while somebody waits."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._grown = asyncio.Condition()
        self._waiting = 0
        self._looking: asyncio.Task[None] | None = None
        self.end = 0

    async def beyond(self, seq: int) -> None:
        """Waits until the journal has an event after this one."""
        self._waiting += 1
        try:
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(self._look())
            async with self._grown:
                await self._grown.wait_for(lambda: self.end > seq)
        finally:
            self._waiting -= 1

    async def _look(self) -> None:
        while self._waiting and not self._service.stopping.is_set():
            end = await self._service.work(self._service.engine.journal_end)
            if end != self.end:
                async with self._grown:
                    self.end = end
                    self._grown.notify_all()
            if not await asyncio.to_thread(self._service.engine.store.journal.await_news, NEWS_S):
                await asyncio.sleep(LOOK_S)


def lines(found: EventList, sent: str) -> bytes:
    """A batch as it is sent; where nothing of it is for this caller, only the place to go on from, if that is new."""
    told = [
        b"id: %s\nevent: %s\ndata: %s\n\n" % (event.seq.encode(), event.kind.encode(), msgspec.json.encode(event))
        for event in found
    ]
    last = found.events[-1].seq if found.events else sent
    if found.last != last:
        told.append(b"id: %s\n\n" % found.last.encode())
    return b"".join(told)


def position(query: bytes, last_event_id: str) -> tuple[str, dict[str, str]]:
    """Where a client wants to go on, and the scope keys it names.

    Raises: ValueError.
    """
    given = dict(parse_qsl(query.decode("ascii", "replace"), keep_blank_values=True))
    after = last_event_id or given.pop("after", "")
    given.pop("after", None)
    if not set(given) <= set(SCOPE_KEYS) or not after.isascii():
        raise ValueError
    return after or FROM_NOW, given


class Beat:
    """When a stream shows the next sign of life: by the clock alone, so that it tells nothing of what others write."""

    def __init__(self) -> None:
        self._next = time.monotonic() + HEARTBEAT_S

    def left_s(self) -> float:
        return max(0.0, self._next - time.monotonic())

    def gone(self) -> None:
        """The sign was given; the next is due at its own time."""
        self._next += HEARTBEAT_S


class Stream:
    """The events of one palace for one client after another."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._watch = EventWatch(service)

    async def serve(self, identify: Known, where: tuple[bytes, str], receive: Receive, send: Send) -> None:
        """Streams until the client leaves, the daemon stops, or the caller may no longer know."""
        try:
            after, scope = position(*where)
        except ValueError:
            fault = Fault("invalid_input", "after is where an event was, as it was told", field="after")
            await problem(422, fault).send(send)
            return
        seen, found = await self._ask(identify, after, scope)
        if isinstance(found, HttpReply):
            await found.send(send)
            return
        await send(_START)
        gone = asyncio.create_task(_gone(receive))
        stop = asyncio.create_task(self._service.stopping.wait())
        self._service.metrics.opened("streams", 1)
        beat = Beat()
        try:
            while not isinstance(found, HttpReply):
                await send({"type": "http.response.body", "body": lines(found, after), "more_body": True})
                after = found.last
                if len(found) < BATCH and not await self._wait(seen, (gone, stop), beat, send):
                    break
                seen, found = await self._ask(identify, after, scope, again=True)
            await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            stop.cancel()
            self._service.metrics.opened("streams", -1)

    async def _wait(self, seen: int, ends: tuple[asyncio.Task[Any], ...], beat: Beat, send: Send) -> bool:
        """Waits until the journal grew beyond what was looked at, with a sign of life; False when it is to end."""
        grown = asyncio.create_task(self._watch.beyond(seen))
        try:
            while True:
                done, _ = await asyncio.wait({grown, *ends}, timeout=beat.left_s(), return_when=asyncio.FIRST_COMPLETED)
                if done & set(ends):
                    return False
                if grown in done:
                    return True
                beat.gone()
                await send({"type": "http.response.body", "body": b": still here\n\n", "more_body": True})
        finally:
            grown.cancel()

    async def _ask(
        self, identify: Known, after: str, scope: Mapping[str, str], *, again: bool = False
    ) -> tuple[int, EventList | HttpReply]:
        """What is new to this caller, and how far the journal had come when that was asked.

        Looking again costs the caller nothing: else what others write would use up its limits, and tell on them.
        """

        def job() -> tuple[int, EventList | HttpReply]:
            seen = self._service.engine.journal_end()
            caller = identify()
            if caller is None:
                return seen, unauthenticated()
            arguments = {**scope, "after": after, "limit": BATCH}
            told: Told = self._service.call(
                Asked(
                    surface="http", caller=replace(caller, counted=not again), operation="events", arguments=arguments
                )
            )
            return seen, told.result if isinstance(told.result, EventList) else answer(told)

        return await self._service.work(job)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
