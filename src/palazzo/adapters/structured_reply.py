"""Gets a fitting JSON value out of a language model: asks, checks, and asks once more with the fault named.

Owns the conversation and the check. Knows nothing of servers: the caller gives it a function that sends
messages. Invariant: what is returned fits the schema. A fault is described by its place in the value, so
errors stay free of content.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from palazzo.adapters.json_schema import check_schema, find_fault
from palazzo.errors import PartUnavailable
from palazzo.ports import CompletionReply, CompletionRequest, JsonValue

Message: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReply:
    """What a server answered, before it is parsed."""

    text: str = field(repr=False)
    model: str
    cut_off: bool = False
    declined: bool = False
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


def ask(
    request: CompletionRequest, send: Callable[[list[Message]], RawReply], *, part: str, attempts: int = 2
) -> CompletionReply:
    """Put the request to `send` until the reply fits, `attempts` times at most.

    Raises: PartUnavailable if no reply fits, InvalidInput if the schema is outside the supported subset, and
    whatever `send` raises.
    """
    check_schema(request.schema)
    messages = [{"role": "system", "content": request.instructions}] if request.instructions else []
    messages.append({"role": "user", "content": request.prompt})
    prompt_tokens: list[int | None] = []
    reply_tokens: list[int | None] = []
    fault = ""
    for number in range(1, attempts + 1):
        raw = send(messages)
        prompt_tokens.append(raw.prompt_tokens)
        reply_tokens.append(raw.reply_tokens)
        if raw.declined:
            raise PartUnavailable(f"the model {raw.model} declined to answer {request.purpose}", part=part)
        value, fault = _parse(raw.text, request.schema)
        if not fault:
            return CompletionReply(
                value=value,
                model=raw.model,
                attempts=number,
                prompt_tokens=_total(prompt_tokens),
                reply_tokens=_total(reply_tokens),
            )
        if raw.cut_off:
            raise PartUnavailable(
                f"the reply to {request.purpose} was cut off at {request.max_tokens} tokens",
                part=part,
                hint="ask for less at once, or allow longer replies",
            )
        messages = [*messages, {"role": "assistant", "content": raw.text}, _correction(fault)]
    raise PartUnavailable(
        f"no fitting reply to {request.purpose} in {attempts} attempts: {fault}",
        part=part,
        hint="use a model that can be held to a JSON schema",
    )


def _parse(text: str, schema: Mapping[str, object]) -> tuple[JsonValue, str]:
    """The value and no fault, or None and the fault."""
    try:
        value = json.loads(_unfenced(text))
    except ValueError:
        return None, "the reply is not JSON"
    except RecursionError:
        return None, "the reply is nested too deeply"
    return cast("JsonValue", value), find_fault(value, schema) or ""


def _unfenced(text: str) -> str:
    """The reply without the Markdown fence that models put around JSON when nothing holds them to it."""
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```") and "\n" in stripped:
        return stripped[stripped.index("\n") + 1 : -3]
    return stripped


def _correction(fault: str) -> Message:
    return {
        "role": "user",
        "content": f"That reply does not fit the schema ({fault}). Reply again with the JSON value only.",
    }


def _total(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
