from __future__ import annotations

from tests.recall.conftest import Room

from palazzo.model.capability import View
from palazzo.model.change import AddRevision
from palazzo.model.memory import RevisionDraft
from palazzo.recall.read.cue import Cue
from palazzo.recall.reason import Reasoning, ReasonLimits, parts_of, reason, timeline
from palazzo.text.words.tokens import estimate_tokens


def think(room: Room, question: str, **limits: int) -> Reasoning:
    return reason(question, lambda part: room.ask(part, limit=3), ReasonLimits(**limits), estimate_tokens)


def test_conjunctive_questions_are_asked_part_by_part() -> None:
    assert parts_of("Where does Olga live and what does Piet build?") == [
        "Where does Olga live?",
        "what does Piet build?",
    ]
    assert parts_of("Did both Olga and Piet see the sea?") == ["Did Olga see the sea?", "Did Piet see the sea?"]
    assert parts_of("Where does Olga live?") == ["Where does Olga live?"]


def test_a_chain_is_followed_through_what_the_first_evidence_names(room: Room) -> None:
    room.keep("Olga's manager is Marguerite Dupont.")
    room.keep("Marguerite Dupont moved her office to Rotterdam.")
    for number in range(8):
        room.keep(f"Olga's note number {number} is about the garden wall.")
    found = think(room, "In which town is the office of Olga's manager?")
    assert any("Rotterdam" in hit.text for hit in found.evidence)
    assert len(found.steps) > 1
    assert found.steps[0].why == "the question"


def test_calls_are_bounded_and_the_end_is_told(room: Room) -> None:
    room.keep("Olga met Marguerite Dupont in Rotterdam.")
    found = think(room, "Where does Olga live and what does Piet build?", calls=1)
    assert len(found.steps) == 1
    assert found.stopped == "the limit of calls"
    assert "piet" in found.missing


def test_the_evolution_of_a_topic_is_a_timeline_with_corrections(room: Room) -> None:
    kept = room.keep("The launch is in March.", name="launch")
    room.clock.advance(days=2)
    room.store.commit([AddRevision(memory_id=kept.memory_id, content=RevisionDraft(text="The launch is in May."))])
    hits = room.recall.recall(Cue(text="launch"), View()).hits
    with room.store.reading(View()) as reading:
        steps = [(change.step, change.text, change.before) for change in timeline(reading, hits)]
    assert steps == [
        ("added", "The launch is in March.", ""),
        ("corrected", "The launch is in May.", "The launch is in March."),
    ]
