"""The MCP server through the official client library: real processes, real pipes, a real palace."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from palazzo import AsyncMemory, Memory
from palazzo.adapters.wordllama_embedder import FOLDER, TOKENIZER, BytePairs

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install '.[mcp]'")

import mcp_types as types
from mcp import Client, StdioServerParameters

PORT = "The Heron server listens on port 8080."
CORE = ["remember", "recall", "context", "get", "list", "update", "forget", "history", "why", "status"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "palace"


def command(folder: Path, *options: str) -> list[str]:
    return ["-m", "palazzo", "--palace", str(folder), "mcp", *options]


def client(folder: Path, *options: str, known_as: str = "desk", name: str = "somebody") -> Client:
    """A client that the configuration knows by one name and that calls itself by another."""
    configured = ("--client", known_as) if known_as else ()
    server = StdioServerParameters(
        command=sys.executable, args=command(folder, *configured, *options), env={"PALAZZO_EMBEDDER": "none"}
    )
    return Client(server, client_info=types.Implementation(name=name, version="1"))


async def ask(one: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await one.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert json.loads(content.text) == result.structured_content
    assert result.is_error is ("error" in result.structured_content)
    return dict(result.structured_content)


def played(story: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(story(), 60)

    asyncio.run(bounded())


def test_every_core_tool_works_through_the_official_client(folder: Path) -> None:
    async def story() -> None:
        async with client(folder, "--level", "forget") as one:
            made = (await ask(one, "remember", text=PORT, place="work.projects", kind="fact"))["memories"][0]
            (found,) = (await ask(one, "recall", cue="which port does Heron use?"))["memories"]
            assert (found["id"], found["text"]) == (made, PORT)
            assert PORT in (await ask(one, "context", message="which port does Heron use?"))["context"]
            await ask(one, "update", memory=made, text="The Heron server listens on port 9090.")
            assert (await ask(one, "get", memory=found["address"]))["revision"] == 2
            assert len((await ask(one, "history", memory=made))["revisions"]) == 2
            assert (await ask(one, "why", memory=made))["origins"][0]["author"] == "mcp:desk"
            assert (await ask(one, "list", place="work.**"))["total"] == 1
            assert (await ask(one, "status"))["memories"] == 1
            assert (await ask(one, "forget", memory=made))["state"] == "deleted"
            assert (await ask(one, "recall", cue="Heron port"))["memories"] == []

    played(story)


def test_tools_are_described_annotated_and_few(folder: Path) -> None:
    async def story() -> None:
        async with client(folder) as one:
            names = {tool.name for tool in (await one.list_tools()).tools}
            assert names == set(CORE) - {"forget"}, "what would be refused is not offered"
        async with client(folder, "--level", "forget") as one:
            tools = {tool.name: tool for tool in (await one.list_tools()).tools}
            assert sorted(tools) == sorted(CORE)
            for tool in tools.values():
                assert tool.description
                assert tool.annotations is not None
                assert "user_id" not in tool.input_schema["properties"]
                assert len(tool.input_schema["properties"]) <= 6
            told = "".join(tool.model_dump_json(by_alias=True, exclude_none=True) for tool in tools.values())
            assert len(BytePairs.read(FOLDER / TOKENIZER, part="test").encode(told)) <= 2000
            hints = {name: tool.annotations for name, tool in tools.items() if tool.annotations}
            assert {name for name, hint in hints.items() if not hint.read_only_hint} == {"remember", "update", "forget"}
            assert {name for name, hint in hints.items() if hint.destructive_hint} == {"forget"}
        async with client(folder, "--toolset", "full", "--level", "forget") as one:
            whole = {tool.name: tool for tool in (await one.list_tools()).tools}
            assert whole.keys() > set(CORE)
            assert not whole.keys() & {"purge", "settle", "backup"}
            assert {"fusion", "mood", "min_relevance"} <= whole["recall"].input_schema["properties"].keys()

    played(story)


def test_a_refusal_is_an_answer_the_model_can_read(folder: Path) -> None:
    async def story() -> None:
        async with client(folder) as one:
            made = (await ask(one, "remember", text=PORT))["memories"][0]
            for tool, arguments, code in (
                ("forget", {"memory": made}, "not_permitted"),
                ("recall", {"cue": 7}, "invalid_input"),
                ("recall", {"cue": "x", "user_id": "ben"}, "not_permitted"),
                ("remember", {"text": "My card is 4111 1111 1111 1111."}, "refused"),
                ("remember", {"text": PORT, "place": "vault.keys"}, "not_permitted"),
                ("get", {"memory": "00000000-0000-7000-8000-000000000000"}, "not_found"),
                ("purge", {"memory": made}, "not_found"),
                ("frobnicate", {}, "not_found"),
            ):
                told = await ask(one, tool, **arguments)
                assert (told["error"], bool(told["message"])) == (code, True), tool
            assert (await ask(one, "recall", cue="Heron port"))["memories"]

    played(story)


def test_clients_a_command_and_a_program_share_one_palace_each_as_its_own_subject(folder: Path) -> None:
    async def story() -> None:
        async with (
            client(folder, known_as="Desk App") as one, client(folder, known_as="editor") as two,
            AsyncMemory(folder, embedder="none") as program,
        ):  # fmt: skip
            texts = [f"Drawer {n} holds part {n * n}." for n in range(10)]
            shell = asyncio.create_subprocess_exec(
                sys.executable, "-m", "palazzo", "--palace", str(folder), "remember", "Mira paints boats.",
                stdout=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            running, *_ = await asyncio.gather(
                shell, program.remember("The lake is deep."),
                *(ask((one, two)[n % 2], "remember", text=text, name=f"drawer-{n}", place="work.parts", verbatim=True)
                  for n, text in enumerate(texts))
            )  # fmt: skip
            assert await running.wait() == 0
            seen = [await ask(side, "list", limit=100) for side in (one, two)]
            assert [{memory["author"] for memory in page["memories"]} for page in seen] == [
                {"mcp:desk-app", "mcp:editor", "operator"}
            ] * 2
            assert [page["total"] for page in seen] == [12, 12]

    played(story)
    with Memory(folder, embedder="none") as memory:
        assert memory.verify().clean


def test_the_scope_is_that_of_the_server(folder: Path) -> None:
    async def story() -> None:
        async with client(folder, "--user-id", "anna") as anna, client(folder, "--user-id", "ben") as ben:
            await ask(anna, "remember", text="My flight leaves at noon.")
            assert (await ask(ben, "recall", cue="flight noon"))["memories"] == []
            assert len((await ask(anna, "recall", cue="flight noon"))["memories"]) == 1

    played(story)


def test_a_grant_in_the_palace_decides_over_the_level_of_the_server(folder: Path) -> None:
    from palazzo.model.address import PlaceGlob
    from palazzo.model.capability import Grant, Level
    from palazzo.model.change import AddGrant

    with Memory(folder, embedder="none") as memory:
        memory.remember(PORT, place="work.projects")
        memory.remember("The lake is deep.", place="life.places")
        grant = Grant(
            subject="mcp:guest", subject_kind="mcp", level=Level.read_public, glob=PlaceGlob.parse("life.**"),
            start_us=0, expires_us=None, granted_by="operator",
        )  # fmt: skip
        memory.engine.store.commit([AddGrant(grant)])

    async def story() -> None:
        async with client(folder, known_as="guest") as guest:
            assert [m["text"] for m in (await ask(guest, "list"))["memories"]] == ["The lake is deep."]
            assert (await ask(guest, "remember", text="The hill is steep."))["error"] == "not_permitted"

    played(story)


HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}},
}  # fmt: skip


def test_stdout_carries_protocol_only_and_the_server_ends_with_its_client(folder: Path) -> None:
    calls = [
        HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "status", "arguments": {}}},
    ]
    with subprocess.Popen(
        [sys.executable, *command(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for call in calls:
            server.stdin.write(json.dumps(call) + "\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
        assert server.wait(timeout=30) == 0
        assert server.stdout.read() == ""
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"]["memories"] == 0


def test_without_the_sdk_the_command_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from palazzo.surfaces.cli import commands as cli

    monkeypatch.setattr("palazzo.files.extras.find_spec", lambda _: None)
    result = CliRunner().invoke(cli.main, ["--palace", str(folder), "mcp"])
    assert result.exit_code == 2
    assert "pip install 'mcp>=" in result.stderr


@pytest.mark.parametrize(
    ("named", "subject"), [("Desk App", "mcp:desk-app"), ("", "mcp:client"), ("!?", "mcp:7b202a21")]
)
def test_a_client_is_known_by_a_plain_name_and_never_as_the_operator(named: str, subject: str) -> None:
    from palazzo.surfaces.mcp.stdio import Host

    assert Host(client=named).caller.subject == subject
    assert not Host(client="operator").caller.is_operator


def test_a_client_that_calls_itself_another_gets_nothing_by_it(folder: Path) -> None:
    """Who was granted something is the configured name; what a client says of itself is noted, and no more."""
    with Memory(folder, embedder="none") as memory:
        memory.remember("The lake is deep.")
        memory.grant("mcp:trusted", "forget")
        memory.grant("mcp:guest", "read_public")
        (kept,) = [one.id for one in memory.list()]

    async def story() -> None:
        for said in ("trusted", "mcp:trusted", "operator"):
            async with client(folder, known_as="guest", name=said) as one:
                assert (await ask(one, "get", memory=str(kept)))["text"] == "The lake is deep."
                for tool, given in (("forget", {"memory": str(kept)}), ("remember", {"text": "I am trusted."})):
                    assert (await ask(one, tool, **given))["error"] == "not_permitted"
        async with client(folder, known_as="", name="trusted") as nameless:
            assert (await ask(nameless, "forget", memory=str(kept)))["error"] == "not_permitted"

    played(story)
    with Memory(folder, embedder="none") as memory:
        lines = memory.audit_list(action="mcp_client", limit=100)
        assert {(line.subject, json.loads(line.detail)["calls_itself"]) for line in lines} == {
            ("mcp:guest", "trusted"), ("mcp:guest", "mcp-trusted"), ("mcp:guest", "operator"),
            ("mcp:client", "trusted"),
        }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700), (b"hello", -32700), (b'{"jsonrpc": "2.0", "id": 1, "method": ', -32700), (b"\xff\xfe", -32700),
        (b"[]", -32600), (b"{}", -32600), (b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}', -32600), (b"7", -32600),
    ],
)  # fmt: skip
def test_a_line_that_is_no_message_is_answered_and_the_next_is_read(folder: Path, line: bytes, code: int) -> None:
    sent = [line, json.dumps(HELLO).encode(), line, json.dumps({**HELLO, "method": "ping", "id": 2}).encode()]
    with subprocess.Popen(
        [sys.executable, *command(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(one + b"\n" for one in sent))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in sent]
        server.stdin.close()
        assert server.wait(timeout=30) == 0
    assert sorted(one["id"] for one in answers if one["id"] is not None) == [1, 2]
    assert [one["error"]["code"] for one in answers if one["id"] is None] == [code, code]


def test_a_palace_that_cannot_be_opened_is_one_line_and_no_hanging_server(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    done = subprocess.run(
        [sys.executable, *command(blocked / "palace")], input="", capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "no palace can be made" in done.stderr
    assert len(done.stderr.splitlines()) == 1
