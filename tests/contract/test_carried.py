"""Every engine gives out and takes in every row: a palace carried there and back is the same, and goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from palazzo.model.capability import View
from palazzo.model.change import AddEdge, AddSpace, Attachments
from palazzo.model.graph import Node
from palazzo.model.ids import new_id
from palazzo.model.slip import PutSlip, Slip
from palazzo.porting.carry import carry, compare
from palazzo.store.api import Store, TextSearch
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, place_memory

GUARDED = "Ottoline Brackenbury's passport number is X1234567."


def quiet(*_: Any) -> None:
    """Nobody watches."""


def filled(store: Store) -> None:
    store.commit([AddSpace("tiny", "tiny", 8)])
    made = [
        place_memory(
            f"The {thing} of Skagen was painted.",
            attachments=Attachments(vectors={"tiny": np.eye(8, dtype=np.float32)[number]}),
        )
        for number, thing in enumerate(("mill", "ferry", "chapel", "tower"))
    ]
    store.commit([*made, place_memory(GUARDED)])
    store.commit([AddEdge("supports", Node(made[0].memory_id), Node(made[1].memory_id), metadata={"seen": 3})])
    slip = Slip(id=new_id(FixedClock.START_US), kind="chat", name="quay", subject="operator", state="cleared")
    store.commit([PutSlip(slip)])


def found(store: Store) -> list[tuple[str, float]]:
    with store.reading(View()) as reading:
        hits = reading.search.text(TextSearch(terms=("skagen", "ferri")))
        memories = reading.memories.by_keys([int(key) for key in hits.keys])
        return [
            (memories[int(key)].text, round(float(score), 5)) for key, score in zip(hits.keys, hits.scores, strict=True)
        ]


def told_of_links(store: Store) -> list[Any]:
    with store.reading(View()) as reading:
        hits = reading.search.text(TextSearch(terms=("skagen",)))
        held = reading.memories.by_keys([int(key) for key in hits.keys]).values()
        return [edge.metadata for one in held for edge in reading.edges.of(one.id, "out")]


def test_a_palace_carried_to_an_engine_and_back_is_the_same_and_goes_on(
    tmp_path: Path, store: Store, engine: str
) -> None:
    kind = "sqlite-sealed" if engine.endswith("-sealed") else "sqlite"
    with make_store(tmp_path / "from", kind) as source, make_store(tmp_path / "back", kind) as back:
        filled(source)
        with source.carried.moment() as moment:
            carry(moment, store, quiet)
            digest = compare(moment, store, quiet, exact=True)
        with store.carried.moment() as moment:
            carry(moment, back, quiet)
            assert compare(moment, back, quiet, exact=True) == digest
        assert found(store) == found(source) == found(back) != []
        for one in (store, back):
            one.carried.finish()
            assert one.carried.note() is None
            one.commit([place_memory("The lighthouse of Skagen is new.")])
            assert one.care.verify() == []
            assert told_of_links(one) == [{"seen": 3}]
            assert "The lighthouse of Skagen is new." in [text for text, _ in found(one)]
