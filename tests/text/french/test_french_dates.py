"""Dates said in French, told on Monday 16 November 2026."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from palazzo.text.dates.find import find_dates

NOW = datetime(2026, 11, 16, 10, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Mon rendez-vous est jeudi à 9 heures.", "2026-11-19"),
        ("Jeudi nous avons vu un renard.", "2026-11-12"),
        ("Samedi dernier je suis allé à la pêche.", "2026-11-14"),
        ("La semaine prochaine je pars à Nantes.", "2026-11-23"),
        ("Le bail se termine le 30 juin.", "2027-06-30"),
        ("Nous avons déménagé le 30 juin.", "2026-06-30"),
        ("En mai nous irons voir la mer.", "2027-05-01"),
        ("En mai il faisait froid.", "2026-05-01"),
        ("Il y a trois jours j'ai perdu mes clés.", "2026-11-13"),
        ("Dans deux semaines c'est la foire.", "2026-11-30"),
        ("Je travaille au port depuis mars.", "2026-03-01"),
    ],
)
def test_a_french_date_points_where_its_sentence_does(text: str, day: str) -> None:
    assert str(find_dates(text, NOW)[0].begin)[:10] == day


def test_a_french_range_has_both_ends() -> None:
    (found,) = find_dates("Nous sommes à Brest du 3 au 10 mars.", NOW)
    assert (str(found.begin)[:10], str(found.finish)[:10]) == ("2027-03-03", "2027-03-11")


def test_a_weekday_with_its_article_comes_round_and_without_it_does_not() -> None:
    (habit, *_), (once,) = find_dates("Je nage le mardi.", NOW), find_dates("Je nage mardi avec ma sœur.", NOW)
    assert (habit.kind, once.kind) == ("recurring", "date")
    (dated,) = find_dates("Nous partons le mardi 8 décembre.", NOW)
    assert str(dated.begin)[:10] == "2026-12-08"
