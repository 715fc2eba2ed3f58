"""Stories with an update in them, read from the corpora that label updates.

automemorybench  the user's and the assistant's turns of a case, observed. Old: the turns of events that a superseded_by
                 edge starts from and of those that only repeat them. New: the turns of the events it leads to. Asked:
                 the case's own questions of the task "update". Its planted near misses name both values; they are in
                 the story and count as neither.
beam             the messages of a conversation, observed. Old and new: the labels of its knowledge_update questions,
                 which are asked as they stand; a message labelled as both counts as new.
halumem          memory points, remembered one by one: the original, the twenty points before the update, the update,
                 where the new text states both values (`bench.slots.states_both`). Asked: the set's own question if
                 one has the update as its only evidence and does not ask how it changed, else "What is ...?" with the
                 words before "is" or the colon of the original, or for a dislike "Does ... like ...?".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.conversations import beam as beam_conversations
from bench.conversations import moment_us
from bench.slots import DISLIKE, states_both
from palazzo.model.message import Message

HOUR_US = 3_600_000_000
START_US = 1_700_000_000_000_000
BEFORE = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about the present, and the labels of the texts with the old value and with the new one."""

    question: str
    old: frozenset[str]
    new: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What is told, in order, and what is asked afterwards."""

    name: str
    told: tuple[Message, ...]
    asked: tuple[Asked, ...]
    now_us: int
    remembered: bool = False


def automemorybench(data: Path) -> Iterator[Story]:
    """One story per case."""
    for shard in sorted((data / "automemorybench/data/sample/shards").glob("*.json")):
        for case in json.loads(shard.read_text("utf-8"))["cases"]:
            said = [(session, turn) for session in case["sessions"] for turn in session["turns"]]
            turn_of = {event["event_id"]: event["source_turn_ids"][0] for event in case["events"]}
            pairs = [edge for edge in case["event_edges"] if edge["edge_type"] == "superseded_by"]
            old = {turn_of[edge["source_event_id"]] for edge in pairs}
            old |= {turn for event, turn in turn_of.items() if "old_reinforce" in event}
            new = frozenset(turn_of[edge["target_event_id"]] for edge in pairs)
            told = tuple(
                Message(
                    text=turn["content"], at_us=START_US + n * HOUR_US, role=turn["role"], thread=case["case_id"],
                    session=session["session_id"], label=turn["turn_id"],
                )
                for n, (session, turn) in enumerate(said)
            )  # fmt: skip
            asked = tuple(
                Asked(query["prompt"], frozenset(old) - new, new)
                for query in case["queries"]
                if query["task_type"] == "update"
            )
            yield Story(name=case["case_id"], told=told, asked=asked, now_us=START_US + (len(said) + 24) * HOUR_US)


def beam(data: Path) -> Iterator[Story]:
    """One story per conversation."""
    for conversation in beam_conversations(data / "beam_100k"):
        path = data / "beam_100k" / conversation.name / "probing_questions" / "probing_questions.json"
        asked = []
        for item in json.loads(path.read_text("utf-8")).get("knowledge_update", []):
            ids = item.get("source_chat_ids", {})
            if isinstance(ids, dict) and ids.get("original_info") and ids.get("updated_info"):
                old, new = (frozenset(map(str, ids[key])) for key in ("original_info", "updated_info"))
                asked.append(Asked(item["question"], old - new, new))
        told = tuple(
            Message(
                text=line.text, at_us=line.at_us, role=line.role, thread=conversation.name, session=line.session,
                label=line.id,
            )
            for line in conversation.lines
        )  # fmt: skip
        yield Story(name=conversation.name, told=told, asked=tuple(asked), now_us=conversation.now_us)


def _question(original: str, name: str) -> str:
    disliked = DISLIKE.search(original)
    if disliked:
        return f"Does {name} like {disliked.group(1)}?"
    return f"What is {re.split(r' is |: ', original, maxsplit=1)[0]}?"


def halumem(data: Path) -> Iterator[Story]:
    """One story per update."""
    for path in sorted((data / "halumem").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            user = json.loads(line)
            sessions = user["sessions"]
            name = re.search(r"Name: ([^;]+);", user["persona_info"])
            points = [
                point for session in sessions for point in session["memory_points"]
                if point["memory_source"] != "interference"
            ]  # fmt: skip
            own = {
                item["evidence"][0]["memory_content"]: item["question"]
                for session in sessions
                for item in session.get("questions") or ()
                if item["question_type"] == "Dynamic Update"
                and len(item["evidence"]) == 1
                and "changed" not in item["question"]
            }
            for number, point in enumerate(points):
                question = own.get(point["memory_content"], "")
                yield from _updates(points, number, question, name.group(1) if name else "the user")


def _updates(points: list[dict[str, Any]], number: int, question: str, name: str) -> Iterator[Story]:
    new = points[number]["memory_content"]
    written = points[number]["original_memories"] if points[number]["is_update"] == "True" else ()
    for original in (re.sub(r"^(\[[^\]]*\])+", "", text) for text in written):
        if not states_both(original, new):
            continue
        texts = [p["memory_content"] for p in points[max(0, number - BEFORE) : number]]
        texts = [original, *(text for text in texts if text != original), new]
        end = moment_us(points[number]["timestamp"], START_US)
        first = end - len(texts) * 24 * HOUR_US
        told = tuple(
            Message(text=text, at_us=first + n * 24 * HOUR_US, thread="bench", label=f"{n}")
            for n, text in enumerate(texts)
        )
        asked = Asked(question or _question(original, name), frozenset({"0"}), frozenset({f"{len(texts) - 1}"}))
        yield Story(
            name=f"halumem-{number}", told=told, asked=(asked,), now_us=end + 24 * HOUR_US, remembered=True
        )  # fmt: skip


CORPORA: dict[str, Callable[[Path], Iterator[Story]]] = {
    "automemorybench": automemorybench, "beam": beam, "halumem": halumem,
}  # fmt: skip
