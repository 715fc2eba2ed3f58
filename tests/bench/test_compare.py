"""The comparison runs each system in a process of its own over the same turns, and says why one could not run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench.peers import SYSTEMS

from bench import everything, report_peers

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
    told = compared("retrieval", "--data", str(talk), "--systems", "mnemon,sqlite-fts5")
    assert {name: (one["n"], one["r@10"]) for name, one in told["systems"].items()} == {
        "mnemon": (1, 1.0), "sqlite-fts5": (1, 1.0),
    }  # fmt: skip


def test_a_system_that_cannot_run_is_in_the_result_with_its_reason(talk: Path) -> None:
    told = compared("retrieval", "--data", str(talk), "--systems", "no-such-system")
    assert "no-such-system" in told["systems"]["no-such-system"]["failed"]


def test_what_was_acknowledged_before_a_kill_is_found_and_weighed() -> None:
    told = compared("scale", "--memories", "60", "--seconds", "1", "--systems", "mnemon")["systems"]["mnemon"]
    assert told["kill"]["missing"] == "0"
    assert told["kill"]["acknowledged"] >= 40
    assert told["disk_bytes_per_memory"] > 0


def test_the_page_names_every_figure_in_which_a_peer_is_better() -> None:
    ours = {"keeps": "text and vectors", "recall": {"p50_ms": 4.0}, "single_per_s": 100, "rss_mb": 90}
    peer = {"keeps": "text and vectors", "recall": {"p50_ms": 1.0}, "single_per_s": 20, "rss_mb": 300}
    assert list(report_peers._ahead({"mnemon": ours, "other": peer})) == [
        "other (text and vectors) in recall p50 ms: 1 against 4"
    ]


def test_every_run_of_the_plan_names_a_module_and_one_result() -> None:
    names = [run.name for run in everything.RUNS]
    assert len(set(names)) == len(names)
    assert all(run.words.startswith("bench.") for run in everything.RUNS)
    assert "mnemon" in SYSTEMS
