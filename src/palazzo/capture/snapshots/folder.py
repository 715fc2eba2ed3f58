"""The folder that is worked in, and the branch of the repository it lies in.

Reads the files git keeps for that, and runs nothing. Invariant: bringing a workspace back never changes a branch: it
says which it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from palazzo.files import raw_files
from palazzo.ports import RestoreAction, WorkspaceAround

_REFERENCE: Final = "ref: refs/heads/"


class FolderPart:
    """Where somebody works."""

    name = "folder"

    def capture(self, around: WorkspaceAround) -> Any:
        return None if around.bars_path(str(around.folder)) else str(around.folder)

    def restore(self, state: Any, around: WorkspaceAround) -> Iterable[RestoreAction]:
        if not Path(state).is_dir():
            told = (f"the folder {state} is no longer there",)
            yield RestoreAction(step="terminals", what=f"work in {state}", state="failed", told=told)
        elif Path(state) != around.folder:
            yield RestoreAction(step="terminals", what=f"work in {state}", state="left", told=(f"cd {state}",))
        else:
            yield RestoreAction(step="terminals", what=f"work in {state}", state="already")


class GitPart:
    """The repository and its branch."""

    name = "git"

    def capture(self, around: WorkspaceAround) -> Any:
        root = next((one for one in (around.folder, *around.folder.parents) if (one / ".git").exists()), None)
        if root is None or around.bars_path(str(root)) or around.bars_path(str(around.folder)):
            return None
        return {"repository": str(root), "branch": branch_of(root)}

    def restore(self, state: Any, around: WorkspaceAround) -> Iterable[RestoreAction]:  # noqa: ARG002 - the port's
        root, was = Path(state["repository"]), state["branch"]
        what = f"the branch {was} of {root}"
        now = branch_of(root) if (root / ".git").exists() else ""
        if not now:
            told = (f"there is no repository at {root} any more",)
            yield RestoreAction(step="applications", what=what, state="failed", told=told)
        elif now == was:
            yield RestoreAction(step="applications", what=what, state="already")
        else:
            told = (f"it is on {now} now; to go back: git -C {root} switch {was}",)
            yield RestoreAction(step="applications", what=what, state="left", told=told)


def branch_of(root: Path) -> str:
    """The branch a repository is on; its commit where it is on none; empty where that cannot be read."""
    folder = root / ".git"
    try:
        if folder.is_file():  # a worktree or a submodule: the file says where git keeps what belongs to it
            folder = root / raw_files.content(folder).decode().partition("gitdir:")[2].strip()
        head = raw_files.content(folder / "HEAD").decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return head.removeprefix(_REFERENCE) if head.startswith(_REFERENCE) else head[:12]
