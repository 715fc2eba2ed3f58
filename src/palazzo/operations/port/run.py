"""Operations that carry memories in and out as files: import and export. They are the operator's, like the files.

Owns where things go, that a file appears whole or not at all, and how our own formats come back in: an edge is made
only between memories that an import brought, so no file can hang anything on what was here before. Invariants: an
import of another program's file writes only below `imports` and `conversations`; each record is counted once, as new,
known or refused, and a file that is cut off is refused before anything is written; an export holds what the caller may
read, and writes over nothing.
"""

from __future__ import annotations

import glob
import math
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from msgspec.structs import replace

from palazzo.errors import Conflict, InvalidInput, NotFound, StorageError
from palazzo.files import sqlite_files
from palazzo.files.raw_files import make_private, named
from palazzo.intake.restore import Origin, told_of
from palazzo.model.address import Place, slug
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, Change
from palazzo.model.graph import EDGE_KINDS, EdgeKind, Node
from palazzo.model.record import Record, RecordedEdge
from palazzo.operations.context import CallContext, Progress, places_called
from palazzo.operations.port import spec
from palazzo.operations.port.quarantine import SCREENED, ImportTally, Quarantine, readable, take_in
from palazzo.porting import bundle, markdown_archive
from palazzo.porting.detect import READERS, detect
from palazzo.porting.files import Limits, beginning, size_of
from palazzo.store.api import Broken, Care

IMPORTS = Place.parse("imports")
_ENDINGS = {".db": "palace", ".sqlite": "palace", ".sealed": "encrypted", ".enc": "encrypted", "": "markdown"}
OWN = frozenset({"bundle", "markdown", "encrypted", "palace"})
RECORDS = 100
MOST_EDGES = 10_000
"""Of one memory. More is no memory but an attack on whoever walks them."""
_PALACE = frozenset({"palace", "memory", "revision", "tag_move", "event"})
_KINDS: dict[str, EdgeKind] = {kind: kind for kind in EDGE_KINDS}
Item = Record | bundle.UnreadableLine | Broken


def _silent(_name: str, _done: int, _total: int) -> None:
    """Progress for callers nobody watches."""


def import_(context: CallContext, asked: spec.ImportParameters, progress: Progress = _silent) -> spec.Imported:
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


def export(context: CallContext, asked: spec.ExportParameters, progress: Progress = _silent) -> spec.Exported:
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
    place = places_called(asked.place)
    with context.engine.store.reading(_readable(context)) as reading, _appearing(target) as draft:
        found = tally.over(reading.records.records(place, asked.user), reading.records.count(place), progress)
        if form == "markdown":
            make_private(draft)
            size = markdown_archive.write(draft, found, about)
        else:
            size = _write(draft, bundle.lines(found, about), asked.passphrase if form == "encrypted" else None)
    return spec.Exported(
        to=str(target), format=form, memories=tally.memories, revisions=tally.revisions, edges=tally.edges, bytes=size
    )


def _readable(context: CallContext) -> View:
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


def _copy(context: CallContext, asked: spec.ExportParameters, target: Path, progress: Progress) -> spec.Exported:
    if asked.place or asked.user or context.scope.levels:
        raise InvalidInput("a copy of the palace file has all of it", field="format", hint="export a bundle instead")
    store = context.engine.store
    store.care.backup(target, lambda done, total: progress("pages", done, total))
    totals: dict[str, Any] = store.care.totals()
    return spec.Exported(to=str(target), format="palace", bytes=target.stat().st_size, **totals)


def detect_own(path: Path) -> str:
    """Which of our formats a path is; empty when it is none of them."""
    if path.is_dir():
        return "markdown" if markdown_archive.is_archive(path) else ""
    if not path.is_file():
        return ""
    head = beginning(path, 64)
    if bundle.is_sealed(head):
        return "encrypted"
    if bundle.is_bundle(head):
        return "bundle"
    if sqlite_files.is_sqlite(path) and sqlite_files.tables_in(path) >= _PALACE:
        return "palace"
    return ""


@contextmanager
def opened(path: Path, form: str, passphrase: str, care: Care) -> Iterator[tuple[Iterable[Item], int]]:
    """The records of a file, and how many it says there are (0: it does not say).

    Raises: InvalidInput, WrongKey.
    """
    if form == "markdown":
        yield markdown_archive.read(path), 0
        return
    size_of(path, Limits())
    if form == "bundle":
        total = bundle.check(bundle.read_lines(path))
        yield bundle.records(bundle.read_lines(path)), total
    elif form == "encrypted":
        sealed = bundle.Sealed(path, passphrase)
        total = bundle.check(bundle.split(sealed.pieces()))
        yield bundle.records(bundle.split(sealed.pieces())), total
    else:
        with care.copied(path) as reading:
            yield reading.records.salvaged(), reading.records.count()


