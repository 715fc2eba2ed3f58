"""Guessing the language of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.words.language import LANGUAGES, UNDETERMINED, guess_language


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I moved to the coast because my sister lives there"),
        ("en", "I don’t think that’s the right café"),
        ("de", "Ich wohne mit meiner Schwester in einem kleinen Haus am See"),
        ("fr", "Je ne veux pas aller à la plage avec mes amis"),
        ("es", "Me gusta mucho la comida que prepara mi abuela"),
        ("it", "Non sono mai stato a Roma con la mia famiglia"),
        ("pt", "Eu não gosto de acordar cedo porque estou cansado"),
        ("nl", "Ik heb een hond en hij is nog niet oud"),
        ("sv", "Jag har inte ätit frukost men det är okej"),
        ("pl", "Nie jestem pewien, czy to jest dobry pomysł"),
        ("cs", "Není to moje kniha, ale můj bratr ji má rád"),
        ("tr", "Bu kitap çok güzel ama benim değil"),
        ("fi", "Minä olen kotona ja hän on töissä"),
        ("hu", "Nem vagyok éhes, mert már ettem egy almát"),
        ("vi", "Tôi không có thời gian để đi với các bạn"),
        ("ru", "Я не люблю рано вставать, но это моя работа"),
        ("uk", "Я живу у Львові і це моє улюблене місто"),
        ("zh", "我喜欢喝茶"),
        ("ja", "私はお茶が好きです"),
        ("ko", "저는 차를 좋아해요"),
        ("ar", "أنا لا أحب القهوة في الصباح"),
        ("fa", "من این کتاب را برای او خریدم"),
        ("he", "אני גר בעיר קטנה"),
        ("hi", "मैं दिल्ली में रहता हूँ और मेरी बहन मुंबई में है"),
        ("th", "ฉันชอบดื่มชา"),
        ("el", "Δεν μου αρέσει ο καφές"),
    ],
)
def test_a_sentence_is_placed_in_its_language(code: str, text: str) -> None:
    assert guess_language(text) == code


@pytest.mark.parametrize("text", ["", "12345", "!!!", "xq zzt qqx", "🙂🙂"])
def test_what_tells_nothing_stays_undetermined(text: str) -> None:
    assert guess_language(text) == UNDETERMINED


def test_a_foreign_name_does_not_change_the_language() -> None:
    assert guess_language("We had dinner with 田中 and it was great to see her") == "en"


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_any_text_gets_a_known_code(text: str) -> None:
    assert guess_language(text) in LANGUAGES | {UNDETERMINED}
