"""Another writing of a known name finds the known entity; another person's name never does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.intake.conftest import Palace

from palazzo.model.capability import View
from palazzo.model.graph import Entity
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.store.sql.graph import entities
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.text.facts.aliases import has_other_spellings, other_spelling


class AllAlike:
    """An embedder to which every text means the same: only the spelling is left to tell names apart."""

    name = "all-alike"
    dimensions = 4

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), 4), 0.5, np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed([text])[0]
        return row


@pytest.fixture
def credulous(store: SqliteStore, clock: FixedClock) -> Palace:
    return Palace(store, clock, AllAlike())


def found(palace: Palace, name: str, scope: Scope = Scope()) -> tuple[Entity, ...]:
    with palace.store.reading(View(scope=scope)) as reading:
        return entities.named(reading, name)


SAME = [("Robert Marten", "Rob Marten"), ("Robert Marten", "Bob Marten"), ("Tordis Ekholm", "Tordiss Ekholm")]
OTHERS = [
    ("John Smith", "Jane Smith"),
    ("Anna Berg", "Hanna Berg"),
    ("Maria Lind", "Maria Lund"),
    ("John Lang", "John"),
]


@pytest.mark.parametrize(("known", "written"), SAME)
def test_two_writings_of_a_person_are_one_entity_with_both_aliases(credulous: Palace, known: str, written: str) -> None:
    credulous.remember(f"My colleague {known} lives in Bergen.")
    credulous.remember(f"Yesterday I met {written} at the harbour.")
    (first,), (second,) = found(credulous, known), found(credulous, written)
    assert first.id == second.id
    assert set(first.aliases) == {known, written}


@pytest.mark.parametrize(("known", "written"), OTHERS)
def test_different_people_stay_apart_however_alike_their_vectors_are(
    credulous: Palace, known: str, written: str
) -> None:
    credulous.remember(f"My colleague {known} lives in Bergen.")
    credulous.remember(f"Yesterday I met {written} at the harbour.")
    assert {one.id for one in found(credulous, known)}.isdisjoint(one.id for one in found(credulous, written))


def test_within_one_batch_the_later_writing_joins_the_earlier(credulous: Palace) -> None:
    credulous.remember("My colleague Robert Marten lives in Bergen.", "Yesterday I met Bob Marten at the harbour.")
    assert found(credulous, "Robert Marten")[0].id == found(credulous, "Bob Marten")[0].id


def test_vectors_that_are_not_close_join_nothing(palace: Palace) -> None:
    palace.remember("My colleague Robert Marten lives in Bergen.")
    palace.remember("Yesterday I met Bob Marten at the harbour.")
    assert found(palace, "Robert Marten")[0].id != found(palace, "Bob Marten")[0].id


def test_without_an_embedder_nothing_is_joined(store: SqliteStore, clock: FixedClock) -> None:
    palace = Palace(store, clock, None)
    palace.remember("My colleague Robert Marten lives in Bergen.")
    palace.remember("Yesterday I met Bob Marten at the harbour.")
    assert found(palace, "Robert Marten")[0].id != found(palace, "Bob Marten")[0].id


def test_a_name_of_another_scope_is_never_joined(credulous: Palace) -> None:
    here, there = Scope.of(user="here"), Scope.of(user="there")
    credulous.remember(Message(text="My colleague Robert Marten lives in Bergen.", scope=here))
    credulous.remember(Message(text="Yesterday I met Bob Marten at the harbour.", scope=there))
    assert [one.aliases for one in found(credulous, "Bob Marten", there)] == [("Bob Marten",)]


@pytest.mark.parametrize(
    ("a", "b", "person", "expected"),
    [
        ("Northwind", "Northwind team", False, True),
        ("Kubernetes", "Kuberentes", False, True),
        ("Release 15", "Release 16", False, False),
        ("York University", "New York University", False, False),
        ("Project Apollo", "Project Atlas", False, False),
        ("Jane Smith", "John Smith", True, False),
        ("J. Smith", "Jane Smith", True, True),
        ("Tordis Ekholm", "Tordis Ekberg", True, False),
    ],
)
def test_what_may_be_another_spelling(a: str, b: str, person: bool, expected: bool) -> None:
    assert other_spelling(a, b, person=person) is other_spelling(b, a, person=person) is expected
    assert has_other_spellings(a, person=person) or not expected


@pytest.mark.parametrize(("name", "person"), [("Jane", True), ("Dr. Jane", True), ("the team", False)])
def test_a_first_name_alone_and_words_of_a_class_alone_are_looked_up_nowhere(name: str, person: bool) -> None:
    assert not has_other_spellings(name, person=person)
    assert not other_spelling(name, name, person=person)
