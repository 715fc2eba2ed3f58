"""The commands of Anthropic's memory tool over a palace: files below /memories that a model views and edits.

Owns paths, listings and edits, worded as the tool's documentation words them. A file is a memory in the place
`memories`, a long one several, so it has a history and recall finds it. Folders are what the paths of files imply.
Invariants: no path leaves /memories; a text comes back as it was written, but for secrets, of which the answer tells;
of two who edit a file at once none undoes the other's edit.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from palazzo.errors import InvalidInput, PalazzoError, VersionConflict
from palazzo.model.address import slug
from palazzo.operations.shared import StoredMemory

if TYPE_CHECKING:
    from palazzo.surfaces.library import Memory

ROOT: Final = "/memories"
PLACE: Final = "memories"
PIECE_BYTES: Final = 6000
"""A longer file is several memories: one holds 8 KB at most, and a sealed or flagged text grows a little."""
MOST_LINES: Final = 999_999
_WIDTH: Final = 6
_ATTEMPTS: Final = 20
_PAGE: Final = 1000
_FIELDS: Final = {
    "view": ("path",), "create": ("path", "file_text"), "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"), "delete": ("path",), "rename": ("old_path", "new_path"),
}  # fmt: skip


class CommandRefused(InvalidInput):
    """A command that cannot be done; its message is what the model is told."""

    code = "command_refused"


class MemoryTool:
    """The memory tool of one palace.

    tool = MemoryTool(Memory("~/palace"))
    tool.call({"command": "create", "path": "/memories/plan.md", "file_text": "Ship on Tuesday.\\n"})
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._commands: dict[str, Callable[..., str]] = {
            "view": self.view, "create": self.create, "str_replace": self.str_replace, "insert": self.insert,
            "delete": self.delete, "rename": self.rename,
        }  # fmt: skip

    def call(self, command: Mapping[str, Any]) -> str:
        """Does one command and returns what the model is told, which begins with "Error: " when it was refused."""
        try:
            return self.run(command)
        except PalazzoError as error:
            return f"Error: {error.message}"

    def run(self, command: Mapping[str, Any]) -> str:
        """Does one command.

        Raises: CommandRefused, and what the palace raises.
        """
        name = command.get("command")
        if not isinstance(name, str) or name not in _FIELDS:
            raise CommandRefused(f"Unknown command: {name}", field="command", hint=", ".join(_FIELDS))
        missing = [field for field in _FIELDS[name] if field not in command and field != "new_str"]
        if missing:
            raise CommandRefused(f"Missing required parameter: {missing[0]}", field=missing[0])
        given = {field: command.get(field, "") for field in _FIELDS[name]}
        faulty = [field for field, value in given.items() if not isinstance(value, int if "line" in field else str)]
        if faulty:
            raise CommandRefused(f"Invalid parameter: {faulty[0]}", field=faulty[0])
        if name == "view":
            given["view_range"] = command.get("view_range")
        return self._commands[name](**given)

    def view(self, path: str, view_range: Any = None) -> str:
        """A folder's files and folders two levels deep, or a file with line numbers.

        Raises: CommandRefused.
        """
        wanted, files = _path(path), self._files()
        if wanted in files:
            return _numbered(path, files[wanted].text, view_range)
        if wanted != ROOT and not any(one.startswith(f"{wanted}/") for one in files):
            raise CommandRefused(f"The path {path} does not exist. Please provide a valid path.", field="path")
        head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        below = {one.removeprefix(f"{wanted}/"): len(found.text.encode()) for one, found in files.items()
                 if one.startswith(f"{wanted}/")}  # fmt: skip
        lines = [f"{_size(sum(below.values()))}\t{path}"]
        lines += [f"{_size(size)}\t{path}/{name}" for name, size in _two_levels(below)]
        return "\n".join([head, *lines])

    def create(self, path: str, file_text: str) -> str:
        """Makes a file.

        Raises: CommandRefused when there is one.
        """
        wanted, files = _path(path), self._files()
        if wanted == ROOT or wanted in files or any(one.startswith(f"{wanted}/") for one in files):
            raise CommandRefused(f"File {path} already exists", field="path")
        self._refuse_below_a_file(wanted, path, files)
        try:
            left_out = self._write(wanted, file_text, _File())
        except VersionConflict:
            raise CommandRefused(f"File {path} already exists", field="path") from None
        return f"File created successfully at: {path}" + left_out

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """Replaces a text that stands once in a file.

        Raises: CommandRefused when it stands there never or more than once.
        """
        return self._edited(path, lambda found: _replaced(path, found, old_str, new_str))

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Puts a text after a line; 0 is before the first.

        Raises: CommandRefused when there is no such line.
        """
        return self._edited(path, lambda found: _inserted(path, found, insert_line, insert_text))

    def _edited(self, path: str, edit: Callable[[str], tuple[str, str]]) -> str:
        """Changes a file, again from the beginning while others change it meanwhile; returns what the edit tells."""
        for attempt in range(_ATTEMPTS):
            wanted, found = self._file(path)
            changed, told = edit(found.text)
            try:
                return told + self._write(wanted, changed, found)
            except VersionConflict:
                if attempt + 1 == _ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    def delete(self, path: str) -> str:
        """Forgets a file, or a folder with everything in it; `palazzo restore` brings a memory back.

        Raises: CommandRefused.
        """
        wanted, files = _path(path), self._files()
        if wanted == ROOT:
            raise CommandRefused("Cannot delete the /memories directory itself", field="path")
        gone = [found for one, found in files.items() if one == wanted or one.startswith(f"{wanted}/")]
        if not gone:
            raise CommandRefused(f"The path {path} does not exist", field="path")
        for found in gone:
            self._forget(found, 0)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Moves a file or a folder.

        Raises: CommandRefused.
        """
        old, new, files = _path(old_path), _path(new_path), self._files()
        if old == ROOT:
            raise CommandRefused("Cannot rename the /memories directory itself", field="old_path")
        if new == ROOT or new in files or any(one.startswith(f"{new}/") for one in files):
            raise CommandRefused(f"The destination {new_path} already exists", field="new_path")
        moved = {one: found for one, found in files.items() if one == old or one.startswith(f"{old}/")}
        if not moved:
            raise CommandRefused(f"The path {old_path} does not exist", field="old_path")
        self._refuse_below_a_file(new, new_path, {**files, **({new: _File()} if new.startswith(f"{old}/") else {})})
        for one, found in moved.items():
            self._write(new + one.removeprefix(old), found.text, _File())
            self._forget(found, 0)
        return f"Successfully renamed {old_path} to {new_path}"

    def paths(self) -> tuple[str, ...]:
        """The paths of every file."""
        return tuple(self._files())

    def _files(self) -> dict[str, _File]:
        """Every file by its path, put together from its pieces."""
        files: dict[str, _File] = {}
        cursor = ""
        while True:
            page = self._memory.list(place=PLACE, limit=_PAGE, cursor=cursor)
            for piece in page:
                if "file" in piece.metadata:
                    files.setdefault(piece.metadata["file"], _File()).add(piece)
            cursor = page.next_cursor
            if not cursor:
                return dict(sorted(files.items()))

    def _file(self, path: str) -> tuple[str, _File]:
        wanted, files = _path(path), self._files()
        if wanted in files:
            return wanted, files[wanted]
        if wanted == ROOT or any(one.startswith(f"{wanted}/") for one in files):
            raise CommandRefused(f"The path {path} is not a file.", field="path")
        raise CommandRefused(f"The path {path} does not exist. Please provide a valid path.", field="path")

    def _write(self, path: str, text: str, before: _File) -> str:
        """Writes a file in one transaction; says what was left out of it, if anything was.

        Raises: VersionConflict when a piece is not as it was before.
        """
        digest = blake2b(path.encode(), digest_size=6).hexdigest()
        pieces = list(_pieces(text))
        notes = [
            {
                "text": piece if piece.strip() else f"{path} has an empty part.", "place": PLACE, "kind": "fact",
                "name": f"{slug(path, 40)}-{digest}-{number}", "verbatim": True, "conflict": "keep_both",
                "metadata": {"file": path, "piece": number, "pieces": len(pieces),
                             **({} if piece.strip() else {"blank": piece})},
                **before.standing(number),
            }
            for number, piece in enumerate(pieces)
        ]  # fmt: skip
        kept = self._memory.remember_many(notes)
        self._forget(before, len(pieces))
        reasons = sorted({f.reason for account in kept.accounts for f in account.fates if f.outcome == "refused"})
        return f" Not stored: {', '.join(reasons)}." if reasons else ""

    def _forget(self, found: _File, first: int) -> None:
        for number, piece in found.pieces.items():
            if number >= first:
                self._memory.forget(piece.id, reason="deleted from /memories")

    def _refuse_below_a_file(self, wanted: str, path: str, files: Mapping[str, _File]) -> None:
        above = wanted
        while (above := posixpath.dirname(above)) != ROOT:
            if above in files:
                raise CommandRefused(f"The path {path} lies below a file", field="path")


