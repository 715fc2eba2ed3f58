"""Operations that change or show what is believed: revise, contract, revert, as_of, path, outcome.

Owns the way from a plain statement to atoms, and which beliefs a caller may touch. Invariants: what a caller may not
write it does not give up either; whatever is stored was screened as intake screens it and has a source.
"""

from __future__ import annotations

from palazzo.belief.held import sentence_of
from palazzo.belief.held import told as in_words
from palazzo.belief.logic import Or, literal_of
from palazzo.belief.operations import Assertion, Changed
from palazzo.errors import InvalidInput
from palazzo.intake.values import Asserted
from palazzo.model.address import Place
from palazzo.model.belief import RecordOutcome
from palazzo.model.capability import Level
from palazzo.model.graph import NodeKind, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom
from palazzo.model.message import Message
from palazzo.operations import belief_parameters as p
from palazzo.operations import belief_results as r
from palazzo.operations import shown
from palazzo.operations.caller import OPERATOR
from palazzo.operations.context import Context, free_tags, microseconds
from palazzo.store.api import AtomRow

TODAY = Place(("forest", "today"))


def _read(context: Context, asked: p.Stated, kind: str = "") -> tuple[Asserted, tuple[Atom, ...]]:
    """The text as it may be stored, and the atoms it asserts or the one that was named.

    Raises: InvalidInput when it asserts nothing that can be held, Refused.
    """
    message = Message(text=asked.text, author=context.subject, scope=context.scope, kind=kind)
    found = context.engine.intake.read(message)
    if bool(asked.slot) != bool(asked.value):
        raise InvalidInput("slot and value are given together", field="value" if asked.slot else "slot")
    if asked.slot:
        return found, (Atom(asked.about, asked.slot, asked.value, functional=True, negated=asked.denied),)
    if not found.atoms:
        raise InvalidInput(
            "nothing in this text is a statement of an attribute and its value", field="text",
            hint="say it plainly, such as: I use Helix as my editor; or give slot and value",
        )  # fmt: skip
    if asked.denied:
        return found, tuple(Atom(a.subject, a.predicate, a.value, a.functional, not a.negated) for a in found.atoms)
    return found, found.atoms


def _source(context: Context) -> Source:
    now_us = context.engine.clock.now_us()
    kind: NodeKind = "message" if context.subject == OPERATOR else "tool"
    label = context.operation.name
    return Source(node=ProvenanceNode(id=new_id(now_us), kind=kind, at_us=now_us, label=label, author=context.subject))


def _changed(done: Changed) -> r.BeliefChange:
    return r.BeliefChange(
        memory=done.memory_id, added=done.added, dropped=done.dropped, reinstated=done.reinstated,
        touched=done.touched, consistent=done.consistent, degraded=done.receipt.notes,
    )  # fmt: skip


def revise(context: Context, asked: p.Revise) -> r.BeliefChange:
    """Holds a statement and gives up what conflicts with it, and no more."""
    place = Place.parse(asked.place) if asked.place else TODAY
    context.access.require(Level.write, place, context.operation.name)
    if asked.kind == "rule":
        raise InvalidInput("a rule is not made from one statement", field="kind")
    found, atoms = _read(context, asked, asked.kind)
    assertion = Assertion(
        atoms=atoms, text=found.text, place=place, kind=asked.kind or found.kind, name=asked.name, scope=context.scope,
        author=context.subject, confidence=asked.confidence, valid_from_us=microseconds(asked.at),
        sources=(_source(context),),
    )  # fmt: skip
    done = context.engine.beliefs.revise(
        assertion, context.writing_view, occasion=asked.occasion, subject=context.subject
    )
    return _changed(done)


def contract(context: Context, asked: p.Contract) -> r.BeliefChange:
    """Gives up what is needed so that a statement is neither held nor derivable."""
    _, atoms = _read(context, asked)
    unwanted = Or(tuple(literal_of(atom) for atom in atoms))  # whoever holds one of them holds this: so all of them go
    return _changed(context.engine.beliefs.contract(unwanted, context.writing_view, subject=context.subject))


def revert(context: Context, asked: p.Revert) -> r.BeliefChange:
    """Moves a tag back to an earlier revision."""
    found = context.memory(asked.memory, life="all", deprecated=True)
    return _changed(
        context.engine.beliefs.rollback(
            found.id,
            asked.revision,
            context.view(life="all"),
            tag=free_tags(context.subject, asked.tag)[0],
            subject=context.subject,
        )
    )


def as_of(context: Context, asked: p.AsOf) -> r.Believed:
    """What was believed at a moment."""
    wanted = asked.about.casefold()
    with context.engine.store.reading(context.view(asked.at)) as reading:
        rows: dict[tuple[int, int], list[AtomRow]] = {}
        for row in reading.beliefs.every():
            rows.setdefault((row.key, -1 if row.kind == "rule" else row.position), []).append(row)
    told = [
        r.Belief(
            says=in_words(sentence_of(tuple(one.atom for one in stand))), memory=stand[0].memory_id, kind=stand[0].kind,
            confidence=stand[0].confidence,
        )
        for stand in rows.values()
    ]  # fmt: skip
    found = [one for one in told if one.says and wanted in one.says.casefold()]
    at = asked.at or shown.moment(context.engine.clock.now_us())
    return r.Believed(at=at, beliefs=tuple(found[: asked.limit]), total=len(found))


def path(context: Context, asked: p.Path) -> r.Pathway:
    """The shortest chain of links between two memories."""
    start, goal = context.memory(asked.source), context.memory(asked.target)
    ids = context.engine.beliefs.path(start.id, goal.id, context.view(), depth=asked.depth)
    with context.engine.store.reading(context.view()) as reading:
        return r.Pathway(memories=tuple(shown.memory(reading.memories.get(one)) for one in ids))


def outcome(context: Context, asked: p.Outcomes) -> r.Trusted:
    """Notes how relying on a memory went; trust in it and in what rests on it moves."""
    found = context.memory(asked.memory)
    context.engine.store.commit([RecordOutcome(found.id, success=asked.went == "well")], subject=context.subject)
    standing = context.engine.beliefs.trust(found.id, context.view())
    return r.Trusted(
        memory=found.id, own=standing.own, trust=standing.trust, weakest=standing.weakest,
        confirm_first=standing.confirm_first,
    )  # fmt: skip
