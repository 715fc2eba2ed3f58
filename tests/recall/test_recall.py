from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.recall.conftest import DAY_US, Room
from tests.scripted_models import FailingEmbedder

from palazzo.belief.conflicts import decide
from palazzo.errors import InvalidInput
from palazzo.model.capability import View
from palazzo.model.change import AddRevision, MoveTag, SetDeprecated, SetState
from palazzo.model.memory import RevisionDraft
from palazzo.model.scope import Scope
from palazzo.recall.read.presets import PRESETS
from palazzo.store.api import Filter
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder


def test_the_memory_with_the_words_of_the_cue_comes_first_and_says_why(room: Room) -> None:
    room.keep("The harbour crane lifts forty tonnes.")
    room.keep("Lunch is at noon.")
    reply = room.ask("How much does the harbour crane lift?")
    best = reply.hits[0]
    assert "crane" in best.text
    assert {"text", "vector"} <= {signal.name for signal in best.signals}
    assert all(signal.rank >= 1 for signal in best.signals)
    assert best.kref.startswith("work/")
    assert best.provenance
    assert reply.quality.mode == "full"
    assert reply.quality.candidates >= 1


def test_the_score_is_the_sum_of_the_signals_shown(room: Room) -> None:
    room.talk("one", [("Olga", "Did the violin arrive?"), ("Piet", "Yes, it came on Monday in one piece.")])
    for hit in room.ask("When did the violin arrive?").hits:
        assert hit.score == pytest.approx(sum(s.value * s.weight for s in hit.signals), abs=0.01)


def test_an_answer_that_shares_no_word_is_found_through_the_question_before_it(room: Room) -> None:
    room.talk("one", [("Olga", "Where did you put the spare key?"), ("Piet", "Under the blue flowerpot.")])
    room.talk("two", [("Olga", "The weather was dreadful."), ("Piet", "It rained all week.")])
    assert "Under the blue flowerpot." in room.texts("Where is the spare key?")[:2]


def test_the_person_named_in_the_cue_is_preferred(room: Room) -> None:
    room.talk("one", [("Olga", "I grew up beside a quarry."), ("Piet", "I grew up beside a quarry too.")])
    assert room.texts("Where did Piet grow up?")[0].endswith("too.")


def test_a_time_named_in_the_cue_lifts_what_is_from_then(room: Room) -> None:
    room.talk("old", [("Olga", "The choir sang in the old hall.")], FixedClock.START_US - 200 * DAY_US)
    room.talk("new", [("Olga", "The choir sang in the new hall.")], FixedClock.START_US - DAY_US)
    assert "new" in room.texts("Where did the choir sing yesterday?")[0]


def test_a_revised_value_is_gone_from_questions_about_now_and_there_for_the_past(room: Room) -> None:
    first = room.keep("My favourite colour is blue.", kind="preference", name="colour")
    before = room.clock.now_us()
    room.clock.advance(days=3)
    room.store.commit(
        [AddRevision(memory_id=first.memory_id, content=RevisionDraft(text="My favourite colour is black."))]
    )
    assert room.texts("favourite colour") == ["My favourite colour is black."]
    assert room.texts("favourite colour", View(as_of_us=before)) == ["My favourite colour is blue."]
    room.store.commit([MoveTag(first.memory_id, "current", 1)])
    assert room.texts("favourite colour") == ["My favourite colour is blue."]


def test_what_no_longer_holds_is_left_out_unless_the_past_is_asked_about(room: Room) -> None:
    room.keep("Olga works at the mill.", valid_to_us=FixedClock.START_US - DAY_US)
    room.keep("Olga works at the library.")
    assert room.texts("Where does Olga work?") == ["Olga works at the library."]
    assert "Olga works at the mill." in room.texts("Where did Olga use to work, originally?")


def test_what_happened_is_found_when_its_time_is_long_over(room: Room) -> None:
    room.keep("We met Olga in Rome in 2019.", kind="event", valid_to_us=FixedClock.START_US - 1000 * DAY_US)
    (hit,) = room.ask("Olga").hits
    assert hit.text == "We met Olga in Rome in 2019."
    assert "held until" not in hit.caveat


