"""Browser histories: Chromium's `History` (and those of its kin: Chrome, Edge, Brave) and Firefox's `places.sqlite`.

A page that was visited on a day is one entry, however often. Addresses are kept without user names, queries and
fragments, which hold searches and session keys; only web pages count. Chromium counts microseconds from 1601.
Invariant: what a query string said is nowhere in an entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from palazzo.files import sqlite_files
from palazzo.model.graph import MentionDraft
from palazzo.model.zone import moment
from palazzo.porting.files import Entry, Items, Limits, Unread, clamped, shown, size_of

SINCE_1601_US: Final = 11_644_473_600_000_000
_LONGEST_ADDRESS: Final = 500


@dataclass(slots=True)
class _Page:
    address: str
    host: str
    title: str
    first_us: int
    visits: int = 0


def read_chromium(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The pages of a Chromium history, a day each.

    Raises: InvalidInput.
    """
    size_of(path, limits)
    rows = ((url, title, _moved(at)) for url, title, at in sqlite_files.chromium_visits(path))
    return _pages(rows, now_us)


def read_firefox(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The pages of a Firefox history, a day each.

    Raises: InvalidInput.
    """
    size_of(path, limits)
    return _pages(sqlite_files.firefox_visits(path), now_us)


def _moved(at: Any) -> Any:
    return at - SINCE_1601_US if isinstance(at, int) else None


def _pages(rows: Iterable[tuple[Any, Any, Any]], now_us: int) -> Items:
    pages: dict[tuple[str, str], _Page] = {}
    for number, (url, title, at) in enumerate(rows):
        address, host = plain_address(url)
        if not host:
            continue  # settings, files and extensions of the browser itself: no pages
        if not isinstance(at, int) or not 0 < at < 1 << 62:
            yield Unread(f"visit {number + 1}", "a visit without a time that can be", "")
            continue
        at_us = clamped(at, now_us) or 0
        day = moment(at_us).date().isoformat()
        page = pages.setdefault((day, address), _Page(address, host, "", at_us))
        page.visits += 1
        page.title = shown(title, 200) if isinstance(title, str) and title.strip() else page.title
    for (day, address), page in pages.items():
        named = f'"{page.title}" on {page.host}' if page.title else page.host
        often = "" if page.visits == 1 else f", {page.visits} times"
        yield Entry(
            id=f"{day} {address}", text=f"Visited {named} on {day}{often}: {address}", at_us=page.first_us,
            kind="activity", importance=0.2, verbatim=True, mentions=(MentionDraft(page.host, "service", page.host),),
        )  # fmt: skip


def plain_address(url: Any) -> tuple[str, str]:
    """A web address without user name, query and fragment, and its host; empty for anything else."""
    if not isinstance(url, str):
        return "", ""
    try:
        found = urlsplit(url[:4096])
        host, port = found.hostname, found.port
    except ValueError:
        return "", ""
    if found.scheme not in ("http", "https") or not host:
        return "", ""
    where = f"{host}:{port}" if port else host
    return shown(f"{found.scheme}://{where}{found.path}", _LONGEST_ADDRESS).replace(" ", "%20"), shown(host)
