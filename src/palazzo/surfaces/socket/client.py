"""The other end of the socket: calls a running daemon and gives back what a call on the palace itself would.

Owns the connection. Loads nothing of the palace, so a command that finds a daemon starts fast. Invariant: a socket file
nobody listens on is as good as none.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from palazzo.errors import PartUnavailable
from palazzo.operations.registry import operation
from palazzo.surfaces.wire import FORMS, Answer, Frames, Request, raise_fault

_DECODER: Final = msgspec.msgpack.Decoder(Answer)
_REACH_S: Final = 2.0


class Daemon:
    """A connection to a running daemon. Not for several threads at once."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._frames = Frames(connection)

    @classmethod
    def reach(cls, path: Path) -> Daemon | None:
        """A connection to the daemon that listens on this file; None when none does."""
        if not hasattr(socket, "AF_UNIX") or not path.exists():
            return None
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(_REACH_S)
        try:
            connection.connect(str(path))
        except OSError:
            connection.close()
            return None
        connection.settimeout(None)
        return cls(connection)

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str = "", token: str = "") -> Any:
        """The result of an operation.

        Raises: PartUnavailable when the daemon goes away or speaks otherwise, and what the operation raises.
        """
        asked = msgspec.msgpack.encode(Request(name, dict(arguments), key, token))
        try:
            self._frames.write(asked)
            answer = self._frames.read()
            if answer is None:
                raise EOFError
            told = _DECODER.decode(answer)
            if told.fault is not None:
                raise_fault(told.fault)
            form = FORMS[told.form] if told.form else operation(name).result
            return msgspec.msgpack.decode(told.result, type=form)
        except (OSError, EOFError) as error:
            raise PartUnavailable("the daemon went away", part="daemon", hint="try again") from error
        except msgspec.DecodeError as error:
            raise PartUnavailable(
                "the daemon answers in a form this version does not know", part="daemon",
                hint="restart `palazzo serve` after an upgrade",
            ) from error  # fmt: skip

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
