"""Applying changes: one function per change, chosen by type, all inside the caller's transaction.

Owns nothing but the dispatch. Invariant: each change that alters state leaves exactly one journal event, and a batch
leaves one audit line that names its journal range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from palazzo.errors import NotFound
from palazzo.model import belief as b
from palazzo.model import change as c
from palazzo.model.address import Place
from palazzo.model.graph import Edge
from palazzo.model.kinds import KindTable
from palazzo.ports import FieldCipher
from palazzo.store.api import AuditLine, Space
from palazzo.store.index.vector import vectors  # fmt: skip
from palazzo.store.index.vector.vectors import guarded_vectors
from palazzo.store.sql import indexes, raw_events, slips, snapshots
from palazzo.store.sql.belief import beliefs, claims, reviews
from palazzo.store.sql.erase import erasure
from palazzo.store.sql.graph import edges, entities
from palazzo.store.sql.guard import audit, guarding
from palazzo.store.sql.memory import intakes, lifecycle, memories, places, records, tags
from palazzo.store.sql.memory.turns import EVERY_KEY
from palazzo.store.sql.port import Connection, bound, one
from palazzo.store.sql.seal import resealing
from palazzo.store.sql.writing import Foreseen, SqlWriting
from palazzo.text.safety.gate import Gated, sealed_whole

MOST_VISITS = 64


class Batch(NamedTuple):
    """What one commit is about: changes that passed the gate, when and by whom."""

    gated: Gated
    now_us: int
    subject: str
    kinds: KindTable
    cipher: FieldCipher | None = None

    @property
    def joins(self) -> bool:
        """Whether it may be written together with others: what follows in a batch sees what stands before it."""
        return all(type(change) in JOINING for change in self.gated.changes)

    def read(self) -> None:
        """Reads the texts, so that who writes them finds them read; no transaction waits for it."""
        for change in self.gated.changes:
            if isinstance(change, c.PlaceMemory):
                memories.hash_of(change.content.text, change.kind)
                indexes.indexed_terms(change.content, change.kind)


def apply(connection: Connection, batches: Sequence[Batch]) -> list[c.Receipt]:
    """Applies batches that passed the gate, in order, each with its audit line.

    Raises: whatever a change raises; the caller's transaction is then undone as a whole.
    """
    first = batches[0]
    writing = SqlWriting.begin(connection, first.now_us, first.subject, first.kinds, first.cipher, _foreseen(batches))
    receipts, lines, crumbs = [], list[AuditLine](), list[places.Crumb]()
    for batch in batches:
        writing.turn(batch.now_us, batch.subject)
        visits = _applied(writing, batch.gated.changes)
        if visits and not writing.purged.memories:
            crumbs += places.crumbs(batch.now_us, batch.subject, _visits(visits))
        if writing.purged.memories:
            writing.flush()
            erasure.tidy(writing)
        if writing.next_seq > writing.first_seq:
            lines.append(
                AuditLine(
                    at_us=batch.now_us, subject=batch.subject, action=_action(batch.gated.changes),
                    first_seq=writing.first_seq, last_seq=writing.next_seq - 1,
                    detail=f'{{"events":"{writing.told.hexdigest()}"}}',
                )
            )  # fmt: skip
        altering = sum(not isinstance(change, b.ExpectHeld) for change in batch.gated.changes)
        receipts.append(c.Receipt(writing.first_seq, writing.next_seq - 1, altering, batch.gated.notes))
    writing.flush()
    if crumbs:
        places.leave(connection, crumbs)
    if lines:
        audit.append(connection, *lines, last=writing.last_line)
    return receipts


def _foreseen(batches: Sequence[Batch]) -> Foreseen:
    """What these batches will ask for. The spaces and the chain are as they were when they are asked for only where
    nothing in the batches changes them."""
    placed = [change for batch in batches for change in batch.gated.changes if isinstance(change, c.PlaceMemory)]
    sources = [source.node.id for change in placed for source in change.attachments.sources]
    return Foreseen(
        frozenset(change.scope for change in placed), frozenset(change.place for change in placed),
        tuple(dict.fromkeys(sources)), steady=all(batch.joins for batch in batches),
        spaces=any(change.attachments.vectors for change in placed),
    )  # fmt: skip


def _applied(writing: SqlWriting, changes: Sequence[c.Change]) -> dict[int, int]:
    """Applies changes and tells which memory was written where, by their numbers."""
    visits: dict[int, int] = {}
    for change in changes:
        if writing.cipher is not None and isinstance(change, c.PlaceMemory) and _in_vault(writing, change.place):
            change = sealed_whole(change)  # noqa: PLW2901 - what is applied is what is kept
        APPLY[type(change)](writing, change)
        if isinstance(change, c.PlaceMemory):
            visits[writing.memory(change.memory_id)[0]] = writing.place(change.place)
        elif isinstance(change, c.AddRevision):
            memory, _ = writing.memory(change.memory_id)
            (visits[memory],) = one(writing.connection, "SELECT place FROM memory WHERE id = ?", (memory,))
    return visits


def _visits(written: Mapping[int, int]) -> list[tuple[int, int]]:
    """Place and memory of what was written, by their numbers; a batch of many tells its places alone."""
    if len(written) > MOST_VISITS:
        return [(place, 0) for place in sorted(set(written.values()))]
    return [(place, memory) for memory, place in written.items()]


def _action(changes: Sequence[c.Change]) -> str:
    names = list(dict.fromkeys(type(change).__name__ for change in changes if not isinstance(change, b.ExpectHeld)))
    return " ".join(names)


def _add_revision(writing: SqlWriting, change: c.AddRevision) -> None:
    """A memory that becomes guarded is so as a whole: what it said before is sealed with it."""
    raised = memories.add_revision(writing, change)
    if raised is not None and writing.cipher is not None:
        resealing.seal_earlier(writing.connection, writing.memory(change.memory_id)[0], raised, writing.cipher)


def _complete(writing: SqlWriting, change: c.CompleteMemory) -> None:
    """What turns out to be guarded is sealed as a whole."""
    raised = lifecycle.complete(writing, change)
    if raised is not None and writing.cipher is not None:
        resealing.seal_earlier(writing.connection, raised, EVERY_KEY, writing.cipher)


def _add_edge(writing: SqlWriting, change: c.AddEdge) -> None:
    writing.flush()
    edges.add(writing, Edge(change.kind, change.source, change.target, change.weight, metadata=change.metadata))


def _remove_edge(writing: SqlWriting, change: c.RemoveEdge) -> None:
    writing.flush()
    edges.remove(writing, Edge(change.kind, change.source, change.target))


def _link_provenance(writing: SqlWriting, change: c.LinkProvenance) -> None:
    writing.flush()
    if change.memory_id is not None:
        memory, _ = writing.memory(change.memory_id)
        (revision,) = one(writing.connection, "SELECT current FROM memory WHERE id = ?", (memory,))
        edges.add_sources(writing, revision, change.sources)
    for node in change.nodes:
        edges.node_id(writing, node)
    for edge in change.edges:
        edges.add_edge(writing, edge)
    linked = {"edges": len(change.edges), "sources": len(change.sources)}
    writing.event("provenance_linked", change.memory_id.bytes if change.memory_id else None, None, linked)


def _move(writing: SqlWriting, change: c.MoveMemory) -> None:
    """What comes into the vault is sealed as what is put there."""
    lifecycle.move(writing, change)
    if writing.cipher is not None and _in_vault(writing, change.place):
        _seal_memory(writing, writing.memory(change.memory_id)[0], writing.cipher)


def _seal_memory(writing: SqlWriting, memory: int, cipher: FieldCipher) -> None:
    """Makes a memory confidential, with everything it ever said."""
    raised = "UPDATE memory SET tier = 'confidential' WHERE id = ? AND tier <> 'confidential'"
    writing.connection.execute(raised, (memory,))
    if writing.connection.changes():
        resealing.seal_earlier(writing.connection, memory, EVERY_KEY, cipher)


def _in_vault(writing: SqlWriting, place: Place) -> bool:
    """Whether a place is in a vault. Uses the primary key of place."""
    (seal,) = one(writing.connection, "SELECT seal FROM place WHERE id = ?", (writing.place(place),))
    return bool(seal == "vault")


def _change_place(writing: SqlWriting, change: c.ChangePlace) -> None:
    """What stands in a place that becomes a vault is sealed with it."""
    changed = places.set_seal(writing.connection, change.place, change.seal, writing.now_us)
    if change.seal == "vault" and writing.cipher is not None:
        writing.flush()
        for (memory,) in places.in_vaults(writing.connection):
            _seal_memory(writing, memory, writing.cipher)
    writing.event("place_changed", None, None, {"place": change.place.path, "seal": change.seal, "places": changed})
    guarding.touch(writing)


def _add_space(writing: SqlWriting, change: c.AddSpace) -> None:
    vectors.create_space(writing.tables, change.name, change.model, change.dimensions, change.metric, writing.now_us)
    writing.event("space_added", None, None, {"space": change.name, "model": change.model})


def _space(writing: SqlWriting, name: str) -> Space:
    for space in vectors.spaces(writing.tables):
        if space.name == name:
            return space
    raise NotFound(f"no vector space {name!r}")


def _activate_space(writing: SqlWriting, change: c.ActivateSpace) -> None:
    vectors.activate_space(writing.tables, _space(writing, change.name).id)
    writing.event("space_activated", None, None, {"space": change.name})


def _retire_space(writing: SqlWriting, change: c.RetireSpace) -> None:
    vectors.retire_space(writing.tables, _space(writing, change.name).id)
    writing.event("space_retired", None, None, {"space": change.name})


def _store_vectors(writing: SqlWriting, change: c.StoreVectors) -> None:
    """Backfill. A revision purged since it was read is skipped; one that has its vector by now is overwritten."""
    writing.flush()
    rows = writing.connection.execute(
        """SELECT r.id, m.scope, m.kind, m.tier, typeof(r.text) = 'blob'
           FROM carray(?) c JOIN revision r ON r.id = c.value JOIN memory m ON m.id = r.memory""",
        (bound(change.revisions),),
    )
    found: dict[int, tuple[int, Any]] = {
        revision: (indexes.partition(scope, indexes.vector_field(kind, tier, sealed=bool(sealed))), tier)
        for revision, scope, kind, tier, sealed in rows
    }
    kept = [i for i, revision in enumerate(change.revisions) if revision in found]
    if kept:
        owners = [(found[change.revisions[i]][0], change.revisions[i]) for i in kept]
        rows_kept = change.vectors[kept]
        for place, i in enumerate(kept):
            tier = found[change.revisions[i]][1]
            if tier != "clear":
                rows_kept[place] = guarded_vectors(writing.cipher, tier, rows_kept[place : place + 1])[0]
        vectors.add(writing.tables, _space(writing, change.space), owners, rows_kept)
        writing.event("vectors_stored", None, None, {"space": change.space, "count": len(kept)})


APPLY: dict[type, Callable[[SqlWriting, Any], None]] = {
    c.PlaceMemory: memories.place_memory,
    c.RestoreMemory: records.restore,
    c.AddRevision: _add_revision,
    c.MoveTag: lambda w, ch: tags.move(w, ch.memory_id, ch.tag, ch.revision),
    c.RemoveTag: lambda w, ch: tags.remove(w, ch.memory_id, ch.tag),
    c.AddEdge: _add_edge,
    c.RemoveEdge: _remove_edge,
    c.LinkProvenance: _link_provenance,
    c.MergeEntities: entities.merge,
    c.SplitEntity: entities.split,
    c.SetDeprecated: lifecycle.set_deprecated,
    c.SetState: lifecycle.set_state,
    c.SetKeeping: lifecycle.set_keeping,
    c.AddKind: lifecycle.add_kind,
    c.RecordAccess: lifecycle.record_access,
    c.RecordCorrection: lifecycle.record_correction,
    c.PurgeMemory: lambda w, ch: erasure.purge(w, ch.memory_id),
    c.MoveMemory: _move,
    c.AddGrant: lambda w, ch: guarding.add_grant(w, ch.grant),
    c.RevokeGrant: lambda w, ch: guarding.revoke_grant(w, ch.subject, ch.glob),
    c.ChangePlace: _change_place,
    c.VisitPlace: lifecycle.visit_place,
    c.SetStaleness: lifecycle.set_staleness,
    c.AddSpace: _add_space,
    c.ActivateSpace: _activate_space,
    c.RetireSpace: _retire_space,
    c.StoreVectors: _store_vectors,
    b.Displace: beliefs.displace,
    b.Release: beliefs.release,
    b.ExpectHeld: beliefs.expect,
    b.RecordAudit: reviews.record_audit,
    b.ResolveAudit: reviews.resolve_audit,
    b.RecordOutcome: reviews.record_outcome,
    b.AddClaim: claims.add,
    b.DecideClaim: claims.decide,
    b.SetClaimMode: claims.set_mode,
    b.AddSignals: reviews.add_signals,
    **guarding.APPLY,
    **slips.APPLY,
    **snapshots.APPLY,
    **raw_events.APPLY,
    c.RecordIntake: intakes.record,
    c.CompleteMemory: _complete,
    c.CloseIntake: intakes.close,
}
JOINING: Final = frozenset(
    {c.PlaceMemory, c.AddRevision, c.RecordIntake, c.AddEdge, c.LinkProvenance, b.ExpectHeld, b.Displace}
)
"""Changes of everyday intake: commits of these alone are written together where several wait."""
