"""What a text feels like, from its words and signs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.meaning.kinds import read_affect

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=200)


@pytest.mark.parametrize(
    "text",
    [
        "I love this place",
        "We won the final!",
        "not bad at all",
        "I can't wait for June",
        "Done :)",
        "🎉",
        "no problem",
    ],
)
def test_good_news_has_positive_valence(text: str) -> None:
    assert read_affect(text).valence > 0


@pytest.mark.parametrize(
    "text",
    [
        "My cat died",
        "Our uncle passed away",
        "The build failed again",
        "That was not great",
        "No, that is wrong, I meant Tuesday",
        "He got laid off",
        "Sad :(",
        "💔",
        "This is no fun",
    ],
)
def test_bad_news_has_negative_valence(text: str) -> None:
    assert read_affect(text).valence < 0


@pytest.mark.parametrize("text", ["", "The train leaves at nine.", "a = b + c", "会議は三時です"])
def test_a_plain_statement_reads_as_neutral(text: str) -> None:
    assert (read_affect(text).valence, read_affect(text).intensity) == (0.0, 0.0)


def test_emphasis_raises_intensity() -> None:
    plain = read_affect("I am excited about the trip")
    for louder in ("I am excited about the trip!!!", "I am SO excited about the trip", "I am sooooo excited about it"):
        assert read_affect(louder).intensity > plain.intensity


def test_intensifiers_and_softeners_scale_the_feeling() -> None:
    weak, plain, strong = (read_affect(f"I was {word} upset") for word in ("slightly", "", "extremely"))
    assert weak.intensity < plain.intensity < strong.intensity


def test_urgency_counts_without_a_feeling_word() -> None:
    assert read_affect("Please send the form asap").intensity > 0


def test_one_loss_outweighs_small_pleasures() -> None:
    assert read_affect("The soup was nice but grandma died").valence < 0


@given(ANY_TEXT)
def test_figures_stay_in_range(text: str) -> None:
    affect = read_affect(text)
    assert -1.0 <= affect.valence <= 1.0
    assert 0.0 <= affect.intensity <= 1.0
    assert 0.0 <= affect.arousal <= 1.0
