"""The gate comes before the capture: what is closed is not looked at, and what a shell sees says so at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from palazzo.capture.gate import CaptureRules, Gate
from palazzo.engine import Engine
from palazzo.errors import InvalidInput
from palazzo.model.raw_event import RawEvent
from palazzo.model.zone import moment
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.store.api import AuditFilter


def ask(engine: Engine, name: str, **given: Any) -> Any:
    return call(engine, Caller(), name, given)


def tell(engine: Engine, text: str, cwd: str = "/srv/barge") -> Any:
    event = {"kind": "command", "source": "shell", "reference": text, "metadata": {"cwd": cwd}}
    return ask(engine, "capture_events", events=[event])


def marks(engine: Engine) -> list[str]:
    assert engine.runtime is not None
    return sorted(one.name for one in engine.runtime.glob("*.open"))


def test_nothing_is_captured_before_an_adapter_is_switched_on(engine: Engine) -> None:
    assert tell(engine, "make").refused == ("adapter is off",)
    assert marks(engine) == []
    assert not ask(engine, "raw_events")


def test_what_is_told_by_an_adapter_that_is_on_is_kept(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    assert tell(engine, "make").kept == 1
    (seen,) = ask(engine, "raw_events")
    assert (seen.reference, seen.source, seen.metadata["cwd"]) == ("make", "shell", "/srv/barge")
    (adapter,) = [one for one in ask(engine, "capture_status").adapters if one.name == "shell"]
    assert (adapter.on, adapter.events, adapter.last) == (True, 1, seen.at)


def test_a_pause_takes_the_mark_away_that_shells_look_for_and_a_resume_gives_it_back(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    assert marks(engine) == ["shell.open"]
    ask(engine, "pause")
    assert marks(engine) == []
    assert tell(engine, "make").refused == ("paused",)
    assert not ask(engine, "raw_events")
    ask(engine, "resume")
    assert marks(engine) == ["shell.open"]
    assert tell(engine, "make").kept == 1


def test_a_changed_list_gives_shells_another_stamp_so_that_they_read_it_anew(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    assert engine.runtime is not None
    (before,) = engine.runtime.glob("*.stamp")
    ask(engine, "capture_private", what="command", pattern="diary")
    (after,) = engine.runtime.glob("*.stamp")
    assert before != after
    assert "c:diary *" in (engine.runtime / "shell.open").read_text().splitlines()


def test_the_mark_is_its_owners_alone(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    assert engine.runtime is not None
    assert engine.runtime.stat().st_mode & 0o777 == 0o700
    assert {one.stat().st_mode & 0o777 for one in engine.runtime.iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("text", "cwd", "kept"),
    [
        ("git diff", "/srv/barge", True),
        ("pass show bank", "/srv/barge", False),
        ("echo x | gpg --decrypt", "/srv/barge", False),
        ("sudo passwd ada", "/srv/barge", False),
        (" echo in secret", "/srv/barge", False),
        ("ls", str(Path("~/.ssh").expanduser()), False),
        ("ls", str(Path("~/.gnupg/private").expanduser()), False),
        ("passion-fruit --help", "/srv/barge", True),
    ],
)
def test_what_is_private_from_the_start_is_not_kept(engine: Engine, text: str, cwd: str, kept: bool) -> None:
    ask(engine, "capture_enable", adapter="shell")
    assert tell(engine, text, cwd).kept == int(kept)


def test_a_private_path_takes_everything_below_it_and_can_be_taken_off_the_list(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    ask(engine, "capture_private", what="path", pattern="/srv/diary")
    assert tell(engine, "ls", "/srv/diary/2026").refused == ("private",)
    assert tell(engine, "ls", "/srv/diaryless").kept == 1
    ask(engine, "capture_private", what="path", pattern="/srv/diary", remove=True)
    assert tell(engine, "ls", "/srv/diary/2026").kept == 1
    with pytest.raises(InvalidInput, match="not on the list"):
        ask(engine, "capture_private", what="path", pattern="/srv/diary", remove=True)


def test_where_only_what_is_allowed_is_captured_everything_else_is_private(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    ask(engine, "capture_allow", what="path", pattern="/srv/barge")
    ask(engine, "capture_only", only=True)
    assert tell(engine, "ls", "/srv/barge/hull").kept == 1
    assert tell(engine, "ls", "/srv").refused == ("private",)


def test_a_command_with_a_secret_in_it_is_refused_as_a_whole_and_the_trail_says_which_class(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    secret = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    (why,) = tell(engine, f"curl -H 'Authorization: token {secret}' host").refused
    assert why.startswith("secret: ")
    lines = [line for _, line in engine.store.audit.lines(wanted=AuditFilter(action="capture"))]
    assert [json.loads(line.detail or "")["decision"] for line in lines] == [why]
    assert secret not in repr(lines)


@pytest.mark.parametrize(
    ("app", "title", "barred"),
    [
        ("KeePassXC", "", True),
        ("Bitwarden", "", True),
        ("my-banking-app", "", True),
        ("firefox", "Harbour news", False),
        ("firefox", "Harbour news — Mozilla Firefox Private Browsing", True),
        ("kit:health", "", True),
    ],
)
def test_password_managers_banks_and_private_windows_are_barred(app: str, title: str, barred: bool) -> None:
    gate = Gate(CaptureRules(adapters=("window",)), paused=False)
    assert gate.bars_app(app, title) is barred
    event = RawEvent(kind="app_activation", source="window", reference=app, at_us=1, metadata={"title": title})
    assert bool(gate.refuses(event)) is barred


@pytest.mark.parametrize("name", ["banking", "kit:health", "password-manager"])
def test_a_locked_kit_is_no_adapter(engine: Engine, name: str) -> None:
    with pytest.raises(InvalidInput):
        ask(engine, "capture_enable", adapter=name)
    assert not Gate(CaptureRules(adapters=(name,)), paused=False).is_open(name)


def test_the_sweep_lets_go_of_events_whose_days_are_over(engine: Engine, clock: Any) -> None:
    ask(engine, "capture_enable", adapter="shell")
    tell(engine, "make")
    clock.advance(days=15)
    tell(engine, "make again")
    engine.jobs.run("sweep")
    assert [one.reference for one in ask(engine, "raw_events")] == ["make again"]


def test_burning_a_source_takes_its_events_and_says_so_first(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    tell(engine, "make")
    assert "1 raw events" in ask(engine, "burn", source="shell").would
    assert ask(engine, "burn", source="shell", yes=True).rows == {"raw_event": 1}
    assert not ask(engine, "raw_events")


def test_burning_a_source_takes_what_shells_left_for_later(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    assert engine.runtime is not None
    waits = {"reference": "make", "at": moment(engine.clock.now_us()).isoformat(), "metadata": {"cwd": "/srv/barge"}}
    (engine.runtime / "spool").write_text(json.dumps(waits) + "\n")
    assert ask(engine, "burn", source="shell", yes=True).rows == {"raw_event": 1}
    engine.jobs.run("capture")
    assert not ask(engine, "raw_events")


def test_burning_everything_leaves_no_event(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    tell(engine, "make")
    assert ask(engine, "burn", everything=True, yes=True).rows["raw_event"] == 1
    assert not ask(engine, "raw_events")


def test_events_are_not_in_the_archive(engine: Engine) -> None:
    ask(engine, "capture_enable", adapter="shell")
    tell(engine, "quernstone --turn")
    found = [path for path in engine.folder.rglob("*") if path.is_file() and path.suffix != ".db"]
    assert not any(b"quernstone" in path.read_bytes() for path in found if "palace.db" not in path.name)
