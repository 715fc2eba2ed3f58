"""Asking for JSON: what counts as fitting, when to ask again, and what an error may say."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

import jsonschema
import msgspec
import pytest

from palazzo.adapters.completion import Message, RawReply, ask, find_fault
from palazzo.errors import PartUnavailable
from palazzo.ports import CompletionReply, CompletionRequest
from palazzo.testing.palace import everything_said


class Facts(msgspec.Struct, forbid_unknown_fields=True):
    facts: list[str]


SECRET = "a remembered sentence"
REQUEST = CompletionRequest(purpose="find_facts", prompt=SECRET, reply=Facts, instructions="List the facts.")


class Conversation:
    """Sends back scripted texts and keeps what it was given."""

    def __init__(self, *texts: str, **details: Any) -> None:
        self.texts = list(texts)
        self.details = details
        self.heard: list[list[Message]] = []

    def send(self, messages: list[Message]) -> RawReply:
        self.heard.append(list(messages))
        return RawReply(text=self.texts.pop(0), model="m", **self.details)

    def ask(self, request: CompletionRequest = REQUEST, **choices: int) -> CompletionReply:
        send: Callable[[list[Message]], RawReply] = self.send
        return ask(request, send, part="test part", **choices)


def test_a_fitting_reply_is_returned_with_its_cost() -> None:
    talk = Conversation('{"facts": ["x"]}', prompt_tokens=10, reply_tokens=3)
    reply = talk.ask()
    assert reply == CompletionReply(value={"facts": ["x"]}, model="m", attempts=1, prompt_tokens=10, reply_tokens=3)
    assert talk.heard == [[{"role": "system", "content": "List the facts."}, {"role": "user", "content": SECRET}]]


def test_without_instructions_there_is_no_system_message() -> None:
    talk = Conversation("1")
    talk.ask(CompletionRequest(purpose="count", prompt="how many", reply=int))
    assert [message["role"] for message in talk.heard[0]] == ["user"]


@pytest.mark.parametrize(
    "text",
    ['```json\n{"facts": []}\n```', '```\n{"facts": []}```', '  {"facts": []}\n', '\n```JSON\n{"facts": []}\n```\n'],
)
def test_a_markdown_fence_around_the_json_is_taken_off(text: str) -> None:
    assert Conversation(text).ask().value == {"facts": []}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Sure! Here you are", "not JSON"),
        ("", "not JSON"),
        ('{"facts": "x"}', r"\$\.facts: Expected `array`"),
        ('{"facts": [], "more": 1}', r"\$: does not fit"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_an_unfit_reply_is_asked_for_again_with_its_fault(text: str, fault: str) -> None:
    talk = Conversation(text, '{"facts": []}', prompt_tokens=5, reply_tokens=2)
    reply = talk.ask()
    assert (reply.attempts, reply.prompt_tokens, reply.reply_tokens) == (2, 10, 4)
    again = talk.heard[1]
    assert again[:2] == talk.heard[0]
    assert again[2] == {"role": "assistant", "content": text}
    assert re.search(fault, again[3]["content"])


def test_when_no_reply_fits_the_part_is_unavailable_and_nothing_leaks() -> None:
    talk = Conversation(f'{{"{SECRET}": 1}}', f'["{SECRET}"]', f"no json {SECRET}")
    with pytest.raises(PartUnavailable, match="in 3 attempts: the reply is not JSON") as caught:
        talk.ask(attempts=3)
    assert SECRET not in everything_said(caught.value)


def test_a_reply_that_was_cut_off_is_not_asked_for_again() -> None:
    talk = Conversation('{"facts": ["x', cut_off=True)
    with pytest.raises(PartUnavailable, match="cut off at 1024 tokens"):
        talk.ask()
    assert len(talk.heard) == 1


def test_a_cut_off_reply_that_fits_is_taken() -> None:
    assert Conversation('{"facts": []}', cut_off=True).ask().value == {"facts": []}


def test_a_model_that_declines_is_not_pressed() -> None:
    talk = Conversation(SECRET, declined=True)
    with pytest.raises(PartUnavailable, match="declined") as caught:
        talk.ask()
    assert SECRET not in everything_said(caught.value)
    assert len(talk.heard) == 1


class Berth(msgspec.Struct, forbid_unknown_fields=True):
    sort: Literal["quay", "buoy"]
    depth_m: Annotated[float, msgspec.Meta(ge=0)]


class Berths(msgspec.Struct, forbid_unknown_fields=True):
    berths: Annotated[list[Berth], msgspec.Meta(max_length=2)]


ASKED = CompletionRequest(purpose="berths", prompt="x", reply=Berths)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"berths": [{"sort": "quay", "depth_m": 3}, {"sort": SECRET, "depth_m": 3}]}, "$.berths[1].sort"),
        ({"berths": [{"sort": "quay", "depth_m": -1}]}, "$.berths[0].depth_m"),
        ({"berths": [{"sort": "quay"}]}, "$.berths[0]"),
        ({"berths": [{"sort": "quay", "depth_m": 1, SECRET: 1}]}, "$.berths[0]"),
        ({"berths": [{"sort": "quay", "depth_m": 1}] * 3}, "$.berths"),
        ({"berths": True}, "$.berths"),
        ([SECRET], "$"),
    ],
)
def test_a_fault_is_told_by_its_place_and_repeats_nothing_of_the_reply(value: Any, place: str) -> None:
    fault = find_fault(msgspec.json.encode(value), ASKED)
    assert fault.startswith(f"{place}: ")
    assert SECRET not in fault
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, dict(ASKED.schema))


def test_what_fits_the_type_fits_the_schema_that_is_sent() -> None:
    value = {"berths": [{"sort": "buoy", "depth_m": 2.5}]}
    assert find_fault(msgspec.json.encode(value), ASKED) == ""
    jsonschema.validate(value, dict(ASKED.schema))
    assert ASKED.schema["type"] == "object"


def test_requests_and_replies_do_not_show_content_when_printed() -> None:
    reply = CompletionReply(value={"facts": [SECRET]}, model="m")
    raw = RawReply(text=SECRET, model="m")
    assert SECRET not in repr(REQUEST) + repr(reply) + repr(raw)
