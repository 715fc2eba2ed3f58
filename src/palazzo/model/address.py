"""Addresses: places, time slices, globs and krefs, with the only parser and the only printer of each.

Owns the grammar of spec 01. Knows nothing of the store: whether a place exists, a kind is in the table or a
palace is open are questions for others. Invariants: a value of these types is always legal, so nothing
inside checks an address twice; parsing what was printed gives the same value, printing what was parsed gives
the same text; an `InvalidAddress` raised here has its position inside the text (0 when the text is empty).
"""

from __future__ import annotations

import re
import unicodedata
from binascii import crc32
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from hashlib import blake2b
from typing import Any, Literal, NoReturn, Self

import msgspec
from msgspec.structs import force_setattr

from palazzo.errors import InvalidAddress, InvalidInput

MAX_DEPTH = 6
"""Segments below the root."""

Reach = Literal["self", "children", "subtree"]

_ILLEGAL = re.compile(r"[^a-z0-9_-]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US = timedelta(microseconds=1)
_SCHEME = "kref://"
_ESCAPED = frozenset(" %&#?")
# 18 digits stay inside a 64-bit column and below the interpreter's limit on converting digits.
_REVISION = r"[1-9][0-9]{0,17}"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
# datetime keeps microseconds, so a seventh digit could not be printed back and is refused.
_RFC3339 = rf"{_DAY}[Tt][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\.[0-9]{{1,6}})?([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})"


def _refuse(message: str, text: str, position: int) -> NoReturn:
    raise InvalidAddress(message, text=text, position=max(0, min(position, len(text) - 1)))


def _segment(text: str, start: int, end: int) -> str:
    """The segment text[start:end], refused at its first illegal character."""
    if start >= end:
        _refuse("a segment is missing", text, start)
    if bad := _ILLEGAL.search(text, start, end):
        _refuse("only a-z, 0-9, _ and - are allowed here", text, bad.start())
    return text[start:end]


def _place(text: str, start: int, end: int, separator: str) -> Place:
    """The place written in text[start:end]; nothing between the bounds is the root."""
    if start >= end:
        return ROOT
    segments: list[str] = []
    while True:
        if len(segments) == MAX_DEPTH:
            _refuse(f"a place has at most {MAX_DEPTH} segments", text, start)
        stop = text.find(separator, start, end)
        segments.append(_segment(text, start, end if stop < 0 else stop))
        if stop < 0:
            return Place(tuple(segments))
        start = stop + 1


class Place(msgspec.Struct, frozen=True, gc=False, order=True):
    """A node of the palace's tree, as the segments from the root; `ROOT` has none."""

    segments: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.segments) > MAX_DEPTH:
            kept = ".".join(self.segments[:MAX_DEPTH])
            _refuse(f"a place has at most {MAX_DEPTH} segments", self.path, len(kept) + 1)
        start = 0
        for segment in self.segments:
            if not segment or _ILLEGAL.search(segment):
                _segment(self.path, start, start + len(segment))
            start += len(segment) + 1

    @classmethod
    def parse(cls, text: str) -> Place:
        """The place written as dotted segments; the empty text is the root.

        Raises: InvalidAddress.
        """
        return _place(text, 0, len(text), ".")

    @property
    def path(self) -> str:
        """Dotted segments; empty for the root."""
        return ".".join(self.segments)

    @property
    def parent(self) -> Place | None:
        """The place above, or None for the root."""
        return Place(self.segments[:-1]) if self.segments else None

    @property
    def depth(self) -> int:
        """Number of segments below the root."""
        return len(self.segments)

    def child(self, segment: str) -> Place:
        """The place one segment below.

        Raises: InvalidAddress if the segment is illegal or the depth is used up.
        """
        return Place((*self.segments, segment))

    def contains(self, other: Place) -> bool:
        """Whether the other place is this one or lies below it."""
        return other.segments[: len(self.segments)] == self.segments

    def __str__(self) -> str:
        return self.path


