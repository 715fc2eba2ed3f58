"""A session bus of a test's own, and a plain client on it."""

from __future__ import annotations

import asyncio
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from tests.surfaces.daemon import PATIENCE_S, environment

from palazzo.surfaces.dbus.interfaces import NAME, PATH


def variant(value: Any) -> Variant:
    """A value as an option of a call."""
    if isinstance(value, list):
        return Variant("as", value)
    kinds = {bool: "b", int: "x", float: "d"}
    return Variant(kinds.get(type(value), "s"), value)


class Bus:
    """One bus, and a connection to it that a thread of its own serves."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.environment = environment(DBUS_SESSION_BUS_ADDRESS=address)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._bus: Any = self._wait(self._connected())

    async def _connected(self) -> Any:
        return await MessageBus(bus_address=self.address).connect()

    def _wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._bus.disconnect)
        self._wait(self._bus.wait_for_disconnect())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    def _sent(self, interface: str, member: str, signature: str, body: list[Any], path: str) -> Any:
        asked = Message(
            destination=NAME, path=path, interface=interface, member=member, signature=signature, body=body
        )  # fmt: skip
        return self._wait(self._bus.call(asked))

    def call(
        self, interface: str, member: str, signature: str = "", body: list[Any] | None = None, *, path: str = PATH
    ) -> Any:
        """The first value of an answer."""
        told = self._sent(interface, member, signature, body or [], path)
        assert told.message_type is MessageType.METHOD_RETURN, told.body
        return told.body[0] if told.body else None

    def ask(
        self, interface: str, member: str, signature: str = "", body: list[Any] | None = None, **options: Any
    ) -> Any:
        """The result of an operation."""
        named = {name: variant(value) for name, value in options.items()}
        return msgspec.json.decode(self.call(interface, member, f"{signature}a{{sv}}", [*(body or []), named]))

    def refused(self, interface: str, member: str, signature: str, body: list[Any], **options: Any) -> tuple[str, str]:
        """Name and words of the error of a call."""
        named = [{name: variant(value) for name, value in options.items()}] if signature else []
        told = self._sent(interface, member, f"{signature}a{{sv}}" if signature else "", [*body, *named], PATH)
        assert told.message_type is MessageType.ERROR, told.body
        return told.error_name, told.body[0]

    @contextmanager
    def listening(self, interface: str, member: str) -> Iterator[queue.SimpleQueue[list[Any]]]:
        """What a signal carries, one after the other, for the length of the block."""
        heard: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()

        def hear(message: Message) -> None:
            if message.message_type is MessageType.SIGNAL and message.member == member:
                heard.put(message.body)

        rule = f"type='signal',interface='{interface}',member='{member}'"
        asked = Message(
            destination="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus",
            member="AddMatch", signature="s", body=[rule],
        )  # fmt: skip
        self._bus.add_message_handler(hear)
        self._wait(self._bus.call(asked))
        try:
            yield heard
        finally:
            self._bus.remove_message_handler(hear)

    def command(self, *words: str, address: str = "") -> subprocess.CompletedProcess[str]:
        """A command of ours that ends by itself, with this bus or another."""
        told = {**self.environment, **({"DBUS_SESSION_BUS_ADDRESS": address} if address else {})}
        line = [sys.executable, "-m", *words]
        return subprocess.run(line, capture_output=True, text=True, env=told, timeout=PATIENCE_S, check=False)


@contextmanager
def on_a_bus() -> Iterator[Bus]:
    """A bus for the length of the block; the test is skipped where there is no dbus-daemon."""
    if shutil.which("dbus-daemon") is None:
        pytest.skip("dbus-daemon is not installed; scripts/setup.sh installs it as root with apt")
    process = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        made = Bus(process.stdout.readline().strip())
        try:
            yield made
        finally:
            made.close()
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()
