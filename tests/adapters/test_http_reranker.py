from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.adapters.scripted_server import ScriptedReply, ScriptedServer

from palazzo.adapters.http_reranker import HttpReranker
from palazzo.adapters.remote import Endpoint
from palazzo.errors import PartUnavailable


@pytest.fixture
def reranker(server: ScriptedServer) -> Iterator[HttpReranker]:
    made = HttpReranker(Endpoint(url=f"{server.url}/v1"), "m", sleep=lambda _: None)
    yield made
    made.close()


@pytest.mark.parametrize("field", ["relevance_score", "score"])
def test_scores_come_back_in_the_order_of_the_texts(server: ScriptedServer, reranker: HttpReranker, field: str) -> None:
    server.script.append(ScriptedReply(value={"results": [{"index": 1, field: 0.9}, {"index": 0, field: 0.2}]}))
    assert reranker.rerank("who?", ["a", "b"]).tolist() == pytest.approx([0.2, 0.9])
    assert reranker.name == "rerank/m"


@pytest.mark.parametrize(
    "value",
    [{}, [], {"results": [{"index": 0, "score": 1}]}, {"results": [{"index": 7, "score": 1}, "x", {"index": "0"}]}],
)
def test_a_reply_that_leaves_texts_out_is_a_failure(
    server: ScriptedServer, reranker: HttpReranker, value: object
) -> None:
    server.script.append(ScriptedReply(value=value))
    with pytest.raises(PartUnavailable):
        reranker.rerank("who?", ["a", "b"])
