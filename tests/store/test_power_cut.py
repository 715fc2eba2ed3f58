"""A power cut is simulated by a VFS that logs writes and syncs; unsynced sectors survive by coin."""

from __future__ import annotations

import random
from pathlib import Path

from tests.recovery.disk import DiskOperation, PowerVFS, files_after_cut

from palazzo.model.change import AddRevision, Change
from palazzo.model.memory import RevisionDraft
from palazzo.store.sql.port import one
from palazzo.store.sqlite import care
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, options_for, place_memory

COMMITS = 60


def _run(folder: Path, vfs: PowerVFS, *, durable: bool) -> None:
    """Commits of several shapes and sizes, each marked in the log once it was acknowledged."""
    make_store(folder, vfs=vfs.name, durable=durable).close()
    with SqliteStore.open(folder, FixedClock(), options_for("sqlite", vfs=vfs.name, durable=durable)) as store:
        first = place_memory("first of all")
        store.commit([first])
        vfs.mark(f"{first.memory_id} 1")
        for n in range(COMMITS):
            changes: list[Change] = [place_memory(f"commit {n} part {k} " + "word " * 40) for k in range(1 + n % 7 * 5)]
            changes.append(AddRevision(memory_id=first.memory_id, content=RevisionDraft(text=f"revision {n}")))
            store.commit(changes)
            vfs.mark(f"{first.memory_id} {n + 2}")


def _cut_and_count_lost(log: list[DiskOperation], tmp_path: Path) -> int:
    """Cuts the power at a dozen random moments; every time the palace must be whole. Returns lost acknowledgements."""
    coin, lost = random.Random(4), 0
    first_ack = next(n for n, op in enumerate(log) if op.kind == "mark")
    for trial in range(12):
        cut = coin.randrange(first_ack + 1, len(log) + 1)
        folder = tmp_path / f"cut-{trial}"
        folder.mkdir()
        files_after_cut(log, cut, folder, coin)
        with SqliteStore.open(folder, FixedClock(), options_for("sqlite")) as store:
            assert care.verify(store) == []
            with store.database.read() as connection:
                (kept,) = one(
                    connection, "SELECT count(*) FROM revision r JOIN memory m ON m.id = r.memory AND m.id = 1"
                )
            lost += sum(kept < int(op.file.split()[1]) for op in log[:cut] if op.kind == "mark")
    return lost


def test_acknowledged_commits_survive_a_power_cut_at_any_moment(tmp_path: Path) -> None:
    vfs = PowerVFS(f"power-{tmp_path.name}")
    _run(tmp_path / "palace", vfs, durable=True)
    assert _cut_and_count_lost(vfs.log, tmp_path) == 0


def test_without_durability_a_power_cut_may_lose_commits_but_tears_none(tmp_path: Path) -> None:
    vfs = PowerVFS(f"power-{tmp_path.name}")
    _run(tmp_path / "palace", vfs, durable=False)
    assert _cut_and_count_lost(vfs.log, tmp_path) > 0, "the simulated disk never lost anything: it proves nothing"
