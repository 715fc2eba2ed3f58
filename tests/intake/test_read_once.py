"""One message is cut into words and stemmed once, however many stages read it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from tests.intake.conftest import Palace

from palazzo.model.message import Message
from palazzo.text.words import grammar, tokens
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.remembered import forget_texts

LONG = " ".join(
    f"Crate {number} of the harbour store holds lanterns from Bergen and rope for boat {number}."
    for number in range(40)
)
MESSAGES = [
    "I keep two goats, and since last autumn I live in a boathouse near Bergen.",
    "My neighbour Ingrid repairs nets. She sold her trawler on Tuesday for 9,000 euros.",
    LONG,
]


@contextmanager
def counted(*functions: Callable[..., Any]) -> Iterator[Counter[tuple[str, str]]]:
    """How often each of these functions is entered, with the text it is given."""
    codes = {function.__code__: function.__name__ for function in functions}
    found: Counter[tuple[str, str]] = Counter()

    def seen(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in codes:
            found[codes[frame.f_code], frame.f_locals["text"]] += 1

    sys.setprofile(seen)
    try:
        yield found
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("text", MESSAGES, ids=["statement", "turn", "long"])
@pytest.mark.parametrize("manner", ["remember", "observe"])
def test_a_message_is_tokenised_and_stemmed_once(palace: Palace, manner: str, text: str) -> None:
    take = palace.engine.remember_many if manner == "remember" else palace.engine.observe
    take([Message(text="The kettle in the kitchen is blue.")])  # the first message loads words and patterns
    forget_texts(None)
    with counted(tokens.terms, grammar.tokenize) as found:
        assert take([Message(text=text)]).memory_ids
    again = {one: number for one, number in found.items() if number > 1 and " " in one[1]}
    assert not again
    assert any(name == "terms" for name, _ in found)


def test_what_was_read_of_a_text_is_kept_until_texts_are_forgotten() -> None:
    text = "The lighthouse keeper counts gulls."
    first = parsed(text)
    assert first.terms is parsed(text).terms
    assert first.tokens is first.said
    assert first.language == "en"
    forget_texts(None)
    assert parsed(text) is not first


def test_a_reader_is_asked_once_for_each_text_and_what_else_it_is_told() -> None:
    asked: list[tuple[str, int]] = []

    @once
    def reader(text: str, width: int = 1) -> str:
        asked.append((text, width))
        return text[:width]

    assert [reader("heron"), reader("heron"), reader("heron", 2), reader("heron", 2), reader("egret")] == [
        "h", "h", "he", "he", "e",
    ]  # fmt: skip
    assert asked == [("heron", 1), ("heron", 2), ("egret", 1)]
    forget_texts(None)
