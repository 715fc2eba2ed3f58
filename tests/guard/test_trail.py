"""The audit trail: every write, gated read and denial has its line, the chain holds, and no line carries content."""

from __future__ import annotations

import json
import logging
import random
import string
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from palazzo.engine import Engine
from palazzo.errors import DiskFull, NotPermitted, PalazzoError, RateLimited
from palazzo.guard import trail as trails
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.registry import OPERATIONS
from palazzo.store.api import AuditLine
from palazzo.store.sql.guard import audit
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import options_for

Ask = Callable[..., Any]
PORT = "The Heron server listens on port 8080."


def lines(ask: Ask, **wanted: Any) -> list[Any]:
    return list(ask("audit_list", **wanted))


def test_a_gated_read_has_a_line_with_who_what_capability_ids_and_a_hash_of_the_question(
    ask: Ask, clock: FixedClock
) -> None:
    made = ask("remember", text=PORT, place="work.projects").id
    ask("recall", "agent:primary", cue="Heron server port", place="work.**")
    ask("recall", "agent:primary", cue="Heron server port")
    ask("recall", "agent:primary", cue="another question")
    other, again, first = lines(ask, subject="agent:primary", action="recall")
    assert (first.at, first.decision, first.place, first.capability) == (
        clock.now(),
        "allowed",
        "work.**",
        "read_public",
    )
    assert json.loads(first.detail) == {"ids": [str(made)]}
    assert first.query == again.query
    assert first.query
    assert other.query != first.query
    assert "Heron" not in repr((first, again, other))


def test_a_denial_is_on_disk_before_its_caller_hears_of_it(engine: Engine, ask: Ask, clock: FixedClock) -> None:
    with pytest.raises(NotPermitted):
        ask("remember", "shell:zsh", text=PORT, place="life.notes")
    with (
        SqliteStore.open(engine.store.folder, clock, options_for("sqlite")) as other,
        other.database.read() as connection,
    ):
        ((_, line),) = audit.lines(connection, 1)
    assert (line.subject, line.action, line.decision) == ("shell:zsh", "remember", "denied")
    assert (line.place, line.capability) == ("life.notes", "write")


def test_reads_wait_in_a_buffer_that_closing_writes(engine: Engine, ask: Ask, clock: FixedClock) -> None:
    ask("list", "agent:primary")
    with engine.store.database.read() as connection:
        assert audit.lines(connection) == ()
    engine.close()
    with (
        SqliteStore.open(engine.store.folder, clock, options_for("sqlite")) as other,
        other.database.read() as connection,
    ):
        assert [line.action for _, line in audit.lines(connection)] == ["list"]
        assert audit.verify(connection) == []


def test_a_full_buffer_is_written_by_itself(engine: Engine, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails, "LARGEST", 3)
    for _ in range(3):
        ask("list", "agent:primary")
    with engine.store.database.read() as connection:
        assert len(audit.lines(connection)) == 3


def test_a_line_that_waits_is_written_in_the_background(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails, "FLUSH_AFTER_S", 0.0)
    trail = trails.Trail(engine.store, in_background=True)
    trail.note(AuditLine(at_us=1, subject="agent:a", action="recall"))
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
    with engine.store.database.read() as connection:
        assert [line.subject for _, line in audit.lines(connection)] == ["agent:a"]
    trail.close()


def test_lines_that_cannot_be_written_wait_and_a_loss_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_job: Any) -> None:
        raise DiskFull("the disk is full")

    monkeypatch.setattr(trails, "LARGEST", 2)
    monkeypatch.setattr(trails, "MOST", 3)
    trail = trails.Trail(engine.store, in_background=False)
    with monkeypatch.context() as broken:
        broken.setattr(engine.store.database, "write", full)
        for number in range(5):
            trail.note(AuditLine(at_us=number, subject="agent:a", action="recall"))
        with pytest.raises(DiskFull):
            trail.flush()
    trail.flush()
    with engine.store.database.read() as connection:
        found = [line for _, line in audit.lines(connection)][::-1]
        assert audit.verify(connection) == []
    assert found[0].decision == "lost"
    assert json.loads(found[0].detail or "") == {"lines": 2}
    assert [line.at_us for line in found[1:]] == [2, 3, 4]


