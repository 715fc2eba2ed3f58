"""The palace on the session bus: who calls, the call, the answer, and a signal for every event of the journal.

Owns the connection to the bus. Who calls is who the bus says it is, by the user at the other end; no message can name
another. Invariants: whatever comes for the palace is answered, an error under a name of its own with the words every
surface tells; what a signal carries is what `events` tells the owner of the bus, ids and kinds and never content.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from dbus_fast import (
    AuthError,
    DBusError,
    InvalidAddressError,
    Message,
    MessageFlag,
    MessageType,
    NameFlag,
    RequestNameReply,
    Variant,
)
from dbus_fast.aio import MessageBus

from palazzo import __version__
from palazzo.errors import PalazzoError, PartUnavailable
from palazzo.guard.access import subject_of_peer
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.care.spec import FROM_NOW, EventList
from palazzo.operations.declared import Operation
from palazzo.surfaces.daemon.service import Asked, Service, log
from palazzo.surfaces.dbus.interfaces import METHODS, NAME, PATH, SIGNAL, arguments_of, introspected, signature_of
from palazzo.surfaces.http.events import BATCH, EventWatch
from palazzo.surfaces.wire import Fault, fault

_BUS: Final = "org.freedesktop.DBus"
_PARENTS: Final = ("/", "/ai", "/ai/palazzo")


class BusServer:
    """Serves a palace on one connection to a bus."""

    def __init__(self, service: Service, bus: Any) -> None:
        self._service = service
        self._bus = bus
        self._owner = Path(service.engine.store.label).stat().st_uid
        self._running: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Takes the name and listens.

        Raises: PartUnavailable when another daemon has the name.
        """
        self._bus.add_message_handler(self._heard)
        first = await self._events(FROM_NOW)  # before anybody can find it: what is told next is signalled
        if await self._bus.request_name(NAME, NameFlag.DO_NOT_QUEUE) is not RequestNameReply.PRIMARY_OWNER:
            raise PartUnavailable(
                f"another program has {NAME} on this bus", part="dbus", hint="one daemon serves a session; stop it"
            )
        if first is not None:
            self._run(self._signals(first), SIGNAL)

    async def stop(self) -> None:
        """Lets calls that run end and leaves the bus."""
        self._bus.remove_message_handler(self._heard)
        for task in self._running:
            if task.get_name() == SIGNAL:
                task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._bus.disconnect()

    def _run(self, work: Coroutine[Any, Any, None], name: str = "call") -> None:
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _heard(self, message: Message) -> Message | bool | None:
        """What comes for the palace; anything else is the library's to answer."""
        if message.message_type is not MessageType.METHOD_CALL or message.path not in (PATH, *_PARENTS):
            return None
        if message.interface == "org.freedesktop.DBus.Introspectable" and message.member == "Introspect":
            return Message.new_method_return(message, "s", [_document(message.path)])
        if message.path != PATH:
            return None
        if message.interface == "org.freedesktop.DBus.Properties":
            return _property(message)
        found = [
            one for (interface, member), one in METHODS.items()
            if member == message.member and message.interface in (None, interface)
        ]  # fmt: skip
        if not found:
            return None
        self._run(self._answer(found[0], message))
        return True

    async def _answer(self, operation: Operation, message: Message) -> None:
        answer = await self._called(operation, message)
        if not message.flags & MessageFlag.NO_REPLY_EXPECTED:
            await self._bus.send(answer)

    async def _called(self, operation: Operation, message: Message) -> Message:
        if self._service.overloaded:
            return _refused(message, Fault("busy", "too many requests wait already", "try again in a moment"))
        if message.signature != signature_of(operation):
            told = f"{message.member} takes {signature_of(operation)!r}, not {message.signature!r}"
            return _refused(message, Fault("invalid_input", told, "the last argument holds what may be left out"))
        try:
            given = arguments_of(operation, message.body)
            caller = await self._caller(message.sender or "")
        except PalazzoError as error:
            return _refused(message, fault(error))

        def work() -> tuple[str, Fault | None]:
            asked = Asked(surface="dbus", caller=caller, operation=operation.name, arguments=given)
            told = self._service.call(asked)
            return (msgspec.json.encode(told.result).decode(), told.fault) if told.fault is None else ("", told.fault)

        result, wrong = await self._service.work(work)
        return _refused(message, wrong) if wrong is not None else Message.new_method_return(message, "s", [result])

    async def _caller(self, sender: str) -> Caller:
        """Who sent a message, as the bus knows it.

        Raises: PartUnavailable when the sender has left, InvalidInput when the bus does not know.
        """
        told = await self._bus.call(
            Message(
                destination=_BUS, path="/org/freedesktop/DBus", interface=_BUS, member="GetConnectionUnixUser",
                signature="s", body=[sender],
            )
        )  # fmt: skip
        if told.message_type is MessageType.ERROR:
            raise PartUnavailable("the bus does not know who calls", part="dbus")
        uid = int(told.body[0])
        return Caller(subject=subject_of_peer(uid, self._owner), session=f"dbus:{sender}")

    async def _events(self, after: str) -> EventList | None:
        """What the journal tells after an event; None where it may not be told."""
        caller = Caller(subject=subject_of_peer(os.getuid(), self._owner), counted=False)
        asked = {"after": after, "limit": BATCH}
        try:
            told = await self._service.work(call, self._service.engine, caller, "events", asked)
        except PalazzoError:
            return None
        return told if isinstance(told, EventList) else None

    async def _signals(self, found: EventList | None) -> None:
        """Tells every event after these, one signal each, until the daemon stops."""
        watch = EventWatch(self._service)
        while found is not None and not self._service.stopping.is_set():
            seen = await self._service.work(self._service.engine.journal_end)
            found = await self._events(found.last)
            for event in found or ():
                body = [event.kind, event.seq, msgspec.json.encode(event).decode()]
                await self._bus.send(Message.new_signal(PATH, f"{NAME}.Events", SIGNAL, "sss", body))
            if found is not None and len(found) < BATCH:
                await watch.beyond(seen)
        if found is None:
            log("dbus", signals="ended", code="not_permitted")


