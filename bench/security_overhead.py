"""What the guard and the encryption of the whole file cost: paired, question by question.

One palace and its encrypted copy are open in one process. Every question is asked four ways in turn, the order
changing: of the engine alone and through `call` for a gated subject, of the plain palace and of the encrypted one; a
pair sees the machine, and the question, in the same state, after its pages have been read. Times are processor times. A
share is the median over the questions of the one time over the other, less one, with the 95% interval of that median by
order statistics. Reads of one memory and durable writes are paired in the same way.
"""

from __future__ import annotations

import hashlib
import math
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import Corpus
from bench.tenants_world import DIMENSIONS, SPACE, Meaning, Owned, build, engine_of, owned
from palazzo.adapters.system_clock import SystemClock
from palazzo.engine import Engine
from palazzo.model.address import Place
from palazzo.model.capability import Level
from palazzo.model.change import Attachments, PlaceMemory
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.model.scope import Scope
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.context import CallContext
from palazzo.operations.recall.run import recalled
from palazzo.operations.registry import operation
from palazzo.recall.read.cue import Cue
from palazzo.store.sql.memory import memories
from palazzo.store.sql.port import OpenOptions, StoreOptions
from palazzo.store.sqlite.encryption import convert
from palazzo.store.sqlite.palace import FILE, SqliteStore

KEY = hashlib.sha256(b"bench").digest()
CALLER = Caller(subject="agent:primary", scope=Scope.of(project="p3"))
Way = Callable[[int], object]


def overhead(count: int, asked: int) -> dict[str, Any]:
    """Shares of the guard and of encryption, for a recall, a read and a write."""
    with tempfile.TemporaryDirectory() as base:
        plain, locked, meaning = Path(base) / "plain", Path(base) / "encrypted", Meaning()
        chosen = owned(count)
        build(plain, chosen, meaning, bare=True).engine.close()
        locked.mkdir()
        shutil.copyfile(plain / FILE, locked / FILE)
        convert(locked / FILE, OpenOptions(), OpenOptions(key=KEY))
        with _opened(plain, meaning, None) as first, _opened(locked, meaning, KEY) as second:
            return {"memories": count, "questions": asked, **_measured(first, second, chosen, asked)}


def _opened(folder: Path, meaning: Meaning, key: bytes | None) -> Engine:
    clock = SystemClock()
    return engine_of(
        SqliteStore.open(folder, clock, StoreOptions(file=OpenOptions(key=key), upkeep=False)), clock, meaning
    )


def _measured(first: Engine, second: Engine, chosen: Sequence[Owned], asked: int) -> dict[str, Any]:
    rng, corpus = random.Random(9), Corpus(seed=23, dimensions=DIMENSIONS)
    cues = [f"{rng.choice(chosen).word} {corpus.question()}" for _ in range(asked)]
    seen = [one for one in chosen if one.scope.is_prefix_of(CALLER.scope)]
    picked = [rng.choice(seen) for _ in range(asked)]
    recalls = (_alone(first, cues), _guarded(first, cues), _alone(second, cues), _guarded(second, cues))
    # Whoever asks first reads the question's pages for all: an untimed call of each palace does that.
    warm = (_alone(first, cues, "a"), _alone(second, cues, "a"))
    alone, guarded, locked, locked_guarded = _in_turn(recalls, asked, warm)
    reads = _in_turn((_read(first, picked), _read(second, picked)), asked)
    writes = _in_turn((_write(first), _write(second)), min(asked, 200))
    return {
        "recall_ms": {
            "plain": {"engine": _median_ms(alone), "guard": _median_ms(guarded)},
            "encrypted": {"engine": _median_ms(locked), "guard": _median_ms(locked_guarded)},
        },
        "guard": {"plain": _share(alone, guarded), "encrypted": _share(locked, locked_guarded)},
        "guard_adds_ms": round(float(np.median(np.subtract(guarded, alone))) * 1000, 3),
        "encryption": {"recall": _share(alone, locked), "read": _share(*reads), "write": _share(*writes)},
    }


def _alone(engine: Engine, cues: Sequence[str], own: str = "b") -> Way:
    """The engine's own answer in the view and the form that the guarded call gives; its last word is its own, so that
    neither is answered from what the other left in the cache."""
    allowed = engine.guard.access(CALLER.subject)
    view = CallContext(engine, operation("recall"), CALLER, allowed, CALLER.scope, Level.read_public).view()
    return lambda number: recalled(engine.recall(Cue(text=f"{cues[number]} {own}{number}"), view))


def _guarded(engine: Engine, cues: Sequence[str]) -> Way:
    return lambda number: call(engine, CALLER, "recall", {"cue": f"{cues[number]} w{number}"})


def _read(engine: Engine, picked: Sequence[Owned]) -> Way:
    allowed = engine.guard.access(CALLER.subject)
    view = CallContext(engine, operation("get"), CALLER, allowed, CALLER.scope, Level.read_public).view()

    def read(number: int) -> object:
        with engine.store.reading(view) as reading:
            return memories.get(reading, picked[number].id)

    return read


def _write(engine: Engine) -> Way:
    corpus = Corpus(seed=43, dimensions=DIMENSIONS)

    def write(number: int) -> object:
        memory_id = new_id(time.time_ns() // 1000)
        return engine.store.commit([PlaceMemory(
            memory_id=memory_id, place=Place(("work", "new")), name=f"new-{number}", kind="fact",
            content=RevisionDraft(text=corpus.texts(1)[0]),
            attachments=Attachments(vectors={SPACE: corpus.vectors(1)[0]}),
        )])  # fmt: skip

    return write


def _in_turn(ways: Sequence[Way], rounds: int, warm: Sequence[Way] = ()) -> list[list[float]]:
    """Processor seconds of each way, round by round; every way stands in every place of the order equally often.

    What is to warm runs first in each round, untimed; the first fifth of the rounds is left out.
    """
    times: list[list[float]] = [[] for _ in ways]
    for number in range(rounds):
        for one in warm:
            one(number)
        first = number // 2 % len(ways)
        order = [*range(first, len(ways)), *range(first)]
        for which in reversed(order) if number % 2 else order:
            began = time.process_time()
            ways[which](number)
            times[which].append(time.process_time() - began)
    return [one[rounds // 5 :] for one in times]


def _median_ms(seconds: Sequence[float]) -> float:
    return round(float(np.median(seconds)) * 1000, 3)


def _share(base: Sequence[float], other: Sequence[float]) -> dict[str, float]:
    """The median of the paired ratios, less one, and the interval of that median."""
    ratios = np.sort(np.divide(other, base)) - 1
    reach = 1.96 * math.sqrt(len(ratios)) / 2
    low, high = max(0, math.floor(len(ratios) / 2 - reach)), min(len(ratios) - 1, math.ceil(len(ratios) / 2 + reach))
    return {
        "share": round(float(np.median(ratios)), 4), "low": round(float(ratios[low]), 4),
        "high": round(float(ratios[high]), 4),
    }  # fmt: skip
