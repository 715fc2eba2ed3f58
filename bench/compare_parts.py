"""What each system is asked to do: find evidence, prefer the current value, and carry weight.

Owns the three measurements of `bench.compare` for one system. Invariant: nothing here knows which system it measures.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, groupby
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import Corpus, percentiles, rss_mb
from bench.conversations import Conversation, locomo
from bench.peers import open_system
from bench.peers.system import Ask, Item, Opened, SharedEmbedder, System
from bench.retrieval import interval, minilm_folder, ndcg, share
from bench.update_cases import CORPORA
from mnemon.intake.values import Message

DEPTH = 20
SEED = 11
BATCH = 500
QUESTIONS = 300
FIRST = 5


def shared(given: argparse.Namespace) -> SharedEmbedder:
    return SharedEmbedder(minilm_folder() if given.embedder == "minilm" else given.embedder)


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
    for conversation in locomo(given.data):
        with fresh(name, embedder) as (system, _):
            version, keeps = system.version, system.keeps
            items = items_of(conversation)
            seconds += fill(system, items)
            added += len(items)
            asked = list(conversation.questions)
            if given.questions and len(asked) > given.questions:
                asked = random.Random(SEED).sample(asked, given.questions)
            system.search(Ask(asked[0].text, conversation.now_us), DEPTH)
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
        "turns_per_s": round(added / seconds), "rss_mb": rss_mb(),
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
        "by_corpus": {corpus: round(float(np.mean([row[0] for row in some])), 4) for corpus, some in rows.items()},
    }  # fmt: skip


def _item(message: Message, *, remembered: bool) -> Item:
    return Item(
        message.label, message.text, message.speaker, message.role, message.session, message.at_us or 0, remembered
    )


def scale(given: argparse.Namespace, name: str) -> dict[str, Any]:
    """Writes, recall, disk, memory, cold start and a kill, at a size."""
    embedder = shared(given)
    corpus = Corpus()
    texts = corpus.texts(given.memories)
    items = [Item(f"m{n}", text, session=f"s{n // BATCH}") for n, text in enumerate(texts)]
    with fresh(name, embedder) as (system, folder):
        embedder.vectors(["warm"])
        began = time.perf_counter()
        for start in range(0, len(items), BATCH):
            system.add(items[start : start + BATCH])
        batch_per_s = len(items) / (time.perf_counter() - began)
        singles = [Item(f"one{n}", text, session="singles") for n, text in enumerate(corpus.texts(2_000))]
        times = timed(system.add_one, singles, given.seconds)
        began = time.perf_counter()
        system.search(Ask(corpus.question()), 10)
        first_s = time.perf_counter() - began
        asked = [Ask(corpus.question()) for _ in range(QUESTIONS)]
        found = timed(lambda ask: system.search(ask, 10), asked, given.seconds * 3)
        result = {
            "version": system.version, "keeps": system.keeps, "batch_per_s": round(batch_per_s),
            "single_per_s": round(len(times) / sum(times)), "single": percentiles(times),
            "first_search_after_load_ms": round(first_s * 1000, 1), "recall": percentiles(found),
            "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1), "rss_mb": rss_mb(),
        }  # fmt: skip
        system.close()
        result["disk_bytes_per_memory"] = round(disk(folder) / (given.memories + len(times)))
        result["cold_start_ms"] = aside("cold", name, str(folder), embedder.name)
    with tempfile.TemporaryDirectory() as inner:
        result["kill"] = killed(name, Path(inner), embedder.name)
    return result


def timed(act: Callable[[Any], object], over: Sequence[Any], seconds: float) -> list[float]:
    """Seconds of each call, until all are done or the time is up."""
    times: list[float] = []
    ends = time.perf_counter() + seconds
    for one in over:
        began = time.perf_counter()
        act(one)
        times.append(time.perf_counter() - began)
        if began > ends:
            break
    return times


def disk(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def aside(*words: str) -> str:
    """Runs one of the errands below in a new interpreter and returns its last line."""
    done = subprocess.run([sys.executable, "-m", __name__, *words], capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines else "failed: " + (done.stderr.strip().splitlines() or ["said nothing"])[-1]


def note(number: int) -> Item:
    return Item(f"k{number}", f"note number {number} about subject{number}", session="kill")


def cold(system: Callable[[], System]) -> None:
    """Open and first answer in a new process; the system's imports count, the interpreter's start does not."""
    began = time.perf_counter()
    system().search(Ask(Corpus().question()), 10)
    print(round((time.perf_counter() - began) * 1000, 1), flush=True)


def write(system: Callable[[], System]) -> None:
    """Writes one by one and says so after each, until somebody kills it."""
    opened = system()
    for number in count():
        opened.add_one(note(number))
        print(number, flush=True)


def missing(system: Callable[[], System], acknowledged: int) -> None:
    """How many of the notes that were acknowledged are not found."""
    opened, lost = system(), 0
    for number in range(acknowledged):
        found = opened.search(Ask(note(number).text), 20)
        lost += note(number).id not in found and note(number).text not in found
    print(lost, flush=True)


def killed(name: str, folder: Path, embedder: str, least: int = 40) -> dict[str, Any]:
    """Writes one by one in a process that is killed; what was acknowledged must be found afterwards."""
    command = [sys.executable, "-m", __name__, "write", name, str(folder), embedder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        if process.stdout is None:
            raise RuntimeError("the writer has no output")
        lines = [line for line, _ in zip(process.stdout, range(least), strict=False)]
        process.kill()
        lines += list(process.stdout)
    acknowledged = sum(line.endswith("\n") and line.strip().isdigit() for line in lines)
    return {"acknowledged": acknowledged, "missing": aside("missing", name, str(folder), embedder, str(acknowledged))}


def main() -> None:
    errand, name, folder, embedder, *rest = sys.argv[1:]

    def system() -> System:
        return open_system(name, Opened(Path(folder), SharedEmbedder(embedder)))

    if errand == "cold":
        cold(system)
    elif errand == "write":
        write(system)
    else:
        missing(system, int(rest[0]))
    sys.stdout.flush()
    os._exit(0)  # some peers keep threads that never end


if __name__ == "__main__":
    main()
