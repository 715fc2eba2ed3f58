"""Tmux: sessions, windows and panes, with the folder and program of each and the files of the editors in them.

Owns the form of that and the way back. Only editors are started again; what else ran in a pane is named and left to its
user, for nobody knows what it would do. Invariants: a session that is there is left as it is; what a pane shows is
never read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from palazzo.capture.snapshots import editors
from palazzo.capture.snapshots.around import Around
from palazzo.errors import PartUnavailable
from palazzo.ports import RestoreAction

MOST_PANES: Final = 40
_BETWEEN: Final = "\x1f"
_ASKED: Final = _BETWEEN.join(
    f"#{{{name}}}"
    for name in (
        "session_name", "window_index", "window_name", "window_active", "window_layout", "pane_active", "pane_pid",
        "pane_current_path", "pane_current_command",
    )
)  # fmt: skip
_LEAF: Final = re.compile(r"(\d+x\d+,\d+,\d+),\d+(?![\dx])")
_SHELLS: Final = frozenset({"bash", "zsh", "fish", "sh", "dash", "ksh", "tmux"})


class TmuxPart:
    """Terminals, as tmux has them."""

    name = "tmux"

    def capture(self, around: Around) -> Any:
        try:
            told = around.ask("tmux", "list-panes", "-a", "-F", _ASKED)
        except PartUnavailable as error:
            if "no server" in error.message or "error connecting" in error.message:
                return None
            raise
        rows = [line.split(_BETWEEN) for line in told.splitlines()]
        rows = [row for row in rows if len(row) == 9]
        shown = [row for row in rows if not (around.is_private(row[8]) or around.bars_path(row[7]))][:MOST_PANES]
        open_here = _by_pane(around, {int(row[6]) for row in shown})
        sessions: dict[str, dict[str, Any]] = {}
        begun: set[tuple[str, str]] = set()
        for session, number, window, window_front, layout, front, process, folder, program in shown:
            windows = sessions.setdefault(session, {"name": session, "windows": []})["windows"]
            if (session, number) not in begun:
                begun.add((session, number))
                windows.append({"name": window, "layout": _lean(layout), "panes": []})
                if window_front == "1":
                    windows[-1]["front"] = True
            pane: dict[str, Any] = {"folder": folder}
            if front == "1":
                pane["front"] = True
            if editor := open_here.get(int(process)):
                pane["editor"] = editor
            elif program not in _SHELLS:
                pane["program"] = program
            windows[-1]["panes"].append(pane)
        if not sessions:
            return None
        left = len(rows) - len(shown)
        return {"sessions": list(sessions.values()), **({"more_panes": left} if left else {})}

    def restore(self, state: Any, around: Around) -> Iterable[RestoreAction]:
        for session in state["sessions"]:
            name = session["name"]
            what = f"tmux session {name} with {_counted(session)}"
            if _is_there(around, name):
                yield RestoreAction(
                    step="terminals", what=what, state="already",
                    told=("a session of this name is there and stays as it is", f"attach with: tmux attach -t {name}"),
                )  # fmt: skip
            else:
                yield RestoreAction(
                    step="terminals", what=what, do=lambda session=session: _bring_back(around, session),  # type: ignore[misc]
                    told=tuple(_foreseen(session)),
                )  # fmt: skip


def _lean(layout: str) -> str:
    """A layout without what changes from run to run: its checksum and the numbers of the panes."""
    return _LEAF.sub(r"\1", layout.partition(",")[2])


def _with_checksum(layout: str) -> str:
    sum_ = 0
    for letter in layout.encode():
        sum_ = ((sum_ >> 1) + ((sum_ & 1) << 15) + letter) & 0xFFFF
    return f"{sum_:04x},{layout}"


def _by_pane(around: Around, panes: set[int]) -> dict[int, dict[str, Any]]:
    """Editors by the process of the pane they run in."""
    found: dict[int, dict[str, Any]] = {}
    for process, editor in editors.running(around).items():
        pane = next((above for above in around.above(process) if above in panes), None)
        if pane is not None:
            found[pane] = editor
    return found


def _counted(session: Mapping[str, Any]) -> str:
    panes = sum(len(window["panes"]) for window in session["windows"])
    return f"{len(session['windows'])} windows and {panes} panes"


def _is_there(around: Around, name: str) -> bool:
    try:
        around.ask("tmux", "has-session", "-t", f"={name}")
    except PartUnavailable:
        return False
    return True


def _foreseen(session: Mapping[str, Any]) -> Iterable[str]:
    """What will not be as it was, as far as it can be seen now; and the files that will be opened."""
    for window in session["windows"]:
        for pane in window["panes"]:
            if not Path(pane["folder"]).is_dir():
                yield f"the folder {pane['folder']} is no longer there: {window['name']} begins in {_begin(pane)}"
            if editor := pane.get("editor"):
                words, gone = editors.command(editor)
                yield from gone
                if words[1:]:
                    yield f"opens {words[-1]} with {editor['program']}"
            elif "program" in pane:
                yield f"{pane['program']} ran in {window['name']}: it is not started again"


def _begin(pane: Mapping[str, Any]) -> str:
    """The folder of a pane, or the nearest above it that is still there."""
    folder = Path(pane["folder"])
    return str(next((one for one in (folder, *folder.parents) if one.is_dir()), Path("/")))


def _line(pane: Mapping[str, Any]) -> list[str]:
    """What a pane begins with: its shell, or the editor and then the shell."""
    if "editor" not in pane:
        return []
    words, _ = editors.command(pane["editor"])
    return ["sh", "-c", '"$@"; exec "${SHELL:-sh}"', "sh", *words] if words[1:] else []


def _bring_back(around: Around, session: Mapping[str, Any]) -> list[str]:
    told = list(_foreseen(session))
    fronts: list[str] = []
    for number, window in enumerate(session["windows"]):
        told += _window(around, session["name"], window, first=not number, fronts=fronts)
    for front in fronts:
        around.start("tmux", "select-window", "-t", front)
    return [*told, f"attach with: tmux attach -t {session['name']}"]


def _window(around: Around, session: str, window: Mapping[str, Any], *, first: bool, fronts: list[str]) -> list[str]:
    """Makes one window with its panes; says what of it could not be made."""
    told: list[str] = []
    size = re.match(r"(\d+)x(\d+)", window["layout"])
    opened, *others = window["panes"]
    shape = ["-x", size[1], "-y", size[2]] if size else []
    begin = ["new-session", "-d", "-s", session, *shape] if first else ["new-window", "-d", "-t", f"={session}:"]
    made = around.start(
        "tmux", *begin, "-n", window["name"], "-c", _begin(opened), "-P", "-F", "#{window_id} #{pane_id}",
        *_line(opened),
    )  # fmt: skip
    number, pane_number = made.split()
    front = pane_number
    for pane in others:
        try:
            pane_number = around.start(
                "tmux", "split-window", "-d", "-t", pane_number, "-c", _begin(pane), "-P", "-F", "#{pane_id}",
                *_line(pane),
            ).strip()  # fmt: skip
            around.start("tmux", "select-layout", "-t", number, "tiled")
        except PartUnavailable as error:
            told.append(f"a pane of {window['name']} could not be made: {error.message}")
            continue
        if pane.get("front"):
            front = pane_number
    try:
        around.start("tmux", "select-layout", "-t", number, _with_checksum(window["layout"]))
    except PartUnavailable as error:
        told.append(f"the layout of {window['name']} could not be set: {error.message}")
    around.start("tmux", "select-pane", "-t", front)
    if window.get("front"):
        fronts.append(number)
    return told
