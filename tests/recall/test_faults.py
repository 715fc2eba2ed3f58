"""When a part is late, missing, warming up or handed nonsense: the answer is there and says what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from numpy.typing import NDArray
from tests.recall.conftest import Room

from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.recall import recall as pipeline
from palazzo.recall.answer.context import ContextTurn
from palazzo.recall.find.gather import LATE
from palazzo.recall.read import presets
from palazzo.recall.read.cue import Cue
from palazzo.recall.talk.dialogue import Dialogue
from palazzo.store.api import Filter, Space
from palazzo.store.index.vector import blocks as vector_blocks
from palazzo.store.index.vector import flush as vector_flush


class Stopwatch:
    """A clock of seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class SlowMeaning:
    """An embedder that takes as long as it is told."""

    def __init__(self, room: Room, watch: Stopwatch, seconds: float) -> None:
        self._room, self._watch, self._seconds = room, watch, seconds

    def query(self, cue: str, known: Sequence[Space] | None = None) -> tuple[str, NDArray[np.float32] | None, str]:
        self._watch.now += self._seconds
        return self._room.spaces.query(cue, known)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Stopwatch:
    made = Stopwatch()
    monkeypatch.setattr(pipeline, "perf_counter", made)
    return made


@pytest.mark.parametrize("preset", list(presets.PRESETS))
def test_branches_after_a_slow_one_are_dropped_and_named(room: Room, watch: Stopwatch, preset: str) -> None:
    room.keep("The heron nests by the lake.")
    slow = SlowMeaning(room, watch, presets.preset(preset).deadline_s + 1)
    reply = room.recall.recall(Cue(text="how do I find the heron?", preset=preset), View(), slow)
    dropped = dict(reply.quality.dropped)
    assert [hit.text for hit in reply.hits] == ["The heron nests by the lake."]
    assert {"vector", "vector of knowledge", "instructions"} <= dropped.keys()
    assert {dropped[name] for name in ("vector", "vector of knowledge", "instructions")} == {LATE}
    assert reply.quality.mode == "degraded"


def test_in_time_nothing_is_dropped(room: Room, watch: Stopwatch) -> None:
    room.keep("The heron nests by the lake.")
    reply = room.recall.recall(Cue(text="heron"), View(), SlowMeaning(room, watch, 0.1))
    assert reply.quality.dropped == ()
    assert reply.quality.mode == "full"


def test_an_answer_that_was_cut_short_is_not_remembered(room: Room, watch: Stopwatch) -> None:
    room.keep("The heron nests by the lake.")
    hurried = replace(presets.preset("balanced"), deadline_s=-1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presets, "PRESETS", {"balanced": hurried})
        late = room.ask("heron")
    assert late.hits == ()
    assert {why for _, why in late.quality.dropped} == {LATE}
    assert room.texts("heron") == ["The heron nests by the lake."]


def test_an_index_that_is_warming_up_answers_like_one_that_is_ready(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_flush, "LISTS_AT", 32)
    monkeypatch.setattr(vector_blocks, "FLUSH_AT", 16)
    for number in range(48):
        room.keep(f"The heron number {number} nests by the lake in year {number % 7}.")
    cues = [f"heron number {number}" for number in (3, 17, 40)]
    fresh = [room.texts(cue, limit=5) for cue in cues]
    room.store.upkeep.run()
    assert [room.texts(cue, limit=5) for cue in cues] == fresh
    for number in (3, 17, 40):
        assert f"number {number} " in room.texts(f"heron number {number}")[0]


signs = st.text(
    st.one_of(st.sampled_from("\"'%*()[]{}:^~+-&|!\\/\x00\n\t<>@#$€漢字ไทย🙂👩‍👩‍👧\u202e\ud800"), st.characters()),
    max_size=80,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=signs, speaker=signs, thread=signs, author=signs)
def test_any_string_anywhere_in_a_cue_is_data(room: Room, text: str, speaker: str, thread: str, author: str) -> None:
    if not room.texts("heron"):
        room.keep("The heron nests by the lake.")
    wanted = Filter(glob=PlaceGlob.parse("work.**"), kinds=("fact",), author=author)
    for cue in (
        Cue(text=text, speaker=speaker, thread=thread), Cue(text=f"heron {text}", preset="deep", thread=thread),
        Cue(text=text, filter=wanted), Cue(text=f'heron" OR "{text}', rerank="mmr"),
    ):  # fmt: skip
        reply = room.recall.recall(cue, View())
        assert reply.quality.mode in ("full", "text only", "degraded")
    assert room.texts("heron") == ["The heron nests by the lake."]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=signs)
def test_any_message_gets_a_context(room: Room, message: str) -> None:
    made = Dialogue(room.recall, room.spaces, room.clock).context(
        ContextTurn(message=message, model="gpt-4", budget_tokens=1000), View()
    )
    assert made.tokens <= made.budget_tokens


def test_a_cue_of_a_hundred_kilobytes_is_answered(room: Room, tmp_path: Path) -> None:
    room.keep("The heron nests by the lake.")
    assert room.texts("heron " * 17_000) == ["The heron nests by the lake."]


class Ticking:
    """A clock that moves a little each time somebody looks at it: work takes time."""

    def __init__(self, seconds: float) -> None:
        self.now, self._seconds = 0.0, seconds

    def __call__(self) -> float:
        self.now += self._seconds
        return self.now


def test_a_branch_that_is_at_work_when_the_deadline_passes_stops_and_is_named(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_blocks, "FLUSH_AT", 16)
    for number in range(400):
        room.keep(f"The heron number {number} nests by the lake.")
        if number % 20 == 19:
            room.store.upkeep.run()
    calm = Ticking(0.0)
    monkeypatch.setattr(pipeline, "perf_counter", calm)
    assert room.ask("heron").quality.mode == "full"
    deadline_s = presets.preset("balanced").deadline_s
    seen: set[tuple[str, ...]] = set()
    for looks in range(4, 60, 2):
        monkeypatch.setattr(pipeline, "perf_counter", Ticking(deadline_s / looks))
        reply = room.ask(f"heron {looks}")
        dropped = dict(reply.quality.dropped)
        assert set(dropped.values()) <= {LATE}
        lost = set(dropped) - {"instructions"}
        assert reply.quality.mode == ("full" if not lost else "text only" if lost == {"meaning"} else "degraded")
        seen.add(tuple(sorted(set(dropped) & {"text", "vector of knowledge"})))
        if "text of knowledge" not in dropped:
            assert len(reply.hits) == 10
    assert ("vector of knowledge",) in seen, "the vector search began in time and did not end in time"
