"""The few shapes everything printed on a terminal is made of: a table, a line, a time where the person is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from palazzo.surfaces.cli.sheet import Sheet

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
