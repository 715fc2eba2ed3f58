"""Where commands write for people: lines and tables that fit the terminal, or a page where there is none, and the few
shapes everything that is printed is made of.

Owns widths, wrapping and what is never let through to a terminal. Refuses to know what is written. Invariant:
remembered text is printed as text: neither markup nor a control sequence in it does anything.
"""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import click

PAGE_WIDTH: Final = 140
"""How wide a page is that goes into a file or another program."""
NARROWEST: Final = 8
"""What a column keeps, however little room there is."""
GAP: Final = 2


class Sheet:
    """Something to write on, so many signs wide."""

    def __init__(self, width: int, write: Callable[[str], None] = click.echo, *, bold_heads: bool = False) -> None:
        self.width = width
        self._write = write
        self._bold_heads = bold_heads

    def line(self, text: str, *, whole: bool = False) -> None:
        """A text, broken where the sheet ends unless it must stay whole."""
        for part in harmless(text).split("\n"):
            for piece in (part,) if whole else wrapped(part, self.width):
                self._write(piece)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Rows under their heads, no wider than the sheet."""
        cells = [[harmless(cell) for cell in row] for row in rows]
        columns = list(zip(heads, *cells, strict=True))
        widths = fitted([max(map(_widest, column)) for column in columns], self.width)
        for line in _laid(heads, widths):
            self._write(click.style(line, bold=True) if self._bold_heads else line)
        self._write((" " * GAP).join("─" * width for width in widths))
        for row in cells:
            for line in _laid(row, widths):
                self._write(line)


def sheet() -> Sheet:
    """Where people read: as wide as their terminal, or as a page where it goes into a file or another program."""
    terminal = sys.stdout.isatty()
    return Sheet(shutil.get_terminal_size().columns if terminal else PAGE_WIDTH, bold_heads=terminal)


def harmless(text: str) -> str:
    """A text in which nothing moves a cursor, colours, rings or turns the direction of writing."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        sign if sign == "\n" or (unicodedata.category(sign) not in ("Cc", "Cs") and sign not in _TURNING) else " "
        for sign in text.replace("\r\n", "\n").expandtabs(4)
    )


_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def wide(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(sign) for sign in text)


def _columns(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def _widest(cell: str) -> int:
    return max(map(wide, cell.split("\n")))


def fitted(wanted: Sequence[int], room: int) -> list[int]:
    """Widths of columns that fit: the widest give way first, down to the same width, and none below the narrowest."""
    widths = list(wanted)
    over = sum(widths) + GAP * (len(widths) - 1) - room
    while over > 0:
        most = max(widths)
        if most <= NARROWEST:
            break
        broad = [at for at, width in enumerate(widths) if width == most]
        below = max([width for width in widths if width < most] + [NARROWEST])
        step = max(1, min(most - below, over // len(broad)))
        for at in broad:
            taken = min(step, over)
            widths[at] -= taken
            over -= taken
    return widths


def wrapped(text: str, width: int) -> Iterator[str]:
    """A line as lines of at most so many columns, broken between words where that can be."""
    line, used, word = "", 0, ""
    if wide(text) <= width:
        yield text
        return
    for word in text.split(" "):
        long = wide(word)
        if line and used + 1 + long <= width:
            line, used = f"{line} {word}", used + 1 + long
            continue
        if line:
            yield line
        line, used = word, long
        while used > width:
            cut = taken = 0
            while cut < len(line) and taken + _columns(line[cut]) <= width:
                taken += _columns(line[cut])
                cut += 1
            cut = max(cut, 1)
            yield line[:cut]
            line = line[cut:]
            used = wide(line)
    yield line


def _laid(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """The lines of one row."""
    parts = [
        [piece for part in cell.split("\n") for piece in wrapped(part, width)]
        for cell, width in zip(row, widths, strict=True)
    ]
    for number in range(max(map(len, parts))):
        pieces = [part[number] if number < len(part) else "" for part in parts]
        padded = (piece + " " * (width - wide(piece)) for piece, width in zip(pieces, widths, strict=True))
        yield (" " * GAP).join(padded).rstrip()


SHORT_DIGITS = 8
Render = Callable[[Sheet, Any], None]


def when(moment: datetime | None) -> str:
    """A time where the person is; empty for none."""
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def table(console: Sheet, heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    """Rows under their heads."""
    console.table(heads, [[str(cell) for cell in row] for row in rows])


def short(memory: UUID | str | None) -> str:
    """The end of an id, which every command takes for the whole; the beginning is the time, much the same for all."""
    return "" if memory is None else str(memory)[-SHORT_DIGITS:]


def line(console: Sheet, text: str) -> None:
    """One line, or several where the text has several."""
    console.line(text)


def saying(words: Callable[[Any], str]) -> Render:
    """A result that is one line."""
    return lambda console, found: line(console, words(found))


def plain(console: Sheet, found: Any) -> None:
    """A result that has no form of its own: a listing as a table of its fields, anything else a field a line."""
    things = list(found) if hasattr(type(found), "__iter__") else None
    if things is None:
        for field in found.__struct_fields__:
            if (said := words(getattr(found, field))) != "":
                line(console, f"{field.replace('_', ' '):16} {said}")
    elif things:
        heads = tuple(things[0].__struct_fields__)
        shown = ([words(getattr(one, field)) for field in heads] for one in things)
        table(console, tuple(head.replace("_", " ") for head in heads), map(tuple, shown))
    else:
        line(console, "none")


def words(value: Any) -> str:
    """A value in words: a time where the person is, lists by commas, what has fields with their names."""
    if value is None or value == () or value == "":
        return ""
    if isinstance(value, datetime):
        return when(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {words(one)}" for name, one in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(map(words, value))
    if fields := getattr(value, "__struct_fields__", ()):
        return " ".join(f"{name} {words(getattr(value, name))}" for name in fields if words(getattr(value, name)))
    return str(value)


def rows(heads: tuple[str, ...], row: Callable[[Any], tuple[object, ...]]) -> Render:
    """A listing that is one table, or says that there is none."""

    def render(console: Sheet, found: Any) -> None:
        things = [row(one) for one in found]
        table(console, heads, things) if things else line(console, "none")

    return render
