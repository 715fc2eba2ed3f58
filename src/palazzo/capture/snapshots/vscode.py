"""Visual Studio Code: the folders and workspace files of its windows.

Reads the file in which it keeps its windows, while it runs. Invariant: no file that is open in it is read or named.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import msgspec

from palazzo.errors import PartUnavailable
from palazzo.files import raw_files
from palazzo.ports import RestoreAction, WorkspaceAround

PROGRAMS: Final = (("code", "Code"), ("codium", "VSCodium"), ("code-oss", "Code - OSS"))
_KEPT: Final = Path("User/globalStorage/storage.json")


class VisualStudioCodePart:
    """The windows of Visual Studio Code, by what is open in them."""

    name = "vscode"

    def capture(self, around: WorkspaceAround) -> Any:
        found = [
            {"program": program, "open": path}
            for program, called in PROGRAMS
            if not around.is_private(program) and _runs(around.home / ".config" / called / "code.lock")
            for path in _open_in(around.home / ".config" / called / _KEPT)
            if not around.bars_path(path)
        ]
        return found or None

    def restore(self, state: Any, around: WorkspaceAround) -> Iterable[RestoreAction]:
        now = {one["open"] for one in self.capture(around) or ()}
        for one in state:
            what = f"{one['program']} with {one['open']}"
            if one["open"] in now:
                yield RestoreAction(step="applications", what=what, state="already")
            elif not Path(one["open"]).exists():
                told = (f"{one['open']} is no longer there",)
                yield RestoreAction(step="applications", what=what, state="failed", told=told)
            else:
                yield RestoreAction(
                    step="applications", what=what,
                    do=lambda one=one: around.start(one["program"], one["open"]) and (),  # type: ignore[misc]
                )  # fmt: skip


def _runs(lock: Path) -> bool:
    """Whether the process that holds the lock is alive."""
    try:
        os.kill(int(raw_files.content(lock)), 0)
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _open_in(kept: Path) -> Iterator[str]:
    """What the windows show, each once, the one in front first.

    Raises: PartUnavailable.
    """
    try:
        told = msgspec.json.decode(raw_files.content(kept)).get("windowsState", {})
    except FileNotFoundError:
        return
    except (OSError, msgspec.DecodeError, AttributeError) as error:
        raise PartUnavailable("what it keeps of its windows cannot be read", part="vscode") from error
    seen: dict[str, None] = {}
    for window in (told.get("lastActiveWindow") or {}, *(told.get("openedWindows") or ())):
        address = (window.get("workspaceIdentifier") or {}).get("configURIPath") or window.get("folder") or ""
        if address.startswith("file://"):
            seen.setdefault(unquote(urlsplit(address).path))
    yield from seen
