"""iCalendar files (RFC 5545): every VEVENT as one sentence that says what, when, where, with whom and how often.

Reads the little that memories need: folded lines, escapes, dates with and without a zone, whole days, recurrence rules
in words, changed instances (RECURRENCE-ID). Alarms, to-dos and free/busy times are passed over. When the event was
written down is its time; when it happens is in its text, and may lie ahead. Invariant: a fault in one event leaves the
others readable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from palazzo.model.graph import MentionDraft
from palazzo.model.zone import microseconds
from palazzo.porting.files import Entry, Items, Limits, Unread, clamped, clean, document, shown

_PROPERTY = re.compile(
    r'^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^:;"]*)(?:,(?:"[^"]*"|[^:;"]*))*)*):(.*)$', re.DOTALL
)
_PARAMETER = re.compile(r';([A-Za-z0-9-]+)=("[^"]*"|[^:;"]*)')
_ESCAPE = re.compile(r"\\([\\;,nN])")
_WHEN = re.compile(r"^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$")
_DURATION = re.compile(r"^([+-]?)P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$")
_UNITS: Final = {"SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week",
                 "MONTHLY": "month", "YEARLY": "year"}  # fmt: skip
_DAYS: Final = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday",
                "SU": "Sunday"}  # fmt: skip
_NTH: Final = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"}
_PEOPLE: Final = 20


@dataclass(slots=True)
class _Event:
    """The properties of one event: parameters and value of each, in order."""

    number: int
    found: dict[str, list[tuple[dict[str, str], str]]] = field(default_factory=dict)
    fault: str = ""

    def first(self, name: str) -> tuple[dict[str, str], str]:
        return self.found.get(name, [({}, "")])[0]

    def text(self, name: str) -> str:
        return clean(_unescaped(self.first(name)[1]))


def read(path: Path, now_us: int, limits: Limits = Limits()) -> Items:
    """The events of a calendar.

    Raises: InvalidInput.
    """
    text = document(path, limits).decode("utf-8-sig", errors="replace")
    for event in _events(text):
        uid = shown(event.first("UID")[1] or f"event {event.number}", 120)
        changed = event.first("RECURRENCE-ID")[1]
        entry_id = f"{uid}/{shown(changed, 40)}" if changed else uid
        if event.fault:
            yield Unread(entry_id, event.fault, "export the calendar again")
            continue
        if sum(len(value) for values in event.found.values() for _, value in values) > limits.entry_bytes:
            yield Unread(entry_id, "longer than an entry may be", "")
            continue
        yield _entry(event, entry_id, now_us)


def _events(text: str) -> Iterator[_Event]:
    """Each VEVENT; what is nested in it (alarms) is left out."""
    event: _Event | None = None
    inside = 0
    count = 0
    for line in re.sub(r"\r?\n[ \t]", "", text).splitlines():
        head = line.strip().upper()
        if head == "BEGIN:VEVENT":
            if event is not None:
                event.fault = "an event that does not end"
                yield event
            count += 1
            event, inside = _Event(count), 0
        elif event is None:
            continue
        elif head == "END:VEVENT":
            yield event
            event = None
        elif head.startswith("BEGIN:"):
            inside += 1
        elif head.startswith("END:"):
            inside = max(0, inside - 1)
        elif not inside and (match := _PROPERTY.match(line)):
            parameters = {name.upper(): value.strip('"') for name, value in _PARAMETER.findall(match[2])}
            event.found.setdefault(match[1].upper(), []).append((parameters, match[3]))
    if event is not None:
        event.fault = "an event that does not end"
        yield event


def _entry(event: _Event, entry_id: str, now_us: int) -> Entry | Unread:
    start, zone = _moment(*event.first("DTSTART"))
    summary = shown(event.text("SUMMARY"), 300)
    if start is None:
        return Unread(entry_id, "an event without a start that can be read", "")
    if not summary:
        return Unread(entry_id, "an event without a title", "")
    people = _people(event)
    parts = [f"{summary}: {_span(event, start, zone)}"]
    if place := shown(event.text("LOCATION"), 200):
        parts.append(f"at {place}")
    if repeats := _repeats(event.first("RRULE")[1]):
        parts.append(repeats)
    if people:
        parts.append(f"with {', '.join(people)}")
    said = ", ".join(parts) + "."
    if event.text("STATUS").upper() == "CANCELLED":
        said = f"Cancelled: {said}"
    if about := event.text("DESCRIPTION"):
        said += f"\n{about}"
    written = next(
        (us for name in ("LAST-MODIFIED", "DTSTAMP", "CREATED") if (us := _us(_moment(*event.first(name))[0]))), None
    )
    return Entry(
        id=entry_id, text=said, at_us=clamped(written if written is not None else _us(start), now_us), kind="event",
        verbatim=True, mentions=tuple(MentionDraft(name, "person", name) for name in people),
    )  # fmt: skip


def _people(event: _Event) -> list[str]:
    names = []
    for parameters, value in [*event.found.get("ORGANIZER", []), *event.found.get("ATTENDEE", [])]:
        name = shown(_unescaped(parameters.get("CN", "")) or value.lower().removeprefix("mailto:"), 80)
        if name and parameters.get("CUTYPE", "").upper() not in ("RESOURCE", "ROOM"):
            names.append(name)
    return list(dict.fromkeys(names))[:_PEOPLE]


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)


def _moment(parameters: dict[str, str], value: str) -> tuple[date | datetime | None, str]:
    """A day or a moment, and the name of its zone as it was told."""
    match = _WHEN.match(value.strip())
    if match is None:
        return None, ""
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
        if match[4] is None:
            return day, ""
        second = min(int(match[6]), 59)  # a leap second is one we cannot name
        clock = datetime(day.year, day.month, day.day, int(match[4]), int(match[5]), second)  # noqa: DTZ001 - zone below
    except ValueError:
        return None, ""
    if match[7]:
        return clock.replace(tzinfo=UTC), "UTC"
    name = parameters.get("TZID", "")
    zone = _zone(name)
    return clock.replace(tzinfo=zone or UTC), name if zone else ""


def _zone(name: str) -> tzinfo | None:
    bare = name.lstrip("/")
    # Some programs put their own name before it: /citadel.org/20210210_1/Europe/Berlin
    for candidate in (bare, "/".join(bare.split("/")[-2:])):
        if re.fullmatch(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+){0,2}", candidate):
            try:
                return ZoneInfo(candidate)
            except (KeyError, ValueError, OSError):
                continue
    return None


def _us(moment: date | datetime | None) -> int | None:
    if moment is None:
        return None
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    return microseconds(moment)


def _span(event: _Event, start: date | datetime, zone: str) -> str:
    end, _ = _moment(*event.first("DTEND"))
    if not isinstance(start, datetime):
        last = end - timedelta(days=1) if isinstance(end, date) and not isinstance(end, datetime) else start
        return f"{start.isoformat()} to {last.isoformat()}" if last > start else f"{start.isoformat()}, all day"
    if end is None and (match := _DURATION.match(event.first("DURATION")[1].strip())):
        weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
        end = start + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    until = ""
    if isinstance(end, datetime):
        end = end.astimezone(start.tzinfo)
        until = f" to {end:%H:%M}" if end.date() == start.date() else f" to {end:%Y-%m-%d %H:%M}"
    return f"{start:%Y-%m-%d %H:%M}{until}" + (f" ({zone})" if zone else "")


def _repeats(rule: str) -> str:
    """A recurrence rule in words; what has none is left out."""
    parts = dict(part.split("=", 1) for part in rule.upper().split(";") if "=" in part)
    unit = _UNITS.get(parts.get("FREQ", ""))
    if unit is None:
        return ""
    step = parts.get("INTERVAL", "1")
    said = f"every {unit}" if not step.isdigit() or step == "1" else f"every {shown(step, 4)} {unit}s"
    days = [named for day in parts.get("BYDAY", "").split(",") if (named := _day(day))]
    if days:
        said += f" on {', '.join(days)}"
    until, _ = _moment({}, parts.get("UNTIL", ""))
    if until is not None:
        said += f" until {until:%Y-%m-%d}"
    elif parts.get("COUNT", "").isdigit():
        said += f", {shown(parts['COUNT'], 6)} times"
    return said


def _day(told: str) -> str:
    name = _DAYS.get(told[-2:], "")
    nth = _NTH.get(told[:-2].lstrip("+"), "")
    return f"the {nth} {name}" if name and nth else name
