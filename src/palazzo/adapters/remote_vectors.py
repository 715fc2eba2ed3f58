"""What the remote embedders share: batches, prompts, checks of the vectors that come back.

Owns the way from texts to requests and from replies to unit rows. Knows no server: an embedder gives it one
function that sends a batch. Invariant: every row returned is finite, of the known length and a unit vector,
or zero for a blank text, which is never sent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from palazzo.errors import PartUnavailable
from palazzo.model.fork_lock import ForkLock

if TYPE_CHECKING:
    from palazzo.ports import JsonValue, Vector, Vectors

Send: TypeAlias = "Callable[[list[str], bool], list[JsonValue]]"
_PROBE = "dimensions"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteModel:
    """A model on a server.

    `dimensions` None means: ask on first use. Prompts are put in front of what is sent, for models trained
    with them. A query waits `query_timeout_s` at most and is tried once, since recall goes on without it.
    """

    model: str
    dimensions: int | None = None
    batch_size: int = 64
    text_prompt: str = field(default="", repr=False)
    query_prompt: str = field(default="", repr=False)
    query_timeout_s: float = 5.0

    def space(self, *, sized: bool) -> str:
        """What tells these vectors from others: name, prompts, and length where it can be chosen."""
        size = f"-{self.dimensions}" if sized and self.dimensions is not None else ""
        prompts = f"{self.text_prompt}\0{self.query_prompt}"
        mark = f"+{hashlib.sha256(prompts.encode()).hexdigest()[:6]}" if len(prompts) > 1 else ""
        return f"{self.model}{size}{mark}"


class RemoteVectors:
    """Embeds through `send(texts, is_query)`, which returns one list of numbers per text, in order."""

    def __init__(self, model: RemoteModel, send: Send, *, part: str) -> None:
        self._model = model
        self._send = send
        self._part = part
        self._dimensions = model.dimensions
        self._lock = ForkLock()

    @property
    def dimensions(self) -> int:
        """Length of the vectors; a server that was not asked yet is asked now.

        Raises: PartUnavailable.
        """
        known = self._dimensions
        return known if known is not None else int(self._request([_PROBE], is_query=False).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text.

        Raises: PartUnavailable.
        """
        import numpy as np

        kept = [position for position, text in enumerate(texts) if text and not text.isspace()]
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(kept), self._model.batch_size):
            positions = kept[start : start + self._model.batch_size]
            batch = [self._model.text_prompt + texts[position] for position in positions]
            rows[positions] = self._request(batch, is_query=False)
        return rows

    def embed_query(self, text: str) -> Vector:
        """A unit vector.

        Raises: PartUnavailable.
        """
        import numpy as np

        if not text or text.isspace():
            return np.zeros(self.dimensions, dtype=np.float32)
        row: Vector = self._request([self._model.query_prompt + text], is_query=True)[0]
        return row

    def _request(self, texts: list[str], *, is_query: bool) -> Vectors:
        import numpy as np

        vectors = self._send(texts, is_query)
        if len(vectors) != len(texts):
            raise self._unfit(f"{len(vectors)} vectors for {len(texts)} texts")
        try:
            rows = np.array(vectors, dtype=np.float32)
        except (TypeError, ValueError):
            raise self._unfit("something other than lists of numbers of one length") from None
        if rows.ndim != 2 or rows.shape[1] == 0:
            raise self._unfit("something other than lists of numbers of one length")
        self._agree(rows.shape[1])
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._unfit("a vector without a direction")
        unit: Vectors = rows / lengths
        return unit

    def _agree(self, found: int) -> None:
        """Remember the length of the first reply, and hold later ones to it: a space has one."""
        with self._lock:
            if self._dimensions is None:
                self._dimensions = found
            expected = self._dimensions
        if found != expected:
            raise self._unfit(f"vectors of {found} dimensions instead of {expected}")

    def _unfit(self, what: str) -> PartUnavailable:
        return PartUnavailable(
            f"the server answered with {what}", part=self._part, hint="check which model the server runs"
        )
