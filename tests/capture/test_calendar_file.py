"""iCalendar files: folding, escapes, zones, whole days, repetition, and events that are at fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.capture import made

from palazzo.porting import calendar_file
from palazzo.porting.files import Entry, Unread

NOW = 1_800_000_000_000_000


def read(folder: Path, text: str) -> list[Entry | Unread]:
    path = folder / "calendar.ics"
    path.write_text(text, "utf-8")
    return list(calendar_file.read(path, NOW))


def event(*lines: str) -> str:
    return "\r\n".join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:1", *lines, "END:VEVENT", "END:VCALENDAR", ""])


def test_every_event_says_what_when_where_with_whom_and_how_often(tmp_path: Path) -> None:
    found = [item for item in read(tmp_path, made.CALENDAR) if isinstance(item, Entry)]
    assert [item.text for item in found] == [
        "Stand-up, team blue: 2024-03-04 09:30 to 09:45 (Europe/Berlin), at Room 4; second floor,"
        " every week on Monday, Wednesday until 2024-12-31, with Mira Sand, Jon Vale.\n"
        "What we did\nWhat we will do and a line that is long enough to be folded by the program",
        "Book fair: 2024-05-10 to 2024-05-12.",
        "Cancelled: Call: 2024-03-05 15:00 to 16:30 (UTC).",
    ]
    assert {item.kind for item in found} == {"event"}
    assert found[0].at_us == 1_709_280_000_000_000
    assert [m.name for m in found[0].mentions] == ["Mira Sand", "Jon Vale"]


def test_a_changed_instance_has_an_id_of_its_own(tmp_path: Path) -> None:
    (found,) = read(tmp_path, event("RECURRENCE-ID:20240306T083000Z", "DTSTART:20240306T090000Z", "SUMMARY:Later"))
    assert found.id == "1/20240306T083000Z"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"),
        ("FREQ=DAILY;INTERVAL=3;COUNT=5", "every 3 days, 5 times"),
        ("FREQ=YEARLY", "every year"),
    ],
)
def test_repetition_is_said_in_words(tmp_path: Path, rule: str, said: str) -> None:
    (found,) = read(tmp_path, event("DTSTART;VALUE=DATE:20240101", "SUMMARY:X", f"RRULE:{rule}"))
    assert isinstance(found, Entry)
    assert found.text == f"X: 2024-01-01, all day, {said}."


@pytest.mark.parametrize("zone", ["/citadel.org/20210210_1/America/New_York", "America/New_York"])
def test_zones_are_found_behind_a_program_s_own_name(tmp_path: Path, zone: str) -> None:
    (found,) = read(tmp_path, event(f"DTSTART;TZID={zone}:20240701T120000", "SUMMARY:Noon"))
    assert isinstance(found, Entry)
    assert found.at_us == 1_719_849_600_000_000


def test_a_zone_nobody_knows_or_that_names_a_file_is_read_as_utc(tmp_path: Path) -> None:
    for zone in ("Mars/Base", "../../etc/passwd", "/etc/localtime"):
        (found,) = read(tmp_path, event(f"DTSTART;TZID={zone}:20240701T120000", "SUMMARY:Noon"))
        assert isinstance(found, Entry)
        assert found.text == "Noon: 2024-07-01 12:00."


def test_an_event_at_fault_leaves_the_others(tmp_path: Path) -> None:
    text = event("SUMMARY:No start").replace("END:VCALENDAR\r\n", "") + event(
        "DTSTART:20241399T000000Z", "SUMMARY:No such day"
    ) + event("DTSTART:20240101T000000Z", "SUMMARY:Fine")  # fmt: skip
    found = read(tmp_path, text)
    assert [type(item) for item in found] == [Unread, Unread, Entry]


def test_an_event_that_never_ends_is_named(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:X\nDTSTART:20240101T000000Z\n")
    assert isinstance(found, Unread)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=80))
def test_escaping_is_undone(text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")
    assert calendar_file._unescaped(escaped) == text
