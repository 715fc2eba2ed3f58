"""The reads that recall ranks by: per-term scores, the turns around, marks, activation along edges, origins."""

from __future__ import annotations

import numpy as np
import pytest

from palazzo.model.capability import View
from palazzo.model.change import Attachments
from palazzo.model.message import Turn
from palazzo.store.index.text import index as text_index
from palazzo.store.sql import indexes
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.palace import place_memory


def talk(store: SqliteStore, *texts: str, session: str = "s") -> list[int]:
    changes = [
        place_memory(text, kind="exchange", attachments=Attachments(turn=Turn("t", session, speaker="Olga")))
        for text in texts
    ]
    store.commit(changes)
    with store.reading(View()) as reading:
        return [reading.memories.get(change.memory_id).revision.key for change in changes]


def test_scores_per_term_add_up_to_the_score(store: SqliteStore) -> None:
    store.commit([place_memory("red fox jumps"), place_memory("red dog"), place_memory("grey wolf")])
    with store.reading(View()) as reading:
        scopes = tuple(indexes.partition(scope) for scope in reading.scopes)
        query = text_index.TextQuery(partitions=scopes, terms=("red", "fox", "nowhere", "red"))
        keys = np.array([1, 2, 3], np.int64)
        parts = text_index.term_scores(reading.tables, store.text_cache, query, keys)
        whole = text_index.score(reading.tables, store.text_cache, query, keys)
    assert parts.shape == (3, 3)
    assert parts.sum(axis=0) == pytest.approx(whole, abs=1e-5)
    assert not parts[2].any()
