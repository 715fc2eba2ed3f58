"""The marks of corrections are in whatever their patterns find: a sentence without any is spared the patterns."""

from __future__ import annotations

import re
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from palazzo.text.change.corrections import LANGUAGES, _hint, _readers, _readers_of, find_correction
from palazzo.text.words.lexicon import page


def needed(steps: Any) -> frozenset[str]:
    """The longest words of which one stands in whatever a pattern finds; letters in a row are one word."""
    found, run = [frozenset({""})], ""
    for step, told in (*steps, (None, None)):
        if str(step) == "LITERAL":
            run += chr(told).lower()
            continue
        found, run = [*found, frozenset({run})], ""
        if str(step) == "SUBPATTERN":
            found.append(needed(told[-1]))
        elif str(step) == "BRANCH":
            found.append(frozenset[str]().union(*map(needed, told[1])))
        elif str(step) in ("MAX_REPEAT", "MIN_REPEAT") and told[0]:
            found.append(needed(told[2]))
    return max(found, key=lambda words: (min(map(len, words)), -len(words)))


@pytest.mark.parametrize("at", range(len(LANGUAGES)), ids=LANGUAGES)
def test_every_pair_and_slip_has_one_of_the_marks_of_its_language(at: int) -> None:
    reader, marks = _readers()[at], page("corrections", LANGUAGES[at]).listing("marks").split("|")
    for pattern in (reader.instead, reader.slip):
        for word in needed(_parser.parse(pattern.pattern, pattern.flags)):
            assert any(mark in word for mark in marks), word


def test_a_correction_is_found_in_every_language_behind_its_marks() -> None:
    told = (
        "9, not 8",
        "Dienstag, nicht Montag",
        "9, pas 8",
        "9, no 8",
        "9, non 8",
        "9, não 8",
        "9, niet 8",
        "*Helsinki",
    )
    for one in (*told, "Helsinki, oops"):
        assert find_correction(one) is not None, one


def test_most_sentences_are_spared() -> None:
    assert not _readers_of("The terns come back in April.")


def test_a_sign_and_a_word_behind_it_hint_at_a_sentence_that_puts_itself_right() -> None:
    joints = re.compile(r"\s*[,;…]\s*|\s+[–—-]+\s+|\s*—\s*|\.{2,}\s*")
    for sign in (", ", ",", "; ", "…", " - ", " -- ", "-", "- ", " –", "—", " — ", ". ", ".. ", "...", " ... "):
        said = f"at three{sign}wait at four"
        expected = re.search(rf"(?:{joints.pattern})wait", said) is not None
        assert (_hint().search(said) is not None) == expected, sign
