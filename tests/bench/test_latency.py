"""The latency run: every pattern it times answers on a palace it built, and its questions are about that palace."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import numpy as np
from bench.common import Corpus
from bench.latency import DIMENSIONS, build, patterns

from palazzo.adapters.system_clock import SystemClock
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sqlite.palace import SqliteStore


def test_every_timed_pattern_answers_on_a_palace_the_run_built(tmp_path: Path) -> None:
    build(tmp_path / "palace", 200)
    raw = (tmp_path / "palace.ids").read_bytes()
    ids = [UUID(bytes=raw[n : n + 16]) for n in range(0, len(raw), 16)]
    with SqliteStore.open(tmp_path / "palace", SystemClock(), StoreOptions(upkeep=False)) as store:
        asked = patterns(store, ids, Corpus(seed=17, dimensions=DIMENSIONS))
        answers = {name: call() for name, call in asked.items()}
    assert {"recall", "context", "vector", "deep_navigation"} <= answers.keys()


def test_questions_of_one_seed_lie_near_the_vectors_of_another() -> None:
    kept, asked = Corpus(seed=1).vectors(2000), Corpus(seed=2).vectors(20)
    assert np.all((asked @ kept.T).max(axis=1) > 0.5)
