"""What was done on the machine: kept for days, screened, audited one by one, and gone when it is burnt."""

from __future__ import annotations

import json

from msgspec.structs import replace

from palazzo.guard.erasure import Erasure, everything_of
from palazzo.model.capability import View
from palazzo.model.raw_event import AddRawEvents, PruneRawEvents, RawEvent, RawSelection, RefusedEvent
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import AuditFilter, Selection, Store

ANNA = Scope.of(user="anna")


def command(text: str, at_us: int = 1_000, scope: Scope = GLOBAL, source: str = "shell") -> RawEvent:
    return RawEvent(
        kind="command", source=source, reference=text, at_us=at_us, metadata={"cwd": "/srv/barge"}, scope=scope
    )


def seen(store: Store, view: View = View(subject="operator"), wanted: RawSelection = RawSelection()) -> list[str]:
    with store.reading(view) as reading:
        return [one.reference for one in reading.raw_events.newest(wanted)]


def test_events_come_back_newest_first_with_what_was_told_of_them(store: Store) -> None:
    store.commit([AddRawEvents((command("make", 1_000), command("git diff", 2_000)))])
    with store.reading(View(subject="operator")) as reading:
        last, first = reading.raw_events.newest()
    assert (last.reference, first.reference) == ("git diff", "make")
    assert last.metadata == {"cwd": "/srv/barge"}
    assert store.raw_events.tally() == (("shell", 2, 2_000),)
    assert [one.reference for one in store.raw_events.after(first.number, 10)] == ["git diff"]


def test_events_of_another_scope_are_not_seen(store: Store) -> None:
    store.commit([AddRawEvents((command("make"), command("ls", scope=ANNA)))])
    assert seen(store) == ["make"]
    assert sorted(seen(store, View(subject="anna", scope=ANNA))) == ["ls", "make"]


def test_every_event_leaves_an_audit_line_with_the_decision_and_without_its_words(store: Store) -> None:
    refused = RefusedEvent(kind="command", source="shell", reason="private command", at_us=1)
    store.commit([AddRawEvents((command("make"), command("ls")), (refused,))], subject="operator")
    lines = [line for _, line in store.audit.lines(wanted=AuditFilter(action="capture"))]
    assert [(line.decision, json.loads(line.detail or "")["decision"]) for line in reversed(lines)] == [
        ("allowed", "kept"), ("allowed", "kept"), ("denied", "private command"),
    ]  # fmt: skip
    assert not any("make" in (line.detail or "") for line in lines)
    assert store.audit.verify() == []


def test_an_event_with_an_id_that_comes_again_is_kept_and_noted_once(store: Store) -> None:
    marked = replace(command("make"), metadata={"id": "a1"})
    other = replace(command("make"), metadata={"id": "b2"})
    store.commit([AddRawEvents((marked, other))])
    store.commit([AddRawEvents((marked, command("make")))])
    assert seen(store) == ["make"] * 3
    assert len(list(store.audit.lines(wanted=AuditFilter(action="capture")))) == 3


def test_a_secret_in_an_event_is_taken_out_before_it_is_written(store: Store) -> None:
    secret = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    store.commit([AddRawEvents((command(f"curl -H 'Authorization: token {secret}' host"),))])
    assert secret not in seen(store)[0]


def test_events_older_than_the_bound_are_pruned(store: Store) -> None:
    store.commit([AddRawEvents((command("old", 1_000), command("new", 5_000)))])
    store.commit([PruneRawEvents(2_000)])
    assert seen(store) == ["new"]


def test_numbers_of_events_are_never_used_twice(store: Store) -> None:
    store.commit([AddRawEvents((command("one"),))])
    (one,) = store.raw_events.after(0, 10)
    store.commit([PruneRawEvents(2_000)])
    store.commit([AddRawEvents((command("two"),))])
    (two,) = store.raw_events.after(0, 10)
    assert two.number > one.number


def test_a_burnt_source_takes_its_events_and_leaves_the_others(store: Store) -> None:
    store.commit([AddRawEvents((command("make"), command("deck.py", source="files")))])
    report = Erasure(store, None).burn(Selection(source="shell"), everything_of("operator"))
    assert report.rows == {"raw_event": 1}
    assert seen(store) == ["deck.py"]


def test_a_burnt_stretch_of_time_takes_the_events_in_it(store: Store) -> None:
    store.commit([AddRawEvents((command("old", 1_000), command("new", 5_000)))])
    Erasure(store, None).burn(Selection(after_us=4_000), everything_of("operator"))
    assert seen(store) == ["old"]


def test_a_forgotten_user_takes_the_events_of_their_scope_and_those_that_name_them(store: Store) -> None:
    store.commit([AddRawEvents((command("ls", scope=ANNA), command("ssh anna@host"), command("make")))])
    Erasure(store, None).forget_user("anna", "operator")
    assert seen(store, everything_of("operator")) == ["make"]
