"""Ids carry their time, and each is greater than the last: in threads, after a fork, on a jumpy clock."""

from __future__ import annotations

import multiprocessing
import os
import threading
from uuid import RFC_4122, UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.errors import InvalidInput
from palazzo.model.ids import CLOCK_SLACK_US, new_id, time_of

NOW_US = 1_776_000_000_123_456
LAST_US = (1 << 48) * 1000 - 1

calm = settings(deadline=None)
# Further from each other than the slack, so that no example meets the id of the one before.
instants = st.integers(0, LAST_US // (2 * CLOCK_SLACK_US)).map(lambda step: step * 2 * CLOCK_SLACK_US)


@given(instants, st.integers(0, 9_999))
@calm
def test_an_id_is_a_uuid_of_version_7_that_gives_its_microsecond_back(start_us: int, offset_us: int) -> None:
    new_id(LAST_US if start_us < LAST_US // 2 else 0)
    made = new_id(start_us + offset_us)
    assert (made.version, made.variant) == (7, RFC_4122)
    assert time_of(made) == start_us + offset_us


def test_every_microsecond_of_a_millisecond_survives_the_twelve_bits() -> None:
    start_us = NOW_US + 10 * CLOCK_SLACK_US
    assert [time_of(new_id(start_us + us)) - start_us for us in range(1000)] == list(range(1000))


@given(instants, st.lists(st.integers(-CLOCK_SLACK_US // 100, 100), min_size=2, max_size=40))
@calm
def test_ids_grow_while_the_clock_stands_still_or_steps_back_a_little(start_us: int, steps: list[int]) -> None:
    now_us, made = start_us + CLOCK_SLACK_US, []
    for step in steps:
        now_us += step
        made.append(new_id(now_us))
    assert made == sorted(set(made))


def test_ids_follow_a_clock_that_was_set_back_far() -> None:
    late = new_id(NOW_US + 100 * CLOCK_SLACK_US)
    early = new_id(NOW_US)
    assert early < late
    assert time_of(early) == NOW_US


@pytest.mark.parametrize("random", [b"\xff" * 8, bytes(8), b""])
def test_ids_stay_in_order_whatever_randomness_gives(random: bytes) -> None:
    start_us = NOW_US + 1_000 * CLOCK_SLACK_US
    made = [new_id(start_us, random=random) for _ in range(5)]
    assert made == sorted(set(made))


def test_given_randomness_makes_ids_reproducible() -> None:
    def run() -> list[UUID]:
        new_id(0)
        return [new_id(NOW_US + us, random=bytes(range(8))) for us in (0, 0, 0, 1)]

    assert run() == run()


def test_ids_grow_strictly_across_threads() -> None:
    made: list[list[UUID]] = [[] for _ in range(8)]
    order: list[UUID] = []
    lock = threading.Lock()
    start = threading.Barrier(8)

    def make(own: list[UUID]) -> None:
        start.wait()
        for _ in range(500):
            with lock:
                order.append(new_id(NOW_US))
            own.append(new_id(NOW_US))

    threads = [threading.Thread(target=make, args=(own,)) for own in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(own == sorted(own) for own in made)
    assert order == sorted(order)
    assert len({*order, *(one for own in made for one in own)}) == 8_000


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_makes_other_ids_than_its_parent_even_if_a_thread_held_the_lock() -> None:
    before = new_id(NOW_US)
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        from palazzo.model.ids import _SEQUENCE

        with _SEQUENCE.lock:
            held.set()
            release.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send([new_id(NOW_US, random=bytes(8)) for _ in range(3)]))
    child.start()
    answered = receiver.poll(30)
    release.set()
    holder.join()
    assert answered
    theirs = receiver.recv()
    child.join()
    ours = [new_id(NOW_US, random=bytes(8)) for _ in range(3)]
    assert theirs == sorted(set(theirs))
    assert theirs[0] > before
    assert all(one.variant == RFC_4122 and time_of(one) == time_of(before) + 1 for one in theirs)
    assert not set(theirs) & set(ours)


def test_the_time_of_an_id_made_elsewhere_is_exact_to_the_millisecond() -> None:
    foreign = UUID("019d81d9-607b-7fff-8673-7850d68dde7d")
    assert time_of(foreign) // 1000 == 0x019D81D9607B


@pytest.mark.parametrize("now_us", [-1, LAST_US + 1])
def test_a_time_that_does_not_fit_is_refused(now_us: int) -> None:
    with pytest.raises(InvalidInput):
        new_id(now_us)


def test_an_id_of_another_version_has_no_time() -> None:
    with pytest.raises(InvalidInput):
        time_of(uuid4())
