"""What a reader of a foreign format gives: entries to take in, and entries it could not read, each with the reason.

Owns the values, and what every reader does with a time or a text from outside. Knows no format and no palace.
Invariant: an entry's text is printable, its time lies between 1970 and the moment of the import, and its id is the same
whenever the same file is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from palazzo.model.graph import MentionDraft, RelationDraft
from palazzo.model.message import Role

Manner = Literal["remember", "observe"]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_ID_LENGTH: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing to take in. `observe`d entries are turns of a conversation, `remember`ed ones stand for themselves.

    `links` are ids of entries of the same file that this one points at.
    """

    id: str
    text: str
    at_us: int | None = None
    manner: Manner = "remember"
    role: Role = "user"
    speaker: str = ""
    thread: str = ""
    kind: str = ""
    name: str = ""
    importance: float | None = None
    verbatim: bool = False
    mentions: tuple[MentionDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    links: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Unread:
    """An entry that was not taken: which one, why, and what to do about it."""

    id: str
    reason: str
    hint: str = ""


Item = Entry | Unread
Items = Iterator[Item]


def shown(value: object, limit: int = _ID_LENGTH) -> str:
    """A value of the file as the id or the name of something: one printable line of bounded length."""
    text = " ".join(str(value)[: limit * 2].split())
    return "".join(c for c in _CONTROL.sub("", text) if c.isprintable())[:limit]


def clean(text: str) -> str:
    """A text without NULs, other control characters and broken surrogates, and with plain line ends."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def text_of(value: Any) -> str:
    """A text field: what is no text is empty."""
    return clean(value) if isinstance(value, str) else ""


def clamped(us: int | None, now_us: int) -> int | None:
    """A time inside what can be: never before 1970, never after the import."""
    return None if us is None else min(max(us, 0), now_us)


def from_seconds(value: Any) -> int | None:
    """Seconds since 1970, a number or a text of one; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return None
    return int(seconds * 1_000_000) if math.isfinite(seconds) and abs(seconds) < 1e12 else None


def from_iso(value: Any) -> int | None:
    """A time in RFC 3339 or ISO 8601, UTC where no zone is given; None when it is none."""
    if not isinstance(value, str) or not 8 <= len(value) <= 40:
        return None
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return microseconds(found if found.tzinfo else found.replace(tzinfo=UTC))


def microseconds(moment: datetime) -> int:
    """An aware datetime as microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND
