"""What a system under comparison can do, and the embedder every one of them shares.

Knows nothing of datasets or metrics. Invariant: where a system takes an embedder it gets this one, in this process, so
that no difference between systems comes from the vectors. Nothing heavy is imported before the first vector, so that a
cold start counts what the system itself needs and no part of Palazzo but the embedder.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to keep: a turn of a conversation under an id of its own."""

    id: str
    text: str
    speaker: str = ""
    role: str = "user"
    session: str = ""
    at_us: int = 0
    asked_for: bool = False
    """Whether somebody asked for it to be kept, rather than said it in a conversation."""

    @property
    def said(self) -> str:
        """The text with its speaker's name, for systems that keep one text and no speaker."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, and the moment it is asked."""

    text: str
    now_us: int = 0
    speaker: str = ""


class SharedEmbedder:
    """The embedder by its name or model folder, as plain arrays.

    With a `cache` file the vectors of kept texts are computed once for all systems; those of questions never come from
    it, so that the time of a search always holds its embedding.
    """

    def __init__(self, name: str, cache: Path | None = None) -> None:
        self.name = name
        self._cache = cache

    @cached_property
    def _embedder(self) -> Any:
        if self.name == "builtin":
            from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder

            return WordLlamaEmbedder()
        from palazzo.adapters.local_embedder import LocalEmbedder

        return LocalEmbedder(Path(self.name))

    @cached_property
    def _kept(self) -> sqlite3.Connection | None:
        if self._cache is None:
            return None
        kept = sqlite3.connect(self._cache, isolation_level=None, check_same_thread=False)
        kept.execute("CREATE TABLE IF NOT EXISTS vector (text BLOB PRIMARY KEY, value BLOB)")
        return kept

    @cached_property
    def dimensions(self) -> int:
        return len(self.query("one"))

    def query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a question."""
        return self._made([text])[0]

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts to keep."""
        if self._kept is None:
            return self._made(texts)
        import numpy as np

        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        found = {}
        for key in keys:
            row = self._kept.execute("SELECT value FROM vector WHERE text = ?", (key,)).fetchone()
            if row is not None:
                found[key] = np.frombuffer(row[0], dtype=np.float32)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            made = self._made(list(new.values()))
            found.update(zip(new, made, strict=True))
            rows = [(key, row.tobytes()) for key, row in zip(new, made, strict=True)]
            self._kept.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)
        return np.stack([found[key] for key in keys])

    def _made(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        found = np.asarray(self._embedder.embed(list(texts)), dtype=np.float32)
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-9))


@dataclass(frozen=True, slots=True)
class Opened:
    """Where a system lives and what it embeds with."""

    folder: Path
    embedder: SharedEmbedder


class System(Protocol):
    """A memory that keeps texts and finds them again.

    `keeps` says what it holds (text, vectors, both); `version` is the package's own.
    """

    keeps: str
    version: str

    def add(self, items: Sequence[Item]) -> None:
        """Keeps many items the way the system documents for many."""

    def add_one(self, item: Item) -> None:
        """Keeps one item and returns when the system calls it kept."""

    def settle(self) -> None:
        """What the system's documentation advises after a large load, or nothing."""

    def holds(self, items: Sequence[Item]) -> set[str]:
        """Ids of those items that are there, read without searching."""

    def search(self, ask: Ask, limit: int) -> list[str]:
        """Ids of what is found, best first."""

    def close(self) -> None:
        """Lets go of the files."""
