"""Operations that change what there is without taking text in: forget, restore, move, tag, relate, give feedback,
settle.

Invariant: the memory was seen and its place allowed before anything is written.
"""

from __future__ import annotations

from palazzo.model.address import Place
from palazzo.model.change import AddEdge, Change, MoveMemory, MoveTag, SetState
from palazzo.model.graph import Edge, Node
from palazzo.operations import parameters as p
from palazzo.operations import results as r
from palazzo.operations import shown
from palazzo.operations.context import Context, free_tags


def _commit(context: Context, change: Change) -> None:
    context.engine.store.commit([change], subject=context.subject)


def forget(context: Context, asked: p.Forget) -> r.Changed:
    """Forgets a memory, for now."""
    found = context.memory(asked.memory, life="all")
    _commit(context, SetState(found.id, "deleted", asked.reason))
    return shown.changed(found, "deleted")


def restore(context: Context, asked: p.OneMemory) -> r.Changed:
    """Brings back a memory that was forgotten or archived."""
    found = context.memory(asked.memory, life="all")
    _commit(context, SetState(found.id, "active", "restored"))
    return shown.changed(found, "active")


def move(context: Context, asked: p.Move) -> r.Changed:
    """Moves a memory to another place."""
    found, place = context.memory(asked.memory), Place.parse(asked.place)
    context.access.require(context.operation.level, place, context.operation.name)
    _commit(context, MoveMemory(found.id, place))
    return shown.changed(context.memory(str(found.id)), found.state)


def tag(context: Context, asked: p.Tag) -> r.Changed:
    """Points a tag at a revision."""
    (name,) = free_tags(context.subject, asked.tag)
    found = context.memory(asked.memory)
    _commit(context, MoveTag(found.id, name, asked.revision or found.revision.number))
    return shown.changed(found, found.state)


def relate(context: Context, asked: p.Relate) -> r.Link:
    """Links two memories."""
    source, target = context.memory(asked.source), context.memory(asked.target)
    edge = Edge(asked.kind, Node(source.id), Node(target.id), asked.weight, context.engine.clock.now_us())
    _commit(context, AddEdge(edge.kind, edge.source, edge.target, edge.weight))
    return shown.link(edge)


def feedback(context: Context, asked: p.Feedback) -> r.Suppressed:
    """Leaves a memory out of what is asked alike."""
    found = context.memory(asked.memory)
    receipt = context.engine.correct(asked.cue, found.id, subject=context.subject)
    why = "" if receipt else "without an embedder nobody can tell which cues are alike"
    return r.Suppressed(memory=found.id, address=found.kref.short, suppressed=receipt is not None, why=why)


def settle(context: Context, asked: p.Settle) -> r.Settled:
    """Closes a disagreement."""
    kept = context.memory(asked.memory).id
    other = context.memory(asked.other).id if asked.other else None
    receipt = context.engine.settle(kept, other, both=asked.both, view=context.view())
    return r.Settled(settled=kept, changes=receipt.changes)
