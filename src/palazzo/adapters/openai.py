"""Any server that speaks OpenAI's API (OpenAI, vLLM, llama.cpp, LM Studio, LiteLLM): replies that fit a schema from
`/v1/chat/completions`, embeddings from `/v1/embeddings`.

Owns the forms of request and reply; what a server may be asked at all is `remote`'s. Every reply is checked against the
schema, so a server that ignores it is found out. An address is one such as https://api.openai.com/v1.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

from palazzo.adapters.completion import Message, RawReply
from palazzo.adapters.remote import Endpoint, RemoteCompleter, RemoteEmbedder, RemoteModel
from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.ports import CompletionRequest, JsonValue


class ChatModel(msgspec.Struct, frozen=True, kw_only=True):
    """A chat model on an OpenAI-compatible server.

    `temperature` None leaves it out, as models that reason demand. `limit_field` is how the server calls the
    bound of the reply's length. `attempts` counts questions per request, the ones after an unfit reply
    included.
    """

    model: str
    temperature: float | None = 0.0
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    attempts: int = 2


class OpenAICompleter(RemoteCompleter):
    """Completes with a model behind an OpenAI-compatible address."""

    def __init__(self, endpoint: Endpoint, model: ChatModel, *, sleep: Callable[[float], None] = time.sleep) -> None:
        super().__init__(endpoint, part=f"openai completer {model.model}", attempts=model.attempts, sleep=sleep)
        self._model = model

    @property
    def name(self) -> str:
        """The model."""
        return f"openai/{self._model.model}"

    def _send(self, request: CompletionRequest, messages: list[Message]) -> RawReply:
        body: dict[str, object] = {
            "model": self._model.model,
            "messages": messages,
            self._model.limit_field: request.max_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": request.purpose,
                    "schema": dict(request.schema),
                    "strict": True,
                },
            },
        }
        if self._model.temperature is not None:
            body["temperature"] = self._model.temperature
        reply = self._http.post("/chat/completions", body)
        choices = reply.get("choices") if isinstance(reply, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not (isinstance(reply, dict) and isinstance(choice, dict) and isinstance(message, dict)):
            raise PartUnavailable("the server's reply holds no message", part=self._part)
        reason = choice.get("finish_reason")
        usage = reply.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        return RawReply.of(
            message.get("content"),
            model=self._model.model,
            cut_off=reason == "length",
            declined=bool(message.get("refusal")) or reason == "content_filter",
            tokens=(counts.get("prompt_tokens"), counts.get("completion_tokens")),
        )


class OpenAIEmbedder(RemoteEmbedder):
    """Embeds with a model behind an OpenAI-compatible address; `model.dimensions`, if given, is asked of the server."""

    def __init__(self, endpoint: Endpoint, model: RemoteModel, *, sleep: Callable[[float], None] = time.sleep) -> None:
        super().__init__(endpoint, model, part=f"openai embedder {model.model}", sleep=sleep)

    @property
    def name(self) -> str:
        """The model, with its length where one was asked for; the same on every server."""
        return f"openai/{self._model.space(sized=True)}"

    def _send(self, texts: list[str], *, is_query: bool) -> list[JsonValue]:
        body: dict[str, object] = {"model": self._model.model, "input": texts, "encoding_format": "float"}
        if self._model.dimensions is not None:
            body["dimensions"] = self._model.dimensions
        reply = self._post("/embeddings", body, is_query=is_query)
        data = reply.get("data") if isinstance(reply, dict) else None
        if not isinstance(data, list):
            raise PartUnavailable("the server's reply holds no embeddings", part=self._part)
        # The order of the list is not promised; `index` is.
        vectors: dict[int, JsonValue] = {}
        for place, entry in enumerate(data):
            if isinstance(entry, dict):
                index = entry.get("index", place)
                vectors[index if isinstance(index, int) else place] = entry.get("embedding")
        return [vectors[index] for index in sorted(vectors)]
