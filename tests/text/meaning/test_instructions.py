"""A standing instruction is known whatever language so few words are taken for."""

from __future__ import annotations

import pytest

from palazzo.text.meaning.instructions import tells_to_always


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