ROOT = Place(())


def _slice_days(text: str, start: int) -> tuple[date, date]:
    """First and last day of the slice whose '#' is at `start` of the text."""
    body = text[start + 1 :]
    try:
        if re.fullmatch(_DAY, body):
            day = date.fromisoformat(body)
            return day, day
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}", body):
            first = date.fromisoformat(f"{body}-01")
            if first.month == 12:
                return first, first.replace(day=31)
            return first, first.replace(month=first.month + 1) - timedelta(days=1)
        if re.fullmatch(r"[0-9]{4}-W[0-9]{2}", body):
            year, week = int(body[:4]), int(body[6:])
            return date.fromisocalendar(year, week, 1), date.fromisocalendar(year, week, 7)
        if re.fullmatch(rf"{_DAY}\.\.{_DAY}", body):
            begin, end = date.fromisoformat(body[:10]), date.fromisoformat(body[12:])
            if end < begin:
                _refuse("the slice ends before it begins", text, start + 13)
            return begin, end
    except (ValueError, OverflowError):
        _refuse("no such date", text, start + 1)
    return _refuse("a slice is #YYYY-MM-DD, #YYYY-MM, #YYYY-Www or #YYYY-MM-DD..YYYY-MM-DD", text, start + 1)


class Slice(msgspec.Struct, frozen=True, gc=False):
    """Whole days from `begin` to `end`, both included; `text` is the spelling, '#' first."""

    begin: date
    end: date
    text: str

    def __post_init__(self) -> None:
        if self.text[:1] != "#":
            _refuse("a slice begins with #", self.text, 0)
        if _slice_days(self.text, 0) != (self.begin, self.end):
            _refuse("the spelling of the slice names other days", self.text, 0)

    @classmethod
    def parse(cls, text: str) -> Slice:
        """The slice written as '#' and a day, a month, an ISO week or a range of days.

        Raises: InvalidAddress.
        """
        if text[:1] != "#":
            _refuse("a slice begins with #", text, 0)
        return cls(*_slice_days(text, 0), text)

    def bounds_us(self, tz: tzinfo = UTC) -> tuple[int, int]:
        """First µs of the slice and the first µs after it, for days that begin at midnight in `tz`."""
        begin = datetime.combine(self.begin, time.min, tz) - _EPOCH
        if self.end == date.max:
            end = datetime.combine(self.end, time.min, tz) - _EPOCH + timedelta(days=1)
        else:
            end = datetime.combine(self.end + timedelta(days=1), time.min, tz) - _EPOCH
        return begin // _US, end // _US

    def __str__(self) -> str:
        return self.text


