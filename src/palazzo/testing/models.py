"""Models with known behaviour: embedders that hash words or fail when told to, a completer that answers from a script
and a reranker that scores by a function.

Invariant: a text's vector is the same in every process and on every machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from palazzo.adapters.completion import find_fault
from palazzo.errors import PalazzoError, PartUnavailable
from palazzo.ports import CompletionReply, CompletionRequest, JsonValue

if TYPE_CHECKING:
    from palazzo.ports import Embedder, Vector, Vectors


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


class FailingEmbedder:
    """Wraps an embedder; while `failing` is true every request raises PartUnavailable. Counts requests."""

    def __init__(self, inner: Embedder | None = None, *, failing: bool = True) -> None:
        self._inner: Embedder = inner if inner is not None else HashEmbedder()
        self.failing = failing
        self.requests = 0

    @property
    def name(self) -> str:
        """The wrapped embedder's name: the space is the same, only the part is down."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The wrapped embedder's length."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The wrapped embedder's rows.

        Raises: PartUnavailable while failing.
        """
        self._count()
        return self._inner.embed(texts)

    def embed_query(self, text: str) -> Vector:
        """The wrapped embedder's vector.

        Raises: PartUnavailable while failing.
        """
        self._count()
        return self._inner.embed_query(text)

    def _count(self) -> None:
        self.requests += 1
        if self.failing:
            raise PartUnavailable("the embedder was told to fail", part=self.name)


def _words(text: str) -> list[str]:
    if not text or text.isspace():
        return []
    # A text of signs alone still has a direction: the port promises a unit row for whatever is not blank.
    return _WORD.findall(text.casefold()) or [text]


class ScriptedReranker:
    """Scores every text with a function of query and text and remembers what it was asked."""

    name = "scripted"

    def __init__(self, score: Callable[[str, str], float] | None) -> None:
        """Without a function every call fails."""
        self._score = score
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def rerank(self, query: str, texts: Sequence[str]) -> Vector:
        """One score per text.

        Raises: PartUnavailable.
        """
        import numpy as np

        self.asked.append((query, tuple(texts)))
        if self._score is None:
            raise PartUnavailable("the reranker is away", part="reranker scripted")
        return np.array([self._score(query, text) for text in texts], np.float32)


Scripted: TypeAlias = "JsonValue | PalazzoError | Callable[[CompletionRequest], JsonValue]"


class ScriptedCompleter:
    """Gives one scripted reply per request: a value, an error to raise, or a function of the request."""

    def __init__(self, replies: Iterable[Scripted] = (), *, name: str = "scripted") -> None:
        self._replies = list(replies)
        self._name = name
        self.requests: list[CompletionRequest] = []

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @property
    def remaining(self) -> int:
        """Replies not yet given; a finished test leaves none."""
        return len(self._replies)

    def complete(self, request: CompletionRequest) -> CompletionReply:
        """The next reply of the script.

        Raises: the scripted error; AssertionError if the script has ended or the reply does not fit.
        """
        self.requests.append(request)
        if not self._replies:
            raise AssertionError(f"no reply is scripted for request {len(self.requests)}: {request.purpose}")
        reply = self._replies.pop(0)
        if isinstance(reply, PalazzoError):
            raise reply
        value = reply(request) if callable(reply) else reply
        if fault := find_fault(msgspec.json.encode(value), request):
            raise AssertionError(f"the scripted reply to {request.purpose} does not fit its schema: {fault}")
        return CompletionReply(value=value, model=self._name)
