"""An importer for diary files (`2026-05-01: what happened`, one entry a line), a reranker by shared words, and a
context provider that says which week it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from palazzo.porting.files import Entry, Unread, from_iso
from palazzo.porting.files import Limits, document

_LINE = re.compile(r"(\d{4}-\d\d-\d\d):\s*(\S.*)")


def read_diary(path: Path, now_us: int, limits: Limits) -> Iterator[Entry | Unread]:
    """An entry for each line with a date; other lines are told as unread, so nothing is lost silently."""
    for number, line in enumerate(document(path, limits).decode("utf-8-sig", "replace").splitlines(), start=1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            yield Unread(f"line {number}", "no date at its beginning", "write 2026-05-01: and then the text")
            continue
        day = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
        yield Entry(id=f"{found[1]}/{number}", text=found[2], at_us=min(from_iso(day.isoformat()) or 0, now_us))


class SharedWords:
    """Scores a text by the share of the query's words it has."""

    name = "shared-words-1"

    def rerank(self, query: str, texts: Sequence[str]) -> Any:
        """One score per text, higher is better."""
        wanted = set(query.lower().split())
        scores = [len(wanted & set(text.lower().split())) / max(len(wanted), 1) for text in texts]
        return np.asarray(scores, dtype=np.float32)


class ThisWeek:
    """Says in every context which week it is."""

    name = "this-week-1"
    section = "today"

    def provide(self, message: str) -> str:  # noqa: ARG002
        """One line, whatever the message."""
        year, week, _ = datetime.now(UTC).isocalendar()
        return f"This is week {week} of {year}."
