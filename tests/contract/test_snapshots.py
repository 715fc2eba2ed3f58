"""Snapshots of workspaces: kept at a place or with a memory, seen by those who see it, gone with it."""

from __future__ import annotations

from uuid import UUID

import pytest

from palazzo.errors import Conflict, NotFound
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import MoveMemory, PlaceMemory, PurgeMemory, SetState
from palazzo.model.memory import RevisionDraft
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.snapshot import DropSnapshot, KeepSnapshot, Snapshot
from palazzo.store.api import Store

DESK = Place.parse("work.desk")
BARGE = Scope.of(project="barge")


def taken(number: int, *, at_us: int = 5, scope: Scope = GLOBAL, memory: UUID | None = None) -> Snapshot:
    return Snapshot(
        id=UUID(int=number << 96), place=DESK, subject="operator", captured_us=at_us, state='{"folder":"/home/ida"}',
        territory="2: code", memory_id=memory, scope=scope,
    )  # fmt: skip


def placed(number: int) -> PlaceMemory:
    return PlaceMemory(
        memory_id=UUID(int=number), place=DESK, name=f"m{number}", kind="fact", content=RevisionDraft(text="Hull.")
    )


def test_a_snapshot_is_kept_at_a_place_and_found_by_the_beginning_of_its_id(store: Store) -> None:
    store.commit([KeepSnapshot(taken(0xA1B2C3D4))])
    with store.reading(View()) as reading:
        found = reading.snapshots.get("a1b2")
        assert found == taken(0xA1B2C3D4)
        assert reading.snapshots.newest(PlaceGlob.parse("work.*")) == (found,)
        assert reading.snapshots.newest(PlaceGlob.parse("life.*")) == ()


def test_the_newest_come_first_and_an_id_that_fits_two_is_refused(store: Store) -> None:
    store.commit([KeepSnapshot(taken(0xAB01, at_us=5)), KeepSnapshot(taken(0xAB02, at_us=9))])
    with store.reading(View()) as reading:
        assert [one.captured_us for one in reading.snapshots.newest()] == [9, 5]
        with pytest.raises(Conflict):
            reading.snapshots.get("0000")


def test_a_snapshot_of_another_scope_or_place_is_not_seen(store: Store) -> None:
    store.commit([KeepSnapshot(taken(0xA1B2C3D4, scope=BARGE))])
    elsewhere = View(reach=(PlaceGlob.parse("life.*"),))
    for view, seen in ((View(scope=BARGE), 1), (View(), 0), (View(scope=BARGE, reach=elsewhere.reach), 0)):
        with store.reading(view) as reading:
            assert len(reading.snapshots.newest()) == seen


def test_one_of_a_memory_is_where_the_memory_is_and_hidden_with_it(store: Store) -> None:
    memory = UUID(int=1)
    store.commit([placed(1), KeepSnapshot(taken(0xA1B2C3D4, memory=memory))])
    store.commit([MoveMemory(memory, Place.parse("life.goals"))])
    with store.reading(View()) as reading:
        assert [one.place.path for one in reading.snapshots.newest(memory_id=memory)] == ["life.goals"]
    store.commit([SetState(memory, "deleted")])
    with store.reading(View()) as reading:
        assert reading.snapshots.newest() == ()


def test_a_purge_takes_the_snapshots_of_a_memory_along(store: Store) -> None:
    store.commit([placed(1), KeepSnapshot(taken(0xA1B2C3D4, memory=UUID(int=1))), KeepSnapshot(taken(0xFF))])
    store.commit([PurgeMemory(UUID(int=1))])
    with store.reading(View()) as reading:
        assert [one.id for one in reading.snapshots.newest()] == [UUID(int=0xFF << 96)]
    assert store.care.verify() == []


def test_a_dropped_snapshot_is_gone_and_cannot_be_dropped_twice(store: Store) -> None:
    store.commit([KeepSnapshot(taken(0xA1B2C3D4))])
    store.commit([DropSnapshot(taken(0xA1B2C3D4).id)])
    with store.reading(View()) as reading, pytest.raises(NotFound):
        reading.snapshots.get("a1b2c3d4")
    with pytest.raises(NotFound):
        store.commit([DropSnapshot(taken(0xA1B2C3D4).id)])
