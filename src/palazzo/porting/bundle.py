"""The JSON bundle: records as JSON lines, one memory a line, between a line that says what it is and one that ends it;
and the encrypted archive, which is a bundle under a passphrase, in pieces that cannot be swapped.

Lines, because a palace of a million memories is then written and read without holding it. Knows nothing of the palace
or of what may come in. Every piece
of an encrypted one is sealed with a number of its own and a mark on the last, and with the header, so a piece that is
altered, left out, moved or missing at the end is found; parameters come from a file that may have been altered, so they
are checked before any memory is taken. Invariants: a bundle that was cut off is refused before its
first record is given out; of an encrypted one no plain text is ever written to the disk.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from palazzo.adapters.ciphers import check_new
from palazzo.errors import InvalidInput, WrongKey
from palazzo.files import raw_files
from palazzo.files.extras import encryption
from palazzo.model.ids import NAMES
from palazzo.model.record import Record

FORMAT: Final = 1
LONGEST_LINE: Final = 64 << 20
_HEADS: Final = tuple(f'{{"{name}_bundle":'.encode() for name in NAMES)


class UnreadableLine(msgspec.Struct, frozen=True):
    """A line that is no record: which one, and why."""

    entry: str
    reason: str


def is_bundle(head: bytes) -> bool:
    """Whether a file that begins so is a bundle."""
    return head.startswith(_HEADS)


def lines(records: Iterable[Record], about: dict[str, Any]) -> Iterator[bytes]:
    """The lines of a bundle; `about` is told in its first."""
    encode = msgspec.json.Encoder().encode
    yield encode({"palazzo_bundle": FORMAT, **about}) + b"\n"
    count = 0
    for record in records:
        yield encode(record) + b"\n"
        count += 1
    yield encode({"end": count}) + b"\n"


def check(found: Iterable[bytes]) -> int:
    """How many records a bundle has, after its frame was looked at.

    Raises: InvalidInput when it is cut off, damaged or of a format to come.
    """
    count = -1
    last = b""
    for line in found:
        if count < 0:
            _head(line)
        last = line
        count += 1
    try:
        end = msgspec.json.decode(last, type=dict[str, Any]).get("end")
    except (msgspec.MsgspecError, RecursionError):
        end = None
    if end != count - 1:
        raise InvalidInput("the bundle is cut off or damaged: its end is missing", field="file", hint="export it again")
    return count - 1


def _head(line: bytes) -> None:
    try:
        told = msgspec.json.decode(line, type=dict[str, Any])
        found = next((told[key] for name in NAMES if (key := f"{name}_bundle") in told), None)
    except (msgspec.MsgspecError, RecursionError):
        found = None
    if found != FORMAT:
        raise InvalidInput(
            "this is no bundle that this release reads", field="file", hint="a newer release may have written it"
        )


def records(found: Iterable[bytes]) -> Iterator[Record | UnreadableLine]:
    """The records of a bundle whose frame was checked."""
    decoder = msgspec.json.Decoder(Record)
    before: bytes | None = None
    for number, line in enumerate(found, start=1):
        if before is not None and number > 2:
            yield _record(before, number - 1, decoder)
        before = line


def _record(line: bytes, number: int, decoder: msgspec.json.Decoder[Record]) -> Record | UnreadableLine:
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        return UnreadableLine(f"line {number}", f"no record: {_fault(error)}")


def _fault(error: Exception) -> str:
    """What was wrong and where, without the value."""
    return str(error)[:120] if isinstance(error, msgspec.ValidationError) else type(error).__name__


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file.

    Raises: InvalidInput for a line nobody would write.
    """
    with raw_files.reading(path) as handle:
        while line := handle.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise InvalidInput(f"a line is longer than {LONGEST_LINE >> 20} MiB", field="file")
            yield line


