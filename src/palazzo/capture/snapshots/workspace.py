"""A workspace as a whole: taken part by part, compared, and brought back in five steps.

Owns the parts of our own, the form of a state, its bound in bytes, and the order of the steps; and the two parts every
workspace has: the folder that is worked in and the branch of the repository it lies in, from the files git keeps for
that. Invariants: a part that fails is named and the others go on, when a workspace is taken and when it is brought
back; a dry run does nothing; a branch is never changed, it is said which it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from palazzo.capture.snapshots.around import Around
from palazzo.capture.snapshots.browser import BrowserPart
from palazzo.capture.snapshots.desktop import TerritoryPart, WallpaperPart
from palazzo.capture.snapshots.editors import EditorsPart, VisualStudioCodePart
from palazzo.capture.snapshots.music import MusicPart
from palazzo.capture.snapshots.tmux import TmuxPart
from palazzo.errors import PalazzoError, PartUnavailable
from palazzo.files import raw_files
from palazzo.ports import RestoreAction, RestoreState, RestoreSteps, SnapshotPart, WorkspaceAround


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


OWN: Final[Mapping[str, Any]] = {
    made.name: made
    for made in (
        FolderPart(), GitPart(), TmuxPart(), EditorsPart(), VisualStudioCodePart(), BrowserPart(), TerritoryPart(),
        WallpaperPart(), MusicPart(),
    )
}  # fmt: skip
"""Parts of our own by name."""
STEPS: Final[tuple[RestoreSteps, ...]] = get_args(RestoreSteps)
MOST_BYTES: Final = 5_000
FAULTS: Final = (
    PalazzoError, AttributeError, TypeError, ValueError, LookupError, OSError, RuntimeError, AssertionError,
)  # fmt: skip
"""What a part may end in that the others survive."""


class TakenWorkspace(msgspec.Struct, frozen=True):
    """What was found: the state, the name of the territory, and why something is not in it."""

    state: dict[str, Any]
    territory: str
    left_out: tuple[str, ...]


class BroughtBack(msgspec.Struct, frozen=True):
    """One action of a restoration: its step, what it is about, what came of it and what is told of it."""

    step: RestoreSteps
    what: str
    state: RestoreState
    told: tuple[str, ...] = ()


def take(parts: Sequence[SnapshotPart], around: Around) -> TakenWorkspace:
    """How the workspace stands now."""
    state: dict[str, Any] = {}
    left: list[str] = []
    for part in parts:
        try:
            found = part.capture(around)
        except FAULTS as error:
            left.append(f"{part.name}: {_why(error)}")
            continue
        if found is not None:
            state[part.name] = found
    left += _bounded(state)
    return TakenWorkspace(state, str((state.get("territory") or {}).get("workspace", "")), tuple(left))


def _why(error: Exception) -> str:
    return error.message if isinstance(error, PalazzoError) else type(error).__name__


def encoded(state: Mapping[str, Any]) -> str:
    """A state as it is kept."""
    return msgspec.json.encode(state).decode()


def _bounded(state: dict[str, Any]) -> Iterator[str]:
    """Cuts the longest lists of a state until it fits; says what was cut."""
    while len(msgspec.json.encode(state)) > MOST_BYTES:
        longest = max(_lists(state), key=lambda one: len(msgspec.json.encode(one[1])), default=None)
        if longest is None:
            state.clear()
            yield "everything: it does not fit"
            return
        name, things = longest
        things.pop()
        yield f"{name}: one of {len(things) + 1} does not fit"


def _lists(value: Any, name: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Every list of a state that has something to spare, the innermost ones."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _lists(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        inner_lists = [one for inner in value for one in _lists(inner, name)]
        yield from inner_lists
        if len(value) > 1 and not inner_lists:
            yield name, value


def bring_back(
    parts: Mapping[str, SnapshotPart], state: Mapping[str, Any], around: Around, *, dry: bool, music: bool = False
) -> tuple[BroughtBack, ...]:
    """Brings a workspace back in five steps, or says what that would do; what fails is told and the rest goes on."""
    found: list[RestoreAction] = []
    for name, told in state.items():
        part = parts.get(name)
        try:
            if part is None:
                raise PartUnavailable(f"nothing here knows {name}", part=name)
            found += part.restore(told, around)
        except FAULTS as error:
            found.append(RestoreAction(step="applications", what=name, state="failed", told=(_why(error),)))
    return tuple(
        _done(action, dry=dry, music=music)
        for action in sorted(found, key=lambda action: STEPS.index(action.step))
    )  # fmt: skip


def _done(action: RestoreAction, *, dry: bool, music: bool) -> BroughtBack:
    if action.do is None:
        return BroughtBack(action.step, action.what, action.state, action.told)
    if action.step == "music" and not music:
        return BroughtBack(action.step, action.what, "offered", (*action.told, "ask for music to go on there"))
    if dry:
        return BroughtBack(action.step, action.what, "would", action.told)
    try:
        told = tuple(action.do())
    except FAULTS as error:
        return BroughtBack(action.step, action.what, "failed", (_why(error),))
    return BroughtBack(action.step, action.what, "done", told)


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """What differs between two states: where, what it was, what it is; empty stands for nothing there."""
    old, new = dict(_leaves(before)), dict(_leaves(after))
    names = dict.fromkeys((*old, *new))
    return tuple((name, old.get(name, ""), new.get(name, "")) for name in names if old.get(name) != new.get(name))


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every figure and word of a state by where it stands; what has a name of its own stands under it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int):
        yield f"{name}.{value[0]}", str(value[1])  # a file and its line
    elif isinstance(value, list) and all(isinstance(one, str) for one in value):
        yield from ((f"{name}.{one}", one) for one in value)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            called = inner.get("name", number) if isinstance(inner, dict) else number
            files = isinstance(inner, list)
            yield from _leaves(inner, name if files else f"{name}.{called}")
    else:
        yield name, str(value)


_REFERENCE: Final = "ref: refs/heads/"
