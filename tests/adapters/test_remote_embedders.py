"""What the OpenAI and Ollama embedders send, and how they answer a server that misbehaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.adapters.scripted_server import ScriptedReply, ScriptedServer

from palazzo.adapters.ollama import OllamaEmbedder
from palazzo.adapters.openai import OpenAIEmbedder
from palazzo.adapters.remote import Endpoint, RemoteModel
from palazzo.errors import PartUnavailable
from palazzo.testing.palace import everything_said

KEY = "key-for-tests-4711"
TEXT = "the text that must not leak"


class Opened:
    """Makes embedders on the test's server and closes them."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self.waits: list[float] = []
        self._made: list[OpenAIEmbedder | OllamaEmbedder] = []

    def openai(self, **model: Any) -> OpenAIEmbedder:
        endpoint = Endpoint(url=f"{self.server.url}/v1", key=KEY)
        made = OpenAIEmbedder(endpoint, RemoteModel(model="m", **model), sleep=self.waits.append)
        self._made.append(made)
        return made

    def ollama(self, **model: Any) -> OllamaEmbedder:
        endpoint = Endpoint(url=self.server.url)
        made = OllamaEmbedder(endpoint, RemoteModel(model="m", **model), sleep=self.waits.append)
        self._made.append(made)
        return made

    def close(self) -> None:
        for made in self._made:
            made.close()


@pytest.fixture
def opened(server: ScriptedServer) -> Iterator[Opened]:
    maker = Opened(server)
    yield maker
    maker.close()


def vectors(*rows: list[float]) -> ScriptedReply:
    """One reply that both kinds of embedder understand."""
    data = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
    return ScriptedReply(value={"data": data, "embeddings": list(rows)})


def test_openai_is_asked_for_the_dimensions_and_given_the_key(opened: Opened) -> None:
    opened.server.script = [vectors([3.0, 4.0])]
    rows = opened.openai(dimensions=2).embed([TEXT])
    (got,) = opened.server.received
    assert got.path == "/v1/embeddings"
    assert got.body == {"model": "m", "input": [TEXT], "encoding_format": "float", "dimensions": 2}
    assert got.headers["Authorization"] == f"Bearer {KEY}"
    assert np.allclose(rows, [[0.6, 0.8]])


def test_ollama_is_asked_at_its_own_address(opened: Opened) -> None:
    opened.server.script = [vectors([3.0, 4.0])]
    rows = opened.ollama(dimensions=2).embed([TEXT])
    (got,) = opened.server.received
    assert got.path == "/api/embed"
    assert got.body == {"model": "m", "input": [TEXT], "truncate": True}
    assert "Authorization" not in got.headers
    assert np.allclose(rows, [[0.6, 0.8]])


def test_openai_replies_are_put_in_order_by_their_index(opened: Opened) -> None:
    data = [{"index": 1, "embedding": [0.0, 1.0]}, {"index": 0, "embedding": [1.0, 0.0]}]
    opened.server.script = [ScriptedReply(value={"data": data})]
    assert np.allclose(opened.openai(dimensions=2).embed(["first", "second"]), [[1.0, 0.0], [0.0, 1.0]])


def test_texts_go_in_batches_and_blank_ones_do_not_go(opened: Opened) -> None:
    opened.server.script = [vectors([1.0, 0.0], [0.0, 1.0]), vectors([1.0, 1.0])]
    rows = opened.ollama(dimensions=2, batch_size=2).embed(["one", " ", "two", "", "three"])
    assert [got.body["input"] for got in opened.server.received] == [["one", "two"], ["three"]]
    assert np.allclose(rows[[0, 2, 4]], [[1, 0], [0, 1], [0.5**0.5, 0.5**0.5]])
    assert not rows[[1, 3]].any()


