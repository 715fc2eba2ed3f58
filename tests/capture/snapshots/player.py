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
def stub_player() -> Iterator[tuple[str, StubPlayer]]:
    """The address of a bus with a player on it, for the length of the block."""
    process = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    player, loop = StubPlayer(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def stand() -> Any:
        bus = await MessageBus(bus_address=address).connect()
        bus.add_message_handler(player.heard)
        await bus.request_name("org.mpris.MediaPlayer2.stub")
        return bus

    async def leave(bus: Any) -> None:
        bus.disconnect()
        await bus.wait_for_disconnect()

    bus = asyncio.run_coroutine_threadsafe(stand(), loop).result(PATIENCE_S)
    try:
        yield address, player
    finally:
        asyncio.run_coroutine_threadsafe(leave(bus), loop).result(PATIENCE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE_S)
        loop.close()
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()
