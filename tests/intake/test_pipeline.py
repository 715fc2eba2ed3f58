"""Messages go in, memories, links and accounts come out: the pipeline as a whole, through the engine."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from tests.intake.conftest import Palace
from tests.scripted_models import FailingEmbedder

from palazzo.errors import InvalidInput, NotFound, NotPermitted, UnknownKind
from palazzo.intake.values import Policy
from palazzo.model.capability import View
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.store.sql.graph import edges
from palazzo.store.sql.memory import memories
from palazzo.store.sqlite import care
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock

STORY = (
    "Hey! My sister Lena lives in Lisbon. Yesterday we went to Whitby, and I moved to Berlin last month. Cool, right?"
)


def test_an_observed_turn_is_kept_verbatim_and_what_lasts_is_drawn_from_it(palace: Palace) -> None:
    palace.observe(STORY)
    (turn,) = [m for m in palace.memories(turns=True) if m.kind == "exchange"]
    assert turn.text == STORY
    assert turn.place.path == "conversations.talk"
    drawn = {m.kind: m for m in palace.memories()}
    assert drawn["residence"].text.startswith("I moved to Berlin") or "Lena" in drawn["residence"].text
    assert drawn["event"].text == "Yesterday we went to Whitby."


def test_every_word_of_a_turn_has_a_fate(palace: Palace) -> None:
    (intake,) = palace.observe(STORY).intakes
    covered = {at for fate in intake.fates for at in range(fate.start, fate.end)}
    assert {at for at, sign in enumerate(STORY) if sign.isalnum()} <= covered
    assert {fate.outcome for fate in intake.fates} == {"stored", "dropped"}
    assert all(fate.memory_id for fate in intake.fates)


def test_a_drawn_memory_is_derived_from_its_turn_and_names_the_span(palace: Palace) -> None:
    palace.observe(STORY)
    event = next(m for m in palace.memories() if m.kind == "event")
    with palace.store.reading(View()) as reading:
        (edge,) = edges.of(reading, event.id, "out")
        (source,) = edges.sources_of(reading, event.id)
    turn = next(m for m in palace.memories(turns=True) if m.kind == "exchange")
    assert (edge.kind, edge.target.memory_id) == ("derived_from", turn.id)
    assert STORY[source.start : source.end].strip().startswith("Yesterday we went to Whitby")
    assert (source.node.kind, source.stage) == ("conversation", "observe")


def test_turns_stand_in_the_order_of_their_session(palace: Palace) -> None:
    said = [Message(text=f"{name} said so", speaker=name, thread="t", session="s") for name in ("Ann", "Ben", "Ann")]
    palace.observe(*said)
    keys = [m.revision.key for m in palace.memories(turns=True)]
    with palace.store.reading(View()) as reading:
        found = reading.turns.windows(keys, 0, 0)
    seats = sorted(zip(found.keys.tolist(), found.positions.tolist(), found.speakers, strict=True))
    assert [seat[1:] for seat in seats] == [(0, "Ann"), (1, "Ben"), (2, "Ann")]


def test_the_assistants_answer_is_kept_but_nothing_is_drawn_from_it(palace: Palace) -> None:
    result = palace.observe(Message(text="You live in Paris and you love tea.", role="assistant", thread="t"))
    assert palace.memories() == []
    assert [(f.outcome, f.reason) for f in result.fates] == [("stored", "verbatim")]


def test_a_remembered_statement_is_one_memory_word_for_word(palace: Palace) -> None:
    result = palace.remember("I am allergic to peanuts.")
    (memory,) = palace.memories(turns=True)
    assert memory.id == result.memory_ids[0]
    assert (memory.text, memory.kind, memory.place.path) == ("I am allergic to peanuts.", "identity", "life.health")
    assert memory.pinned
    assert memory.revision.content.key_fact == "The user is allergic to peanuts."


def test_a_remembered_text_of_two_facts_becomes_two_memories_and_stays_readable(palace: Palace) -> None:
    palace.remember("We use Rust for the backend and React for the frontend.")
    assert palace.texts() == [
        "We use Rust for the backend.", "We use React for the frontend.",
    ]  # fmt: skip
    assert "We use Rust for the backend and React for the frontend." in palace.texts(turns=True)


@pytest.mark.parametrize("text", ["storks over the river", "What is the wifi name?", "```\nx = 1\n```", "42"])
def test_what_somebody_asked_to_keep_is_kept_whatever_it_is(palace: Palace, text: str) -> None:
    palace.remember(text)
    assert palace.texts() == [text]


def test_a_courtesy_alone_is_not_kept(palace: Palace) -> None:
    result = palace.remember("Hello there!")
    assert palace.texts(turns=True) == []
    assert [f.outcome for f in result.fates] == ["dropped"]


def test_place_kind_name_and_tags_are_taken_as_given(palace: Palace) -> None:
    palace.remember(Message(text="Ship on Tuesdays. Never on Fridays.", place="work.rules", kind="rule", name="ship"))
    (memory,) = palace.memories()
    assert memory.kref.short == "work.rules/ship.rule"
    assert memory.text == "Ship on Tuesdays. Never on Fridays."


def test_the_same_address_again_is_a_revision(palace: Palace) -> None:
    first = Message(text="Ship on Tuesdays.", place="work", kind="rule", name="ship")
    palace.remember(first)
    changed = palace.remember(Message(text="Ship on Mondays.", place="work", kind="rule", name="ship"))
    (memory,) = palace.memories()
    assert (memory.text, memory.revision.number) == ("Ship on Mondays.", 2)
    assert changed.fates[0].reason == "same address"


def test_a_message_sent_twice_within_a_minute_is_taken_in_once(palace: Palace) -> None:
    turn = Message(text="I moved to Oslo.", thread="t", session="s", speaker="Ann")
    first = palace.observe(turn)
    palace.clock.advance(seconds=30)
    again = palace.engine.observe([turn])
    assert again.intakes == first.intakes
    assert again.memory_ids
    assert set(again.memory_ids) <= set(first.memory_ids)
    palace.clock.advance(seconds=61)
    palace.engine.observe([turn])
    assert palace.texts(turns=True).count("I moved to Oslo.") == 2


def test_explain_answers_by_memory_and_by_intake(palace: Palace) -> None:
    result = palace.observe(STORY)
    (intake,) = result.intakes
    assert palace.engine.explain(intake.id) == (intake,)
    for memory_id in result.memory_ids:
        assert palace.engine.explain(memory_id) == (intake,)
    with pytest.raises(NotFound):
        palace.engine.explain(uuid4())


def test_an_account_is_not_shown_to_another_scope(palace: Palace) -> None:
    anna = Scope.of(user="anna")
    result = palace.remember(Message(text="I moved to Oslo.", scope=anna))
    assert palace.engine.explain(result.intakes[0].id, View(scope=anna))
    for asked in (result.intakes[0].id, result.memory_ids[0]):
        with pytest.raises(NotFound):
            palace.engine.explain(asked, View(scope=Scope.of(user="ben")))


def test_a_failing_embedder_loses_nothing_and_is_told(store: SqliteStore, clock: FixedClock) -> None:
    embedder = FailingEmbedder()
    palace = Palace(store, clock, embedder)
    result = palace.observe("I moved to Oslo.")
    assert result.degraded[0].startswith("vectors:")
    assert palace.texts() == ["I moved to Oslo."]
    embedder.failing = False
    assert palace.engine.spaces.backfill() == 2


@pytest.mark.parametrize(
    ("message", "error", "field"),
    [
        (Message(text=""), InvalidInput, "text"),
        (Message(text=" \n\t"), InvalidInput, "text"),
        (Message(text="a\x00b"), InvalidInput, "text"),
        (Message(text="\x1b[31mred"), InvalidInput, "text"),
        (Message(text="half \ud83d"), InvalidInput, "text"),
        (Message(text="x" * 9000), InvalidInput, "text"),
        (Message(text="fine", kind="wonder"), UnknownKind, "kind"),
        (Message(text="fine", place="No Place"), InvalidInput, "address"),
        (Message(text="fine", importance=2.0), InvalidInput, "importance"),
        (Message(text="fine", at_us=-1), InvalidInput, "at_us"),
    ],
)
def test_bad_input_is_named_and_nothing_of_the_call_is_written(
    palace: Palace, message: Message, error: type[InvalidInput], field: str
) -> None:
    with pytest.raises(error) as caught:
        palace.remember("A good one about storks.", message)
    assert caught.value.field == field
    assert palace.texts(turns=True) == []


def test_nothing_is_taken_in_while_paused(store: SqliteStore, clock: FixedClock) -> None:
    with pytest.raises(NotPermitted):
        Palace(store, clock, None, Policy(paused=True)).remember("I moved to Oslo.")


def test_a_palace_filled_by_intake_verifies_clean(palace: Palace) -> None:
    palace.observe(STORY, "I moved to Oslo.", "I like tea.", "I like tea.")
    palace.remember("My name is Anna.", "My name is Hanna.", "We use Rust for the backend and React for the frontend.")
    assert care.verify(palace.store) == []


def test_a_batch_may_come_from_hundreds_of_scopes(palace: Palace) -> None:
    scopes = [Scope.of(user=f"u{n}") for n in range(400)]
    result = palace.remember(*(Message(text="I like tea.", scope=scope) for scope in scopes))
    assert [intake.fates[0].outcome for intake in result.intakes] == ["stored"] * 400
    assert palace.texts(scopes[7]) == ["I like tea."]


def test_writers_at_once_lose_nothing_and_leave_one_belief(palace: Palace) -> None:
    from concurrent.futures import ThreadPoolExecutor

    colours = ["red", "green", "blue", "black", "white", "brown"]
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda c: palace.engine.remember(f"My favourite colour is {c}."), colours))
    assert all(result.stored or result.fates[0].outcome == "skipped" for result in results)
    (memory,) = palace.memories()
    assert set(_history(palace, memory.id)) == {f"My favourite colour is {c}." for c in colours}


def _history(palace: Palace, memory_id: UUID) -> list[str]:
    with palace.store.reading(View()) as reading:
        return [revision.content.text for revision in memories.history(reading, memory_id)]
