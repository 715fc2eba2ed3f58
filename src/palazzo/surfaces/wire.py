"""Results and errors as bytes, and back: JSON for HTTP, MessagePack in frames for the socket, the same shape on both.

Owns the form of an error on the wire and the way back to the exception; frames (four bytes of length, big-endian, then
so many bytes), the same for both ends; and the count of the bytes a daemon holds over all its doors. Knows no
operation. Invariants: an error that crosses the wire arrives as the class, code, message, hint and field it left with;
a frame is whole or not there; what a client claims a frame to be costs no memory before it has come; a frame that has
begun comes in time, and a connection between frames may rest as long as it likes; never more is held than the limit,
and who does not fit is refused and not queued.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from typing import Any, Final, NoReturn

import msgspec

from palazzo.errors import (
    Conflict,
    DiskFull,
    InvalidInput,
    KeyReused,
    NotFound,
    NotPermitted,
    PalaceBusy,
    PalaceMissing,
    PalazzoError,
    PartUnavailable,
    RateLimited,
    ReadOnlyPalace,
)  # fmt: skip
from palazzo.guard.reduce import Exists, Outline

_STATUS: Final[tuple[tuple[type[PalazzoError], int], ...]] = (
    (KeyReused, 422), (InvalidInput, 422), (NotFound, 404), (Conflict, 409), (NotPermitted, 403),
    (RateLimited, 429), (PalaceMissing, 503), (PalaceBusy, 503), (ReadOnlyPalace, 503), (DiskFull, 507),
    (PartUnavailable, 503),
)  # fmt: skip


def status_of(error: PalazzoError) -> int:
    """The HTTP status that says the same as an error."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error on the wire. `field` names the parameter at fault, where there is one."""

    code: str
    message: str
    hint: str = ""
    field: str = ""


BUSY: Final = Fault("busy", "too many requests wait already", "try again in a moment")
CROWDED: Final = Fault("rate_limited", "other requests fill what this server holds at once", "try again in a moment")
TOO_LARGE: Final = Fault("too_large", "the request is larger than this server takes", "send less at once")
TOO_SLOW: Final = Fault("too_slow", "the request did not come in time", "send it without pauses, or less at once")


def fault(error: PalazzoError) -> Fault:
    """An error as it crosses the wire."""
    return Fault(error.code, error.message, error.hint, getattr(error, "field", ""))


def _classes(root: type[PalazzoError]) -> dict[str, type[PalazzoError]]:
    found = {root.code: root}
    for kind in root.__subclasses__():
        found.update(_classes(kind))
    return found


def raise_fault(told: Fault) -> NoReturn:
    """Raises the error that was told, as its own class."""
    kind = _classes(PalazzoError).get(told.code, PalazzoError)
    error = kind.__new__(kind)  # the constructors differ; what crossed the wire is what they made of their arguments
    PalazzoError.__init__(error, told.message, hint=told.hint)
    vars(error).update(code=told.code, field=told.field)
    raise error


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request on the socket. `key` makes it run once; `token` says who calls where the connection does not."""

    operation: str
    arguments: dict[str, Any] = {}
    key: str = ""
    token: str = ""


FORMS: Final[dict[str, type]] = {"exists": Exists, "outline": Outline}
"""What a caller below an operation's level gets instead of its result."""


def form_of(result: Any) -> str:
    """The name of a reduced form; empty for a result as the operation declares it."""
    return next((name for name, kind in FORMS.items() if isinstance(result, kind)), "")


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer on the socket: a result, or a fault. `form` says when the result is a reduced one."""

    result: msgspec.Raw = msgspec.Raw()
    fault: Fault | None = None
    form: str = ""


class HeldBytes:
    """The count of one daemon. Threads and the event loop share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Charges so many bytes; False, and nothing is charged, when they do not fit."""
        with self._lock:
            if self._held + size > self._most:
                return False
            self._held += size
            return True

    def give(self, size: int) -> None:
        """Gives bytes back."""
        with self._lock:
            self._held -= size


_LENGTH: Final = struct.Struct(">I")
_CHUNK: Final = 1 << 16  # an answer of ten memories and its length come with one call to the system


class Frames:
    """The frames of one connection. Not for several threads at once."""

    def __init__(
        self, connection: socket.socket, limit: int = (1 << 32) - 1, *, patience_s: float | None = None,
        held: HeldBytes | None = None,
    ) -> None:  # fmt: skip
        self._connection = connection
        self._limit = limit
        self._patience_s = patience_s
        self._count = held
        self._counted = 0
        self._held = b""
        """What was read beyond the last frame."""

    def read(self) -> bytes | None:
        """The next frame; None when the other end has left. The frame before it is no longer counted as held.

        Raises: OSError, a TimeoutError among them when a frame has begun and does not end in time; OverflowError for
        one over the limit; BufferError when it does not fit beside what others send.
        """
        self.let_go()
        found = self._held or self._connection.recv(_CHUNK)
        if not found:
            return None
        until = None if self._patience_s is None else time.monotonic() + self._patience_s
        size, whole = None, bytearray(found)
        try:
            while size is None or len(whole) < size:
                if size is None and len(whole) >= _LENGTH.size:
                    size = _LENGTH.size + self._size(whole)
                    continue
                part = self._more(_CHUNK if size is None else min(size - len(whole), 16 * _CHUNK), until)
                if not part:
                    return None
                whole += part
        finally:
            if until is not None:
                self._connection.settimeout(None)
        self._held = bytes(whole[size:])
        return bytes(whole[_LENGTH.size : size])

    def _size(self, begun: bytearray) -> int:
        (size,) = _LENGTH.unpack_from(begun)
        if size > self._limit:
            raise OverflowError
        return int(size)

    def _more(self, most: int, until: float | None) -> bytes:
        """The next bytes of a frame that has begun, counted."""
        if until is not None:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._connection.settimeout(left)
        part = self._connection.recv(most)
        if self._count is not None:
            if not self._count.take(len(part)):
                raise BufferError
            self._counted += len(part)
        return part

    @property
    def waiting(self) -> bool:
        """Whether something of the next frame was read already."""
        return bool(self._held)

    def let_go(self) -> None:
        """Says that the last frame is no longer held."""
        if self._count is not None and self._counted:
            self._count.give(self._counted)
            self._counted = 0

    def write(self, frame: bytes) -> None:
        """Sends a frame.

        Raises: OSError.
        """
        self._connection.sendall(_LENGTH.pack(len(frame)) + frame)
