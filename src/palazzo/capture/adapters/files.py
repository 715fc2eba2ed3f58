"""Files: what is added, changed, moved or removed below watched folders; names alone, never contents.

With `watchfiles` installed the system tells of changes; without it the folders are looked through now and then.
Invariants: a private path is not descended into; hidden folders, links and what version control keeps are passed over.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from palazzo.ports import Sight

EVERY_S: Final = 5.0
MOST: Final = 20_000
"""Files of all folders that are looked at without `watchfiles`."""
_PASSED: Final = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build"})
Found = dict[str, tuple[int, int, int]]
"""By path: time, size and number of the file."""


class Files:
    """Watches folders."""

    name = "files"
    about = "Names of files that are added, changed, moved or removed below watched folders; never their contents."

    def missing(self) -> str:
        """Nothing: every system has files."""
        return ""

    def watch(self, sight: Sight) -> None:
        """Looks until told to stop."""
        if find_spec("watchfiles") is None:
            self._poll(sight)
            return
        import watchfiles

        while not sight.wait(0.2):
            folders = [one for one in sight.folders if Path(one).is_dir() and not sight.bars_path(one)]
            if not folders or not sight.is_open():
                if sight.wait(EVERY_S):
                    return
                continue
            told = watchfiles.watch(*folders, rust_timeout=500, yield_on_timeout=True, raise_interrupt=False)
            for changes in told:
                if sight.wait(0) or not sight.is_open() or [
                    one for one in sight.folders if Path(one).is_dir() and not sight.bars_path(one)
                ] != folders:  # fmt: skip
                    break
                for kind, path in sorted(changes, key=lambda one: one[1]):
                    if not passed_over(path, folders) and not sight.bars_path(path):
                        sight.saw("file", path, {"change": kind.name})

    def _poll(self, sight: Sight) -> None:
        before: Found | None = None
        while True:
            if sight.is_open():
                now = look(sight)
                if before is not None:
                    tell(before, now, sight)
                before = now
            else:
                before = None
            if sight.wait(EVERY_S):
                return


def passed_over(path: str, folders: list[str]) -> bool:
    """Whether a path lies in a folder nobody works in by hand."""
    inside = next((os.path.relpath(path, one) for one in folders if path.startswith(one)), path)
    return any(part.startswith(".") or part in _PASSED for part in Path(inside).parts) or path.endswith("~")


def look(sight: Sight) -> Found:
    """The files below the watched folders, as far as they may be looked at."""
    found: Found = {}
    for folder in sight.folders:
        if sight.bars_path(folder):
            continue
        for here, below, names in os.walk(folder):
            below[:] = sorted(
                one for one in below
                if not one.startswith(".") and one not in _PASSED and not sight.bars_path(str(Path(here, one)))
            )  # fmt: skip
            for name in names:
                path = str(Path(here, name))
                if name.startswith(".") or name.endswith("~") or sight.bars_path(path):
                    continue
                try:
                    stood = os.lstat(path)
                except OSError:
                    continue
                found[path] = (stood.st_mtime_ns, stood.st_size, stood.st_ino)
                if len(found) >= MOST:
                    return found
    return found


def tell(before: Found, now: Found, sight: Sight) -> None:
    """Tells what changed between two looks; a file of the same number, size and time elsewhere was moved."""
    gone = {before[path]: path for path in before if path not in now}
    for path, stood in now.items():
        if path not in before:
            old = gone.pop(stood, "")
            sight.saw("file", path, {"change": "moved", "from": old} if old else {"change": "added"})
        elif before[path][:2] != stood[:2]:
            sight.saw("file", path, {"change": "modified"})
    for path in gone.values():
        sight.saw("file", path, {"change": "deleted"})
