"""The ranker's weights, as data: few, round, each with its reason. Nothing here is fitted by a script.

Signals are calibrated to 0..1 before they are weighed, so a weight says how many points a full signal is worth. One
table serves questions; two others serve cues whose evidence looks different. `bench/ablation.py` measures what each one
buys.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

Weights = Mapping[str, float]

REASONS: Final[Weights | Mapping[str, str]] = MappingProxyType({
    "text": "BM25 of the memory's own words against the cue",
    "text_before": "BM25 of the turn and the two before it, the farther at half: an answer rarely repeats the question",
    "cover": "share of the cue's meaningful words found in the turn or the one before",
    "vector": "cosine to the cue, speakers' names left out",
    "vector_before": "cosine of the turn and the one before, averaged",
    "vector_after": "cosine of the turn and the one after, averaged",
    "session_text": "best BM25 in the same session: a session is about something",
    "session_vector": "best cosine in the same session",
    "speaker": "said by the one person the cue names, or by whoever gives the cue",
    "own": "the cue asks about one person, and the memory speaks of its speaker: I, my, we",
    "question": "the memory only asks: what answers is a statement",
    "length": "longer turns say more, up to sixty words",
    "told_time": "the cue asks when, and the memory names a time",
    "date": "the memory is from, or speaks of, a time the cue names",
    "date_near": "closeness of its time to a time the cue names, ten days wide",
    "told_number": "the cue asks how many, and the memory has a number",
    "durable": "a lasting statement of a speaker about themselves: goal, decision, limit, habit, health",
    "importance": "the memory's own importance, above the middle",
    "agent": "said by the agent: long answers repeat the user's words and bury the user's facts",
    "prospects": "BM25 against the situations foreseen when the memory was kept",
    "graph": "reached along edges from the best hits, 0.6 a step",
    "entity": "mentions a thing the cue names",
    "place": "stands at the place that the cue is, or below it: nothing else is asked for",
    "trust": "how far it may be relied on: the least over it and what it rests on",
})  # fmt: skip

QUESTION: Final[Weights] = MappingProxyType({
    "text": 0.1, "text_before": 0.4, "cover": 0.3, "vector": 0.3, "vector_before": 0.2, "vector_after": 0.2,
    "session_text": 0.3, "session_vector": 0.2, "speaker": 0.15, "question": -0.2, "length": 0.3, "told_time": 0.2,
    "date": 0.3, "date_near": 0.2, "told_number": 0.1, "agent": -0.6, "prospects": 0.2, "graph": 0.1, "entity": 0.05,
    "own": 0.1, "trust": 0.1,
})  # fmt: skip
"""For a question that names what it looks for."""

SEVERAL: Final[Weights] = MappingProxyType({
    **QUESTION, "text_before": 0.2, "vector": 0.5, "session_text": 0.1, "speaker": 0.3,
})  # fmt: skip
"""For a question that asks for several things in few words: its evidence lies in many sessions, so the session counts
less and the person more."""

STATEMENT: Final[Weights] = MappingProxyType({
    "vector": 1.0, "speaker": 0.1, "durable": 0.3, "question": -0.2, "importance": 0.2, "text_before": 0.1,
    "agent": -0.2, "prospects": 0.3, "trust": 0.1,
})  # fmt: skip
"""For something told that shares few words with what it touches: text search destroys the signal there (FINDINGS:
LoCoMo-Plus, MiniLM 27, fused with text 9)."""

PLACE: Final[Weights] = MappingProxyType({"place": 100.0, "text": 0.05, "vector": 0.05})
"""For a cue that is a place where something stands: the order of the walk, and behind it what else the words find. One
step of a walk of 400 is worth more than all the rest."""

OVERLAP: Final = 0.6
"""A statement of whose meaningful words this share is found in one place is ranked like a question."""

MODES: Final[Mapping[str, tuple[float, float, float, float, float]]] = MappingProxyType({
    "relevance": (1.0, 0.0, 0.0, 0.0, 0.0),
    "balanced": (0.35, 0.20, 0.20, 0.20, 0.05),
    "recent": (0.30, 0.50, 0.10, 0.07, 0.03),
    "important": (0.40, 0.10, 0.10, 0.35, 0.05),
    "historical": (0.50, 0.05, 0.25, 0.15, 0.05),
    "broad": (0.45, 0.15, 0.15, 0.20, 0.05),
})  # fmt: skip
"""Weights over semantic, recency, decay, importance, confidence. `relevance`, the default, is the measured order."""

SAME_THREAD: Final = 1.8
CONGRUENT: Final = 0.15
MMR: Final = 0.7
RANK_FUSION_K: Final = 60
MAX_FUSION_COSINE: Final = 0.85
