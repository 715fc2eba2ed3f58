"""The Unix socket: length-prefixed MessagePack, one request after the other on each connection.

Owns peer credentials and the life of connections. A frame (frames.py) is a `palazzo.surfaces.wire.Request` or `Answer`.
Each connection has a thread of its own that reads, works and writes: the event loop and back costs two more wakings.
Invariants: who calls is the user at the other end, as the system tells it, and the palace's owner is its operator,
anybody else needs a grant or a token; a request that runs is answered, also while the daemon stops; a frame that is
too large, too slow or too much at once is refused and ends its connection.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from palazzo.errors import InvalidInput, NotPermitted
from palazzo.guard.access import subject_of_peer
from palazzo.operations.caller import Caller
from palazzo.surfaces.daemon.service import Asked, Service
from palazzo.surfaces.wire import BUSY, CROWDED, TOO_LARGE, TOO_SLOW, Answer, Fault, Frames, Request, fault, form_of

_BACKLOG: Final = 512
_PATIENCE: Final = struct.pack("ll", 20, 0)
"""Seconds and microseconds that a client may take to read its answer before it is left."""
_DECODER = msgspec.msgpack.Decoder(Request)
_ENCODER = msgspec.msgpack.Encoder()


def peer_uid(connection: socket.socket) -> int | None:
    """The user at the other end; None where the system does not tell."""
    if hasattr(socket, "SO_PEERCRED"):
        found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", found)[1])
    if hasattr(socket, "LOCAL_PEERCRED"):  # macOS and the BSDs: version, uid, groups
        found = connection.getsockopt(0, socket.LOCAL_PEERCRED, 8)
        return int(struct.unpack("2I", found)[1])
    return None


def bind_local(path: Path) -> socket.socket:
    """A socket that listens on a file, which is for its owner alone. A file nobody listens on is replaced."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(str(path))
    finally:
        os.umask(before)
    listening.listen(_BACKLOG)
    return listening


class SocketServer:
    """Serves a palace on a socket that listens, which other processes may share."""

    def __init__(self, service: Service, listening: socket.socket) -> None:
        self._service = service
        self._listening = listening
        file = Path(service.engine.store.label)  # of a palace on a server the owner is who serves it
        self._owner = file.stat().st_uid if file.exists() else os.geteuid()
        self._lock = threading.Lock()
        self._stopping = False
        self._open: dict[threading.Thread, socket.socket] = {}
        """Every open connection, by the thread that serves it."""

    def start(self) -> None:
        """Takes connections."""
        self._listening.setblocking(False)  # another worker may be quicker
        self._woken, self._waker = socket.socketpair()
        self._accepting = threading.Thread(target=self._accept, name="palazzo-socket", daemon=True)
        self._accepting.start()

    def stop(self) -> None:
        """Takes no more connections and lets running requests end."""
        with self._lock:
            self._stopping = True
            left = dict(self._open)
        self._waker.close()
        self._accepting.join()
        self._listening.close()
        self._woken.close()
        for thread, connection in left.items():
            with suppress(OSError):  # the client was quicker
                connection.shutdown(socket.SHUT_RD)  # wakes whoever waits for a request; an answer still goes out
            thread.join()

    def _accept(self) -> None:
        while not self._stopping:
            select.select((self._listening, self._woken), (), ())
            try:
                connection, _ = self._listening.accept()
            except OSError:
                continue  # the client left before it was let in, or another worker was quicker
            connection.setblocking(True)
            thread = threading.Thread(target=self._serve, args=(connection,), name="palazzo-socket-client", daemon=True)
            with self._lock:
                welcome = not self._stopping and len(self._open) < self._service.limits.waiting
                if welcome:
                    self._open[thread] = connection
            if welcome:
                thread.start()
                continue
            with connection, suppress(OSError):
                Frames(connection).write(_told(BUSY))

    def _serve(self, connection: socket.socket) -> None:
        self._service.metrics.opened("socket", 1)
        limits = self._service.limits
        frames = Frames(connection, limits.request_bytes, patience_s=limits.patience_s, held=self._service.held)
        try:
            with connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _PATIENCE)
                uid = peer_uid(connection)
                refused = None
                while refused is None and not self._stopping:
                    body, refused = _next(frames)
                    if body is None:
                        break
                    frames.write(self._service.run(self._answer, body, uid))
                if refused is not None:
                    frames.write(_told(refused))
        except OSError:
            pass  # the client left
        finally:
            frames.let_go()
            self._service.metrics.opened("socket", -1)
            with self._lock:
                del self._open[threading.current_thread()]

    def _answer(self, body: bytes, uid: int | None) -> bytes:
        """Who calls, what they ask, the call, the answer as bytes."""
        try:
            asked = _DECODER.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return _told(fault(InvalidInput("this is no request", hint="see docs/serve.md")))
        caller = self._caller(asked.token, uid)
        if caller is None:
            return _told(fault(NotPermitted("nobody is known by this connection", hint="give a token that holds")))
        told = self._service.call(
            Asked(surface="socket", caller=caller, operation=asked.operation, arguments=asked.arguments, key=asked.key)
        )
        if told.fault is not None:
            return _told(told.fault)
        form = form_of(told.result)
        return _ENCODER.encode({"result": told.result, "form": form} if form else {"result": told.result})

    def _caller(self, token: str, uid: int | None) -> Caller | None:
        if token:
            return self._service.identify(token)
        return None if uid is None else Caller(subject=subject_of_peer(uid, self._owner))


def _next(frames: Frames) -> tuple[bytes | None, Fault | None]:
    """The next request, or why it is not taken; neither when the client has left."""
    try:
        return frames.read(), None
    except TimeoutError:
        return None, TOO_SLOW
    except OverflowError:
        return None, TOO_LARGE
    except BufferError:
        return None, CROWDED


def _told(found: Fault) -> bytes:
    return _ENCODER.encode(Answer(fault=found))
