"""A palace for Pydantic AI: tools to remember, recall and forget, and instructions with what is known.

Owns nothing but the way into an agent's `toolsets` and `instructions`. Invariant: instructions name memories as data,
and are empty where nothing known bears on the prompt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from palazzo.integrations.tools import MemoryTools
from palazzo.integrations.transcript import text_of
from palazzo.surfaces.library import Memory


def memory_toolset(memory: Memory, *, user_id: str | None = None) -> FunctionToolset[Any]:
    """Tools for `Agent(toolsets=[...])`: `remember`, `recall`, `forget`."""
    return FunctionToolset(MemoryTools(memory, user_id=user_id).tools())


def memory_instructions(
    memory: Memory, *, user_id: str | None = None, budget_tokens: int = 1000
) -> Callable[[RunContext[Any]], str]:
    """Instructions for `Agent(instructions=...)`: what is known for the prompt, within a budget of tokens."""
    owner: dict[str, Any] = {} if user_id is None else {"user_id": user_id}

    def known(run: RunContext[Any]) -> str:
        prompt = run.prompt if isinstance(run.prompt, str) else text_of(list(run.prompt or []))
        if not prompt.strip():
            return ""
        block = memory.context(prompt, budget_tokens=budget_tokens, **owner)
        return block.text if block.hits else ""

    return known


def observe_run(memory: Memory, messages: list[ModelMessage], *, user_id: str | None = None, thread: str = "") -> int:
    """Takes in what was said in a run (`result.new_messages()`); tells how many memories it left."""
    turns = [{"role": role, "content": said} for message in messages for role, said in _said(message) if said.strip()]
    if not turns:
        return 0
    owner: dict[str, Any] = {} if user_id is None else {"user_id": user_id}
    return len(memory.observe(turns, thread=thread, **owner).memories)


def _said(message: ModelMessage) -> list[tuple[str, str]]:
    if isinstance(message, ModelRequest):
        prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
        return [
            ("user", part.content if isinstance(part.content, str) else text_of(list(part.content))) for part in prompts
        ]
    if isinstance(message, ModelResponse):
        return [("assistant", part.content) for part in message.parts if isinstance(part, TextPart)]
    return []
