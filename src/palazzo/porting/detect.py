"""Which foreign format a path is, from what is in it, never from its name alone.

Owns the table of readers and the order in which they are tried. Invariant: what no reader knows is an error that lists
the formats there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from palazzo.errors import InvalidInput
from palazzo.files import sqlite_files
from palazzo.porting import calendar_file, conversations, histories, memories, notes
from palazzo.porting.files import Items, Limits, archive, beginning, document, parsed, walk

Reader = Callable[[Path, int, Limits], Items]
READERS: Final[Mapping[str, Reader]] = {
    "chatgpt": conversations.read_chatgpt,
    "claude": conversations.read_claude,
    "mem0": memories.read_mem0,
    "mcp-memory": memories.read_memory_server,
    "notes": notes.read,
    "chromium": histories.read_chromium,
    "firefox": histories.read_firefox,
    "icalendar": calendar_file.read,
    "shell-history": histories.read_shell,
    "atuin": histories.read_atuin,
    "activitywatch": histories.read_activitywatch,
}
_TABLES: Final = (
    ("chromium", frozenset({"urls", "visits"})),
    ("firefox", frozenset({"moz_places", "moz_historyvisits"})),
    ("atuin", frozenset({"history", "_sqlx_migrations"})),
    ("mem0", frozenset({"history"})),
)
_HEAD: Final = 64 << 10
_GRAPH = re.compile(r'"type"\s*:\s*"(?:entity|relation)"')


def detect(path: Path, limits: Limits = Limits()) -> str:
    """The name of the format.

    Raises: InvalidInput when it is none of ours.
    """
    if path.is_dir():
        if next(walk(path, notes.SUFFIXES, limits), None) is not None:
            return "notes"
        raise _unknown(path)
    if str(path).startswith("http:/"):
        return "activitywatch"
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}", field="source")
    if sqlite_files.is_sqlite(path):
        tables = sqlite_files.tables_in(path)
        return next((name for name, wanted in _TABLES if wanted <= tables), "") or _refuse(path)
    head = beginning(path, _HEAD)
    if head.startswith(b"PK"):
        return _zipped(path, limits)
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    if text[:15].upper() == "BEGIN:VCALENDAR":
        return "icalendar"
    if _GRAPH.search(text.split("\n", 1)[0]) and text.startswith("{"):
        return "mcp-memory"
    if text.startswith(("[", "{")):
        return _json(parsed(document(path, limits), path.name, limits)) or _refuse(path)
    if histories.is_history(text, path.name):
        return "shell-history"
    if path.suffix.lower() in notes.SUFFIXES:
        return "notes"
    raise _unknown(path)


def _zipped(path: Path, limits: Limits) -> str:
    with archive(path, limits) as opened:
        for name in sorted(opened.names):
            if conversations.is_member(name) and (found := _json(parsed(opened.read(name), name, limits))):
                return found
    raise _unknown(path)


def _json(found: Any) -> str:
    """The format of a JSON document, by the fields of its first objects."""
    listed = found if isinstance(found, list) else [found]
    for one in listed[:20]:
        if not isinstance(one, dict):
            continue
        if isinstance(one.get("buckets"), dict):
            return "activitywatch"
        if "mapping" in one:
            return "chatgpt"
        if "chat_messages" in one or "prompt_template" in one or "conversations_memory" in one:
            return "claude"
        if any(isinstance(one.get(key), list) for key in ("results", "memories")) or "memory" in one:
            return "mem0"
    return ""


def _refuse(path: Path) -> str:
    raise _unknown(path)


def _unknown(path: Path) -> InvalidInput:
    return InvalidInput(
        f"{path.name} is of no format that is known", field="source",
        hint=f"name one: bundle, markdown, palace, encrypted, {', '.join(READERS)}",
    )  # fmt: skip
