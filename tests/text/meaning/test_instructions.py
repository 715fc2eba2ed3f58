"""A standing instruction is known whatever language so few words are taken for."""

from __future__ import annotations

import pytest

from palazzo.text.meaning.instructions import is_passing, read_ahead, tells_to_always
from palazzo.text.words.remembered import forget_texts


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        ("Nenne Preise stets in Franken.", True),
        ("Schreib Namen immer in Grossbuchstaben.", True),
        ("Ich schreibe immer in Blau.", False),
        ("She always writes in blue.", False),
        ("Would you always name the page you quote?", True),
        ("Do you always name the page?", False),
    ],
)
def test_an_instruction_is_known_in_few_words(said: str, standing: bool) -> None:
    assert tells_to_always(said) is standing


def test_what_is_read_ahead_together_is_read_as_it_is_one_by_one() -> None:
    said = [
        "Leave the lamp in the hall on.", "Answers in rhyme would be lovely.", "Put the kettle on.",
        "Never call me Bob.", "The mill has nine windows.", "Round every sum to the next euro.",
    ]  # fmt: skip
    alone = [tells_to_always(one) for one in said]
    forget_texts(object())
    read_ahead(said)
    assert [tells_to_always(one) for one in said] == alone
    assert True in alone
    assert False in alone


@pytest.mark.parametrize(
    ("said", "passing"),
    [
        ("The user is pretty exhausted today.", True),
        ("The user is okay thanks, bit sleepy.", True),
        ("The user is tired of the long commute.", False),
        ("The user is allergic to dust.", False),
    ],
)
def test_how_somebody_is_just_now_is_told_from_what_lasts(said: str, passing: bool) -> None:
    assert is_passing(said) is passing