def test_a_task_whose_time_is_over_comes_behind_what_still_holds_and_says_so(room: Room) -> None:
    room.keep("Send the tax return for Olga.", kind="task", valid_to_us=FixedClock.START_US - DAY_US)
    room.keep("The mill on the hill has a tax return of its own somewhere, says Olga.")
    first, last = room.ask("Send the tax return for Olga").hits
    assert first.text.startswith("The mill")
    assert last.caveat.startswith("held until")


def test_deprecated_deleted_and_foreign_memories_are_never_candidates(room: Room) -> None:
    gone = room.keep("The depot code is four.")
    room.store.commit([SetDeprecated(gone.memory_id, True)])
    lost = room.keep("The depot code is five.")
    room.store.commit([SetState(lost.memory_id, "deleted")])
    room.keep("The depot code is six.", scope=Scope.of(user="ben"))
    assert room.texts("depot code", View(scope=Scope.of(user="anna"))) == []
    assert room.texts("depot code", View(include_deprecated=True)) == ["The depot code is four."]


def test_writes_of_another_scope_change_none_of_my_scores(room: Room) -> None:
    anna, ben = Scope.of(user="anna"), Scope.of(user="ben")
    for text in ("The kiln needs nine hours.", "The glaze dries overnight.", "A kiln door stays shut."):
        room.keep(text, scope=anna)
    view = View(scope=anna)
    before = [(hit.text, hit.score) for hit in room.ask("How long does the kiln need?", view).hits]
    for number in range(40):
        room.keep(f"The kiln of ben number {number} needs hours and a glaze.", scope=ben)
    assert [(hit.text, hit.score) for hit in room.ask("How long does the kiln need?", view).hits] == before


def test_without_an_embedder_text_answers_and_the_reply_says_so(store: SqliteStore, clock: FixedClock) -> None:
    room = Room(store, clock, None)
    room.keep("The ferry leaves at six.")
    reply = room.ask("When does the ferry leave?")
    assert [hit.text for hit in reply.hits] == ["The ferry leaves at six."]
    assert reply.quality.mode == "text only"
    assert "vector" in dict(reply.quality.dropped)


def test_an_embedder_that_fails_degrades_one_answer_and_is_not_remembered(
    store: SqliteStore, clock: FixedClock
) -> None:
    embedder = FailingEmbedder(HashEmbedder(), failing=False)
    room = Room(store, clock, embedder)
    room.keep("The ferry leaves at six.")
    embedder.failing = True
    assert room.ask("ferry").quality.mode == "text only"
    embedder.failing = False
    assert room.ask("ferry").quality.mode == "full"


def test_a_memory_without_a_vector_is_still_found_by_its_words(room: Room, store: SqliteStore) -> None:
    from palazzo.testing.palace import place_memory

    room.keep("The ferry leaves at six.")
    store.commit([place_memory("The ferry captain is called Jo.")])
    assert "The ferry captain is called Jo." in room.texts("Who is the ferry captain?")


def test_an_answer_is_served_from_memory_until_something_is_written(room: Room) -> None:
    room.keep("The ferry leaves at six.")
    assert not room.ask("ferry").quality.cached
    assert room.ask("ferry").quality.cached
    room.keep("The ferry returns at nine.")
    reply = room.ask("ferry")
    assert not reply.quality.cached
    assert len(reply.hits) == 2


def test_a_cue_that_is_an_address_returns_what_stands_there(room: Room) -> None:
    kept = room.keep("The ferry leaves at six.", name="ferry")
    reply = room.ask("work/ferry.fact")
    assert [hit.memory.id for hit in reply.hits] == [kept.memory_id]
    assert room.ask("kref://palace/work/nothing.fact").hits == ()
    assert room.texts("ferry/boat.fact") == ["The ferry leaves at six."]


def test_a_filter_holds_for_neighbours_too(room: Room) -> None:
    room.talk("one", [("Olga", "Where is the crane?"), ("Piet", "Behind the shed.")])
    room.keep("The crane is yellow.", kind="fact")
    assert room.texts("Where is the crane?", filter=Filter(kinds=("fact",))) == ["The crane is yellow."]


def test_standing_instructions_have_a_lane_when_work_is_asked_for(room: Room) -> None:
    for number in range(12):
        room.keep(f"The login form number {number} has a button and a field.")
    room.keep("Always answer in metric units.", kind="instruction")
    asked = room.ask("Could you show me how to write a login form?")
    assert [hit.text for hit in asked.hits if hit.lane == "instruction"] == ["Always answer in metric units."]
    assert all(hit.lane == "recalled" for hit in room.ask("Where did I put the login form?").hits)


