"""The belief base of a view: which beliefs are held, where each one stands, how firmly, and what was given up.

Owns the way from stored atoms to sentences and ranks. A belief is a literal (an atom) or a clause (the atoms of a
memory of kind `rule`, premises negated). Reads only what bears on a question: the slots it names, and what rules
connect to them. Knows nothing of writing. Invariant: a sentence is held exactly when a current revision of a visible,
not deprecated memory states it; with `as_of` in the view, when it did then.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

import msgspec

from palazzo.belief.logic import Laws, Sentence, Slot, literal_of, literals_in, negation, sentence
from palazzo.belief.logic import Or as AnyOf
from palazzo.belief.revision import Grounds, HeldBelief, Rank, Shadow, arrange, rank_of
from palazzo.errors import InvalidInput
from palazzo.model.belief import WHOLE
from palazzo.model.kinds import KindTable
from palazzo.model.memory import Atom
from palazzo.store.api import MAX_ATOMS, AtomRow, Reading

MOST_SLOTS = 400
"""Rules that connect more slots than this are not searched through: the question is refused, not half answered."""


class Bearer(msgspec.Struct, frozen=True):
    """A stand of a belief: the atom of a revision, or the whole of a rule."""

    memory_id: UUID
    kind: str
    key: int
    number: int
    position: int
    atoms: tuple[Atom, ...]
    confidence: float = 1.0


class Belief(msgspec.Struct, frozen=True):
    """A sentence with every stand that states it and its rank."""

    sentence: Sentence
    bearers: tuple[Bearer, ...]
    rank: Rank


class BeliefPart(msgspec.Struct, frozen=True):
    """The part of a base that bears on a question: what is held, what was given up, and the laws."""

    held: dict[Sentence, Belief]
    gone: dict[Sentence, Belief]
    by: dict[Sentence, frozenset[Sentence]]
    laws: Laws
    slots: frozenset[Slot]
    stands: frozenset[tuple[int, int]]
    """Where something was held about those slots, rules by each of their atoms: what a write expects to find again."""

    def state(self) -> tuple[Sentence, ...]:
        """The epistemic state of this part, most entrenched first."""
        return arrange(
            [HeldBelief(one.sentence, one.rank) for one in self.held.values()],
            [Shadow(one.sentence, one.rank, self.by[one.sentence]) for one in self.gone.values()],
            self.laws,
        )


@dataclass(slots=True)
class _Search:
    """The slots seen so far and the stands found in them."""

    seen: set[Slot] = field(default_factory=set)
    held: dict[tuple[int, int], tuple[AtomRow, tuple[Atom, ...]]] = field(default_factory=dict)
    gone: dict[tuple[int, int], tuple[AtomRow, tuple[Atom, ...]]] = field(default_factory=dict)
    stands: set[tuple[int, int]] = field(default_factory=set)
    by: dict[tuple[int, int], set[Sentence]] = field(default_factory=dict)


def sentence_of(atoms: tuple[Atom, ...]) -> Sentence:
    """What one stand says: the atom, or the clause of a rule's atoms."""
    return sentence(AnyOf(tuple(literal_of(atom) for atom in atoms)))


def slots_of(said: Iterable[Sentence]) -> set[Slot]:
    """The slots some sentences speak of."""
    return {literal.statement.slot for literal in literals_in(said)}


def _slots(atoms: Iterable[Atom]) -> set[Slot]:
    return {literal_of(atom).statement.slot for atom in atoms}


def part(reading: Reading, slots: Iterable[Slot], kinds: KindTable, now_us: int) -> BeliefPart:
    """What bears on these slots: their beliefs, and those that rules and displacements connect to them.

    Raises: InvalidInput when rules connect too much.
    """
    search = _Search()
    frontier = set(slots)
    while frontier:
        search.seen |= frontier
        if len(search.seen) > MOST_SLOTS:
            raise InvalidInput(f"rules connect more than {MOST_SLOTS} slots", field="formula")
        frontier = _step(reading, frontier, search) - search.seen
    return _part(reading, search, kinds, now_us)


def _step(reading: Reading, frontier: set[Slot], search: _Search) -> set[Slot]:
    """Adds the stands of the frontier's slots; returns the slots they lead to."""
    reached: set[Slot] = set()
    for row in reading.beliefs.about(sorted(frontier)):
        search.stands.add((row.key, row.position))
        atoms: tuple[Atom, ...] = (row.atom,)
        if row.kind == "rule":
            atoms = reading.beliefs.atoms_at(row.key, WHOLE)
            reached |= _slots(atoms)
        search.held[row.key, WHOLE if row.kind == "rule" else row.position] = (row, atoms)
    for found in reading.beliefs.displaced_about(sorted(frontier)):
        atoms = reading.beliefs.atoms_at(found.row.key, found.row.position)
        by = reading.beliefs.atoms_at(found.by_key, found.by_position)
        stand = found.row.key, found.row.position
        search.gone[stand] = (found.row, atoms)
        if by:
            search.by.setdefault(stand, set()).add(sentence_of(by))
        reached |= _slots(atoms) | _slots(by)
    return reached


