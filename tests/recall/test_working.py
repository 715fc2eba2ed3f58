from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palazzo.recall.talk.working import HOUR_US, MOST_SLOTS, Heard, SensoryBuffer, WorkingMemory

NOW = 1_000 * HOUR_US


def test_the_buffer_keeps_the_last_twenty_turns_in_order() -> None:
    buffer = SensoryBuffer()
    for number in range(25):
        buffer.hear(Heard("olga", str(number), number))
    assert [turn.text for turn in buffer.last()] == [str(number) for number in range(5, 25)]
    assert [turn.text for turn in buffer.last(2)] == ["23", "24"]


def test_the_faintest_slot_falls_out_when_there_is_no_room() -> None:
    working = WorkingMemory(2)
    working.hold("a", "a", 1, NOW)
    working.hold("b", "b", 1, NOW + HOUR_US)
    working.hold("c", "c", 1, NOW + HOUR_US)
    assert {slot.ref for slot in working.held(NOW + HOUR_US)} == {"b", "c"}


def test_use_keeps_a_slot_in_mind_that_would_have_faded() -> None:
    working = WorkingMemory()
    working.hold("used", "x", 1, NOW)
    working.hold("left", "y", 1, NOW)
    for hours in range(1, 4):
        working.use("used", NOW + hours * HOUR_US)
    assert [slot.ref for slot in working.held(NOW + 3 * HOUR_US)] == ["used"]


def test_slots_come_back_intact_within_four_hours_faded_within_a_day_and_not_after() -> None:
    working = WorkingMemory()
    working.hold("a", "a", 3, NOW, 0.8)
    saved = working.save(NOW)
    found = {}
    for hours in (3, 10, 30):
        again = WorkingMemory()
        state = again.restore(saved, NOW + hours * HOUR_US)
        found[state] = [round(slot.activation, 1) for slot in again.held(NOW + hours * HOUR_US)]
    assert found == {"intact": [0.8], "decayed": [0.4], "fresh": []}


def test_a_change_of_topic_returns_what_was_held() -> None:
    working = WorkingMemory()
    working.hold("a", "a", 1, NOW)
    assert [slot.ref for slot in working.clear(NOW)] == ["a"]
    assert working.held(NOW) == ()


@given(
    st.lists(st.tuples(st.sampled_from("abcdefghijklmnop"), st.integers(0, HOUR_US)), max_size=60), st.integers(1, 20)
)
def test_there_are_never_more_than_nine_slots(held: list[tuple[str, int]], size: int) -> None:
    working = WorkingMemory(size)
    for ref, delay in held:
        working.hold(ref, ref, 1, NOW + delay)
    assert len(working.held(NOW)) <= min(size, MOST_SLOTS)
