"""The JSON bundle: records as JSON lines, one memory a line, between a line that says what it is and one that ends it.

Lines, because a palace of a million memories is then written and read without holding it. Knows nothing of the palace
or of what may come in. Invariant: a bundle that was cut off is refused before its first record is given out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from palazzo.errors import InvalidInput
from palazzo.files import raw_files
from palazzo.model.label import NAMES
from palazzo.model.record import Record

FORMAT: Final = 1
LONGEST_LINE: Final = 64 << 20
_HEADS: Final = tuple(f'{{"{name}_bundle":'.encode() for name in NAMES)


@dataclass(frozen=True, slots=True)
class Unreadable:
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


def records(found: Iterable[bytes]) -> Iterator[Record | Unreadable]:
    """The records of a bundle whose frame was checked."""
    decoder = msgspec.json.Decoder(Record)
    before: bytes | None = None
    for number, line in enumerate(found, start=1):
        if before is not None and number > 2:
            yield _record(before, number - 1, decoder)
        before = line


def _record(line: bytes, number: int, decoder: msgspec.json.Decoder[Record]) -> Record | Unreadable:
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        return Unreadable(f"line {number}", f"no record: {_fault(error)}")


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
