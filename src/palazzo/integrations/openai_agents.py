"""A palace for the OpenAI Agents SDK: the session of a conversation, and tools to remember and recall.

Owns the way between the SDK's items and turns. Invariants: a session gives back the items it was given, in order; a
tool tells the model what happened in words, also when it was refused.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

from agents import FunctionTool, SessionABC, SessionSettings, TResponseInputItem, function_tool

from palazzo.integrations.tools import MemoryTools
from palazzo.integrations.transcript import SpokenItem, Transcript, text_of
from palazzo.surfaces.library import Memory


class PalazzoSession(SessionABC):
    """The SDK's `Session` over a palace.

        session = PalazzoSession("thread-17", "~/palace", user_id="ada")
        await Runner.run(agent, "I moved to Lisbon.", session=session)

    The items of a session come back to the letter. What lasts of them becomes the user's memory (not with
    `learn=False`), which `memory_tools` lets an agent ask in any other session.
    """

    def __init__(
        self, session_id: str, memory: Memory | str | os.PathLike[str] | None = None, *, user_id: str | None = None,
        learn: bool = True, session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        opened = memory if isinstance(memory, Memory) else Memory(memory)
        self.session_id = session_id
        self.session_settings = SessionSettings().resolve(session_settings)
        self._transcript = Transcript(opened, session_id, _said, learn=learn, user_id=user_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items in order; with a limit the last so many of them."""
        most = self.session_settings.limit if limit is None and self.session_settings else limit
        if most is not None and most <= 0:
            return []
        return await asyncio.to_thread(self._transcript.items, most)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items at the end."""
        if items:
            await asyncio.to_thread(self._transcript.add, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Takes the last item away and returns it; None when there is none."""
        return await asyncio.to_thread(self._transcript.pop)

    async def clear_session(self) -> None:
        """Takes every item away; what was learned of them stays."""
        await asyncio.to_thread(self._transcript.clear)


def memory_tools(memory: Memory, *, user_id: str | None = None) -> list[FunctionTool]:
    """Tools for an agent: `remember`, `recall`, `forget`."""
    return [function_tool(tool) for tool in MemoryTools(memory, user_id=user_id).tools()]


def _said(item: Any) -> SpokenItem | None:
    role = item.get("role") if isinstance(item, dict) else None
    if role not in ("user", "assistant"):
        return None
    return SpokenItem(role, text_of(item.get("content")))
