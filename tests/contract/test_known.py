"""What intake asks before it writes: known wordings, slots and neighbours, taken names, disagreements, accounts."""

from __future__ import annotations

import pytest

from palazzo.errors import NotFound
from palazzo.model.address import Place
from palazzo.model.change import AddEdge, AddRevision, PurgeMemory, RecordIntake, SetDeprecated
from palazzo.model.edge import Node
from palazzo.model.fate import Fate
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom, RevisionDraft
from palazzo.model.scope import Scope
from palazzo.model.view import View
from palazzo.store.sqlite.memory import intakes, known
from palazzo.store.sqlite.memory.memories import wording
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory
from palazzo.text.words.tokens import terms

ANNA, BEN = Scope.of(user="anna"), Scope.of(user="ben")
CITY = (Atom("the user", "city", "Bonn", functional=True),)


def test_a_wording_is_found_in_any_dress_and_only_where_it_is_current(store: SqliteStore) -> None:
    tea = place_memory("I like green tea.")
    store.commit([tea])
    key = wording("i like green tea")
    with store.reading(View()) as reading:
        assert [m.id for m in known.with_wording(reading, [key])[key]] == [tea.memory_id]
    store.commit([AddRevision(memory_id=tea.memory_id, content=RevisionDraft(text="I like black tea."))])
    with store.reading(View()) as reading:
        assert known.with_wording(reading, [key]) == {}


def test_wordings_slots_and_neighbours_stay_within_the_readers_scope(store: SqliteStore) -> None:
    store.commit([place_memory("I live in Bonn.", scope=ANNA, atoms=CITY)])
    for scope, seen in ((ANNA, 1), (BEN, 0)):
        with store.reading(View(scope=scope)) as reading:
            assert len(known.with_wording(reading, [wording("I live in Bonn.")])) == seen
            assert len(known.with_slots(reading, [("the user", "city")])) == seen
            (near,) = known.nearest(reading, store.text_cache, [(tuple(terms("live Bonn")), 5)])
            assert len(near) == seen


def test_a_slot_is_found_with_its_atoms_until_its_memory_is_no_longer_believed(store: SqliteStore) -> None:
    home = place_memory("I live in Bonn.", atoms=CITY)
    store.commit([home, place_memory("I live in Bonn with my cat.")])
    with store.reading(View()) as reading:
        (found,) = known.with_slots(reading, [("the user", "city"), ("the user", "age")])["the user", "city"]
    assert found.revision.content.atoms == CITY
    store.commit([SetDeprecated(home.memory_id, True)])
    with store.reading(View()) as reading:
        assert known.with_slots(reading, [("the user", "city")]) == {}


def test_neighbours_come_best_first_and_turns_are_none(store: SqliteStore) -> None:
    store.commit([
        place_memory("storks and herons over the river"), place_memory("storks", name="one"),
        place_memory("storks over the river, she said", kind="exchange"),
    ])  # fmt: skip
    with store.reading(View()) as reading:
        (found,) = known.nearest(reading, store.text_cache, [(tuple(terms("storks river")), 5)])
    assert [c.text for c in found] == ["storks and herons over the river", "storks"]


def test_a_taken_name_is_known_even_when_its_memory_is_not_seen(store: SqliteStore) -> None:
    hidden = place_memory("hidden", name="name", scope=ANNA)
    store.commit([hidden, SetDeprecated(hidden.memory_id, True)])
    address = (Place.parse("work"), "name", "fact")
    with store.reading(View(scope=ANNA)) as reading:
        assert known.taken(reading, ANNA, [address, (Place.parse("work"), "other", "fact")]) == {address}
        assert known.taken(reading, BEN, [address]) == set()


def test_a_disagreement_is_listed_while_both_sides_are_believed_and_seen(store: SqliteStore) -> None:
    old, new = place_memory("blue"), place_memory("black", scope=ANNA)
    store.commit([old, new, AddEdge("contradicts", Node(new.memory_id), Node(old.memory_id), 0.8)])
    for scope, seen in ((ANNA, 1), (BEN, 0)):
        with store.reading(View(scope=scope)) as reading:
            assert len(known.conflicts(reading)) == seen
    store.commit([SetDeprecated(old.memory_id, True)])
    with store.reading(View(scope=ANNA)) as reading:
        assert known.conflicts(reading) == ()


def test_an_account_comes_back_as_it_was_told(store: SqliteStore, clock: FixedClock) -> None:
    memory = new_id(clock.now_us())
    fates = (
        Fate(start=0, end=4, outcome="stored", reason="fact", memory_id=memory, score=0.5),
        Fate(start=5, end=9, outcome="refused", reason="card_number"),
    )
    account = RecordIntake(intake_id=new_id(clock.now_us()), at_us=7, digest=b"d" * 16, fates=fates, scope=ANNA)
    receipt = store.commit([account])
    assert receipt.last_seq < receipt.first_seq, "an account is no change of memory state"
    with store.reading(View(scope=ANNA)) as reading:
        found = intakes.get(reading, account.intake_id)
    assert (found.id, found.at_us, found.fates) == (account.intake_id, 7, fates)
    with store.reading(View(scope=BEN)) as reading, pytest.raises(NotFound):
        intakes.get(reading, account.intake_id)


def test_a_message_is_recognised_again_only_within_the_window(store: SqliteStore, clock: FixedClock) -> None:
    account = RecordIntake(intake_id=new_id(clock.now_us()), at_us=1, digest=b"d" * 16, fates=())
    store.commit([account])
    with store.database.read() as connection:
        assert list(intakes.repeated(connection, [b"d" * 16, b"e" * 16], clock.now_us())) == [b"d" * 16]
        assert intakes.repeated(connection, [b"d" * 16], clock.now_us() + 1) == {}
        assert intakes.repeated(connection, [b"e" * 16], 0) == {}


def test_a_purged_memory_leaves_no_wording_and_no_slot(store: SqliteStore) -> None:
    home = place_memory("I live in Bonn.", atoms=CITY)
    store.commit([home])
    store.commit([PurgeMemory(home.memory_id)])
    with store.reading(View()) as reading:
        assert known.with_wording(reading, [wording("I live in Bonn.")]) == {}
        assert known.with_slots(reading, [("the user", "city")]) == {}
