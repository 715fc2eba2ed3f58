"""The tables of the belief room: what a reader sees of them, and that a purge leaves nothing behind."""

from __future__ import annotations

from palazzo.model.belief import (
    AddSignals,
    BehaviourSignal,
    Displace,
    Release,
    Stand,
)  # fmt: skip
from palazzo.model.capability import View
from palazzo.model.change import AddRevision, SetDeprecated
from palazzo.model.memory import Atom, RevisionDraft
from palazzo.model.scope import Scope
from palazzo.store.api import Store
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

VIEW = View()
SLOT = ("ann", "colour")
TABLES = ("displaced", "staleness_audit", "freshness", "outcome")


def colour(value: str) -> Atom:
    return Atom(*SLOT, value, functional=True)


def test_atoms_of_a_slot_are_those_of_visible_current_revisions(store: Store, clock: FixedClock) -> None:
    kept = place_memory("blue", atoms=(colour("blue"),))
    gone = place_memory("red", atoms=(colour("red"),))
    hidden = place_memory("teal", atoms=(colour("teal"),), scope=Scope.of(user="ann"))
    store.commit([kept, gone, hidden])
    then = clock.now_us()
    clock.advance(days=1)
    store.commit([
        AddRevision(memory_id=kept.memory_id, content=RevisionDraft(text="black", atoms=(colour("black"),))),
        SetDeprecated(gone.memory_id, deprecated=True),
    ])  # fmt: skip

    def values(view: View) -> set[str]:
        with store.reading(view) as reading:
            return {row.atom.value for row in reading.beliefs.about([SLOT])}

    assert values(VIEW) == {"black"}
    assert values(View(as_of_us=then)) == {"blue", "red"}
    assert values(View(scope=Scope.of(user="ann"))) == {"black", "teal"}


def test_a_displacement_is_found_by_its_slot_until_it_is_released(store: Store) -> None:
    made = place_memory("blue", atoms=(colour("blue"),))
    store.commit([made])
    stand = Stand(made.memory_id, 0, 1)
    store.commit([
        AddRevision(memory_id=made.memory_id, content=RevisionDraft(text="black", atoms=(colour("black"),))),
        Displace(stand, Stand(made.memory_id, 0)),
    ])  # fmt: skip
    with store.reading(VIEW) as reading:
        (found,) = reading.beliefs.displaced_about([SLOT])
        assert found.row.atom.value == "blue"
        assert reading.beliefs.atoms_at(found.by_key, found.by_position) == (colour("black"),)
    with store.reading(View(reach=())) as reading:
        assert reading.beliefs.displaced_about([SLOT]) == ()
    store.commit([Release(stand)])
    with store.reading(VIEW) as reading:
        assert reading.beliefs.displaced_about([SLOT]) == ()


def test_an_atom_carried_along_keeps_its_time(store: Store, clock: FixedClock) -> None:
    tea = Atom("ann", "drinks", "tea")
    made = place_memory("both", atoms=(colour("blue"), tea))
    store.commit([made])
    first = clock.now_us()
    clock.advance(days=5)
    store.commit([AddRevision(memory_id=made.memory_id, content=RevisionDraft(text="tea", atoms=(tea,)))])
    clock.advance(days=5)
    again = RevisionDraft(text="both", atoms=(tea, colour("blue")))
    store.commit([AddRevision(memory_id=made.memory_id, content=again)])
    with store.reading(VIEW) as reading:
        since = {row.atom.value: reading.beliefs.since(row) for row in reading.beliefs.every()}
    assert since == {"tea": first, "blue": clock.now_us()}


def test_signals_add_up_and_stay_in_their_scope(store: Store) -> None:
    ann = Scope.of(user="ann")
    one = BehaviourSignal(family="language", dimension="rust", day=100, count=2)
    store.commit([AddSignals((one, one)), AddSignals((one,), ann)])
    with store.reading(VIEW) as reading:
        assert reading.reviews.signals(90, 100) == {"language": {"rust": 4}}
        assert reading.reviews.signals(101, 110) == {}
    with store.reading(View(scope=ann)) as reading:
        assert reading.reviews.signals(100, 100) == {"language": {"rust": 6}}
