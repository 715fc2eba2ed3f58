from __future__ import annotations

from pathlib import Path

import pytest

import palazzo
from palazzo.text.change.contradiction import SUPERSEDES, contradicts
from palazzo.text.facts.slots.find import find_slots
from palazzo.text.meaning.kinds import classify, is_durable_statement, is_question
from palazzo.text.statements.propositions import split_propositions
from palazzo.text.words.language import reading_language
from palazzo.text.words.lexicon import page

DATA = Path(palazzo.__file__).parent / "text" / "data"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ich heiße Friederike.", "identity"),
        ("Ich bin gegen Haselnüsse allergisch, meine Allergie ist stark.", "identity"),
        ("Wir wohnen in einem Dorf bei Husum.", "residence"),
        ("Ich arbeite als Tischlerin.", "employment"),
        ("Meine Tochter heißt Mathilda.", "relationship"),
        ("Ich trinke gerne Pfefferminztee.", "preference"),
        ("Ich muss noch das Auto anmelden.", "task"),
        ("Wir haben beschlossen, das Dach zu dämmen.", "decision"),
        ("Schreibe von nun an ohne Abkürzungen.", "instruction"),
        ("Die Fehlermeldung kam beim Speichern.", "error"),
        ("Vielen Dank, bis bald!", "transient"),
    ],
)
def test_a_german_statement_has_a_kind(text: str, kind: str) -> None:
    assert classify(text).kind == kind


@pytest.mark.parametrize(
    "text", ["Antworte künftig nur in kurzen Sätzen.", "Bitte keine Emojis mehr.", "Nenne mich Kalle."]
)
def test_a_standing_instruction_in_german_is_one(text: str) -> None:
    assert classify(text).kind in ("instruction", "preference")


def test_a_story_with_always_in_it_is_no_instruction_in_german_either() -> None:
    assert classify("Ich habe immer in kleinen Städten gelebt.").kind != "instruction"


def test_a_german_question_is_one_without_its_sign() -> None:
    assert is_question("wie viele Zimmer hat die Wohnung")
    assert not is_question("Die Wohnung hat drei Zimmer")


def test_what_lasts_is_told_in_german() -> None:
    assert is_durable_statement("Ich habe beschlossen, kein Fleisch mehr zu essen.")
    assert not is_durable_statement("Der Bus kam um neun.")


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Ich lebe in Flensburg.", ("the user", "city", "Flensburg")),
        ("Ich arbeite bei Claas.", ("the user", "employer", "Claas")),
        ("Ich bin nach Lübeck gezogen.", ("the user", "city", "Lübeck")),
    ],
)
def test_a_slot_is_read_from_german_with_its_value_as_written(text: str, slot: tuple[str, str, str]) -> None:
    (fact,) = find_slots(text)
    assert (fact.subject, fact.predicate, fact.value) == slot
    assert text[fact.start : fact.end] == fact.value


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ich lebe in Flensburg.", "Ich lebe inzwischen in Husum."),
        ("Ich wohne in Flensburg.", "Ich bin nach Lübeck umgezogen."),
        ("Ich arbeite bei Claas.", "Ich arbeite mittlerweile bei Krone."),
        ("Mein Lieblingstee ist Assam.", "Mein Lieblingstee ist jetzt Darjeeling."),
    ],
)
def test_a_german_statement_takes_an_older_one_back(old: str, new: str) -> None:
    found = contradicts(old, new)
    assert found is not None
    assert found.score >= SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ich lebe in Flensburg.", "Meine Tante lebt jetzt in Husum."),
        ("Ich lebe in Flensburg.", "Ich mag Husum."),
        ("Ich arbeite bei Claas.", "Ich wohne jetzt in Harsewinkel."),
    ],
)
def test_a_german_statement_about_something_else_takes_nothing_back(old: str, new: str) -> None:
    assert contradicts(old, new) is None


def test_german_small_talk_is_dropped() -> None:
    kept, dropped = split_propositions("Guten Abend! Vielen Dank. Ich wohne in Husum.")
    assert [one.text for one in kept] == ["Ich wohne in Husum."]
    assert {one.text for one in dropped} == {"Guten Abend!", "Vielen Dank."}


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("Ich wohne in Husum und arbeite als Lotsin.", ["Ich wohne in Husum.", "Ich arbeite als Lotsin."]),
        (
            "Ich bin nach Lübeck gezogen, und ich arbeite bei Krone",
            ["Ich bin nach Lübeck gezogen.", "Ich arbeite bei Krone."],
        ),
        ("Ich mag Birnen und Äpfel.", ["Ich mag Birnen und Äpfel."]),
        ("Meine Tante und ihr Hund wohnen in Husum.", ["Meine Tante und ihr Hund wohnen in Husum."]),
    ],
)
def test_joined_german_statements_are_kept_one_by_one(text: str, statements: list[str]) -> None:
    kept, dropped = split_propositions(text)
    assert [one.text for one in kept] == statements
    assert not dropped
    assert "".join(one.source for one in kept) == text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ich gehe schwimmen.", "de"),
        ("Hunde und Katzen", "de"),
        ("I am going swimming.", "en"),
        ("In an hour", "en"),
        ("Je vais nager avec elle.", "fr"),
        ("La llave de casa es nueva.", "es"),
        ("bitte, no more of that", "en"),
        ("um nice", "en"),
        ("Recycle bin", "en"),
        ("", "en"),
    ],
)
def test_a_text_is_read_with_the_words_of_its_language_or_of_english(text: str, language: str) -> None:
    assert reading_language(text) == language


def test_a_language_is_a_folder_of_pages_that_english_has() -> None:
    english = {path.stem for path in (DATA / "en").glob("*.toml")}
    assert {path.stem for path in (DATA / "de").glob("*.toml")} <= english
    assert set(page("languages", "mul").listings("read")) == {path.name for path in DATA.iterdir()} - {"mul"}
