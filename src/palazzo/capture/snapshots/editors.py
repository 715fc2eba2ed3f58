"""Editors: of Vim and Neovim which files are open, and in which line the cursor stands; of Visual Studio Code the
folders and workspace files of its windows.

A Neovim listens on a socket of its own, and is asked there without a key being typed; of a Vim, which has none, the
files of its command line are known; of the third the file is read in which it keeps its windows while it runs, and no
file that is open in it. Owns the way in and the command that opens the same files again. Invariant: what is read is
names and line numbers, and a file that is not there any more is told of, while the others are opened.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import msgspec

from palazzo.capture.snapshots.around import Around, told_by_system
from palazzo.errors import PartUnavailable
from palazzo.files import raw_files
from palazzo.ports import RestoreAction, WorkspaceAround

WAIT_S: Final = 0.15
MOST_FILES: Final = 20
_SOCKET: Final = re.compile(r"/nvim(\.\d+\.\d+|\w{6}/\d+)$")
_VIMS: Final = ("vim", "vi", "view", "vim.basic", "vim.tiny", "vim.nox", "vim.gtk3", "gvim")
_ASKED: Final = (
    "[getpid(), getcwd(), v:this_session, bufnr('%'), line('.'),"
    " map(getbufinfo({'buflisted': 1}), {_, b -> [b.bufnr, b.name, b.lnum]})]"
)
_SPECIAL: Final = re.compile(r"""([\s*?\[{`$\\%#'"|!<])""")


def running(around: Around) -> dict[int, dict[str, Any]]:
    """Every editor of this user by its process: program, folder, files with lines (the one in front first), session."""
    found = {} if around.is_private("nvim") else dict(_neovims())
    for process, (_, name) in around.processes.items():
        if name in _VIMS and not around.is_private(name) and process not in found:
            told = _from_words(around, process)
            if told["files"] or told.get("session"):
                found[process] = told
    for process, told in list(found.items()):
        told["files"] = [one for one in told["files"] if not around.bars_path(one[0])]
        if around.bars_path(told["folder"]) or not (told["files"] or told.get("session")):
            del found[process]
    return found


def _sockets() -> Iterator[str]:
    """Where Neovims of this user listen."""
    lines = told_by_system("/proc/net/unix").splitlines()
    for path in {line.split()[-1] for line in lines if _SOCKET.search(line)}:
        try:
            mine = Path(path).stat().st_uid == os.getuid()
        except OSError:
            continue
        if mine:
            yield path


def _neovims() -> Iterator[tuple[int, dict[str, Any]]]:
    for path in _sockets():
        try:
            process, folder, session, front, line, buffers = _eval(path, _ASKED)
        except (OSError, ValueError, msgspec.MsgspecError):
            continue  # it asks its user something and answers nobody, or has just ended
        named = [(number, name, line if number == front else at) for number, name, at in buffers]
        files = [
            [name, max(1, at)]
            for number, name, at in sorted(named, key=lambda one: one[0] != front)
            if name.startswith("/") and name.isprintable() and Path(name).is_file()
        ]
        yield process, _told("nvim", folder, files, session)


def _eval(path: str, expression: str) -> Any:
    """The value of an expression, by Neovim's remote procedure call.

    Raises: OSError when it does not answer in time, ValueError when it answers with an error.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(WAIT_S)
        line.connect(path)
        line.sendall(msgspec.msgpack.encode([0, 1, "nvim_eval", [expression]]))
        heard = b""
        while True:
            piece = line.recv(65536)
            if not piece:
                raise ValueError("the editor hung up")
            heard += piece
            try:
                _, _, failed, value = msgspec.msgpack.decode(heard)
            except msgspec.DecodeError:
                continue  # not all of it is there yet
            if failed is not None:
                raise ValueError("the editor refused")
            return value


def _from_words(around: Around, process: int) -> dict[str, Any]:
    """What the command line of a Vim tells."""
    words, folder = around.words_of(process)[1:], around.folder_of(process)
    files: list[list[Any]] = []
    line, session, only_files = 1, "", False
    for position, word in enumerate(words):
        if only_files or not word.startswith(("-", "+")):
            before = words[position - 1] if position else ""
            if not only_files and before in ("-S", "-c", "--cmd", "-u", "-T", "-i"):
                session = str(Path(folder, word)) if before == "-S" and word.endswith(".vim") else session
                continue
            path = Path(folder, word)
            if word.isprintable() and path.is_file():
                files.append([str(path), 1])
        elif word == "--":
            only_files = True
        elif word[1:].isdigit() and word.startswith("+"):
            line = int(word[1:])
    if files:
        files[0][1] = line
    return _told("vim", folder, files, session)


def _told(program: str, folder: str, files: list[list[Any]], session: str) -> dict[str, Any]:
    told: dict[str, Any] = {"program": program, "folder": folder, "files": files[:MOST_FILES]}
    if len(files) > MOST_FILES:
        told["more_files"] = len(files) - MOST_FILES
    if session:
        told["session"] = session
    return told


def command(editor: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The command that opens the files of an editor again, and what is told of those that are not there any more."""
    there = [(path, line) for path, line in editor["files"] if Path(path).is_file()]
    gone = [
        f"{path} is no longer there: not opened, {len(there)} other files are"
        for path, _ in editor["files"]
        if not Path(path).is_file()
    ]
    program = "nvim" if editor["program"] == "nvim" else "vim"
    if not there:
        return [program], gone
    (front, line), *others = there
    added = "|".join(f"badd +{at} {_escaped(path)}" for path, at in others)
    return [program, f"+{line}", *(("-c", added) if added else ()), "--", front], gone


def _escaped(path: str) -> str:
    """A path as Vim's own commands take it."""
    return _SPECIAL.sub(r"\\\1", path)


class EditorsPart:
    """Editors that run outside tmux; what runs inside stands with its pane."""

    name = "editors"

    def capture(self, around: Around) -> Any:
        alone = [
            editor
            for process, editor in running(around).items()
            if not any(around.processes[one][1].startswith("tmux") for one in around.above(process))
        ]
        return alone or None

    def restore(self, state: Any, around: Around) -> Iterable[RestoreAction]:
        known = {path for editor in running(around).values() for path, _ in editor["files"]}
        for editor in state:
            words, gone = command(editor)
            what = f"{editor['program']} with {len(editor['files'])} files"
            if words[1:] and words[-1] in known:
                yield RestoreAction(step="applications", what=what, state="already", told=tuple(gone))
            else:
                line = f"cd {shlex.quote(editor['folder'])} && {shlex.join(words)}"
                said = ("it had a terminal of its own; to open it again:", line) if words[1:] else ()
                state_ = "left" if words[1:] else "failed"
                yield RestoreAction(step="applications", what=what, state=state_, told=(*gone, *said))  # type: ignore[arg-type]


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
