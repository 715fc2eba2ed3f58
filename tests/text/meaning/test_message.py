"""Small talk is told from what facts bear on, in several languages and with slips, and what an instruction is for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.meaning.message import condition_of, passes_time, says_manner, says_who, sets_language

TALK = (
    "hello", "Hi!", "heyyy", "helo", "hllo there", "thnaks a lot", "Good mornign", "how are you?", "what's up",
    "ok cool", "haha that's hilarious", "👍", "bye, see you later", "Thank you so much for your help!",
    "Hello Marta", "yep", "k", "Guten Morgen!", "danke dir", "Dankeschön 🙂", "Wie geht's?", "Tschüss, bis morgen",
    "Moin", "Bonjour, ça va ?", "merci beaucoup", "Bonne journée", "salut", "Hola, ¿qué tal?", "buenos dias",
    "¡Muchas gracias por tu ayuda!",
    "Ciao, come stai?", "привет", "你好",
)  # fmt: skip
MATTER = (
    "What's my name?", "deploy it", "passport", "hi, where is my passport?", "Plan my Saturday",
    "thanks, and the hotel?", "yes, book it", "ok now deploy it", "morning run tips", "no sugar",
    "Hello world program in C", "weather tomorrow",
    "Was ist los mit dem Server?", "help", "who am I", "how is Anna", "Comment va Luc ?",
    "sí, resérvalo", "night shift", "Gute Restaurants", "42", "hi 3pm?", "my day", "call mum", "",
)  # fmt: skip


@pytest.mark.parametrize("text", TALK)
def test_greetings_thanks_and_agreement_pass_the_time(text: str) -> None:
    assert passes_time(text)


@pytest.mark.parametrize("text", MATTER)
def test_a_message_with_one_word_that_matters_does_not(text: str) -> None:
    assert not passes_time(text)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    passes_time(text)
    condition_of(text)
    says_who(text)


@pytest.mark.parametrize(
    ("instruction", "condition"),
    [
        ("When the user sends a recipe, convert it to grams.", "the user sends a recipe"),
        ("Use tabs if I ask for Makefiles.", "I ask for Makefiles"),
        ("For invoices, write the amounts in words.", "invoices"),
        ("Wenn ich nach Rezepten frage, nimm Gramm.", "ich nach Rezepten frage"),
        ("Quand je demande du code, utilise Python.", "je demande du code"),
        ("Always use metric units when you answer me.", ""),
        ("Antworte immer auf Deutsch, auch wenn ich auf Englisch schreibe.", ""),
        ("Never use emojis.", ""),
        ("Reply in rhymes, it cheers me up.", ""),
        ("Please write in short lines, my screen is tiny.", ""),
    ],
)
def test_an_instruction_says_what_it_is_conditional_on(instruction: str, condition: str) -> None:
    assert condition_of(instruction) == condition


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The user's name is Ben, the user is 34.", True),
        ("On paper I'm Ferdinand, but please call me Ferdi.", True),
        ("The user goes by Alex.", True),
        ("The user's pronouns are xe/xem.", True),
        ("Ich heiße Jürgen.", True),
        ("Bitte duze mich.", True),
        ("Me llamo Lucía.", True),
        ("The user's sister is called Mia.", False),
        ("The user's dog's name is Bolt.", False),
        ("The user is vegan.", False),
    ],
)
def test_how_somebody_is_called_is_told_from_what_they_are_like(text: str, named: bool) -> None:
    assert says_who(text) is named


def test_the_manner_of_answers_is_told_from_the_matter_of_work() -> None:
    assert says_manner("Keep your replies under three lines.")
    assert not says_manner("Sign invoices with the company stamp.")


@pytest.mark.parametrize(
    ("text", "sets"),
    [
        ("Please always reply to the user in Welsh from now on.", True),
        ("Antworte mir bitte nur auf Türkisch.", True),
        ("Réponds-moi en espagnol.", True),
        ("Write commit messages in English.", False),
        ("Answer in Spanish when I write Spanish.", False),
        ("I speak Danish at home with my grandmother.", False),
    ],
)
def test_the_language_to_answer_in_is_told_from_others(text: str, sets: bool) -> None:
    assert sets_language(text) is sets
