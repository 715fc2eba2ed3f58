"""Whether the palace knows what it knows: the confidence `knows` states against the answers measured, and what the one
paragraph over everything is worth.

Used by bench/mind.py. A question falls into the domain its nearest memories are in. Told for each level: Pearson's
correlation of what was stated and what was answered over the parts with enough questions, weighted by them, with how
far it moves when parts are drawn again; `alike`, how well one half of a part's questions foretells the other half,
which says how much of the difference between parts is theirs and not chance; and over single questions how often an
answered one was stated surer than one that was not (`ranked`, 0.5 is chance; among those that recall had an answer for:
`ranked_known`) and the mean square of what was stated less what came (`off`).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from bench.conversations import Conversation
from bench.sources import answering, labels, mean
from palazzo import Memory
from palazzo.model.capability import View
from palazzo.recall.read.cue import Cue
from palazzo.text.words.tokens import estimate_tokens

ENOUGH = 8
"""Questions that a part needs for its share of answers to mean something."""
DRAWS = 1000
ORDERS = 20
"""Orders of the domains that are drawn for a question, to say what chance gives."""
Stated = dict[str, list[tuple[float, float]]]
"""By domain or cluster what `knows` stated of each question that fell into it, and whether it was answered."""


def stated_of(memory: Memory, conversation: Conversation, *, sessions: bool) -> dict[str, Stated]:
    """What `knows` states beside what recall answers within ten. A question falls where the nearest memories are,
    whether or not they answer it; one that nothing answers counts as not answered."""
    tree = memory.engine.trees.of(View())
    clusters = {key: one.id for one in tree.clusters for key in one.keys}
    found: dict[str, Stated] = {"domains": defaultdict(list), "clusters": defaultdict(list)}
    for question in conversation.questions:
        cue = Cue(text=question.text, limit=10, now_us=conversation.now_us)
        hits = memory.engine.recall(cue).hits
        good = bool(question.gold) and any(answering(memory, conversation, question, hits, sessions=sessions))
        near = [one.memory.revision.key for one in memory.engine.recall(replace(cue, min_relevance=0.0)).hits]
        row = (memory.knows(question.text).confidence, float(good))
        if (domain := tree.domain_of(near)) is not None:
            found["domains"][f"{conversation.name} {domain.id}"].append(row)
        if home := next((clusters[key] for key in near if key in clusters), ""):
            found["clusters"][f"{conversation.name} {home}"].append(row)
    return found


def correlation(rows: Sequence[tuple[float, float, float]]) -> float:
    """Pearson's correlation of the first two, weighted by the third."""
    stated, answered, weight = (np.array(column, float) for column in zip(*rows, strict=True))
    centred = [column - np.average(column, weights=weight) for column in (stated, answered)]
    spread = np.sqrt(np.average(centred[0] ** 2, weights=weight) * np.average(centred[1] ** 2, weights=weight))
    return float(np.average(centred[0] * centred[1], weights=weight) / spread) if spread else 0.0


