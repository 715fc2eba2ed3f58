from __future__ import annotations

import pytest
from msgspec.structs import replace

from palazzo.belief.conflicts import decide, inbox, require_person, restore, settle, state
from palazzo.belief.logic import statement
from palazzo.belief.operations import Assertion, Operations
from palazzo.errors import NotPermitted
from palazzo.model.belief import Incumbent, Newcomer
from palazzo.model.capability import View
from palazzo.model.kinds import ConflictMode
from palazzo.model.memory import Atom
from palazzo.store.sqlite.palace import SqliteStore

VIEW = View()


def name(value: str) -> Assertion:
    return Assertion(
        atoms=(Atom("user", "name", value, functional=True),), text=f"The name is {value}", kind="identity"
    )


def holds(store: SqliteStore, value: str) -> bool:
    return Operations(store, VIEW).holds(statement("user", "name", value))


@pytest.mark.parametrize(
    ("mode", "old", "new"),
    [
        ("temporal", False, True), ("use_new", False, True), ("keep_existing", True, False),
        ("keep_both", True, True), ("merge", True, True), ("ask", True, True),
    ],
)  # fmt: skip
def test_each_mode_settles_a_contradiction_its_way(
    store: SqliteStore, mode: ConflictMode, old: bool, new: bool
) -> None:
    first = state(store, VIEW, name("Ann"), mode=mode, subject="agent:primary")
    assert not first.conflicted
    second = state(store, VIEW, name("Bea"), mode=mode, subject="agent:primary")
    assert second.conflicted
    assert (holds(store, "Ann"), holds(store, "Bea")) == (old, new)
    assert bool(inbox(store, VIEW)) is (mode == "ask")


def test_the_kind_chooses_the_mode_and_identity_asks(store: SqliteStore) -> None:
    state(store, VIEW, name("Ann"), subject="agent:primary")
    state(store, VIEW, name("Bea"), subject="agent:primary")
    (dispute,) = inbox(store, VIEW)
    assert (dispute.newer.text, dispute.older.text) == ("The name is Bea", "The name is Ann")


@pytest.mark.parametrize("usual", ["keep_both", "merge"])
def test_what_is_over_is_neither_kept_beside_what_ended_it_nor_merged_with_it(usual: ConflictMode) -> None:
    over = Newcomer(said_us=2, sure=True, over=True, fits=True)
    assert decide(Incumbent(usual=usual, stated_us=1), over, None).act == "replace"
    assert decide(Incumbent(usual=usual, stated_us=1), replace(over, over=False), None).act != "replace"


def test_the_loser_of_a_settled_dispute_comes_back_in_one_call(store: SqliteStore) -> None:
    state(store, VIEW, name("Ann"), subject="agent:primary")
    state(store, VIEW, name("Bea"), subject="agent:primary")
    (dispute,) = inbox(store, VIEW)
    settle(store, VIEW, dispute.newer.id)
    assert (holds(store, "Ann"), holds(store, "Bea")) == (False, True)
    restore(store, dispute.older.id, subject="operator")
    assert holds(store, "Ann")


@pytest.mark.parametrize("subject", ["agent:primary", "mcp:client", "kit:slack", "operatorx", "", "Operator"])
def test_only_a_person_counts_as_one(subject: str) -> None:
    with pytest.raises(NotPermitted, match="only a person"):
        require_person(subject, "do this")
    require_person("operator", "do this")
