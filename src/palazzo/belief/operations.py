"""Expand, revise, contract and roll back over a real palace: read, think, then write with a version check.

Owns the way from an input to one transaction. The thinking is pure (revision.py); what happens to each memory is in
edits.py. Knows no surface and asks nobody's permission. Invariants: no write transaction is open while it thinks; a
version conflict makes it read and think again, a few times, then is the caller's; whatever was dropped or
came back is in the returned value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal as OneOf
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.belief import revision as logic_of_change
from palazzo.belief.edits import Edits, phrase, shaken
from palazzo.belief.held import Belief, BeliefPart, follows, is_functional, part, slots_of, told
from palazzo.belief.logic import And, Formula, Laws, Literal, Sentence, literal_of, literals_in, sentence
from palazzo.errors import Conflict, InvalidInput, VersionConflict
from palazzo.model.address import Place
from palazzo.model.belief import Displace, ExpectHeld, Release, Stand
from palazzo.model.capability import View
from palazzo.model.change import Attachments, Change, MoveTag, PlaceMemory, Receipt, SetDeprecated
from palazzo.model.graph import EdgeDraft, Node, Source
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom, RevisionDraft
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import MAX_DEPTH, EdgeWalk, Reading, Store
from palazzo.text.safety import gate

ATTEMPTS = 4
Occasion = OneOf["correction", "change"]
"""Why a belief is revised: it was wrong (what it had displaced may return), or the world moved on (it may not)."""


class Assertion(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be believed: atoms together, or a formula over them (then the atoms only give the spelling)."""

    atoms: tuple[Atom, ...] = ()
    formula: Formula | None = None
    text: str = ""
    memory_id: UUID | None = None
    place: Place = Place(("inbox",))
    kind: str = "fact"
    name: str = ""
    scope: Scope = GLOBAL
    author: str = ""
    confidence: float = 1.0
    valid_from_us: int | None = None
    sources: tuple[Source, ...] = ()

    @property
    def sentence(self) -> Sentence:
        """What the assertion means, in canonical form."""
        if self.formula is not None:
            return sentence(self.formula)
        return sentence(And(tuple(literal_of(atom) for atom in self.atoms)))

    def spelled(self, literal: Literal) -> Atom:
        """A literal as an atom, in the spelling that was given."""
        for atom in self.atoms:
            if literal_of(atom).statement == literal.statement:
                return replace(atom, negated=not literal.positive)
        one = literal.statement
        return Atom(one.subject, one.predicate, one.value, negated=not literal.positive)


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation did: sentences in words, memories by id. An empty receipt means nothing had to change."""

    receipt: Receipt
    memory_id: UUID | None = None
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    reinstated: tuple[str, ...] = ()
    touched: tuple[UUID, ...] = ()
    shaken: tuple[UUID, ...] = ()
    """What rested on something that was given up: marked, not changed."""
    consistent: bool = True


class _Plan(msgspec.Struct, frozen=True):
    """What an operation would write, and the part of the base it was thought out from."""

    changes: list[Change]
    result: Changed
    found: BeliefPart


_NOTHING = Receipt(0, 0, 0)


class Operations:
    """Belief change for one reader of one palace."""

    def __init__(self, store: Store, view: View, *, subject: str = "operator") -> None:
        if view.as_of_us is not None or view.tag != "current":
            raise InvalidInput("the past can be read, not changed", field="as_of")
        self._store = store
        self._kinds = store.kinds
        self._view = view
        self._subject = subject

    def expand(self, assertion: Assertion) -> Changed:
        """Adds a belief whether or not it fits; `consistent` says whether it does.

        Raises: InvalidInput, NotFound, VersionConflict.
        """
        self._check_name(assertion)
        return self._run(lambda reading: self._plan_expand(reading, assertion))

    def _check_name(self, assertion: Assertion) -> None:
        """Raises: Refused."""
        gate.refuse_open((assertion.name,), "a name", keyed=self._store.cipher is not None)

    def revise(self, assertion: Assertion, occasion: Occasion = "correction") -> Changed:
        """Holds a belief and gives up what conflicts with it, the least entrenched first, and no more.

        Raises: InvalidInput when it cannot be true, Conflict when a wider scope holds the opposite, NotFound,
        VersionConflict.
        """
        self._check_name(assertion)
        return self._run(lambda reading: self._plan_revise(reading, assertion, occasion))

    def contract(self, formula: Formula) -> Changed:
        """Gives up what is needed so that the formula is neither held nor derivable.

        Raises: InvalidInput when it is always true, Conflict when a wider scope holds it, VersionConflict.
        """
        return self._run(lambda reading: self._plan_contract(reading, sentence(formula)))

    def rollback(self, memory_id: UUID, revision: int, tag: str = "current") -> Changed:
        """Moves a tag back to an earlier revision; recorded like any move, nothing is deleted.

        Raises: NotFound.
        """
        with self._store.reading(replace(self._view, include_deprecated=True)) as reading:
            memory = reading.memories.get(memory_id)
        changes: list[Change] = [MoveTag(memory_id, tag, revision)]
        if memory.deprecated and tag == "current":
            changes.append(SetDeprecated(memory_id, deprecated=False, reason="rolled back"))
        receipt = self._store.commit(changes, subject=self._subject)
        return Changed(receipt=receipt, memory_id=memory_id, touched=(memory_id,))

    def holds(self, formula: Formula) -> bool:
        """Whether the formula follows from what this reader believes."""
        with self._store.reading(self._view) as reading:
            return follows(reading, sentence(formula), self._kinds, self._store.clock.now_us()).holds

    def _run(self, plan: Callable[[Reading], _Plan]) -> Changed:
        for attempt in range(ATTEMPTS):
            with self._store.reading(replace(self._view, include_deprecated=True)) as reading:
                planned = plan(reading)
            if not planned.changes:
                return planned.result
            try:
                expected = ExpectHeld(self._view, tuple(sorted(planned.found.slots)), planned.found.stands)
                receipt = self._store.commit([expected, *planned.changes], subject=self._subject)
            except VersionConflict:
                if attempt + 1 == ATTEMPTS:
                    raise
                continue
            return replace(planned.result, receipt=receipt)
        raise VersionConflict("the memories changed at every attempt")

    def _part(self, reading: Reading, said: Sentence, assertion: Assertion | None = None) -> BeliefPart:
        """The part of the base that bears on a sentence, seen without deprecated memories."""
        plain = reading.through(self._view)
        found = part(plain, slots_of([said]), self._kinds, self._store.clock.now_us())
        if assertion is None:
            return found
        own = {
            literal_of(atom).statement.slot
            for atom in (*assertion.atoms, *(assertion.spelled(one) for one in literals_in([said])))
            if is_functional(atom, assertion.kind, self._kinds)
        }
        return replace(found, laws=Laws(found.laws.functional | own))

    def _plan_expand(self, reading: Reading, assertion: Assertion) -> _Plan:
        said = assertion.sentence
        found = self._part(reading, said, assertion)
        writer = _Writer(reading, found, assertion, self._store.clock.now_us())
        writer.add(said, ())
        fits = found.laws.consistent(*found.held, said)
        return writer.plan(Changed(receipt=_NOTHING, consistent=fits))

    def _plan_revise(self, reading: Reading, assertion: Assertion, occasion: Occasion) -> _Plan:
        said = assertion.sentence
        found = self._part(reading, said, assertion)
        if not found.laws.consistent(said):
            raise InvalidInput("what is asserted cannot be true", field="formula", hint="it contradicts itself")
        outcome = logic_of_change.revise(found.state(), said, found.laws)
        own = {frozenset({clause}) for clause in said}
        dropped = _lost(found, (*outcome.held, *own))
        back = [found.gone[one] for one in outcome.reinstated if one not in own]
        writer = _Writer(reading, found, assertion, self._store.clock.now_us())
        writer.drop(dropped)
        writer.reinstate(back)
        writer.add(said, dropped)
        if occasion == "correction":
            writer.displace(dropped)
        writer.release([found.gone[one] for one in (*own, *outcome.reinstated) if one in found.gone])
        return writer.plan(
            Changed(
                receipt=_NOTHING,
                dropped=tuple(told(one.sentence) for one in dropped),
                reinstated=tuple(told(one.sentence) for one in back),
            )
        )

    def _plan_contract(self, reading: Reading, unwanted: Sentence) -> _Plan:
        found = self._part(reading, unwanted)
        if not unwanted or found.laws.entails((), unwanted):
            raise InvalidInput("what is always true cannot be given up", field="formula")
        state = found.state()
        outcome = logic_of_change.contract(state, unwanted, found.laws)
        dropped = _lost(found, outcome.held)
        writer = _Writer(reading, found, Assertion(), self._store.clock.now_us())
        writer.drop(dropped)
        still = set(outcome.state)
        if dropped:
            writer.release([one for said, one in found.gone.items() if said not in still])
        return writer.plan(Changed(receipt=_NOTHING, dropped=tuple(told(one.sentence) for one in dropped)))


def _lost(found: BeliefPart, kept: Iterable[Sentence]) -> list[Belief]:
    """What is held now and will not be: more than the pure operation names when what is held was inconsistent."""
    staying = set(kept)
    return [one for said, one in found.held.items() if said not in staying]


def irredundant(said: Sentence) -> tuple[Sentence, ...]:
    """The clauses of a sentence, one by one, without those the others imply; the same for equivalent inputs."""
    kept = sorted((frozenset({clause}) for clause in said), key=told)
    for one in reversed(list(kept)):
        others = [other for other in kept if other != one]
        if Laws().entails(others, one):
            kept = others
    return tuple(kept)


class _Writer:
    """Gathers the edits, placements and notes of one operation."""

    def __init__(self, reading: Reading, found: BeliefPart, assertion: Assertion, now_us: int) -> None:
        self._edits = Edits(reading)
        self._reading = reading
        self._found = found
        self._assertion = assertion
        self._now_us = now_us
        self._placed: list[Change] = []
        self._notes: list[Change] = []
        self._stands: list[tuple[UUID, Literal | None]] = []
        self._target: UUID | None = None
        self._respelled_in: UUID | None = None
        self._added: list[str] = []
        self._lost: list[UUID] = []

    def drop(self, gone: Iterable[Belief]) -> None:
        """Takes beliefs away where they stand.

        Raises: Conflict when one stands in a wider scope: a narrow reader does not decide for the wide.
        """
        own = self._reading.view
        for one in gone:
            self._edits.lose(one.bearers)
            self._lost.extend(bearer.memory_id for bearer in one.bearers)
            for bearer in one.bearers:
                where = self._edits.of(bearer.memory_id).before.scope
                if not (own.all_scopes or own.scope.is_prefix_of(where)):
                    raise Conflict(
                        f"memory {bearer.memory_id} is held in a wider scope",
                        hint="revise it there, or state it with the mode `ask`",
                    )

    def reinstate(self, back: Iterable[Belief]) -> None:
        for one in back:
            self._edits.restore(one.bearers[0])

    def add(self, said: Sentence, dropped: Iterable[Belief]) -> None:
        """Puts each clause where it belongs: literals into one memory, other clauses into rules of their own."""
        literals: list[Literal] = []
        for one in irredundant(said):
            known = self._found.held.get(one)
            (clause,) = one
            spelling = tuple(self._assertion.spelled(literal) for literal in sorted(clause))
            if known is not None and not self._respelled(known, spelling):
                literal = next(iter(clause)) if len(clause) == 1 else None
                self._stands.append((known.bearers[0].memory_id, literal))
                continue
            self._added.append(told(one))
            if known is not None:
                self._edits.lose(known.bearers)
                self._respelled_in = known.bearers[0].memory_id
            if len(clause) == 1:
                literals.append(next(iter(clause)))
            else:
                self._place_rule(spelling)
        if literals:
            self._place_literals(literals, list(dropped))

    def _respelled(self, known: Belief, spelling: tuple[Atom, ...]) -> bool:
        given = {literal_of(atom) for atom in self._assertion.atoms}
        if len(spelling) != 1 or literal_of(spelling[0]) not in given:
            return False
        return all(atom.value != spelling[0].value for bearer in known.bearers for atom in bearer.atoms)

    def _place_literals(self, literals: list[Literal], dropped: list[Belief]) -> None:
        """Into the memory asked for, else into the one whose slot they take over, else into a new one."""
        given = self._assertion
        atoms = [self._functional(given.spelled(literal)) for literal in literals]
        target = given.memory_id or self._respelled_in or self._successor(literals, dropped)
        if target is None:
            target = self._place(atoms)
        else:
            edit = self._edits.of(target)
            edit.gained.extend(atoms)
            edit.text = given.text or "; ".join(map(phrase, atoms))
            edit.content = replace(
                edit.before.revision.content,
                summary="", key_fact="", label="", author=given.author or edit.before.revision.content.author,
                confidence=given.confidence, valid_from_us=given.valid_from_us or self._now_us, valid_to_us=None,
                detail=replace(edit.before.revision.content.detail, prospects=()),
            )  # fmt: skip
            edit.edges.extend(self._supersedes(target))
        self._target = target
        self._stands.extend((target, literal) for literal in literals)

    def _functional(self, atom: Atom) -> Atom:
        slot = literal_of(atom).statement.slot
        return replace(atom, functional=True) if slot in self._found.laws.functional else atom

    def _successor(self, literals: list[Literal], dropped: list[Belief]) -> UUID | None:
        """The memory that held another value of the same slot."""
        slots = {literal.statement.slot for literal in literals}
        for one in sorted(dropped, key=lambda belief: belief.rank, reverse=True):
            for bearer in one.bearers:
                if bearer.kind != "rule" and slots_of([one.sentence]) & slots:
                    return bearer.memory_id
        return None

    def _supersedes(self, own: UUID) -> list[EdgeDraft]:
        """Edges to the other memories that lost something; where supersedes would close a circle, related_to."""
        found: dict[UUID, EdgeDraft] = {}
        for memory_id in self._lost:
            if memory_id == own or memory_id in found:
                continue
            number = self._edits.of(memory_id).before.revision.number
            back = self._reading.edges.walk(
                memory_id, EdgeWalk(direction="out", kinds=("supersedes",), depth=MAX_DEPTH)
            )
            circle = any(step.memory_id == own for step in back)
            found[memory_id] = EdgeDraft("related_to" if circle else "supersedes", Node(memory_id, number))
        return list(found.values())

    def _place(self, atoms: list[Atom]) -> UUID:
        given = self._assertion
        memory_id = new_id(self._now_us)
        text = given.text or "; ".join(map(phrase, atoms))
        content = RevisionDraft(
            text=text, atoms=tuple(atoms), author=given.author, confidence=given.confidence,
            valid_from_us=given.valid_from_us,
        )  # fmt: skip
        links = self._supersedes(memory_id)
        self._placed.append(
            PlaceMemory(
                memory_id=memory_id, place=given.place, kind=given.kind, scope=given.scope, content=content,
                name=given.name, attachments=Attachments(edges=tuple(links), sources=given.sources),
            )
        )  # fmt: skip
        return memory_id

    def _place_rule(self, atoms: tuple[Atom, ...]) -> None:
        given = self._assertion
        memory_id = new_id(self._now_us)
        text = given.text or " or ".join(map(phrase, atoms))
        self._placed.append(
            PlaceMemory(
                memory_id=memory_id, place=given.place, name="", kind="rule", scope=given.scope,
                content=RevisionDraft(
                    text=text, atoms=tuple(self._functional(atom) for atom in atoms), author=given.author,
                    confidence=given.confidence, valid_from_us=given.valid_from_us,
                ),
                attachments=Attachments(edges=tuple(self._supersedes(memory_id)), sources=given.sources),
            )
        )  # fmt: skip
        self._stands.append((memory_id, None))
        self._target = self._target or memory_id

    def displace(self, dropped: Iterable[Belief]) -> None:
        """Notes what each dropped belief was given up for."""
        for one in dropped:
            for bearer in one.bearers:
                belief = Stand(bearer.memory_id, bearer.position, bearer.number)
                for memory_id, literal in self._stands:
                    self._notes.append(Displace(belief, Stand(memory_id, self._position(memory_id, literal))))

    def _position(self, memory_id: UUID, literal: Literal | None) -> int:
        for change in self._placed:
            if isinstance(change, PlaceMemory) and change.memory_id == memory_id:
                atoms = change.content.atoms
                return next((n for n, atom in enumerate(atoms) if literal_of(atom) == literal), -1)
        return self._edits.stand(memory_id, literal)

    def release(self, settled: Iterable[Belief]) -> None:
        """Forgets why these were given up."""
        for one in settled:
            self._notes.extend(
                Release(Stand(bearer.memory_id, bearer.position, bearer.number)) for bearer in one.bearers
            )

    def plan(self, result: Changed) -> _Plan:
        changes = [*self._edits.changes(), *self._placed, *self._notes]
        touched = dict.fromkeys(
            change.memory_id for change in changes if isinstance(change, (PlaceMemory | SetDeprecated))
        )
        touched |= dict.fromkeys(memory_id for memory_id, _ in self._stands)
        touched |= dict.fromkeys(self._lost)
        marks = shaken(self._reading, self._lost, self._now_us, besides=touched)
        return _Plan(
            [*changes, *marks],
            replace(
                result, memory_id=self._target, added=tuple(self._added), touched=tuple(touched),
                shaken=tuple(mark.memory_id for mark in marks),
            ),
            self._found,
        )  # fmt: skip
