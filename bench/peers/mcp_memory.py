"""The official MCP memory server (JSONL, one process, driven over stdio as a client would): one entity an item.

Needs Node's `npx`; the package comes from the npm registry. Its search is a substring match over the whole question,
so each longer word of the question is asked on its own and the entities are ranked by how many words found them:
kinder than the server alone.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench.peers.system import Ask, Item, Opened

PACKAGE = "@modelcontextprotocol/server-memory"
LEAST_LETTERS = 4


class McpMemory:
    """Newline-delimited JSON-RPC to the server's process."""

    keeps = "text"
    version = ""

    def __init__(self, opened: Opened) -> None:
        runner = shutil.which("npx")
        if runner is None:
            raise ImportError("npx is not installed")
        self._process = subprocess.Popen(
            ["env", f"MEMORY_FILE_PATH={opened.folder / 'memory.jsonl'}", runner, "-y", PACKAGE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._sent = 0
        told = self._ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
        )
        self.version = str(told.get("serverInfo", {}).get("version", ""))
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        if self._process.stdin is None:
            raise RuntimeError("the server has no input")
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._sent += 1
        self._send({"jsonrpc": "2.0", "id": self._sent, "method": method, "params": parameters})
        if self._process.stdout is None:
            raise RuntimeError("the server has no output")
        for line in self._process.stdout:
            reply = json.loads(line)
            if reply.get("id") == self._sent:
                if "error" in reply:
                    raise RuntimeError(str(reply["error"]))
                return dict(reply["result"])
        raise RuntimeError("the server ended")

    def _call(self, tool: str, arguments: dict[str, Any]) -> Any:
        reply = self._ask("tools/call", {"name": tool, "arguments": arguments})
        return reply.get("structuredContent") or json.loads(reply["content"][0]["text"])

    def add(self, items: Sequence[Item]) -> None:
        entities = [{"name": item.id, "entityType": "turn", "observations": [item.said]} for item in items]
        self._call("create_entities", {"entities": entities})

    def add_one(self, item: Item) -> None:
        self.add([item])

    def settle(self) -> None:
        pass

    def holds(self, items: Sequence[Item]) -> set[str]:
        said = {item.id: item.said for item in items}
        found = self._call("open_nodes", {"names": list(said)})["entities"]
        return {one["name"] for one in found if said[one["name"]] in one["observations"]}

    def search(self, ask: Ask, limit: int) -> list[str]:
        found: Counter[str] = Counter()
        for word in {w for w in re.findall(r"\w+", ask.text.lower()) if len(w) >= LEAST_LETTERS}:
            found.update(entity["name"] for entity in self._call("search_nodes", {"query": word})["entities"])
        return [name for name, _ in found.most_common(limit)]

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=20)
