"""What people say of time, told to a palace in the zone they live in: the day that is kept beside their words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from palazzo import Memory
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
