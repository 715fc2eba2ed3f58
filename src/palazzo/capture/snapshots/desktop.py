"""The desktop: which workspace is in front in i3 or Sway and how its windows lie, and the wallpaper.

Windows are named by their application, never by their title, and a private one is left out. Owns the territory of a
snapshot. How windows lay is brought back in i3 on a workspace where nothing is open: frames that take in a window of
each application when it opens. Sway has nothing like it, and windows that are open are never moved.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

from palazzo.capture.snapshots.around import Around
from palazzo.errors import PartUnavailable
from palazzo.files import raw_files
from palazzo.ports import RestoreAction, WorkspaceAround

MANAGERS: Final = (("i3", "i3-msg"), ("sway", "swaymsg"))
MOST_NODES: Final = 30
_BACKGROUND: Final = ("org.gnome.desktop.background", "picture-uri")


class TerritoryPart:
    """The workspace in front."""

    name = "territory"

    def capture(self, around: Around) -> Any:
        for manager, program in MANAGERS:
            workspaces = _told(around, program, "get_workspaces")
            front = next((one["name"] for one in workspaces or () if one.get("focused")), None)
            if front is not None:
                told = {"manager": manager, "workspace": front}
                layout = _layout(_told(around, program, "get_tree"), front, around)
                return {**told, "layout": layout} if layout else told
        return None

    def restore(self, state: Any, around: Around) -> Iterable[RestoreAction]:
        manager, wanted = state["manager"], state["workspace"]
        what = f"the workspace {wanted} of {manager}"
        program = dict(MANAGERS)[manager]
        workspaces = _told(around, program, "get_workspaces")
        if workspaces is None:
            yield RestoreAction(step="territory", what=what, state="failed", told=(f"{manager} does not run here",))
            return
        here = next((one["name"] for one in workspaces if one.get("focused")), "")
        layout, now = state.get("layout"), _layout(_told(around, program, "get_tree"), wanted, around)
        lost = sorted(_applications(layout) - _applications(now))
        frames = manager == "i3" and bool(lost) and not now
        told = tuple(
            f"a frame waits for {application}" if frames else f"not open there now: {application}"
            for application in lost
        )  # fmt: skip
        if here == wanted and not frames:
            yield RestoreAction(step="territory", what=what, state="already", told=told)
            return
        quoted = wanted.replace("\\", "\\\\").replace('"', '\\"')

        def go() -> tuple[str, ...]:
            around.start(program, f'workspace --no-auto-back-and-forth "{quoted}"')
            if frames:
                _lay_out(around, program, layout)
            return told

        yield RestoreAction(step="territory", what=what, told=told, do=go)


def _told(around: Around, program: str, asked: str) -> Any:
    """What a window manager answers; None where it does not run."""
    try:
        return msgspec.json.decode(around.ask(program, "-t", asked))
    except (PartUnavailable, msgspec.DecodeError):
        return None


def _layout(tree: Any, workspace: str, around: Around) -> Any:
    """How the windows of a workspace lie: containers by their layout, windows by their application."""
    if not isinstance(tree, dict):
        return None
    if tree.get("type") == "workspace" and tree.get("name") == workspace:
        return _lean(tree, [MOST_NODES], around)
    return next(filter(None, (_layout(node, workspace, around) for node in tree.get("nodes", ()))), None)


def _lean(node: Any, left: list[int], around: Around) -> Any:
    left[0] -= 1
    inner = [
        made for one in (*node.get("nodes", ()), *node.get("floating_nodes", ()))
        if left[0] > 0 and (made := _lean(one, left, around))
    ]  # fmt: skip
    if inner:
        return {"layout": node.get("layout", ""), "nodes": inner}
    application = node.get("app_id") or (node.get("window_properties") or {}).get("class") or None
    return None if application and around.is_private(application) else application


def _lay_out(around: Around, program: str, layout: Any) -> None:
    """Puts frames on the workspace in front, each for a window that is to come."""
    whole = _frame(layout)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "layout.json"
        raw_files.put(file, b"\n".join(msgspec.json.encode(one) for one in whole.get("nodes", [whole])))
        around.start(program, f"append_layout {file}")


def _frame(layout: Any) -> dict[str, Any]:
    """A layout in the words of i3."""
    if isinstance(layout, str):
        return {"type": "con", "name": layout, "swallows": [{"class": f"^{re.escape(layout)}$"}]}
    return {"type": "con", "layout": layout["layout"], "nodes": [_frame(one) for one in layout["nodes"]]}


def _applications(layout: Any) -> set[str]:
    if isinstance(layout, str):
        return {layout}
    return set().union(*map(_applications, layout["nodes"])) if isinstance(layout, dict) else set()


class WallpaperPart:
    """The picture behind the windows, where something keeps its name."""

    name = "wallpaper"

    def capture(self, around: WorkspaceAround) -> Any:
        kept = around.home / ".fehbg"
        try:
            words = shlex.split(raw_files.content(kept).decode().splitlines()[-1]) if kept.is_file() else []
        except (OSError, ValueError, IndexError):
            words = []
        shown = next((word for word in words if word.startswith("--bg-")), "--bg-fill")
        if words and words[-1].startswith("/"):
            return {"by": "feh", "how": shown, "file": words[-1]}
        try:
            told = around.ask("gsettings", "get", *_BACKGROUND).strip().strip("'")
        except PartUnavailable:
            return None
        file = told.removeprefix("file://")  # what nobody chose names a picture that may not be there
        return {"by": "gsettings", "file": file} if file != told and Path(file).is_file() else None

    def restore(self, state: Any, around: WorkspaceAround) -> Iterable[RestoreAction]:
        what = f"the wallpaper {state['file']}"
        if self.capture(around) == state:
            yield RestoreAction(step="wallpaper", what=what, state="already")
        elif not Path(state["file"]).is_file():
            told = (f"{state['file']} is no longer there",)
            yield RestoreAction(step="wallpaper", what=what, state="failed", told=told)
        elif state["by"] == "feh":
            how = state["how"] if re.fullmatch(r"--bg-[a-z]+", state["how"]) else "--bg-fill"
            yield RestoreAction(
                step="wallpaper", what=what, do=lambda: around.start("feh", how, state["file"]) and ()
            )  # fmt: skip
        else:
            value = f"file://{state['file']}"
            yield RestoreAction(
                step="wallpaper", what=what, do=lambda: around.start("gsettings", "set", *_BACKGROUND, value) and ()
            )  # fmt: skip
