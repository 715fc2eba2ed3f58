"""What the workers of one daemon share: a working store in the memory of their first process, reached by a socket each.

Owns both ends of that conversation. A message is a frame (wire.py) with a MessagePack list: the name of the method and
its values; an answer is the value it gives. Invariants: nothing of it is written to a disk; one request of a worker is
under way at a time; a worker whose first process is gone keeps for itself what it would have shared, and stops.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any, Final

import msgspec

from palazzo.adapters.working import LocalWorking
from palazzo.model.fork_lock import ForkLock
from palazzo.surfaces.wire import Frames

METHODS: Final = frozenset({"get", "put", "drop", "take", "count", "push", "listed"})
PATIENCE_S: Final = 10.0
_LIMIT: Final = 64 << 20
_ASKED = msgspec.msgpack.Decoder(tuple[str, list[Any]])


class HubWorking:
    """The working store of a worker. Threads share it."""

    shared = True
    trouble = ""

    def __init__(self, connection: socket.socket) -> None:
        self._frames = Frames(connection)
        self._lock = ForkLock()
        self._alone = LocalWorking()

    def get(self, key: str) -> str | None:
        found: str | None = self._ask("get", key)
        return found

    def put(self, key: str, value: str, ttl_s: float) -> None:
        self._ask("put", key, value, ttl_s)

    def drop(self, prefix: str) -> int:
        return int(self._ask("drop", prefix))

    def take(self, key: str, most: int, window_us: int, now_us: int) -> int:
        return int(self._ask("take", key, most, window_us, now_us))

    def count(self, key: str, most: int, ttl_s: float) -> bool:
        return bool(self._ask("count", key, most, ttl_s))

    def push(self, key: str, value: str, most: int, ttl_s: float) -> None:
        self._ask("push", key, value, most, ttl_s)

    def listed(self, key: str) -> tuple[str, ...]:
        return tuple(self._ask("listed", key))

    def tell_ready(self) -> None:
        """Says that this worker takes requests."""
        with self._lock, suppress(OSError):
            self._frames.write(msgspec.msgpack.encode(("ready", [])))

    def _ask(self, name: str, *given: Any) -> Any:
        with self._lock:
            try:
                self._frames.write(msgspec.msgpack.encode((name, given)))
                told = self._frames.read()
            except OSError:
                told = None
        return getattr(self._alone, name)(*given) if told is None else msgspec.msgpack.decode(told)


class Hub:
    """The other end, for one worker: answers out of a store whenever its socket can be read."""

    def __init__(self, connection: socket.socket, store: LocalWorking) -> None:
        self.connection = connection
        connection.settimeout(PATIENCE_S)
        self._frames = Frames(connection, _LIMIT)
        self._store = store
        self.ready = False

    def answer(self) -> bool:
        """Answers what has come; False when the worker has left, or says what no worker says."""
        try:
            while True:
                frame = self._frames.read()
                if frame is None:
                    return False
                name, given = _ASKED.decode(frame)
                if name in METHODS:
                    self._frames.write(msgspec.msgpack.encode(getattr(self._store, name)(*given)))
                elif name == "ready":
                    self.ready = True
                if not self._frames.waiting:
                    return True
        except (OSError, OverflowError, msgspec.DecodeError, TypeError):
            return False
