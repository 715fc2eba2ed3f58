"""Dates said in Spanish, told on Monday 16 November 2026."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from palazzo.text.dates.find import find_dates

NOW = datetime(2026, 11, 16, 10, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Mi cita con el dentista es el jueves a las 9.", "2026-11-19"),
        ("El jueves vi a Nuria en el mercado.", "2026-11-12"),
        ("La semana que viene empiezo en el taller.", "2026-11-23"),
        ("La semana pasada estuve en Cádiz.", "2026-11-09"),
        ("El seguro de la moto vence en mayo.", "2027-05-01"),
        ("En mayo compramos la moto y la pintamos.", "2027-05-01"),  # "compramos" is past and present alike
        ("En mayo compré la moto.", "2026-05-01"),
        ("En mayo compraré la moto.", "2027-05-01"),
        ("Hace tres días he visto un zorro.", "2026-11-13"),
        ("Dentro de dos semanas es la feria.", "2026-11-30"),
        ("Trabajo en el puerto desde marzo.", "2026-03-01"),
        ("El 3 de febrero caduca mi carné.", "2027-02-03"),
    ],
)
def test_a_spanish_date_points_where_its_sentence_does(text: str, day: str) -> None:
    assert str(find_dates(text, NOW)[0].begin)[:10] == day


def test_a_spanish_range_has_both_ends() -> None:
    (found,) = find_dates("Estamos en Jaca del 3 al 10 de marzo.", NOW)
    assert (str(found.begin)[:10], str(found.finish)[:10]) == ("2027-03-03", "2027-03-11")


@pytest.mark.parametrize("text", ["Los jueves tengo guitarra.", "Todos los martes y viernes hay mercado."])
def test_what_comes_round_in_spanish_has_no_day(text: str) -> None:
    assert {(span.kind, span.begin) for span in find_dates(text, NOW)} == {("recurring", None)}
