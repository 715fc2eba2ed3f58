"""What plugin authors check their parts with: each function fails with what the port promises and the part does not.

from palazzo.testing.plugins import check_embedder

def test_my_embedder_keeps_the_contract():
    check_embedder(MyEmbedder())
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from palazzo.persona.providers import SECTIONS
from palazzo.porting.files import Entry, Limits, Unread
from palazzo.ports import ContextProvider, Embedder, Reranker

_TEXTS = ("The harbour opens at six.", "", "港は六時に開く。", "a" * 500)


def check_embedder(embedder: Embedder) -> None:
    """Rows of length 1 in the order of the texts, zeros for a blank one, and each text's row its own.

    Raises: AssertionError.
    """
    assert embedder.name  # noqa: S101 - these are the checks
    rows = embedder.embed(_TEXTS)
    assert rows.shape == (len(_TEXTS), embedder.dimensions), "one row per text"  # noqa: S101
    assert rows.dtype == np.float32, "rows are float32"  # noqa: S101
    lengths = np.linalg.norm(rows, axis=1)
    assert np.allclose(lengths, [0.0 if not text.strip() else 1.0 for text in _TEXTS], atol=1e-3), "unit length"  # noqa: S101
    alone = np.concatenate([embedder.embed([text]) for text in _TEXTS])
    assert np.allclose(alone, rows, atol=1e-4), "a row depends on its own text alone"  # noqa: S101
    assert embedder.embed([]).shape == (0, embedder.dimensions), "no texts, no rows"  # noqa: S101
    assert embedder.embed_query(_TEXTS[0]).shape == (embedder.dimensions,), "a cue is one row"  # noqa: S101


def check_reranker(reranker: Reranker) -> None:
    """One finite score per text.

    Raises: AssertionError.
    """
    assert reranker.name  # noqa: S101
    scores = np.asarray(reranker.rerank("when does the harbour open?", _TEXTS))
    assert scores.shape == (len(_TEXTS),), "one score per text"  # noqa: S101
    assert np.isfinite(scores).all(), "scores are numbers"  # noqa: S101


def check_context_provider(provider: ContextProvider) -> None:
    """A text for any message, for a section there is.

    Raises: AssertionError.
    """
    assert provider.name  # noqa: S101
    assert provider.section in SECTIONS, f"a section is one of {', '.join(SECTIONS)}"  # noqa: S101
    for message in _TEXTS:
        assert isinstance(provider.provide(message), str), "a text, empty for nothing"  # noqa: S101


def check_importer(read: Callable[[Path, int, Limits], Iterable[Any]], sample: Path, now_us: int) -> list[Entry]:
    """The entries of a sample, each with a text and an id of its own that is the same on every reading.

    Raises: AssertionError.
    """
    found = list(read(sample, now_us, Limits()))
    assert all(isinstance(item, Entry | Unread) for item in found), "a reader gives entries and what is unread"  # noqa: S101
    entries = [item for item in found if isinstance(item, Entry)]
    assert entries, "the sample has entries"  # noqa: S101
    assert all(entry.text.strip() for entry in entries), "an entry has a text"  # noqa: S101
    assert len({entry.id for entry in entries}) == len(entries), "an entry has an id of its own"  # noqa: S101
    assert [item.id for item in read(sample, now_us, Limits())] == [item.id for item in found], "ids stay"  # noqa: S101
    return entries
