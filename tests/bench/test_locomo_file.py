"""Files in LoCoMo's format are read as they come, whatever else is in them."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bench.conversations import Conversation

from bench import locomo_file

CHAT = {
    "name": {"speaker_1": "Mia", "speaker_2": "Jon"},
    "session_1_date_time": "29.12.2023, 11:23:21",
    "session_1": [
        {"speaker": "Mia", "dia_id": "D1:1", "clean_text": "I got the job at the aquarium!",
         "date_time": "29.12.2023, 11:23:21"},
        {"speaker": "Mia", "dia_id": "D1:2", "text": "", "img_url": ["x"], "blip_caption": "a turtle in a tank"},
        {"speaker": "Jon", "dia_id": "D1:3", "text": None, "img_url": ["y"]},
        "not a turn",
        {"speaker": "Jon", "dia_id": "D01:05", "clean_text": "My brother moved to Lisbon.",
         "date_time": "31.12.2023, 08:00:00"},
    ],
    "session_2": [],
    "session_2_date_time": None,
    "session_10_date_time": "January 14th, 2024 at 3pm",
    "session_10": [{"speaker": "Jon", "text": "I am learning the cello.", "blip_caption": ["a cello", "a chair"]}],
    "events_session_1": {"Mia": ["x"]},
    "session_1_summary": "They talk.",
    "qa": [
        {"question": "Where does Mia work?", "answer": "aquarium", "evidence": ["D1:1; D1:2"], "category": "1"},
        {"question": "What did Jon show?", "evidence": "D1:3", "category": 2},
        {"question": "Who moved to Lisbon?", "evidence": ["D:1:5"], "category": "commonsense"},
        {"question": "What does Jon learn?", "adversarial_answer": "x", "evidence": ["d10:1 D1:1"], "category": 5},
        {"question": "Nobody knows?", "evidence": [], "category": 3},
        {"question": "Elsewhere?", "evidence": ["D99:1"]},
        {"question": None, "evidence": ["D1:1"]},
        {"answer": "no question", "evidence": ["D1:1"]},
        "not a question",
    ],
}  # fmt: skip


def read(tmp_path: Path, data: object) -> list[Conversation]:
    path = tmp_path / "talk.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return locomo_file.read(path)


def day(us: int) -> datetime:
    return datetime.fromtimestamp(us / 1e6, UTC)


def test_turns_keep_their_ids_words_and_moments(tmp_path: Path) -> None:
    (found,) = read(tmp_path, CHAT)
    assert [(line.id, line.text) for line in found.lines] == [
        ("D1:1", "I got the job at the aquarium!"), ("D1:2", "a turtle in a tank"),
        ("D01:05", "My brother moved to Lisbon."), ("D10:1", "I am learning the cello. a cello a chair"),
    ]  # fmt: skip
    assert day(found.lines[0].at_us) == datetime(2023, 12, 29, 11, 23, 21, tzinfo=UTC)
    assert day(found.lines[2].at_us) == datetime(2023, 12, 31, 8, tzinfo=UTC)
    assert day(found.lines[3].at_us) == datetime(2024, 1, 14, 15, tzinfo=UTC)
    assert [line.at_us for line in found.lines] == sorted(line.at_us for line in found.lines)


def test_evidence_is_found_however_it_is_written(tmp_path: Path) -> None:
    (found,) = read(tmp_path, CHAT)
    assert [(sorted(question.gold), question.category) for question in found.questions] == [
        (["D1:1", "D1:2"], "multi-hop"), (["D1:3"], "temporal"), (["D01:05"], "commonsense"),
        (["D10:1", "D1:1"], "adversarial"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        CHAT, [CHAT], {"a": CHAT, "b": CHAT}, {"data": [CHAT]}, {"sample_id": 4, "conversation": CHAT},
        "\n".join(json.dumps(CHAT) for _ in range(2)), [CHAT, "no conversation", None],
    ],
)  # fmt: skip
def test_the_shape_around_the_conversations_does_not_matter(tmp_path: Path, data: object) -> None:
    for found in read(tmp_path, data):
        assert (len(found.lines), len(found.questions)) == (4, 4)


@pytest.mark.parametrize("data", [[], {}, {"conversation": {}}, {"conversation": {"session_1": None}, "qa": None}])
def test_a_file_without_turns_has_no_questions(tmp_path: Path, data: object) -> None:
    assert [(found.lines, found.questions) for found in read(tmp_path, data)] in ([], [((), ())])


def asked(path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.retrieval", "--data", str(path), "--embedder", "none", "--json"]
    return dict(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


@pytest.mark.parametrize(("data", "count"), [(CHAT, 4), ([], 0)])
def test_retrieval_prints_its_keys_for_any_file(tmp_path: Path, data: object, count: int) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(data))
    found = asked(path)
    keys = {"n", "r@5", "r@10", "r@20", "any@10", "all@10", "ndcg@10", "by_category", "p50_ms", "p99_ms"}
    assert keys <= found.keys()
    assert found["n"] == count
    assert (0 < found["r@10"] <= 0.75) if count else found["r@10"] == 0, "a picture without a caption is never found"
