"""The archive: one append-only file of JSON lines a day, word for word, from which a palace can be made again.

Owns the files and their format. A line is one screened letter (what screening refused never gets here), with the call
it came in. Lines are written before the commit and synced before it is acknowledged; the lines of a commit that failed
are voided by a further line, never rewritten. In an encrypted palace every line is sealed (AES-GCM-SIV with a key of
its own). Invariant: a reader gets every whole line in order, and is told how many were torn.
"""

from __future__ import annotations

import base64
import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import msgspec

from mnemon.errors import StorageError, WrongKey
from mnemon.intake.drafts import Letter
from mnemon.intake.values import Message
from mnemon.store.raw_files import sync_to_disk

FOLDER: Final = "archive"
STRUCK: Final = "█"
OBSERVED: Final = "observe"
_FORMAT: Final = 1
_ABOUT: Final = b"mnemon archive 1"
_NONCE_BYTES: Final = 12
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MESSAGE_DEFAULTS: Final = {f.name: f.default for f in fields(Message)}
_LETTER_DEFAULTS: Final = {f.name: f.default for f in fields(Letter)}
_MESSAGE_VALUES: Final = attrgetter(*_MESSAGE_DEFAULTS)
_LETTER_VALUES: Final = attrgetter(*_LETTER_DEFAULTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call as it was archived: its letters in order, who called, and when."""

    id: UUID
    subject: str
    made_us: int
    letters: tuple[Letter, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """What an archive holds: calls in order, and how many lines could not be read because they were torn."""

    calls: tuple[Call, ...]
    torn: int


class Archive:
    """The archive of one palace. Processes share it; each append is one write."""

    def __init__(
        self, folder: Path, *, key: bytes | None = None, older: bytes | None = None, durable: bool = True
    ) -> None:
        """`older` is the key before, for lines that an interrupted change of keys has left."""
        self._folder = folder
        self._seal = _Seal(key) if key is not None else None
        self._older = _Seal(older) if older is not None else None
        self._durable = durable

    def append(self, call: Call) -> Written:
        """Writes the letters of a call; `Written.wait` returns when they are on the disk.

        Raises: StorageError.
        """
        head = {"v": _FORMAT, "call": call.id.hex, "subject": call.subject, "made_us": call.made_us}
        lines = [{**head, "letter": _plain(letter, call)} for letter in call.letters]
        return self._write(lines, call.made_us)

    def void(self, call: Call) -> None:
        """Notes that a call was never committed.

        Raises: StorageError.
        """
        self._write([{"v": _FORMAT, "void": call.id.hex}], call.made_us).wait()

    def _write(self, lines: Iterable[dict[str, Any]], made_us: int) -> Written:
        data = b"".join([self._line(line) for line in lines])
        path = self._folder / f"{(_EPOCH + timedelta(microseconds=made_us)).date().isoformat()}.jsonl"
        new = False
        try:
            try:
                handle = _locked(path, os.O_RDWR | os.O_APPEND)
            except FileNotFoundError:
                new = True
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                handle = _locked(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        except OSError as error:
            raise StorageError(f"the archive cannot be written: {error.strerror}") from error
        try:
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                data = b"\n" + data  # somebody was cut off in the middle of a line
            _write_all(handle, data)
        except OSError as error:
            os.close(handle)
            raise StorageError(f"the archive cannot be written: {error.strerror}") from error
        fcntl.flock(handle, fcntl.LOCK_UN)
        return Written(handle, self._folder if new else None, sync=self._durable)

    def _line(self, line: dict[str, Any]) -> bytes:
        told = msgspec.json.encode(line)
        return (self._seal.closed(told) if self._seal is not None else told) + b"\n"

    def read(self) -> Read:
        """Every call that was not voided, in the order of writing.

        Raises: WrongKey when a line is sealed with another key, or sealed and there is none.
        """
        calls: dict[str, dict[str, Any]] = {}
        torn = 0
        for path in sorted(self._folder.glob("*.jsonl")):
            for raw in path.read_bytes().split(b"\n"):
                if not raw:
                    continue
                try:
                    line = msgspec.json.decode(self._opened(raw))
                except msgspec.DecodeError:
                    torn += 1
                    continue
                if "void" in line:
                    calls.pop(line["void"], None)
                    continue
                call = calls.setdefault(line["call"], {"lines": [], "head": line})
                call["lines"].append(line["letter"])
        return Read(tuple(_call(found["head"], found["lines"]) for found in calls.values()), torn)

    def _opened(self, raw: bytes) -> bytes:
        if raw.startswith(b"{"):
            return raw
        if self._seal is None:
            raise WrongKey("the archive is sealed and no key was given")
        if self._older is not None and not self._seal.fits(raw):
            return self._older.opened(raw)
        return self._seal.opened(raw)

    def convert(self, key: bytes | None) -> None:
        """Seals, opens or re-seals every file, one at a time, each replaced as a whole; nothing is told otherwise.

        Lines that have the new form already are left as they are, so an interrupted conversion is finished by another.
        Raises: WrongKey, StorageError.
        """
        seal = _Seal(key) if key is not None else None

        def converted(raw: bytes) -> bytes:
            if seal is not None and not raw.startswith(b"{") and seal.fits(raw):
                return raw
            line = self._opened(raw)
            return seal.closed(line) if seal is not None else line

        for path in self._files():
            _rewrite(path, converted)
        self._seal = seal

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.jsonl"))

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
        return sum(raw.startswith(b"{") for path in self._files() for raw in path.read_bytes().split(b"\n"))

    def erase(self, stretches: Mapping[UUID, Stretches | None], user: str = "") -> int:
        """Takes stretches out of letters by the letters' ids (None: the letter goes), and everything of a user.

        A stretch that goes is struck out and barred, so that nothing is drawn from it again. The old bytes are
        overwritten. Returns how many lines were changed. Raises: WrongKey, StorageError.
        """
        wanted = {letter.hex: found for letter, found in stretches.items()}
        changed = 0

        def kept(raw: bytes) -> bytes | None:
            nonlocal changed
            try:
                line = msgspec.json.decode(self._opened(raw))
            except msgspec.DecodeError:
                changed += 1
                return None  # torn: nobody can say whose words are in it
            if "letter" not in line:
                return raw
            letter = line["letter"]
            whole = user and _of_user(line, user)
            if not whole and letter["id"] not in wanted:
                return raw
            changed += 1
            found = None if whole else wanted[letter["id"]]
            if found is None:
                return None
            return self._line({**line, "letter": _struck(letter, found)}).rstrip(b"\n")

        for stray in self._folder.glob("*.new"):
            stray.unlink()  # left by a rewriting that was cut off; the file it was to replace is whole
        for path in self._files():
            _rewrite(path, kept)
        return changed


Stretches = tuple[tuple[int, int], ...]


def _of_user(line: dict[str, Any], user: str) -> bool:
    message = line["letter"]["message"]
    scope = dict(message.get("scope", {}).get("levels", ()))
    return user in (scope.get("user"), message.get("author"), message.get("speaker"), line["subject"])


def _struck(letter: dict[str, Any], stretches: Stretches) -> dict[str, Any]:
    """The letter with stretches struck out and without metadata, of which nobody knows what it tells of them.

    Positions stay, so what else is known about its text stays true.
    """
    text = letter["text"]
    for start, end in stretches:
        text = text[:start] + STRUCK * (min(end, len(text)) - start) + text[end:]
    barred = [*letter.get("barred", ()), *([start, end, "erased"] for start, end in stretches)]
    message = {name: value for name, value in letter["message"].items() if name != "metadata"}
    return {**letter, "text": text, "barred": sorted(barred), "message": message}


def _locked(path: Path, flags: int) -> int:
    """An open, exclusively locked file; opened again when it was replaced while waiting for the lock."""
    while True:
        handle = os.open(path, flags, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except FileNotFoundError:
            pass
        os.close(handle)


def _rewrite(path: Path, change: Callable[[bytes], bytes | None]) -> None:
    """Replaces a file line by line, as a whole or not at all, and overwrites what it was.

    Raises: StorageError.
    """
    try:
        handle = _locked(path, os.O_RDWR)
        try:
            before = path.read_bytes()
            lines = [line for raw in before.split(b"\n") if raw and (line := change(raw)) is not None]
            after = b"".join(line + b"\n" for line in lines)
            if after == before:
                return
            beside = path.with_suffix(".new")
            fresh = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                _write_all(fresh, after)
                os.fsync(fresh)
            finally:
                os.close(fresh)
            if lines:
                beside.replace(path)
            else:
                beside.unlink()
                path.unlink()
            os.pwrite(handle, bytes(len(before)), 0)
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise StorageError(f"the archive cannot be rewritten: {error.strerror}") from error


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


class _Seal:
    """Closes and opens lines with one key."""

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

        self._cipher = AESGCMSIV(key)

    def closed(self, line: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return base64.b64encode(nonce + self._cipher.encrypt(nonce, line, _ABOUT))

    def fits(self, raw: bytes) -> bool:
        """Whether a line opens with this key."""
        try:
            return bool(self.opened(raw))
        except WrongKey:
            return False

    def opened(self, raw: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            sealed = base64.b64decode(raw, validate=True)
        except ValueError:
            return b""  # torn: the reader counts it
        if len(sealed) <= _NONCE_BYTES:
            return b""
        try:
            return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _ABOUT)
        except InvalidTag as error:
            raise WrongKey("a line of the archive does not open with this key") from error


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _plain(letter: Letter, call: Call) -> dict[str, Any]:
    """A letter without what is as usual: the caller's own words, observed, told when the call was made."""
    letters, messages = (
        {**_LETTER_DEFAULTS, "manner": OBSERVED, "at_us": call.made_us, "id": letter.id},
        {**_MESSAGE_DEFAULTS, "author": call.subject},
    )
    told = {
        name: value for (name, usual), value in zip(letters.items(), _LETTER_VALUES(letter), strict=True)
        if value != usual and name != "message"
    }  # fmt: skip
    message = {
        name: value for (name, usual), value in zip(messages.items(), _MESSAGE_VALUES(letter.message), strict=True)
        if value is not usual and value != usual and name != "text"
    }  # fmt: skip
    return {"id": letter.id.hex, **told, "message": message}


def _call(head: dict[str, Any], lines: Sequence[dict[str, Any]]) -> Call:
    letters = []
    for line in lines:
        message = {"author": head["subject"], **line["message"], "text": line["text"]}
        usual = {"manner": OBSERVED, "at_us": head["made_us"]}
        letters.append(msgspec.convert({**usual, **line, "message": message}, type=Letter))
    return Call(
        id=UUID(head["call"]), subject=head["subject"], made_us=head["made_us"],
        letters=tuple(sorted(letters, key=lambda letter: letter.number)),
    )  # fmt: skip


def calls_in_order(read: Read) -> Iterator[Call]:
    """The calls by the moment they were made, as a palace took them in."""
    yield from sorted(read.calls, key=lambda call: call.made_us)
