"""Every operation on every surface it should be on, with the same parameters, results, errors and capability.

The registry is walked; a surface that lacks an operation, or answers it otherwise than the library does, fails here.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

import pytest
from click.testing import CliRunner
from tests.surfaces.daemon import Running, as_operator

from mnemon import AsyncMemory, Memory
from mnemon.errors import MnemonError
from mnemon.operations.arguments import as_plain
from mnemon.operations.declared import Operation, Parameter, parameters_of
from mnemon.operations.methods import method_name
from mnemon.operations.registry import OPERATIONS
from mnemon.surfaces.cli import main
from mnemon.surfaces.cli_operations import BY_HAND, command_path
from mnemon.surfaces.http_openapi import as_builtins
from mnemon.surfaces.mcp_replies import brief
from mnemon.surfaces.wire import fault

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'mnemon[mcp]'")

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from mnemon.surfaces.mcp_protocol import tool

each = pytest.mark.parametrize("declared", OPERATIONS, ids=lambda o: o.name)
ONE_TIME = frozenset({
    "vault_protect", "vault_unlock", "vault_lock", "pause", "resume", "apply", "rollback", "backup", "import", "export",
    "audit_list", "recheck",
})  # fmt: skip
"""Operations that change the palace as a whole: the second surface would find another palace than the first."""
VOLATILE = frozenset({"latency_ms", "bytes", "token", "total", "memories", "revisions", "events", "last", "score"})
TOWNS = {
    "library": "Norwick", "awaited": "Selwick", "http": "Borwick", "socket": "Halwick", "mcp": "Tarwick",
    "commands": "Marwick", "stray": "Corwick", "refused": "Dunwick",
}  # fmt: skip
"""What each surface is asked about: words alike in kind and length, so that nothing else differs."""
Outcome = tuple[Any, ...]
Face = Callable[[str, dict[str, Any]], Outcome]


def plain(value: Any) -> Any:
    """A value without what differs from call to call: ids, times, counters of the whole palace, the surface's name."""
    if isinstance(value, Mapping):
        return {
            name: "*" if name in VOLATILE and isinstance(inner, int | float | str) else plain(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, str):
        value = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", value)
        value = re.sub(r"\d{4}-\d\d-\d\d[T ][0-9:.]+(Z|\+00:00)?", "AT", value)
        return re.sub(r"\b[A-Za-z][a-z]{2}wick\b", "TOWN", value)
    return round(value, 3) if isinstance(value, float) else value


def of_type(hint: Any) -> Any:
    """Some value of a parameter's type."""
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    if get_origin(hint) is tuple:
        return [of_type(get_args(hint)[0])]
    if is_dataclass(hint):
        return {p.name: of_type(p.type) for p in parameters_of(hint) if p.required}
    known = {datetime: "2026-01-01T00:00:00Z", bool: True, int: 1, float: 1.0}
    return known.get(hint, "walnut tree")


def answered(ask: Callable[[], Any]) -> Outcome:
    try:
        return ("ok", ask())
    except MnemonError as error:
        told = fault(error)
        return ("error", told.code, told.message, told.hint)


def mcp_asked(running: Running, token: str, name: str, arguments: dict[str, Any]) -> Outcome:
    async def ask() -> Any:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"})
        async with http, Client(streamable_http_client(running.url + "/mcp", http_client=http)) as client:
            return await client.call_tool(name, arguments)

    told = asyncio.run(asyncio.wait_for(ask(), 60)).structured_content
    if "error" in told:
        return ("error", told["error"], told["message"], told.get("hint", ""))
    return ("ok", told)


def typed(declared: Operation, arguments: dict[str, Any]) -> tuple[list[str], str]:
    """The same call as words of a command line, and what standard input holds."""
    words, stdin = list(command_path(declared)), ""
    for parameter in declared.parameters:
        if parameter.name not in arguments:
            continue
        value = arguments[parameter.name]
        if parameter.required and isinstance(value, list):
            words.append("-")
            stdin = json.dumps(value)
        elif parameter.required:
            words.append(str(value))
        elif value is True:
            words.append(f"--{parameter.name.replace('_', '-')}")
        else:
            words += [f"--{parameter.name.replace('_', '-')}", str(value)]
    return words, stdin


@dataclass
class World:
    """One palace with every way in."""

    running: Running
    memory: Memory
    tokens: dict[str, str]

    def faces(self, declared: Operation, subject: str) -> Iterator[tuple[str, Face]]:
        """The surfaces that should have an operation, by name, each as a call for a subject."""
        memory = self.memory
        token = self.tokens.get(subject) or self.memory.token_create(subject).token
        if subject != "operator":
            memory = Memory(self.running.folder, embedder="none", subject=subject)

        def library(name: str, arguments: dict[str, Any]) -> Outcome:
            return answered(lambda: memory._call(name, arguments))

        async def awaited(name: str, arguments: dict[str, Any]) -> Any:
            async with AsyncMemory(self.running.folder, embedder="none", subject=subject) as one:
                return as_plain(await one._call(name, arguments))

        def http(name: str, arguments: dict[str, Any]) -> Outcome:
            status, _, told = self.running.post(name, arguments, token)
            return ("ok", told) if status == 200 else ("error", told["code"], told["detail"], told.get("hint", ""))

        def by_socket(name: str, arguments: dict[str, Any]) -> Outcome:
            with self.running.by_socket() as client:
                return answered(lambda: as_plain(client.call(name, arguments, token=token)))

        yield "library", library
        yield "awaited", lambda name, given: answered(lambda: asyncio.run(awaited(name, given)))
        yield "http", http
        yield "socket", by_socket
        if declared.toolset:
            yield "mcp", lambda name, given: mcp_asked(self.running, token, name, given)
        if subject == "operator" and declared.name != "observe":
            yield "commands", lambda _, given: self.command(declared, given)
        if subject != "operator":
            memory.close()

    def command(self, declared: Operation, arguments: dict[str, Any]) -> Outcome:
        words, stdin = typed(declared, arguments)
        told = CliRunner().invoke(
            main, ["--palace", str(self.running.folder), "--json", *words], input=stdin,
            env={"MNEMON_EMBEDDER": "none"},
        )  # fmt: skip
        if told.exit_code == 2:
            if not told.stderr.startswith("{"):
                return ("usage", told.stderr)
            error = json.loads(told.stderr)
            return ("error", error["error"], error["message"], error["hint"])
        return ("ok", json.loads(told.stdout))

    def placed(self, face: str, what: str) -> str:
        text = f"The {what} of {face} holds a brass key."
        made = self.memory.remember(text, place="work.parity", kind="fact", name=f"{what}-{face.lower()}")
        assert isinstance(made.id, UUID)
        return str(made.id)

    def example(self, declared: Operation, face: str) -> dict[str, Any]:
        """Arguments for an operation: something fitting for every parameter that must be given."""
        face = TOWNS[face]

        def fitting(parameter: Parameter) -> Any:
            if parameter.name in ("memory", "source", "target"):
                return self.placed(face, f"{declared.name.replace('_', '')}-{parameter.name}")
            return {
                "text": f"The gate of {face} is painted green.", "notes": [f"The roof of {face} is made of slate."],
                "turns": [f"The yard of {face} has a walnut tree."], "place": "work.elsewhere", "tag": "checked",
                "subject": f"agent:{face.lower()}",
            }.get(parameter.name) or of_type(parameter.type)  # fmt: skip

        return {p.name: fitting(p) for p in declared.parameters if p.required}


@pytest.fixture(scope="module")
def world(running: Running, operator_token: str) -> Iterator[World]:
    tokens = {"operator": operator_token}
    with Memory(running.folder, embedder="none") as memory:
        yield World(running, memory, tokens)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    from tests.surfaces.daemon import daemon

    folder: Path = tmp_path_factory.mktemp("parity") / "palace"
    with daemon(folder, "--toolset", "full") as found:
        yield found


@each
def test_every_surface_shows_the_same_parameters(declared: Operation) -> None:
    names = [p.name for p in declared.parameters]
    required = [p.name for p in declared.parameters if p.required]
    for face in (Memory, AsyncMemory):
        assert list(inspect.signature(getattr(face, method_name(declared))).parameters) == ["self", *names]
    document = as_builtins()["paths"][f"/v1/{declared.name}"]["post"]
    shape = document["requestBody"]["content"]["application/json"]["schema"]
    assert (list(shape["properties"]), shape["required"]) == (names, required)
    assert ("parameters" in document) is declared.writes
    if declared.toolset:
        shown = tool(declared).input_schema
        assert list(shown["properties"]) == [p.name for p in declared.parameters if not p.of_scope]
        assert shown["required"] == required
    if declared.name not in BY_HAND:
        group: Any = main
        for word in command_path(declared):
            group = group.commands[word]
        assert [p.name for p in group.params] == names


@each
def test_every_surface_gives_the_same_result(declared: Operation, world: World) -> None:
    if declared.name in ONE_TIME:
        assert any(name == "http" for name, _ in world.faces(declared, "operator"))
        return
    outcomes: dict[str, Outcome] = {}
    expected = short = ()
    for face, ask in world.faces(declared, "operator"):
        got = ask(declared.name, world.example(declared, face))
        if face == "library":
            shown = got if got[0] == "error" else ("ok", as_plain(got[1]))
            expected, short = plain(shown), plain(got if got[0] == "error" else ("ok", brief(got[1])))
        else:
            outcomes[face] = plain(got)
    for face, outcome in outcomes.items():
        assert outcome == (short if face == "mcp" else expected), face


@each
def test_every_surface_refuses_a_stray_parameter_alike(declared: Operation, world: World) -> None:
    given = {**world.example(declared, "stray"), "colour": "red"}
    outcomes = {
        face: ask(declared.name, given) for face, ask in world.faces(declared, "operator") if face != "commands"
    }
    assert {outcome[:3] for outcome in outcomes.values()} == {
        ("error", "invalid_input", f"{declared.name} has no parameter 'colour'")
    }


@each
def test_every_surface_refuses_a_subject_without_grants_alike(declared: Operation, world: World) -> None:
    given = world.example(declared, "refused")
    subject = f"agent:no-{declared.name}"  # one for each: a subject that asks too often is told that instead
    outcomes = {face: ask(declared.name, given)[:3] for face, ask in world.faces(declared, subject)}
    assert {outcome[:2] for outcome in outcomes.values()} == {("error", "not_permitted")}, outcomes
    assert len(set(outcomes.values())) == 1, outcomes


def test_familiar_names_are_the_librarys_alone(running: Running, operator_token: str) -> None:
    assert running.post("search", {"cue": "x"}, operator_token)[0] == 404
    assert as_operator(running.folder, "search", cue="x") is not None
