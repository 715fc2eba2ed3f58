"""The test embedders: shared words make texts similar, and failing happens on demand."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from tests.scripted_models import FailingEmbedder

from palazzo.errors import PartUnavailable
from palazzo.testing.models import HashEmbedder


def test_texts_that_share_words_are_nearer() -> None:
    rows = HashEmbedder(256).embed(["the cat sleeps", "THE cat, sleeps!", "the cat runs", "quite different words"])
    assert rows[0] @ rows[1] == pytest.approx(1.0)
    assert 0.5 < rows[0] @ rows[2] < 0.9
    assert rows[0] @ rows[3] < 0.3


def test_vectors_are_the_same_in_another_process() -> None:
    script = "from palazzo.testing.models import HashEmbedder as H; print(H(8).embed_query('a b c').tolist())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(HashEmbedder(8).embed_query("a b c").tolist())


def test_a_failing_embedder_fails_until_it_is_told_not_to() -> None:
    embedder = FailingEmbedder(HashEmbedder(8))
    with pytest.raises(PartUnavailable):
        embedder.embed(["x"])
    with pytest.raises(PartUnavailable):
        embedder.embed_query("x")
    embedder.failing = False
    assert np.array_equal(embedder.embed_query("x"), HashEmbedder(8).embed_query("x"))
    assert embedder.requests == 3
    assert (embedder.name, embedder.dimensions) == ("hash-8", 8)
