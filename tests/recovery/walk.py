"""Walks the file events of one long operation: at each a process is killed, or the power cut, and the palace recovered.

`python -m tests.recovery.walk OPERATION FOLDER [--every]` prints what was walked and what went wrong as JSON.
A process of its own: it forks for every event, and the children put a disk of ours below themselves.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import random
import secrets
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import argon2.low_level
from tests.recovery.disk import Disk, DiskEvent, after_cut, worth_walking
from tests.recovery.operations import OPERATIONS, Lost, Operation


def quick_hash(secret: bytes, salt: bytes, **_: Any) -> bytes:
    """Stands in for Argon2id, which is slow on purpose."""
    return hashlib.blake2b(secret + salt, digest_size=32).digest()


def in_a_child(work: Callable[[], None]) -> int:
    """Does something in a forked process; its exit code, or minus the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - a child must not return into the walk
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def copy(base: Path, folder: Path) -> None:
    """A fresh copy of the base, at one and the same path each time."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder, symlinks=True)


def recorded(operation: Operation, base: Path, folder: Path) -> list[DiskEvent]:
    """The events of one run without an interruption."""
    copy(base, folder)
    log = folder.with_name("events")

    def work() -> None:
        disk = Disk(folder, keep=True)
        disk.watch()
        operation.act(folder)
        log.write_bytes(pickle.dumps(disk.events))

    if in_a_child(work) != 0:
        raise Lost("the operation fails without any interruption")
    operation.check(folder)
    return list(pickle.loads(log.read_bytes()))


def killed(operation: Operation, folder: Path, number: int) -> None:
    """Runs the operation and kills it before an event.

    Raises: Lost when it ended otherwise.
    """

    def work() -> None:
        Disk(folder, kill_at=number).watch()
        operation.act(folder)

    code = in_a_child(work)
    if code != -signal.SIGKILL:
        raise Lost(f"the operation ended with {code} instead of being killed")


def walk(operation: Operation, scratch: Path, *, every: bool) -> dict[str, Any]:
    """Interrupts the operation at its events and recovers each time; says what was lost where.

    At every event the process is killed and the power cut; else at those that differ from their neighbours, by turns.
    """
    base, folder = scratch / "base", scratch / "palace"
    base.mkdir(parents=True)
    operation.prepare(base)
    events = recorded(operation, base, folder)
    failures, kills, cuts = [], 0, 0
    for turn, number in enumerate(range(1, len(events) + 1) if every else worth_walking(events)):
        for luck in range(2) if every else (turn % 2,):
            copy(base, folder)
            kills, cuts = kills + (not luck), cuts + bool(luck)
            try:
                if luck:
                    after_cut(folder, events[:number], random.Random(number))
                else:
                    killed(operation, folder, number)
                operation.recover(folder)
                operation.check(folder)
            except Exception as error:  # noqa: BLE001 - every kind of failure is what is looked for
                failures.append(_told(events[number - 1], number, luck, error))
    return {"events": len(events), "kills": kills, "cuts": cuts, "failures": failures}


def _told(event: DiskEvent, number: int, luck: int, error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
    how = "cut" if luck else "kill"
    return f"{how} at {number}, {event.kind} {event.path}: {type(error).__name__}: {error} [{where}]"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("operation", choices=sorted(OPERATIONS))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", action="store_true")
    given = parser.parse_args()
    argon2.low_level.hash_secret_raw = quick_hash
    secrets.randbelow = lambda _: 0  # the padding is drawn by lot, and every run must have the same events
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    found = walk(OPERATIONS[given.operation], given.folder, every=given.every)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
