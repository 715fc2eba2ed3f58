"""Taking revisions out of the text index so that no entry of them is left.

Owns the order of the steps: the forward row says which terms a revision has, so only the rows of those terms
are rewritten. It decides nothing about who may erase what. Invariant: after `remove` neither the forward
rows, the late list, any segment's arrays and lists, nor the counters know the revision; segments that a
rebuild is still preparing are dropped with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palazzo.store.index.tables import Tables
from palazzo.store.index.text import documents as text_documents
from palazzo.store.index.text import segments as text_segments
from palazzo.store.index.text.documents import Documents, ScopeRow


def remove(tables: Tables, rows: Iterable[tuple[int, int]]) -> None:
    """Take (scope, revision) rows out inside the caller's write transaction; those not indexed are passed over."""
    by_scope: dict[int, list[int]] = {}
    for scope, revision in rows:
        by_scope.setdefault(scope, []).append(revision)
    for scope, revisions in by_scope.items():
        row = text_documents.read_scope(tables, scope)
        if row is None:
            continue
        found = text_documents.read_some(tables, scope, np.unique(np.array(revisions, np.int64)))
        if found:
            _remove_from_scope(tables, row, text_documents.decode(sorted(found)))


def _remove_from_scope(tables: Tables, row: ScopeRow, documents: Documents) -> None:
    late_rows: Any = tables.rows("SELECT revision FROM text_late WHERE scope=?", (row.scope,))
    late = np.isin(documents.revisions, [revision for (revision,) in late_rows])
    in_tail = late | (documents.revisions > row.applied)
    keys = [(row.scope, revision) for revision in documents.revisions.tolist()]
    tables.change_many("DELETE FROM text_doc WHERE scope=? AND revision=?", keys)
    if late.any():
        tables.change_many("DELETE FROM text_late WHERE scope=? AND revision=?", keys)
    if not in_tail.all():
        _remove_from_segments(tables, row.scope, documents, np.flatnonzero(~in_tail))
    for header in text_segments.headers_of(tables, row.scope, visible=False):
        text_segments.delete(tables, header.id)
    # The generation moves even when the tail did not: a rebuild under way must notice.
    tables.change(
        "UPDATE text_scope SET docs=docs-?, length=length-?, tail=tail-?, generation=generation+1,"
        " structure=structure+? WHERE scope=?",
        (len(keys), int(documents.lengths.sum()), int(in_tail.sum()), int(not in_tail.all()), row.scope),
    )


def _remove_from_segments(tables: Tables, scope: int, documents: Documents, settled: NDArray[np.int64]) -> None:
    owners = documents.ordinals()
    for header in text_segments.headers_of(tables, scope):
        reached = (documents.revisions >= header.low) & (documents.revisions <= header.high)
        if not reached[settled].any():
            continue
        revisions, _ = text_segments.read_arrays(tables, header.id)
        slots = np.minimum(revisions.searchsorted(documents.revisions), header.slots - 1)
        here = np.zeros(len(documents.revisions), np.bool_)
        here[settled] = revisions[slots[settled]] == documents.revisions[settled]
        if here.any():
            mine = here[owners]
            text_segments.take_out(tables, header, slots[here], documents.hashes[mine], slots[owners[mine]])
