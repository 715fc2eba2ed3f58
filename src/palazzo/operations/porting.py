"""Operations that carry memories in and out as files: import and export. They are the operator's, like the files.

Owns where things go and that a file appears whole or not at all. Invariants: an import of another program's file writes
only below `imports` and `conversations`; an export holds what the caller may read, and writes over nothing.
"""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from msgspec.structs import replace

from palazzo.errors import InvalidInput, StorageError
from palazzo.files.raw_files import make_private, named
from palazzo.intake.restore import Origin
from palazzo.model.address import Place, slug
from palazzo.model.capability import View
from palazzo.model.record import Record
from palazzo.operations import parameters as p
from palazzo.operations import port_results as r
from palazzo.operations.context import Context, below
from palazzo.operations.importing import Quarantine, take_in
from palazzo.operations.restoring import OWN, Restoring, detect_own, opened
from palazzo.porting import bundle, markdown_archive
from palazzo.porting.detect import READERS, detect

IMPORTS = Place.parse("imports")
Progress = Callable[[str, int, int], None]
_ENDINGS = {".db": "palace", ".sqlite": "palace", ".sealed": "encrypted", ".enc": "encrypted", "": "markdown"}


def _silent(_name: str, _done: int, _total: int) -> None:
    """Progress for callers nobody watches."""


def import_file(context: Context, asked: p.Import, progress: Progress = _silent) -> r.Imported:
    """Takes in a file, in quarantine."""
    path = named(asked.file)
    found: str = asked.format if not asked.reader else slug(asked.reader, 40)
    if asked.reader and asked.format != "auto":
        raise InvalidInput("a reader knows its own format", field="format", hint="leave it out")
    if found == "auto":
        found = detect_own(path) or detect(path)
    if found in OWN and not asked.reader:
        if asked.place:
            raise InvalidInput("memories of another palace keep their places", field="place", hint="leave it out")
        if not path.exists():
            raise InvalidInput(f"there is no file {path}", field="file")
        origin = Origin(file=path.name, format=found, scope=context.scope)
        with opened(path, found, asked.passphrase, context.engine.store.care) as (items, total):
            return Restoring(context, origin, dry_run=asked.dry_run).run(items, total, progress)
    place = Place.parse(asked.place or f"imports.{found}")
    if not IMPORTS.contains(place):
        raise InvalidInput(
            "what is imported goes to imports or a place below it", field="place",
            hint="look at it there, then move what you trust with `palazzo move`",
        )  # fmt: skip
    quarantine = Quarantine(context=context, file=path.name, format=found, place=place, dry_run=asked.dry_run)
    read = context.engine.importer(asked.reader) if asked.reader else READERS[found]
    return take_in(read(path, context.engine.clock.now_us(), quarantine.limits), quarantine, progress)


@dataclass(slots=True)
class _Tally:
    """What goes past on its way out."""

    memories: int = 0
    revisions: int = 0
    edges: int = 0

    def over(self, found: Iterator[Record], total: int, progress: Progress) -> Iterator[Record]:
        for record in found:
            self.memories += 1
            self.revisions += len(record.revisions)
            self.edges += len(record.edges)
            if self.memories % 100 == 0:
                progress("memories", self.memories, total)
            yield record


def export(context: Context, asked: p.Export, progress: Progress = _silent) -> r.Exported:
    """Writes what the caller may read to a new file or folder."""
    target = named(asked.to, "to")
    form: str = asked.format if asked.format != "auto" else _ENDINGS.get(target.suffix.lower(), "bundle")
    if target.exists():
        raise InvalidInput(f"{target} already exists", field="to", hint="name a new file")
    if form == "palace":
        return _copy(context, asked, target, progress)
    tally = _Tally()
    now_us = context.engine.clock.now_us()
    about = {"palace": str(context.engine.store.id), "exported_us": now_us, "user": asked.user, "place": asked.place}
    place = below(asked.place)
    with context.engine.store.reading(_view(context)) as reading, _appearing(target) as draft:
        found = tally.over(reading.records.records(place, asked.user), reading.records.count(place), progress)
        if form == "markdown":
            make_private(draft)
            size = markdown_archive.write(draft, found, about)
        else:
            size = _write(draft, bundle.lines(found, about), asked.passphrase if form == "encrypted" else None)
    return r.Exported(
        to=str(target), format=form, memories=tally.memories, revisions=tally.revisions, edges=tally.edges, bytes=size
    )


def _view(context: Context) -> View:
    """All the caller may read, archived and disbelieved too; a palace without a scope named: of every scope."""
    everyone = context.access.is_operator and not context.scope.levels
    return replace(context.view(), states=("active", "stale", "archived"), include_deprecated=True, all_scopes=everyone)


def _write(draft: Path, lines: Iterator[bytes], passphrase: str | None) -> int:
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        if passphrase is None:
            file.writelines(lines)
        else:
            bundle.write_sealed(file, lines, passphrase)
        file.flush()
        os.fsync(file.fileno())
        return file.tell()


@contextmanager
def _appearing(target: Path) -> Iterator[Path]:
    """A draft beside the target that takes its name when it is complete, and goes when it is not."""
    try:
        make_private(target.parent)
        for stray in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
            _remove(stray)  # left by an export that was killed
        draft = target.with_name(f".{target.name}.{uuid4().hex[:8]}.part")
        try:
            yield draft
            draft.rename(target)
        finally:
            _remove(draft)
    except OSError as error:
        raise StorageError(f"{target} cannot be written: {error.strerror}") from error


def _remove(draft: Path) -> None:
    if draft.is_dir():
        shutil.rmtree(draft)
    draft.unlink(missing_ok=True)


def _copy(context: Context, asked: p.Export, target: Path, progress: Progress) -> r.Exported:
    if asked.place or asked.user or context.scope.levels:
        raise InvalidInput("a copy of the palace file has all of it", field="format", hint="export a bundle instead")
    store = context.engine.store
    store.care.backup(target, lambda done, total: progress("pages", done, total))
    totals: dict[str, Any] = store.care.totals()
    return r.Exported(to=str(target), format="palace", bytes=target.stat().st_size, **totals)
