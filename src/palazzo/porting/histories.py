"""What was run and looked at before capture began: histories of bash, zsh, fish and atuin, ActivityWatch, and those of
browsers: Chromium's `History` (and its kin: Chrome, Edge, Brave) and Firefox's `places.sqlite`.

Commands become one entry for each day and folder, apps and pages one for each day, however often. Programs that hold
passwords and keys are passed over. ActivityWatch is read from its export or, at an address of this machine, from its
REST. Addresses of pages are kept without user names, queries and fragments, which hold searches and session keys; only
web pages count. Chromium counts microseconds from 1601. Invariants: no address but this machine's own is asked; what is
private from the start is not read into an entry, and what a query string said is nowhere in one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from palazzo.errors import InvalidInput
from palazzo.files import sqlite_files
from palazzo.model.graph import MentionDraft
from palazzo.model.zone import moment
from palazzo.porting.files import (
    Entry,
    Items,
    Limits,
    Unread,
    clamped,
    clean,
    document,
    from_iso,
    parsed,
    shown,
    size_of,
)
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page

_ZSH: Final = re.compile(r"^: (\d{9,11}):(\d+);(.*)", re.DOTALL)
_BASH_TIME: Final = re.compile(r"^#(\d{9,11})$")
_FISH: Final = re.compile(r"^- cmd: (.*)$")
_FISH_TIME: Final = re.compile(r"^\s+when: (\d{9,11})$")
_LISTED: Final = 60
"""Different commands of one entry; what goes beyond begins another."""
_LOCAL: Final = frozenset({"127.0.0.1", "localhost", "::1"})
PATIENCE_S: Final = 20
Ran = tuple[str, int | None, str]
"""A command, when (microseconds), and where."""


def is_history(text: str, name: str) -> bool:
    """Whether a text is the history of a shell."""
    lines = text.splitlines()[:40]
    if any(_ZSH.match(line) for line in lines) or (_FISH.match(lines[0]) if lines else None):
        return True
    return any(_BASH_TIME.match(line) for line in lines) or name in (".bash_history", ".zsh_history", "bash_history")


def read_shell(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The commands of a history of bash, zsh or fish, a day and folder each.

    Raises: InvalidInput.
    """
    text = document(path, limits).decode("utf-8", "replace")
    return _entries(_shell(text), now_us, path.name.lstrip("."))


def read_atuin(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The commands of atuin's history, a day and folder each.

    Raises: InvalidInput.
    """
    size_of(path, limits)
    rows = (
        (str(text), at // 1000 if isinstance(at, int) else None, str(cwd or ""))
        for text, at, cwd in sqlite_files.atuin_commands(path)
    )
    return _entries(rows, now_us, "atuin")


def _shell(text: str) -> Iterator[Ran]:
    lines = text.replace("\\\n", "\n").split("\n") if "\n: " in f"\n{text}" else text.split("\n")
    at: int | None = None
    pending = ""
    for line in lines:
        if found := _ZSH.match(line):
            yield found[3], int(found[1]) * 1_000_000, ""
        elif found := _FISH.match(line):
            if pending:
                yield pending, None, ""
            pending = found[1].replace("\\n", "\n")
        elif found := _FISH_TIME.match(line):
            if pending:
                yield pending, int(found[1]) * 1_000_000, ""
            pending = ""
        elif found := _BASH_TIME.match(line):
            at = int(found[1]) * 1_000_000
        elif line.strip() and not line.startswith("  "):
            yield line, at, ""
            at = None
    if pending:
        yield pending, None, ""


def _entries(ran: Iterable[Ran], now_us: int, named: str) -> Items:
    private = page("capture", EVERY_LANGUAGE).words("private_commands")
    days: dict[tuple[str, str], tuple[int | None, Counter[str]]] = {}
    for command, at, cwd in ran:
        words = command.split()
        if not words or command[:1].isspace() or words[0] in private or (len(words) > 1 and words[1] in private):
            continue
        at_us = clamped(at, now_us)
        day = "" if at_us is None else moment(at_us).date().isoformat()
        first, counts = days.setdefault((day, cwd), (at_us, Counter()))
        counts[shown(clean(command), 300)] += 1
    for (day, cwd), (first, counts) in days.items():
        listed = list(counts.items())
        for begin in range(0, len(listed), _LISTED):
            told = "; ".join(text if n == 1 else f"{text} ({n} times)" for text, n in listed[begin : begin + _LISTED])
            when, where = (f" on {day}" if day else ""), (f" in {cwd}" if cwd else "")
            part = f" part {begin // _LISTED + 1}" if len(listed) > _LISTED else ""
            yield Entry(
                id=f"{named} {day or 'undated'} {shown(cwd, 120)}{part}", text=f"Commands run{when}{where}: {told}",
                at_us=first, kind="activity", importance=0.2, verbatim=True,
            )  # fmt: skip


def read_activitywatch(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """Programs in front by day, from an export of ActivityWatch or from its REST on this machine.

    Raises: InvalidInput.
    """
    found = _exported(path, limits)
    buckets = found.get("buckets", found) if isinstance(found, dict) else {}
    if not isinstance(buckets, dict) or not buckets:
        raise InvalidInput(f"{path.name} is no export of ActivityWatch", field="source")
    days: dict[str, tuple[int, Counter[str]]] = {}
    for bucket in buckets.values():
        if not isinstance(bucket, dict) or bucket.get("type") != "currentwindow":
            continue
        for event in bucket.get("events", ()):
            at_us = clamped(from_iso(event.get("timestamp")), now_us)
            app = str((event.get("data") or {}).get("app") or "")
            if at_us is None or not app or _barred(app):
                continue
            _, counts = days.setdefault(moment(at_us).date().isoformat(), (at_us, Counter()))
            counts[shown(app, 80)] += round(float(event.get("duration") or 0))
    for day, (first, counts) in sorted(days.items()):
        told = ", ".join(f"{app} {seconds // 60} min" for app, seconds in counts.most_common(20) if seconds >= 60)
        if told:
            yield Entry(
                id=f"activitywatch {day}", text=f"Programs in front on {day}: {told}", at_us=first, kind="activity",
                importance=0.2, verbatim=True,
            )  # fmt: skip


def _barred(app: str) -> bool:
    from fnmatch import fnmatchcase

    return any(fnmatchcase(app.casefold(), one) for one in page("capture", EVERY_LANGUAGE).in_order("private_apps"))


def _exported(path: Path, limits: Limits) -> Any:
    address = str(path)
    if not address.startswith("http:/"):
        return parsed(document(path, limits), path.name, limits)
    url = "http://" + address.removeprefix("http:").lstrip("/").rstrip("/")
    if urlsplit(url).hostname not in _LOCAL:
        raise InvalidInput("only ActivityWatch on this machine is asked", field="source", hint="http://127.0.0.1:5600")
    try:
        with urlopen(f"{url}/api/0/export", timeout=PATIENCE_S) as reply:  # noqa: S310 - http, this machine alone
            return parsed(reply.read(limits.document_bytes), "ActivityWatch", limits)
    except (URLError, OSError) as error:
        raise InvalidInput(f"no ActivityWatch answers at {url}", field="source", hint="start it, or export") from error


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
