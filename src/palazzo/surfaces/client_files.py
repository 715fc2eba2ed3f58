"""Files of other programs that are told of Palazzo: read, changed in one part, written whole.

Owns how such a file is changed without harm, and how our program is named in it. Refuses to know what a client's
entries look like (`mcp.command`, `hooks.command`). Invariants: a file that cannot be read as what it should be is left
alone and said so; a changed file has a copy of what it was.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Final

import click

from palazzo.errors import InvalidInput, StorageError

PROGRAM: Final = "palazzo"


def program() -> str:
    """Our program by its full path, for desktop clients know no search path; by its name where it cannot be told."""
    running = Path(sys.argv[0])
    here = str(running.absolute()) if running.name == PROGRAM and running.is_file() else PROGRAM
    return shutil.which(PROGRAM) or here


def unreadable(why: str) -> InvalidInput:
    """That a file was left as it is."""
    return InvalidInput(f"the file was left as it is: {why}", field="file", hint="put the snippet in yourself")


def read(path: Path) -> str | None:
    """What a file says; nothing where there is none.

    Raises: InvalidInput.
    """
    try:
        return path.read_text("utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable("it cannot be read") from error


def read_object(text: str) -> dict[str, Any]:
    """The JSON object that a file's text is.

    Raises: InvalidInput.
    """
    try:
        found = json.loads(text.lstrip("\ufeff")) if text.strip() else {}
    except ValueError as error:
        raise unreadable("it is no plain JSON, comments perhaps") from error
    if not isinstance(found, dict):
        raise unreadable("it is no object")
    return found


def spelled(made: dict[str, Any], before: str) -> str:
    """An object as the text of a file, indented as the file was."""
    indent = re.search(r"^([ \t]+)\"", before, re.MULTILINE)
    return json.dumps(made, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n"


def put(told: dict[str, Any], path: Path, before: str | None, made: str) -> None:
    """Writes a file if it is to change, and tells so.

    Raises: StorageError.
    """
    told["changed"] = made != before
    copy = write(path, made, before) if told["changed"] else None
    told["copy"] = str(copy) if copy else ""


def write(path: Path, text: str, before: str | None) -> Path | None:
    """Replaces a file whole; the copy of what it was, None where there was none.

    Raises: StorageError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        copy = None
        if before is not None:
            copies = (
                path.with_name(f"{path.name}.before-palazzo{end}") for end in ("", *(f"-{n}" for n in range(2, 1000)))
            )
            copy = next(one for one in copies if not one.exists())
            shutil.copy2(path, copy)
        fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
        fresh.write_text(text, "utf-8")
        if before is not None:
            shutil.copymode(path, fresh)
        fresh.replace(path.resolve())
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error
    return copy


def show(told: dict[str, Any]) -> None:
    """Says to people what was written, or what to put where."""
    if "missing" in told:
        click.echo(f"palazzo: {told['missing']}", err=True)
    if "changed" not in told:
        click.echo(f"# {told['file']}", err=True)
        click.echo(told["snippet"], nl=False)
    elif not told["changed"]:
        click.echo(f"{told['file']} has it already")
    else:
        click.echo(f"written to {told['file']}" + (f"; what it was is in {told['copy']}" if told["copy"] else ""))
    if told.get("besides"):
        click.echo(f"besides: {told['besides']}", err=True)
