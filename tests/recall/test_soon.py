"""An embedder that is elsewhere is waited for beside the searches, and no longer than there is time."""

from __future__ import annotations

from threading import Event

import numpy as np
from numpy.typing import NDArray
from tests.recall.conftest import Room

from palazzo.model.capability import View
from palazzo.recall.find.gather import TOO_LATE, Soon
from palazzo.recall.read.cue import Cue
from palazzo.recall.recall import Aids, Recall

Answer = tuple[str, NDArray[np.float32] | None, str]


def test_an_answer_in_time_is_the_answer() -> None:
    asked = Soon().ask(lambda cue: (cue, None, "no vector"), "heron", lambda: 5.0)
    assert asked("heron") == ("heron", None, "no vector")
    assert asked("another") == ("another", None, "no vector")


def test_an_embedder_that_hangs_leaves_the_words_and_is_named(room: Room) -> None:
    room.keep("The heron stands in the reeds.")
    let_go = Event()

    class Hanging:
        def query(self, cue: str, _known: object = None) -> Answer:
            let_go.wait()
            return cue, None, "late"

    recall = Recall(room.store, room.clock, Hanging(), Aids(remote=True))
    try:
        reply = recall.recall(Cue(text="Where is the heron?", preset="fast"), View())
    finally:
        let_go.set()
    assert [hit.text for hit in reply.hits] == ["The heron stands in the reeds."]
    assert reply.quality.mode == "text only"
    assert ("vector", TOO_LATE) in reply.quality.dropped


def test_an_embedder_elsewhere_answers_as_one_here(room: Room) -> None:
    room.keep("The heron stands in the reeds.")
    recall = Recall(room.store, room.clock, room.spaces, Aids(remote=True))
    reply = recall.recall(Cue(text="Where is the heron?"), View())
    assert reply.quality.mode == "full"
    assert reply.hits[0].signals == room.ask("Where is the heron?").hits[0].signals
