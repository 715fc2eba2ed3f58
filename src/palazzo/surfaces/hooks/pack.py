"""MessagePack for the few values a hook sends and reads, without a library: loading one costs more than the whole hook.

Owns the bytes of none, truth, whole numbers, fractions, texts, lists and tables with texts as names; moments, which no
hook reads, are left as bytes. Knows no frame and no operation. Invariants: what is written reads back equal, here and
by any other reader; bytes that say something else, or end too early, raise ValueError.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_WHOLE: Final = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
                 0xCA: ">f", 0xCB: ">d"}  # fmt: skip
_LONG: Final = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDC: ">H", 0xDD: ">I",
                0xDE: ">H", 0xDF: ">I"}  # fmt: skip
_BYTES: Final = (0xC4, 0xC5, 0xC6)
_MARKED: Final = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
"""Bytes with a mark before them that says what they are, by the sign that tells how many."""
_MARKED_LONG: Final = 0xC7
_TEXT: Final = (0xD9, 0xDA, 0xDB)
_LIST: Final = (0xDC, 0xDD)
_PLAIN: Final = {0xC0: None, 0xC2: False, 0xC3: True}


def packed(value: Any) -> bytes:
    """A value as bytes. Raises: ValueError for what is none of those it knows."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return struct.pack(">Bq", 0xD3, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        raw = value.encode()
        return struct.pack(">BI", 0xDB, len(raw)) + raw
    if isinstance(value, list | tuple):
        return struct.pack(">BI", 0xDD, len(value)) + b"".join(map(packed, value))
    if isinstance(value, dict):
        parts = (packed(part) for pair in value.items() for part in pair)
        return struct.pack(">BI", 0xDF, len(value)) + b"".join(parts)
    raise ValueError(f"a {type(value).__name__} is not sent by a hook")


def unpacked(raw: bytes) -> Any:
    """The value that bytes say, all of them. Raises: ValueError."""
    try:
        value, end = _value(raw, 0)
    except (struct.error, IndexError) as error:
        raise ValueError("an answer that ends too early") from error
    except TypeError as error:
        raise ValueError("an answer with a name that is none") from error
    if end != len(raw):
        raise ValueError("an answer with something behind it")
    return value


def _value(raw: bytes, at: int) -> tuple[Any, int]:
    first = raw[at]
    at += 1
    if first <= 0x7F or first >= 0xE0:
        return (first if first <= 0x7F else first - 0x100), at
    if first in _PLAIN:
        return _PLAIN[first], at
    if first in _WHOLE:
        form = _WHOLE[first]
        return struct.unpack_from(form, raw, at)[0], at + struct.calcsize(form)
    if first in _MARKED or first == _MARKED_LONG:
        size, at = (_MARKED[first], at + 1) if first in _MARKED else (raw[at], at + 2)
        return raw[at : at + size], at + size
    if first in _LONG:
        form = _LONG[first]
        size, at = struct.unpack_from(form, raw, at)[0], at + struct.calcsize(form)
    elif first <= 0xBF:
        size = first & (0x1F if first >= 0xA0 else 0x0F)
    else:
        raise ValueError(f"an answer with the sign {first:#x}")
    if first in _BYTES or first in _TEXT or 0xA0 <= first <= 0xBF:
        if at + size > len(raw):
            raise IndexError(size)
        part = raw[at : at + size]
        return (part if first in _BYTES else part.decode()), at + size
    if first in _LIST or 0x90 <= first <= 0x9F:
        return _several(raw, at, size)
    found, at = _several(raw, at, 2 * size)
    return dict(zip(found[::2], found[1::2], strict=True)), at


def _several(raw: bytes, at: int, count: int) -> tuple[list[Any], int]:
    found = []
    for _ in range(count):
        value, at = _value(raw, at)
        found.append(value)
    return found, at
