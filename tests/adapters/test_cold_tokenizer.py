"""The cold tokenizer agrees with the real one wherever it answers, and does not answer where it might not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.adapters.model_files import encode, load_tokenizer
from palazzo.adapters.wordllama_embedder import FOLDER, TOKENIZER, VOCABULARY, BytePairs, ColdTokenizer

PATH = FOLDER / TOKENIZER
COLD = ColdTokenizer.read(FOLDER / VOCABULARY)
PAIRS = BytePairs.read(PATH, part="test part")
REAL: Any = load_tokenizer(PATH, part="test part")


def real(text: str) -> list[int]:
    found: list[int] = encode(REAL, text, special_tokens=False).ids
    return found


def cold(text: str) -> list[int] | None:
    """The token numbers put together word by word; None where the cold tokenizer does not answer."""
    assert COLD is not None
    if not COLD.has_plain_words(text):
        return None
    words = [COLD.encode_word(word) for word in text.split(" ")]
    return None if None in words else [number for word in words for number in word or ()]


def test_the_vocabulary_beside_the_rules_is_theirs() -> None:
    numbers = REAL.get_vocab()
    assert (FOLDER / VOCABULARY).read_bytes().decode().split("\n") == sorted(numbers, key=numbers.__getitem__)


ORDINARY = [
    "Where did we leave the bicycle?",
    'She said: "don\'t!", then e-mailed foo@bar.example at 12:45.',
    "Grüße aus Zürich, à bientôt",
    "東京で会いましょう 🎈 до свидания",
    "Antidisestablishmentarianism refactored kubectl_apply() -> xyzzyqqq",
    "line one\nline two\tand a tab",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_texts_are_tokenized_as_the_real_tokenizer_would(text: str) -> None:
    assert cold(text) == real(text)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="abcdeinorstu ", max_size=60) | st.from_regex(r"(\w{1,12} ){1,6}\w+"))
def test_whatever_it_answers_the_real_tokenizer_answers_too(text: str) -> None:
    found = cold(text)
    assert found is None or found == real(text)


@pytest.mark.parametrize(
    "text", ["", " x", "x ", "two  spaces", "a <s> b", "</s>", "<unk>", "a\u2581b", "\ud800", "x" * 50, "word " * 500]
)
def test_what_it_cannot_know_is_left_to_the_real_tokenizer(text: str) -> None:
    assert cold(text) is None


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=40) | st.from_regex(r"(\w{1,12}[,.!?]? ){1,6}\w+\n?"))
def test_words_tokenized_one_by_one_give_the_tokens_of_the_text(text: str) -> None:
    assert COLD is not None
    if COLD.has_plain_words(text):
        assert [number for word in text.split(" ") for number in real(word)] == real(text)


def test_without_a_vocabulary_the_real_tokenizer_answers(tmp_path: Path) -> None:
    assert ColdTokenizer.read(tmp_path / "absent.txt") is None


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="ab <>s/unk\u2581é ", max_size=40))
def test_the_merge_rules_give_every_text_the_numbers_of_the_library(text: str) -> None:
    assert PAIRS.encode(text) == real(text)


@pytest.mark.parametrize("text", [*ORDINARY, "run   of spaces ", "</s><s>", "a" * 500, "\u2581\u2581 x"])
def test_the_merge_rules_agree_on_what_the_cold_tokenizer_leaves_open(text: str) -> None:
    assert PAIRS.encode(text) == real(text)
