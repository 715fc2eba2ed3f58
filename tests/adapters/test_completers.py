"""The OpenAI and Ollama completers against a real local server: what they send, and every way it can go wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

import msgspec
import pytest
from tests.adapters.scripted_server import ScriptedReply, ScriptedServer

from palazzo.adapters.ollama import OllamaCompleter, OllamaModel
from palazzo.adapters.openai import ChatModel, OpenAICompleter
from palazzo.adapters.remote import Endpoint
from palazzo.errors import PartUnavailable
from palazzo.ports import Completer, CompletionRequest
from palazzo.testing.palace import everything_said

KEY = "key-for-tests-4711"
SECRET = "a remembered sentence"


class Told(msgspec.Struct, forbid_unknown_fields=True):
    kind: Literal["fact", "plan"]


SCHEMA = {
    "title": "Told",
    "type": "object",
    "properties": {"kind": {"enum": ["fact", "plan"]}},
    "required": ["kind"],
    "additionalProperties": False,
}
REQUEST = CompletionRequest(purpose="tell_kind", prompt=SECRET, reply=Told, instructions="Which kind?", max_tokens=50)
KINDS = ["openai", "ollama"]


class Opened:
    """Makes completers on the test's server and closes them."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self.waits: list[float] = []
        self._made: list[OpenAICompleter | OllamaCompleter] = []

    def completer(self, kind: str, timeout_s: float = 30, **model: Any) -> Completer:
        made: OpenAICompleter | OllamaCompleter
        if kind == "openai":
            endpoint = Endpoint(url=f"{self.server.url}/v1", key=KEY, timeout_s=timeout_s)
            made = OpenAICompleter(endpoint, ChatModel(model="m", **model), sleep=self.waits.append)
        else:
            endpoint = Endpoint(url=self.server.url, key=KEY, timeout_s=timeout_s)
            made = OllamaCompleter(endpoint, OllamaModel(model="m", **model), sleep=self.waits.append)
        self._made.append(made)
        return made

    def close(self) -> None:
        for made in self._made:
            made.close()


@pytest.fixture
def opened(server: ScriptedServer) -> Iterator[Opened]:
    maker = Opened(server)
    yield maker
    maker.close()


def said(text: str, *, reason: str = "stop", **message: Any) -> ScriptedReply:
    """One reply that both kinds of completer understand."""
    body = {"role": "assistant", "content": text, **message}
    return ScriptedReply(
        value={
            "choices": [{"message": body, "finish_reason": reason}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 5},
            "message": body,
            "done_reason": reason,
            "prompt_eval_count": 20,
            "eval_count": 5,
        }
    )


GOOD = said('{"kind": "plan"}')


def test_openai_is_sent_the_messages_the_schema_and_the_limits(opened: Opened) -> None:
    opened.server.script = [GOOD]
    opened.completer("openai").complete(REQUEST)
    (got,) = opened.server.received
    assert got.path == "/v1/chat/completions"
    assert got.headers["Authorization"] == f"Bearer {KEY}"
    assert got.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Which kind?"}, {"role": "user", "content": SECRET}],
        "max_tokens": 50,
        "temperature": 0.0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "tell_kind", "schema": SCHEMA, "strict": True},
        },
    }


def test_openai_models_that_reason_get_what_they_take(opened: Opened) -> None:
    opened.server.script = [GOOD]
    opened.completer("openai", temperature=None, limit_field="max_completion_tokens").complete(REQUEST)
    body = opened.server.received[0].body
    assert body["max_completion_tokens"] == 50
    assert not {"temperature", "max_tokens"} & body.keys()


