"""The zone a text is read in, as a name that can be kept: an IANA name or an offset such as +02:00.

Owns the reading of such names, the way between a datetime and the time of the store, and the choice between what a
message tells and what the palace is set to. A moment told in UTC names an instant and no place, so it tells no zone.
Knows no clock and no environment. Invariant: a name that was read once is read to the same zone wherever it is
replayed.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from palazzo.errors import InvalidInput

UTC_NAME: Final = "UTC"
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_OFFSET: Final = re.compile(r"([+-])(\d\d):?([0-5]\d)")


def moment(at_us: int) -> datetime:
    """A time of the store as an aware datetime."""
    return EPOCH + timedelta(microseconds=at_us)


def microseconds(moment: datetime) -> int:
    """An aware datetime as the store counts time."""
    return (moment - EPOCH) // _MICROSECOND


@cache
def zone_named(name: str) -> tzinfo:
    """The zone of a name.

    Raises: InvalidInput.
    """
    if name in (UTC_NAME, "Z", "z"):
        return UTC
    if (told := _OFFSET.fullmatch(name)) and int(told[2]) < 24:
        size = timedelta(hours=int(told[2]), minutes=int(told[3]))
        return timezone(-size if told[1] == "-" else size)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            f"there is no time zone {name[:60]!r}", field="zone", hint="such as Europe/Berlin or +02:00"
        ) from error


def told_zone(moment: datetime | None) -> str:
    """The name of the zone a moment is told in; empty for UTC, which is nobody's own."""
    if moment is None or moment.tzinfo is None:
        return ""
    key = getattr(moment.tzinfo, "key", None)
    if key:
        return "" if key == UTC_NAME else str(key)
    offset = moment.utcoffset() or timedelta()
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}" if minutes else ""


def chosen_zone(told: str, usual: str, at_us: int) -> str:
    """The zone to read a text in: the one its moment tells, else the usual one.

    An offset that the usual zone has at that moment is that zone: unlike a bare offset it knows summer from winter.
    """
    if not told or local(at_us, told).utcoffset() == local(at_us, usual).utcoffset():
        return usual
    return told


def local(at_us: int, zone: str) -> datetime:
    """A moment of the store as a clock on the wall there shows it."""
    return moment(at_us).astimezone(zone_named(zone))
