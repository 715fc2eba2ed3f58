"""Writes that wait together are one transaction: each has its own events and audit line, and one that fails fails
alone."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from palazzo.errors import Conflict, PalazzoError
from palazzo.model.change import Change, Receipt
from palazzo.testing.palace import place_memory

LONGEST_S = 60.0
WRITERS = 6
ENGINES_WITH_TWO_WAYS = ("sqlite", "postgres", "postgres-sealed")


@pytest.fixture(params=ENGINES_WITH_TWO_WAYS)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def at_once(store: Any, changes: list[Change]) -> list[Receipt | Exception]:
    """Commits each change by a thread of its own; all of them wait before the first is written."""
    found: list[Receipt | Exception] = [Conflict("never ran")] * len(changes)

    def commit(place: int) -> None:
        try:
            found[place] = store.commit([changes[place]], subject=f"writer{place}")
        except PalazzoError as error:
            found[place] = error

    threads = [threading.Thread(target=commit, args=(place,)) for place in range(len(changes))]
    with store.database._leading:
        for thread in threads:
            thread.start()
        until = time.monotonic() + LONGEST_S
        while len(store.database._queue) < len(changes) and time.monotonic() < until:
            threading.Event().wait(0.005)
    for thread in threads:
        thread.join(LONGEST_S)
    return found


def test_writes_that_wait_together_have_events_and_audit_lines_of_their_own(store: Any) -> None:
    found = at_once(
        store, [place_memory(f"The kettle number {n} whistles.", place=f"home.k{n}") for n in range(WRITERS)]
    )
    ranges = sorted((receipt.first_seq, receipt.last_seq) for receipt in found if isinstance(receipt, Receipt))
    assert ranges == [(n + 1, n + 1) for n in range(WRITERS)]
    written = {line.subject: (line.first_seq, line.last_seq) for _, line in store.audit.lines()}
    assert written == {f"writer{n}": (r.first_seq, r.last_seq) for n, r in enumerate(found) if isinstance(r, Receipt)}
    assert store.care.verify() == []


def test_one_of_them_that_fails_fails_alone(store: Any) -> None:
    changes: list[Change] = [place_memory(f"The shelf number {n} is full.") for n in range(WRITERS)]
    changes[2:4] = [place_memory("Two want this name.", name="wanted"), place_memory("Both want it.", name="wanted")]
    found = at_once(store, changes)
    assert sorted(type(one).__name__ for one in found) == ["Conflict", *["Receipt"] * (WRITERS - 1)]
    assert isinstance(found[2], Conflict) or isinstance(found[3], Conflict)
    assert store.journal.last_seq() == WRITERS - 1
    assert store.care.verify() == []
