"""A palace for CrewAI: tools for agents to remember, recall and forget."""

from __future__ import annotations

from crewai.tools import BaseTool
from crewai.tools import tool as made_tool

from palazzo.integrations.tools import MemoryTools
from palazzo.surfaces.library import Memory


def memory_tools(memory: Memory, *, user_id: str | None = None) -> list[BaseTool]:
    """Tools for `Agent(tools=...)`: `remember`, `recall`, `forget`."""
    return [made_tool(one.__name__)(one) for one in MemoryTools(memory, user_id=user_id).tools()]
