"""A palace for the Claude Agent SDK: tools, hooks that bring and take in what is said, and a store of transcripts.

Owns the way between the SDK's hooks and the palace. Invariants: a hook never fails the conversation for what a user can
cause, and adds nothing where nothing known bears on the prompt.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from claude_agent_sdk import HookMatcher, McpSdkServerConfig, SdkMcpTool, SessionKey, create_sdk_mcp_server
from claude_agent_sdk import tool as made_tool

from palazzo.errors import PalazzoError
from palazzo.integrations.items import Item, KeptItems, Namespace, Put
from palazzo.integrations.tools import MemoryTools
from palazzo.model.ids import new_id
from palazzo.surfaces.library import Memory

_MAIN: Final = "main"
_SUB: Final = "sub"
SERVER: Final = "palazzo"
ALLOWED: Final = tuple(f"mcp__{SERVER}__{name}" for name in ("remember", "recall", "forget"))
"""What `ClaudeAgentOptions.allowed_tools` needs for the tools to be called without asking."""


def memory_server(memory: Memory, *, user_id: str | None = None) -> McpSdkServerConfig:
    """The tools, for `ClaudeAgentOptions(mcp_servers={"palazzo": memory_server(memory)})`."""
    tools = [_tool(one) for one in MemoryTools(memory, user_id=user_id).tools()]
    return create_sdk_mcp_server(SERVER, tools=tools)


def memory_hooks(
    memory: Memory, *, user_id: str | None = None, budget_tokens: int = 1000
) -> dict[str, list[HookMatcher]]:
    """Hooks, for `ClaudeAgentOptions(hooks=memory_hooks(memory))`: a prompt gets what is known for it, and what was
    said is taken in when Claude has answered.
    """
    owner: dict[str, Any] = {} if user_id is None else {"user_id": user_id}

    async def before(given: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        del tool_use_id, context
        return await _quietly(_known, memory, given, budget_tokens, owner)

    async def after(given: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        del tool_use_id, context
        return await _quietly(_told, memory, given, owner)

    return {"UserPromptSubmit": [HookMatcher(hooks=[before])], "Stop": [HookMatcher(hooks=[after])]}


async def _quietly(work: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
    try:
        return await asyncio.to_thread(work, *given)
    except PalazzoError as error:
        return {"systemMessage": f"palazzo: {error.message}"}


def _known(memory: Memory, given: Any, budget_tokens: int, owner: dict[str, Any]) -> dict[str, Any]:
    prompt, thread = str(given.get("prompt", "")), str(given.get("session_id", ""))
    if not prompt.strip():
        return {}
    block = memory.context(prompt, budget_tokens=budget_tokens, thread=thread, **owner)
    memory.observe([{"role": "user", "content": prompt}], thread=thread, **owner)
    if not block.hits:
        return {}
    return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": block.text}}


def _told(memory: Memory, given: Any, owner: dict[str, Any]) -> dict[str, Any]:
    answer = str(given.get("last_assistant_message") or "")
    if answer.strip():
        thread = str(given.get("session_id", ""))
        memory.observe([{"role": "assistant", "content": answer}], thread=thread, **owner)
    return {}


def _tool(call: Callable[..., str]) -> SdkMcpTool[Any]:
    described = inspect.getdoc(call) or ""
    parameters = inspect.signature(call).parameters
    schema = {
        "type": "object",
        "properties": {
            name: {"type": "integer" if "int" in str(one.annotation) else "string"} for name, one in parameters.items()
        },
        "required": [name for name, one in parameters.items() if one.default is one.empty],
    }

    async def run(arguments: dict[str, Any]) -> dict[str, Any]:
        said = await asyncio.to_thread(call, **arguments)
        return {"content": [{"type": "text", "text": said}]}

    return made_tool(call.__name__, described, schema)(run)


class PalazzoSessionStore:
    """The SDK's `SessionStore` over a palace: transcripts of sessions and their subagents, to resume from.

    ClaudeAgentOptions(session_store=PalazzoSessionStore(Memory("~/palace")))

    Entries come back as they were, but for secrets (`SecretLeftOut` warns). An entry that is appended again is kept
    once.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._items = KeptItems(memory, "transcripts")

    async def append(self, key: SessionKey, entries: list[Any]) -> None:
        """Adds entries at the end of a transcript."""
        await asyncio.to_thread(self._append, _namespace(key), entries)

    async def load(self, key: SessionKey) -> list[Any] | None:
        """The entries of a transcript in order; None for one that was never written."""
        found = await asyncio.to_thread(self._ordered, _namespace(key))
        return [item.value["entry"] for item in found] or None

    async def list_sessions(self, project_key: str) -> list[dict[str, Any]]:
        """The sessions of a project, and when each was last written."""
        latest: dict[str, int] = {}
        for item in await asyncio.to_thread(lambda: list(self._items.under((project_key,)))):
            if item.namespace[2] == _MAIN:
                written = int(item.updated_at.timestamp() * 1000)
                latest[item.namespace[1]] = max(written, latest.get(item.namespace[1], 0))
        return [{"session_id": session, "mtime": written} for session, written in latest.items()]

    async def list_subkeys(self, key: Mapping[str, str]) -> list[str]:
        """The transcripts of subagents of a session."""
        under = (key["project_key"], key["session_id"])
        found = await asyncio.to_thread(self._items.namespaces, under)
        return [namespace[3] for namespace in found if namespace[2] == _SUB]

    async def delete(self, key: SessionKey) -> None:
        """Removes a transcript for good; that of a session with those of its subagents."""
        namespace = _namespace(key)
        whole = namespace if namespace[2] == _SUB else namespace[:2]
        await asyncio.to_thread(self._delete, whole)

    def _append(self, namespace: Namespace, entries: list[Any]) -> None:
        puts = []
        for entry in entries:
            order = str(new_id(self._memory.engine.clock.now_us()))
            name = entry.get("uuid")
            if name is None or self._items.get(namespace, name) is None:
                puts.append(Put(namespace=namespace, key=name or order, value={"order": order, "entry": entry}))
        self._items.put(puts)

    def _ordered(self, namespace: Namespace) -> list[Item]:
        found = [item for item in self._items.under(namespace) if item.namespace == namespace]
        return sorted(found, key=lambda item: str(item.value["order"]))

    def _delete(self, prefix: Namespace) -> None:
        for item in list(self._items.under(prefix)):
            self._items.delete(item.namespace, item.key)


def _namespace(key: SessionKey) -> Namespace:
    session = (key["project_key"], key["session_id"])
    return (*session, _SUB, key["subpath"]) if key.get("subpath") else (*session, _MAIN)
