"""Records a session with the real MCP memory server: `python -m scripts.record_memory_server PATH/TO/dist/index.js`.

Drives the server (npm package @modelcontextprotocol/server-memory, needs node) over stdio with the official client and
the calls of tests/surfaces/memory_server_session.py, and writes them with its answers to
tests/fixtures/memory-server-session.json, which the tests replay against ours.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.surfaces.memory_server_session import CALLS, FIXTURE, told


async def record(program: Path, memory_file: Path) -> dict[str, object]:
    """The tools the server has, and its answer to every call."""
    command = StdioServerParameters(
        command=shutil.which("node") or "node", args=[str(program)], env={"MEMORY_FILE_PATH": str(memory_file)}
    )
    async with Client(stdio_client(command)) as client:
        tools = [
            {"name": t.name, "title": t.title, "description": t.description,
             "required": sorted(t.input_schema.get("required", [])),
             "annotations": t.annotations.model_dump(exclude_none=True) if t.annotations else {}}
            for t in (await client.list_tools()).tools
        ]  # fmt: skip
        answers = [
            {"tool": name, "arguments": arguments, "answer": told(await client.call_tool(name, arguments))}
            for name, arguments in CALLS
        ]
    return {"tools": tools, "calls": answers}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = anyio.run(record, Path(sys.argv[1]), Path(folder) / "memory.jsonl")
    FIXTURE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