class _File:
    """A file: its pieces by number."""

    def __init__(self) -> None:
        self.pieces: dict[int, StoredMemory] = {}

    def add(self, piece: StoredMemory) -> None:
        self.pieces.setdefault(piece.metadata["piece"], piece)

    def standing(self, number: int) -> dict[str, Any]:
        """The revision a piece must still be at when it is written, and the name it goes by if it has one."""
        piece = self.pieces.get(number)
        return {"if_revision": 0} if piece is None else {"name": piece.name, "if_revision": piece.revision}

    @property
    def text(self) -> str:
        return "".join(one.metadata.get("blank", one.text) for _, one in sorted(self.pieces.items()))


def _path(path: str) -> str:
    """The path without dots and doubled slashes.

    Raises: CommandRefused for one that is not below /memories, however it is written.
    """
    if not path.startswith(ROOT):
        raise CommandRefused(f"Path must start with /memories, got: {path}", field="path")
    found = posixpath.normpath(path)
    hidden = any(part == ".." for part in unquote(unquote(path)).replace("\\", "/").split("/"))
    inside = found == ROOT or found.startswith(f"{ROOT}/")
    if not inside or (hidden and ".." not in path.split("/")) or "\x00" in path:
        raise CommandRefused(f"Path {path} would escape /memories directory", field="path")
    return found


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces that fit a memory, cut after lines where there are any."""
    piece, size = "", 0
    for line in text.splitlines(keepends=True):
        rest = line
        while len(rest.encode()) > PIECE_BYTES:
            cut = PIECE_BYTES // 4  # characters of at most four bytes
            if piece:
                yield piece
                piece, size = "", 0
            yield rest[:cut]
            rest = rest[cut:]
        length = len(rest.encode())
        if piece and size + length > PIECE_BYTES:
            yield piece
            piece, size = "", 0
        piece, size = piece + rest, size + length
    if piece or not text:
        yield piece


def _replaced(path: str, text: str, old_str: str, new_str: str) -> tuple[str, str]:
    """A file's text with the one text replaced, and what is told of it."""
    places = [at for at in range(len(text) + 1) if text.startswith(old_str, at)]
    if not places:
        raise CommandRefused(
            f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.", field="old_str"
        )
    if text.count(old_str) > 1:
        lines = ", ".join(str(text.count("\n", 0, at) + 1) for at in places)
        raise CommandRefused(
            f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}."
            " Please ensure it is unique",
            field="old_str",
        )
    changed = text.replace(old_str, new_str, 1)
    line = text.count("\n", 0, places[0])
    shown = changed.split("\n")
    about = [_line(at + 1, shown[at]) for at in range(max(0, line - 2), min(len(shown), line + 3))]
    told = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    return changed, told + "\n".join(about)


