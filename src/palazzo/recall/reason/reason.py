"""Questions with several steps: recall, see what is missing, ask for that, and return the evidence with the steps.

Owns the decomposition without a language model: conjuncts are asked one by one, and a name that the first evidence
brings in is asked about next. With a model, it says what is still to be asked at each depth and puts the answer into
words. Invariants: depth, calls (the model's among them) and tokens are bounded; the steps are returned in order;
nothing is concluded that was not found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec

from palazzo.ports import Completer
from palazzo.recall.answer.reply import Hit, Reply
from palazzo.recall.reason.thinking import Conclusion, conclude, questions_within
from palazzo.text.facts.entities import find_entities
from palazzo.text.meaning.intent import parts_of
from palazzo.text.words.parsed import parsed

MOST_DEPTH: Final = 5


class Limits(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a line of reasoning may cost."""

    depth: int = 2
    calls: int = 8
    tokens: int = 4_000


class Step(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One question that was asked on the way, why, and what it brought."""

    question: str
    why: str
    depth: int
    found: tuple[UUID, ...]


class Reasoning(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The evidence for a question, the steps, and the words of the question that nothing found covers."""

    question: str
    evidence: tuple[Hit, ...]
    steps: tuple[Step, ...]
    missing: tuple[str, ...]
    stopped: str = ""
    """Why it ended before everything was covered, if so."""
    answer: str = ""
    """In a model's words; empty without one, and where the evidence does not answer."""
    rests_on: tuple[UUID, ...] = ()
    """The evidence that the answer names."""
    model: str = ""
    """The model that thought along, and why it did not, if so."""


def missing_words(question: str, hits: Sequence[Hit]) -> list[str]:
    """Meaningful words of the question that no evidence contains."""
    told = {term for hit in hits for term in parsed(hit.text).content_terms}
    return [term for term in dict.fromkeys(parsed(question).content_terms) if term not in told]


def reason(
    question: str, recall: Callable[[str], Reply], limits: Limits, count: Callable[[str], int],
    completer: Completer | None = None,
) -> Reasoning:  # fmt: skip
    """Answers a question with evidence gathered in steps; a model, where there is one, asks on and concludes."""
    evidence: dict[UUID, Hit] = {}
    steps: list[Step] = []
    asked: set[str] = set()
    spent = calls = reached = 0
    stopped = why_not = ""
    waiting = [
        (part, "the question" if part == question else "a part of the question", 1) for part in parts_of(question)
    ]
    while True:
        if not waiting and completer is not None and not why_not and reached < min(limits.depth, MOST_DEPTH):
            calls, reached = calls + 1, reached + 1
            further, why_not = questions_within(completer, question, _best(evidence))
            waiting = [(one, f"{completer.name} asks on", reached + 1) for one in further]
        if not waiting:
            break
        wanted, why, depth = waiting.pop(0)
        reached = max(reached, depth)
        if wanted.casefold() in asked:
            continue
        if len(steps) + calls >= limits.calls or spent >= limits.tokens:
            stopped = "the limit of tokens" if spent >= limits.tokens else "the limit of calls"
            break
        asked.add(wanted.casefold())
        reply = recall(wanted)
        fresh = [hit for hit in reply.hits if hit.memory.id not in evidence]
        for hit in fresh:
            evidence[hit.memory.id] = hit
            spent += count(hit.text)
        steps.append(Step(question=wanted, why=why, depth=depth, found=tuple(hit.memory.id for hit in reply.hits)))
        gaps = missing_words(wanted, reply.hits[:5])
        if gaps and completer is None and depth < min(limits.depth, MOST_DEPTH):
            waiting += [(q, w, depth + 1) for q, w in _follow(wanted, fresh[:3], gaps)]
    ordered = _best(evidence)
    told = Conclusion(why=why_not) if completer is None or why_not else conclude(completer, question, ordered)
    return Reasoning(
        question=question, evidence=tuple(ordered), steps=tuple(steps),
        missing=tuple(missing_words(question, ordered)), stopped=stopped, answer=told.answer, rests_on=told.rests_on,
        model="" if completer is None else f"{completer.name}: {told.why}" if told.why else completer.name,
    )  # fmt: skip


def _best(evidence: Mapping[UUID, Hit]) -> list[Hit]:
    return sorted(evidence.values(), key=lambda hit: -hit.score)


def _follow(question: str, hits: Sequence[Hit], gaps: Sequence[str]) -> list[tuple[str, str]]:
    """Questions about what the evidence names and the question does not: the middle of a chain."""
    known = question.casefold()
    found = []
    for hit in hits:
        for mention in find_entities(hit.text)[:3]:
            if mention.name.casefold() not in known:
                found.append((f"{mention.name} {' '.join(gaps[:4])}", f"{mention.name} leads on from {hit.kref}"))
    return list(dict.fromkeys(found))[:3]
