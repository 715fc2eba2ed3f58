"""On a full disk what is known is read on, by everybody, and a palace closes without a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.recovery.disk import PowerVFS

from palazzo.engine import Engine
from palazzo.errors import DiskFull
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.spaces import Spaces
from palazzo.store.sqlite import care
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, options_for

ASKED = "When does the ferry leave?"


def test_on_a_full_disk_everything_that_reads_answers_after_refused_writes_and_the_palace_closes(
    tmp_path: Path,
) -> None:
    disk = PowerVFS(f"full-{tmp_path.name}")
    clock = FixedClock()
    store = make_store(tmp_path / "palace", clock=clock, vfs=disk.name)
    engine = Engine(store, clock, Spaces(store, None, "none", lambda _: None))

    def ask(name: str, subject: str = "operator", /, **arguments: Any) -> Any:
        return call(engine, Caller(subject=subject), name, arguments)

    ask("remember", text="The ferry leaves at six.")
    ask("observe", turns=[{"role": "user", "content": "We should paint the ferry."}], thread="pier")
    ask("handoff_write", thread="pier")
    ask("session_start", thread="pier", session="one")
    beside = SqliteStore.open(tmp_path / "palace", clock, options_for("sqlite", vfs=disk.name))
    beside.journal.last_seq()  # who closes last carries the log into the file: a disk in Python raises there
    disk.full = True
    for number in range(5):
        with pytest.raises(DiskFull):
            ask("remember", text=f"Crate {number} holds {number + 3} lamps.", verbatim=True)
        with pytest.raises(DiskFull):
            ask("turn_end", thread="pier", turns=[{"role": "user", "content": f"The buoy {number} is yellow."}])
    for subject in ("operator", "agent:primary"):
        assert "at six" in ask("recall", subject, cue=ASKED).hits[0].text
        assert "at six" in ask("context", subject, message=ASKED).text
        assert "at six" in ask("context", subject, message=ASKED, thread="pier").text
        assert ask("list", subject).memories
    started = ask("turn_start", thread="pier", message=ASKED, session="one")
    assert "at six" in started.text
    assert (started.handoff, started.degraded) == ("offered", ("handoff: the disk is full",))
    assert "paint the ferry" in ask("warm_start", thread="pier").text
    ask("health")
    engine.close()
    disk.full = False
    beside.close()
    with SqliteStore.open(tmp_path / "palace", clock, options_for("sqlite")) as again:
        assert care.verify(again) == []
