"""Transcripts of agent sessions as JSON lines, read from where reading stopped.

Owns the format: one object a line, with `message` (role and content) or role and content themselves; text blocks are
turns, tool traffic, thinking and side conversations are not. Invariant: a line that is not finished yet is left for
the next time, and one that cannot be read is counted, never fatal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

LONGEST_LINE: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class Step:
    """One line that was read: where the next one begins, and the turn in it, if there is one; None if unreadable."""

    end: int
    turn: dict[str, Any] | None
    readable: bool = True


def steps(path: Path, start: int) -> Iterator[Step]:
    """The lines from a position on; from the beginning when the file has become shorter than that.

    Raises: OSError.
    """
    from palazzo.files import raw_files

    with raw_files.reading(path) as file:
        if start > path.stat().st_size:
            start = 0
        file.seek(start)
        end = start
        while line := file.readline(LONGEST_LINE):
            end += len(line)
            if not line.endswith(b"\n"):
                if len(line) < LONGEST_LINE:
                    return  # still being written
                while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                    end += len(rest)
                end += len(rest)
                yield Step(end, None, readable=False)
                continue
            yield _step(line, end)


def _step(line: bytes, end: int) -> Step:
    try:
        found = json.loads(line)
    except ValueError:
        return Step(end, None, readable=not line.strip())
    return Step(end, _turn(found) if isinstance(found, dict) else None)


def _turn(found: dict[str, Any]) -> dict[str, Any] | None:
    if found.get("isMeta") or found.get("isSidechain") or found.get("type") not in ("user", "assistant", None):
        return None
    message = found["message"] if isinstance(found.get("message"), dict) else found
    text, role = _text(message.get("content")), message.get("role")
    if role not in ("user", "assistant") or not text:
        return None
    at = _moment(found.get("timestamp"))
    return {"content": text, "role": role, **({"at": at} if at else {})}


def _text(content: Any) -> str:
    blocks = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    said = [
        block if isinstance(block, str) else block.get("text", "")
        for block in blocks
        if isinstance(block, str) or (isinstance(block, dict) and block.get("type") == "text")
    ]
    whole = "\n\n".join(part for part in said if isinstance(part, str)).strip()
    return "".join(sign for sign in whole if sign >= " " or sign in "\n\t").encode(errors="ignore").decode()


def _moment(value: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo and found.year >= 1970 else None
