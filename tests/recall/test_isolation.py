"""Another tenant's writes change nothing in my answers: order, scores and reasons stay the same, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.recall.conftest import Room

from palazzo.model.capability import View
from palazzo.model.change import Attachments
from palazzo.model.scope import Scope
from palazzo.testing.palace import place_memory

MINE = Scope.of(user="anna")
WORDS = ("heron", "lake", "boat", "harbour", "storm", "rope", "lamp", "keeper", "tide", "gull")
FOREIGN = 5_000


def sentence(number: int) -> str:
    return " ".join(WORDS[(number * step + step) % len(WORDS)] for step in (1, 3, 7)) + f" {number % 40}"


def everything(room: Room) -> list[Any]:
    found = []
    for number in range(0, 60, 3):
        reply = room.ask(f"what about the {sentence(number)}?", View(scope=MINE), limit=20)
        hits = [(hit.memory.id, hit.score, hit.signals, hit.trust, hit.lane) for hit in reply.hits]
        found.append((hits, reply.quality.candidates, reply.quality.mode))
    return found


def test_thousands_of_foreign_memories_change_no_score_of_mine(room: Room) -> None:
    for number in range(60):
        room.keep(sentence(number), scope=MINE)
    before = everything(room)
    assert before[0][0]
    random = np.random.default_rng(5)
    (space,) = room.spaces.embed(["x"]).by_space
    size = len(room.spaces.embed(["x"]).by_space[space][0])
    for tenant in range(5):
        vectors = random.normal(size=(FOREIGN // 5, size)).astype(np.float32)
        room.store.commit([
            place_memory(
                sentence(number), scope=Scope.of(user=f"other-{tenant}"),
                attachments=Attachments(vectors={space: vectors[number]}),
            )
            for number in range(FOREIGN // 5)
        ])  # fmt: skip
    assert everything(room) == before
    room.store.upkeep.run()
    assert everything(room) == before
