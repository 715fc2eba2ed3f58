"""The comparison runs each system in a process of its own over the same turns, and says why one could not run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from bench.peers import SYSTEMS
from bench.peers.system import Ask, Item

from bench import common, compare, compare_kill, compare_scale, pinned, plan, report, report_peers

TALK = {
    "sample_id": "tiny",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "I adopted a grey cat called Pixel from the shelter."},
            {"speaker": "Tom", "dia_id": "D1:2", "text": "My ferry to the island leaves at noon."},
            {"speaker": "Ada", "dia_id": "D1:3", "text": "The bakery on the corner sells rye bread."},
        ],
    },
    "qa": [{"question": "What is Ada's cat called?", "answer": "Pixel", "evidence": ["D1:1"], "category": 4}],
}


def compared(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.compare", *words, "--json"], capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([TALK]))
    return path


def test_two_systems_answer_the_same_questions_side_by_side(talk: Path) -> None:
    told = compared("retrieval", "--data", str(talk), "--systems", "palazzo,sqlite-fts5")
    assert {name: (one["n"], one["r@10"]) for name, one in told["systems"].items()} == {
        "palazzo": (1, 1.0), "sqlite-fts5": (1, 1.0),
    }  # fmt: skip


def test_a_system_that_cannot_run_is_in_the_result_with_its_reason(talk: Path) -> None:
    told = compared("retrieval", "--data", str(talk), "--systems", "no-such-system")
    assert "no-such-system" in told["systems"]["no-such-system"]["failed"]


def test_a_store_is_loaded_once_and_weighed_in_processes_of_its_own(tmp_path: Path) -> None:
    words = ("scale", "--memories", "60", "--seconds", "1", "--systems", "sqlite-fts5", "--folder", str(tmp_path))
    first, again = (compared(*words)["systems"]["sqlite-fts5"] for _ in range(2))
    assert first["disk_bytes_per_memory"] > 0
    assert first["recall"]["n"] == compare_scale.QUESTIONS
    assert again["batch_per_s"] == first["batch_per_s"], "the figures of loading are those of the one load"


def test_what_was_acknowledged_before_a_kill_is_read_and_found() -> None:
    told = compared("kill", "--kills", "2", "--systems", "sqlite-fts5")["systems"]["sqlite-fts5"]
    assert (told["kills"], told["lost"], told["not_found"], told["would_not_open"]) == (2, 0, 0, 0)
    assert told["survives"] is True
    assert told["acknowledged"] >= 2


class Forgetful:
    """A system that kept every other note and finds none of those after the first ten."""

    keeps, version = "text", "1"

    def holds(self, items: Sequence[Item]) -> set[str]:
        return {item.id for item in items[::2]}

    def search(self, ask: Ask, limit: int) -> list[str]:
        found = [compare_kill.note(number) for number in range(10)]
        return [item.id for item in found if item.text == ask.text][:limit]


def test_notes_that_are_gone_and_notes_that_are_not_found_are_counted_apart() -> None:
    told = compare_kill.look(Forgetful(), list(range(20)), most=20)  # type: ignore[arg-type]
    assert (len(told["lost"]), told["asked"], told["not_found"]) == (10, 20, 10)


def test_notes_have_texts_of_their_own() -> None:
    assert len({compare_kill.note(number).text for number in range(2000)}) == 2000


def test_the_difference_of_two_systems_is_taken_question_by_question() -> None:
    noisy = [float(n % 2) for n in range(200)]
    told = compare.ahead([one + 0.1 for one in noisy], noisy)
    assert told == {"difference": 0.1, "interval": [0.1, 0.1]}


def test_the_page_names_every_figure_in_which_a_peer_is_better() -> None:
    ours = {"keeps": "text and vectors", "recall": {"p50_ms": 4.0}, "single_per_s": 100, "rss_mb": 90}
    peer = {"keeps": "text and vectors", "recall": {"p50_ms": 1.0}, "single_per_s": 20, "rss_mb": 300}
    text = {"keeps": "text", "recall": {"p50_ms": 2.0}, "single_per_s": 10, "rss_mb": 300}
    assert list(report_peers._ahead({"palazzo": ours, "other": peer, "plain": text}, report_peers.COLUMNS)) == [
        "recall p50 ms: Palazzo 4; other 1, plain 2 (text only)"
    ]


def test_an_aim_is_weighed_against_the_best_peer_that_survives_and_keeps_both() -> None:
    def told(p50: float, keeps: str = "text and vectors") -> dict[str, Any]:
        return {"keeps": keeps, "recall": {"p50_ms": p50}}

    ran = {"palazzo": told(4.0), "lost": told(1.0), "plain": told(1.0, "text"), "other": told(24.0)}
    assert list(report_peers._aims(ran, frozenset({"plain", "other"}))) == [
        ["recall p50, ms (palazzo)", "4", "24 (other)", "6.00×", "reached"]
    ]


def test_every_run_of_the_plan_names_a_module_and_one_result() -> None:
    names = [run.name for run in plan.RUNS]
    assert len(set(names)) == len(names)
    assert all(find_spec(run.words.split()[0]) for run in plan.RUNS)
    assert "palazzo" in SYSTEMS


def test_every_pinned_result_says_which_command_made_it_and_when() -> None:
    silent = [run.name for run in plan.RUNS if pinned.load(run.name) is not None and not pinned.made(run.name)]
    assert silent == []


def test_a_command_on_the_page_names_no_folder_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [
        "x",
        "retrieval",
        "--data",
        "/home/me/data/locomo/a.json",
        "--folder",
        "/tmp/kept",
        "--embedder",
        "/m/mini",
    ]
    monkeypatch.setattr(sys, "argv", words)
    assert common.command_line().split()[3:] == ["retrieval", "--data", "DATA/locomo/a.json", "--embedder", "mini"]


def test_a_run_without_its_data_is_named_and_nothing_is_pinned(tmp_path: Path) -> None:
    page = report.PAGE.read_text()
    done = subprocess.run(
        [sys.executable, "-m", "bench.everything", "--data", str(tmp_path / "none"), "--only", "intake-junk"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "no data folder" in done.stderr
    assert "intake-junk: not run: its data is not there" in done.stderr
    assert report.PAGE.read_text() == page
