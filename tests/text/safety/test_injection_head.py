"""The head flags attacks in wordings it never learned, in ten languages, lets people's own words be, and is quick."""

from __future__ import annotations

import pkgutil

import pytest
from bench.injection import detection, held_out, microseconds

from palazzo.text.safety import injection_head

FIRST, SECOND = "heldout-1", "heldout-2"


@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_a_held_out_set_is_large_and_speaks_ten_languages(name: str) -> None:
    texts = held_out(name)
    assert sum(one.attack for one in texts) >= 120
    assert sum(not one.attack for one in texts) >= 300
    assert {one.language for one in texts} == {"en", "de", "es", "fr", "it", "pt", "nl", "zh", "ru", "ja"}


def test_three_in_four_unseen_attacks_are_flagged_at_two_in_a_hundred_harmless() -> None:
    told = detection(FIRST)
    assert told["caught"]["rate"] >= 0.75
    assert told["false"]["rate"] <= 0.02


def test_wordings_made_to_be_unlike_any_other_are_flagged_less_and_no_more_of_the_harmless() -> None:
    told = detection(SECOND)
    assert told["caught"]["rate"] >= 0.30
    assert told["false"]["rate"] <= 0.02


def test_forty_words_are_scored_in_less_than_a_third_of_a_millisecond() -> None:
    assert microseconds() <= 300


def test_weights_that_are_cut_or_made_for_other_features_are_refused() -> None:
    raw = pkgutil.get_data("palazzo.text", injection_head.WEIGHTS)
    assert raw is not None
    assert len(raw) < 100_000
    assert injection_head.unpacked(raw) is not None
    assert injection_head.unpacked(b"") is None
    assert injection_head.unpacked(raw[:-1]) is None
    assert injection_head.unpacked(b"INJ0" + raw[4:]) is None
