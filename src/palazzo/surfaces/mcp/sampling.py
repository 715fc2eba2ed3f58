"""The client's own model as a completer: MCP sampling, for clients that offer it.

Owns the way from a completion request to a sampling request and back. Runs in the worker thread of a tool call and asks
through the event loop. Invariant: a client that declines or answers nonsense costs the model's reading, never the call.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, Final

import anyio
import anyio.from_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from palazzo.adapters.completion import Message, RawReply, ask
from palazzo.errors import PartUnavailable
from palazzo.ports import CompletionReply, CompletionRequest

PART: Final = "sampling"
PATIENCE_S: Final = 60.0


def offered(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether this client lends its model and can be asked while a call of its own runs."""
    known = context.session.client_params
    return known is not None and known.capabilities.sampling is not None and context.session.can_send_request


class SamplingCompleter:
    """Asks the model of the client whose call this is."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self._context = context

    @property
    def name(self) -> str:
        known = self._context.session.client_params
        return f"sampling/{known.client_info.name if known else 'client'}"

    def complete(self, request: CompletionRequest) -> CompletionReply:
        """Answers with a value that fits, or raises.

        Raises: PartUnavailable.
        """
        return ask(request, partial(self._send, request.max_tokens), part=PART)

    def _send(self, max_tokens: int, messages: list[Message]) -> RawReply:
        return anyio.from_thread.run(self._sample, max_tokens, messages)

    async def _sample(self, max_tokens: int, messages: list[Message]) -> RawReply:
        told = "\n".join(m["content"] for m in messages if m["role"] == "system")
        asked = [
            types.SamplingMessage(role=_role(m), content=types.TextContent(type="text", text=m["content"]))
            for m in messages
            if m["role"] != "system"
        ]
        try:
            with anyio.fail_after(PATIENCE_S), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the newest protocol has another way; clients of today have this one
                reply = await self._context.session.create_message(
                    asked, max_tokens=max_tokens, system_prompt=told or None, temperature=0.0,
                    related_request_id=self._context.request_id,
                )  # fmt: skip
        except TimeoutError:
            raise PartUnavailable("the client's model did not answer in time", part=PART) from None
        except MCPError:
            raise PartUnavailable("the client declined to lend its model", part=PART) from None
        if not isinstance(reply.content, types.TextContent):
            raise PartUnavailable("the client's model answered with something other than text", part=PART)
        return RawReply(text=reply.content.text, model=reply.model, cut_off=reply.stop_reason == "maxTokens")


def _role(message: Message) -> Any:
    return "assistant" if message["role"] == "assistant" else "user"
