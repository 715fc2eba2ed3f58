"""The named scenarios: seven postulates in fourteen situations of five categories, each over a real palace.

A situation says what was believed and what comes; a postulate says what must then be true. The truth table is not used
here: expectations are stated over what the palace holds before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from tests.belief.slots import functional_slots

from palazzo.belief.held import whole
from palazzo.belief.logic import And, Formula, Laws, Or, Sentence, implies, literal_of, sentence, statement
from palazzo.belief.operations import Assertion, Operations
from palazzo.model.capability import View
from palazzo.model.change import AddEdge
from palazzo.model.graph import EdgeKind, Node
from palazzo.model.memory import Atom
from palazzo.store.api import AtomRow
from palazzo.store.sql.belief import beliefs
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

VIEW = View()


def colour(value: str) -> Atom:
    return Atom("user", "favourite_colour", value, functional=True)


def lives(who: str, where: str) -> Atom:
    return Atom(who, "lives_in", where, functional=True)


TEA = Atom("user", "drinks", "tea")
OBOE = Atom("user", "plays", "oboe")
PORT = Atom("api", "port", "8080", functional=True)


class Room:
    """A palace under test."""

    def __init__(self, store: SqliteStore, clock: FixedClock) -> None:
        self.store = store
        self.clock = clock
        self.operations = Operations(store, VIEW)

    def note(self, text: str, *atoms: Atom, kind: str = "fact") -> Node:
        made = place_memory(text, kind=kind, atoms=atoms, place="work.notes")
        self.store.commit([made])
        return Node(made.memory_id)

    def link(self, kind: EdgeKind, source: Node, target: Node) -> None:
        self.store.commit([AddEdge(kind, source, target)])

    def say(self, *atoms: Atom, kind: str = "preference") -> None:
        self.operations.revise(Assertion(atoms=atoms, kind=kind))

    @property
    def base(self) -> frozenset[Sentence]:
        with self.store.reading(VIEW) as reading:
            return frozenset(whole(reading))

    @property
    def rows(self) -> tuple[AtomRow, ...]:
        """The held atoms as the tables have them, without any logic."""
        with self.store.reading(VIEW) as reading:
            return beliefs.every(reading)

    @property
    def laws(self) -> Laws:
        with self.store.reading(VIEW) as reading:
            return Laws(functional_slots(reading, self.store.options.kinds))


@dataclass(frozen=True)
class Situation:
    """What was believed (`prepare`), what is then asserted, and what is given up in the contraction postulates."""

    category: str
    name: str
    prepare: Callable[[Room], None]
    asserted: tuple[Atom, ...]
    given_up: Formula
    formula: Formula | None = None
    kind: str = "preference"
    unrelated: tuple[Atom, ...] = field(default=())

    def assertion(self, formula: Formula | None = None) -> Assertion:
        return Assertion(atoms=self.asserted, formula=formula or self.formula, kind=self.kind)


def one_preference(room: Room) -> None:
    room.note("Blue is the favourite colour.", colour("blue"), kind="preference")


def two_facts_in_one_note(room: Room) -> None:
    room.note("The favourite colour is blue. Plays the oboe.", colour("blue"), OBOE, kind="preference")


def several_notes(room: Room) -> None:
    room.note("Blue is the favourite colour.", colour("blue"), kind="preference")
    room.note("Drinks tea.", TEA, kind="preference")
    room.note("Plays the oboe.", OBOE)
    room.note("The API listens on 8080.", PORT)


def the_same_in_three_notes(room: Room) -> None:
    for n in range(3):
        room.note(f"Lives in Bern, says letter {n}.", lives("ann", "Bern"), kind="residence")
    room.note("Drinks tea.", TEA)


def a_chain_of_decisions(room: Room) -> None:
    taste = room.note("Prefers blue.", colour("blue"), kind="decision")
    palette = room.note("The palette is sea.", Atom("site", "palette", "sea"), kind="decision")
    banner = room.note("The banner is a wave.", Atom("site", "banner", "wave"), kind="decision")
    room.link("depends_on", palette, taste)
    room.link("depends_on", banner, palette)


def a_chain_of_rules(room: Room) -> None:
    room.note("Ann lives in Bern.", lives("ann", "Bern"), kind="residence")
    bern, swiss = statement("ann", "lives_in", "Bern"), statement("ann", "country", "Switzerland")
    franc = statement("ann", "pays_in", "franc")
    for premise, conclusion in ((bern, swiss), (swiss, franc)):
        room.operations.revise(Assertion(formula=implies([premise], conclusion), confidence=0.9))
    room.note("Plays the oboe.", OBOE)


def weeks_of_change(room: Room) -> None:
    for value in ("blue", "green", "blue", "grey"):
        room.say(colour(value))
        room.clock.advance(days=7)
    room.note("Drinks tea.", TEA)


def long_settled(room: Room) -> None:
    room.note("Ann lives in Bern.", lives("ann", "Bern"), kind="residence")
    room.clock.advance(days=700)
    room.note("Ann drinks tea.", Atom("ann", "drinks", "tea"))


def ten_in_a_row(room: Room) -> None:
    for n in range(10):
        room.say(colour(f"shade {n}"))
    room.note("Drinks tea.", TEA)


def case_variants(room: Room) -> None:
    room.note("Favourite colour: Blue", colour("Blue"), kind="preference")
    room.note("Drinks Tea", Atom("user", "drinks", "Tea"))


def alike_names(room: Room) -> None:
    room.note("Colour is blue.", colour("blue"), kind="preference")
    room.note("Color is teal.", Atom("user", "favourite_color", "teal", functional=True), kind="preference")


def very_long_values(room: Room) -> None:
    room.note("A long one.", colour("blue " * 300), OBOE, kind="preference")


def deep_chain_of_edges(room: Room) -> None:
    kinds: tuple[EdgeKind, ...] = ("depends_on", "derived_from", "inferred_from")
    last = room.note("Prefers blue.", colour("blue"), kind="decision")
    for n, name in enumerate("bcd"):
        following = room.note(f"Step {name}.", Atom("plan", "step", name), kind="decision")
        room.link(kinds[n], following, last)
        room.link("related_to", last, following)
        last = following


def rules_against_each_other(room: Room) -> None:
    bird, flies, heavy = (statement("tux", "is", what) for what in ("bird", "flying", "heavy"))
    room.note("Tux is a bird.", Atom("tux", "is", "bird"))
    room.operations.revise(Assertion(formula=implies([bird], flies), confidence=0.6))
    room.operations.revise(Assertion(formula=implies([heavy], ~flies), confidence=0.9))
    room.note("Plays the oboe.", OBOE)


BLUE = literal_of(colour("blue"))
BERN = literal_of(lives("ann", "Bern"))
SITUATIONS = (
    Situation("simple", "one preference", one_preference, (colour("black"),), BLUE),
    Situation("simple", "two facts in one note", two_facts_in_one_note, (colour("black"),), BLUE, unrelated=(OBOE,)),
    Situation(
        "multi-item", "several notes", several_notes, (colour("black"), Atom("api", "port", "9090", functional=True)),
        And((BLUE, literal_of(PORT))), unrelated=(TEA, OBOE),
    ),
    Situation(
        "multi-item", "the same in three notes", the_same_in_three_notes, (lives("ann", "Basel"),), BERN,
        kind="residence", unrelated=(TEA,),
    ),
    Situation(
        "chain", "decisions that rest on each other", a_chain_of_decisions, (colour("black"),), BLUE, kind="decision",
        unrelated=(Atom("site", "palette", "sea"), Atom("site", "banner", "wave")),
    ),
    Situation(
        "chain", "rules that lead on", a_chain_of_rules, (), statement("ann", "pays_in", "franc"),
        formula=~statement("ann", "pays_in", "franc"), unrelated=(OBOE,),
    ),
    Situation(
        "temporal", "weeks of change", weeks_of_change, (colour("red"),), literal_of(colour("grey")), unrelated=(TEA,)
    ),
    Situation(
        "temporal", "long settled", long_settled, (lives("ann", "Basel"),), BERN, kind="residence",
        unrelated=(Atom("ann", "drinks", "tea"),),
    ),
    Situation(
        "adversarial", "ten revisions in a row", ten_in_a_row, (colour("last"),), literal_of(colour("shade 9")),
        unrelated=(TEA,),
    ),
    Situation(
        "adversarial", "case variants", case_variants, (colour("BLACK"),), literal_of(colour("bLuE")), unrelated=(TEA,)
    ),
    Situation(
        "adversarial", "names that look alike", alike_names, (colour("black"),), BLUE,
        unrelated=(Atom("user", "favourite_color", "teal"),),
    ),
    Situation(
        "adversarial", "very long values", very_long_values, (colour("black " * 300),),
        literal_of(colour("blue " * 300)), unrelated=(OBOE,),
    ),
    Situation(
        "adversarial", "deep chain of mixed edges", deep_chain_of_edges, (colour("black"),), BLUE, kind="decision",
        unrelated=tuple(Atom("plan", "step", name) for name in "bcd"),
    ),
    Situation(
        "adversarial", "rules against each other", rules_against_each_other, (Atom("tux", "is", "heavy"),),
        statement("tux", "is", "flying"), kind="fact", unrelated=(OBOE,),
    ),
)  # fmt: skip


def success(room: Room, situation: Situation) -> None:
    room.operations.revise(situation.assertion())
    assert room.laws.entails(room.base, situation.assertion().sentence)


def inclusion(room: Room, situation: Situation) -> None:
    before = room.base
    changed = room.operations.revise(situation.assertion())
    new = {frozenset({clause}) for clause in situation.assertion().sentence}
    back = room.base - before - new
    assert len(back) == len(changed.reinstated)
    assert not back or changed.dropped, "only a conflict brings something back"


def vacuity(room: Room, situation: Situation) -> None:
    before = room.base
    room.operations.revise(Assertion(atoms=(Atom("user", "keeps", "bees"),), kind=situation.kind))
    assert room.base == before | {sentence(statement("user", "keeps", "bees"))}


def consistency(room: Room, situation: Situation) -> None:
    changed = room.operations.revise(situation.assertion())
    assert room.laws.consistent(*room.base)
    assert changed.dropped, "every situation brings something that does not fit"
    values: dict[tuple[str, str], set[str]] = {}
    for row in room.rows:
        if row.atom.functional and not row.atom.negated:
            values.setdefault((row.atom.subject, row.atom.predicate), set()).add(row.atom.value.casefold())
    assert all(len(some) == 1 for some in values.values()), values


def extensionality(room: Room, situation: Situation) -> None:
    """Revising by the input and then by an equivalent of it is the same as revising once."""
    given = situation.assertion()
    room.operations.revise(given)
    once = room.base
    plain = given.formula or And(tuple(literal_of(atom) for atom in given.atoms))
    other = statement("any", "thing", "else")
    twin = And((Or((plain, And((plain, other)))), Or((plain, other))))
    assert sentence(twin) == given.sentence
    changed = room.operations.revise(situation.assertion(twin))
    assert room.base == once
    assert changed.receipt.changes == 0


def relevance(room: Room, situation: Situation) -> None:
    before = room.base
    room.operations.contract(situation.given_up)
    after, unwanted = room.base, sentence(situation.given_up)
    assert before - after
    for lost in before - after:
        assert room.laws.entails([*after, lost], unwanted) or Laws(room.laws.functional).entails([lost], unwanted)


def core_retainment(room: Room, situation: Situation) -> None:
    room.operations.contract(situation.given_up)
    assert not room.laws.entails(room.base, sentence(situation.given_up))
    for atom in situation.unrelated:
        assert room.operations.holds(literal_of(atom)), f"{atom} had nothing to do with it"


POSTULATES: dict[str, Callable[[Room, Situation], None]] = {
    "K*2 success": success, "K*3 inclusion": inclusion, "K*4 vacuity": vacuity, "K*5 consistency": consistency,
    "K*6 extensionality": extensionality, "relevance": relevance, "core-retainment": core_retainment,
}  # fmt: skip


@pytest.mark.parametrize("postulate", POSTULATES)
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: f"{one.category}: {one.name}")
def test_scenario(store: SqliteStore, clock: FixedClock, situation: Situation, postulate: str) -> None:
    room = Room(store, clock)
    situation.prepare(room)
    POSTULATES[postulate](room, situation)


def test_every_postulate_is_tried_in_every_category() -> None:
    assert {one.category for one in SITUATIONS} == {"simple", "multi-item", "chain", "temporal", "adversarial"}
    assert len(SITUATIONS) * len(POSTULATES) >= 49
