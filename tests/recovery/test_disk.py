"""The disk that kills and loses power does both, or it would prove nothing."""

from __future__ import annotations

import os
import random
import signal
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.recovery.disk import Disk, DiskEvent, after_cut, worth_walking
from tests.recovery.walk import in_a_child

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="files are named by their handles in /proc"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def replace_file(folder: Path, *, sync: bool) -> None:
    """The usual way to change a file as a whole, with or without care."""
    handle = os.open(folder / "new", os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(handle, b"new" * 1000)
    if sync:
        os.fsync(handle)
    os.close(handle)
    (folder / "new").replace(folder / "file")
    if sync:
        names = os.open(folder, os.O_RDONLY)
        os.fsync(names)
        os.close(names)


def log_of(*, sync: bool) -> list[DiskEvent]:
    kinds = [DiskEvent("create", "new"), DiskEvent("write", "new", 0, b"new" * 1000)]
    kinds += [DiskEvent("sync", "new")] if sync else []
    kinds += [DiskEvent("rename", "new", to="file")]
    return kinds + ([DiskEvent("sync", "", names_too=True)] if sync else [])


def before(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    (folder / "file").write_bytes(b"old" * 1000)
    return folder


def test_a_process_is_killed_before_the_event_it_was_told(tmp_path: Path) -> None:
    def work(folder: Path, number: int) -> None:
        Disk(folder, kill_at=number).watch()
        replace_file(folder, sync=True)

    seen = []
    for number in range(1, 7):
        folder = before(tmp_path / "d")
        code = in_a_child(partial(work, folder, number))
        seen.append((code == -signal.SIGKILL, (folder / "file").read_bytes()[:3], (folder / "new").exists()))
    assert seen == [
        (True, b"old", False), (True, b"old", True), (True, b"old", True), (True, b"old", True), (True, b"new", False),
        (False, b"new", False),
    ]  # fmt: skip


def test_events_are_those_that_happened(tmp_path: Path) -> None:
    folder, told = before(tmp_path / "d"), tmp_path / "told"

    def work() -> None:
        disk = Disk(folder, keep=True)
        disk.watch()
        replace_file(folder, sync=True)
        told.write_text(repr([(e.kind, e.path, len(e.data), e.to, e.names_too) for e in disk.events]))

    assert in_a_child(work) == 0
    expected = [(e.kind, e.path, len(e.data), e.to, e.names_too) for e in log_of(sync=True)]
    assert told.read_text() == repr(expected)


def left(folder: Path, events: list[DiskEvent], luck: int) -> bytes:
    after_cut(before(folder), events, random.Random(luck))
    return (folder / "file").read_bytes()


def test_of_a_careful_replacement_a_cut_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    log = log_of(sync=True)
    for cut in range(len(log) + 1):
        assert {left(tmp_path / "d", log[:cut], luck) for luck in range(20)} <= {b"old" * 1000, b"new" * 1000}
    assert {left(tmp_path / "d", log, luck) for luck in range(20)} == {b"new" * 1000}


def test_of_a_careless_replacement_a_cut_leaves_a_torn_file(tmp_path: Path) -> None:
    found = {left(tmp_path / "d", log_of(sync=False), luck) for luck in range(40)}
    assert b"old" * 1000 in found
    assert found - {b"old" * 1000, b"new" * 1000}


def test_of_a_stretch_of_like_events_the_first_and_the_last_are_walked() -> None:
    events = [DiskEvent("write", "a")] * 5 + [DiskEvent("sync", "a")] + [DiskEvent("write", "b")] * 3
    assert worth_walking(events) == [1, 5, 6, 7, 9]
