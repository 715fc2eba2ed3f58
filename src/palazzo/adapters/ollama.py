"""An Ollama server: replies that fit a schema from `/api/chat`, embeddings from `/api/embed`.

Owns the forms of request and reply; what a server may be asked at all is `remote`'s. The server holds the model to the
schema while it decodes. The usual address is http://127.0.0.1:11434.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from palazzo.adapters.completion import Message, RawReply
from palazzo.adapters.remote import Endpoint, RemoteCompleter, RemoteEmbedder, RemoteModel
from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.ports import CompletionRequest, JsonValue


class OllamaModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that an Ollama server has pulled.

    `context_tokens` None leaves the server's own window; `attempts` counts questions per request.
    """

    model: str
    temperature: float = 0.0
    context_tokens: int | None = None
    attempts: int = 2


class OllamaCompleter(RemoteCompleter):
    """Completes with a model of an Ollama server."""

    def __init__(self, endpoint: Endpoint, model: OllamaModel, *, sleep: Callable[[float], None] = time.sleep) -> None:
        super().__init__(endpoint, part=f"ollama completer {model.model}", attempts=model.attempts, sleep=sleep)
        self._model = model

    @property
    def name(self) -> str:
        """The model and its tag."""
        return f"ollama/{self._model.model}"

    def _send(self, request: CompletionRequest, messages: list[Message]) -> RawReply:
        options: dict[str, object] = {
            "temperature": self._model.temperature,
            "num_predict": request.max_tokens,
        }
        if self._model.context_tokens is not None:
            options["num_ctx"] = self._model.context_tokens
        body = {
            "model": self._model.model,
            "messages": messages,
            "stream": False,
            "format": dict(request.schema),
            "options": options,
        }
        reply = self._http.post("/api/chat", body)
        message = reply.get("message") if isinstance(reply, dict) else None
        if not (isinstance(reply, dict) and isinstance(message, dict)):
            raise PartUnavailable("the server's reply holds no message", part=self._part)
        return RawReply.of(
            message.get("content"),
            model=self._model.model,
            cut_off=reply.get("done_reason") == "length",
            tokens=(reply.get("prompt_eval_count"), reply.get("eval_count")),
        )


class OllamaEmbedder(RemoteEmbedder):
    """Embeds with a model that an Ollama server has pulled.

    `model.dimensions`, if given, is checked, not asked for; the server cuts texts beyond the model's length.
    """

    def __init__(self, endpoint: Endpoint, model: RemoteModel, *, sleep: Callable[[float], None] = time.sleep) -> None:
        super().__init__(endpoint, model, part=f"ollama embedder {model.model}", sleep=sleep)

    @property
    def name(self) -> str:
        """The model and its tag."""
        return f"ollama/{self._model.space(sized=False)}"

    def _send(self, texts: list[str], *, is_query: bool) -> list[JsonValue]:
        body = {"model": self._model.model, "input": texts, "truncate": True}
        reply = self._post("/api/embed", body, is_query=is_query)
        vectors = reply.get("embeddings") if isinstance(reply, dict) else None
        if not isinstance(vectors, list):
            raise PartUnavailable("the server's reply holds no embeddings", part=self._part)
        return vectors
