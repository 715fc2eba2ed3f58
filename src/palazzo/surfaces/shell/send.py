"""Carries what a shell tells to the daemon's socket, in the background; run as a file, it loads nothing of Palazzo.

    send.py SOCKET GATE SPOOL [--loop NUMBER | --follow FILE]

Reads records from standard input, a NUL after each, fields apart by the unit separator: shell, began_us (0: it ended
now), microseconds it took, exit code, folder, command; with --follow from a file that a shell adds to. With --loop it
first makes a pipe that a shell reads its own words back from one that never waits, and says so in it. Owns the spool's
bound. Invariants: what comes in is always read, while the daemon is asked too, so a shell never waits for it; when the
daemon is gone or does not answer in time, a bounded number of records waits in the spool, each with the id it was sent
with, so that a daemon which answers late keeps it once; while the gate is closed nothing is sent or kept.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import sys
import threading
import time
from collections import deque
from datetime import UTC, datetime
from typing import Any

SEPARATOR = "\x1f"
PATIENCE_S = 2.0
REST_S = 10.0
"""How long a daemon that did not answer is left alone."""
ANSWER_BYTES = 12
"""Four of the length, one for a map and its first word: `result`, or `error`."""
WAITING = 500
SPOOL_BYTES = 256 * 1024
LOOK_S = 5.0
FOLLOW_S = 0.3
SETTLED_S = 0.05
"""After it was taken away, a shell that had the file open has written to it."""


def packed(value: Any) -> bytes:
    """A value as MessagePack: what a request holds and no more."""
    if isinstance(value, dict):
        head = struct.pack(">BH", 0xDE, len(value))
        return head + b"".join(packed(key) + packed(one) for key, one in value.items())
    if isinstance(value, list):
        return struct.pack(">BH", 0xDC, len(value)) + b"".join(map(packed, value))
    if isinstance(value, int):
        return struct.pack(">Bq", 0xD3, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    data = str(value).encode("utf-8", "replace")
    return struct.pack(">BI", 0xDB, len(data)) + data


def event_of(record: str) -> dict[str, Any] | None:
    """The event a record tells of; None for what is none."""
    fields = record.split(SEPARATOR, 5)
    if len(fields) < 6 or not fields[5].strip():
        return None
    shell, began, took, code, cwd, command = fields
    try:
        ended_us = int(began) + int(took) if int(began) else round(time.time() * 1e6)
        metadata: dict[str, Any] = {"shell": shell, "cwd": cwd, "exit_code": int(code), "seconds": int(took) / 1e6}
        metadata["id"] = os.urandom(8).hex()
        at = datetime.fromtimestamp(ended_us / 1e6, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None
    return {"kind": "command", "source": "shell", "reference": command, "at": at, "metadata": metadata}


def send(path: str, events: list[dict[str, Any]]) -> bool:
    """Whether the daemon took the events: an answer that tells an error is none, so they wait for a better moment."""
    frame = packed({"operation": "capture_events", "arguments": {"events": events}, "key": "", "token": ""})
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(PATIENCE_S)
    try:
        with connection:
            connection.connect(path)
            connection.sendall(struct.pack(">I", len(frame)) + frame)
            answer = b""
            while len(answer) < ANSWER_BYTES and (part := connection.recv(ANSWER_BYTES)):
                answer += part
            return b"result" in answer
    except OSError:
        return False


def ours(path: str) -> bool:
    """Whether a file is there, in a folder that is its owner's alone: others must not open the gate for us."""
    try:
        file, folder = os.stat(path), os.stat(os.path.dirname(path))  # noqa: PTH116, PTH120 - pathlib loads slowly
    except OSError:
        return False
    return file.st_uid == folder.st_uid == os.getuid() and not folder.st_mode & 0o077


def keep(path: str, events: list[dict[str, Any]]) -> None:
    """Leaves events for a daemon that comes later, as far as there is room."""
    import fcntl  # which only Unix has, and there alone are hooks for shells

    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
            room = SPOOL_BYTES - os.fstat(file.fileno()).st_size
            for event in events:
                line = json.dumps(event).encode() + b"\n"
                room -= len(line)
                if room < 0:
                    return
                file.write(line)
    finally:
        os.close(lock)


class Carrier:
    """Takes records as they come and carries them on."""

    def __init__(self, path: str, gate: str, spool: str) -> None:
        self.path, self.gate, self.spool = path, gate, spool
        self.waiting: deque[dict[str, Any]] = deque(maxlen=WAITING)
        self.news = threading.Event()
        self.ended = False
        self.silent_until = 0.0

    def carry(self) -> None:
        """Sends what waits, or leaves it in the spool."""
        events = [self.waiting.popleft() for _ in range(len(self.waiting))]
        if not events or not ours(self.gate):
            return
        if time.monotonic() >= self.silent_until:
            if send(self.path, events):
                return
            self.silent_until = time.monotonic() + REST_S
        keep(self.spool, events)

    def run(self, file: str) -> None:
        """Until the shell is gone; `file` is what it adds to, or empty where it writes to standard input."""
        listening = threading.Thread(target=self._listens, args=(file, os.getppid()), daemon=True)
        listening.start()
        while True:
            self.news.wait()
            self.news.clear()
            ended = self.ended
            self.carry()
            if ended:
                return

    def _listens(self, file: str, parent: int) -> None:
        try:
            if file:
                self.follow(file, parent)
            else:
                self.listen(parent)
        finally:
            self.ended = True
            self.news.set()

    def take(self, records: list[bytes]) -> None:
        """Lets records wait to be carried."""
        found = (event_of(record.decode("utf-8", "replace")) for record in records)
        self.waiting.extend(event for event in found if event is not None)
        self.news.set()

    def listen(self, parent: int) -> None:
        """Takes what a shell writes, until it is gone."""
        rest = b""
        while True:
            if not select.select([0], [], [], LOOK_S)[0]:
                if os.getppid() != parent:
                    return
                continue
            part = os.read(0, 1 << 16)
            *records, rest = (rest + part).split(b"\0")
            self.take(records)
            if not part:
                return

    def follow(self, path: str, parent: int) -> None:
        """Takes what a shell adds to a file, until the shell is gone."""
        while True:
            gone = os.getppid() != parent
            taken = f"{path}.{os.getpid()}"  # two may follow for a while
            try:
                os.rename(path, taken)  # noqa: PTH104 - pathlib loads slowly
            except OSError:
                if gone:
                    return
                time.sleep(FOLLOW_S)
                continue
            time.sleep(SETTLED_S)
            with open(taken, "rb") as file:  # noqa: PTH123
                records = file.read().split(b"\0")
            os.unlink(taken)  # noqa: PTH108
            self.take(records)


def main() -> None:
    """Runs until standard input ends, or the shell whose file it follows."""
    carrier = Carrier(*sys.argv[1:4])
    words = dict(zip(sys.argv[4::2], sys.argv[5::2], strict=False))
    if os.getpgrp() != os.getpid():
        os.setsid()  # what is typed at the terminal is not for this process
    if loop := words.get("--loop"):
        os.set_blocking(int(loop), False)
        os.write(int(loop), b"+")
        os.close(int(loop))
    carrier.run(words.get("--follow", ""))


if __name__ == "__main__":
    main()
