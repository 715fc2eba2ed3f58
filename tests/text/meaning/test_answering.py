"""Two texts read as one: the same as reading them anew, and without reading them again."""

from __future__ import annotations

import pytest

from palazzo.text.facts.slots import find
from palazzo.text.meaning import answering
from palazzo.text.meaning.answering import Word, reading, together
from palazzo.text.words.remembered import forget_texts

SAID = [
    ("Did your sister ever finish that quilt?", "She did, it hangs in the library of Porto now!"),
    ("We walked the dunes until the tide came back.", "What was the best part? I always loved the seals."),
    ("My uncle Teodor restores harmoniums.", "My aunt plays one of them every Advent."),
    ("I moved the beehives behind the barn.", "How many of them survived the winter at your mother's farm?"),
    ("Lovely", "The ferry to Hven leaves at noon."),  # no end between them
    ("Ich wohne in Kiel.", "The harbour there is huge."),  # another language
    ("And then what happened with the lamp", "Breakfast was late, and lunch never came."),
]


def shown(words: tuple[Word, ...]) -> set[tuple[str, str, bool, bool]]:
    return {(word.text.casefold(), word.term, word.name, word.small) for word in words}


@pytest.mark.parametrize(("before", "text"), SAID)
def test_two_texts_are_read_as_they_would_be_read_anew(before: str, text: str) -> None:
    forget_texts(object())
    anew = reading(f"{before} {text}")
    forget_texts(object())
    made = reading(together(before, text))
    assert shown(made.words) == shown(anew.words)
    assert made.terms == anew.terms
    assert (made.own, made.person, made.persons) == (anew.own, anew.person, anew.persons)
    assert (made.members, made.asks, made.english) == (anew.members, anew.asks, anew.english)


def test_texts_that_were_read_are_not_read_again_together(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_texts(object())
    read: list[str] = []

    def noted(text: str) -> tuple[str, ...]:
        read.append(text)
        return find.told_predicates(text)

    monkeypatch.setattr(answering, "told_predicates", noted)
    before, text = SAID[2]
    reading(before)
    reading(text)
    assert read == [before, text]
    reading(together(before, text))
    assert read == [before, text]
