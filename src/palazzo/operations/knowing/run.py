"""Operations about what is known as a whole: how well, in summaries, and what stands behind them.

Owns the verdict on a cue: what recall finds for it decides, and how well its domain is known bears on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from math import exp
from typing import Final

from msgspec.structs import replace

from palazzo.mind.summaries import KIND, LEVELS
from palazzo.mind.tree import Domain
from palazzo.model.memory import Memory
from palazzo.model.zone import local, microseconds
from palazzo.operations.context import CallContext
from palazzo.operations.knowing import spec
from palazzo.operations.palace.run import domains_of, part_shown
from palazzo.operations.shared import StoredMemory, moment
from palazzo.recall.read.cue import Cue
from palazzo.store.api import Filter, TextSearch
from palazzo.text.words.parsed import parsed

KNOW: Final = 0.7
"""How sure an answer must be, and how much must bear on the cue, for it to be known and not in part only."""
FIRST: Final = 10
CLEAR: Final = (-0.5, 9.6)
"""How likely the first ten have the answer, by how far the least of them stands below the best: intercept and slope of
a logistic curve, fitted to the questions of two conversations of LoCoMo and looked at on three others."""
DOUBT: Final = 0.2
"""How much less sure an answer is whose domain is old, or full of open questions."""
OWN_SHARE: Final = 0.8
"""How much of what bears on a cue is the answer's own; the rest follows from how well its domain is known."""
DAY_US: Final = 86_400_000_000


def knows(context: CallContext, asked: spec.KnowsParameters) -> spec.KnownCue:
    view = context.view()
    cue = Cue(text=asked.cue, limit=FIRST)
    reply = context.engine.recall(cue, view)
    if not reply.known:
        return spec.KnownCue(verdict="unknown", confidence=0.0, line="Nothing that is remembered answers this.")
    found = context.engine.trees.of(view).domain_of(hit.memory.revision.key for hit in reply.hits)
    domain = next((one for one in domains_of(context, view) if found is not None and one.node.id == found.id), None)
    best = max((hit.relevance for hit in reply.hits), default=0.0)
    sure = 1 - (1 - best) ** 2  # relevance is a careful figure: what has half of it answers more often than not
    bears = sure * (OWN_SHARE + (1 - OWN_SHARE) * (domain.confidence if domain is not None else 0.0))
    doubt = 1 - domain.freshness * (1 - domain.uncertainty) if domain is not None else 0.0
    near = context.engine.recall(replace(cue, min_relevance=0.0), view).hits
    confidence = round(_among_the_first([hit.score for hit in near]) * (1 - DOUBT * doubt), 3)
    verdict = "know" if min(bears, confidence) > KNOW else "partly"
    if domain is None:
        return spec.KnownCue(verdict=verdict, confidence=confidence, line="Something that is remembered may answer it.")
    return spec.KnownCue(
        verdict=verdict, confidence=confidence, domain=domain.node.label,
        node=domain.node.id, memories=domain.memories, gaps=domain.gaps, newest_at=moment(domain.newest_us),
        line=_line(domain, verdict, context.engine.clock.now_us()),
    )  # fmt: skip


def _among_the_first(scores: Sequence[float]) -> float:
    """How likely the answer is among the first ten, where there is one: the further they fall off, the likelier. Fewer
    than ten are all there is."""
    if len(scores) < FIRST or max(scores) <= 0:
        return 1.0
    start, slope = CLEAR
    return 1 / (1 + exp(-start - slope * (1 - min(scores) / max(scores))))


def _line(domain: Domain, verdict: str, now_us: int) -> str:
    days = max(0, (now_us - domain.newest_us) // DAY_US)
    age = "today" if not days else "yesterday" if days == 1 else f"{days} days ago"
    asked = "one question about it is" if domain.gaps == 1 else f"{domain.gaps} questions about it are"
    open_ = f"; {asked} open" if domain.gaps else ""
    sure = "It is known" if verdict == "know" else "It is known in part"
    return f"{sure}: {domain.memories} memories about {domain.node.label}, the newest of {age}{open_}."


def unfold(context: CallContext, asked: spec.UnfoldParameters) -> spec.Unfolded:
    """Raises: NotFound for what is neither a part nor a memory."""
    view = context.view()
    tree = context.engine.trees.of(view)
    node = tree.node(asked.node)
    if node is None:
        return _behind(context, asked)
    with context.engine.store.reading(view) as reading:
        loaded = reading.memories.by_keys(list(node.keys[: asked.limit]))
    below = [one for name in node.children if (one := tree.node(name)) is not None]
    return spec.Unfolded(
        node=node.id, summary=node.summary, parts=tuple(part_shown(one) for one in below),
        memories=tuple(StoredMemory.of(loaded[key]) for key in node.keys if key in loaded),
    )  # fmt: skip


def _behind(context: CallContext, asked: spec.UnfoldParameters) -> spec.Unfolded:
    """What a memory was made of, also what was put away behind it."""
    found = context.memory(asked.node, life="all")
    with context.engine.store.reading(context.view(life="all")) as reading:
        edges = [one for one in reading.edges.of(found.id, "out", 5_000) if one.kind == "derived_from"]
        ids = dict.fromkeys(one.target.memory_id for one in edges)
        memories = [reading.memories.get(one) for one in list(ids)[: asked.limit]]
    memories.sort(key=lambda one: (one.revision.content.valid_from_us or one.created_us, one.id))
    return spec.Unfolded(
        node=str(found.id), summary=found.text, parts=(), memories=tuple(StoredMemory.of(one) for one in memories)
    )


def summaries(context: CallContext, asked: spec.SummariesParameters) -> spec.SummaryList:
    zone = context.engine.zone
    first = local(microseconds(asked.since), zone).date() if asked.since is not None else date.min
    last = local(microseconds(asked.until), zone).date() if asked.until is not None else date.max
    wanted = Filter(kinds=(KIND,))
    with context.engine.store.reading(context.view()) as reading:
        if asked.text:
            search = TextSearch(terms=tuple(parsed(asked.text).terms), field="digest", limit=5 * asked.limit)
            keys = reading.search.text(search).keys.tolist()
        else:
            keys = reading.search.newest(wanted, 5_000)
        memories = reading.memories.by_keys(keys)
        counted = reading.edges.origins(list(memories)) if memories else {}
        order = keys if asked.text else sorted(memories, key=lambda key: (_first(memories[key]), key), reverse=True)
        shown = [_shown(memories[key], len(counted.get(key, ()))) for key in order if key in memories]
    kept = [
        one for one in shown
        if first <= one.first < last and asked.thread in ("", one.thread) and asked.level in ("", one.level)
    ]  # fmt: skip
    return spec.SummaryList(summaries=tuple(kept[: asked.limit]))


def _first(memory: Memory) -> date:
    return date.fromisoformat(str((memory.revision.content.detail.metadata or {})["first"]))


def _shown(memory: Memory, sources: int) -> spec.ShownSummary:
    told = memory.revision.content.detail.metadata or {}
    return spec.ShownSummary(
        id=memory.id, level=LEVELS[int(told["level"])], first=_first(memory), thread=str(told["thread"]),
        text=memory.text, sources=sources,
    )  # fmt: skip
