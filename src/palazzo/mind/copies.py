"""The job that copies the palace: into its own folder of backups, the oldest copy let go.

Owns the names of the copies it makes. Invariant: copies that somebody else made there are left alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from palazzo.adapters import key_file
from palazzo.mind.jobs import JobReport, JobTurn
from palazzo.model.zone import moment
from palazzo.store.api import Store

AUTO: Final = "auto-"
"""How the names of copies begin that the palace makes by itself."""


def back_up(store: Store, folder: Path, keep: int, turn: JobTurn) -> JobReport:
    """Makes a copy, with the note of its key, and drops the oldest of those made so."""
    if folder == Path():
        return JobReport(notes=("the palace has no folder of its own to keep a copy in",))
    if "backup" not in store.features:
        return JobReport(notes=("the server that keeps this palace makes its copies",))
    target = folder / "backups" / f"{AUTO}{moment(store.clock.now_us()):%Y%m%dT%H%M%S}.db"

    def told(done: int, total: int) -> None:
        turn.goes_on("pages", done, total)

    def note_key() -> None:
        key_file.copy_beside(folder, target)

    store.care.backup(target, told, note_key)
    old = [one for one in store.care.copies() if one.startswith(AUTO)][:-keep]
    store.care.drop_copies(old)
    return JobReport({"made": 1, "dropped": len(old)})
