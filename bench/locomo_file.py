"""Files in LoCoMo's format, read as they come: LoCoMo's own, REALTALK's, and what other programs write in that shape.

Sessions are `session_N` lists beside `session_N_date_time`, under `conversation` or at the top. Dates may be written in
any way Palazzo reads dates; a turn's own `date_time` counts before its session's. Evidence may be a list or one text,
with ids apart by signs or spaces and with or without leading zeros. What is no session, no turn or no question is left
alone. An id that names a turn without words still counts as evidence: nothing can find it, and the figures say so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.conversations import Conversation, Line, Question, moment_us

CATEGORIES = {"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", "5": "adversarial"}
DAY_US = 86_400_000_000
SECOND_US = 1_000_000
_ID = re.compile(r"\bD:?\s*(\d+)\s*:\s*(\d+)", re.IGNORECASE)


def read(path: Path) -> list[Conversation]:
    """The conversations of a file, with the audited key if it lies beside it."""
    corrected = audited(path.parent)
    return [_conversation(item, number, corrected) for number, item in enumerate(_items(path))]


def _items(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8-sig")
    try:
        data = json.loads(text)
    except json.JSONDecodeError:  # one conversation a line
        data = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(data, dict) and not _sessions(data) and not isinstance(data.get("conversation"), dict):
        data = [one for value in data.values() for one in (value if isinstance(value, list) else [value])]
    return [item for item in (data if isinstance(data, list) else [data]) if isinstance(item, dict)]


def audited(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Corrected evidence from errors_conv_*.json beside the data, by question and answer."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted(folder.glob("errors_conv_*.json")):
        for fault in json.loads(path.read_text("utf-8")):
            if fault.get("correct_evidence"):
                answer = str(fault.get("golden_answer", "")).strip()
                found[fault["question"].strip(), answer] = fault["correct_evidence"]
    return found


def _conversation(item: dict[str, Any], number: int, corrected: Mapping[tuple[str, str], list[str]]) -> Conversation:
    inner = item.get("conversation")
    talk = inner if isinstance(inner, dict) else item
    turns = list(_turns(talk))
    known = {line.id: line.session for line in turns}
    same = {_canonical(line.id): line.id for line in turns}
    asked = item.get("qa", talk.get("qa"))
    questions = [
        question for one in (asked if isinstance(asked, list) else ())
        if isinstance(one, dict) and (question := _question(one, corrected, known, same)) is not None
    ]  # fmt: skip
    lines = tuple(line for line in turns if line.text)
    end = max((line.at_us for line in lines), default=0) + DAY_US
    return Conversation(str(item.get("sample_id", number)), lines, tuple(questions), end, known)


def _sessions(talk: Mapping[str, Any]) -> list[int]:
    numbers = (int(found.group(1)) for key in talk if (found := re.fullmatch(r"session_(\d+)", key)))
    return sorted(number for number in numbers if isinstance(talk[f"session_{number}"], list))


def _turns(talk: Mapping[str, Any]) -> Iterator[Line]:
    at_us = int(datetime(2023, 1, 1, tzinfo=UTC).timestamp() * 1e6)
    for number in _sessions(talk):
        began_us = moment_us(str(talk.get(f"session_{number}_date_time") or ""), at_us + DAY_US)
        at_us = began_us
        for position, turn in enumerate(talk[f"session_{number}"]):
            if not isinstance(turn, dict):
                continue
            own = str(turn.get("date_time") or "")
            at_us = moment_us(own, 0) or max(at_us, began_us + position * SECOND_US)
            yield Line(
                id=str(turn.get("dia_id") or f"D{number}:{position + 1}"), session=f"session_{number}",
                speaker=str(turn.get("speaker") or ""), text=_words(turn), at_us=at_us,
            )  # fmt: skip


def _words(turn: Mapping[str, Any]) -> str:
    """What a turn says and what its pictures show, in the words of their captions."""
    said = turn.get("text") or turn.get("clean_text") or ""
    shown = turn.get("blip_caption") or ""
    parts = [said, *(shown if isinstance(shown, list) else [shown])]
    return " ".join(part.strip() for part in parts if isinstance(part, str) and part.strip())


def _question(
    asked: Mapping[str, Any], corrected: Mapping[tuple[str, str], list[str]], known: Mapping[str, str],
    same: Mapping[str, str],
) -> Question | None:  # fmt: skip
    """A question with its evidence; None without words or without any evidence that is in the conversation."""
    text = str(asked.get("question") or "").strip()
    answers = (str(asked.get(key, "")).strip() for key in ("answer", "adversarial_answer"))
    fixed = next((found for answer in answers if (found := corrected.get((text, answer)))), None)
    gold = _evidence(fixed or asked.get("evidence"), known, same)
    if not text or not gold:
        return None
    category = str(asked.get("category", 0)).strip()
    return Question(text, gold, CATEGORIES.get(category, category))


def _evidence(told: Any, known: Mapping[str, str], same: Mapping[str, str]) -> frozenset[str]:
    if isinstance(told, Mapping):
        told = list(told.values())
    if isinstance(told, list | tuple):
        return frozenset[str]().union(*(_evidence(one, known, same) for one in told))
    text = "" if told is None else str(told)
    found = {part for part in (text.strip(), *re.split(r"[;,\s]+", text)) if part in known}
    written = (f"D{int(session)}:{int(turn)}" for session, turn in _ID.findall(text))
    return frozenset(found | {same[one] for one in written if one in same})


def _canonical(dia_id: str) -> str:
    found = _ID.fullmatch(dia_id.strip())
    return f"D{int(found.group(1))}:{int(found.group(2))}" if found else dia_id
