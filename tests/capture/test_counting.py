"""What is done becomes signals, and a preference that what is done speaks against is flagged."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from bench.shells import missing

from palazzo.capture.counting import counted, language_of, program_of
from palazzo.engine import Engine
from palazzo.model.capability import View
from palazzo.model.raw_event import RawEvent
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.testing.clock import FixedClock

without_git = pytest.mark.skipif(bool(missing("git")), reason="git is not installed")


def ask(engine: Engine, name: str, **given: Any) -> Any:
    return call(engine, Caller(), name, given)


@pytest.mark.parametrize(
    ("path", "language"),
    [("src/hull.py", "Python"), ("hull.RS", "Rust"), ("a/b.tsx", "TypeScript"), ("README", ""), ("photo.jpg", "")],
)
def test_a_file_is_in_the_language_of_its_ending(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("command", "program"),
    [("git diff HEAD~1", "git"), ("sudo /usr/bin/make -j2", "make"), ("CC=clang time make", "make"), ("", "")],
)
def test_a_command_runs_the_program_behind_what_stands_before_it(command: str, program: str) -> None:
    assert program_of(command) == program


def test_a_command_counts_for_its_program_its_group_and_its_words() -> None:
    event = RawEvent(kind="command", source="shell", reference="docker build --tag harbour .", at_us=1)
    assert sorted(counted(event)) == [
        ("keyword_freq", "build", 1), ("keyword_freq", "harbour", 1), ("keyword_freq", "tag", 1),
        ("tool_use", "docker", 1), ("tool_use.containers", "docker", 1),
    ]  # fmt: skip


def test_time_in_front_counts_in_minutes() -> None:
    event = RawEvent(kind="app_activation", source="window", reference="Firefox", at_us=1, metadata={"seconds": 150})
    assert sorted(counted(event)) == [("app_focus", "firefox", 2), ("app_focus.browser", "firefox", 2)]


def repository(folder: Path, clock: FixedClock, commits: dict[str, int]) -> Path:
    """A real repository with so many commits of files with each ending."""
    folder.mkdir()
    now_s = clock.now_us() // 1_000_000
    env = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(folder), "PATH": "/usr/bin:/bin:/usr/local/bin"}

    def git(*words: str, at: int = now_s) -> None:
        dated = {"GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"}
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, env={**env, **dated})

    git("init", "-q", "-b", "main")
    git("config", "user.email", "ada@example.org")
    git("config", "user.name", "Ada")
    number = 0
    for ending, count in commits.items():
        for _ in range(count):
            number += 1
            (folder / f"part{number}.{ending}").write_text(str(number))
            git("add", ".")
            git("commit", "-q", "-m", f"Add part {number}", at=now_s - 3600 - 60 * number)
    return folder


@without_git
def test_a_preference_that_real_commits_speak_against_is_flagged_from_them_alone(
    engine: Engine, clock: FixedClock, tmp_path: Path
) -> None:
    kept = ask(engine, "remember", text="The user prefers Python for everything.", kind="preference").id
    other = ask(engine, "remember", text="I usually go to the harbour on Mondays.").id
    ask(engine, "capture_enable", adapter="git")
    repo = repository(tmp_path / "barge", clock, {"rs": 28, "py": 2})
    assert ask(engine, "capture_git", repository=str(repo)).kept == 30
    assert ask(engine, "capture_git", repository=str(repo)).kept == 0  # told once
    assert engine.jobs.run("capture").report.counts == {"taken": 0, "counted": 30, "flagged": 1}
    assert staleness(engine, kept) > 0.7
    assert staleness(engine, other) < 0.7


def staleness(engine: Engine, memory: Any) -> float:
    return float(ask(engine, "get", memory=str(memory)).staleness)


@without_git
def test_a_language_nobody_committed_in_any_more_counts_as_none(engine: Engine, clock: FixedClock) -> None:
    kept = ask(engine, "remember", text="The user prefers Python for everything.", kind="preference").id
    ask(engine, "capture_enable", adapter="git")
    told = {"languages": {"Rust": 1}, "repository": "/srv/barge"}
    events = [{"kind": "commit", "source": "git", "reference": f"Part {n}", "metadata": told} for n in range(25)]
    assert ask(engine, "capture_events", events=events).kept == 25
    assert engine.jobs.run("capture").report.counts["flagged"] == 1
    assert staleness(engine, kept) > 0.7


@without_git
def test_a_private_repository_is_not_looked_at(engine: Engine, clock: FixedClock, tmp_path: Path) -> None:
    ask(engine, "capture_enable", adapter="git")
    repo = repository(tmp_path / "diary", clock, {"md": 1})
    ask(engine, "capture_private", what="path", pattern=str(repo))
    assert ask(engine, "capture_git", repository=str(repo)).refused == ("private or off",)
    assert not ask(engine, "raw_events")


def test_counts_go_when_nothing_looks_at_them_any_more_and_stand_in_no_archive(
    engine: Engine, clock: FixedClock
) -> None:
    ask(engine, "capture_enable", adapter="shell")
    event = {"kind": "command", "source": "shell", "reference": "grind quernstone", "metadata": {"cwd": "/srv/barge"}}
    ask(engine, "capture_events", events=[event])
    engine.jobs.run("capture")
    assert counts(engine)["keyword_freq"] == {"quernstone": 1}
    noted = [path for path in (engine.folder / "archive").rglob("*") if path.is_file()]
    assert not any(b"quernstone" in path.read_bytes() for path in noted)
    clock.advance(days=40)
    engine.jobs.run("sweep")
    assert counts(engine) == {}


def counts(engine: Engine) -> dict[str, dict[str, int]]:
    with engine.store.reading(View(subject="operator")) as reading:
        return dict(reading.reviews.signals(0, 100_000))
