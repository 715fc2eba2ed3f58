"""What an archive lacks: messages the palace took in whose letters are in none of its files.

Owns the comparison. A copy of a palace that was brought back without its archive begins a new one, and what was told
before the first day of an archive may have been told while it was off: that is missing, but not lost.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from palazzo.store.api import Store

if TYPE_CHECKING:
    from palazzo.intake.pipeline import Pipeline

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Gap(msgspec.Struct, frozen=True, gc=False):
    """How many messages of a day are missing; `lost` says that the archive must have had them."""

    file: str
    count: int
    lost: bool

    def __str__(self) -> str:
        return f"{self.count} messages of {self.file} are missing"


def gaps(store: Store, pipeline: Pipeline) -> tuple[Gap, ...]:
    """What was taken in and is missing, day by day; nothing when it is not to be archived."""
    archive = pipeline.archive
    if archive is None or not pipeline.archiving:
        return ()
    taken_in = store.accounts.taken_in()
    known = {letter.id for call in archive.read().calls for letter in call.letters}
    files = {path.name for path in archive.folder.glob("*.jsonl")}
    missing = Counter(
        f"{(_EPOCH + timedelta(microseconds=made_us)).date().isoformat()}.jsonl"
        for letter, made_us in taken_in
        if letter not in known
    )
    first = min(files, default="") if archive.folder.is_dir() else "~"
    return tuple(Gap(file, count, file >= first) for file, count in sorted(missing.items()))
