"""Operations that carry memories in and out as files: import and export.

Owns who may do it and where it goes. Invariants: an import writes only below `imports` (its conversations below
`conversations`) or, of our own formats, where the caller may write; an export holds what the caller may read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mnemon.capture.importers.detect import READERS, detect
from mnemon.errors import InvalidInput
from mnemon.model.address import Place
from mnemon.model.capability import Level
from mnemon.operations import parameters as p
from mnemon.operations import port_results as r
from mnemon.operations.context import Context
from mnemon.operations.importing import Quarantine, take_in

IMPORTS = Place.parse("imports")
CONVERSATIONS = Place.parse("conversations")
Progress = Callable[[str, int, int], None]


def _silent(_name: str, _done: int, _total: int) -> None:
    """Progress for callers nobody watches."""


def import_file(context: Context, asked: p.Import, progress: Progress = _silent) -> r.Imported:
    """Takes in a file, in quarantine."""
    path = Path(asked.file).expanduser()
    found = detect(path) if asked.format == "auto" else asked.format
    place = _place(context, asked.place or f"imports.{found}")
    quarantine = Quarantine(context=context, file=path.name, format=found, place=place, dry_run=asked.dry_run)
    return take_in(READERS[found](path, context.engine.clock.now_us(), quarantine.limits), quarantine, progress)


def _place(context: Context, told: str) -> Place:
    place = Place.parse(told)
    if not IMPORTS.contains(place):
        raise InvalidInput(
            "what is imported goes to imports or a place below it", field="place",
            hint="look at it there, then move what you trust with `mnemon move`",
        )  # fmt: skip
    for wanted in (place, CONVERSATIONS):
        context.access.require(Level.write, wanted, context.operation.name)
    return place