def _inserted(path: str, text: str, insert_line: int, insert_text: str) -> tuple[str, str]:
    """A file's text with another put after a line, and what is told of it."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= insert_line <= len(lines):
        raise CommandRefused(
            f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}].",
            field="insert_line",
        )
    lines.insert(insert_line, insert_text.rstrip("\n"))
    changed = "\n".join(lines)
    return changed if changed.endswith("\n") else f"{changed}\n", f"The file {path} has been edited."


def _numbered(path: str, text: str, view_range: Any) -> str:
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        raise CommandRefused(f"File {path} exceeds maximum line limit of 999,999 lines.", field="path")
    first, last = 0, len(lines)
    if isinstance(view_range, list | tuple) and len(view_range) == 2:
        first = max(1, int(view_range[0])) - 1
        last = len(lines) if view_range[1] == -1 else int(view_range[1])
    shown = [_line(first + number, line) for number, line in enumerate(lines[first:last], start=1)]
    return "\n".join([f"Here's the content of {path} with line numbers:", *shown])


def _line(number: int, text: str) -> str:
    return f"{number:>{_WIDTH}}\t{text}"


def _two_levels(below: Mapping[str, int]) -> list[tuple[str, int]]:
    """Files and folders directly below and one level further, by name; folders end with a slash."""
    found: dict[tuple[str, ...], tuple[str, int]] = {}
    for name, size in below.items():
        parts = name.split("/")
        if any(part.startswith(".") for part in parts):
            continue
        for depth in range(1, min(len(parts), 2) + 1):
            folder = depth < len(parts)
            shown = "/".join(parts[:depth]) + ("/" if folder else "")
            known = found.get(tuple(parts[:depth]), (shown, 0))[1]
            found[tuple(parts[:depth])] = (shown, known + size)
    return [found[key] for key in sorted(found)]


def _size(count: int) -> str:
    """A number of bytes as file listings write it."""
    power = min(max(count.bit_length() - 1, 0) // 10, 3)
    size = count / 1024**power
    return f"{int(size)}{'BKMG'[power]}" if size == int(size) else f"{size:.1f}{'BKMG'[power]}"


def sdk_tool(memory: Memory) -> Any:
    """The tool as an object of the `anthropic` package, for its tool runner. Needs that package.

    Raises: ImportError.
    """
    from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError

    class PalaceMemoryTool(BetaAbstractMemoryTool):  # type: ignore[misc, unused-ignore]  # Any without the package
        """Give it to `client.beta.messages.tool_runner(tools=[...])`."""

        _tool = MemoryTool(memory)

        def _run(self, command: Any) -> str:
            try:
                return self._tool.run(command.to_dict())
            except PalazzoError as error:
                raise ToolError(error.message) from error

        view = create = str_replace = insert = delete = rename = _run

        def clear_all_memory(self) -> str:
            """Forgets every file."""
            for path in self._tool.paths():
                self._tool.delete(path)
            return "All memory cleared"

    return PalaceMemoryTool()
