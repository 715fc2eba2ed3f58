"""A job has one holder at a time, who says how far it is; a dead one's time runs out."""

from __future__ import annotations

import pytest

from palazzo.errors import Conflict
from palazzo.store.api import JobHold, Store
from palazzo.testing.palace import place_memory

MINUTE_US = 60_000_000


def hold(holder: str, now_us: int = 0) -> JobHold:
    return JobHold("sweep", holder, now_us, now_us + MINUTE_US)


def test_one_holder_at_a_time_and_the_next_when_it_ended(store: Store) -> None:
    assert store.jobs.begin(hold("a"), "operator", 5)
    assert not store.jobs.begin(hold("b", 10), "operator", 6)
    assert not store.jobs.go_on(hold("b", 10), "memories", 1, 2)
    store.jobs.end(hold("b", 10), "done", "by b", 7)
    assert store.jobs.every()[0].state == "running"
    store.jobs.end(hold("a", 10), "done", "by a", 8)
    (row,) = store.jobs.every()
    assert (row.name, row.state, row.subject, row.began_us, row.ended_us, row.report) == (
        "sweep", "done", "operator", 5, 8, "by a",
    )  # fmt: skip
    assert store.jobs.begin(hold("b", 20), "mind", 9)
    (row,) = store.jobs.every()
    assert (row.state, row.subject, row.ended_us, row.report) == ("running", "mind", 8, "by a")


def test_the_job_of_a_dead_holder_is_taken_when_its_time_is_over_and_it_comes_too_late(store: Store) -> None:
    assert store.jobs.begin(hold("a"), "mind", 1)
    assert store.jobs.go_on(hold("a", MINUTE_US), "memories", 3, 9)
    assert (store.jobs.every()[0].done, store.jobs.every()[0].total) == (3, 9)
    assert not store.jobs.begin(hold("b", 2 * MINUTE_US), "mind", 2)
    assert store.jobs.begin(hold("b", 2 * MINUTE_US + 1), "mind", 2)
    assert not store.jobs.go_on(hold("a", 3 * MINUTE_US), "memories", 4, 9)


def test_only_a_job_that_runs_is_cancelled_and_it_does_not_go_on(store: Store) -> None:
    assert not store.jobs.cancel("sweep", 0)
    store.jobs.begin(hold("a"), "mind", 1)
    assert not store.jobs.cancel("sweep", MINUTE_US + 1)
    assert store.jobs.cancel("sweep", 1)
    assert store.jobs.every()[0].cancelled
    assert not store.jobs.go_on(hold("a", 1), "memories", 1, 1)
    store.jobs.end(hold("a", 1), "cancelled", "", 2)
    assert store.jobs.begin(hold("b", 3), "mind", 3)
    assert store.jobs.go_on(hold("b", 3), "memories", 1, 1)


def test_what_a_stalled_holder_writes_after_another_took_its_job_is_refused(store: Store) -> None:
    assert store.jobs.begin(hold("a"), "mind", 1)
    with store.jobs.held(hold("a")):
        store.commit([place_memory("The tide table is on the wall.")])
        assert store.jobs.begin(hold("b", MINUTE_US + 1), "mind", 2)
        with pytest.raises(Conflict, match="another process has it now"):
            store.commit([place_memory("The tide table fell down.")])
        with pytest.raises(Conflict):
            store.journal.move_cursor("sweep", 1, 3)
        assert not store.jobs.go_on(hold("a", MINUTE_US + 2), "memories", 1, 1)
        with store.jobs.held(hold("b", MINUTE_US + 2)):
            store.journal.move_cursor("sweep", 1, 3)
    assert (store.journal.last_seq(), store.journal.cursor("sweep")) == (1, 1)
    store.commit([place_memory("Who holds no job writes as ever.")])
    assert store.care.verify() == []
