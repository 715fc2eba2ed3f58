"""Sealed columns: how SQL reads a column that may be sealed, and what a write puts into it.

A sealed text is a BLOB where a plain one is TEXT, so every row says by itself which it is, and a plain one costs
nothing. The cipher is given to the connection when it is opened. Knows nothing of keys. Invariants: whatever text of a
memory is read passes `opened`; what a sealed memory's row shows without the key is its times, kind, place and scope.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw

from palazzo.errors import DamagedRow, WrongKey
from palazzo.ports import FieldCipher

Stored = str | bytes | None


def opened(column: str, owner: str = "0") -> str:
    """SQL for the text of a column, sealed or not; `owner` is the column of the number it was sealed for."""
    return f"iif(typeof({column}) = 'blob', opened({column}, {owner}), {column})"


ATOM = f"{opened('subject')}, {opened('predicate')}, {opened('value')}"
"""The words of an atom, sealed or not."""


def register(connection: apsw.Connection, cipher: FieldCipher | None) -> None:
    """Gives a connection the function `opened`."""

    def function(sealed: Any, owner: Any) -> str:
        if cipher is None:
            raise WrongKey("a sealed text was met and the palace was opened without its key")
        try:
            return cipher.open(sealed, owner)
        except WrongKey as error:  # the palace knew its key when it was opened, so it is the text that is wrong
            raise DamagedRow("a sealed text does not open") from error

    connection.create_scalar_function("opened", function, 2, deterministic=True)  # type: ignore[arg-type]


def sealed(cipher: FieldCipher | None, text: str | None, owner: int) -> Stored:
    """What is stored for a text of this owner; without a cipher the text itself."""
    if cipher is None or text is None:
        return text
    return cipher.seal(text, owner)


def alike(cipher: FieldCipher | None, text: str) -> str | bytes:
    """What is stored for a text that is looked up by equality."""
    return text if cipher is None else cipher.seal_alike(text)


def marked(cipher: FieldCipher | None, digest: bytes) -> bytes:
    """What is stored for a hash of a text: of a sealed one nobody can make it without the key."""
    return digest if cipher is None else cipher.mark(digest)


def forms(cipher: FieldCipher | None, text: str) -> tuple[str | bytes, ...]:
    """Every way a text that is looked up may be stored."""
    return (text,) if cipher is None else (text, cipher.seal_alike(text))


def pairs(cipher: FieldCipher | None, wanted: Iterable[tuple[str, str]]) -> list[tuple[str | bytes, str | bytes]]:
    """Every way these pairs may be stored: both plain, or both sealed."""
    found: list[tuple[str | bytes, str | bytes]] = []
    for first, second in wanted:
        found.append((first, second))
        if cipher is not None:
            found.append((cipher.seal_alike(first), cipher.seal_alike(second)))
    return found
