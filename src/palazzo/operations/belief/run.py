"""Operations about what is believed: revising and looking back, disagreements, and audits.

Owns the way from a plain statement or a formula to atoms, and which beliefs a caller may touch. Invariants: what a
caller may not write it does not give up either; whatever is stored was screened as intake screens it and has a source;
looking never writes; nothing that is in a toolset leads to a decision.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from palazzo.belief.conflicts import Disagreement, reopen
from palazzo.belief.held import Belief, sentence_of
from palazzo.belief.held import told as in_words
from palazzo.belief.logic import And, Formula, Formulated, Not, Or, literal_of, told, written
from palazzo.belief.operations import Assertion, Changed
from palazzo.belief.staleness import DAY_US, Staleness, StalenessFinding
from palazzo.errors import InvalidInput
from palazzo.intake.values import Asserted
from palazzo.model.address import Place
from palazzo.model.belief import RecordOutcome
from palazzo.model.graph import NodeKind, ProvenanceNode, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom
from palazzo.model.message import Message
from palazzo.operations.belief import spec
from palazzo.operations.caller import OPERATOR
from palazzo.operations.claims.run import claim_shown
from palazzo.operations.context import CallContext, free_tags
from palazzo.operations.shared import OneMemoryParameters, ScopeParameters, StoredMemory, microseconds, moment
from palazzo.store.api import AtomRow

INBOX = Place(("inbox",))
WEEK_US = 7 * DAY_US


class StatementRead(msgspec.Struct, frozen=True):
    """What a caller states: the text as it may be stored, its atoms, and the formula over them."""

    asserted: Asserted
    atoms: tuple[Atom, ...]
    formula: Formula


def _read(context: CallContext, asked: spec.StatedParameters, kind: str = "") -> StatementRead:
    """The text as it may be stored, and what it asserts: a formula, the one statement that was named, or what is read
    out of plain words.

    Raises: InvalidInput when it asserts nothing that can be held, Refused.
    """
    message = Message(text=asked.text, author=context.subject, scope=context.scope, kind=kind)
    found = context.engine.intake.read(message)
    if bool(asked.slot) != bool(asked.value):
        raise InvalidInput("slot and value are given together", field="value" if asked.slot else "slot")
    if asked.slot:
        atoms: tuple[Atom, ...] = (Atom(asked.about, asked.slot, asked.value, functional=True),)
    elif (formula := _joined(context, asked, kind)) is not None:
        stated = Not(formula.formula) if asked.denied else formula.formula
        return StatementRead(found, formula.atoms, stated)
    else:
        atoms = found.atoms
    if not atoms:
        raise InvalidInput(
            "nothing in this text is a statement of an attribute and its value", field="text",
            hint="say it plainly, such as: I use Helix as my editor; as a formula: editor = helix; or give slot and"
            " value",
        )  # fmt: skip
    if asked.denied:
        atoms = tuple(replace(atom, negated=not atom.negated) for atom in atoms)
    return StatementRead(found, atoms, And(tuple(map(literal_of, atoms))))


def _joined(context: CallContext, asked: spec.StatedParameters, kind: str = "") -> Formulated | None:
    """The formula that a text is, or that its plain statements make; None where it joins none.

    Raises: InvalidInput, Refused.
    """

    def read(part: str) -> tuple[Atom, ...]:
        message = Message(text=part, author=context.subject, scope=context.scope, kind=kind)
        return context.engine.intake.read(message).atoms

    return written(asked.text, asked.about) or told(asked.text, read)


def _source(context: CallContext) -> Source:
    now_us = context.engine.clock.now_us()
    kind: NodeKind = "message" if context.subject == OPERATOR else "tool"
    label = context.operation.name
    return Source(node=ProvenanceNode(id=new_id(now_us), kind=kind, at_us=now_us, label=label, author=context.subject))


def _changed(done: Changed) -> spec.BeliefChange:
    return spec.BeliefChange(
        memory=done.memory_id, added=done.added, dropped=done.dropped, reinstated=done.reinstated,
        touched=done.touched, shaken=done.shaken, consistent=done.consistent, degraded=done.receipt.notes,
    )  # fmt: skip


def _assertion(context: CallContext, asked: spec.ExpandParameters) -> Assertion:
    """Raises: NotPermitted, InvalidInput, Refused."""
    place = Place.parse(asked.place) if asked.place else INBOX
    context.require_at(place)
    stated = _read(context, asked, "" if asked.kind == "rule" else asked.kind)
    if asked.kind == "rule" and _joined(context, asked) is None:
        raise InvalidInput(
            "a rule is a formula, or statements joined by if and then", field="kind",
            hint="such as: if weather = rain then travel = bus",
        )  # fmt: skip
    kind = (asked.kind if asked.kind != "rule" else "") or stated.asserted.kind
    return Assertion(
        atoms=stated.atoms, formula=stated.formula, text=stated.asserted.text, place=place, kind=kind, name=asked.name,
        scope=context.scope, author=context.subject, confidence=asked.confidence,
        valid_from_us=microseconds(asked.at), sources=(_source(context),),
    )  # fmt: skip


def revise(context: CallContext, asked: spec.ReviseParameters) -> spec.BeliefChange:
    done = context.engine.beliefs.revise(
        _assertion(context, asked), context.writing_view, occasion=asked.occasion, subject=context.subject
    )
    return _changed(done)


def expand(context: CallContext, asked: spec.ExpandParameters) -> spec.BeliefChange:
    return _changed(
        context.engine.beliefs.expand(_assertion(context, asked), context.writing_view, subject=context.subject)
    )


def holds(context: CallContext, asked: spec.HoldsParameters) -> spec.Holding:
    found = context.engine.beliefs.follows(_read(context, asked).formula, context.view(asked.as_of))
    return spec.Holding(holds=found.holds, denied=found.denied, grounds=tuple(_belief(one) for one in found.grounds))


def _belief(found: Belief) -> spec.ShownBelief:
    """A belief as the firmest of its stands holds it."""
    first = found.bearers[0]
    return spec.ShownBelief(
        says=in_words(found.sentence), memory=first.memory_id, kind=first.kind, confidence=first.confidence
    )


def contract(context: CallContext, asked: spec.ContractParameters) -> spec.BeliefChange:
    """Gives up what is needed so that a statement is neither held nor derivable."""
    stated = _read(context, asked)
    unwanted = stated.formula
    if isinstance(unwanted, And) and not asked.slot and _joined(context, asked) is None:
        unwanted = Or(unwanted.parts)  # whoever holds one part of what plain words say holds this: so all of them go
    return _changed(context.engine.beliefs.contract(unwanted, context.writing_view, subject=context.subject))


def revert(context: CallContext, asked: spec.RevertParameters) -> spec.BeliefChange:
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


def as_of(context: CallContext, asked: spec.AsOfParameters) -> spec.Believed:
    wanted = asked.about.casefold()
    with context.engine.store.reading(context.view(asked.at)) as reading:
        rows: dict[tuple[int, int], list[AtomRow]] = {}
        for row in reading.beliefs.every():
            rows.setdefault((row.key, -1 if row.kind == "rule" else row.position), []).append(row)
    told = [
        spec.ShownBelief(
            says=in_words(sentence_of(tuple(one.atom for one in stand))), memory=stand[0].memory_id, kind=stand[0].kind,
            confidence=stand[0].confidence,
        )
        for stand in rows.values()
    ]  # fmt: skip
    found = [one for one in told if one.says and wanted in one.says.casefold()]
    at = asked.at or moment(context.engine.clock.now_us())
    return spec.Believed(at=at, beliefs=tuple(found[: asked.limit]), total=len(found))


def outcome(context: CallContext, asked: spec.OutcomeParameters) -> spec.Trusted:
    found = context.memory(asked.memory)
    context.engine.store.commit([RecordOutcome(found.id, success=asked.went == "well")], subject=context.subject)
    standing = context.engine.beliefs.trust(found.id, context.view())
    return spec.Trusted(
        memory=found.id, own=standing.own, trust=standing.trust, weakest=standing.weakest,
        confirm_first=standing.confirm_first,
    )  # fmt: skip


def inbox(context: CallContext, _asked: ScopeParameters) -> spec.DisagreementList:
    return spec.DisagreementList(disagreements=tuple(_disagreement(d) for d in context.engine.inbox(context.view())))


def settle(context: CallContext, asked: spec.SettleParameters) -> spec.SettledDisagreement:
    kept = context.memory(asked.memory).id
    other = context.memory(asked.other, deprecated=asked.reopen).id if asked.other else None
    if asked.reopen:
        if other is None:
            raise InvalidInput("a disagreement is opened again with the one it was about", field="other")
        receipt = reopen(context.engine.store, context.view(), kept, other)
    else:
        receipt = context.engine.settle(kept, other, both=asked.both, view=context.view())
    return spec.SettledDisagreement(settled=kept, changes=receipt.changes)


def _disagreement(found: Disagreement) -> spec.ShownDisagreement:
    """Two memories that cannot both hold."""
    return spec.ShownDisagreement(
        newer=found.newer.id, says=found.newer.text, older=found.older.id, said=found.older.text, score=found.score,
        since=moment(found.since_us),
    )  # fmt: skip


def _stale(look: Staleness, found: StalenessFinding) -> spec.Stale:
    return spec.Stale(
        memory=StoredMemory.of(found.memory), severity=found.severity, semantic=found.axes.semantic,
        temporal=found.axes.temporal, behavioral=found.axes.behavioral, flagged=found.flagged, caveat=found.caveat,
        confidence=look.confidence(found.memory.id), evidence=found.evidence,
    )  # fmt: skip


def staleness(context: CallContext, asked: OneMemoryParameters) -> spec.Stale:
    """Whether one memory still holds, as things stand now."""
    found = context.memory(asked.memory)
    look = context.engine.beliefs.staleness(context.view(), subject=context.subject)
    return _stale(look, look.look(found.id))


def review(context: CallContext, asked: spec.ReviewParameters) -> spec.Reviewed:
    view = context.view()
    look = context.engine.beliefs.staleness(view, subject=context.subject)
    claims = context.engine.beliefs.claims(view, subject=context.subject)
    waiting = [*claims.lane("candidate", asked.limit), *claims.lane("deferred", asked.limit)][: asked.limit]
    stale = tuple(_stale(look, found) for found in look.review(asked.limit))
    disagreements = tuple(_disagreement(d) for d in context.engine.inbox(view)[: asked.limit])
    with context.engine.store.reading(view) as reading:
        answered = reading.reviews.last_answer_us()
        keys = reading.authors.waiting(asked.limit)
        found = reading.memories.by_keys(keys)
    week_ago = context.engine.clock.now_us() - WEEK_US
    return spec.Reviewed(
        due=bool(stale or disagreements or waiting) and (answered or 0) <= week_ago, disagreements=disagreements,
        claims=tuple(claim_shown(one) for one in waiting), stale=stale,
        instructions=tuple(StoredMemory.of(found[key]) for key in keys if key in found),
    )  # fmt: skip


def recheck(context: CallContext, asked: spec.RecheckParameters) -> spec.Audited:
    """Understands what was kept first, reads what batches told beside what it may change, then audits."""
    first = ("understand",) if context.engine.store.accounts.backlog() else ()
    made = [context.engine.jobs.run(name, context.subject, asked.limit) for name in (*first, "settle", "audits")]
    named = ("events", "queued", "audited", "flagged", "understood", "settled", "superseded", "conflicts")
    counts = dict.fromkeys(named, 0)
    for run in made:
        counts.update(run.report.counts)
    notes = tuple(note for run in made for note in (*run.report.notes, run.error) if note)
    return spec.Audited(
        **counts, more=any(run.report.more for run in made), busy=any(run.state == "busy" for run in made),
        degraded=notes,
    )  # fmt: skip


def resolve(context: CallContext, asked: spec.ResolveParameters) -> spec.Resolved:
    found = context.memory(asked.memory, deprecated=asked.answer == "reopen")
    look = context.engine.beliefs.staleness(context.view(), subject=context.subject)
    look.resolve(found.id, asked.answer)
    return spec.Resolved(memory=found.id, answer=asked.answer, confidence=look.confidence(found.id))
