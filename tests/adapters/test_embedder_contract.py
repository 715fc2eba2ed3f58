"""The Embedder port's promises, held by every embedder there is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.adapters.model_folder import write_model_folder
from tests.adapters.scripted_server import ScriptedServer
from tests.scripted_models import FailingEmbedder

from palazzo.adapters.local_embedder import LocalEmbedder
from palazzo.adapters.ollama import OllamaEmbedder
from palazzo.adapters.openai import OpenAIEmbedder
from palazzo.adapters.remote import Endpoint, RemoteModel
from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.ports import Embedder
from palazzo.testing.models import HashEmbedder

TEXTS = ["the cat goes to sleep", "an old boat", "?!", "Zürich 東京", "a", "the cat goes to sleep"]
BLANKS = ["", " ", "\n\t", "\u3000"]


def fake_vector(text: str) -> list[float]:
    digest = hashlib.sha256(text.encode()).digest()
    return [byte - 127.5 for byte in digest[:24]]


def openai_answer(body: Any) -> Any:
    entries = [{"index": place, "embedding": fake_vector(text)} for place, text in enumerate(body["input"])]
    return {"data": entries[::-1]}


def ollama_answer(body: Any) -> Any:
    return {"embeddings": [fake_vector(text) for text in body["input"]]}


@pytest.fixture(params=["hash", "failing at rest", "wordllama", "local", "openai", "ollama"])
def embedder(request: pytest.FixtureRequest, tmp_path: Path, server: ScriptedServer) -> Iterator[Embedder]:
    model = RemoteModel(model="m", batch_size=2)
    if request.param == "hash":
        yield HashEmbedder()
    elif request.param == "failing at rest":
        yield FailingEmbedder(failing=False)
    elif request.param == "wordllama":
        yield WordLlamaEmbedder()
    elif request.param == "local":
        pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")
        yield LocalEmbedder(write_model_folder(tmp_path / "tiny"))
    elif request.param == "openai":
        server.answer = openai_answer
        openai = OpenAIEmbedder(Endpoint(url=server.url), model)
        yield openai
        openai.close()
    else:
        server.answer = ollama_answer
        ollama = OllamaEmbedder(Endpoint(url=server.url), model)
        yield ollama
        ollama.close()


def test_rows_are_float32_unit_vectors_in_order(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert np.allclose(rows[0], rows[-1], atol=1e-6)
    assert not np.allclose(rows[0], rows[1], atol=1e-2)


def test_a_row_depends_on_its_own_text_alone(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.allclose(together, alone, atol=1e-5)


def test_blank_texts_are_rows_of_zeros_among_the_others(embedder: Embedder) -> None:
    rows = embedder.embed([TEXTS[0], *BLANKS, TEXTS[1]])
    assert not rows[1:-1].any()
    assert np.allclose(rows[[0, -1]], embedder.embed(TEXTS[:2]), atol=1e-5)
    assert not embedder.embed_query(" ").any()


def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_a_query_is_one_vector_of_the_same_space(embedder: Embedder) -> None:
    vector = embedder.embed_query(TEXTS[0])
    assert vector.shape == (embedder.dimensions,)
    assert vector.dtype == np.float32
    assert float(vector @ embedder.embed([TEXTS[0]])[0]) == pytest.approx(1.0, abs=1e-5)


def test_what_was_given_out_is_the_callers_own(embedder: Embedder) -> None:
    first = embedder.embed(TEXTS)
    kept = first.copy()
    first[:] = 9.0
    assert np.allclose(embedder.embed(TEXTS), kept, atol=1e-5)


def test_the_name_is_steady_and_not_empty(embedder: Embedder) -> None:
    assert embedder.name
    assert embedder.name == embedder.name
