"""The MCP memory server's nine tools: the answers of the real server to a recorded session, through the real client."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install '.[mcp]'")

from mcp import Client, StdioServerParameters

from .memory_server_session import FIXTURE, told

RECORDED = json.loads(FIXTURE.read_text("utf-8"))
ENVIRONMENT = {"PALAZZO_EMBEDDER": "none", "PYTHONPATH": os.pathsep.join(sys.path)}
VALIDATION = "MCP error -32602"


def client(folder: Path) -> Client:
    arguments = ["-m", "palazzo", "--palace", str(folder), "mcp", "--toolset", "memory-server"]
    return Client(StdioServerParameters(command=sys.executable, args=arguments, env=ENVIRONMENT))


def plain(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer to compare; what a validator says in detail is its own, that it refuses is not."""
    if answer["is_error"] and answer["text"].startswith(VALIDATION):
        return {**answer, "text": " ".join(answer["text"].split()[:4])}
    return answer


def graph(folder: Path) -> dict[str, Any]:
    async def read() -> dict[str, Any]:
        async with client(folder) as one:
            return dict((await one.call_tool("read_graph", {})).structured_content)

    return asyncio.run(read())


def test_every_answer_of_the_recorded_session_is_the_real_servers(tmp_path: Path) -> None:
    async def replay() -> list[dict[str, Any]]:
        async with client(tmp_path) as one:
            return [told(await one.call_tool(call["tool"], call["arguments"])) for call in RECORDED["calls"]]

    for call, ours in zip(RECORDED["calls"], asyncio.run(replay()), strict=True):
        assert plain(ours) == plain(call["answer"]), call
    assert graph(tmp_path) == RECORDED["calls"][-1]["answer"]["structure"], "another process sees the same graph"
    with Memory(tmp_path, embedder="none") as memory:
        assert "graph" in {hit.memory.place for hit in memory.recall("who repairs clocks?")}


def test_the_tools_are_described_as_the_real_server_describes_them(tmp_path: Path) -> None:
    async def tools() -> list[dict[str, Any]]:
        async with client(tmp_path) as one:
            return [
                {"name": t.name, "title": t.title, "description": t.description,
                 "required": sorted(t.input_schema.get("required", [])),
                 "annotations": t.annotations.model_dump(exclude_none=True)}
                for t in (await one.list_tools()).tools
            ]  # fmt: skip

    assert asyncio.run(tools()) == RECORDED["tools"]


def test_two_servers_writing_at_once_lose_nothing_and_make_nothing_twice(tmp_path: Path) -> None:
    async def write(one: Client, who: str) -> None:
        await one.call_tool(
            "create_entities", {"entities": [{"name": "Shared", "entityType": "thing", "observations": []}]}
        )
        for number in range(6):
            entity = {"name": f"{who}{number}", "entityType": "thing", "observations": [f"made by {who}"]}
            await one.call_tool("create_entities", {"entities": [entity]})
            said = {"entityName": "Shared", "contents": [f"{who} was here, round {number}"]}
            await one.call_tool("add_observations", {"observations": [said]})

    async def story() -> None:
        async with client(tmp_path) as left, client(tmp_path) as right:
            await asyncio.gather(write(left, "left"), write(right, "right"))

    asyncio.run(story())
    found = {one["name"]: one["observations"] for one in graph(tmp_path)["entities"]}
    assert sorted(found) == sorted(["Shared", *(f"{who}{n}" for who in ("left", "right") for n in range(6))])
    assert len(found["Shared"]) == 12
