"""The Unix socket: length-prefixed MessagePack, one request after the other on each connection.

Owns frames, peer credentials and the life of connections. A frame is four bytes of length, big-endian, and a
`mnemon.surfaces.wire.Request` or `Answer`. Invariant: who calls is the user at the other end, as the system tells it;
the palace's owner is its operator, anybody else needs a grant or a token.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from mnemon.errors import InvalidInput, NotPermitted
from mnemon.guard.peers import subject_of_peer
from mnemon.operations.caller import Caller
from mnemon.surfaces.service import Asked, Service
from mnemon.surfaces.wire import Answer, Fault, Request, fault, form_of

LENGTH: Final = struct.Struct(">I")
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


class SocketServer:
    """Serves a palace on one socket file."""

    def __init__(self, service: Service, path: Path) -> None:
        self._service = service
        self._path = path
        self._owner = service.engine.store.folder.stat().st_uid
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], bool] = {}
        """Every open connection, and whether it is working on a request."""

    async def start(self) -> None:
        """Listens; the file is for its owner alone. A file nobody listens on is replaced."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path.unlink(missing_ok=True)
        before = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._serve, path=str(self._path))
        finally:
            os.umask(before)

    async def stop(self) -> None:
        """Takes no more connections, lets running requests end, and removes the file."""
        if self._server is None:
            return
        self._path.unlink(missing_ok=True)
        self._server.close()
        for connection, busy in list(self._connections.items()):
            if not busy:
                connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None:
            return
        self._connections[task] = False
        self._service.metrics.opened("socket", 1)
        uid = peer_uid(writer.get_extra_info("socket"))
        try:
            while not self._service.stopping.is_set():
                body = await self._read(reader)
                if body is None:
                    break
                self._connections[task] = True
                told = await self._service.work(self._answer, body, uid)
                writer.write(LENGTH.pack(len(told)) + told)
                await writer.drain()
                self._connections[task] = False
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client left, or the daemon stops while nothing runs
        finally:
            del self._connections[task]
            self._service.metrics.opened("socket", -1)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _read(self, reader: asyncio.StreamReader) -> bytes | None:
        """One frame; None when the client has left or sends more than is taken."""
        try:
            (size,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
            return await reader.readexactly(size) if size <= self._service.limits.request_bytes else None
        except asyncio.IncompleteReadError:
            return None

    def _answer(self, body: bytes, uid: int | None) -> bytes:
        """In a worker thread: who calls, what they ask, the call, the answer as bytes."""
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


def _told(found: Fault) -> bytes:
    return _ENCODER.encode(Answer(fault=found))