def test_a_budget_decides_how_much_comes_back(room: Room) -> None:
    for number in range(20):
        room.keep(f"The orchard has a row of pear trees, number {number}, planted long ago by the gate.")
    reply = room.ask("pear trees in the orchard", budget_tokens=60)
    assert 0 < reply.quality.tokens <= 60
    assert reply.quality.left_out > 0


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_as_many_hits_come_back_as_were_asked_for_if_there_are_as_many(room: Room, preset: str) -> None:
    for number in range(90):
        room.keep(f"The orchard has a row of pear trees, number {number}, planted long ago by gate {number % 7}.")
    assert len(room.ask("pear trees in the orchard", preset=preset, limit=85).hits) == 85


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_preset_answers(room: Room, preset: str) -> None:
    room.keep("The ferry leaves at six.")
    assert room.texts("ferry", preset=preset) == ["The ferry leaves at six."]


@pytest.mark.parametrize("choice", ["preset", "mode", "fusion", "rerank"])
def test_a_choice_that_does_not_exist_is_refused(room: Room, choice: str) -> None:
    room.keep("The ferry leaves at six.")
    with pytest.raises(InvalidInput):
        room.ask("ferry", **{choice: "no such thing"})


@pytest.mark.parametrize("fusion", ["sum", "rank", "max"])
@pytest.mark.parametrize("rerank", ["none", "mmr", "model"])
def test_fusions_and_rerankings_can_be_combined(room: Room, fusion: str, rerank: str) -> None:
    for word in ("ferry", "crane", "depot"):
        room.keep(f"The {word} opens at six.")
    reply = room.ask("When does the crane open?", fusion=fusion, rerank=rerank)
    assert reply.hits[0].text == "The crane opens at six."
    assert ("model" in dict(reply.quality.dropped)) == (rerank == "model")


def test_an_empty_palace_answers_with_nothing(room: Room) -> None:
    reply = room.ask("anything at all?")
    assert reply.hits == ()
    assert reply.quality.candidates == 0


HOSTILE = [
    '"',
    "NEAR(a b)",
    "a* OR b",
    "%_%",
    "\x00",
    "'; DROP TABLE memory; --",
    "🦊" * 50,
    "猫は可愛い",
    "x" * 100_000,
    "a:b",
    "\ud800",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_cues_are_harmless(room: Room, text: str) -> None:
    room.keep("The ferry leaves at six.")
    room.ask(text)
    assert room.texts("ferry") == ["The ferry leaves at six."]


@given(st.text(max_size=200))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_cue_gets_a_reply(room: Room, text: str) -> None:
    if not len(room.ask("ferry").hits):
        room.keep("The ferry leaves at six.")
    reply = room.ask(text)
    assert len(reply.hits) <= 10
    assert np.isfinite([hit.score for hit in reply.hits]).all()


def test_a_memory_corrected_in_one_context_is_left_out_there_only_and_not_for_ever(room: Room) -> None:
    wrong = room.keep("The red valve feeds the boiler in the old cellar.")
    room.keep("The blue valve feeds the boiler.")
    cue = "which valve feeds the boiler"
    change = room.recall.correct(cue, wrong.memory_id)
    assert change is not None
    room.store.commit([change])
    assert room.texts(cue) == ["The blue valve feeds the boiler."]
    assert "The red valve feeds the boiler in the old cellar." in room.texts("what is in the old cellar")
    room.clock.advance(days=91)
    assert len(room.texts(cue)) == 2


def test_a_turn_whose_statement_was_replaced_is_not_among_the_first_five_for_the_present(room: Room) -> None:
    from palazzo.intake.pipeline import Pipeline
    from palazzo.model.message import Message

    intake = Pipeline(room.store, room.clock, room.spaces, decide)
    told = ["My favourite colour is blue.", "The weather is mild in the valley today.", "My favourite colour is black."]
    told += [f"My favourite colour is discussed in chapter {number} of the green book." for number in range(6)]
    for number, text in enumerate(told):
        room.clock.advance(days=1)
        intake.take([Message(text=text, thread="t", session=str(number), speaker="Olga")], "observe")
    present = room.texts("What is my favourite colour?")
    assert any("black" in text for text in present[:5])
    assert not any("blue" in text for text in present[:5])
    assert any("blue" in text for text in room.texts("What was my favourite colour originally, before it changed?"))
