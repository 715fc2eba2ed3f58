"""Gets a fitting JSON value out of a language model: asks, checks, and asks once more with the fault named.

Owns the conversation and the loan of a model for one call. Knows nothing of servers: the caller gives it a function
that sends messages. Invariants: what is returned fits the type that was asked for; a fault is described by its place in
the value and what was expected there, so errors stay free of content; a loan belongs to the thread or task that made
it, and outside one there is no model, which is no failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from palazzo.errors import PartUnavailable
from palazzo.ports import Completer, CompletionReply, CompletionRequest, JsonValue

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

    @classmethod
    def of(
        cls,
        content: object,
        *,
        model: str,
        cut_off: bool,
        declined: bool = False,
        tokens: tuple[object, object],
    ) -> RawReply:
        """A reply from what a server sent, which may be anything: no text is the empty one, no count is None."""
        asked, answered = tokens
        return cls(
            text=content if isinstance(content, str) else "",
            model=model,
            cut_off=cut_off,
            declined=declined,
            prompt_tokens=asked if isinstance(asked, int) else None,
            reply_tokens=answered if isinstance(answered, int) else None,
        )


def ask(
    request: CompletionRequest, send: Callable[[list[Message]], RawReply], *, part: str, attempts: int = 2
) -> CompletionReply:
    """Put the request to `send` until the reply fits, `attempts` times at most.

    Raises: PartUnavailable if no reply fits, and whatever `send` raises.
    """
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
        value, fault = _parse(raw.text, request)
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


def _parse(text: str, request: CompletionRequest) -> tuple[JsonValue, str]:
    """The value and no fault, or None and the fault."""
    written = _unfenced(text)
    try:
        value = msgspec.json.decode(written)
    except msgspec.DecodeError:
        return None, "the reply is not JSON"
    except RecursionError:
        return None, "the reply is nested too deeply"
    return value, find_fault(written, request)


def find_fault(written: str | bytes, request: CompletionRequest) -> str:
    """Where and why JSON does not fit, such as "$.items[2].kind: Expected `str`, got `int`"; empty if it fits.

    What stands there is not repeated: an error is to be free of content.
    """
    try:
        msgspec.json.decode(written, type=request.reply)
    except msgspec.ValidationError as error:
        words, _, place = str(error).partition(" - at ")
        told = words if words.startswith(("Expected", "Object missing")) else "does not fit the schema"
        return f"{place.strip('`') or '$'}: {told}"
    return ""


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


_LENT: ContextVar[Completer | None] = ContextVar("palazzo_lent_completer", default=None)


def lent_completer() -> Completer | None:
    """The model lent to this call, if there is one."""
    return _LENT.get()


@contextmanager
def lend(completer: Completer | None) -> Iterator[None]:
    """Lends a model to what runs inside the block."""
    token = _LENT.set(completer)
    try:
        yield
    finally:
        _LENT.reset(token)
