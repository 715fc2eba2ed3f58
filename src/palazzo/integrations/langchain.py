"""A palace for LangChain: a retriever of memories, and the history of a chat.

Owns the way between memories and LangChain's documents and messages. Invariant: a history gives back the messages it
was given, with their ids, tool calls and metadata.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables.config import run_in_executor

from palazzo.integrations.transcript import SpokenItem, Transcript, text_of
from palazzo.operations.recall.spec import RecalledMemory
from palazzo.surfaces.library import Memory


class PalazzoRetriever(BaseRetriever):
    """LangChain's retriever over a palace.

        from palazzo import Memory
        from palazzo.integrations.langchain import PalazzoRetriever
        retriever = PalazzoRetriever(memory=Memory("~/palace"), k=4)
        retriever.invoke("when do we deploy?")

    A document is a memory: its text, its id, and in the metadata its address, place, kind, time, relevance and trust.
    `recall` may hold any further argument of `Memory.recall` (place, kinds, user_id, min_relevance, as_of ...). Where
    nothing is relevant there is no document.
    """

    memory: Any
    """An open `palazzo.Memory`."""
    k: int = 4
    recall: dict[str, Any] | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **given: Any
    ) -> list[Document]:
        del run_manager
        hits = self.memory.recall(query, limit=self.k if k is None else k, **{**(self.recall or {}), **given})
        return [_document(hit) for hit in hits]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **given: Any
    ) -> list[Document]:
        found: list[Document] = await run_in_executor(
            None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **given
        )
        return found


class PalazzoChatMessageHistory(BaseChatMessageHistory):
    """LangChain's history of a chat, kept in a palace; what lasts of it is remembered beyond the chat.

        history = PalazzoChatMessageHistory("chat-17", Memory("~/palace"), user_id="ada")

    With `learn=False` the messages are kept and nothing is drawn from them. `clear` removes the messages of the chat;
    what was learned from them stays.
    """

    def __init__(
        self, session_id: str, memory: Memory | str | os.PathLike[str] | None = None, *, user_id: str | None = None,
        learn: bool = True,
    ) -> None:  # fmt: skip
        opened = memory if isinstance(memory, Memory) else Memory(memory)
        self.session_id = session_id
        self._transcript = Transcript(opened, session_id, _said, learn=learn, user_id=user_id)

    @property
    def messages(self) -> list[BaseMessage]:
        """The messages of the chat, oldest first."""
        return list(messages_from_dict(self._transcript.items()))

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Adds messages at the end."""
        self._transcript.add([message_to_dict(message) for message in messages])

    def clear(self) -> None:
        """Removes the messages of the chat."""
        self._transcript.clear()


def _said(item: dict[str, Any]) -> SpokenItem | None:
    kind = item["type"]
    if kind not in (HumanMessage(content="").type, AIMessage(content="").type):
        return None
    return SpokenItem("user" if kind == "human" else "assistant", text_of(item["data"]["content"]))


def _document(hit: RecalledMemory) -> Document:
    found = hit.memory
    about = {
        "address": found.address, "place": found.place, "kind": found.kind, "created_at": found.created_at.isoformat(),
        "relevance": hit.relevance, "trust": hit.trust, "caveat": hit.caveat,
    }  # fmt: skip
    return Document(page_content=hit.text, id=str(found.id), metadata={**found.metadata, **about})
