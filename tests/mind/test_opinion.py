"""What a language model says in a dream: it is asked, guarded like any rule, and gone without when it fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scripted_models import Scripted, ScriptedCompleter

from palazzo import Memory
from palazzo.errors import PartUnavailable
from palazzo.operations.dream.spec import Dreamt
from palazzo.ports import CompletionRequest, JsonValue
from palazzo.testing.clock import FixedClock


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", clock=clock, embedder="none", upkeep=False, durable=False) as made:
        yield made


def dreamt(memory: Memory, name: str, *replies: Scripted) -> tuple[Dreamt, ScriptedCompleter]:
    memory.setting_put("dream_passes", f"{name}=on")
    model = ScriptedCompleter(replies)
    memory.engine.dream_completer = lambda: model
    return memory.dream(only=(name,)), model


def everything(request: CompletionRequest) -> JsonValue:
    """The answer of a model that would keep nothing."""
    shown = request.prompt.count("\n[")
    return {"given_up": [{"number": number, "reason": "no_value"} for number in range(1, shown + 1)]}


def test_a_model_that_wants_everything_gone_gets_half_with_a_warning_and_nothing_published(memory: Memory) -> None:
    ids = [
        memory.remember(f"Crate {n} holds {n + 3} lamps.", pinned=False, kind="context", importance=0.2).id
        for n in range(8)
    ]
    vouched = [str(ids[0]), str(ids[1])]
    memory.tag(vouched[0], "published")
    memory.tag(vouched[1], "approved")
    made, model = dreamt(memory, "assess", everything)
    states = [step.state for step in made.steps]
    assert (states.count("made"), states.count("held back")) == (4, 2)
    assert any("held back" in note for note in made.notes)
    assert "2 were held back" in made.markdown
    left = {one.id for one in memory.list(limit=100)}
    assert {*ids[:2]} <= left
    assert len(left) == 4
    assert all("says scripted" in step.why for step in made.steps)
    assert "Crate 1 " not in model.requests[0].prompt  # what is vouched for is not even asked about
    memory.undo(str(made.id))
    assert {one.id for one in memory.list(limit=100)} == {*ids}


def test_a_model_is_never_shown_what_is_pinned_and_a_run_without_it_goes_on(memory: Memory) -> None:
    memory.remember("The lamps are insured with Nordstern.")
    memory.remember("Crate 3 holds six lamps.", pinned=False, kind="context", importance=0.2)
    made, model = dreamt(memory, "assess", PartUnavailable("it is away", part="completer"))
    assert "Nordstern" not in model.requests[0].prompt
    assert [step.state for step in made.steps] == ["failed"]
    assert "it is away" in made.markdown
    assert len(memory.list(limit=10)) == 2


def test_a_day_is_told_in_a_models_words_unless_they_bring_in_what_nobody_said(
    memory: Memory, clock: FixedClock
) -> None:
    for text in ("The mill in Leeds was sold for 90 crowns.", "Marta decided to keep the barn.", "The roof leaks."):
        memory.remember(text)
    clock.advance(days=1)
    told: JsonValue = {"text": "Marta keeps the barn; the mill in Leeds went for 90 crowns, and the roof leaks."}
    made, _ = dreamt(memory, "summaries", told)
    (one,) = memory.summaries()
    assert "Marta keeps the barn; the mill" in one.text
    memory.undo(str(made.id))
    dreamt(memory, "summaries", {"text": "Marta sold the mill in Leeds to Bruno for 95 crowns."})
    (one,) = memory.summaries()
    assert "Bruno" not in one.text
    assert "Marta decided to keep the barn" in one.text
