"""What is known already is not stored twice, and what only looks alike is kept apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.intake.conftest import Palace

from palazzo.model.capability import View
from palazzo.model.change import MoveTag
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.store.sql.graph import edges
from palazzo.store.sql.memory import memories
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock


@pytest.mark.parametrize(
    "again",
    [
        "I like strong green tea.",
        "i like strong green tea",
        "I like strong   green tea!!",
        "Well, I like strong green tea.",
    ],
)
def test_the_same_in_other_dress_is_skipped_and_counted(palace: Palace, again: str) -> None:
    first = palace.remember("I like strong green tea.")
    second = palace.remember(again)
    assert [f.outcome for f in second.fates if f.outcome != "dropped"] == ["skipped"]
    assert second.memory_ids == first.memory_ids
    with palace.store.reading(View()) as reading:
        assert len(edges.sources_of(reading, first.memory_ids[0])) == 2


def test_said_once_and_asked_to_be_kept_once_is_one_memory(palace: Palace) -> None:
    palace.observe("I am allergic to peanuts.")
    assert palace.remember("I am allergic to peanuts.").fates[0].outcome == "skipped"
    assert palace.texts() == ["I am allergic to peanuts."]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The garden has 12 apple trees.", "The garden has 13 pear trees."),
        ("Ann collects stamps.", "Ben collects stamps."),
        ("I like olives.", "I do not like olives."),
        ("The train goes from Bonn to Kiel.", "The train goes from Kiel to Bonn."),
        ("The shop opens on Monday.", "The shop opens on Sunday."),
    ],
)
def test_near_misses_are_not_merged(palace: Palace, first: str, second: str) -> None:
    palace.remember(first)
    assert palace.remember(second).fates[0].outcome not in ("skipped", "merged")


def test_what_adds_to_a_known_statement_is_merged_and_can_be_undone(palace: Palace) -> None:
    first = palace.remember("I like tea.")
    merged = palace.remember("I like green tea.")
    (fate,) = merged.fates
    assert (fate.outcome, fate.memory_id) == ("merged", first.memory_ids[0])
    assert fate.score is not None
    assert palace.texts() == ["I like green tea."]
    palace.store.commit([MoveTag(first.memory_ids[0], "current", 1)])
    assert palace.texts() == ["I like tea."]


def test_two_repetitions_in_one_batch_are_seen(palace: Palace) -> None:
    result = palace.remember("I like tea.", "I like tea.", "i like tea")
    assert [f.outcome for f in result.fates] == ["stored", "skipped", "skipped"]


def test_the_same_thing_on_two_days_happened_twice(palace: Palace) -> None:
    palace.observe("I went for a swim today.")
    palace.clock.advance(days=3)
    palace.observe("I went for a swim today.")
    assert len(palace.texts()) == 2


def test_a_rephrasing_in_a_scope_beside_is_no_duplicate(palace: Palace) -> None:
    anna, ben = Scope.of(user="anna"), Scope.of(user="ben")
    for scope in (anna, ben):
        assert palace.remember(Message(text="I like tea.", scope=scope)).fates[0].outcome == "stored"
    assert palace.texts(anna) == palace.texts(ben) == ["I like tea."]


def test_what_the_wider_scope_knows_is_not_stored_again_below_it(palace: Palace) -> None:
    palace.remember("I like tea.")
    assert palace.remember(Message(text="I like tea.", scope=Scope.of(user="anna"))).fates[0].outcome == "skipped"


def test_without_vectors_words_alone_decide(store: SqliteStore, clock: FixedClock) -> None:
    palace = Palace(store, clock, None)
    palace.remember("I like tea.")
    assert palace.remember("i like tea").fates[0].outcome == "skipped"


def test_every_revision_of_a_merged_memory_stays_readable(palace: Palace) -> None:
    (memory_id,) = palace.remember("I like tea.").memory_ids
    palace.remember("I like green tea.")
    with palace.store.reading(View()) as reading:
        assert [r.content.text for r in memories.history(reading, memory_id)] == ["I like tea.", "I like green tea."]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The gate code of the marina hangs in the shed.", "In the shed hangs the code of the marina gate."),
        ("Our book club meets at the bakery on the corner.", "The bakery on the corner is where our book club meets."),
        ("My dentist works in the old mill by the river.", "By the river, in the old mill, works my dentist."),
    ],
)
def test_the_same_in_other_words_is_kept_and_linked(palace: Palace, first: str, second: str) -> None:
    (known,) = palace.remember(first).memory_ids
    result = palace.remember(second)
    (fate,) = result.fates
    assert (fate.outcome, fate.reason) == ("stored", "near in meaning")
    assert palace.texts() == [first, second]
    with palace.store.reading(View()) as reading:
        (edge,) = (edge for edge in edges.of(reading, known) if edge.kind == "similar_to")
    assert {edge.source.memory_id, edge.target.memory_id} == {known, result.memory_ids[0]}
    assert edge.weight >= 0.85


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The gate code of the marina is 4411 this season.", "The gate code of the marina is 9917 this season."),
        ("Ann keeps the keys of the old shed.", "Ben keeps the keys of the old shed."),
        ("The old shed by the river is locked.", "The old shed by the river is not locked."),
    ],
)
def test_what_differs_in_a_figure_a_name_or_a_negation_is_not_said_to_be_alike(
    palace: Palace, first: str, second: str
) -> None:
    palace.remember(first)
    palace.remember(second)
    for memory in palace.memories():
        with palace.store.reading(View()) as reading:
            assert not [edge for edge in edges.of(reading, memory.id) if edge.kind == "similar_to"]


def test_what_happened_is_told_again_within_the_hour_also_after_midnight(palace: Palace) -> None:
    palace.clock.advance(hours=11, minutes=45)  # a quarter to midnight
    said = "I went for a swim in the canal."
    palace.observe(said)
    palace.clock.advance(minutes=25)
    palace.observe("Well, I went for a swim in the canal.")
    assert palace.texts() == [said]
    palace.clock.advance(hours=2)
    palace.observe("I went for a swim in the canal.")
    assert len(palace.texts()) == 2


def test_within_the_hour_the_words_alone_say_that_nothing_is_added(store: SqliteStore, clock: FixedClock) -> None:
    class Apart:
        """An embedder for which no two texts are alike."""

        name, dimensions = "apart", 64

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.array([self.embed_query(text) for text in texts], np.float32)

        def embed_query(self, text: str) -> NDArray[np.float32]:
            row = np.zeros(64, np.float32)
            row[len(text) % 64] = 1.0
            return row

    palace = Palace(store, clock, Apart())
    longer, shorter = "The old shed by the river is locked tight.", "The old shed by the river is locked."
    palace.remember(longer)
    (fate,) = palace.remember(shorter).fates
    assert (fate.outcome, fate.reason) == ("skipped", "told again within the hour")
    clock.advance(hours=3)
    assert palace.remember(shorter).fates[0].outcome == "stored"
