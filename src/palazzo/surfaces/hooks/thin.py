"""The quick way of a hook: where a daemon runs, it is asked over its socket before anything of the palace is loaded.

Owns the few bytes that takes: one frame a call, as `palazzo.surfaces.wire` has them, and MessagePack for the few values
in it without a library, for loading one costs more than the whole hook. Whatever it cannot do (no daemon, no palace
named, an option it does not know) is left to the command itself. Invariants: a client is answered with one JSON object
and exit code 0 within its deadline; what a turn's end has to do goes on in a process that ends by itself; what is
written reads back equal, here and by any other reader, and bytes that say something else, or end too early, raise
ValueError.
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


_WHOLE: Final = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
                 0xCA: ">f", 0xCB: ">d"}  # fmt: skip
_LONG: Final = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDC: ">H", 0xDD: ">I",
                0xDE: ">H", 0xDF: ">I"}  # fmt: skip
_BYTES: Final = (0xC4, 0xC5, 0xC6)
_MARKED: Final = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
"""Bytes with a mark before them that says what they are, by the sign that tells how many."""
_MARKED_LONG: Final = 0xC7
_TEXT: Final = (0xD9, 0xDA, 0xDB)
_LIST: Final = (0xDC, 0xDD)
_PLAIN: Final = {0xC0: None, 0xC2: False, 0xC3: True}


def packed(value: Any) -> bytes:
    """A value as bytes. Raises: ValueError for what is none of those it knows."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return struct.pack(">Bq", 0xD3, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        raw = value.encode()
        return struct.pack(">BI", 0xDB, len(raw)) + raw
    if isinstance(value, list | tuple):
        return struct.pack(">BI", 0xDD, len(value)) + b"".join(map(packed, value))
    if isinstance(value, dict):
        parts = (packed(part) for pair in value.items() for part in pair)
        return struct.pack(">BI", 0xDF, len(value)) + b"".join(parts)
    raise ValueError(f"a {type(value).__name__} is not sent by a hook")


def unpacked(raw: bytes) -> Any:
    """The value that bytes say, all of them. Raises: ValueError."""
    try:
        value, end = _value(raw, 0)
    except (struct.error, IndexError) as error:
        raise ValueError("an answer that ends too early") from error
    except TypeError as error:
        raise ValueError("an answer with a name that is none") from error
    if end != len(raw):
        raise ValueError("an answer with something behind it")
    return value


def _value(raw: bytes, at: int) -> tuple[Any, int]:
    first = raw[at]
    at += 1
    if first <= 0x7F or first >= 0xE0:
        return (first if first <= 0x7F else first - 0x100), at
    if first in _PLAIN:
        return _PLAIN[first], at
    if first in _WHOLE:
        form = _WHOLE[first]
        return struct.unpack_from(form, raw, at)[0], at + struct.calcsize(form)
    if first in _MARKED or first == _MARKED_LONG:
        size, at = (_MARKED[first], at + 1) if first in _MARKED else (raw[at], at + 2)
        return raw[at : at + size], at + size
    if first in _LONG:
        form = _LONG[first]
        size, at = struct.unpack_from(form, raw, at)[0], at + struct.calcsize(form)
    elif first <= 0xBF:
        size = first & (0x1F if first >= 0xA0 else 0x0F)
    else:
        raise ValueError(f"an answer with the sign {first:#x}")
    if first in _BYTES or first in _TEXT or 0xA0 <= first <= 0xBF:
        if at + size > len(raw):
            raise IndexError(size)
        part = raw[at : at + size]
        return (part if first in _BYTES else part.decode()), at + size
    if first in _LIST or 0x90 <= first <= 0x9F:
        return _several(raw, at, size)
    found, at = _several(raw, at, 2 * size)
    return dict(zip(found[::2], found[1::2], strict=True)), at


def _several(raw: bytes, at: int, count: int) -> tuple[list[Any], int]:
    found = []
    for _ in range(count):
        value, at = _value(raw, at)
        found.append(value)
    return found, at