def _document(path: str) -> str:
    """What stands at a path: the palace, or the way to it."""
    if path == PATH:
        return introspected()
    below = PATH[len(path.rstrip("/")) + 1 :].partition("/")[0]
    return f'<node name="{path}"><node name="{below}"/></node>'


def _property(message: Message) -> Message:
    version = Variant("s", __version__)
    if message.member == "GetAll" and message.signature == "s":
        found = {"Version": version} if message.body == [f"{NAME}.Admin"] else {}
        return Message.new_method_return(message, "a{sv}", [found])
    if message.member == "Get" and message.body == [f"{NAME}.Admin", "Version"]:
        return Message.new_method_return(message, "v", [version])
    return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownProperty", "there is only Version of Admin")


def _refused(message: Message, told: Fault) -> Message:
    name = "".join(word.capitalize() for word in told.code.split("_"))
    words = f"{told.message} ({told.hint})" if told.hint else told.message
    return Message.new_error(message, f"{NAME}.Error.{name}", words)


@asynccontextmanager
async def on_the_bus(service: Service) -> AsyncIterator[None]:
    """Stands on the session bus for the length of the block.

    Raises: PartUnavailable when there is none, or another program has the name.
    """
    try:
        bus = await MessageBus().connect()
    except (OSError, InvalidAddressError, AuthError, DBusError) as error:
        raise PartUnavailable(
            "there is no session bus", part="dbus", hint="start one with `dbus-run-session`, or serve without --dbus"
        ) from error
    server = BusServer(service, bus)
    try:
        await server.start()
        yield
    finally:
        await server.stop()
