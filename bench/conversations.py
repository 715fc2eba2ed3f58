"""Conversations with questions and their evidence: BEAM's, LoCoMo-Plus's and DevMemBench's files (LoCoMo's own format
is read by bench/locomo_file.py), and the way of all of them into a palace through the engine.

A turn is kept verbatim under its id in the file; a question carries the ids of the turns that answer it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from palazzo.engine import Engine
from palazzo.model.message import Message, Role
from palazzo.model.scope import GLOBAL, Scope
from palazzo.text.dates.find import find_dates

BATCH = 500


@dataclass(frozen=True, slots=True)
class Line:
    """One turn of a file."""

    id: str
    session: str
    speaker: str
    text: str
    at_us: int
    role: Role = "user"
    scope: str = ""
    """Owner of the turn within its conversation; empty for everybody."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, the turns that answer it, and who says it (for cues that are told, not asked)."""

    text: str
    gold: frozenset[str]
    category: str
    speaker: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: its turns in order, its questions, and the moment they are asked."""

    name: str
    lines: tuple[Line, ...]
    questions: tuple[Question, ...]
    now_us: int
    ids: dict[str, str] = field(default_factory=dict)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment_us(text: str, otherwise_us: int) -> int:
    """A date of a file in microseconds; what cannot be read, or names no year, gives the other."""
    found = find_dates(text, _EPOCH)
    begin = found[0].begin if found else None
    return int(begin.timestamp() * 1e6) if begin is not None and begin.year > _EPOCH.year else otherwise_us


def _numbers(value: Any) -> set[int]:
    if isinstance(value, int):
        return {value}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {number for part in parts for number in _numbers(part)}


ABSTENTION = "abstention"
"""The category of questions that nothing answers."""


def beam(folder: Path, *, unanswerable: bool = False) -> list[Conversation]:
    """BEAM's conversations of user and assistant; with those questions that nothing answers, or without."""
    made = []
    for inner in sorted(path.parent for path in folder.glob("*/chat.json")):
        lines = []
        at_us = int(datetime(2024, 1, 1, tzinfo=UTC).timestamp() * 1e6)
        for batch, block in enumerate(json.loads((inner / "chat.json").read_text("utf-8"))):
            for number, pair in enumerate(block["turns"]):
                for message in pair:
                    at_us = moment_us(str(message.get("time_anchor") or ""), at_us + 60_000_000)
                    lines.append(
                        Line(
                            id=str(message["id"]), session=f"{batch}-{number}", speaker=message["role"],
                            text=re.sub(r"\s*->->.*$", "", message["content"], flags=re.S), at_us=at_us,
                            role=message["role"],
                        )
                    )  # fmt: skip
        known = {line.id: line.session for line in lines}
        questions = []
        asked = json.loads((inner / "probing_questions" / "probing_questions.json").read_text("utf-8"))
        for ability, items in asked.items():
            for item in items:
                gold = frozenset(str(n) for n in _numbers(item.get("source_chat_ids", [])) if str(n) in known)
                if gold or (unanswerable and ability == ABSTENTION):
                    questions.append(Question(item["question"], gold, ability))
        made.append(Conversation(inner.name, tuple(lines), tuple(questions), at_us + 86_400_000_000, known))
    return made


def locomo_plus(path: Path, base: Sequence[Conversation]) -> list[Conversation]:
    """Cue and trigger pairs: each cue stitched into a conversation as a short session of its own, in a scope of its own
    so that cues do not see each other; the trigger asks from that scope."""
    pairs = json.loads(path.read_text("utf-8"))
    made = []
    for number, host in enumerate(base):
        people = list(dict.fromkeys(line.speaker for line in host.lines))[:2]
        names = {"A": people[0], "B": people[-1]}
        lines, questions = list(host.lines), []
        for index in range(number, len(pairs), len(base)):
            pair = pairs[index]
            told = [part for part in re.split(r"\n|\\n", pair["cue_dialogue"]) if part.strip()]
            at = host.lines[(index * 37) % len(host.lines)].at_us
            gold = set()
            for position, part in enumerate(told):
                who, text = _labelled(part, names)
                gold.add(f"P{index}:{position}")
                lines.append(
                    Line(
                        id=f"P{index}:{position}", session=f"plus_{index}", speaker=who, text=text,
                        at_us=at + position * 1_000_000, scope=f"p{index}",
                    )
                )  # fmt: skip
            who, text = _labelled(pair["trigger_query"], names)
            questions.append(Question(text, frozenset(gold), pair.get("relation_type", "all"), who, f"p{index}"))
        known = {line.id: line.session for line in lines}
        made.append(Conversation(host.name, tuple(lines), tuple(questions), host.now_us, known))
    return made


def _labelled(part: str, names: dict[str, str]) -> tuple[str, str]:
    found = re.match(r"\s*([AB]):\s*", part)
    return (names[found.group(1)], part[found.end() :]) if found else (names["A"], part)


def devmembench(folder: Path, *, unanswerable: bool = False) -> list[Conversation]:
    """Coding sessions of user and assistant; the evidence is whole sessions, named by any of their turns."""
    sessions = json.loads((folder / "sessions.json").read_text("utf-8"))
    lines: list[Line] = []
    of_session: dict[str, list[str]] = {}
    for session in sessions:
        name = session["sessionId"]
        at_us = moment_us(session["metadata"]["date"], 0)
        for position, message in enumerate(session["messages"]):
            line = Line(
                f"{name}:{position}", name, message["role"], message["content"], at_us + position * 1_000_000,
                message["role"],
            )  # fmt: skip
            lines.append(line)
            of_session.setdefault(name, []).append(line.id)
    asked = json.loads((folder / "questions.json").read_text("utf-8"))
    questions = tuple(
        Question(item["question"], frozenset(item["haystackSessionIds"]), item["questionType"]) for item in asked
        if item["haystackSessionIds"] or (unanswerable and item["questionType"] == ABSTENTION)
    )  # fmt: skip
    end = max(line.at_us for line in lines) + 86_400_000_000
    return [Conversation("devmembench", tuple(lines), questions, end, {line.id: line.session for line in lines})]


def ingest(engine: Engine, conversation: Conversation) -> float:
    """Observes every turn in order, labelled with its id; returns the seconds it took."""
    began = time.perf_counter()
    people = list(dict.fromkeys(line.speaker for line in conversation.lines))
    named = not any(line.role == "assistant" for line in conversation.lines)
    for start in range(0, len(conversation.lines), BATCH):
        engine.observe(
            [
                Message(
                    text=line.text, at_us=line.at_us, role=line.role, thread=conversation.name, session=line.session,
                    label=line.id, scope=Scope.of(user=line.scope) if line.scope else GLOBAL,
                    speaker=line.speaker if named else "",
                    addressee=next((name for name in people if name != line.speaker), "") if named else "",
                )
                for line in conversation.lines[start : start + BATCH]
            ]
        )  # fmt: skip
    return time.perf_counter() - began
