"""Index terms, token estimates and the normal form of a text."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.words import tokens
from palazzo.text.words.tokens import (
    STOP_WORDS,
    content_hash,
    content_terms,
    estimate_tokens,
    normalise,
    terms,
)

PIECES = [
    "I",
    "don't",
    "n't",
    "'s",
    "Anna's",
    "3.5",
    "1,000",
    "C++",
    "你好",
    "👍🏽",
    "é",
    "ß",
    "\u0301",
    "\ud800",
    "?",
    "- ",
    "’",
]
ANY_TEXT = st.one_of(
    st.text(alphabet=st.characters(codec=None), max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
)


def test_words_are_folded_and_stemmed() -> None:
    assert terms("Running RUNS run") == ["run", "run", "run"]


def test_diacritics_of_latin_letters_are_folded() -> None:
    assert terms("Café Łódź Ærø straße") == terms("cafe lodz aero strasse")


def test_cyrillic_letters_keep_their_marks_but_yo_meets_ye() -> None:
    assert terms("май") != terms("маи")
    assert terms("ёлка") == terms("елка")


def test_arabic_and_hebrew_vowel_points_do_not_matter() -> None:
    assert terms("مُحَمَّد") == terms("محمد")
    assert terms("שָׁלוֹם") == terms("שלום")


def test_devanagari_words_are_not_split_at_vowel_signs() -> None:
    assert len(terms("हिन्दी भाषा")) == 2


def test_chinese_japanese_korean_and_thai_become_bigrams() -> None:
    assert terms("东京塔") == ["东京", "京塔"]
    assert terms("서울에") == ["서울", "울에"]
    assert terms("すし") == ["すし"]
    assert terms("水") == ["水"]
    assert terms("กขค") == ["กข", "ขค"]


def test_mixed_scripts_split_where_the_script_changes() -> None:
    assert terms("iPhone买了2台") == ["iphon", "买了", "2", "台"]


def test_possessives_and_contractions_are_taken_apart() -> None:
    assert terms("Anna's dog") == ["anna", "dog"]
    assert terms("don't") == terms("dont") == terms("don’t") == ["do", "not"]
    assert terms("I'm we'll they've can't") == ["i", "am", "we", "will", "they", "have", "can", "not"]


def test_a_torn_off_contraction_keeps_its_meaning() -> None:
    assert terms("n't") == ["not"]
    assert terms("'s") == ["s"]


def test_numbers_are_kept_and_thousands_marks_do_not_matter() -> None:
    assert terms("3.14 and 1,250,000 in 2024") == ["3.14", "and", "1250000", "in", "2024"]
    assert terms("1,2,3") == ["1", "2", "3"]


def test_language_names_made_of_punctuation_are_told_apart() -> None:
    assert terms("C++")[0] != terms("C#")[0] != terms("C")[0]


def test_emoji_are_terms_without_skin_tone_or_joiner() -> None:
    assert terms("👍🏽") == terms("👍") == ["👍"]
    assert terms("👨‍👩‍👧") == ["👨", "👩", "👧"]
    assert terms("🇩🇪") == ["🇩🇪"]


def test_stop_words_are_in_the_form_of_terms() -> None:
    sample = "because only very before myself during every themselves was the and of to"
    assert set(terms(sample)) <= STOP_WORDS
    assert content_terms("because of the garden") == ["garden"]


def test_an_endless_word_becomes_one_bounded_term() -> None:
    assert [len(term) for term in terms("a" * 100_000)] == [64]


def test_terms_are_the_same_from_many_threads() -> None:
    text = " ".join(f"walking{chr(97 + i % 26)}ing talked{i}" for i in range(500))
    expected = terms(text)
    seen: list[list[str]] = []
    workers = [threading.Thread(target=lambda: seen.append(terms(text))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(found == expected for found in seen)


@given(ANY_TEXT)
def test_any_string_gives_terms_that_are_never_empty(text: str) -> None:
    assert all(term and not term.isspace() for term in terms(text))


@given(ANY_TEXT)
def test_case_does_not_change_the_terms_of_ascii_text(text: str) -> None:
    plain = "".join(char for char in text if char.isascii())
    assert terms(plain.upper()) == terms(plain)


@given(ANY_TEXT, ANY_TEXT)
def test_terms_of_two_paragraphs_are_the_terms_of_each(first: str, second: str) -> None:
    assert terms(f"{first} \n {second}") == terms(first) + terms(second)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("I like tea.", "i like  tea"),
        ("“I like tea”", "I like tea!"),
        ("- I like tea", "I like tea"),
        ("I’m home", "I'm home"),
        ("ＡＢＣ", "abc"),
        ("\ufeffhello\u200b", "hello"),
    ],
)
def test_texts_that_differ_in_form_only_have_one_hash(left: str, right: str) -> None:
    assert content_hash(left) == content_hash(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [("He got the job.", "He got the job?"), ("I write C", "I write C++"), ("-5", "5"), ("...", "!!!")],
)
def test_texts_that_differ_in_meaning_have_different_hashes(left: str, right: str) -> None:
    assert content_hash(left) != content_hash(right)


@given(ANY_TEXT)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert len(content_hash(text)) == 32


@given(ANY_TEXT, ANY_TEXT)
def test_a_longer_text_never_has_fewer_tokens_than_its_parts_by_much(first: str, second: str) -> None:
    assert estimate_tokens(f"{first} {second}") >= estimate_tokens(first) + estimate_tokens(second) - 4


def test_token_estimates_are_near_known_counts() -> None:
    assert 9 <= estimate_tokens("The quick brown fox jumps over the lazy dog.") <= 12
    assert 5 <= estimate_tokens("我喜欢喝茶") <= 8
    assert estimate_tokens("") == 0
    assert estimate_tokens("hi") == 1


@given(ANY_TEXT)
def test_folding_is_safe_and_bounded(text: str) -> None:
    assert len(tokens.fold(text)) <= 20 * len(text) + 1
