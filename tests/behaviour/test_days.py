"""What people say of time, told to a palace in the zone they live in: the day that is kept beside their words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from palazzo import Memory
from palazzo.bootstrap import load_settings, rebuild_from_archive
from palazzo.errors import InvalidInput
from palazzo.testing.clock import FixedClock

SAID = tomllib.loads(Path(__file__).with_name("days.toml").read_text("utf-8"))
ENOUGH = 0.95


def kept(folder: Path, zone: str) -> Iterator[tuple[str, str, str, str]]:
    """Each text said there, the days it is about, and those it was kept with."""
    at = datetime.fromisoformat(SAID[zone]["at"]).replace(tzinfo=ZoneInfo(zone))
    with Memory(folder / zone.replace("/", "-"), clock=FixedClock(at), zone=zone, durable=False, upkeep=False) as told:
        for number, (text, wanted) in enumerate(SAID[zone]["said"]):
            user = f"user{number}"
            told.remember(text, user_id=user)
            (held, *_) = (one for one in told.list(user_id=user) if one.kind != "exchange")
            begin, end = (
                "" if moment is None or moment == at else moment.astimezone(at.tzinfo).date().isoformat()
                for moment in (held.valid_from, held.valid_to)
            )
            yield text, wanted, begin, end


def right(wanted: str, begin: str, end: str) -> bool:
    if wanted == "recurs":
        return not begin and not end
    first, ranged, last = wanted.partition("..")
    return begin.startswith(first) and (not ranged or (bool(end) and end.startswith(last)))


@pytest.mark.parametrize("half", [0, 1])
def test_the_day_people_mean_is_kept_in_six_zones(half: int, tmp_path: Path) -> None:
    found = [one for zone in SAID for number, one in enumerate(kept(tmp_path, zone)) if number % 2 == half]
    wrong = [one for one in found if not right(*one[1:])]
    assert len(found) >= 60
    assert len(wrong) <= (1 - ENOUGH) * len(found), wrong


def test_the_words_of_a_dated_statement_stay_as_they_were_said(tmp_path: Path) -> None:
    at = datetime(2026, 11, 16, 8, 0, tzinfo=ZoneInfo("Europe/Paris"))
    with Memory(tmp_path / "palace", clock=FixedClock(at), zone="Europe/Paris", durable=False, upkeep=False) as told:
        told.remember("The chimney sweep comes on 2 December.")
        told.remember("Our neighbours moved out last week.")
        texts = {one.text for one in told.list()}
    assert texts == {"The chimney sweep comes on 2 December.", "Our neighbours moved out last week."}


def test_a_message_is_read_in_the_zone_its_time_is_given_in(tmp_path: Path) -> None:
    now = datetime(2026, 5, 12, 12, 0, tzinfo=ZoneInfo("UTC"))
    with Memory(tmp_path / "palace", clock=FixedClock(now), zone="Europe/Paris", durable=False, upkeep=False) as told:
        told.remember("The roofer comes tomorrow.", at=datetime.fromisoformat("2026-05-04T23:10:00-07:00"))
        (held,) = told.list()
        assert held.valid_from is not None
        assert held.valid_from.isoformat() == "2026-05-05T07:00:00+00:00"


def test_a_moment_in_utc_names_no_place_and_is_read_where_the_palace_is(tmp_path: Path) -> None:
    now = datetime(2026, 5, 12, 12, 0, tzinfo=ZoneInfo("UTC"))
    with Memory(tmp_path / "palace", clock=FixedClock(now), zone="Asia/Tokyo", durable=False, upkeep=False) as told:
        told.remember("The roofer comes tomorrow.", at=datetime.fromisoformat("2026-05-04T20:00:00Z"))
        (held,) = told.list()
        assert held.valid_from is not None
        assert held.valid_from.isoformat() == "2026-05-05T15:00:00+00:00"


def test_the_same_words_about_another_day_are_another_memory(tmp_path: Path) -> None:
    now = datetime(2026, 6, 20, 12, 0, tzinfo=ZoneInfo("Europe/Oslo"))
    with Memory(tmp_path / "palace", clock=FixedClock(now), zone="Europe/Oslo", durable=False, upkeep=False) as told:
        for day in ("2026-05-04", "2026-06-04", "2026-06-04"):
            told.remember("The window cleaner comes tomorrow.", at=datetime.fromisoformat(f"{day}T09:00:00+02:00"))
        days = sorted(str(one.valid_from)[:10] for one in told.list())
    assert days == ["2026-05-04", "2026-06-04"]


@pytest.mark.parametrize("zone", ["Mars/Olympus", "+99:00", "summer", "../etc/passwd"])
def test_a_zone_that_is_none_is_refused_with_what_one_looks_like(zone: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="time zone") as told:
        Memory(tmp_path / "palace", zone=zone)
    assert "Europe/Berlin" in str(told.value.hint)


def test_a_context_tells_the_day_as_the_calendar_of_its_reader_has_it(tmp_path: Path) -> None:
    at = datetime(2026, 11, 16, 9, 0, tzinfo=ZoneInfo("Pacific/Auckland"))
    folder = tmp_path / "palace"
    with Memory(folder, clock=FixedClock(at), zone="Pacific/Auckland", durable=False, upkeep=False) as told:
        told.remember("The beehives arrive on Thursday.")
        told.remember("I am in Oamaru from 3 March to 10 March.")
        arrive, stay = told.context("When do the beehives arrive?").text, told.context("When am I in Oamaru?").text
    assert "The beehives arrive on Thursday. (2026-11-19)" in arrive
    assert "(2027-03-03 to 2027-03-10)" in stay


def test_a_question_about_yesterday_is_asked_where_the_palace_is(tmp_path: Path) -> None:
    at = datetime(2026, 11, 16, 7, 0, tzinfo=ZoneInfo("Pacific/Auckland"))
    folder = tmp_path / "palace"
    with Memory(folder, clock=FixedClock(at), zone="Pacific/Auckland", durable=False, upkeep=False) as told:
        for day, what in (("14", "oiled the gate"), ("15", "washed the windows")):
            told.remember(f"I {what}.", kind="event", at=datetime.fromisoformat(f"2026-11-{day}T20:00:00+13:00"))
        first = told.recall("What did I do yesterday?")[0]
    assert "windows" in first.text


def test_what_was_told_in_a_zone_is_made_again_from_the_archive_with_the_same_day(tmp_path: Path) -> None:
    now = datetime(2026, 5, 12, 12, 0, tzinfo=ZoneInfo("UTC"))
    folder = tmp_path / "palace"
    with Memory(folder, clock=FixedClock(now), zone="Asia/Kolkata", durable=False, upkeep=False) as told:
        told.remember("The roofer comes tomorrow.", at=datetime.fromisoformat("2026-05-04T23:10:00-07:00"))
        told.remember("The glazier comes tomorrow.", at=datetime.fromisoformat("2026-05-04T20:00:00Z"))
        before = {(one.text, one.valid_from, one.valid_to) for one in told.list()}
    rebuild_from_archive(load_settings({"palace": str(folder), "zone": "America/Lima"}), tmp_path / "again")
    with Memory(tmp_path / "again", zone="America/Lima", durable=False, upkeep=False) as again:
        assert {(one.text, one.valid_from, one.valid_to) for one in again.list()} == before


@pytest.mark.parametrize(
    "hours",
    [
        "The chemist on the quay is open until 22:00.",
        "Ich arbeite bis halb sechs.",
        "The pool lets swimmers in till 8 at night.",
    ],
)
def test_an_hour_that_something_lasts_until_is_no_end_of_it(tmp_path: Path, hours: str) -> None:
    now = datetime(2026, 11, 16, 10, 0, tzinfo=ZoneInfo("UTC"))
    with Memory(tmp_path, clock=FixedClock(now), zone="UTC", durable=False, upkeep=False) as told:
        told.remember(hours)
        told.remember("The scaffold stands until 20 November.")
        ends = {one.text: one.valid_to for one in told.list() if one.kind != "exchange"}
    assert ends[hours] is None
    assert ends["The scaffold stands until 20 November."] is not None
