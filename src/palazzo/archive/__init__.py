"""The archive: one append-only file of JSON lines a day, word for word, from which a palace can be made again.

Owns the files and their format. A line is one screened letter (what screening refused never gets here), with the call
it came in; in files of their own stand the commits, every change as it was written. Lines are written before the commit
and synced before it is acknowledged; the lines of a commit that failed are voided by a further line, never rewritten.
In an encrypted palace every line is sealed (AES-GCM-SIV) with a key of its own. Invariants: a reader gets every whole
line in order and is told where those stand that nobody can read, by file and number, never by what they hold; one
damaged line keeps nobody from the others; the length of a sealed line says only which of few buckets its text falls in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.archive import commits
from palazzo.archive.commits import COMMITS, ArchivedCommit
from palazzo.archive.seal import Seal
from palazzo.errors import StorageError, WrongKey
from palazzo.files import forks
from palazzo.files.forks import FileLock
from palazzo.files.raw_files import sync_to_disk
from palazzo.model.message import Letter
from palazzo.model.raw_event import RawSelection
from palazzo.model.zone import moment
from palazzo.store.api import Erased, Stretches, ToErase
from palazzo.store.api.keeping import name_pattern


class Unreadable(msgspec.Struct, frozen=True, order=True):
    """A line that is torn, damaged or sealed with a key nobody has: it is there, and nobody can say what it holds."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


FOLDER: Final = "archive"
LETTERS: Final = ".jsonl"
_SORTS: Final = {"letter", "commit", "void"}
STRUCK: Final = "█"
OBSERVED: Final = "observe"
_FORMAT: Final = 2


class ArchivedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call as it was archived: its letters in order, who called, and when."""

    id: UUID
    subject: str
    made_us: int
    letters: tuple[Letter, ...]


class Read(msgspec.Struct, frozen=True):
    """What an archive holds: calls in order, and the lines that are torn or damaged."""

    calls: tuple[ArchivedCall, ...]
    unreadable: tuple[Unreadable, ...] = ()


class Archive:
    """The archive of one palace. Processes and threads share it: one lock beside its folder lets each append and each
    rewriting be alone with the files.
    """

    def __init__(
        self, folder: Path, *, key: bytes | None = None, older: bytes | None = None, durable: bool = True
    ) -> None:
        """`older` is the key before, for lines that an interrupted change of keys has left."""
        self._folder = folder
        self._lock = FileLock(folder.with_name(f"{folder.name}.lock"))
        self._seal = Seal(key) if key is not None else None
        self._older = Seal(older) if older is not None else None
        self._durable = durable

    def append(self, call: ArchivedCall) -> Written:
        """Writes the letters of a call; `Written.wait` returns when they are on the disk.

        Raises: StorageError.
        """
        head = {"v": _FORMAT, "call": call.id.hex, "subject": call.subject, "made_us": call.made_us}
        lines = [{**head, "letter": plain_letter(letter)} for letter in call.letters]
        return self._write(lines, call.made_us)

    def void(self, made: ArchivedCall | ArchivedCommit) -> None:
        """Notes that a call or a commit was never made.

        Raises: StorageError.
        """
        ending = COMMITS if isinstance(made, ArchivedCommit) else LETTERS
        self._write([{"v": _FORMAT, "void": made.id.hex}], made.made_us, ending).wait()

    def append_commit(self, commit: ArchivedCommit) -> Written | None:
        """Writes the changes of a commit; None when none of them is written down.

        Raises: StorageError.
        """
        line = commits.line_of(commit)
        return self._write([line], commit.made_us, COMMITS) if line else None

    def commits(self) -> tuple[ArchivedCommit, ...]:
        """Every commit that was made, in the order of time."""
        found: dict[str, ArchivedCommit] = {}
        for _, raw in self._lines(COMMITS):
            line = self._told(raw)
            if line is not None and "void" in line:
                found.pop(line["void"], None)
            elif line is not None and (made := commits.commit_of(line)) is not None:
                found[line["commit"]] = made
        return tuple(commits.in_order(tuple(found.values())))

    def _write(self, lines: Iterable[dict[str, Any]], made_us: int, ending: str = LETTERS) -> Written:
        data = b"".join([self._line(line) for line in lines])
        path = self._folder / f"{moment(made_us).date().isoformat()}{ending}"
        try:
            with self._lock.held():
                handle, new = self._opened_to_append(path)
                try:
                    size = os.fstat(handle).st_size
                    if size and forks.read_at(handle, 1, size - 1) != b"\n":
                        data = b"\n" + data  # somebody was cut off in the middle of a line
                    _write_all(handle, data)
                except OSError:
                    os.close(handle)
                    raise
        except OSError as error:
            raise StorageError(f"the archive cannot be written: {error.strerror}") from error
        return Written(handle, self._folder if new else None, sync=self._durable)

    def _opened_to_append(self, path: Path) -> tuple[int, bool]:
        try:
            return os.open(path, os.O_RDWR | os.O_APPEND | forks.AS_BYTES), False
        except FileNotFoundError:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | forks.AS_BYTES, 0o600), True

    def _line(self, line: dict[str, Any]) -> bytes:
        told = msgspec.json.encode(line, enc_hook=commits.plain)
        return (self._seal.closed(told) if self._seal is not None else told) + b"\n"

    def read(self) -> Read:
        """Every call that was not voided, in the order of writing, and the lines nobody can read.

        Raises: WrongKey when there are sealed lines and no line can be read.
        """
        calls: dict[str, tuple[dict[str, Any], list[Letter]]] = {}
        unreadable: list[Unreadable] = []
        for where, raw in self._lines(LETTERS):
            line = self._told(raw)
            if line is not None and "void" in line:
                calls.pop(line["void"], None)
            elif line is None or (letter := _letter(line)) is None:
                unreadable.append(where)
            else:
                calls.setdefault(line["call"], (line, []))[1].append(letter)
        if unreadable and not calls:
            self._refuse_key()
        return Read(tuple(_call(head, letters) for head, letters in calls.values()), tuple(unreadable))

    def unreadable(self) -> tuple[Unreadable, ...]:
        """The lines that are torn, damaged or sealed with another key."""
        return tuple(where for where, raw in self._lines() if (line := self._told(raw)) is None or not _whole(line))

    def _lines(self, ending: str = "") -> Iterator[tuple[Unreadable, bytes]]:
        """Every line with where it stands; of the files whose names end so."""
        for path in self._files(ending):
            for number, raw in enumerate(path.read_bytes().split(b"\n"), 1):
                if raw:
                    yield Unreadable(path.name, number), raw

    def _told(self, raw: bytes) -> dict[str, Any] | None:
        """What a line says; None when it cannot be read."""
        opened = self._opened(raw)
        if opened is None:
            return None
        try:
            line = msgspec.json.decode(opened)
        except msgspec.DecodeError:
            return None
        return line if isinstance(line, dict) and _SORTS & line.keys() else None

    def _opened(self, raw: bytes) -> bytes | None:
        if raw.startswith(b"{"):
            return raw
        for seal in (self._seal, self._older):
            if seal is not None and (line := seal.opened(raw)) is not None:
                return line
        return None

    def opens(self) -> bool:
        """Whether a sealed line can be read with its key."""
        return any(not raw.startswith(b"{") and self._opened(raw) is not None for _, raw in self._lines())

    def _refuse_key(self) -> None:
        """Raises: WrongKey when nothing in the archive is readable and some of it is sealed."""
        raws = [raw for _, raw in self._lines()]
        if any(self._opened(raw) is not None for raw in raws) or all(raw.startswith(b"{") for raw in raws):
            return
        if self._seal is None:
            raise WrongKey("the archive is sealed and no key was given")
        raise WrongKey("no line of the archive opens with this key")

    def convert(self, key: bytes | None) -> tuple[Unreadable, ...]:
        """Seals, opens or re-seals every file, one at a time, each replaced as a whole; nothing is told otherwise.

        Lines that have the new form already are left as they are, so an interrupted conversion is finished by another.
        A line that cannot be read stays as it is and is returned.
        Raises: StorageError.
        """
        seal = Seal(key) if key is not None else None
        unreadable: list[Unreadable] = []

        def converted(where: Unreadable, raw: bytes) -> bytes:
            if seal is not None and not raw.startswith(b"{") and seal.opened(raw) is not None:
                return raw
            line = self._opened(raw)
            if line is None:
                unreadable.append(where)
                return raw
            return seal.closed(line) if seal is not None else line

        self._rewrite_all(converted)
        self._seal = seal
        return tuple(unreadable)

    def _rewrite_all(self, change: Change) -> None:
        try:
            with self._lock.held():
                for stray in self._folder.glob("*.new"):
                    stray.unlink()  # left by a rewriting that was cut off; the file it was to replace is whole
                for path in self._files():
                    _rewrite(path, change)
        except OSError as error:
            raise StorageError(f"the archive cannot be rewritten: {error.strerror}") from error

    def _files(self, ending: str = "") -> list[Path]:
        endings = (ending,) if ending else (LETTERS, COMMITS)
        return sorted(path for end in endings for path in self._folder.glob(f"*{end}"))

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self._folder

    @property
    def sealed(self) -> bool:
        """Whether its lines are to be sealed."""
        return self._seal is not None

    def plain_lines(self) -> int:
        """How many lines are not sealed."""
        return sum(raw.startswith(b"{") for _, raw in self._lines())

    def erase(self, wanted: ToErase) -> Erased:
        """Takes out what is wanted. A stretch that goes is struck out and barred, so that nothing is drawn from it
        again; the old bytes are overwritten. A line nobody can read stays and is named, unless it is to go as well.

        Raises: StorageError.
        """
        letters = {letter.hex: found for letter, found in wanted.stretches.items()}
        names = name_pattern(wanted.names)
        unsaid = (letter for letter, found in wanted.stretches.items() if found is None)
        gone = self._purged(wanted.captured) | {str(one) for one in (*wanted.memories, *unsaid)}
        changed = 0
        unreadable: list[Unreadable] = []

        def kept(where: Unreadable, raw: bytes) -> bytes | None:
            nonlocal changed
            line = None if wanted.everything else self._told(raw)
            if line is None or not _whole(line):
                if not wanted.everything:
                    unreadable.append(where)
                if not (wanted.everything or wanted.unreadable):
                    return raw
                changed += 1
                return None
            if "commit" in line:
                rest = commits.left_of(line, gone, wanted.people, names)
                return raw if rest is line else None if rest is None else self._line(rest).rstrip(b"\n")
            if "letter" not in line:
                return raw
            left = _left(line, letters, wanted, names)
            if left is line:
                return raw
            changed += 1
            return None if left is None else self._line(left).rstrip(b"\n")

        self._rewrite_all(kept)
        return Erased(changed, tuple(map(str, unreadable)))

    def _purged(self, captured: RawSelection | None) -> frozenset[str]:
        """The memories that commits purged, and what stands around memories of what was captured so, by id."""
        told = (self._told(raw) for _, raw in self._lines(COMMITS))
        made = [line for line in told if line and "commit" in line and _whole(line)]
        seen = (one for line in made for one in commits.seen_in(line, captured)) if captured is not None else ()
        return frozenset((*(one for line in made for one in commits.purged_in(line)), *seen))


Change = Callable[[Unreadable, bytes], bytes | None]
"""What becomes of a line, told where it stands; None: it goes."""


def _left(
    line: dict[str, Any], letters: Mapping[str, Stretches | None], wanted: ToErase, names: re.Pattern[str] | None
) -> dict[str, Any] | None:
    """What is left of a line: itself when nothing of it is wanted, None when all of it is."""
    letter = line["letter"]
    if wanted.people and _of_user(line, wanted.people):
        return None
    own = letter["id"].replace("-", "")
    found = letters.get(own, ())
    if found is None:
        return None
    if names is not None:
        found += tuple(match.span() for match in names.finditer(letter["text"]))
        message = {name: value for name, value in letter["message"].items() if not names.search(_told_by(value))}
        if message.keys() != letter["message"].keys():
            if "scope" not in message and "scope" in letter["message"]:
                return None  # without its scope everybody would see it
            letter = {**letter, "message": message}
    if not found and letter is line["letter"] and own not in letters:
        return line
    return {**line, "letter": _struck(letter, found)}


def _told_by(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _of_user(line: dict[str, Any], people: frozenset[str]) -> bool:
    message = line["letter"]["message"]
    scope = dict(message.get("scope", {}).get("levels", ()))
    told = (scope.get("user"), message.get("author"), message.get("speaker"), line["subject"])
    return any(name and name.casefold() in people for name in told)


def _whole(line: dict[str, Any]) -> bool:
    """Whether a line has the parts that every line of its sort has."""
    if "commit" in line:
        return commits.whole(line)
    if "letter" not in line:
        return isinstance(line["void"], str)
    letter = line["letter"]
    return (
        isinstance(letter, dict) and isinstance(letter.get("message"), dict) and isinstance(letter.get("id"), str)
        and isinstance(letter.get("text"), str) and isinstance(line.get("call"), str)
        and isinstance(line.get("subject"), str) and isinstance(line.get("made_us"), int)
    )  # fmt: skip


def _struck(letter: dict[str, Any], stretches: Stretches) -> dict[str, Any]:
    """The letter with stretches struck out and without metadata, of which nobody knows what it tells of them.

    Positions stay, so what else is known about its text stays true.
    """
    text = letter["text"]
    for start, end in stretches:
        text = text[:start] + STRUCK * (min(end, len(text)) - start) + text[end:]
    barred = {tuple(one) for one in letter.get("barred", ())} | {(start, end, "erased") for start, end in stretches}
    message = {name: value for name, value in letter["message"].items() if name != "metadata"}
    return {**letter, "text": text, "barred": sorted(barred), "message": message}


def _rewrite(path: Path, change: Change) -> None:
    """Replaces a file line by line, as a whole or not at all, and overwrites what it was.

    Raises: OSError.
    """
    before = path.read_bytes()
    told = ((Unreadable(path.name, number), raw) for number, raw in enumerate(before.split(b"\n"), 1) if raw)
    lines = [line for where, raw in told if (line := change(where, raw)) is not None]
    after = b"".join(line + b"\n" for line in lines)
    if after == before:
        return
    old = os.open(path, os.O_RDWR | forks.AS_BYTES)
    try:
        if lines:
            beside = path.with_suffix(".new")
            fresh = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | forks.AS_BYTES, 0o600)
            try:
                _write_all(fresh, after)
                os.fsync(fresh)
            finally:
                os.close(fresh)
            beside.replace(path)
        else:
            path.unlink()
        sync_to_disk(path.parent)
        forks.write_at(old, bytes(len(before)), 0)
        os.fsync(old)
    finally:
        os.close(old)


class Written:
    """Lines on their way to the disk.

    They are synced after the commit, by the thread that waits for them: where one journal serves both files the sync of
    the commit has taken them along (0.1 ms is left), and handing the sync to another thread costs more than that.
    """

    def __init__(self, handle: int, folder: Path | None, *, sync: bool) -> None:
        self._handle = handle
        self._folder = folder
        self._sync = sync

    def wait(self) -> None:
        """Returns when the lines are on the disk.

        Raises: StorageError.
        """
        try:
            if self._sync:
                os.fsync(self._handle)
                if self._folder is not None:
                    sync_to_disk(self._folder)
        except OSError as error:
            raise StorageError(f"the archive cannot be synced: {error.strerror}") from error
        finally:
            os.close(self._handle)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def plain_letter(letter: Letter) -> Letter:
    """A letter whose text stands in it once."""
    return replace(letter, message=replace(letter.message, text=""))


def _letter(line: dict[str, Any]) -> Letter | None:
    """The letter of a line; None when it is none."""
    by = line["subject"] if line.get("v") == 1 else ""  # lines of the first form leave out who called
    return letter_of(line["letter"], by, line["made_us"]) if _whole(line) else None


def letter_of(found: dict[str, Any], subject: str, made_us: int) -> Letter | None:
    """A letter with what is as usual; None when it is none."""
    message = {"author": subject, **found["message"], "text": found["text"]}
    usual = {"manner": OBSERVED, "at_us": made_us}
    try:
        return msgspec.convert({**usual, **found, "message": message}, type=Letter)
    except msgspec.ValidationError:
        return None


def _call(head: dict[str, Any], letters: Sequence[Letter]) -> ArchivedCall:
    return ArchivedCall(
        id=UUID(head["call"]), subject=head["subject"], made_us=head["made_us"],
        letters=tuple(sorted(letters, key=lambda letter: letter.number)),
    )  # fmt: skip


def calls_in_order(read: Read) -> Iterator[ArchivedCall]:
    """The calls by the moment they were made, as a palace took them in."""
    yield from sorted(read.calls, key=lambda call: call.made_us)
