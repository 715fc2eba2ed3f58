"""LangChain's standard tests of retrievers, from the package langchain-tests."""

from __future__ import annotations

import tempfile
from typing import Any

import pytest

pytest.importorskip("langchain_tests", reason="langchain_tests is not installed: make integrations")

from langchain_tests.integration_tests import RetrieversIntegrationTests

from palazzo import Memory
from palazzo.integrations.langchain import PalazzoRetriever


class TestPalazzoRetriever(RetrieversIntegrationTests):
    """The standard tests over a palace with three memories that answer the example."""

    @property
    def retriever_constructor(self) -> type[PalazzoRetriever]:
        return PalazzoRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        memory = Memory(tempfile.mkdtemp(prefix="palace-"))
        memory.remember_many([
            "Deploys to production happen on Tuesdays.", "Deploys are announced in the harbour channel.",
            "A deploy needs two reviewers.", "Deploys stop in December.",
        ])  # fmt: skip
        return {"memory": memory}

    @property
    def retriever_query_example(self) -> str:
        return "deploys"
