"""Reading raw files: what is read is what is there, and the locks of an open palace stay."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.files import raw_files
from palazzo.store.sqlite import held_locks
from palazzo.testing.palace import make_store, place_memory


@pytest.mark.parametrize("length", [0, 1, 16, raw_files.CHUNK - 1, raw_files.CHUNK, raw_files.CHUNK + 1, 3_000_000])
@pytest.mark.parametrize("ending", [b"", b"\x00" * 40], ids=["any", "zeros"])
def test_a_file_is_read_and_copied_as_it_is(tmp_path: Path, length: int, ending: bytes) -> None:
    data = os.urandom(length) + ending
    (tmp_path / "a").write_bytes(data)
    assert raw_files.content(tmp_path / "a") == data
    assert raw_files.head(tmp_path / "a", 7) == data[:7]
    raw_files.copy(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == data
    with raw_files.reading(tmp_path / "a") as handle:
        handle.seek(length // 2)
        assert handle.read() == data[length // 2 :]


@given(st.binary(min_size=1, max_size=60), st.integers(-80, 80))
def test_a_piece_is_found_wherever_the_chunks_are_cut(piece: bytes, shift: int) -> None:
    path = Path(f"/tmp/palazzo-piece-{os.getpid()}-{threading.get_ident()}")
    at = raw_files.CHUNK + shift
    try:
        path.write_bytes(b"\x01" * at + piece + b"\x01" * 100)
        assert raw_files.holds(path, [piece, piece + b"\x02never"]) == [piece]
    finally:
        path.unlink()


def test_what_is_gone_holds_nothing_and_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    assert raw_files.holds(tmp_path / "gone", [b"something"]) == []
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", ".", "gone"):
        with pytest.raises(OSError, match="Errno"):
            raw_files.head(tmp_path / name, 4)


def test_a_file_somebody_cuts_short_while_it_is_read_just_ends(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * (3 * raw_files.CHUNK))
    with raw_files.reading(path) as handle:
        assert len(handle.read(10)) == 10
        os.truncate(path, 100)
        assert len(handle.read()) < 3 * raw_files.CHUNK


def test_the_shared_memory_of_a_log_is_never_opened(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory("a")])
        (tmp_path / "link").symlink_to(tmp_path / "p" / "palace.db-shm")
        for path in (tmp_path / "p" / "palace.db-shm", tmp_path / "link"):
            with pytest.raises(OSError, match="Errno"):
                raw_files.head(path, 4)


@pytest.mark.skipif(not held_locks.HANDLES.is_dir(), reason="this system does not show locks")
def test_every_way_to_read_a_palaces_files_leaves_its_locks_and_few_handles(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        store.commit([place_memory("a text that is looked for")])
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(20):
            for path, _ in list(raw_files.files_in(store.folder)):
                if not path.name.endswith(raw_files.SHARED_MEMORY):
                    raw_files.content(path)
                    raw_files.holds(path, [b"text that is looked"])
                    raw_files.sync_to_disk(path)
            raw_files.sync_to_disk(store.folder)
        assert held_locks.state(store.database.path) == "held"
        assert len(list(Path("/proc/self/fd").iterdir())) <= before + 4


def test_a_wiped_file_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100_000)
    os.link(path, tmp_path / "b")
    raw_files.wipe(path)
    assert not path.exists()
    assert (tmp_path / "b").read_bytes() == bytes(100_000)
