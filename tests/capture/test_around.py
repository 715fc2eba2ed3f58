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


def test_of_a_burnt_source_no_word_is_left_in_any_file(engine: Engine, clock: FixedClock) -> None:
    going_on(engine, clock)
    event = {"kind": "command", "source": "shell", "reference": "grind quernstone", "metadata": {"cwd": "/srv/site"}}
    ask(engine, "capture_events", events=[event])
    engine.jobs.run("capture")
    made = ask(engine, "remember", text=SAID)
    assert "grind quernstone" in ask(engine, "why", memory=str(made.id)).text
    assert [name for name in files_with(engine, b"quernstone") if name.endswith(".changes")], "it stands in the archive"
    rows = ask(engine, "burn", source="shell", yes=True).rows
    assert (rows["raw_event"], rows["provenance_node"]) == (3, 1)
    assert rows["signal"], "the words that were counted go, too"
    assert files_with(engine, b"quernstone") == []
    assert files_with(engine, b"explore.html"), "what other adapters saw stays"
    assert engine.store.care.verify() == []


def files_with(engine: Engine, word: bytes) -> list[str]:
    found = (path for path in engine.folder.rglob("*") if path.is_file())
    return [path.name for path in found if word in path.read_bytes()]
