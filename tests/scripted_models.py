"""Models that do as a test tells them: an embedder that fails, a reranker that scores by a function, a completer that
answers from a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from palazzo.adapters.completion import find_fault
from palazzo.errors import PalazzoError, PartUnavailable
from palazzo.ports import CompletionReply, CompletionRequest, JsonValue
from palazzo.testing.models import HashEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from palazzo.ports import Embedder

    Vectors: TypeAlias = NDArray[np.float32]


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

    def embed_query(self, text: str) -> Vectors:
        """The wrapped embedder's vector.

        Raises: PartUnavailable while failing.
        """
        self._count()
        return self._inner.embed_query(text)

    def _count(self) -> None:
        self.requests += 1
        if self.failing:
            raise PartUnavailable("the embedder was told to fail", part=self.name)


class ScriptedReranker:
    """Scores every text with a function of query and text and remembers what it was asked."""

    name = "scripted"

    def __init__(self, score: Callable[[str, str], float] | None) -> None:
        """Without a function every call fails."""
        self._score = score
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def rerank(self, query: str, texts: Sequence[str]) -> Vectors:
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
