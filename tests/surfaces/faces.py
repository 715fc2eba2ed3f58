"""One palace with every way in, and each way as the same kind of call, so that tests can compare what they answer."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from click.testing import CliRunner
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.surfaces.daemon import PATIENCE_S, Running

from palazzo import AsyncMemory, Memory
from palazzo.errors import PalazzoError
from palazzo.operations.arguments import as_plain
from palazzo.operations.declared import Operation
from palazzo.surfaces.cli.commands import main
from palazzo.surfaces.cli.operations import asks_here, command_path
from palazzo.surfaces.wire import fault

Outcome = tuple[Any, ...]
"""("ok", result), or ("error", code, message, hint)."""
Face = Callable[[str, dict[str, Any]], Outcome]


def answered(ask: Callable[[], Any]) -> Outcome:
    try:
        return ("ok", ask())
    except PalazzoError as error:
        told = fault(error)
        return ("error", told.code, told.message, told.hint)


class McpClient:
    """The official client on one connection, held open by a thread of its own: connecting anew is most of a call."""

    def __init__(self, url: str, token: str) -> None:
        self._asked: queue.SimpleQueue[tuple[str, dict[str, Any], Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(url, token)))
        self._thread.start()

    async def _serve(self, url: str, token: str) -> None:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE_S)
        async with http, Client(streamable_http_client(url, http_client=http)) as client:
            while (asked := await asyncio.to_thread(self._asked.get)) is not None:
                name, arguments, answer = asked
                answer.set_result((await client.call_tool(name, arguments)).structured_content)

    def __call__(self, name: str, arguments: dict[str, Any]) -> Outcome:
        answer: Future[Any] = Future()
        self._asked.put((name, arguments, answer))
        told = answer.result(PATIENCE_S)
        if "error" in told:
            return ("error", told["error"], told["message"], told.get("hint", ""))
        return ("ok", told)

    def close(self) -> None:
        self._asked.put(None)
        self._thread.join(PATIENCE_S)


def typed(declared: Operation, arguments: dict[str, Any]) -> tuple[list[str], str]:
    """The same call as words of a command line, and what standard input holds."""
    words, stdin = list(command_path(declared)), ""
    if declared.name == "observe":
        return words, "".join(json.dumps({"text": turn}) + "\n" for turn in arguments["turns"])
    known = {p.name: p for p in declared.parameters}
    for name, value in arguments.items():
        if name in known and known[name].required and isinstance(value, list):
            words.append("-")
            stdin = json.dumps(value)
        elif name in known and known[name].required:
            words.append(str(value))
        elif value is True:
            words.append(f"--{name.replace('_', '-')}")
        else:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words, stdin


@dataclass
class World:
    """One palace, its daemon, and the operator's own memory of it."""

    running: Running
    memory: Memory
    scratch: Path
    tokens: dict[str, str]
    _clients: dict[str, McpClient] = field(default_factory=dict)

    @contextmanager
    def faces(self, declared: Operation, subject: str) -> Iterator[dict[str, Face]]:
        """The surfaces that should have an operation, by name, each as a call for a subject."""
        token = self.tokens.get(subject) or self.memory.token_create(subject).token
        own = None
        if subject != "operator":
            own = Memory(self.running.folder, embedder="none", subject=subject)

        def library(name: str, arguments: dict[str, Any]) -> Outcome:
            return answered(lambda: (own or self.memory)._call(name, arguments))

        async def awaited(name: str, arguments: dict[str, Any]) -> Any:
            async with AsyncMemory(self.running.folder, embedder="none", subject=subject) as one:
                return as_plain(await one._call(name, arguments))

        def http(name: str, arguments: dict[str, Any]) -> Outcome:
            status, _, told = self.running.post(name, arguments, token)
            return ("ok", told) if status == 200 else ("error", told["code"], told["detail"], told.get("hint", ""))

        def by_socket(name: str, arguments: dict[str, Any]) -> Outcome:
            with self.running.by_socket() as client:
                return answered(lambda: as_plain(client.call(name, arguments, token=token)))

        found: dict[str, Face] = {
            "library": library, "awaited": lambda name, given: answered(lambda: asyncio.run(awaited(name, given))),
            "http": http, "socket": by_socket,
        }  # fmt: skip
        if declared.toolset:
            found["mcp"] = self.mcp(subject, token)
        if subject == "operator":  # a command is its owner's own: there is no other subject to be
            found["commands"] = lambda _, given: self.command(declared, given)
        try:
            yield found
        finally:
            if own is not None:
                own.close()
                if subject in self._clients:
                    self._clients.pop(subject).close()

    def mcp(self, subject: str, token: str) -> McpClient:
        if subject not in self._clients:
            self._clients[subject] = McpClient(self.running.url + "/mcp", token)
        return self._clients[subject]

    def command(self, declared: Operation, arguments: dict[str, Any]) -> Outcome:
        words, stdin = typed(declared, arguments)
        words = [*words, "--yes"] if asks_here(declared) else words
        told = CliRunner().invoke(
            main, ["--palace", str(self.running.folder), "--json", *words], input=stdin,
            env={"PALAZZO_EMBEDDER": "none"},
        )  # fmt: skip
        if told.exit_code == 2:
            error = json.loads(told.stderr)
            return ("error", error["error"], error["message"], error["hint"])
        return ("ok", json.loads(told.stdout))

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
