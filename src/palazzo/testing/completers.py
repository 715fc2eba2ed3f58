"""A completer that answers from a script, for tests of whatever asks a language model.

Owns the script and the record of what was asked. Replies pass the same schema check as a real model's. A
script that runs out or does not fit the schema is the test's own mistake, so it fails as an assertion, not as
a missing part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from palazzo.adapters.json_schema import find_fault
from palazzo.errors import PalazzoError
from palazzo.ports import CompletionReply, CompletionRequest, JsonValue

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
        fault = find_fault(value, request.schema)
        if fault is not None:
            raise AssertionError(f"the scripted reply to {request.purpose} does not fit its schema: {fault}")
        return CompletionReply(value=value, model=self._name)
