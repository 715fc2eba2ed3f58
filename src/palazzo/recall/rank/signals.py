"""The signals, for each candidate a figure from 0 to 1 per signal, computed on arrays; and the ranker's weights, as
data.

Owns how a raw score is calibrated and how many points a full signal is worth. Weights are few, round, each with its
reason; none is fitted by a script. One table serves questions; two others serve cues whose evidence looks different.
`bench/ablation.py` measures what each one buys. Invariant: a signal that could not be computed is zero for every
candidate alike, so its absence changes no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from palazzo.model.zone import UTC_NAME, local
from palazzo.recall.find.gather import Gathered
from palazzo.recall.find.pool import Pool
from palazzo.recall.read.cue import LONGEST_RANGE, Plan
from palazzo.store.api import Marks, Noted
from palazzo.text.dates.find import find_dates
from palazzo.text.meaning.asked import gives_number, speaks_of_oneself
from palazzo.text.meaning.kinds import is_durable_statement
from palazzo.text.words.remembered import remembered

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

OF_A_DAY: Final[Weights] = MappingProxyType({"date": 2.0, "vector": 0.1, "vector_before": 0.05, "vector_after": 0.05})
"""Beside the rest for a question that names a time and nothing else ("what did I do yesterday"): its few words tell
nothing."""

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


Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

FURTHER = np.float32(0.5)
"""What a word counts that was said two turns before: people write in short messages, and answer after a word between.
bench/rough.py asks the same of talk that is broken into sentences or in no order."""
NEAR_US = 10 * 86_400e6
LASTING_US = 35 * 86_400_000_000
"""What lasts longer is a state, not an event of those days."""
LONG_CHARACTERS = 300
"""About sixty words."""
MAX_DATED = 2_000
"""Characters of a text in which times are looked for."""
READ_TEXTS = 8_192
"""Texts whose reading is remembered: cues of one conversation meet the same candidates again and again."""


def of_top(values: Floats) -> Floats:
    """As a share of the highest."""
    if not len(values):
        return np.zeros(0, np.float32)
    top: float = values.max().item()
    return np.divide(values, np.float32(top)) if top > 0 else np.zeros(len(values), np.float32)


def between(values: Floats) -> Floats:
    """From the lowest to the highest, all 1 where they are equal; NaN counts as the lowest."""
    if not len(values):
        return np.zeros(0, np.float32)
    low, high = float(values.min()), float(values.max())
    if low != low:  # a NaN is the lowest and the highest
        known = ~np.isnan(values)
        whole = np.zeros(len(values), np.float32)
        whole[known] = between(values[known])
        return whole
    if high - low < 1e-6:
        return np.ones(len(values), np.float32)
    shares: Floats = (values - np.float32(low)) / np.float32(high - low)
    return shares


def _session_best(values: Floats, session: Rows) -> Floats:
    best = values.copy()
    members = session >= 0
    if members.any():
        top = np.full(int(session.max()) + 1, -np.inf, np.float32)
        np.maximum.at(top, session[members], values[members])
        best[members] = top[session[members]]
    return best


def structural(pool: Pool, plan: Plan, gathered: Gathered) -> dict[str, Floats]:
    """The signals that need no text: words, vectors, neighbours, session, speaker. For every row of the pool."""
    terms = pool.term_scores
    with_before = led_up_to = terms
    if (pool.session >= 0).any():
        with_before = np.maximum(terms, terms[:, pool.before])
        led_up_to = np.maximum(with_before, FURTHER * terms[:, pool.before[pool.before]])
    own = terms.sum(axis=0)
    content = np.array(plan.content, np.bool_)
    found: dict[str, Floats] = {
        "text": of_top(own),
        "text_before": of_top(led_up_to.sum(axis=0)),
        "cover": (with_before[content] > 0).mean(axis=0, dtype=np.float32) if content.any() else np.zeros_like(own),
        "session_text": of_top(_session_best(own, pool.session)),
        "agent": pool.agent.astype(np.float32),
    }
    unknown = np.isnan(pool.cosine)
    if not unknown.all():
        cosine = pool.cosine
        if unknown.any():
            cosine = np.where(unknown, cosine[~unknown].min(), cosine)
        found["vector"] = between(cosine)
        found["vector_before"] = between(cosine + cosine[pool.before])
        found["vector_after"] = between(cosine + cosine[pool.after])
        found["session_vector"] = between(_session_best(cosine, pool.session))
    person = _person(plan)
    if person:
        found["speaker"] = (pool.speaker == person).astype(np.float32)
    for name in ("prospects", "graph", "entity"):
        if name in gathered.found:
            branch = gathered.found[name]
            values = np.zeros(len(pool.keys), np.float32)
            values[np.searchsorted(pool.keys, branch.keys)] = of_top(branch.scores)
            found[name] = values
    return found


def _person(plan: Plan) -> str:
    if plan.traits.statement:
        return plan.said_by
    return plan.speakers[0] if len(plan.speakers) == 1 else ""


def from_notes(noted: Noted) -> dict[str, Floats]:
    """The signals of what is noted of memories: length and importance."""
    lengths = np.minimum(noted.characters.astype(np.float32), np.float32(LONG_CHARACTERS))
    return {
        "length": (np.log1p(lengths) / np.log1p(LONG_CHARACTERS)).astype(np.float32),
        "importance": (np.maximum(0.0, noted.importance - 0.5) * 2).astype(np.float32),
    }


def asking(noted: Noted, limit: int) -> Floats:
    """How far each of the first `limit` only asks."""
    found = noted.asks.copy()
    found[limit:] = 0
    return found


def from_marks(marks: Marks, plan: Plan) -> dict[str, Floats]:
    """The signals of event times."""
    count, found = len(marks.keys), dict[str, Floats]()
    if plan.ranges_us:
        at = np.array(marks.valid_from_us, np.float64)
        until = _until(marks)
        inside = np.zeros(count, np.float32)
        near = np.zeros(count, np.float32)
        for begin, end in plan.ranges_us:
            within = (until >= begin) & (at < end)
            gap = np.where(within, 0.0, np.minimum(np.abs(until - begin), np.abs(at - end)))
            inside = np.maximum(inside, within.astype(np.float32))
            near = np.maximum(near, np.exp(-((gap / NEAR_US) ** 2) / 2).astype(np.float32))
        found["date"], found["date_near"] = inside, near
    return found


def _until(marks: Marks) -> NDArray[np.float64]:
    """The end of what lasts some days, the beginning of anything else: what holds for long is from no day of it."""
    return np.array([
        begin if end is None or end - begin > LASTING_US else end
        for begin, end in zip(marks.valid_from_us, marks.valid_to_us, strict=True)
    ], np.float64)  # fmt: skip


def needs_texts(plan: Plan, weights: Weights) -> bool:
    """Whether a signal is read from the texts or the times of memories; else what is noted of them is enough."""
    cue, traits = plan.cue, plan.traits
    return bool(
        cue.mode != "relevance" or cue.valence or plan.ranges_us or "durable" in weights
        or (traits.wants_time and "told_time" in weights) or (traits.wants_number and "told_number" in weights)
        or (len(plan.speakers) == 1 and "own" in weights)
    )  # fmt: skip


def from_text(marks: Marks, plan: Plan, weights: Weights, limit: int) -> dict[str, Floats]:
    """The signals read from the first `limit` texts; only those that the plan and the weights ask for."""
    texts = marks.texts[:limit]

    def each(values: Iterable[float]) -> Floats:
        return np.fromiter(values, np.float32, len(texts))

    found: dict[str, Floats] = {}
    if "own" in weights and len(plan.speakers) == 1:
        found["own"] = each(map(_speaks_of_own, texts))
    if "durable" in weights:
        found["durable"] = each(map(_durable, texts))
    if plan.traits.wants_number and "told_number" in weights:
        found["told_number"] = each(map(_has_number, texts))
    return found


def from_dates(marks: Marks, plan: Plan, rows: NDArray[np.int64], turns: NDArray[np.bool_]) -> dict[str, Floats]:
    """The signals of times that the texts at these rows tell; only those that the plan asks for.

    A turn is read against the moment it was said; the days of anything else were read when it was kept.
    Reading the dates of a text takes as long as all other signals of ten: hence of the best rows alone.
    """
    zone = plan.cue.zone or UTC_NAME
    spans = [
        _times(marks.texts[row], marks.valid_from_us[row], zone, turn)
        for row, turn in zip(rows.tolist(), turns[rows].tolist(), strict=True)
    ]
    found: dict[str, Floats] = {}
    if plan.traits.wants_time:
        found["told_time"] = np.zeros(len(marks.keys), np.float32)
        found["told_time"][rows] = [told for told, _ in spans]
    if plan.ranges_us:
        found["date"] = np.zeros(len(marks.keys), np.float32)
        found["date"][rows] = [_meets(ranges, plan.ranges_us) for _, ranges in spans]
    return found


_durable = remembered(READ_TEXTS)(is_durable_statement)


_speaks_of_own = remembered(READ_TEXTS)(speaks_of_oneself)
_has_number = remembered(READ_TEXTS)(gives_number)


@remembered(READ_TEXTS)
def _times(text: str, said_us: int, zone: str, turn: bool) -> tuple[bool, tuple[tuple[int, int], ...]]:
    """Whether a text tells a time, and the ranges it speaks of: of a turn all, else those that stand by themselves."""
    spans = find_dates(text[:MAX_DATED], local(said_us, zone))
    ranges = tuple(
        (int(span.begin.timestamp() * 1e6), int(span.finish.timestamp() * 1e6))
        for span in spans
        if (turn or span.absolute)
        and span.begin is not None
        and span.finish is not None
        and span.finish - span.begin < LONGEST_RANGE / 12
    )
    return any(span.kind != "recurring" for span in spans), ranges


def _meets(ranges: Sequence[tuple[int, int]], wanted: Sequence[tuple[int, int]]) -> bool:
    return any(begin < last and first < end for begin, end in ranges for first, last in wanted)


def weigh(signals: Mapping[str, Floats], weights: Weights, count: int, leave_out: Sequence[str] = ()) -> Floats:
    """The weighted sum."""
    total = np.zeros(count, np.float32)
    for name, values in signals.items():
        weight = weights.get(name, 0.0)
        if weight and name not in leave_out:
            total += np.float32(weight) * values
    return total
