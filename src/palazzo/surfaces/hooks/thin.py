"""The quick way of a hook: where a daemon runs, it is asked over its socket before anything of the palace is loaded.

Owns the few bytes that takes: one frame a call, as `palazzo.surfaces.wire` has them. Whatever it cannot do (no daemon,
no palace named, an option it does not know) is left to the command itself. Invariants: a client is answered with one
JSON object and exit code 0 within its deadline; what a turn's end has to do goes on in a process that ends by itself.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import sys
import time

from palazzo.surfaces.hooks.heard import CLIENTS, EVENTS, Given, HookEvent, answered
from palazzo.surfaces.hooks.pack import packed, unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_LENGTH: Final = struct.Struct(">I")
_LONGEST_PATH: Final = 100
_QUICK: Final = frozenset({"session-start", "user-prompt-submit"})
DEADLINE_S: Final = 2.0
BUDGET: Final = 1500


class _Options:
    """What a hook's command line says, as far as the quick way knows it."""

    def __init__(self) -> None:
        self.palace: str | None = None
        self.event = ""
        self.client = "claude-code"
        self.deadline_s = DEADLINE_S
        self.budget = BUDGET


def read_options(words: list[str]) -> _Options | None:
    """The options; None where the command itself has to read them."""
    found, rest = _Options(), list(words)
    try:
        while rest:
            word = rest.pop(0)
            if word == "--palace" and not found.event:
                found.palace = rest.pop(0)
            elif word == "hook" and rest and rest[0] in EVENTS:
                found.event = rest.pop(0)
            elif found.event and word == "--client":
                found.client = rest.pop(0)
            elif found.event and word == "--deadline":
                found.deadline_s = float(rest.pop(0))
            elif found.event and word == "--budget":
                found.budget = int(rest.pop(0))
            else:
                return None
    except (IndexError, ValueError):
        return None
    known = found.event and found.palace is not None and found.client in CLIENTS and found.deadline_s > 0
    return found if known else None


def answer_quickly(words: list[str]) -> bool:
    """Answers a hook through a running daemon; False where that is not possible, and nothing was read or written."""
    options = read_options(words)
    if options is None:
        return False
    connection = _reached(options.palace or "", options.deadline_s)
    if connection is None:
        return False
    until = time.monotonic() + options.deadline_s
    told: Given = {}
    trouble = ""
    with connection:
        try:
            given = _input(until)
            one = HookEvent(options.event, options.client, given)
            if options.event in _QUICK:
                told = _asked(connection, one, options.budget, until)
            else:
                leave(options.palace, one, given)
        except (OSError, EOFError, ValueError) as error:
            trouble = str(error) or type(error).__name__
    if trouble:
        sys.stderr.write(f"palazzo: {options.event}: {trouble}\n")
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    return True


def _reached(palace: str, patience_s: float) -> socket.socket | None:
    if palace:
        folder = os.path.expanduser(palace)
    else:
        import platformdirs

        folder = os.path.join(platformdirs.user_data_dir("palazzo", appauthor=False), "palace")
    path = os.path.join(os.path.realpath(folder), "serve.sock")
    if len(os.fsencode(path)) > _LONGEST_PATH or not os.path.exists(path):
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(patience_s)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    return connection


def _input(until: float) -> Given:
    """What the client sent, as far as it comes in time.

    Raises: TimeoutError, ValueError.
    """
    handle, parts = sys.stdin.fileno(), []
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([handle], [], [], left)[0]:
            raise TimeoutError("the client did not end its input in time")
        part = os.read(handle, 1 << 16)
        if not part:
            break
        parts.append(part)
    found = json.loads(b"".join(parts) or b"{}")
    if not isinstance(found, dict):
        raise ValueError("the hook's input is no JSON object")
    return found


def _asked(connection: socket.socket, one: HookEvent, budget: int, until: float) -> Given:
    if one.event == "user-prompt-submit":
        if not one.prompt.strip():
            return {}
        asked = {"message": one.prompt, "thread": one.thread, "session": one.session, "budget_tokens": budget}
        return answered(one, _call(connection, "turn_start", {**asked, **one.scope}, until)["text"])
    begun = _call(
        connection, "session_start",
        {"thread": one.thread, "session": one.session, "client": one.client, "source": one.source, **one.scope}, until,
    )  # fmt: skip
    folder = os.path.basename(os.path.normpath(one.cwd)) if one.cwd else ""
    about = {"message": f"Work on {folder or 'this project'}", "budget_tokens": budget, **one.scope}
    known = _call(connection, "context", about, until)
    return answered(one, "\n\n".join(filter(None, (begun["warm_start"], known["text"] if known["hits"] else ""))))


def _call(connection: socket.socket, name: str, arguments: Given, until: float) -> Any:
    """Raises: OSError, EOFError, ValueError for what the daemon refuses."""
    connection.settimeout(max(0.01, until - time.monotonic()))
    frame = packed({"operation": name, "arguments": arguments})
    connection.sendall(_LENGTH.pack(len(frame)) + frame)
    (size,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size))
    answer = unpacked(_exactly(connection, size))
    if answer.get("fault"):
        raise ValueError(answer["fault"]["message"])
    return answer["result"]


def _exactly(connection: socket.socket, size: int) -> bytes:
    whole = bytearray()
    while len(whole) < size:
        part = connection.recv(size - len(whole))
        if not part:
            raise EOFError("the daemon went away")
        whole += part
    return bytes(whole)


def leave(palace: str | None, one: HookEvent, given: Given) -> None:
    """Starts a process of its own that does the rest, and ends by itself when that takes too long."""
    import subprocess

    named = ["--palace", palace] if palace else []
    child = subprocess.Popen(  # noqa: S603 - our own program with our own arguments
        [sys.executable, "-m", "palazzo", *named, "hook", one.event, "--client", one.client, "--deadline", "0"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    if child.stdin is not None:
        child.stdin.write(json.dumps(given).encode())
        child.stdin.close()
