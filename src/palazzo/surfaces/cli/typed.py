"""What is typed for a parameter that is more than a word: a time, a list of things, a JSON object.

Owns the way from such a text to its value. Knows no operation. Invariant: what cannot be read is refused in words.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    _Type = click.ParamType[Any]  # generic for type checkers, since click 8.4; older versions are not
else:
    _Type = click.ParamType


class Moment(_Type):
    """A date or a time; one without a zone is meant where the person is."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no date or time, such as 2026-03-01 or 2026-03-01T12:00:00Z", param, ctx)
        return found if found.tzinfo else found.astimezone()


class Items(_Type):
    """A file (- for standard input) with a JSON list, one JSON value a line, or one text a line; or JSON itself."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[Any]:
        if isinstance(value, list):
            return value
        try:
            text = value if value[:1] in ("[", "{") else _text_of(value)
        except OSError as error:
            self.fail(f"{value}: {error.strerror}", param, ctx)
        if text.lstrip().startswith("["):
            try:
                return list(json.loads(text))
            except ValueError:
                self.fail(f"{value} is no JSON list", param, ctx)
        return [_item(line) for line in text.splitlines() if line.strip()]


class Object(_Type):
    """A JSON object, such as {"source": "email"}."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        try:
            found = value if isinstance(value, dict) else json.loads(value)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            self.fail('not a JSON object, such as \'{"source": "email"}\'', param, ctx)
        return found


def _text_of(file: str) -> str:
    return sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")


def _item(line: str) -> Any:
    try:
        found = json.loads(line)
    except ValueError:
        return line
    return found if isinstance(found, dict | str) else line
