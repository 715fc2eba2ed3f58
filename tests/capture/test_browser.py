"""Histories of Chromium and Firefox: pages a day, addresses without what they carry, times of two epochs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.capture import made

from palazzo.errors import InvalidInput
from palazzo.porting import histories
from palazzo.porting.files import Entry, Unread

NOW = 1_800_000_000_000_000
MONDAY = 1_709_539_200_000_000
DAY = 86_400_000_000
LINK, SUBFRAME = 0x30000000, 3


def test_a_page_is_one_entry_a_day_without_query_and_fragment(tmp_path: Path) -> None:
    path = made.chromium(
        tmp_path / "History",
        [
            ("https://docs.example.org/guide?session=abc123#top", "The guide", MONDAY, LINK),
            ("https://docs.example.org/guide?session=zzz999", "The guide", MONDAY + 60_000_000, LINK),
            ("https://docs.example.org/guide", "The guide", MONDAY + DAY, LINK),
            ("chrome://settings/", "Settings", MONDAY, LINK),
            ("https://ads.example.net/frame", "Frame", MONDAY, SUBFRAME),
            ("https://user:hunter2@intra.example.com:8443/x", "", MONDAY, LINK),
        ],
    )
    found = [item for item in histories.read_chromium(path, NOW) if isinstance(item, Entry)]
    assert [item.text for item in found] == [
        'Visited "The guide" on docs.example.org on 2024-03-04, 2 times: https://docs.example.org/guide',
        "Visited intra.example.com on 2024-03-04: https://intra.example.com:8443/x",
        'Visited "The guide" on docs.example.org on 2024-03-05: https://docs.example.org/guide',
    ]
    assert found[0].at_us == MONDAY
    assert found[0].kind == "activity"


def test_firefox_counts_from_1970_and_leaves_frames_out(tmp_path: Path) -> None:
    path = made.firefox(
        tmp_path / "places.sqlite",
        [
            ("https://example.org/a", "A page", MONDAY, 1),
            ("https://example.org/embedded", None, MONDAY, 4),
            ("https://example.org/frame", None, MONDAY, 8),
            ("https://example.org/b", None, MONDAY, 2),
        ],
    )
    found = [item for item in histories.read_firefox(path, NOW) if isinstance(item, Entry)]
    assert [item.id for item in found] == ["2024-03-04 https://example.org/a", "2024-03-04 https://example.org/b"]


def test_a_history_that_its_browser_holds_open_and_has_not_written_back_is_read(tmp_path: Path) -> None:
    path = made.firefox(tmp_path / "places.sqlite", [("https://example.org/a", "A", MONDAY, 1)])
    owner = sqlite3.connect(path)
    owner.execute("PRAGMA journal_mode=WAL")
    owner.execute("INSERT INTO moz_places(id,url,title) VALUES (9,'https://example.org/new','New')")
    owner.execute("INSERT INTO moz_historyvisits(place_id,visit_date,visit_type) VALUES (9,?,1)", (MONDAY,))
    owner.commit()
    owner.execute("BEGIN EXCLUSIVE")
    found = [item.id for item in histories.read_firefox(path, NOW)]
    owner.close()
    assert "2024-03-04 https://example.org/new" in found


@pytest.mark.parametrize("at", [1 << 63, -(1 << 62), "late", None, b"\x00"])
def test_a_visit_at_no_time_that_can_be_is_named_or_brought_inside(tmp_path: Path, at: object) -> None:
    path = made.firefox(tmp_path / "places.sqlite", [("https://example.org/a", "A", MONDAY, 1)])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE moz_historyvisits SET visit_date = ?", (at if at != 1 << 63 else (1 << 63) - 1,))
    connection.commit()
    connection.close()
    (found,) = histories.read_firefox(path, NOW)
    assert isinstance(found, Unread)


def test_a_file_that_is_cut_off_is_an_error_with_a_code(tmp_path: Path) -> None:
    path = made.chromium(
        tmp_path / "History", [("https://example.org/", "x" * 3000, MONDAY + i, LINK) for i in range(50)]
    )
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 3])
    with pytest.raises(InvalidInput):
        list(histories.read_chromium(path, NOW))
