"""The few shapes every printed result is made of: a table, a line, a time where the person is.

Invariant: remembered text is printed as text, never read as markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text


def when(moment: datetime | None) -> str:
    """A time where the person is; empty for none."""
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def table(console: Console, heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    """Rows under their heads."""
    made = Table(*heads)
    for row in rows:
        made.add_row(*(Text(str(cell)) for cell in row))
    console.print(made)


def line(console: Console, text: str) -> None:
    """One line."""
    console.print(Text(text))