def confidence(stated: Stated) -> dict[str, Any]:
    """Whether the confidence stated goes with the answers measured, over parts with enough questions to say so."""
    told = {name: some for name, some in stated.items() if len(some) >= ENOUGH}
    rows = sorted((mean([a for a, _ in some]), mean([b for _, b in some]), len(some)) for some in told.values())
    every = [row for some in stated.values() for row in some]
    found: dict[str, Any] = {"parts": len(rows), "questions": sum(row[2] for row in rows), "rows": rows}
    if every:
        found |= {
            "ranked": ranked(every), "ranked_known": ranked([row for row in every if row[0] > 0]),
            "off": round(float(np.mean([(a - b) ** 2 for a, b in every])), 4),
        }  # fmt: skip
    if len(rows) > 2:
        chance = np.random.default_rng(5)
        drawn = sorted(
            correlation([rows[one] for one in chance.integers(0, len(rows), len(rows))]) for _ in range(DRAWS)
        )
        found |= {
            "correlation": round(correlation(rows), 3), "from": round(drawn[DRAWS // 20], 3),
            "to": round(drawn[-DRAWS // 20 - 1], 3), "alike": alike([[b for _, b in some] for some in told.values()]),
        }  # fmt: skip
    return found


def ranked(rows: Sequence[tuple[float, float]]) -> float:
    """How often something that came was stated surer than something that did not."""
    came, not_ = (np.array([a for a, b in rows if bool(b) is wanted]) for wanted in (True, False))
    if not len(came) or not len(not_):
        return -1.0
    difference = came[:, None] - not_[None, :]
    return round(float(np.mean((difference > 0) + 0.5 * (difference == 0))), 3)


def alike(parts: Sequence[Sequence[float]]) -> float:
    """The correlation of one half of each part's answers with the other half, over many ways to halve them."""
    chance = np.random.default_rng(5)
    found = []
    for _ in range(200):
        rows = []
        for some in parts:
            mixed = chance.permutation(np.array(some))
            half = len(mixed) // 2
            rows.append((float(mixed[:half].mean()), float(mixed[half:].mean()), float(len(mixed))))
        found.append(correlation(rows))
    return round(float(np.mean(found)), 3)


def paragraph(memory: Memory, conversation: Conversation, *, sessions: bool) -> dict[str, float]:
    """What a reader of the one paragraph knows of where to look: the domains put in order by the words it has for each,
    against the order in which full recall comes upon them; by the gain of the domains that hold an answer (NDCG).

    Beside it what needs no paragraph: the largest domains first, whatever is asked, and any order (chance)."""
    tree = memory.engine.trees.of(View())
    if tree.whole is None:
        return {}
    named = tree.whole.summary.partition(": ")[2].rstrip(". ").split("; ")
    domains = [memory.engine.trees.of(View()).node(one) for one in tree.whole.children]
    order = [one for one in domains if one is not None]
    words = _vectors(memory, [*named, *("" for _ in order[len(named) :])])
    home = {key: place for place, one in enumerate(order) for key in one.keys}
    holds = _holding(memory, conversation, home, sessions=sessions)
    largest = sorted(range(len(order)), key=lambda place: (-len(order[place].keys), place))
    chance = random.Random(7)
    shares: list[tuple[float, ...]] = []
    tokens: list[int] = []
    for question in conversation.questions:
        wanted = {home for label in question.gold for home in holds.get(label, ())}
        if not wanted:
            continue
        cue = Cue(text=question.text, limit=50, now_us=conversation.now_us, min_relevance=0.0)
        found = memory.engine.recall(cue).hits
        tokens.append(sum(estimate_tokens(one.text) for one in found[:10]))
        hits = [home.get(one.memory.revision.key, -1) for one in found]
        full = list(dict.fromkeys(one for one in hits if one >= 0))
        near = np.argsort(-(words @ _vectors(memory, [question.text])[0]), kind="stable").tolist()
        drawn = [_ndcg(chance.sample(largest, len(largest)), wanted) for _ in range(ORDERS)]
        shares.append((_ndcg(near, wanted), _ndcg(full, wanted), _ndcg(largest, wanted), mean(drawn)))
    by_words, full_recall, by_size, by_chance = (mean(list(column)) for column in zip(*shares, strict=True))
    whole = sum(estimate_tokens(text) for text in _texts(memory, list(home)))
    return {
        "domains": len(order), "named": round(len([one for one in named if one]) / len(order), 3),
        "ndcg_paragraph": by_words, "ndcg_full": full_recall, "ndcg_largest_first": by_size, "ndcg_chance": by_chance,
        "share_of_ndcg": round(by_words / max(1e-9, full_recall), 3),
        "share_of_tokens": round(tree.whole.tokens / max(1, whole), 4),
        "tokens": tree.whole.tokens, "tokens_of_ten_hits": mean(tokens),
    }  # fmt: skip


def _vectors(memory: Memory, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return next(iter(memory.engine.spaces.embed(texts).by_space.values()))


def _texts(memory: Memory, keys: Sequence[int]) -> list[str]:
    with memory.engine.store.reading(View()) as reading:
        return [one.text for one in reading.memories.by_keys(keys).values()]


def _holding(
    memory: Memory, conversation: Conversation, home: dict[int, int], *, sessions: bool
) -> dict[str, set[int]]:  # fmt: skip
    """By turn (or session) the domains that have something made of it."""
    found: dict[str, set[int]] = defaultdict(set)
    with memory.engine.store.reading(View()) as reading:
        loaded = reading.memories.by_keys(list(home))
        for key, told in zip(loaded, labels(memory, [one.id for one in loaded.values()]), strict=True):
            for one in told:
                name = conversation.ids.get(one, "") if sessions else one
                found[name].add(home[key])
    return found


def _ndcg(order: Sequence[int], wanted: set[int]) -> float:
    gain = sum(1 / np.log2(place + 2) for place, one in enumerate(order) if one in wanted)
    best = sum(1 / np.log2(place + 2) for place in range(len(wanted)))
    return float(gain / best)