class PlaceGlob(msgspec.Struct, frozen=True, gc=False):
    """A set of places (one, its children, or it and everything below), optionally cut to a time slice.

    `without` are sets taken out of it; they are worked out, as from grants that limit each other, and never written.
    """

    place: Place
    reach: Reach = "self"
    slice: Slice | None = None
    without: tuple[PlaceGlob, ...] = ()

    def __post_init__(self) -> None:
        if self.reach not in ("self", "children", "subtree"):
            raise InvalidInput(f"unknown reach {self.reach!r}", field="reach", hint="self, children or subtree")

    @classmethod
    def parse(cls, text: str) -> PlaceGlob:
        """The glob written as a place, then '.*' or '.**' ('*' or '**' at the root), then a slice.

        Raises: InvalidAddress.
        """
        mark = text.find("#")
        end = len(text) if mark < 0 else mark
        cut = None
        if mark >= 0:
            cut = Slice(*_slice_days(text, mark), text[mark:])
        reach: Reach = "self"
        if text.endswith("**", 0, end):
            reach, end = "subtree", end - 2
        elif text.endswith("*", 0, end):
            reach, end = "children", end - 1
        if reach != "self" and end:
            if text[end - 1] != ".":
                _refuse("* stands alone or after a dot", text, end)
            end -= 1
            if not end:
                _refuse("a segment is missing", text, 0)
        return cls(_place(text, 0, end, "."), reach, cut)

    def matches(self, place: Place) -> bool:
        """Whether the place is in the set; the slice is about memories, not places, and plays no part."""
        if not self.place.contains(place):
            return False
        below = place.depth - self.place.depth
        if self.reach != "subtree" and below != (1 if self.reach == "children" else 0):
            return False
        return not any(out.matches(place) for out in self.without)

    def covers(self, other: PlaceGlob) -> bool:
        """Whether everything the other glob can name, this one names too."""
        mine, theirs = self._extent, other._extent
        if theirs == "nothing":
            return True
        if self.without and self.without != other.without:
            return False  # whether what is taken out of it meets the other is not worked out
        if self.slice and not (
            other.slice and self.slice.begin <= other.slice.begin and other.slice.end <= self.slice.end
        ):
            return False
        if mine == "subtree":
            return self.place.contains(other.place)
        if mine == "children":
            if theirs == "self":
                return other.place.parent == self.place
            return theirs == "children" and other.place == self.place
        return mine == theirs == "self" and other.place == self.place

    @property
    def _extent(self) -> Literal["self", "children", "subtree", "nothing"]:
        """The reach that is left when no place can lie below the deepest level."""
        if self.reach == "self" or self.place.depth < MAX_DEPTH:
            return self.reach
        return "self" if self.reach == "subtree" else "nothing"

    def __str__(self) -> str:
        stars = {"self": "", "children": "*", "subtree": "**"}[self.reach]
        dot = "." if stars and self.place.segments else ""
        out = f" without {', '.join(map(str, self.without))}" if self.without else ""
        return f"{self.place.path}{dot}{stars}{self.slice or ''}{out}"


def _value(text: str, start: int, end: int) -> str:
    """The decoded query value text[start:end]: printable, not empty, percent escapes of UTF-8."""
    if start >= end:
        _refuse("a value is missing", text, start)
    raw = bytearray()
    index = start
    while index < end:
        char = text[index]
        if char == "%":
            if not re.fullmatch(r"[0-9A-Fa-f]{2}", text[index + 1 : min(index + 3, end)]):
                _refuse("% is followed by two hex digits", text, index)
            raw.append(int(text[index + 1 : index + 3], 16))
            index += 3
            continue
        if char in _ESCAPED or not char.isprintable():
            _refuse("this character must be percent-encoded", text, index)
        raw += char.encode()
        index += 1
    try:
        value = raw.decode()
    except UnicodeDecodeError:
        _refuse("the escapes are not UTF-8", text, start + text[start:end].index("%"))
    if not value.isprintable():
        _refuse("only printable characters are allowed here", text, start)
    return value


def _query(text: str, start: int) -> tuple[int | None, str | None, datetime | None, str | None]:
    """The query of a kref: '?' and one of r, t, at; then '&a='. The artifact alone may follow '?' or '&'."""
    found: dict[str, Any] = {}
    while start < len(text):
        if text[start] != "&" and not (not found and text[start] == "?"):
            _refuse("a kref has no slice" if text[start] == "#" else "& is expected here", text, start)
        stop = text.find("&", start + 1)
        stop = len(text) if stop < 0 else stop
        equals = text.find("=", start + 1, stop)
        key = text[start + 1 : equals] if equals >= 0 else ""
        if "a" in found or not (key == "a" or (not found and text[start] == "?" and key in ("r", "t", "at"))):
            _refuse("expected r=, t= or at=, then a=", text, start + 1)
        value = _value(text, equals + 1, stop)
        if key == "r" and not re.fullmatch(_REVISION, value):
            _refuse("a revision is a number from 1", text, equals + 1)
        found[key] = int(value) if key == "r" else _instant(value, text, equals + 1) if key == "at" else value
        start = stop
    return found.get("r"), found.get("t"), found.get("at"), found.get("a")


