"""Making the results one after the other: what is pinned says which command made it from which code."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.common import placeless
from bench.plan import RUNS, Run

from bench import everything, pinned

SHORT = Run("stress", "bench.stress --minutes 0.01 --rate 600 --readers 1", alone=True)
BROKEN = Run("soak", "bench.stress --minutes never")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pinned, "RESULTS", tmp_path)
    monkeypatch.setattr(everything, "RESULTS", tmp_path)
    return tmp_path


def test_a_result_is_kept_until_its_command_or_the_code_changes(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not everything.is_made(SHORT, results, full=False)
    (outcome,) = everything.make_all([SHORT], results, full=False)
    assert outcome.why == ""
    assert outcome.cpu_s > 0
    assert everything.is_made(SHORT, results, full=False)
    assert not everything.is_made(Run("stress", SHORT.words + " --json"), results, full=False)
    monkeypatch.setattr(everything, "code", lambda: "another")
    assert not everything.is_made(SHORT, results, full=False)


def test_a_run_that_fails_or_lacks_its_data_says_so_and_pins_nothing(results: Path) -> None:
    lacking = Run("intake-dates", "bench.dates --data {data}")
    told = {one.name: one.why for one in everything.make_all([BROKEN, lacking], results / "absent", full=False)}
    assert told["soak"].startswith("exit code 2: python -m bench.stress")
    assert told["intake-dates"] == "not run: its data is not there"
    assert not list(results.iterdir())


def test_a_command_is_told_without_the_machines_folders() -> None:
    words = ["bench.x", "--data", "/somewhere/data/locomo/dev.json", "--folder", "/elsewhere", "--json"]
    assert placeless(words) == "bench.x --data DATA/locomo/dev.json --json"


def test_every_result_has_one_run() -> None:
    names = [run.name for run in RUNS]
    assert len(names) == len(set(names))
