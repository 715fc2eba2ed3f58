"""What each system is asked to find: the evidence for a question, and the current value after an update.

Owns these two measurements of `bench.compare` for one system; `each` in a result holds the figure of every question, so
that systems can be compared question by question. Invariant: nothing here knows which system it measures.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from bench import locomo_file
from bench.common import percentiles
from bench.conversations import Conversation
from bench.peers import open_system
from bench.peers.system import Ask, Item, Opened, SharedEmbedder, System
from bench.retrieval import embedder_of, interval, ndcg, share
from bench.update_cases import CORPORA
from palazzo.model.message import Message

DEPTH = 20
SEED = 11
FIRST = 5
WARM = "Which harbour did the lighthouse keeper paint?"
"""Asked before the clock starts; none of the questions, for an answer may be remembered."""


def shared(given: argparse.Namespace) -> SharedEmbedder:
    """The embedder; a model's vectors are kept for the systems that follow, the built-in one needs no such help."""
    if given.embedder == "builtin":
        return SharedEmbedder("builtin")
    return SharedEmbedder(embedder_of(given.embedder), given.cache)


@contextmanager
def fresh(name: str, embedder: SharedEmbedder) -> Iterator[tuple[System, Path]]:
    """A system in an empty folder."""
    folder = Path(tempfile.mkdtemp(prefix=f"bench-{name}-"))
    try:
        yield open_system(name, Opened(folder, embedder)), folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def items_of(conversation: Conversation) -> list[Item]:
    return [
        Item(line.id, line.text, line.speaker, line.role, line.session, line.at_us) for line in conversation.lines
    ]  # fmt: skip


def fill(system: System, items: Sequence[Item]) -> float:
    """Adds a conversation session by session; returns the seconds it took."""
    began = time.perf_counter()
    for _, session in groupby(items, key=lambda item: item.session):
        system.add(list(session))
    return time.perf_counter() - began


def retrieval(given: argparse.Namespace, name: str) -> dict[str, Any]:
    """How much of the gold evidence is among the first hits."""
    embedder, rows, times = shared(given), [], []
    added, seconds, version, keeps = 0, 0.0, "", ""
    for conversation in locomo_file.read(given.data):
        with fresh(name, embedder) as (system, _):
            version, keeps = system.version, system.keeps
            items = items_of(conversation)
            seconds += fill(system, items)
            added += len(items)
            asked = list(conversation.questions)
            if given.questions and len(asked) > given.questions:
                asked = random.Random(SEED).sample(asked, given.questions)
            system.search(Ask(WARM, conversation.now_us), DEPTH)
            for question in asked:
                began = time.perf_counter()
                found = system.search(Ask(question.text, conversation.now_us), DEPTH)
                times.append(time.perf_counter() - began)
                rows.append((found, question.gold))
            system.close()
    r10 = [share(found, gold, 10) for found, gold in rows]
    return {
        "version": version, "keeps": keeps, "n": len(rows),
        **{f"r@{k}": round(float(np.mean([share(f, g, k) for f, g in rows])), 4) for k in (5, 10, 20)},
        "r@10_interval": interval(r10), "any@10": round(float(np.mean([r > 0 for r in r10])), 4),
        "all@10": round(float(np.mean([r == 1 for r in r10])), 4),
        "ndcg@10": round(float(np.mean([ndcg(f, g) for f, g in rows])), 4),
        **{key: value for key, value in percentiles(times).items() if key != "n"},
        **({} if given.cache else {"turns_per_s": round(added / seconds)}), "each": [round(one, 4) for one in r10],
    }  # fmt: skip


def updates(given: argparse.Namespace, name: str) -> dict[str, Any]:
    """After an update: is the new value found, and is the old one gone from the first five?"""
    embedder, version = shared(given), ""
    rows: dict[str, list[tuple[bool, bool, bool]]] = {}
    for corpus, stories in CORPORA.items():
        told = list(stories(given.data))
        if given.questions and len(told) > given.questions:
            told = random.Random(SEED).sample(told, given.questions)
        for story in told:
            with fresh(name, embedder) as (system, _):
                version = system.version
                fill(system, [_item(message, remembered=story.remembered) for message in story.told])
                for asked in story.asked:
                    first = set(system.search(Ask(asked.question, story.now_us), DEPTH)[:FIRST])
                    gone, there = not asked.old & first, bool(asked.new & first)
                    rows.setdefault(corpus, []).append((gone and there, gone, there))
                system.close()
    together = [row for some in rows.values() for row in some]
    names = ("correct", "old_not_in_first_5", "new_in_first_5")
    shares = {key: round(float(np.mean([row[n] for row in together])), 4) for n, key in enumerate(names)}
    return {
        "version": version, "n": len(together), **shares,
        "correct_interval": interval([float(row[0]) for row in together]),
        "each": [float(row[0]) for row in together],
        "by_corpus": {corpus: round(float(np.mean([row[0] for row in some])), 4) for corpus, some in rows.items()},
    }  # fmt: skip


def _item(message: Message, *, remembered: bool) -> Item:
    return Item(
        message.label, message.text, message.speaker, message.role, message.session, message.at_us or 0, remembered
    )
