"""A lazy value is made once, whoever asks, and a failure is not remembered."""

from __future__ import annotations

import threading

import pytest

from palazzo.files.forks import Lazy


def test_nothing_is_made_before_it_is_asked_for() -> None:
    made: list[int] = []
    lazy = Lazy(lambda: made.append(1))
    assert made == []
    assert not lazy.is_made


def test_many_threads_get_the_one_value_made() -> None:
    made: list[object] = []
    started = threading.Barrier(8)

    def make() -> object:
        made.append(object())
        return made[-1]

    lazy = Lazy(make)
    got: list[object] = []

    def ask() -> None:
        started.wait()
        got.append(lazy.get())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert all(value is made[0] for value in got)
    assert len(got) == 8


def test_a_failure_is_raised_and_tried_again_next_time() -> None:
    outcomes: list[object] = [OSError("not yet"), "made"]

    def make() -> object:
        outcome = outcomes.pop(0)
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    lazy = Lazy(make)
    with pytest.raises(OSError, match="not yet"):
        lazy.get()
    assert lazy.get() == "made"


def test_a_forked_child_keeps_plain_values_and_makes_its_own_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Lazy(object)
    remade = Lazy(object, per_process=True)
    before = kept.get(), remade.get()
    monkeypatch.setattr("palazzo.files.forks.os.getpid", lambda: -1)
    assert kept.get() is before[0]
    assert remade.get() is not before[1]
    assert remade.get() is remade.get()


def test_a_lock_held_at_the_moment_of_a_fork_does_not_stop_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    entered, leave = threading.Event(), threading.Event()
    answers = iter(["parent", "child"])

    def make() -> str:
        answer = next(answers)
        if answer == "parent":
            entered.set()
            leave.wait(10)
        return answer

    lazy = Lazy(make)
    thread = threading.Thread(target=lazy.get)
    thread.start()
    entered.wait(10)
    monkeypatch.setattr("palazzo.files.forks.os.getpid", lambda: -1)
    assert lazy.get() == "child"
    leave.set()
    thread.join()
