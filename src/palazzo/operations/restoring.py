"""Our own formats on their way in: bundle, Markdown archive, encrypted archive, and the file of another palace.

Owns which reader a path gets, batches, counts and the edges between what came in. An edge is made only between memories
that an import brought, so no file can hang anything on what was here before. Invariant: each record is counted once, as
new, known or refused, and a file that is cut off is refused before anything is written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from palazzo.errors import Conflict, NotFound
from palazzo.files import sqlite_files
from palazzo.intake.restore import Origin
from palazzo.model.change import AddEdge, Change
from palazzo.model.graph import EDGE_KINDS, EdgeKind, Node
from palazzo.model.record import Record, RecordedEdge
from palazzo.operations import port_results as r
from palazzo.operations.context import Context
from palazzo.operations.importing import SCREENED, Count, Progress
from palazzo.porting import bundle, markdown_archive
from palazzo.porting.files import Limits, beginning, size_of
from palazzo.store.api import Broken, Care

OWN = frozenset({"bundle", "markdown", "encrypted", "palace"})
BATCH = 100
MOST_EDGES = 10_000
"""Of one memory. More is no memory but an attack on whoever walks them."""
_PALACE = frozenset({"palace", "memory", "revision", "tag_move", "event"})
_KINDS: dict[str, EdgeKind] = {kind: kind for kind in EDGE_KINDS}

Item = Record | bundle.Unreadable | Broken


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

    def __init__(self, context: Context, origin: Origin, *, dry_run: bool) -> None:
        self._context = context
        self._origin = origin
        self._dry_run = dry_run
        self._count = Count()
        self._seen: set[UUID] = set()
        self._ours: dict[UUID, bool] = {}
        """Memories an import brought, and whether it was this one."""
        self._edges: dict[UUID, tuple[RecordedEdge, ...]] = {}

    def run(self, items: Iterable[Item], total: int, progress: Progress) -> r.Imported:
        """Takes in every record.

        Raises: NotPermitted, StorageError.
        """
        batch: list[Record] = []
        for item in items:
            if isinstance(item, Record):
                batch += self._fresh(item)
            else:
                named = item.entry if isinstance(item, bundle.Unreadable) else f"memory {item.number}"
                self._count.refuse(named, item.reason, "export it again")
            if len(batch) == BATCH:
                self._take(batch)
                batch = []
                progress("memories", self._count.entries, total)
        if batch:
            self._take(batch)
        links = 0 if self._dry_run else self._link()
        count = self._count
        return r.Imported(
            file=self._origin.file, format=self._origin.format, dry_run=self._dry_run, entries=count.entries,
            new=count.new, known=count.known, refused=count.refused, redacted=count.redacted,
            memories=0 if self._dry_run else count.new, links=links, refusals=tuple(count.refusals),
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
        self._ours.update(dict.fromkeys(done.new, True))
        self._ours.update({memory_id: False for memory_id, imported in done.known.items() if imported})
        for record in batch:
            if record.id in self._ours and record.edges:
                self._edges[record.id] = record.edges[:MOST_EDGES]

    def _link(self) -> int:
        changes = [
            AddEdge(_KINDS[edge.kind], Node(source, edge.revision), Node(edge.target, edge.target_revision), weight)
            for source, edges in self._edges.items()
            for edge in edges
            if edge.kind in _KINDS and edge.target in self._ours and (self._ours[source] or self._ours[edge.target])
            if (weight := min(max(edge.weight, 0.0), 1.0) if math.isfinite(edge.weight) else 0.0) > 0
            if (edge.revision or 1) > 0 and (edge.target_revision or 1) > 0
        ]
        return sum(self._commit(changes[start : start + BATCH]) for start in range(0, len(changes), BATCH))

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
