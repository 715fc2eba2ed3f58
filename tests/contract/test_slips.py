"""What is kept about the work itself: found by kind, scope and name, changed by whoever saw the newest version."""

from __future__ import annotations

from uuid import UUID

import pytest

from palazzo.errors import NotFound, VersionConflict
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.slip import DropSlip, PutSlip, Slip
from palazzo.store.api import Store

BARGE = Scope.of(project="barge")


def slip(name: str, told: str = "{}", scope: Scope = GLOBAL, number: int = 1) -> Slip:
    return Slip(id=UUID(int=number), kind="thread", name=name, subject="operator", state="open", told=told, scope=scope)


def test_a_slip_is_kept_and_found_by_kind_scope_and_name(store: Store) -> None:
    store.commit([PutSlip(slip("hull", '{"title":"The hull"}', BARGE))])
    found = store.slips.get("thread", "hull", BARGE)
    assert found is not None
    assert (found.told, found.version, found.scope) == ('{"title":"The hull"}', 1, BARGE)
    assert store.slips.get("thread", "hull") is None
    assert store.slips.get("session", "hull", BARGE) is None


def test_one_that_was_changed_since_is_not_overwritten(store: Store) -> None:
    store.commit([PutSlip(slip("hull"), expected=0)])
    store.commit([PutSlip(slip("hull", '{"n":2}'), expected=1)])
    with pytest.raises(VersionConflict):
        store.commit([PutSlip(slip("hull", '{"n":3}'), expected=1)])
    found = store.slips.get("thread", "hull")
    assert found is not None
    assert (found.told, found.version) == ('{"n":2}', 2)


def test_slips_of_another_scope_are_not_listed(store: Store) -> None:
    store.commit([PutSlip(slip("hull")), PutSlip(slip("deck", scope=BARGE, number=2))])
    assert [one.name for one in store.slips.newest("thread")] == ["hull"]
    assert [one.name for one in store.slips.newest("thread", BARGE)] == ["deck"]
    assert {one.name for one in store.slips.newest("thread", None)} == {"hull", "deck"}


def test_a_dropped_slip_is_gone_and_cannot_be_dropped_twice(store: Store) -> None:
    store.commit([PutSlip(slip("hull"))])
    store.commit([DropSlip("thread", "hull")])
    assert store.slips.get("thread", "hull") is None
    with pytest.raises(NotFound):
        store.commit([DropSlip("thread", "hull")])


def test_a_secret_in_a_slip_is_taken_out_before_it_is_written(store: Store) -> None:
    secret = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    told = '{"ran":["curl -H ' + f"'Authorization: token {secret}'" + '"]}'
    store.commit([PutSlip(slip("hull", told))])
    found = store.slips.get("thread", "hull")
    assert found is not None
    assert secret not in found.told
