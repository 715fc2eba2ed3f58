"""A memory made now is linked to what was going on, without anybody asking."""

from __future__ import annotations

from typing import Any

from palazzo.engine import Engine
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.testing.clock import FixedClock

SAID = "I want this to feel calm: grey, with coral for accents only."


def ask(engine: Engine, name: str, **given: Any) -> Any:
    return call(engine, Caller(), name, given)


def going_on(engine: Engine, clock: FixedClock) -> None:
    for name in ("shell", "files", "window"):
        engine.capture.keeper.change(adapters=(*engine.capture.gate().rules.adapters, name))
    told = [
        {"kind": "app_activation", "source": "window", "reference": "VS Code", "metadata": {"title": "explore.html"}},
        {"kind": "command", "source": "shell", "reference": "ls", "metadata": {"cwd": "/srv/site"}},
        {"kind": "command", "source": "shell", "reference": "git diff HEAD~1", "metadata": {"cwd": "/srv/site"}},
        {"kind": "file", "source": "files", "reference": "/srv/site/explore.html", "metadata": {"change": "modified"}},
    ]
    for one in told:
        ask(engine, "capture_events", events=[one])
        clock.advance(seconds=5)


def test_why_tells_the_file_the_app_the_command_and_the_words(engine: Engine, clock: FixedClock) -> None:
    going_on(engine, clock)
    made = ask(engine, "observe", turns=[{"role": "user", "content": SAID}], thread="design")
    told = ask(engine, "why", memory=str(made.memories[0])).text
    assert "the file /srv/site/explore.html was being edited" in told
    assert "VS Code was in front" in told
    assert "right after the command `git diff HEAD~1` was run" in told
    assert "in the conversation design" in told
    assert SAID in told
    assert "`ls`" not in told


def test_what_was_done_long_before_is_not_around(engine: Engine, clock: FixedClock) -> None:
    going_on(engine, clock)
    clock.advance(minutes=45)
    made = ask(engine, "remember", text=SAID)
    told = ask(engine, "why", memory=str(made.id)).text
    assert "git diff" not in told
    assert "explore.html" not in told


def test_what_one_does_is_not_around_what_another_user_says(engine: Engine, clock: FixedClock) -> None:
    going_on(engine, clock)
    made = ask(engine, "remember", text=SAID, user_id="anna")
    assert "git diff" not in ask(engine, "why", memory=str(made.id), user_id="anna").text


def test_a_burnt_source_goes_from_around_memories_and_the_memory_stays(engine: Engine, clock: FixedClock) -> None:
    going_on(engine, clock)
    made = ask(engine, "remember", text=SAID)
    report = ask(engine, "burn", source="shell", yes=True)
    assert report.rows == {"raw_event": 2, "provenance_node": 1}
    told = ask(engine, "why", memory=str(made.id)).text
    assert "git diff" not in told
    assert "explore.html" in told
    assert engine.store.care.verify() == []