def test_ollama_is_sent_the_messages_the_schema_and_the_limits(opened: Opened) -> None:
    opened.server.script = [GOOD]
    opened.completer("ollama", context_tokens=8192).complete(REQUEST)
    (got,) = opened.server.received
    assert got.path == "/api/chat"
    assert got.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Which kind?"}, {"role": "user", "content": SECRET}],
        "stream": False,
        "format": SCHEMA,
        "options": {"temperature": 0.0, "num_predict": 50, "num_ctx": 8192},
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_fitting_reply_is_returned_with_model_and_cost(opened: Opened, kind: str) -> None:
    opened.server.script = [GOOD]
    completer = opened.completer(kind)
    reply = completer.complete(REQUEST)
    assert reply.value == {"kind": "plan"}
    assert (reply.model, reply.attempts, reply.prompt_tokens, reply.reply_tokens) == ("m", 1, 20, 5)
    assert completer.name == f"{kind}/m"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["not json", '{"kind": "plan"', '{"kind": "dream"}', "{}", "[]", ""])
def test_malformed_json_and_schema_violations_are_asked_for_again(opened: Opened, kind: str, text: str) -> None:
    opened.server.script = [said(text), GOOD]
    assert opened.completer(kind).complete(REQUEST).attempts == 2
    second = opened.server.received[1].body["messages"]
    assert [message["role"] for message in second] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_never_fits_is_given_up_without_a_leak(opened: Opened, kind: str) -> None:
    opened.server.script = [said(json.dumps({SECRET: SECRET}))] * 3
    with pytest.raises(PartUnavailable, match="no fitting reply to tell_kind in 2 attempts") as caught:
        opened.completer(kind).complete(REQUEST)
    assert caught.value.part == f"{kind} completer m"
    assert SECRET not in everything_said(caught.value)
    assert len(opened.server.received) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_busy_server_is_waited_for(opened: Opened, kind: str) -> None:
    opened.server.script = [ScriptedReply(status=429, headers={"Retry-After": "3"}), ScriptedReply(status=503), GOOD]
    assert opened.completer(kind).complete(REQUEST).value == {"kind": "plan"}
    assert opened.waits == [3.0, 1.0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_stays_busy_is_given_up(opened: Opened, kind: str) -> None:
    opened.server.script = [ScriptedReply(status=429)] * 3
    with pytest.raises(PartUnavailable, match="too many requests"):
        opened.completer(kind).complete(REQUEST)


@pytest.mark.parametrize("kind", KINDS)
def test_a_silent_server_is_given_up(opened: Opened, kind: str) -> None:
    opened.server.script = [ScriptedReply(hang_after=0)] * 3
    with pytest.raises(PartUnavailable, match="did not answer"):
        opened.completer(kind, timeout_s=0.1).complete(REQUEST)


@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_that_was_cut_off_says_so(opened: Opened, kind: str) -> None:
    opened.server.script = [said('{"kind": "pl', reason="length")]
    with pytest.raises(PartUnavailable, match="cut off at 50 tokens"):
        opened.completer(kind).complete(REQUEST)


@pytest.mark.parametrize("reply", [said("", refusal="I cannot"), said("", reason="content_filter")])
def test_an_openai_refusal_is_an_error_not_an_empty_answer(opened: Opened, reply: ScriptedReply) -> None:
    opened.server.script = [reply]
    with pytest.raises(PartUnavailable, match="declined"):
        opened.completer("openai").complete(REQUEST)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "value", [{}, [], None, {"choices": [], "message": []}, {"choices": [{"message": "x"}], "message": "x"}]
)
def test_a_reply_without_a_message_is_an_error(opened: Opened, kind: str, value: Any) -> None:
    opened.server.script = [ScriptedReply(value=value)]
    with pytest.raises(PartUnavailable, match="no message"):
        opened.completer(kind).complete(REQUEST)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_counts_are_none_not_guesses(opened: Opened, kind: str) -> None:
    body = {"content": '{"kind": "fact"}'}
    opened.server.script = [ScriptedReply(value={"choices": [{"message": body}], "message": body})]
    reply = opened.completer(kind).complete(REQUEST)
    assert (reply.prompt_tokens, reply.reply_tokens) == (None, None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_servers_error_text_is_not_passed_on(opened: Opened, kind: str) -> None:
    opened.server.script = [ScriptedReply(value={"error": f"{SECRET} {KEY}"}, status=400)]
    with pytest.raises(PartUnavailable) as caught:
        opened.completer(kind).complete(REQUEST)
    assert SECRET not in everything_said(caught.value)
    assert KEY not in everything_said(caught.value)
