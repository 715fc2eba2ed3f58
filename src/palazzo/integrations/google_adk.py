"""A palace for Google's Agent Development Kit: its memory service.

Owns the way between the kit's events and turns. An app and a user of the kit are a project and a user of the palace,
so no app reads another's memory. Invariant: an event that is added twice is taken in once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from palazzo.operations.recall.spec import RecalledMemory
from palazzo.surfaces.library import Memory


class PalazzoMemoryService(BaseMemoryService):
    """The kit's `BaseMemoryService` over a palace.

    runner = Runner(agent=agent, app_name="shop", session_service=..., memory_service=PalazzoMemoryService(memory))
    """

    def __init__(self, memory: Memory, *, most: int = 10) -> None:
        self._memory, self._most = memory, most

    async def add_session_to_memory(self, session: Session) -> None:
        """Takes in what was said in a session; one that is added again brings what is new in it."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self, *, app_name: str, user_id: str, events: Sequence[Event], session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        """Takes in what was said in some events."""
        turns = [turn for event in events if (turn := _turn(event)) is not None]
        if turns:
            beside = None if custom_metadata is None else dict(custom_metadata)
            await asyncio.to_thread(
                self._memory.observe, turns, thread=session_id or "", metadata=beside, **_owner(app_name, user_id)
            )

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        """Keeps memories that were written as such."""
        beside = dict(custom_metadata or {})
        notes = [
            {"text": text, "metadata": {**beside, **entry.custom_metadata}, "speaker": entry.author or ""}
            for entry in memories
            if (text := _words(entry.content)).strip()
        ]
        if notes:
            await asyncio.to_thread(self._memory.remember_many, notes, **_owner(app_name, user_id))

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """What is known for a query, best first."""
        owner = _owner(app_name, user_id)
        hits = await asyncio.to_thread(self._memory.recall, query, limit=self._most, **owner)
        return SearchMemoryResponse(memories=[_entry(hit) for hit in hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forgets one memory; `palazzo restore` brings it back."""
        if memory_id:
            await asyncio.to_thread(self._memory.forget, memory_id, **_owner(app_name, user_id))


def _owner(app_name: str, user_id: str) -> dict[str, Any]:
    return {"project": app_name, "user_id": user_id}


def _turn(event: Event) -> dict[str, Any] | None:
    said = _words(event.content)
    if not said.strip():
        return None
    # The time makes an event that is added again the message it was.
    at = datetime.fromtimestamp(event.timestamp, UTC)
    return {"role": "user" if event.author == "user" else "assistant", "content": said, "at": at}


def _words(content: types.Content | None) -> str:
    return "\n".join(part.text for part in (content.parts or []) if part.text) if content is not None else ""


def _entry(hit: RecalledMemory) -> MemoryEntry:
    found = hit.memory
    return MemoryEntry(
        id=str(found.id), content=types.Content(role="user", parts=[types.Part(text=hit.text)]),
        author=found.speaker or None, timestamp=(found.valid_from or found.created_at).isoformat(),
        custom_metadata={**found.metadata, "address": found.address, "relevance": hit.relevance},
    )  # fmt: skip
