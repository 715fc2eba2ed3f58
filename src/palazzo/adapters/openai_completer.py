"""Structured replies from any server that speaks OpenAI's `/v1/chat/completions` with a JSON schema.

Owns the form of request and reply. Transport is `http_json`'s; checking and asking again are
`structured_reply`'s, so a server that ignores the schema is found out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from palazzo.adapters.http_json import Endpoint, HttpJson
from palazzo.adapters.json_schema import is_strict
from palazzo.adapters.structured_reply import Message, RawReply, ask
from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.ports import CompletionReply, CompletionRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModel:
    """A chat model on an OpenAI-compatible server.

    `temperature` None leaves it out, as models that reason demand. `limit_field` is how the server calls the
    bound of the reply's length. `attempts` counts questions per request, the ones after an unfit reply
    included.
    """

    model: str
    temperature: float | None = 0.0
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    attempts: int = 2


class OpenAICompleter:
    """Completes with a model behind an OpenAI-compatible address such as https://api.openai.com/v1."""

    def __init__(self, endpoint: Endpoint, model: ChatModel, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Remember where the model is; nothing is sent yet.

        Raises: InvalidInput if the address is not usable.
        """
        self._part = f"openai completer {model.model}"
        self._model = model
        self._http = HttpJson(endpoint, part=self._part, sleep=sleep)

    @property
    def name(self) -> str:
        """The model."""
        return f"openai/{self._model.model}"

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
        body: dict[str, object] = {
            "model": self._model.model,
            "messages": messages,
            self._model.limit_field: request.max_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": request.purpose,
                    "schema": dict(request.schema),
                    "strict": is_strict(request.schema),
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
        content = message.get("content")
        reason = choice.get("finish_reason")
        usage = reply.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        prompt_tokens, reply_tokens = counts.get("prompt_tokens"), counts.get("completion_tokens")
        return RawReply(
            text=content if isinstance(content, str) else "",
            model=self._model.model,
            cut_off=reason == "length",
            declined=bool(message.get("refusal")) or reason == "content_filter",
            prompt_tokens=prompt_tokens if isinstance(prompt_tokens, int) else None,
            reply_tokens=reply_tokens if isinstance(reply_tokens, int) else None,
        )