def _instant(value: str, text: str, position: int) -> datetime:
    if re.fullmatch(_RFC3339, value):
        try:
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            _refuse("no such instant", text, position)
    return _refuse("an instant is RFC 3339, at most microseconds: 2026-04-19T08:30:00Z", text, position)


def _escape(value: str) -> str:
    return "".join(f"%{ord(char):02X}" if char in _ESCAPED else char for char in value)


class Kref(msgspec.Struct, frozen=True, gc=False):
    """The address of a memory, or of one of its revisions or artifacts; `palace` is empty in the short form.

    Equality is of meaning: two spellings of one instant or of one escaped character are the same kref, and
    each still prints as it was written.
    """

    palace: str
    place: Place
    name: str
    kind: str
    revision: int | None = None
    tag: str | None = None
    at: datetime | None = None
    artifact: str | None = None
    spelling: str | None = None
    """What followed the name as it was written; None where that says other than the fields do."""

    def __post_init__(self) -> None:
        for text in (self.palace, self.name, self.kind)[0 if self.palace else 1 :]:
            _segment(text, 0, len(text))
        if sum(chosen is not None for chosen in (self.revision, self.tag, self.at)) > 1:
            raise InvalidInput("a kref has one of revision, tag and at", field="kref")
        if self.revision is not None and not re.fullmatch(_REVISION, str(self.revision)):
            raise InvalidInput("a revision is a number from 1", field="revision")
        for value in (self.tag, self.artifact):
            if value is not None and not (value and value.isprintable()):
                raise InvalidInput("a tag or artifact is printable text, not empty", field="kref")
        if self.at is not None:
            if self.at.tzinfo is None:
                raise InvalidInput("an instant needs a time zone", field="at")
            try:
                force_setattr(self, "at", self.at.astimezone(UTC))
            except OverflowError:
                raise InvalidInput("an instant lies in the years 1 to 9999 of UTC", field="at") from None
        if self.spelling and _query(self.spelling, 0) != (self.revision, self.tag, self.at, self.artifact):
            force_setattr(self, "spelling", None)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The kref written in full (kref://palace/...) or short (place/name.kind).

        Raises: InvalidAddress.
        """
        marks = [mark for mark in (text.find("?"), text.find("&"), text.find("#")) if mark >= 0]
        end = min(marks, default=len(text))
        palace = ""
        start, separator = 0, "."
        if text.startswith("kref:"):
            if not text.startswith(_SCHEME):
                _refuse("kref: is followed by //", text, 5)
            start, separator = len(_SCHEME), "/"
            slash = text.find("/", start, end)
            palace = _segment(text, start, end if slash < 0 else slash)
            start = slash + 1
        else:
            slash = text.find("/", 0, end)
        if slash < 0:
            _refuse("a kref has a / before the name", text, end)
        last = text.rfind("/", 0, end)
        if separator == "/" and start == last:
            _refuse("a segment is missing", text, start)
        place = _place(text, start, last, separator)
        dot = text.find(".", last + 1, end)
        name = _segment(text, last + 1, end if dot < 0 else dot)
        if dot < 0:
            _refuse("a name is followed by a dot and its kind", text, end)
        return cls(palace, place, name, _segment(text, dot + 1, end), *_query(text, end), text[end:] or None)

    @property
    def query(self) -> str:
        """What follows the name: as it was written, or the canonical spelling of a value built in code."""
        if self.spelling is not None:
            return self.spelling
        parts = []
        if self.revision is not None:
            parts.append(f"r={self.revision}")
        if self.tag is not None:
            parts.append(f"t={_escape(self.tag)}")
        if self.at is not None:
            parts.append(f"at={self.at.replace(tzinfo=None).isoformat()}Z")
        if self.artifact is not None:
            parts.append(f"a={_escape(self.artifact)}")
        return f"?{'&'.join(parts)}" if parts else ""

    @property
    def short(self) -> str:
        """The form for people, without the palace."""
        return f"{self.place.path}/{self.name}.{self.kind}{self.query}"

    def full(self, palace: str) -> str:
        """The form that names the palace.

        Raises: InvalidAddress if the palace's name is not a segment.
        """
        path = "/".join((_segment(palace, 0, len(palace)), *self.place.segments))
        return f"{_SCHEME}{path}/{self.name}.{self.kind}{self.query}"

    def __eq__(self, other: object) -> bool:
        return self._meaning() == other._meaning() if isinstance(other, Kref) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._meaning())

    def _meaning(self) -> tuple[object, ...]:
        return self.palace, self.place, self.name, self.kind, self.revision, self.tag, self.at, self.artifact

    def __str__(self) -> str:
        return self.full(self.palace) if self.palace else self.short


def parse_address(text: str) -> PlaceGlob | Kref:
    """The place, glob or kref that the text is; a kref is what has a slash before its query.

    Raises: InvalidAddress.
    """
    if text.startswith("kref:") or "/" in re.split("[?&#]", text, maxsplit=1)[0]:
        return Kref.parse(text)
    return PlaceGlob.parse(text)


def looks_like_address(text: str) -> bool:
    """Whether a query is an address and not words: it has the form of one, parses, and is no plain number."""
    if not any(mark in text for mark in "./#*") or " " in text:
        return False
    try:
        address = parse_address(text)
    except InvalidAddress:
        return False
    return not (isinstance(address, PlaceGlob) and text.replace(".", "").isdigit())


# Latin letters that Unicode does not decompose into a base letter and a mark; apostrophes go without a trace.
_FOLDED = str.maketrans(
    {"æ": "ae", "ø": "o", "đ": "d", "ł": "l", "œ": "oe", "þ": "th", "ð": "d", "ı": "i"} | dict.fromkeys("'’‘`", "")
)


def name_for(title: str) -> str:
    """The name in an address of what is called by any text: a legal name is itself, any other its words and a mark.

    Raises: InvalidInput when nothing of it can be seen.
    """
    if not title.strip():
        raise InvalidInput("a name is blank", field="name", hint="leave it out, or give one")
    if not _ILLEGAL.search(title) and len(title) <= 120:
        return title
    mark = blake2b(unicodedata.normalize("NFC", title.strip()).encode(errors="surrogatepass"), digest_size=5)
    return f"{slug(title, 40).strip('-') or 'x'}-{mark.hexdigest()}"


def slug(text: str, limit: int = 48) -> str:
    """A legal segment or name made from any text: same text, same slug; a legal segment is its own slug.

    Letters of other scripts cannot be kept, so a checksum of the whole text stands in for them.
    Raises: InvalidInput if the limit is below 1.
    """
    if limit < 1:
        raise InvalidInput("a slug has at least one character", field="limit")
    if text and len(text) <= limit and not _ILLEGAL.search(text):
        return text
    # Names are short; beyond this many characters nothing could reach the result.
    kept = start = text.strip()[: 8 * limit].lower().replace("'", "").replace("`", "")
    if not start.isascii():
        start = unicodedata.normalize("NFKD", text.strip()[: 8 * limit]).casefold().translate(_FOLDED)
        kept = "".join(char for char in start if not unicodedata.combining(char))
    lost = not kept.isascii() and any(char.isalnum() and not char.isascii() for char in kept)
    words = re.sub(r"[^a-z0-9_]+", "-", kept).strip("-")
    mark = f"{crc32(text.encode(errors='surrogatepass')):08x}"[:limit] if lost or not words.strip("-_") else ""
    room = max(limit - len(mark) - 1, 0) if mark else limit
    if len(words) > room:
        cut = words[:room]
        whole = cut if words[len(cut)] == "-" else cut.rpartition("-")[0]
        words = (whole if 2 * len(whole) >= len(cut) else cut).strip("-")
    return "-".join(part for part in (words, mark) if part) or "x"
