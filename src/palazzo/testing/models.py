"""A model with known behaviour: an embedder that hashes words.

Invariant: a text's vector is the same in every process and on every machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palazzo.ports import Vector, Vectors


_WORD = re.compile(r"\w+")


class HashEmbedder:
    """A bag of words: each word adds to the dimension its hash names, so shared words make texts similar."""

    def __init__(self, dimensions: int = 64, *, name: str | None = None) -> None:
        self._dimensions = dimensions
        self._name = name or f"hash-{dimensions}"

    @property
    def name(self) -> str:
        """The name given, else one that tells the length."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, zeros for a blank one."""
        import numpy as np

        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _words(text):
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
                row[int.from_bytes(digest, "big") % self._dimensions] += 1.0
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        lengths[lengths == 0.0] = 1.0
        unit: Vectors = rows / lengths[:, None]
        return unit

    def embed_query(self, text: str) -> Vector:
        """The same as a row of `embed`."""
        row: Vector = self.embed((text,))[0]
        return row


def _words(text: str) -> list[str]:
    if not text or text.isspace():
        return []
    # A text of signs alone still has a direction: the port promises a unit row for whatever is not blank.
    return _WORD.findall(text.casefold()) or [text]
