"""Structured replies from an Ollama server's `/api/chat`, which holds the model to the schema while it
decodes.

Owns the form of request and reply. Transport is `http_json`'s; checking and asking again are
`structured_reply`'s.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palazzo.adapters.http_json import Endpoint, HttpJson
from palazzo.adapters.structured_reply import Message, RawReply, ask
from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.ports import CompletionReply, CompletionRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class OllamaModel:
    """A model that an Ollama server has pulled.

    `context_tokens` None leaves the server's own window; `attempts` counts questions per request.
    """

    model: str
    temperature: float = 0.0
    context_tokens: int | None = None
    attempts: int = 2


class OllamaCompleter:
    """Completes with a model of an Ollama server; the usual address is http://127.0.0.1:11434."""

    def __init__(self, endpoint: Endpoint, model: OllamaModel, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Remember where the model is; nothing is sent yet.

        Raises: InvalidInput if the address is not usable.
        """
        self._part = f"ollama completer {model.model}"
        self._model = model
        self._http = HttpJson(endpoint, part=self._part, sleep=sleep)

    @property
    def name(self) -> str:
        """The model and its tag."""
        return f"ollama/{self._model.model}"

    def complete(self, request: CompletionRequest) -> CompletionReply:
        """A reply that fits the request's schema.

        Raises: PartUnavailable, InvalidInput.
        """
        return ask(
            request,
            lambda messages: self._send(request, messages),
            part=self._part,
            attempts=self._model.attempts,
        )

    def close(self) -> None:
        """Close idle connections."""
        self._http.close()

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
        content = message.get("content")
        prompt_tokens, reply_tokens = reply.get("prompt_eval_count"), reply.get("eval_count")
        return RawReply(
            text=content if isinstance(content, str) else "",
            model=self._model.model,
            cut_off=reply.get("done_reason") == "length",
            prompt_tokens=prompt_tokens if isinstance(prompt_tokens, int) else None,
            reply_tokens=reply_tokens if isinstance(reply_tokens, int) else None,
        )
