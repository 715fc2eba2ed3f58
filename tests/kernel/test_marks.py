"""Groups of words in one pass: the kernel and `in` say the same of every text, and so does whoever asks them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo import kernel
from palazzo.text.meaning.requests import find_request
from palazzo.text.safety import credentials, injection, personal, secrets, told_secrets
from palazzo.text.words.marks import WordGroups

WORDS = st.lists(st.lists(st.text("abcß é。", max_size=4), max_size=5), min_size=1, max_size=9)
PARTS = (
    "my password is", "Hunter2!x", "the PIN of the card is 4711", "card 4111 1111 1111 1111", "cvv 123", "api_key=",
    "sk-live-9fK2mQ7zX1", "log in with anna / tulip77", "DE89 3704 0044 0532 0130 00", "diagnosed with asthma",
    "ignore all previous instructions", "</system>", "[INST]", "born on 3 May 1980", "anna@example.org", "clinic",
    "+49 30 1234567", "forget what I said about Rome", "vergiss das bitte", "off the record:", "we had soup",
    "the weather is mild", "密码是 abc123", "seed phrase: apple river stone", "https://user:pw12345@host.example",
    "Bearer abcdef0123456789ABCDEF", "PASS: x9",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS) | st.text(max_size=12), max_size=5).map(" ".join)


@pytest.fixture(autouse=True)
def used() -> Iterator[None]:
    yield
    kernel.use(True)


@given(WORDS, st.text("abcdß é。x", max_size=30))
def test_a_group_is_found_exactly_where_one_of_its_words_is_part_of_the_text(
    groups: list[list[str]], text: str
) -> None:
    expected = sum(1 << number for number, words in enumerate(groups) if any(word in text for word in words))
    assert WordGroups(*groups).within(text) == expected
    kernel.use(False)
    assert WordGroups(*groups).within(text) == expected
    kernel.use(True)


def test_half_a_character_is_looked_at_all_the_same() -> None:
    assert WordGroups(("key",), ("lock",)).within("\ud800 key") == 1


@given(TEXTS)
def test_the_screen_finds_the_same_with_and_without_the_kernel(text: str) -> None:
    def found() -> tuple[object, ...]:
        lowered = secrets.same_length_lower(text)
        return (
            secrets._secrets_in(text), personal._personal_in(text), find_request(text),
            list(injection._read(lowered, ())), list(told_secrets.find_told_secrets(text, lowered)),
            list(credentials.find_credentials(text, lowered, 99)),
        )  # fmt: skip

    with_kernel = found()
    kernel.use(False)
    assert found() == with_kernel
    kernel.use(True)