def split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines in a stream of pieces.

    Raises: InvalidInput for a line nobody would write.
    """
    held = b""
    for chunk in chunks:
        held += chunk
        *whole, held = held.split(b"\n")
        for line in whole:
            yield line + b"\n"
        if len(held) > LONGEST_LINE:
            raise InvalidInput(f"a line is longer than {LONGEST_LINE >> 20} MiB", field="file")
    if held:
        yield held


MAGIC: Final = b"palazzo sealed archive 1\n"
_MAGICS: Final = tuple(f"{name} sealed archive 1\n".encode() for name in NAMES)
_PIECE: Final = 64 << 10
_TAG: Final = 16
_PREFIX: Final = 7
_MOST_PIECES: Final = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The work of scrypt. The default takes 128 MiB and about half a second."""

    n: int = 1 << 17
    r: int = 8
    p: int = 1

    def __post_init__(self) -> None:
        """Raises: InvalidInput for what is weak, or meant to exhaust the machine."""
        if self.n not in {1 << power for power in range(12, 21)} or not 8 <= self.r <= 16 or not 1 <= self.p <= 4:
            raise InvalidInput("the archive asks for a key derivation that is not allowed", field="file")


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    salt: bytes
    nonce: bytes
    n: int
    r: int
    p: int


def is_sealed(head: bytes) -> bool:
    """Whether a file that begins so is an encrypted archive."""
    return head.startswith(_MAGICS)


def _key(passphrase: str, salt: bytes, cost: Cost) -> bytes:
    with encryption():
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    if not passphrase:
        raise WrongKey("an encrypted archive wants a passphrase", hint="give it, or run the command on a terminal")
    told = unicodedata.normalize("NFC", passphrase).encode()
    return Scrypt(salt=salt, length=32, n=cost.n, r=cost.r, p=cost.p).derive(told)


def write_sealed(handle: BinaryIO, lines: Iterable[bytes], passphrase: str, cost: Cost = Cost()) -> None:
    """Writes lines under a passphrase.

    Raises: WrongKey when the passphrase is empty, InvalidInput when it is too short.
    """
    with encryption():
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if passphrase:
        check_new(passphrase)
    told = _Header(salt=os.urandom(16), nonce=os.urandom(_PREFIX), n=cost.n, r=cost.r, p=cost.p)
    cipher = AESGCM(_key(passphrase, told.salt, cost))
    header = MAGIC + msgspec.json.encode(told) + b"\n"
    handle.write(header)
    number = 0
    held = b""
    for line in lines:
        held += line
        while len(held) > _PIECE:
            handle.write(cipher.encrypt(_nonce(told.nonce, number, last=False), held[:_PIECE], header))
            held = held[_PIECE:]
            number += 1
    handle.write(cipher.encrypt(_nonce(told.nonce, number, last=True), held, header))


def _nonce(prefix: bytes, number: int, *, last: bool) -> bytes:
    if number >= _MOST_PIECES:
        raise InvalidInput("the archive is too large for one passphrase", field="to")
    return prefix + number.to_bytes(4, "big") + (b"\x01" if last else b"\x00")


class Sealed:
    """An encrypted archive whose passphrase was accepted; it can be read as often as needed."""

    def __init__(self, path: Path, passphrase: str) -> None:
        """Raises: InvalidInput when it is none, WrongKey when there is no passphrase."""
        with encryption():
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._path = path
        with raw_files.reading(path) as handle:
            first = handle.readline(64)
            self._header = first + handle.readline(4096)
        try:
            told = msgspec.json.decode(self._header.removeprefix(first), type=_Header)
        except msgspec.MsgspecError as error:
            raise InvalidInput("the head of the archive is damaged", field="file") from error
        if not is_sealed(self._header) or len(told.nonce) != _PREFIX or not 16 <= len(told.salt) <= 64:
            raise InvalidInput("the head of the archive is damaged", field="file")
        self._prefix = told.nonce
        self._cipher = AESGCM(_key(passphrase, told.salt, Cost(n=told.n, r=told.r, p=told.p)))

    def pieces(self) -> Iterator[bytes]:
        """The plain text, piece by piece.

        Raises: WrongKey when the first piece does not open, InvalidInput when a later one is damaged or missing.
        """
        from cryptography.exceptions import InvalidTag

        with raw_files.reading(self._path) as handle:
            handle.seek(len(self._header))
            number = 0
            piece = handle.read(_PIECE + _TAG)
            while True:
                following = handle.read(_PIECE + _TAG)
                nonce = _nonce(self._prefix, number, last=not following)
                try:
                    yield self._cipher.decrypt(nonce, piece, self._header)
                except (InvalidTag, ValueError) as error:
                    if number == 0:
                        raise WrongKey(
                            "the archive does not open with this passphrase, or it is damaged",
                            hint="type it again; if it is right, the file was altered or cut off",
                        ) from error
                    raise InvalidInput(
                        "the archive was altered or cut off", field="file", hint="copy it again from where it came"
                    ) from error
                if not following:
                    return
                piece = following
                number += 1
