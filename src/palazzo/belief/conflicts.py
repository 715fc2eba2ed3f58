"""Conflicts: what each mode does with a statement of atoms that contradicts what is believed; who counts as a person.

Owns what each decision does to atoms; what is decided is said in modes, for texts and atoms alike. What waits for a
person (a `contradicts` edge between two believed memories) is listed and settled in inbox. Invariant: whatever the
mode, the losing side stays and returns in one call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from palazzo.belief.held import is_functional, part, slots_of
from palazzo.belief.logic import Laws, literal_of
from palazzo.belief.modes import decide
from palazzo.belief.operations import Assertion, Changed, Operations
from palazzo.errors import NotPermitted
from palazzo.model.belief import Believed, Newcomer
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, Receipt, SetDeprecated
from palazzo.model.graph import Node
from palazzo.model.kinds import ConflictMode
from palazzo.store.api import Store


@dataclass(frozen=True, slots=True)
class Stated:
    """What became of a statement: whether it conflicted, by which mode it was settled, and the change."""

    conflicted: bool
    mode: ConflictMode
    changed: Changed


def is_person(subject: str) -> bool:
    """Whether decisions of this subject are a person's: the operator, never an agent, a kit or a client."""
    return subject == "operator"


def require_person(subject: str, what: str) -> None:
    """Refuses what only a person may do.

    Raises: NotPermitted.
    """
    if not is_person(subject):
        raise NotPermitted(f"only a person may {what}", hint="ask the operator to decide it")


def state(store: Store, view: View, assertion: Assertion, *, mode: ConflictMode | None = None, subject: str) -> Stated:
    """Believes a statement by the conflict mode of its kind, or by the one given.

    What a wider scope holds is never changed from a narrower one: the two are put before a person instead.

    Raises: InvalidInput, NotFound, VersionConflict.
    """
    operations = Operations(store, view, subject=subject)
    usual = store.kinds.get(assertion.kind).conflict
    against, wider = _against(store, view, assertion)
    if not against:
        return Stated(False, mode or usual, operations.revise(assertion))
    settled = decide(Believed(usual=usual, wider=wider), Newcomer(), mode)
    if settled.act == "keep_existing":
        return Stated(True, settled.mode, Changed(receipt=Receipt(0, 0, 0), consistent=False))
    if settled.act == "replace":
        occasion: Literal["change", "correction"] = "change" if settled.mode == "temporal" else "correction"
        return Stated(True, settled.mode, operations.revise(assertion, occasion))
    if settled.act == "merge":
        return Stated(True, settled.mode, operations.expand(replace(assertion, memory_id=against[0])))
    changed = operations.expand(assertion)
    if settled.act == "ask" and changed.memory_id is not None:
        store.commit([AddEdge("contradicts", Node(changed.memory_id), Node(against[0]))], subject=subject)
    return Stated(True, settled.mode, changed)


def _against(store: Store, view: View, assertion: Assertion) -> tuple[list[UUID], bool]:
    """The memories whose beliefs refuse the statement, none when it fits; and whether a wider scope owns one."""
    said = assertion.sentence
    kinds = store.kinds
    with store.reading(view) as reading:
        found = part(reading, slots_of([said]), kinds, store.clock.now_us())
        own = {literal_of(a).statement.slot for a in assertion.atoms if is_functional(a, assertion.kind, kinds)}
        laws = Laws(found.laws.functional | own)
        if laws.consistent(*found.held, said):
            return [], False
        alone = [one for one in found.held.values() if not laws.consistent(one.sentence, said)]
        guilty = alone or list(found.held.values())
        ids = list(dict.fromkeys(bearer.memory_id for one in guilty for bearer in one.bearers))
        scopes = [reading.memories.get(memory_id).scope for memory_id in ids]
    return ids, not view.all_scopes and not all(view.scope.is_prefix_of(scope) for scope in scopes)


def restore(store: Store, memory_id: UUID, *, subject: str) -> Receipt:
    """Believes a memory again that had lost: the one call that takes a decision back."""
    return store.commit([SetDeprecated(memory_id, deprecated=False, reason="taken back")], subject=subject)
