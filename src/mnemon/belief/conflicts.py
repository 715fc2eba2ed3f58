"""Conflicts: what each mode does with a statement that contradicts a belief, and the inbox of what a person decides.

Owns the modes over atoms (intake judges texts) and the settling of open disputes. A dispute is a `contradicts` edge
between two believed memories, newer to older. Invariant: whatever is decided, the losing side stays in the
palace and can be taken back in one call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from mnemon.belief.held import is_functional, part, slots_of
from mnemon.belief.logic import Laws, literal_of
from mnemon.belief.operations import Assertion, Changed, Operations
from mnemon.errors import NotFound, NotPermitted
from mnemon.model.change import AddEdge, Change, Receipt, RemoveEdge, SetDeprecated
from mnemon.model.edge import Node
from mnemon.model.kinds import ConflictMode
from mnemon.model.memory import Memory
from mnemon.model.view import View
from mnemon.store import known, memories
from mnemon.store.store import Store

Decision = Literal["keep_existing", "use_new", "keep_both"]


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two memories that cannot both hold; `score` says how plainly they disagree."""

    newer: Memory
    older: Memory
    score: float
    since_us: int


@dataclass(frozen=True, slots=True)
class Stated:
    """What became of a statement: whether it conflicted, by which mode it was settled, and the change."""

    conflicted: bool
    mode: ConflictMode
    changed: Changed


def is_person(subject: str) -> bool:
    """Whether decisions of this subject are a person's: the operator, never an agent, a kit or a client."""
    return subject == "operator" or subject.startswith("operator:")


def require_person(subject: str, what: str) -> None:
    """Refuses what only a person may do.

    Raises: NotPermitted.
    """
    if not is_person(subject):
        raise NotPermitted(f"only a person may {what}", hint="ask the operator to decide it")


def state(store: Store, view: View, assertion: Assertion, *, mode: ConflictMode | None = None, subject: str) -> Stated:
    """Believes a statement by the conflict mode of its kind, or by the one given.

    Raises: InvalidInput, NotFound, VersionConflict.
    """
    operations = Operations(store, view, subject=subject)
    chosen = mode or store.options.kinds.get(assertion.kind).conflict
    against = _against(store, view, assertion)
    if not against:
        return Stated(False, chosen, operations.revise(assertion))
    if chosen == "keep_existing":
        return Stated(True, chosen, Changed(receipt=Receipt(0, 0, 0), consistent=False))
    if chosen in ("temporal", "use_new"):
        occasion: Literal["change", "correction"] = "change" if chosen == "temporal" else "correction"
        return Stated(True, chosen, operations.revise(assertion, occasion))
    if chosen == "merge":
        return Stated(True, chosen, operations.expand(replace(assertion, memory_id=against[0])))
    changed = operations.expand(assertion)
    if chosen == "ask" and changed.memory_id is not None:
        store.commit([AddEdge("contradicts", Node(changed.memory_id), Node(against[0]))], subject=subject)
    return Stated(True, chosen, changed)


def _against(store: Store, view: View, assertion: Assertion) -> list[UUID]:
    """The memories whose beliefs refuse the statement; empty when it fits."""
    said = assertion.sentence
    kinds = store.options.kinds
    with store.reading(view) as reading:
        found = part(reading, slots_of([said]), kinds, store.clock.now_us())
    own = {literal_of(a).statement.slot for a in assertion.atoms if is_functional(a, assertion.kind, kinds)}
    laws = Laws(found.laws.functional | own)
    if laws.consistent(*found.held, said):
        return []
    alone = [one for one in found.held.values() if not laws.consistent(one.sentence, said)]
    guilty = alone or list(found.held.values())
    return list(dict.fromkeys(bearer.memory_id for one in guilty for bearer in one.bearers))


def inbox(store: Store, view: View, limit: int = 50) -> tuple[Dispute, ...]:
    """Open disputes this reader sees, newest first."""
    with store.reading(view) as reading:
        return tuple(
            Dispute(
                memories.get(reading, edge.source.memory_id), memories.get(reading, edge.target.memory_id), edge.weight,
                edge.created_us,
            )
            for edge in known.conflicts(reading, limit)
        )  # fmt: skip


def settle(store: Store, view: View, pair: tuple[UUID, UUID], decision: Decision, *, subject: str) -> Receipt:
    """A person's decision between the newer and the older side of a dispute; the loser is deprecated, not deleted.

    Raises: NotPermitted for anyone but a person, NotFound when the two are in no open dispute.
    """
    require_person(subject, "settle a dispute")
    newer, older = pair
    with store.reading(view) as reading:
        edge = next(
            (
                one
                for one in known.conflicts(reading, 1000)
                if (one.source.memory_id, one.target.memory_id) == (newer, older)
            ),
            None,
        )
    if edge is None:
        raise NotFound(f"no open dispute between {newer} and {older}")
    changes: list[Change] = [RemoveEdge("contradicts", edge.source, edge.target)]
    if decision == "keep_both":
        changes.append(AddEdge("related_to", Node(newer), Node(older)))
    else:
        loser = older if decision == "use_new" else newer
        changes.append(SetDeprecated(loser, deprecated=True, reason=f"a person decided: {decision}"))
        if decision == "use_new":
            changes.append(AddEdge("supersedes", Node(newer), Node(older)))
    return store.commit(changes, subject=subject)


def restore(store: Store, memory_id: UUID, *, subject: str) -> Receipt:
    """Believes a memory again that had lost: the one call that takes a decision back."""
    return store.commit([SetDeprecated(memory_id, deprecated=False, reason="taken back")], subject=subject)