class Restoring:
    """One import of records."""

    def __init__(self, context: CallContext, origin: Origin, *, dry_run: bool) -> None:
        self._context = context
        self._origin = origin
        self._dry_run = dry_run
        self._count = ImportTally()
        self._seen: set[UUID] = set()
        self._standing: set[UUID] = set()
        """Memories of the file that are here, brought by this import or before it."""
        self._ours: dict[UUID, bool] = {}
        """Memories an import brought, and whether it was this one."""
        self._edges: dict[UUID, tuple[RecordedEdge, ...]] = {}

    def run(self, items: Iterable[Item], total: int, progress: Progress) -> spec.Imported:
        """Takes in every record.

        Raises: NotPermitted, StorageError.
        """
        batch: list[Record] = []
        for item in items:
            if isinstance(item, Record):
                batch += self._fresh(item)
            else:
                named = item.entry if isinstance(item, bundle.UnreadableLine) else f"memory {item.number}"
                self._count.refuse(named, item.reason, "export it again")
            if len(batch) == RECORDS:
                self._take(batch)
                batch = []
                progress("memories", self._count.entries, total)
        if batch:
            self._take(batch)
        links = 0 if self._dry_run else self._link()
        count = self._count
        live = set() if self._dry_run else readable(self._context, self._standing, put_away=True)
        made = {memory_id for memory_id, new in self._ours.items() if new}
        return spec.Imported(
            file=self._origin.file, format=self._origin.format, dry_run=self._dry_run, entries=count.entries,
            new=count.new, known=count.known, refused=count.refused, redacted=count.redacted,
            readable=len(live), memories=len(live & made), links=links, refusals=tuple(count.refusals),
            degraded=tuple(count.degraded),
        )  # fmt: skip

    def _fresh(self, record: Record) -> list[Record]:
        if record.id in self._seen or not record.revisions:
            why = "its id comes twice" if record.id in self._seen else "a memory without a revision"
            self._count.refuse(str(record.id), why, "export it again")
            return []
        self._seen.add(record.id)
        return [record]

    def _take(self, batch: Sequence[Record]) -> None:
        """Takes in a batch; when one record is at fault it is halved until that one stands alone."""
        try:
            done = self._context.engine.intake.restore(
                batch, self._origin, subject=self._context.subject, dry_run=self._dry_run
            )
        except (Conflict, NotFound) as error:
            if len(batch) == 1:
                self._count.refuse(str(batch[0].id), error.message, error.hint)
                return
            half = len(batch) // 2
            self._take(batch[:half])
            self._take(batch[half:])
            return
        count = self._count
        count.new += len(done.new)
        count.known += len(done.known)
        count.redacted += done.redacted
        count.degraded.update(dict.fromkeys(done.degraded))
        for memory_id, reason in done.refused.items():
            count.refuse(str(memory_id), reason, SCREENED if "never stored" in reason else "")
        self._standing.update(done.new, done.known)
        self._ours.update(dict.fromkeys(done.new, True))
        self._ours.update({memory_id: False for memory_id, imported in done.known.items() if imported})
        for record in batch:
            if record.id in self._ours and record.edges:
                self._edges[record.id] = record.edges[:MOST_EDGES]

    def _link(self) -> int:
        changes = [
            AddEdge(
                _KINDS[edge.kind], Node(source, edge.revision), Node(edge.target, edge.target_revision), weight,
                told_of(edge.metadata),
            )
            for source, edges in self._edges.items()
            for edge in edges
            if edge.kind in _KINDS and edge.target in self._ours and (self._ours[source] or self._ours[edge.target])
            if (weight := min(max(edge.weight, 0.0), 1.0) if math.isfinite(edge.weight) else 0.0) > 0
            if (edge.revision or 1) > 0 and (edge.target_revision or 1) > 0
        ]  # fmt: skip
        return sum(self._commit(changes[start : start + RECORDS]) for start in range(0, len(changes), RECORDS))

    def _commit(self, changes: Sequence[Change]) -> int:
        """Writes edges; one that would close a circle is left out and the others go in."""
        try:
            self._context.engine.store.commit(changes, subject=self._context.subject)
        except (Conflict, NotFound):
            if len(changes) == 1:
                return 0
            half = len(changes) // 2
            return self._commit(changes[:half]) + self._commit(changes[half:])
        return len(changes)