def test_calls_that_came_too_often_are_one_line_with_their_number(ask: Ask) -> None:
    for _ in range(20):
        ask("list", "mcp:new")
    for _ in range(7):
        with pytest.raises(RateLimited):
            ask("list", "mcp:new")
    (line,) = lines(ask, decision="limited")
    assert json.loads(line.detail) == {"times": 7}


def test_the_operators_reads_are_not_gated_and_its_writes_are_written_down(ask: Ask) -> None:
    ask("remember", text=PORT)
    ask("list")
    assert {line.action for line in lines(ask, subject="operator")} >= {"remember"}
    assert not lines(ask, action="list")


def test_lines_are_found_by_subject_action_decision_place_and_time(ask: Ask, clock: FixedClock) -> None:
    ask("list", "agent:primary", place="work")
    clock.advance(minutes=1)
    later = clock.now()
    ask("list", "shell:zsh")
    assert [line.subject for line in lines(ask, action="list")] == ["shell:zsh", "agent:primary"]
    assert [line.subject for line in lines(ask, action="list", place="work")] == ["agent:primary"]
    assert [line.subject for line in lines(ask, action="list", after=later)] == ["shell:zsh"]
    assert [line.subject for line in lines(ask, action="list", before=later)] == ["agent:primary"]
    assert len(lines(ask, action="list", limit=1)) == 1


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("UPDATE audit SET subject = 'mallory' WHERE id = 2", "line 2 was altered"),
        ("UPDATE audit SET detail = '{}' WHERE id = 2", "line 2 was altered"),
        ("DELETE FROM audit WHERE id = 2", "line 2 is missing"),
        ("DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)", "is missing"),
    ],
)
def test_a_line_that_was_removed_or_altered_is_found(engine: Engine, ask: Ask, harm: str, said: str) -> None:
    ask("remember", text=PORT)
    for _ in range(3):
        ask("recall", "agent:primary", cue="Heron port")
    with pytest.raises(NotPermitted):
        ask("list", "stranger")
    assert ask("audit_verify").clean
    engine.store.database.write(lambda connection: connection.execute(harm) and None)
    verified = ask("audit_verify")
    assert not verified.clean
    assert said in verified.problems[0]


def test_no_content_reaches_the_audit_trail_or_the_log(
    engine: Engine, ask: Ask, caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.chdir(tmp_path)  # an export writes where its content says
    source = random.Random(7)

    def word() -> str:
        return "".join(source.choices(string.ascii_letters + string.digits, k=14))

    told: list[str] = []

    def content() -> str:
        words = [word() for _ in range(4)]
        told.extend(words)
        return " ".join(words)

    subjects = ("operator", "agent:primary", "mcp:new", "shell:zsh", "stranger")
    memory = str(ask("remember", text=content()).id)
    for declared in OPERATIONS:
        if declared.name in ("backup", "vault_protect", "vault_unlock", "token_create", "grant", "plan", "tag", "move"):
            continue  # their texts are names and places, not content
        for subject in subjects:
            given: dict[str, Any] = {}
            for parameter in declared.parameters:
                if parameter.of_scope or not (parameter.required or parameter.name in ("place", "session")):
                    continue
                if parameter.name in ("notes", "turns"):
                    given[parameter.name] = [content()]
                elif parameter.name == "memory" and source.random() < 0.5:
                    given[parameter.name] = memory
                else:
                    given[parameter.name] = content()
            with suppress(PalazzoError):
                call(engine, Caller(subject=subject), declared.name, given)
    engine.guard.trail.flush()
    with engine.store.database.read() as connection:
        kept = repr(connection.execute("SELECT * FROM audit").fetchall()).lower()
    assert len(told) > 200
    assert not [word for word in told if word.lower() in kept]
    assert not [word for word in told if word.lower() in caplog.text.lower()]
