"""The scripted completer answers in order, keeps what it was asked, and fails a test whose script is wrong."""

from __future__ import annotations

import pytest
from tests.scripted_models import ScriptedCompleter

from palazzo.errors import PartUnavailable
from palazzo.ports import Completer, CompletionRequest


def request(prompt: str = "x") -> CompletionRequest:
    return CompletionRequest(purpose="count", prompt=prompt, reply=int)


def test_replies_come_in_order_and_requests_are_kept() -> None:
    scripted = ScriptedCompleter([1, lambda asked: len(asked.prompt)])
    completer: Completer = scripted
    assert [completer.complete(request("a")).value, completer.complete(request("four")).value] == [1, 4]
    assert [asked.prompt for asked in scripted.requests] == ["a", "four"]
    assert scripted.remaining == 0


def test_a_scripted_error_is_raised() -> None:
    completer = ScriptedCompleter([PartUnavailable("down", part="x"), 2])
    with pytest.raises(PartUnavailable, match="down"):
        completer.complete(request())
    assert completer.complete(request()).value == 2


def test_a_script_that_has_ended_or_does_not_fit_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="no reply is scripted for request 1: count"):
        ScriptedCompleter().complete(request())
    with pytest.raises(AssertionError, match="Expected `int`"):
        ScriptedCompleter(["one"]).complete(request())