def test_prompts_are_sent_and_shown_in_the_name(opened: Opened) -> None:
    opened.server.script = [vectors([1.0]), vectors([1.0])]
    prompted = opened.ollama(dimensions=1, text_prompt="doc: ", query_prompt="ask: ")
    prompted.embed(["a"])
    prompted.embed_query("b")
    assert [got.body["input"] for got in opened.server.received] == [["doc: a"], ["ask: b"]]
    assert prompted.name != opened.ollama().name == "ollama/m"
    assert prompted.name == opened.ollama(text_prompt="doc: ", query_prompt="ask: ").name
    assert opened.openai(dimensions=256).name == "openai/m-256"
    assert opened.openai().name == "openai/m"


def test_dimensions_not_given_are_asked_for_once(opened: Opened) -> None:
    opened.server.script = [vectors([1.0, 2.0, 2.0]), vectors([0.0, 1.0, 0.0])]
    embedder = opened.openai()
    assert (embedder.dimensions, embedder.dimensions) == (3, 3)
    assert embedder.embed_query("x").shape == (3,)
    assert len(opened.server.received) == 2
    assert "dimensions" not in opened.server.received[0].body


def test_a_busy_server_is_asked_again_for_texts_but_not_for_a_query(opened: Opened) -> None:
    opened.server.script = [
        ScriptedReply(status=429),
        ScriptedReply(status=503),
        vectors([1.0]),
        ScriptedReply(status=429),
    ]
    embedder = opened.ollama(dimensions=1)
    embedder.embed(["x"])
    assert opened.waits == [0.5, 1.0]
    with pytest.raises(PartUnavailable, match="429"):
        embedder.embed_query("x")
    assert opened.waits == [0.5, 1.0]


def test_a_query_waits_less_long_than_a_batch(opened: Opened) -> None:
    opened.server.script = [ScriptedReply(hang_after=0)]
    with pytest.raises(PartUnavailable, match=r"within 0\.1 s"):
        opened.ollama(dimensions=1, query_timeout_s=0.1).embed_query("x")


@pytest.mark.parametrize(
    "reply",
    [
        ScriptedReply(value={}),
        ScriptedReply(value=[]),
        ScriptedReply(value={"data": "x", "embeddings": "x"}),
        ScriptedReply(value={"data": [{"embedding": None}], "embeddings": [None]}),
        ScriptedReply(value={"data": ["x"], "embeddings": ["x"]}),
        vectors(),
        vectors([1.0, 0.0], [0.0, 1.0]),
        vectors([1.0]),
        vectors([1.0, 0.0, 0.0]),
        vectors([]),
        vectors([0.0, 0.0]),
        ScriptedReply(raw=b'{"data": [{"index": 0, "embedding": [NaN, 1]}], "embeddings": [[Infinity, 1]]}'),
        ScriptedReply(value={"data": [{"embedding": ["a", "b"]}], "embeddings": [["a", "b"]]}),
        ScriptedReply(value={"data": [{"embedding": [[1.0, 2.0]]}], "embeddings": [[[1.0, 2.0]]]}),
        ScriptedReply(value={"error": TEXT}, status=400),
        ScriptedReply(raw=TEXT.encode()),
    ],
)
@pytest.mark.parametrize("kind", ["openai", "ollama"])
def test_a_reply_that_is_not_vectors_of_the_space_is_refused_without_a_leak(
    opened: Opened, reply: ScriptedReply, kind: str
) -> None:
    opened.server.script = [reply]
    embedder = opened.openai(dimensions=2) if kind == "openai" else opened.ollama(dimensions=2)
    with pytest.raises(PartUnavailable) as caught:
        embedder.embed([TEXT])
    assert caught.value.part == f"{kind} embedder m"
    assert TEXT not in everything_said(caught.value)
    assert KEY not in everything_said(caught.value)


def test_a_model_that_changes_its_length_is_found_out(opened: Opened) -> None:
    opened.server.script = [vectors([1.0, 0.0]), vectors([1.0, 0.0, 0.0])]
    embedder = opened.ollama()
    assert embedder.dimensions == 2
    with pytest.raises(PartUnavailable, match="3 dimensions instead of 2"):
        embedder.embed(["x"])