def _part(reading: Reading, search: _Search, kinds: KindTable, now_us: int) -> BeliefPart:
    held = _beliefs(reading, search.held, kinds, now_us)
    given_up = {stand: row for stand, row in search.gone.items() if sentence_of(row[1]) not in held}
    gone = _beliefs(reading, given_up, kinds, now_us)
    by = {
        one.sentence: frozenset().union(
            *(search.by.get((bearer.key, bearer.position), set()) for bearer in one.bearers)
        )
        for one in gone.values()
    }
    functional = {
        literal_of(atom).statement.slot
        for row, atoms in (*search.held.values(), *search.gone.values())
        for atom in atoms
        if is_functional(atom, row.kind, kinds)
    }
    return BeliefPart(held, gone, by, Laws(functional), frozenset(search.seen), frozenset(search.stands))


def is_functional(atom: Atom, kind: str, kinds: KindTable) -> bool:
    """Whether an atom's slot holds one value: as it was marked, or by its memory's kind."""
    return atom.functional or kinds.get(kind).holds_one(atom.predicate)


def _beliefs(
    reading: Reading, stands: dict[tuple[int, int], tuple[AtomRow, tuple[Atom, ...]]], kinds: KindTable, now_us: int
) -> dict[Sentence, Belief]:
    """Stands grouped by what they say. Sources add up over all stands; the firmest of them gives the rank."""
    grouped: dict[Sentence, list[tuple[AtomRow, Bearer]]] = {}
    for (key, position), (row, atoms) in stands.items():
        said = sentence_of(atoms)
        if said:
            bearer = Bearer(row.memory_id, row.kind, key, row.number, position, atoms, row.confidence)
            grouped.setdefault(said, []).append((row, bearer))
    found: dict[Sentence, Belief] = {}
    for said, rows in grouped.items():
        evidence = sum(reading.beliefs.evidence(row.memory_id, row.key) for row, _ in rows)
        name = told(said)
        ranked = [
            (
                rank_of(
                    Grounds(
                        criterion=kinds.get(row.kind).entrenched_by, evidence=evidence, confidence=row.confidence,
                        since_us=reading.beliefs.since(row), dependents=reading.beliefs.dependents(row.memory_id),
                        name=name,
                    ),
                    now_us,
                ),
                row.key,
                bearer,
            )
            for row, bearer in rows
        ]  # fmt: skip
        ranked.sort(key=lambda one: one[:2], reverse=True)
        found[said] = Belief(said, tuple(bearer for *_, bearer in ranked), ranked[0][0])
    return found


class Follows(msgspec.Struct, frozen=True):
    """Whether a sentence is held to be true, or false, and the beliefs that this rests on: not one of them too many."""

    holds: bool
    denied: bool
    grounds: tuple[Belief, ...] = ()


def follows(reading: Reading, wanted: Sentence, kinds: KindTable, now_us: int) -> Follows:
    """What a reader's beliefs say of a sentence.

    Raises: InvalidInput when rules connect too much.
    """
    found = part(reading, slots_of([wanted]), kinds, now_us)
    opposite = negation(wanted)
    holds, denied = found.laws.entails(found.held, wanted), found.laws.entails(found.held, opposite)
    if not holds and not denied:
        return Follows(holds, denied)
    kept = list(found.held)
    for one in sorted(found.held, key=lambda said: found.held[said].rank):
        others = [other for other in kept if other != one]
        if found.laws.entails(others, wanted if holds else opposite):
            kept = others
    return Follows(holds, denied, tuple(found.held[one] for one in kept))


def told(said: Sentence) -> str:
    """A sentence in words, for people and for a stable name."""
    return "; ".join(sorted(" or ".join(sorted(str(literal) for literal in clause)) for clause in said))


def whole(reading: Reading, limit: int = MAX_ATOMS) -> tuple[Sentence, ...]:
    """Every sentence a reader holds, oldest first."""
    rules: dict[int, list[Atom]] = {}
    found: dict[Sentence, None] = {}
    for row in reading.beliefs.every(limit):
        if row.kind == "rule":
            rules.setdefault(row.key, []).append(row.atom)
        else:
            found[sentence_of((row.atom,))] = None
    for atoms in rules.values():
        found[sentence_of(tuple(atoms))] = None
    return tuple(said for said in found if said)
