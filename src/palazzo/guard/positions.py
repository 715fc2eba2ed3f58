"""Where a caller stands in a list or in the journal, told so that it says nothing about what others wrote.

Rows and events are numbered over the whole palace, and two such numbers tell how much lies between them. The operator
is told the numbers; everybody else a word made of them under a key of their own, the same for the same event, so that
clients can tell events apart. Owns that word. Invariants: a word of one subject, or of another list, is no word here; a
number is no word for anybody but the operator; a place at which nothing was shown has another word every time.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from palazzo.errors import InvalidInput

_BLOCK: Final = 16
_MARK: Final = bytes(4)
"""Stands in every block: a word that was made up has it once in four thousand million."""
_SHOWN: Final = bytes(4)
START: Final = "0"
"""Before everything, for everybody."""


class Positions:
    """The words of one palace; `key` gives the palace's own secret, None where it has none and cannot get one."""

    def __init__(self, key: Callable[[], bytes | None]) -> None:
        self._key = key
        self._own = secrets.token_bytes(32)

    def of(self, subject: str, what: str, *, plain: bool) -> Words:
        """The words of one subject in one list."""
        if plain:
            return Words(None)
        named = f"{what}\0{subject}".encode("utf-8", "surrogatepass")
        return Words(blake2b(named, key=self._key() or self._own, digest_size=16, person=b"position").digest())


class Words:
    """Numbers as one subject is told them; without a key as they are."""

    def __init__(self, key: bytes | None) -> None:
        if key is None:
            self._cipher = None
            return
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # not before it is needed

        self._cipher = Cipher(algorithms.AES(key), modes.ECB())  # noqa: S305 - one block

    def word(self, number: int, *, shown: bool = True) -> str:
        """The word for a number; for one that stands for nothing that was shown, another one each time."""
        if self._cipher is None:
            return str(number)
        mark = _SHOWN if shown else secrets.token_bytes(4)
        turned = self._cipher.encryptor()
        return (turned.update(mark + _MARK + number.to_bytes(8, "big")) + turned.finalize()).hex()

    def number(self, word: str, field: str) -> int:
        """The number of a word.

        Raises: InvalidInput.
        """
        if word == START:
            return 0
        if self._cipher is None:
            if not (word.isascii() and word.isdecimal() and len(word) < 19):
                raise _unknown(field)
            return int(word)
        try:
            block = bytes.fromhex(word)
        except ValueError:
            raise _unknown(field) from None
        if len(block) != _BLOCK:
            raise _unknown(field)
        turned = self._cipher.decryptor()
        found = turned.update(block) + turned.finalize()
        if found[4:8] != _MARK:
            raise _unknown(field)
        return int.from_bytes(found[8:], "big") & ((1 << 63) - 1)


def _unknown(field: str) -> InvalidInput:
    return InvalidInput("this is no place to go on from", field=field, hint="give it as it came, to whom it was told")
