"""A palace for LlamaIndex: a memory block, and a retriever.

Owns the way between memories and LlamaIndex's messages and nodes. Invariant: a block is empty where nothing known
bears on the conversation, and never longer than its budget.
"""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from palazzo.surfaces.library import Memory


class PalazzoMemoryBlock(BaseMemoryBlock[str]):
    """A block for LlamaIndex's `Memory`: messages that leave the short-term memory are taken in, and what is known for
    the last message comes back.

        block = PalazzoMemoryBlock(memory=Memory("~/palace"), user_id="ada")
        chat = llama_index.core.memory.Memory.from_defaults(memory_blocks=[block])
    """

    name: str = "palazzo"
    memory: Any
    """An open `palazzo.Memory`."""
    user_id: str | None = None
    budget_tokens: int = 1000

    def _owner(self) -> dict[str, Any]:
        return {} if self.user_id is None else {"user_id": self.user_id}

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        asked = next((one for one in reversed(messages or []) if one.role == MessageRole.USER and one.content), None)
        if asked is None:
            return ""
        block = await asyncio.to_thread(
            self.memory.context, asked.content, budget_tokens=self.budget_tokens, **self._owner()
        )
        return block.text if block.hits else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        roles = {MessageRole.USER: "user", MessageRole.ASSISTANT: "assistant"}
        said = [one for one in messages if one.role in roles and (one.content or "").strip()]
        if said:
            turns = [{"role": roles[one.role], "content": one.content} for one in said]
            thread = str(said[-1].additional_kwargs.get("session_id", ""))
            await asyncio.to_thread(self.memory.observe, turns, thread=thread, **self._owner())

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Leaves the block out: a part of it would be told as if it were all that is known."""
        del content, tokens_to_truncate
        return None


class PalazzoNodeRetriever(BaseRetriever):
    """LlamaIndex's retriever over a palace; `recall` holds any argument of `Memory.recall`."""

    def __init__(self, memory: Memory, *, similarity_top_k: int = 4, recall: dict[str, Any] | None = None) -> None:
        self._memory, self._most, self._given = memory, similarity_top_k, recall or {}
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._memory.recall(query_bundle.query_str, limit=self._most, **self._given)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=str(hit.memory.id), text=hit.text,
                    metadata={"address": hit.memory.address, "kind": hit.memory.kind, "trust": hit.trust},
                ),
                score=hit.relevance,
            )
            for hit in hits
        ]  # fmt: skip
