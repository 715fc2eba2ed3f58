"""What an agent has in mind is there when it comes back: in this process, and in another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from uuid import UUID

import pytest
from msgspec.structs import replace

from palazzo.engine import Engine
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import AddRevision, PurgeMemory, SetDeprecated
from palazzo.model.memory import Memory, RevisionDraft
from palazzo.model.scope import Scope
from palazzo.recall.answer.context import Context, ContextTurn
from palazzo.spaces import Spaces
from palazzo.store.api import Presence
from palazzo.store.sql.memory.lifecycle import left_in_mind
from palazzo.store.sql.port import OpenOptions, StoreOptions, one
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import place_memory

FERRY = "The ferry leaves at six."
ANNA = View(subject="agent:anna", scope=Scope.of(agent="anna"))
BEN = View(subject="agent:ben", scope=Scope.of(agent="ben"))


def engine_on(folder: Path, clock: FixedClock, options: StoreOptions = StoreOptions(upkeep=False)) -> Engine:
    """An engine as a process of its own would have it."""
    store = (SqliteStore.open if (folder / "palace.db").exists() else SqliteStore.create)(folder, clock, options)
    return Engine(store, clock, Spaces(store, HashEmbedder(), "test", lambda _: None))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def engine(tmp_path: Path, clock: FixedClock) -> Iterator[Engine]:
    made = engine_on(tmp_path / "palace", clock)
    office = [place_memory(f"The back office keeps ledger {number}.") for number in range(80)]
    made.store.commit([place_memory(FERRY, name="ferry"), *office])
    yield made
    made.store.close()


def about_the_ferry(engine: Engine, view: View = ANNA) -> None:
    engine.context(ContextTurn(message="When does the ferry leave?", budget_tokens=600), view)


def in_mind(engine: Engine, view: View = ANNA) -> str:
    made = engine.context(ContextTurn(message="I am off to the back office.", budget_tokens=600), view)
    return next(section.text for section in made.sections if section.name == "working")


def kept(engine: Engine, view: View = ANNA) -> list[tuple[Memory, Presence]]:
    with engine.store.reading(view) as reading:
        left = left_in_mind(reading)
    return [] if left is None else list(left.held)


def presence(engine: Engine, view: View = ANNA) -> dict[str, float]:
    """How present each memory is, as it is kept."""
    return {memory.text: one.activation for memory, one in kept(engine, view)}


def rows(engine: Engine) -> int:
    with engine.store.reading(View()) as reading:
        (count,) = one(reading.connection, "SELECT count(*) FROM in_mind")
    return int(count)


def the_ferry(engine: Engine) -> UUID:
    return next(memory.id for memory, _ in kept(engine) if memory.text == FERRY)


def test_the_next_turn_knows_what_the_last_one_recalled(engine: Engine) -> None:
    assert FERRY not in in_mind(engine)
    about_the_ferry(engine)
    assert FERRY in in_mind(engine)


def test_each_agent_comes_back_to_its_own(engine: Engine) -> None:
    about_the_ferry(engine, ANNA)
    assert FERRY not in in_mind(engine, BEN)
    assert FERRY in in_mind(engine, ANNA)
    assert FERRY not in in_mind(engine, replace(ANNA, subject="agent:other"))
    assert FERRY not in in_mind(engine, replace(ANNA, scope=Scope.of(agent="other")))


@pytest.mark.parametrize(("hours", "expected"), [(1, 0.7), (3, 0.7), (5, 0.35), (23, 0.35), (25, None)])
def test_another_process_finds_it_intact_then_faded_then_gone(
    engine: Engine, clock: FixedClock, hours: int, expected: float | None
) -> None:
    about_the_ferry(engine)
    clock.advance(hours=hours)
    other = engine_on(engine.store.folder, clock)
    shown = in_mind(other)
    assert (FERRY in shown) is (expected is not None)
    assert presence(other).get(FERRY) == (None if expected is None else pytest.approx(expected, abs=0.01))
    other.store.close()


def test_who_goes_on_without_a_break_forgets_as_usual(engine: Engine, clock: FixedClock) -> None:
    about_the_ferry(engine)
    clock.advance(minutes=30)
    assert FERRY in in_mind(engine)
    assert presence(engine)[FERRY] == pytest.approx(0.35, abs=0.01)
    clock.advance(hours=2)
    assert FERRY not in in_mind(engine)


def test_who_comes_back_after_another_was_heard_finds_it_as_it_was_left(engine: Engine, clock: FixedClock) -> None:
    about_the_ferry(engine, ANNA)
    in_mind(engine, BEN)
    clock.advance(hours=3)
    assert FERRY in in_mind(engine, ANNA)
    assert presence(engine)[FERRY] == pytest.approx(0.7, abs=0.01)


def test_what_is_no_longer_believed_is_not_in_mind_any_more(engine: Engine) -> None:
    about_the_ferry(engine)
    engine.store.commit([SetDeprecated(the_ferry(engine), True)])
    assert FERRY not in in_mind(engine)


def test_what_is_out_of_reach_now_is_not_in_mind(engine: Engine) -> None:
    bell = "The ferry bell hangs in the loft."
    engine.store.commit([place_memory(bell, place="private.loft")])
    engine.context(ContextTurn(message="Where does the ferry bell hang?", budget_tokens=600), ANNA)
    assert bell in presence(engine)
    narrow = replace(ANNA, reach=(PlaceGlob.parse("work.**"),))
    assert bell not in presence(engine, narrow)
    assert bell not in in_mind(engine, narrow)


def test_what_was_revised_since_is_in_mind_as_it_stands(engine: Engine) -> None:
    about_the_ferry(engine)
    later = RevisionDraft(text="The ferry leaves at seven.")
    engine.store.commit([AddRevision(memory_id=the_ferry(engine), content=later)])
    shown = in_mind(engine)
    assert FERRY not in shown
    assert later.text in shown


def test_what_is_kept_has_no_words(engine: Engine) -> None:
    about_the_ferry(engine)
    with engine.store.reading(ANNA) as reading:
        found = reading.connection.execute("SELECT * FROM in_mind").fetchall()
    assert found
    assert all(isinstance(value, int | float) or value in ("agent:anna", "recall") for row in found for value in row)


def test_a_purge_takes_the_memory_out_of_every_mind(engine: Engine) -> None:
    about_the_ferry(engine)
    before = set(presence(engine))
    engine.store.commit([PurgeMemory(the_ferry(engine))])
    assert set(presence(engine)) == before - {FERRY}
    assert rows(engine) == len(before) - 1


def test_a_user_who_is_forgotten_leaves_nothing_in_mind(engine: Engine) -> None:
    view = View(subject="user:carla", scope=Scope.of(user="carla"))
    about_the_ferry(engine, view)
    assert presence(engine, view)
    engine.erasure.forget_user("carla", "operator")
    assert rows(engine) == 0


def test_a_look_at_the_past_and_work_for_others_leave_the_mind_alone(engine: Engine, clock: FixedClock) -> None:
    clock.advance(hours=1)
    about_the_ferry(engine, replace(ANNA, as_of_us=clock.now_us()))
    engine.context(ContextTurn(message="When does the ferry leave?", budget_tokens=600, purpose="flow"), ANNA)
    assert presence(engine) == {}


def test_a_palace_that_is_only_read_answers_and_keeps_nothing(engine: Engine, clock: FixedClock) -> None:
    options = StoreOptions(upkeep=False, file=OpenOptions(read_only=True))
    reader = engine_on(engine.store.folder, clock, options)
    about_the_ferry(reader)
    assert presence(reader) == {}
    reader.store.close()


def test_an_answer_does_not_wait_for_whoever_writes_and_says_that_nothing_was_kept(
    engine: Engine, clock: FixedClock
) -> None:
    other = engine_on(engine.store.folder, clock)
    made: list[Context] = []

    def meanwhile(_: object) -> None:
        made.append(engine.context(ContextTurn(message="When does the ferry leave?", budget_tokens=600), ANNA))

    other.store.database.write(meanwhile)
    assert FERRY in made[0].text
    assert "in mind" in dict(made[0].reply.quality.dropped)
    assert presence(engine) == {}
    about_the_ferry(engine)
    assert FERRY in presence(engine)
    other.store.close()


def test_a_thread_that_writes_does_not_hold_up_an_answer_of_the_same_process(engine: Engine) -> None:
    made: list[Context] = []

    def ask() -> None:
        made.append(engine.context(ContextTurn(message="When does the ferry leave?", budget_tokens=600), ANNA))

    def meanwhile(_: object) -> None:
        asking = Thread(target=ask)
        asking.start()
        asking.join()

    engine.store.database.write(meanwhile)
    assert "in mind" in dict(made[0].reply.quality.dropped)


def test_a_mind_is_written_once_a_minute_and_at_the_end(engine: Engine, clock: FixedClock) -> None:
    in_mind(engine)
    clock.advance(seconds=10)
    about_the_ferry(engine)
    assert FERRY not in presence(engine), "not written yet"
    assert FERRY in in_mind(engine), "but at hand"
    engine.close()
    other = engine_on(engine.store.folder, clock)
    assert FERRY in presence(other)
    other.close()


def test_what_another_process_kept_later_is_what_is_in_mind(engine: Engine, clock: FixedClock) -> None:
    in_mind(engine)
    clock.advance(minutes=2)
    other = engine_on(engine.store.folder, clock)
    about_the_ferry(other)
    other.close()
    clock.advance(seconds=1)
    assert FERRY in in_mind(engine)
