from __future__ import annotations

from datetime import UTC, datetime

import pytest

from palazzo.text.dates.find import find_dates

REFERENCE = datetime(2024, 3, 13, 10, 30, tzinfo=UTC)  # a Wednesday


def day(text: str) -> list[tuple[str, str]]:
    """What was found, with the day it begins on."""
    return [(span.text, str(span.begin)[:10]) for span in find_dates(text, REFERENCE)]


@pytest.mark.parametrize(
    ("text", "found", "begin"),
    [
        ("Der Zahnarzt hat mich auf den 9. April 2024 gelegt.", "den 9. April 2024", "2024-04-09"),
        ("Die Lieferung war am 7.2.2024 da.", "7.2.2024", "2024-02-07"),
        ("Vor drei Wochen haben wir die Küche gestrichen.", "Vor drei Wochen", "2024-02-21"),
        ("Ich habe vor ein paar Tagen mit ihm telefoniert.", "vor ein paar Tagen", "2024-03-10"),
        ("In zwei Tagen ist die Prüfung.", "In zwei Tagen", "2024-03-15"),
        ("Vorgestern ist der Zug ausgefallen.", "Vorgestern", "2024-03-11"),
        ("Wir treffen uns übermorgen im Café.", "übermorgen", "2024-03-15"),
        ("Letzten Samstag war ich auf einem Konzert.", "Letzten Samstag", "2024-03-09"),
        ("Nächsten Monat ziehe ich um.", "Nächsten Monat", "2024-04-01"),
        ("Im Winter 2021 waren wir in Tirol.", "Winter 2021", "2021-12-01"),
        ("Ich spiele seit September 2018 Cello.", "seit September 2018", "2018-09-01"),
        ("An Silvester kommt uns meine Tante besuchen.", "Silvester", "2024-12-31"),
        ("Mitte Juni wird das Haus fertig.", "Mitte Juni", "2024-06-10"),
    ],
)
def test_a_german_date_is_found_and_resolved(text: str, found: str, begin: str) -> None:
    assert day(text) == [(found, begin)]


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("Die Probe ist morgen um halb sechs.", "2024-03-14 17:30"),
        ("Wir essen heute um Viertel nach sechs.", "2024-03-13 18:15"),
        ("Ich fliege morgen um 14 Uhr.", "2024-03-14 14:00"),
    ],
)
def test_a_german_hour_is_read_as_it_is_said(text: str, begin: str) -> None:
    (span,) = find_dates(text, REFERENCE)
    assert str(span.begin)[:16] == begin


def test_what_comes_round_in_german_lies_nowhere_on_the_calendar() -> None:
    (span,) = find_dates("Jeden Donnerstag habe ich Chor.", REFERENCE)
    assert (span.kind, span.begin) == ("recurring", None)


@pytest.mark.parametrize("text", ["The night bus leaves at 4 am now.", "I am in Die, a town in France, on Monday."])
def test_an_english_text_with_words_that_german_has_too_is_read_as_english(text: str) -> None:
    (span,) = find_dates(text, REFERENCE)
    assert span.text in ("at 4 am", "on Monday", "Monday")


def test_a_day_before_the_month_is_the_order_of_german_alone() -> None:
    assert day("Das Fest ist am 4.5.2024.") == [("4.5.2024", "2024-05-04")]
    assert day("The party is on 4/5/2024.") == [("4/5/2024", "2024-04-05")]


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("Am Freitag habe ich Jonas geholfen.", "2024-03-08"),
        ("Am Freitag habe ich einen Termin beim Augenarzt.", "2024-03-15"),
        ("Im Mai sind wir nach Tirol gefahren.", "2023-05-01"),
        ("Im Mai fahren wir nach Tirol.", "2024-05-01"),
        ("Der Kurs geht vom 3. bis 10. April.", "2024-04-03"),
        ("Am 5. Januar hat der Kurs begonnen.", "2024-01-05"),
    ],
)
def test_a_german_date_points_where_its_sentence_does(text: str, begin: str) -> None:
    assert [found for _, found in day(text)] == [begin]
