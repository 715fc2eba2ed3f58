"""What intake asks before it writes: known wordings, slots and neighbours, taken names, disagreements, accounts."""

from __future__ import annotations

import pytest

from palazzo.errors import NotFound
from palazzo.model.address import Place
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, AddRevision, PurgeMemory, RecordIntake, SetDeprecated
from palazzo.model.graph import Node
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom, RevisionDraft
from palazzo.model.message import Fate
from palazzo.model.scope import Scope
from palazzo.store.api import Store
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory
from palazzo.text.words.similarity import wording_key as wording
from palazzo.text.words.tokens import terms

ANNA, BEN = Scope.of(user="anna"), Scope.of(user="ben")
CITY = (Atom("the user", "city", "Bonn", functional=True),)


def test_a_wording_is_found_in_any_dress_and_only_where_it_is_current(store: Store) -> None:
    tea = place_memory("I like green tea.")
    store.commit([tea])
    key = wording("i like green tea")
    with store.reading(View()) as reading:
        assert [m.id for m in reading.known.with_wording([key])[key]] == [tea.memory_id]
    store.commit([AddRevision(memory_id=tea.memory_id, content=RevisionDraft(text="I like black tea."))])
    with store.reading(View()) as reading:
        assert reading.known.with_wording([key]) == {}


def test_wordings_slots_and_neighbours_stay_within_the_readers_scope(store: Store) -> None:
    store.commit([place_memory("I live in Bonn.", scope=ANNA, atoms=CITY)])
    for scope, seen in ((ANNA, 1), (BEN, 0)):
        with store.reading(View(scope=scope)) as reading:
            assert len(reading.known.with_wording([wording("I live in Bonn.")])) == seen
            assert len(reading.known.with_slots([("the user", "city")])) == seen
            (near,) = reading.known.nearest([(tuple(terms("live Bonn")), 5)])
            assert len(near) == seen


def test_a_slot_is_found_with_its_atoms_until_its_memory_is_no_longer_believed(store: Store) -> None:
    home = place_memory("I live in Bonn.", atoms=CITY)
    store.commit([home, place_memory("I live in Bonn with my cat.")])
    with store.reading(View()) as reading:
        (found,) = reading.known.with_slots([("the user", "city"), ("the user", "age")])["the user", "city"]
    assert found.revision.content.atoms == CITY
    store.commit([SetDeprecated(home.memory_id, True)])
    with store.reading(View()) as reading:
        assert reading.known.with_slots([("the user", "city")]) == {}


def test_neighbours_come_best_first_and_turns_are_none(store: Store) -> None:
    store.commit([
        place_memory("storks and herons over the river"), place_memory("storks", name="one"),
        place_memory("storks over the river, she said", kind="exchange"),
    ])  # fmt: skip
    with store.reading(View()) as reading:
        (found,) = reading.known.nearest([(tuple(terms("storks river")), 5)])
    assert [c.text for c in found] == ["storks and herons over the river", "storks"]


def test_a_taken_name_is_known_even_when_its_memory_is_not_seen(store: Store) -> None:
    hidden = place_memory("hidden", name="name", scope=ANNA)
    store.commit([hidden, SetDeprecated(hidden.memory_id, True)])
    address = (Place.parse("work"), "name", "fact")
    with store.reading(View(scope=ANNA)) as reading:
        assert reading.known.taken(ANNA, [address, (Place.parse("work"), "other", "fact")]) == {address}
        assert reading.known.taken(BEN, [address]) == set()


def test_a_disagreement_is_listed_while_both_sides_are_believed_and_seen(store: Store) -> None:
    old, new = place_memory("blue"), place_memory("black", scope=ANNA)
    store.commit([old, new, AddEdge("contradicts", Node(new.memory_id), Node(old.memory_id), 0.8)])
    for scope, seen in ((ANNA, 1), (BEN, 0)):
        with store.reading(View(scope=scope)) as reading:
            assert len(reading.known.conflicts()) == seen
            keys = [memory.revision.key for memory in (reading.memories.get(old.memory_id),)]
            assert len(reading.known.disputed(keys, 0.5)) == seen
            assert reading.known.disputed(keys, 0.9) == {}
    store.commit([SetDeprecated(old.memory_id, True)])
    with store.reading(View(scope=ANNA)) as reading:
        assert reading.known.conflicts() == ()


def test_an_account_comes_back_as_it_was_told(store: Store, clock: FixedClock) -> None:
    memory = new_id(clock.now_us())
    fates = (
        Fate(start=0, end=4, outcome="stored", reason="fact", memory_id=memory, score=0.5),
        Fate(start=5, end=9, outcome="refused", reason="card_number"),
    )
    account = RecordIntake(intake_id=new_id(clock.now_us()), at_us=7, digest=b"d" * 16, fates=fates, scope=ANNA)
    receipt = store.commit([account])
    assert receipt.last_seq < receipt.first_seq, "an account is no change of memory state"
    with store.reading(View(scope=ANNA)) as reading:
        found = reading.intakes.get(account.intake_id)
    assert (found.id, found.at_us, found.fates) == (account.intake_id, 7, fates)
    with store.reading(View(scope=BEN)) as reading, pytest.raises(NotFound):
        reading.intakes.get(account.intake_id)


def test_a_purged_memory_leaves_no_wording_and_no_slot(store: Store) -> None:
    home = place_memory("I live in Bonn.", atoms=CITY)
    store.commit([home])
    store.commit([PurgeMemory(home.memory_id)])
    with store.reading(View()) as reading:
        assert reading.known.with_wording([wording("I live in Bonn.")]) == {}
        assert reading.known.with_slots([("the user", "city")]) == {}
