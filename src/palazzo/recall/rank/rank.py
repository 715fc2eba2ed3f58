"""Ranking: from what was gathered to rows in order, in two passes.

The first pass scores every candidate from the indexes alone; the second reads the texts of the best ones for the
signals that need them. Owns which table of weights a plan gets. Invariant: the order is a pure function of the plan and
one moment of the palace; equal scores are ordered newest first. The three fusions take the same signals and return one
score per candidate, so they can be swapped in a measurement; a mode never brings in what was not a candidate;
reordering for variety or by a model adds and loses nothing, and is done only when asked for by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.errors import InvalidInput
from palazzo.ports import Reranker
from palazzo.recall.answer.reply import Sibling
from palazzo.recall.find.gather import Gathered, GatherSources
from palazzo.recall.find.pool import Pool, make_pool
from palazzo.recall.rank import signals
from palazzo.recall.rank.present import (
    FIRST,
    LOOKED_AT,
    Candidate,
    Replaced,
    SaidTexts,
    judge,
    looks_back,
    order_without,
)
from palazzo.recall.rank.signals import (
    CONGRUENT,
    MAX_FUSION_COSINE,
    MMR,
    MODES,
    OF_A_DAY,
    OVERLAP,
    QUESTION,
    RANK_FUSION_K,
    SAME_THREAD,
    SEVERAL,
    STATEMENT,
    Weights,
    weigh,
)
from palazzo.recall.read.cue import Plan
from palazzo.store.api import Marks, Noted, among

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
ALIKE = 0.7
CORRECTED_FOR_US = 90 * 86_400_000_000
UNREAD = 0.5
"""Trust in what is ranked without being read: that of a single source that is no person."""
TRUSTED = 20
"""For how many of the best trust is worked out at least; two for each hit asked for."""
DATED = 40
"""Of how many of the best the dates told are read at least; two for each hit asked for."""
MANY = 4
"""Candidates from one text above which it says many things, each of which is asked for by itself."""
SIBLINGS = 2
"""Hits that one message to an agent gives, before what else it says."""
SPARE_AT = 6
"""Hits before what else these messages say: which of it answers is only known once it is read."""
SOURCES = 20
"""Where so many texts have something to say, each of them says one thing before any says another."""
TOLD = 2
"""How many times as many texts are read for a statement: what it touches shares no word with it and ranks low."""
IN_RANGE = np.float32(0.5)
"""Lift in the first pass for what lies in a range the cue names: the date signals come in the second."""


class Ranked(msgspec.Struct, frozen=True, gc=False):
    """Candidates in order, best first, with the signals behind their scores."""

    keys: Rows
    scores: Floats
    signals: dict[str, Floats]
    weights: Weights
    table: str
    candidates: int
    trusted: Mapping[int, float]
    """By key, how far the rows whose texts were read may be relied on."""
    replaced: Mapping[int, Replaced]
    """What no longer holds, by key: behind the first hits, or left out."""
    cosine: Floats
    """To the cue; NaN where there is no vector."""
    before: Mapping[int, int]
    """By key of a turn among the best, that of the turn before it."""
    origins: Mapping[int, int]
    """By key of one of the best, that of the turn it was drawn from, or its own."""
    siblings: tuple[Sibling, ...] = ()


def choose_weights(plan: Plan, cover: Floats) -> tuple[str, Weights]:
    """The table for this cue; `cover` is the share of its words found with each candidate."""
    if plan.traits.statement and (not len(cover) or float(cover.max()) < OVERLAP):
        return "statement", STATEMENT
    name, table = ("several", SEVERAL) if plan.traits.several else ("question", QUESTION)
    if plan.of_a_day:
        return f"{name}, of a day", {**table, **OF_A_DAY}
    if plan.traits.about_agent:
        return f"{name}, agent's words", {**table, "agent": 0.1}
    return name, table


def rank(sources: GatherSources, plan: Plan, gathered: Gathered) -> Ranked | None:
    """Ranks what was gathered; None when there is nothing."""
    if not gathered.found:
        return None
    pool = make_pool(sources.reading, plan, gathered)
    rows = np.flatnonzero(pool.candidate)
    candidates = len(rows)
    first = signals.structural(pool, plan, gathered)
    table, weights = choose_weights(plan, first["cover"][rows])
    prior = signals.weigh(first, weights, len(pool.keys), plan.cue.leave_out)[rows]
    if "time" in gathered.found:
        prior = np.where(np.isin(pool.keys[rows], gathered.found["time"].keys), prior + IN_RANGE, prior)
    read = sources.preset.read * (TOLD if plan.traits.statement else 1)
    rows = rows[np.lexsort((-pool.keys[rows], -prior))[: 2 * read]]
    memories, asked = sources.reading.memories, pool.keys[rows].tolist()
    marks = memories.marks_of(asked) if signals.needs_texts(plan, weights) else None
    noted = memories.noted(asked, marks)
    if len(noted.keys) < len(rows):
        rows = rows[np.isin(pool.keys[rows], noted.keys)]
    keys = pool.keys[rows]
    found = {name: values[rows] for name, values in first.items()}
    found |= signals.from_notes(noted)
    found |= signals.from_marks(marks, plan) if marks is not None else {}
    if "question" in weights:
        found["question"] = signals.asking(noted, read)
    if marks is not None:
        _read_texts(found, marks, plan, weights, read, pool.turn[rows])
    scores, trusted = _scored(found, keys, sources, plan, weights)
    scores = modulate(scores, marks, plan, _in_thread(sources, plan, keys), _uses(sources, plan, keys))
    kept, over = _kept(sources, plan, noted)
    kept = kept[np.lexsort((-keys[kept], -scores[kept], over[kept]))]
    kept = _once(pool.origin[rows], pool.turn[rows], pool.speaker[rows] == "", kept)
    kept = _uncorrected(sources, gathered, keys, kept, plan.now_us)
    if not plan.traits.about_agent:
        kept = kept[~pool.agent[rows[kept]]]
    best = kept[: max(plan.cue.most + FIRST, LOOKED_AT)]
    said = SaidTexts(sources.reading, keys[best].tolist(), marks)
    told = _best(pool, rows[best], said)
    judged = judge(sources.reading, plan, told, sources.late, reads=sources.preset.reads)
    kept = kept[order_without(keys[kept].tolist(), judged)]
    best = rows[kept[: plan.cue.most + FIRST]]
    return Ranked(
        keys=keys[kept], scores=scores[kept],
        signals={name: values[kept] for name, values in found.items() if name in weights}, weights=weights,
        table=table, candidates=candidates, trusted=trusted, replaced=judged.replaced, cosine=pool.cosine[rows[kept]],
        before=_ahead(pool, best), origins=_drawn_from(pool, best[among(pool.keys[best], gathered.keys())]),
    )  # fmt: skip


def _scored(
    found: dict[str, Floats], keys: Rows, sources: GatherSources, plan: Plan, weights: Weights
) -> tuple[Floats, dict[int, float]]:
    """Scores, and how far the best rows may be relied on, which counts in them; only where it could still lift."""
    others = fuse(plan.cue.fusion, found, weights, len(keys), plan.cue.leave_out)
    counts = plan.cue.fusion == "sum" and "trust" not in plan.cue.leave_out
    weight = np.float32(weights.get("trust", 0.0) if counts else 0.0)
    trust = np.full(len(keys), UNREAD, np.float32)
    best = np.argsort(-(others + weight * trust), kind="stable")[: max(TRUSTED, 2 * plan.cue.limit)]
    trusted = sources.reading.trusts.figures(keys[best].tolist())
    trust[best] = [trusted.get(key, UNREAD) for key in keys[best].tolist()]
    found["trust"] = trust
    return others + weight * trust, trusted


def _read_texts(
    found: dict[str, Floats], marks: Marks, plan: Plan, weights: Weights, limit: int, turns: NDArray[np.bool_]
) -> None:
    """Adds the signals of texts for the best `limit` rows, which come in the order of the first pass, and those of
    dates for the best of these."""
    for name, values in signals.from_text(marks, plan, weights, limit).items():
        found[name] = np.zeros(len(marks.keys), np.float32)
        found[name][: len(values)] = values
    if "told_time" in weights and (plan.traits.wants_time or plan.ranges_us):
        so_far = signals.weigh(found, weights, len(marks.keys), plan.cue.leave_out)[:limit]
        best = np.argsort(-so_far, kind="stable")[: max(DATED, 2 * plan.cue.limit)]
        for name, values in signals.from_dates(marks, plan, best, turns).items():
            found[name] = np.maximum(found[name], values) if name in found else values


def _kept(sources: GatherSources, plan: Plan, noted: Noted) -> tuple[Rows, NDArray[np.bool_]]:
    """Rows of what still holds, or happened, and which of all rows are over and stand behind the rest: ended tasks.

    A question about the past wants everything. Neighbours and graph hits must meet the cue's own filter too.
    """
    keys, ended = noted.keys, noted.ends <= plan.now_us
    holds, over = np.ones(len(keys), np.bool_), np.zeros(len(keys), np.bool_)
    if ended.any() and not looks_back(plan):
        kinds = sources.reading.memories.kinds_of(keys[ended].tolist())
        holds[ended] = over[ended] = [kinds.get(key, "") == "task" for key in keys[ended].tolist()]
    if not plan.cue.filter.empty:
        holds &= sources.reading.search.passing(keys, plan.cue.filter)
    return np.flatnonzero(holds), over


def _best(pool: Pool, at: Rows, said: SaidTexts) -> list[Candidate]:
    """The best rows, with what they say, who said it and to whom."""
    told_agent = among(pool.session[at], pool.session[pool.agent & (pool.session >= 0)]) | (pool.speaker[at] == "")
    columns = (pool.keys[at], pool.speaker[at], pool.turn[at], told_agent, pool.agent[at])
    return [Candidate(key, said, *of_it) for key, *of_it in zip(*(column.tolist() for column in columns), strict=True)]


def _ahead(pool: Pool, at: Rows) -> dict[int, int]:
    turns = at[pool.before[at] != at]
    return dict(zip(pool.keys[turns].tolist(), pool.keys[pool.before[turns]].tolist(), strict=True))


def _drawn_from(pool: Pool, at: Rows) -> dict[int, int]:
    return dict(zip(pool.keys[at].tolist(), pool.keys[pool.origin[at]].tolist(), strict=True))


def _uses(sources: GatherSources, plan: Plan, keys: Rows) -> list[tuple[int, int]]:
    return [] if plan.cue.mode == "relevance" else sources.reading.memories.uses_of(keys.tolist())


def _in_thread(sources: GatherSources, plan: Plan, keys: Rows) -> NDArray[np.bool_]:
    if not plan.cue.thread:
        return np.zeros(len(keys), np.bool_)
    return np.isin(keys, sources.reading.turns.in_thread(keys.tolist(), plan.cue.thread))


def _uncorrected(sources: GatherSources, gathered: Gathered, keys: Rows, order: Rows, now_us: int) -> Rows:
    """Leaves out what was corrected in a context like this one within ninety days."""
    if gathered.vector is None:
        return order
    found = sources.reading.corrections.against(keys[order].tolist(), gathered.space, now_us - CORRECTED_FOR_US)
    if not found:
        return order
    length = float(np.linalg.norm(gathered.vector)) or 1.0
    wrong = [
        key for key, context in found
        if context.shape == gathered.vector.shape
        and float(context @ gathered.vector) > ALIKE * length * (float(np.linalg.norm(context)) or 1.0)
    ]  # fmt: skip
    return order[~np.isin(keys[order], wrong)] if wrong else order


def _once(origin: Rows, turn: NDArray[np.bool_], to_agent: NDArray[np.bool_], order: Rows) -> Rows:
    """Of a turn and what was drawn from it only the first: one fact, one hit. What says many things gives a hit for
    each of them and one for itself, for none of them may be what is asked for.

    What somebody tells an agent in one message are facts of their own: the best two of them stand, or the best one and
    the message, which then comes behind it, and the others behind the first hits. Where many texts have something to
    say, further hits of one stand behind.
    """
    found, counts = np.unique(origin, return_counts=True)
    if len(found) == len(origin):
        return order
    many = set(found[counts > MANY].tolist())
    crowded = len(set(origin[order].tolist())) >= SOURCES
    few = set(found[(counts > 2) & (counts <= MANY)].tolist())
    places = order.tolist()
    kept: list[int] = []
    further: list[int] = []
    spare: list[int] = []
    ahead: set[int | None] = set()
    shown: dict[int, int] = {}
    for at, row in enumerate(places):
        source = int(origin[row])
        if crowded and source in shown:
            further += [row] if source in many or (source in few and to_agent[row]) else []
            continue
        if source in many or source not in shown:
            if turn[row] and source in few and to_agent[row] and not crowded:
                best = next((one for one in places[at + 1 :] if int(origin[one]) == source), None)
                kept += [best] if best is not None else []
                ahead.add(best)
                shown[source] = SIBLINGS
            kept.append(row)
        elif source in few and to_agent[row] and not turn[row] and row not in ahead:
            (kept if shown[source] < SIBLINGS else spare).append(row)
        else:
            continue
        shown[source] = shown.get(source, 0) + 1
    if crowded:
        return np.array([*kept[:SOURCES], *further, *kept[SOURCES:]], np.int64)
    return np.array([*kept[:SPARE_AT], *spare, *kept[SPARE_AT:]], np.int64)


FUSIONS = ("sum", "rank", "max")


def fuse(how: str, told: Mapping[str, Floats], weights: Weights, count: int, leave_out: Sequence[str] = ()) -> Floats:
    """One score per candidate.

    Raises: InvalidInput for a fusion that does not exist.
    """
    if how == "sum":
        return weigh(told, weights, count, leave_out)
    if how == "rank":
        return _ranks(told, count)
    if how == "max":
        return _highest(told, count)
    raise InvalidInput(f"no fusion {how!r}", field="fusion", hint=", ".join(FUSIONS))


def _ranks(told: Mapping[str, Floats], count: int) -> Floats:
    """Reciprocal rank fusion of text and vector, k = 60. What a branch did not find gets nothing from it."""
    total = np.zeros(count, np.float32)
    for name in ("text", "vector"):
        values = told.get(name)
        if values is not None:
            ranks = np.empty(count, np.float32)
            ranks[np.argsort(-values, kind="stable")] = np.arange(1, count + 1)
            total += np.where(values > 0, 1 / (RANK_FUSION_K + ranks), 0).astype(np.float32)
    return total


def _highest(told: Mapping[str, Floats], count: int) -> Floats:
    """The higher of text and 0.85 of the cosine."""
    nothing = np.zeros(count, np.float32)
    cosine = np.multiply(told.get("vector", nothing), np.float32(MAX_FUSION_COSINE))
    found: Floats = np.maximum(told.get("text", nothing), cosine)
    return found


DAY_US = 86_400e6
RECENCY_DAYS = 30.0
SPACING = 0.5


def modulate(
    scores: Floats, marks: Marks | None, plan: Plan, in_thread: NDArray[np.bool_], uses: Sequence[tuple[int, int]] = ()
) -> Floats:
    """Scores under the cue's mode, thread and mood; `uses`, last use and sessions of each, only for other modes.

    Raises: InvalidInput for a mode that does not exist.
    """
    mode = MODES.get(plan.cue.mode)
    if mode is None:
        raise InvalidInput(f"no mode {plan.cue.mode!r}", field="mode", hint=", ".join(MODES))
    semantic, recency, decay, importance, confidence = mode
    blended = scores
    if semantic < 1.0 and marks is not None:
        relevance = _unit(scores)
        event_days = _days(plan.now_us, marks.valid_from_us)
        idle_days = _days(plan.now_us, [accessed_us for accessed_us, _ in uses])
        sessions = np.array([sessions for _, sessions in uses], np.float32)
        parts = (
            (semantic, relevance),
            (recency, np.exp2(-event_days / RECENCY_DAYS)),
            (decay, np.exp(-idle_days / (RECENCY_DAYS * (1 + SPACING * sessions)))),
            (importance, np.array(marks.importance, np.float32)),
            (confidence, np.array(marks.confidence, np.float32)),
        )
        blended = np.zeros(len(scores), np.float32)
        for weight, values in parts:
            blended += np.float32(weight) * values.astype(np.float32)
    if in_thread.any():
        blended = np.where(in_thread, _raised(blended, SAME_THREAD), blended)
    if plan.cue.valence and marks is not None:
        mood = (np.array(marks.valence) * np.array(marks.intensity)).astype(np.float32)
        blended = _raised(blended, 1 + CONGRUENT * np.maximum(0, mood * np.float32(plan.cue.valence)))
    return blended.astype(np.float32)


def _raised(scores: Floats, factor: float | NDArray[np.floating]) -> Floats:
    """Multiplied, whatever the sign: a factor above one always lifts."""
    low = min(0.0, float(scores.min())) if len(scores) else 0.0
    return ((scores - low) * factor + low).astype(np.float32)


def _unit(scores: Floats) -> Floats:
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    return ((scores - low) / max(high - low, 1e-6)).astype(np.float32)


def _days(now_us: int, times_us: Sequence[int]) -> Floats:
    ages = (now_us - np.array(times_us, np.float64)) / DAY_US
    return np.maximum(ages, 0.0).astype(np.float32)


RERANKS = ("none", "mmr", "model", "client")


def vary(scores: Floats, vectors: Floats, wanted: int, balance: float = MMR) -> list[int]:
    """Row numbers by maximal marginal relevance: `balance` on relevance, the rest against likeness."""
    count = len(scores)
    low, high = (float(scores.min()), float(scores.max())) if count else (0.0, 0.0)
    relevance = (scores - min(low, 0.0)) / max(high - min(low, 0.0), 1e-6)
    likeness = np.zeros(count, np.float32)
    left = np.ones(count, np.bool_)
    chosen: list[int] = []
    while len(chosen) < min(wanted, count):
        worth = np.where(left, balance * relevance - (1 - balance) * likeness, -np.inf)
        best = int(np.argmax(worth))
        chosen.append(best)
        left[best] = False
        likeness = np.maximum(likeness, vectors @ vectors[best])
    return [*chosen, *(row for row in np.argsort(-scores, kind="stable").tolist() if left[row])]


def by_model(reranker: Reranker, query: str, texts: Sequence[str]) -> list[int]:
    """Row numbers by a cross-encoder's score, best first.

    Raises: PartUnavailable.
    """
    return [int(row) for row in np.argsort(-reranker.rerank(query, texts), kind="stable")]


def checked_rerank(how: str) -> str:
    """The name of a reranking that exists.

    Raises: InvalidInput.
    """
    if how not in RERANKS:
        raise InvalidInput(f"no rerank {how!r}", field="rerank", hint=", ".join(RERANKS))
    return how
