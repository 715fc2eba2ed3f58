"""A player that speaks as much MPRIS as a snapshot asks for, on a session bus of its own."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

PATIENCE_S = 30
TRACK = "/org/stub/track/1"


class StubPlayer:
    """One track, paused at a minute and a half; notes what it was told to do and how often it was asked."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.asked = 0

    def heard(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or message.path != "/org/mpris/MediaPlayer2":
            return None
        if message.member == "GetAll":
            self.asked += 1
            about = {
                "mpris:trackid": Variant("o", TRACK), "xesam:title": Variant("s", "Night Watch"),
                "xesam:artist": Variant("as", ["The Gulls"]),
            }  # fmt: skip
            told = {
                "PlaybackStatus": Variant("s", "Playing"), "Metadata": Variant("a{sv}", about),
                "Position": Variant("x", 83_400_000),
            }  # fmt: skip
            return Message.new_method_return(message, "a{sv}", [told])
        self.calls.append(f"{message.member} {message.body[1]}" if message.body else str(message.member))
        return Message.new_method_return(message)


@contextmanager
def on_bus(name: str, stub: Any) -> Iterator[str]:
    """The address of a session bus with a stub on it under a name, for the length of the block; `stub.bus` is its way
    out."""
    process = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def stand() -> None:
        stub.bus = await MessageBus(bus_address=address).connect()
        stub.bus.add_message_handler(stub.heard)
        await stub.bus.request_name(name)

    async def leave() -> None:
        stub.bus.disconnect()
        await stub.bus.wait_for_disconnect()

    asyncio.run_coroutine_threadsafe(stand(), loop).result(PATIENCE_S)
    try:
        yield address
    finally:
        asyncio.run_coroutine_threadsafe(leave(), loop).result(PATIENCE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE_S)
        loop.close()
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()


@contextmanager
def stub_player() -> Iterator[tuple[str, StubPlayer]]:
    """The address of a bus with a player on it, for the length of the block."""
    player = StubPlayer()
    with on_bus("org.mpris.MediaPlayer2.stub", player) as address:
        yield address, player
