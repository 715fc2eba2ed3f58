"""Conflicts: which of two statements that disagree is believed from now on, what that does to atoms, what waits for a
person.

The one place that decides it, for texts and atoms alike: whoever found the disagreement says what matters of both
sides, and carries out what is decided. Two rules stand beside the table of kinds: where only one value can hold, or the
older statement is over, neither `keep_both` nor `merge` applies; and where the table says `ask`, an announced change is
no error. A disagreement that waits is a `contradicts` edge between two memories that are both believed; settling keeps
one and takes the other out of belief, or keeps both. Invariants: nothing that a wider scope holds is changed; unless
told to leave it alone, a person is asked; whatever the mode, the losing side stays and returns in one call; only what
the reader sees on both sides is listed or settled.
"""

from __future__ import annotations

from typing import Final, Literal
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.belief.held import is_functional, part, slots_of
from palazzo.belief.logic import Laws, literal_of
from palazzo.belief.operations import Assertion, Changed, Operations
from palazzo.errors import NotFound, NotPermitted
from palazzo.model.belief import Incumbent, Newcomer, Settlement
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, Change, Receipt, RemoveEdge, SetDeprecated
from palazzo.model.graph import Edge, Node
from palazzo.model.kinds import ConflictMode
from palazzo.model.memory import Memory
from palazzo.store.api import Store

_LEAVING: Final = frozenset({"keep_existing", "keep_both"})
"""Modes that leave what is believed as it is."""
_BESIDE: Final = frozenset({"keep_both", "merge"})
"""Usual modes by which the older one stays, beside the newer one or in one text with it."""


def decide(old: Incumbent, new: Newcomer, mode: ConflictMode | None) -> Settlement:
    """What becomes of two statements that disagree, by the mode asked for, else by that of the kind."""
    chosen = mode or _usual(old, new)
    if old.wider and mode not in _LEAVING:
        return Settlement("ask", "ask", "held in a wider scope")
    if not new.sure:
        return Settlement("ask", "ask", "hedged")
    if chosen == "ask":
        return Settlement("ask", chosen, "ask")
    if chosen == "keep_both":
        return Settlement("keep_both", chosen, "kept both")
    if chosen == "keep_existing":
        return Settlement("keep_existing", chosen, "kept existing")
    if chosen == "merge":
        return Settlement("merge", chosen, "merged") if new.fits else Settlement("ask", "ask", "too long to merge")
    if chosen == "temporal" and new.said_us < old.stated_us:
        return Settlement("keep_as_past", chosen, "older than what is known")
    return Settlement("replace", chosen, "")


def _usual(old: Incumbent, new: Newcomer) -> ConflictMode:
    """The mode of the kind, with the two rules beside the table."""
    if old.usual in _BESIDE and (new.over or new.one_value):
        return "temporal"
    if old.usual == "ask" and (new.over or new.announced):
        return "temporal"
    return old.usual


class Stated(msgspec.Struct, frozen=True):
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
    settled = decide(Incumbent(usual=usual, wider=wider), Newcomer(), mode)
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


class Disagreement(msgspec.Struct, frozen=True, gc=False):
    """Two memories that cannot both hold; `newer` was taken in when `older` was believed."""

    newer: Memory
    older: Memory
    score: float
    since_us: int


def inbox(store: Store, view: View, limit: int = 100) -> tuple[Disagreement, ...]:
    """Open disagreements, newest first."""
    with store.reading(view) as reading:
        return tuple(
            Disagreement(
                reading.memories.get(edge.source.memory_id), reading.memories.get(edge.target.memory_id), edge.weight,
                edge.created_us,
            )
            for edge in reading.known.conflicts(limit)
        )  # fmt: skip


def settle(store: Store, view: View, kept: UUID, other: UUID | None = None, *, both: bool = False) -> Receipt:
    """Believes `kept` and no longer what it disagrees with (only `other`, if given); `both` keeps them side by side.

    Raises: NotFound when there is no such disagreement.
    """
    with store.reading(view) as reading:
        found = [edge for edge in reading.known.conflicts(10_000) if _concerns(edge, kept, other)]
    if not found:
        raise NotFound(f"no disagreement of memory {kept} is open")
    changes: list[Change] = []
    for edge in found:
        changes.append(RemoveEdge("contradicts", edge.source, edge.target))
        loser = edge.target if edge.source.memory_id == kept else edge.source
        if not both:
            changes.append(SetDeprecated(loser.memory_id, True, f"settled in favour of {kept}"))
            changes.append(AddEdge("supersedes", Node(kept), Node(loser.memory_id)))
    return store.commit(changes, subject=view.subject)


def reopen(store: Store, view: View, kept: UUID, other: UUID) -> Receipt:
    """Takes the decision about two memories back: both are believed, and the newer contradicts the older again.

    Raises: NotPermitted for anyone but a person, NotFound.
    """
    require_person(view.subject, "open a disagreement again")
    with store.reading(replace(view, include_deprecated=True)) as reading:
        ends = [reading.memories.get(one) for one in (kept, other)]
        edges = reading.edges.of(kept)
    older, newer = (Node(one.id) for one in sorted(ends, key=lambda one: (one.revision.created_us, one.id)))
    changes: list[Change] = [
        RemoveEdge("supersedes", edge.source, edge.target)
        for edge in edges
        if edge.kind == "supersedes" and (edge.source.memory_id, edge.target.memory_id) == (kept, other)
    ]
    changes += [SetDeprecated(one.id, False, "the decision was taken back") for one in ends if one.deprecated]
    changes.append(AddEdge("contradicts", newer, older))
    return store.commit(changes, subject=view.subject)


def _concerns(edge: Edge, kept: UUID, other: UUID | None) -> bool:
    ends = {edge.source.memory_id, edge.target.memory_id}
    return kept in ends and (other is None or other in ends)
