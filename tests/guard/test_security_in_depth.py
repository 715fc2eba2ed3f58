"""Items of the security list that need more than one look: process memory, timing, snapshots, vectors that leave."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.guard.conftest import files_with, keyed_engine
from tests.guard.test_timing_class import STEPS, every_statement

from palazzo.adapters import key_file
from palazzo.adapters.ciphers import master_key
from palazzo.bootstrap import create_engine, load_settings, open_engine
from palazzo.errors import WrongKey
from palazzo.model.message import Message
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.store.index.vector import vectors
from palazzo.store.sql.tables import SqlTables
from palazzo.testing.clock import FixedClock

PHRASE = "a sextant and some quillwort"
CLEAR = "The harbour keeps its ledger under the third stair of the old customs house."
GUARDED = "Her mail is otti@example.org."
WORKER = """
import gc, sys
from palazzo.bootstrap import create_engine, load_settings
from palazzo.model.message import Message
chosen = load_settings({"palace": sys.argv[1], "passphrase": sys.stdin.readline().strip(), "embedder": "none"})
canary = bytearray(b"canary of the scan")
with create_engine(chosen, encrypted=True) as engine:
    engine.remember(Message(text="Her mail is otti@example.org."))
    print("open", flush=True)
    sys.stdin.readline()
del engine, chosen
gc.collect()
print("closed", flush=True)
sys.stdin.readline()
"""


def found_in_memory(process: int, *needles: bytes) -> list[bool]:
    """Whether each of these stands anywhere in what a process may write to."""
    found = [False] * len(needles)
    with Path(f"/proc/{process}/mem").open("rb", 0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            span, rights = line.split()[:2]
            if not rights.startswith("rw"):
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            try:
                memory.seek(start)
                content = memory.read(end - start)
            except (OSError, ValueError):
                continue
            found = [seen or needle in content for seen, needle in zip(found, needles, strict=True)]
    return found


def test_the_master_key_is_nowhere_in_the_memory_of_a_process_that_uses_or_used_a_palace(tmp_path: Path) -> None:
    """Read from outside. What remains is on the page: keys in use, texts that were read, the passphrase as given."""
    command = [sys.executable, "-c", WORKER, str(tmp_path / "p")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin
        assert worker.stdout
        worker.stdin.write(f"{PHRASE}\n")
        worker.stdin.flush()
        assert worker.stdout.readline() == "open\n"
        note = key_file.read_one(tmp_path / "p", key_file.NAME)
        assert note
        assert note.parameters
        sought = (b"canary of the scan", master_key(PHRASE, note.parameters))
        try:
            in_use = found_in_memory(worker.pid, *sought)
        except PermissionError:
            pytest.skip("the memory of another process may not be read here")
        worker.stdin.write("\n")
        worker.stdin.flush()
        assert worker.stdout.readline() == "closed\n"
        closed = found_in_memory(worker.pid, *sought)
        worker.communicate()
    assert in_use == closed == [True, False], "the scan finds what is there, and the master key is not"


def test_sealed_and_clear_answers_run_the_same_statements(tmp_path: Path) -> None:
    """What differs is the opening of a text, microseconds; bench.security timing measures it with a clock."""
    with every_statement() as done, keyed_engine(tmp_path / "palace", FixedClock()) as engine:
        sealed = call(engine, Caller(), "remember", {"text": GUARDED, "verbatim": True}).id
        clear = call(engine, Caller(), "remember", {"text": "The moor is wide and empty.", "verbatim": True}).id
        call(engine, Caller(), "grant", {"subject": "agent:guest", "level": "read_public"})
        guest, work = Caller(subject="agent:guest"), []
        for memory in (clear, sealed, clear, sealed):
            done.clear()
            call(engine, guest, "get", {"memory": str(memory)})
            work.append(([text for text, _ in done], sum(steps for _, steps in done)))
    assert work[2][0] == work[3][0]
    assert abs(work[2][1] - work[3][1]) <= STEPS


def test_backups_archives_and_exports_are_as_sealed_as_the_palace(tmp_path: Path) -> None:
    """Snapshots are copies in `backups`, the archive, and exports that are asked to be encrypted."""
    given = {"palace": str(tmp_path / "p"), "embedder": "none", "durable": False}
    with create_engine(load_settings({**given, "passphrase": PHRASE}), encrypted=True) as engine:
        engine.remember(Message(text=CLEAR))
        engine.remember(Message(text=GUARDED))
        call(engine, Caller(), "backup", {"target": str(tmp_path / "p" / "backups" / "copy.db")})
        call(
            engine,
            Caller(),
            "export",
            {"to": str(tmp_path / "out.sealed"), "format": "encrypted", "passphrase": "x y and z"},
        )
        call(engine, Caller(), "export", {"to": str(tmp_path / "p" / "copy2.db"), "format": "palace"})
    assert files_with(tmp_path, "customs house", "third stair", "otti@example.org") == []
    moved = tmp_path / "q"
    moved.mkdir(mode=0o700)
    (moved / "palace.db").write_bytes((tmp_path / "p" / "backups" / "copy.db").read_bytes())
    (moved / "key.json").write_bytes((tmp_path / "p" / "key.json").read_bytes())
    with pytest.raises(WrongKey):
        open_engine(load_settings({**given, "palace": str(moved), "passphrase": "another walk"}))
    with open_engine(load_settings({**given, "palace": str(moved), "passphrase": PHRASE})) as engine:
        assert call(engine, Caller(), "recall", {"cue": "ledger customs house"}).hits[0].text == CLEAR


def test_no_copy_that_leaves_the_palace_carries_a_vector_of_a_guarded_memory_in_clear(tmp_path: Path) -> None:
    """No seam leads to anybody else's vector store; what leaves are copies, and guarded vectors in them are sealed."""
    with keyed_engine(tmp_path / "palace", FixedClock()) as engine:
        for text in (GUARDED, "His passport number is X1234567.", CLEAR):
            call(engine, Caller(), "remember", {"text": text, "verbatim": True})
        embedded = engine.spaces.embed([GUARDED, "His passport number is X1234567."]).by_space
        for name, target in (("bundle", "out.jsonl"), ("markdown", "notes")):
            call(engine, Caller(), "export", {"to": str(tmp_path / "out" / target), "format": name})
        call(engine, Caller(), "backup", {"target": str(tmp_path / "out" / "copy.db")})
        with engine.store.database.read() as connection:
            widths = {space.name: space.dimensions for space in vectors.spaces(SqlTables(connection))}
    copies = [path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    for space, rows in embedded.items():
        for row in rows:
            for form in (row.astype("<f4"), row.astype("<f2"), row.astype(">f4")):
                assert not any(form.tobytes()[: widths[space]] in copy for copy in copies), space
    assert not any(re.search(rb"\[(?:-?0\.\d{3,},\s?){16}", copy) for copy in copies)
