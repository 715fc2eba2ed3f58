"""What a system under comparison can do, and the embedder every one of them shares.

Knows nothing of datasets or metrics. Invariant: where a system takes an embedder it gets this one, in this process, so
that no difference between systems comes from the vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mnemon.bootstrap import make_embedder
from mnemon.settings import Settings


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
    """Mnemon's embedder by its name or model folder, as plain arrays."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def _embedder(self):  # type: ignore[no-untyped-def]
        made = make_embedder(Settings.of({"embedder": self.name}), self.name)
        if made is None:
            raise SystemExit(f"the embedder {self.name!r} cannot be made here")
        return made

    @property
    def dimensions(self) -> int:
        return len(self.vectors(["one"])[0])

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts."""
        found = np.asarray(self._embedder.embed(list(texts)), dtype=np.float32)
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


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

    def search(self, ask: Ask, limit: int) -> list[str]:
        """Ids of what is found, best first."""

    def close(self) -> None:
        """Lets go of the files."""
