"""How values are bound to a statement of PostgreSQL and read from its rows.

Owns the driver's dumpers and loaders: numbers as 64 bits, keys as one array, sealed texts as the text that stands for
them, opened here, where the key is. Knows no statement and no table. Invariant: a text that begins like a sealed one is
told apart from it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import psycopg
from psycopg import abc
from psycopg.adapt import Dumper, Loader, Transformer
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import BytesBinaryDumper, StrDumperUnknown

from palazzo.ports import FieldCipher
from palazzo.store.sql.port import Keys
from palazzo.store.sql.seal.sealing import SealedText, opener

_HEAD: Final = np.dtype([("dims", ">i4"), ("nulls", ">i4"), ("oid", ">u4"), ("size", ">i4"), ("low", ">i4")])
_EACH: Final = np.dtype([("length", ">i4"), ("value", ">i8")])
_INT8, _INT8_ARRAY, _TEXT_ARRAY = 20, 1016, 1009


class _KeysDumper(Dumper):
    """Numbers or texts as one array."""

    format = Format.BINARY
    oid = _INT8_ARRAY

    def get_key(self, obj: Any, format: Any) -> Any:  # noqa: A002, ARG002 - the driver's word
        return self.cls if isinstance(obj.values, np.ndarray) else (self.cls, str)

    def upgrade(self, obj: Any, format: Any) -> Dumper:  # noqa: A002, ARG002 - the driver's word
        return self if isinstance(obj.values, np.ndarray) else _TextsDumper(self.cls, None)

    def dump(self, obj: Any) -> bytes:
        return _array(obj.values)


class _TextsDumper(Dumper):
    """Texts, sealed or not, as one array in the driver's written form."""

    format = Format.TEXT
    oid = _TEXT_ARRAY

    def dump(self, obj: Any) -> bytes:
        quoted = (_text(value).replace("\\", "\\\\").replace('"', '\\"') for value in obj.values)
        return ("{" + ",".join(f'"{value}"' for value in quoted) + "}").encode()


def _array(values: Any) -> bytes:
    head = np.zeros(1, _HEAD)
    head["dims"], head["oid"], head["size"], head["low"] = 1, _INT8, len(values), 1
    body = np.empty(len(values), _EACH)
    body["length"], body["value"] = 8, values
    return head.tobytes() + body.tobytes()


def _text(value: str | bytes) -> str:
    if isinstance(value, bytes):
        return "\x01" + b64encode(value).decode()
    return "\x03" + value if value.startswith(_SIGNS) else value


class _SealedDumper(Dumper):
    """A sealed text, as the text that stands for it."""

    format = Format.TEXT
    oid = 0

    def dump(self, obj: Any) -> bytes:
        return _text(obj).encode()


_SIGNS: Final = ("\x01", "\x02", "\x03")
"""With what a sealed text begins, an opened one, and a plain one that happens to begin with one of these."""


class _PlainDumper(StrDumperUnknown):
    """A text, told apart from what stands for a sealed one."""

    def dump(self, obj: str) -> Any:
        return super().dump("\x03" + obj if obj.startswith(_SIGNS) else obj)


class _NumberLoader(Loader):
    """Sums and averages, which PostgreSQL gives as decimals."""

    format = Format.TEXT

    def load(self, data: abc.Buffer) -> int | float:
        said = bytes(data).decode()
        return float(said) if "." in said else int(said)


def _opening(cipher: FieldCipher | None) -> type[Loader]:
    """How texts are read: a sealed one as its bytes, or opened where the statement asked for that."""
    read = opener(cipher)

    class TextLoader(Loader):
        format = Format.BINARY

        def load(self, data: abc.Buffer) -> str | bytes:
            said = bytes(data)
            if said[:1] == b"\x01":
                return SealedText(b64decode(said[1:]))
            if said[:1] == b"\x02":
                owner, _, body = said[1:].partition(b":")
                return read(b64decode(body), int(owner))
            return (said[1:] if said[:1] == b"\x03" else said).decode()

    return TextLoader


class _BoolDumper(Int8BinaryDumper):
    """Yes and no as the numbers the tables hold."""

    def dump(self, obj: Any) -> Any:
        return super().dump(int(obj))


class _WordDumper(Dumper):
    """A number as its digits, of the type of the column it goes to."""

    def dump(self, obj: Any) -> bytes:
        return repr(obj if isinstance(obj, float) else int(obj)).encode()


class _BytesDumper(BytesBinaryDumper):
    """Bytes, of the type of the column they go to."""

    oid = 0


def asking(session: psycopg.Connection[Any], cipher: FieldCipher | None) -> None:
    """Binds and reads the values of a session so."""
    adapters = session.adapters
    adapters.register_dumper(int, Int8BinaryDumper)
    adapters.register_dumper(bool, _BoolDumper)
    adapters.register_dumper(str, _PlainDumper)
    adapters.register_dumper(bytes, BytesBinaryDumper)
    adapters.register_dumper(SealedText, _SealedDumper)
    adapters.register_dumper(Keys, _KeysDumper)
    adapters.register_loader("text", _opening(cipher))
    adapters.register_loader("numeric", _NumberLoader)


def _sent_text(value: str) -> bytes:
    if "\0" in value:
        raise psycopg.DataError("a text holds a zero byte")
    return (f"\x03{value}" if value.startswith(_SIGNS) else value).encode()


_SENT: Final[dict[type, Callable[[Any], bytes | None]]] = {
    int: b"%d".__mod__,
    bool: b"%d".__mod__,
    float: lambda value: repr(value).encode(),
    str: _sent_text,
    bytes: bytes,
    type(None): lambda _: None,
}
"""How the values of rows that are added travel, of the types that nearly all of them have: as `sending` says it, at a
fraction of what asking the driver for each costs."""


def sent(values: Sequence[Any]) -> tuple[list[bytes | None], list[Format]] | None:
    """The values of rows and the form of each; None where one of them is of another type."""
    try:
        told = [_SENT[type(value)](value) for value in values]
    except KeyError:
        return None
    return told, [Format.BINARY if type(value) is bytes else Format.TEXT for value in values]


def sending(session: psycopg.Connection[Any]) -> abc.Transformer:
    """How rows are added: no value says a type, so the same statement is prepared once, whatever is missing."""
    found = session.cursor(binary=True)
    for kind in (int, bool, float):
        found.adapters.register_dumper(kind, _WordDumper)
    found.adapters.register_dumper(bytes, _BytesDumper)
    return Transformer(found)
