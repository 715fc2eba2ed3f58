"""Questions with several steps: recall, see what is missing, ask for that, and return the evidence with the steps.

Owns the decomposition without a language model: conjuncts are asked one by one, and a name that the first evidence
brings in is asked about next. Invariants: depth, calls and tokens are bounded; the steps are returned in order; nothing
is concluded that was not found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from mnemon.recall.reply import Hit, Reply
from mnemon.text.entities import find_entities
from mnemon.text.tokens import content_terms

MOST_DEPTH: Final = 5
_JOINTS = re.compile(
    r"\s*(?:;|\?\s+(?=\S)|,?\s+and (?=(?:what|who|when|where|why|how|which|did|does|is|are|was|were)\b))\s*", re.I
)
_BOTH = re.compile(r"\bboth ([\w'-]+) and ([\w'-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a line of reasoning may cost."""

    depth: int = 2
    calls: int = 8
    tokens: int = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One question that was asked on the way, why, and what it brought."""

    question: str
    why: str
    depth: int
    found: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """The evidence for a question, the steps, and the words of the question that nothing found covers."""

    question: str
    evidence: tuple[Hit, ...]
    steps: tuple[Step, ...]
    missing: tuple[str, ...]
    stopped: str = ""
    """Why it ended before everything was covered, if so."""


def parts_of(question: str) -> list[str]:
    """The questions a conjunctive question consists of; itself alone when it is simple."""
    both = _BOTH.search(question)
    if both:
        return [_BOTH.sub(name, question, count=1) for name in both.groups()]
    parts = [part.strip(" ?") for part in _JOINTS.split(question) if len(part.split()) >= 3]
    return [f"{part}?" for part in parts] if len(parts) > 1 else [question]


def missing_words(question: str, hits: Sequence[Hit]) -> list[str]:
    """Meaningful words of the question that no evidence contains."""
    told = {term for hit in hits for term in content_terms(hit.text)}
    return [term for term in dict.fromkeys(content_terms(question)) if term not in told]


def reason(question: str, recall: Callable[[str], Reply], limits: Limits, count: Callable[[str], int]) -> Reasoning:
    """Answers a question with evidence gathered in steps."""
    evidence: dict[UUID, Hit] = {}
    steps: list[Step] = []
    asked: set[str] = set()
    spent = 0
    stopped = ""
    waiting = [
        (part, "the question" if part == question else "a part of the question", 1) for part in parts_of(question)
    ]
    while waiting:
        wanted, why, depth = waiting.pop(0)
        if wanted.casefold() in asked:
            continue
        if len(steps) >= limits.calls or spent >= limits.tokens:
            stopped = "the limit of calls" if len(steps) >= limits.calls else "the limit of tokens"
            break
        asked.add(wanted.casefold())
        reply = recall(wanted)
        fresh = [hit for hit in reply.hits if hit.memory.id not in evidence]
        for hit in fresh:
            evidence[hit.memory.id] = hit
            spent += count(hit.text)
        steps.append(Step(question=wanted, why=why, depth=depth, found=tuple(hit.memory.id for hit in reply.hits)))
        gaps = missing_words(wanted, reply.hits[:5])
        if gaps and depth < min(limits.depth, MOST_DEPTH):
            waiting += [(q, w, depth + 1) for q, w in _follow(wanted, fresh[:3], gaps)]
    ordered = sorted(evidence.values(), key=lambda hit: -hit.score)
    return Reasoning(
        question=question, evidence=tuple(ordered), steps=tuple(steps),
        missing=tuple(missing_words(question, ordered)), stopped=stopped,
    )  # fmt: skip


def _follow(question: str, hits: Sequence[Hit], gaps: Sequence[str]) -> list[tuple[str, str]]:
    """Questions about what the evidence names and the question does not: the middle of a chain."""
    known = question.casefold()
    found = []
    for hit in hits:
        for mention in find_entities(hit.text)[:3]:
            if mention.name.casefold() not in known:
                found.append((f"{mention.name} {' '.join(gaps[:4])}", f"{mention.name} leads on from {hit.kref}"))
    return list(dict.fromkeys(found))[:3]
