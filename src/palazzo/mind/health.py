"""How the palace is, in figures and in words: looked at every minute by a job, and whenever somebody asks.

Owns what counts as worth a word. Reads no memory's content. Invariants: it changes nothing; a word says what is the
matter and what to do about it.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from palazzo.files import raw_files
from palazzo.mind.jobs import JobSeen
from palazzo.mind.pressure import PressureLevel
from palazzo.store.api import Store

HOUR_US: Final = 3_600_000_000
BACKUP_OLD_US: Final = 7 * 24 * HOUR_US
LONG_LOG: Final = 64_000_000
LEAST_FREE: Final = 200_000_000
SLOW_MS: Final = 500.0
GIB: Final = 1 << 30
BACKUP: Final = "backup"
HEALTH: Final = "health"


class HealthReport(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of the whole palace and of this process, and what should be known about them."""

    level: Literal["good", "warning", "bad"]
    words: tuple[str, ...]
    layers: Mapping[str, int]
    states: Mapping[str, int]
    edges: int
    missing_vectors: int
    pending: int
    index_tails_due: int
    due_to_fade: int
    recalls: int
    recall_ms_mean: float
    recall_ms_p99: float
    resident_mb: float
    pressure: PressureLevel
    budget_mb: float
    log_mb: float
    free_gb: float
    backed_up_us: int | None


class Surroundings(msgspec.Struct, frozen=True):
    """What a look at the palace needs beside its store."""

    folder: Path
    jobs: Sequence[JobSeen]
    recalls_ms: Sequence[float]
    searching: str
    """Why search goes without vectors; empty when it does not."""
    settings: str = ""
    """Why the file of settings is not used; empty when it is."""
    pressure: PressureLevel = "normal"
    budget: int = GIB
    recalled: str = ""
    """What is wrong with what recall found lately; empty when nothing is."""


def budget_bytes() -> int:
    """What a process should stay within: 512 MiB on a machine with up to 8 GiB, else 1 GiB."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return GIB
    return GIB // 2 if memory <= 8 * GIB else GIB


def look(store: Store, around: Surroundings) -> HealthReport:
    """How the palace is now."""
    seen = store.care.overview()
    now_us = store.clock.now_us()
    layers: Counter[str] = Counter()
    states: Counter[str] = Counter()
    for kind, state, count in store.lives.tally():
        layers[store.kinds.get(kind).layer] += count
        states[state] += count
    took = sorted(around.recalls_ms)
    log = raw_files.size_of(around.folder, "palace.db-wal")
    free = shutil.disk_usage(around.folder).free if around.folder.is_dir() else 0
    missing = sum(space["missing"] for space in seen["spaces"] if space["state"] == "active")
    backup = next((one for one in around.jobs if one.job.name == BACKUP), None)
    backed_up = backup.row.ended_us if backup is not None and backup.row is not None and not backup.error else None
    p99 = took[len(took) * 99 // 100] if took else 0.0
    resident = raw_files.resident_bytes()
    pending = store.accounts.backlog()
    told = [
        *([f"the settings are as they were before: {around.settings}"] if around.settings else []),
        *_of_jobs(around.jobs, now_us),
        *_of_backup(backup, backed_up, now_us, store.lives.first_us()),
        *([f"search goes by words alone: {around.searching}"] if around.searching else []),
        *([f"{missing} revisions wait for a vector; `palazzo run backfill` fills them in"] if missing else []),
        *([f"{pending} messages are kept and not understood yet; `palazzo upkeep` does that"] if pending else []),
        *([f"the log has {log >> 20} MB; `palazzo doctor` says who holds it"] if log > LONG_LOG else []),
        *(
            [f"recall finds little: {around.recalled}; `palazzo upkeep` gives missing vectors"]
            if around.recalled
            else []
        ),
        *([f"recall takes {p99:.0f} ms at worst; `palazzo bench` measures it"] if p99 > SLOW_MS else []),
    ]
    if around.pressure != "normal":
        waits = "work that can wait waits" if around.pressure == "elevated" else "caches are emptied and work waits"
        told.append(
            f"this process takes {resident >> 20} of {around.budget >> 20} MB, so {waits}; smaller caches"
            " (text_cache_mb, vector_cache_mb) or a larger budget_mb help"
        )
    full = free < max(LEAST_FREE, 2 * seen["bytes"])
    if full:
        told.insert(0, f"only {free >> 20} MB of the disk are free: backups need twice the palace's size")
    return HealthReport(
        level="bad" if full else "warning" if told else "good", words=tuple(told) or ("all is well",),
        layers=dict(sorted(layers.items())), states=dict(sorted(states.items())), edges=seen["edges"],
        missing_vectors=missing, pending=pending, index_tails_due=seen["index_tails_due"],
        due_to_fade=store.lives.count_due(now_us), recalls=len(took),
        recall_ms_mean=round(sum(took) / len(took), 2) if took else 0.0,
        recall_ms_p99=round(p99, 2), resident_mb=round(resident / 1e6, 1), pressure=around.pressure,
        budget_mb=round(around.budget / 1e6, 1), log_mb=round(log / 1e6, 1),
        free_gb=round(free / 1e9, 1), backed_up_us=backed_up,
    )  # fmt: skip


def _of_jobs(jobs: Sequence[JobSeen], now_us: int) -> list[str]:
    told = [
        f"the job {one.job.name} failed: {one.error}; `palazzo run {one.job.name}` tries again"
        for one in jobs if one.state == "failed"
    ]  # fmt: skip
    late = [
        one.job.name for one in jobs
        if one.row is not None and one.job.name != HEALTH and one.state != "running"
        and one.due_us is not None and one.due_us + HOUR_US < now_us
    ]  # fmt: skip
    if late:
        told.append(f"overdue for more than an hour: {', '.join(late)}; `palazzo run due` runs what is due")
    return told


def _of_backup(backup: JobSeen | None, backed_up: int | None, now_us: int, first_us: int | None) -> list[str]:
    """A word when there was time for a backup and none was made."""
    since_us = backed_up if backed_up is not None else first_us
    if backup is None or not backup.job.every_s or since_us is None or now_us - since_us <= BACKUP_OLD_US:
        return []
    days = (now_us - since_us) // (24 * HOUR_US)
    told = f"the last backup is {days} days old" if backed_up is not None else "no backup was ever made"
    return [f"{told}; `palazzo run backup` makes one"]
