"""MCP over streamable HTTP and stdio with the official client: tools, resources, prompts, sampling, many at once."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.daemon import Running, as_operator, daemon, environment, token_for

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install '.[mcp]'")

import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

PORT = "The Heron server listens on port 8080."
BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])


def played(story: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(story(), 90)

    asyncio.run(bounded())


@asynccontextmanager
async def over_http(running: Running, token: str, **options: Any) -> AsyncIterator[Client]:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    async with http, Client(streamable_http_client(f"{running.url}/mcp", http_client=http), **options) as client:
        yield client


def over_stdio(folder: Path, name: str, *words: str, **options: Any) -> Client:
    arguments = ["-m", "palazzo", "--palace", str(folder), "mcp", *words]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment())
    return Client(server, client_info=types.Implementation(name=name, version="1"), **options)


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    return dict((await client.call_tool(tool, arguments)).structured_content or {})


@BOTH
def test_every_core_tool_works_over_http(running: Running, token: str, mode: Any) -> None:
    async def story() -> None:
        async with over_http(running, token, mode=mode) as one:
            text = f"The {mode} heron nests by the mill."
            made = (await ask(one, "remember", text=text, place=f"work.{mode}", kind="fact"))["memories"][0]
            assert (await ask(one, "recall", cue=text))["memories"][0]["id"] == made
            assert text in (await ask(one, "context", message=f"Where does the {mode} heron nest?"))["context"]
            await ask(one, "update", memory=made, text=f"The {mode} heron nests by the weir.")
            assert (await ask(one, "get", memory=made))["revision"] == 2
            assert len((await ask(one, "history", memory=made))["revisions"]) == 2
            assert (await ask(one, "why", memory=made))["origins"][0]["author"] == "agent:guest"
            assert (await ask(one, "list", place=f"work.{mode}"))["total"] == 1
            assert (await ask(one, "status"))["memories"] >= 1
            assert (await ask(one, "forget", memory=made))["state"] == "deleted"
            assert (await ask(one, "get", memory=made))["error"] == "not_found"

    played(story)


def test_a_client_without_a_token_gets_nothing_and_a_new_one_only_whether_something_exists(running: Running) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    status, _, told = running.request("POST", "/mcp", body, Accept="application/json, text/event-stream")
    assert (status, told["code"]) == (401, "not_authenticated")
    as_operator(running.folder, "remember", text=PORT, place="work")
    fresh = token_for(running.folder, "mcp:desk")

    async def story() -> None:
        async with over_http(running, fresh) as one:
            assert await ask(one, "recall", cue="Heron port") == {"exists": True}
            assert (await ask(one, "remember", text=PORT))["error"] == "not_permitted"

    played(story)


def test_a_session_belongs_to_the_subject_that_opened_it(running: Running, token: str) -> None:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    }  # fmt: skip
    accept = "application/json, text/event-stream"
    status, headers, _ = running.request("POST", "/mcp", json.dumps(hello).encode(), token, Accept=accept)
    session = headers["mcp-session-id"]
    assert status == 200
    listed = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).encode()
    other = token_for(running.folder, "agent:other", "forget")
    for key, expected in ((token, 200), (other, 404)):
        assert running.request("POST", "/mcp", listed, key, Accept=accept, Mcp_Session_Id=session)[0] == expected


@BOTH
def test_places_and_krefs_are_resources_and_prompts_bring_what_is_known(
    running: Running, token: str, mode: Any
) -> None:
    noon = "The ferry to Aldra leaves at noon."
    kept = as_operator(running.folder, "remember", text=noon, place="life", name="ferry")
    kref = f"kref://{running.folder.name}/life/ferry.{as_operator(running.folder, 'get', memory=kept.id).kind}"

    async def story() -> None:
        async with over_http(running, token, mode=mode) as one:
            uris = {str(resource.uri) for resource in (await one.list_resources()).resources}
            assert {"palazzo://place/", "palazzo://place/life"} <= uris
            templates = [t.uri_template for t in (await one.list_resource_templates()).resource_templates]
            assert templates == ["palazzo://place/{place}", "kref://{+kref}"]
            place = json.loads((await one.read_resource("palazzo://place/life")).contents[0].text)
            assert noon in [memory["text"] for memory in place["memories"]]
            assert json.loads((await one.read_resource(kref)).contents[0].text)["id"] == str(kept.id)
            for missing in ("palazzo://palace", kref.replace("ferry", "nothing")):
                with pytest.raises(MCPError):
                    await one.read_resource(missing)
            prompts = {prompt.name: prompt for prompt in (await one.list_prompts()).prompts}
            assert set(prompts) == {"recall_first", "keep", "brief_me"}
            told = await one.get_prompt("recall_first", {"question": "when does the ferry to Aldra leave?"})
            assert "leaves at noon" in told.messages[0].content.text
            with pytest.raises(MCPError):
                await one.get_prompt("brief_me", {})

    played(story)


def test_a_client_that_lends_its_model_has_it_read_what_is_remembered(tmp_path: Path) -> None:
    asked: list[types.CreateMessageRequestParams] = []

    async def model(_: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        asked.append(params)
        text = json.dumps({"propositions": []}) if len(asked) == 1 else "I would rather not."
        content = types.TextContent(type="text", text=text)
        return types.CreateMessageResult(role="assistant", content=content, model="lent-1")

    async def story() -> None:
        folder = tmp_path / "palace"
        async with over_stdio(folder, "lender", mode="legacy", sampling_callback=model) as one:
            kept = await ask(one, "remember", text=PORT)
            assert (len(asked), "completer" in str(kept.get("without", ""))) == (1, False)
            assert asked[0].messages[0].content.text == PORT
            refused = await ask(one, "remember", text="The lake behind the mill is deep.")
            assert refused["memories"]
            assert "completer" in str(refused["without"])
        async with over_stdio(folder, "thrifty", "--no-sampling", mode="legacy", sampling_callback=model) as two:
            before = len(asked)
            assert (await ask(two, "remember", text="The mill has three wheels."))["memories"]
            assert len(asked) == before

    played(story)


def test_clients_commands_and_the_daemon_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "palace"

    async def writes(client: Client, who: str) -> list[str]:
        made: list[str] = []
        for n in range(8):
            text = f"Drawer {n} of {who} holds part {n * 17}."
            made += (await ask(client, "remember", text=text, place=f"shelf.{who}", name=f"drawer-{n}"))["memories"]
        return made

    async def commands() -> list[str]:
        made: list[str] = []
        for n in range(3):
            words = [
                "remember",
                f"Hook {n} by the door holds coat {n * 7}.",
                "--place",
                "shelf.door",
                "--name",
                f"h-{n}",
            ]
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "palazzo", "--json", "--palace", str(folder), *words, env=environment(),
                stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            told, _ = await process.communicate()
            made += json.loads(told)["memories"]
        return made

    def requests(running: Running, key: str) -> list[str]:
        made: list[str] = []
        for n in range(8):
            note = {"text": f"Peg {n} in the hall holds hat {n * 3}.", "place": "shelf.hall", "name": f"peg-{n}"}
            status, _, told = running.post("remember", note, key)
            assert status == 200
            made += told["memories"]
        return made

    async def story(running: Running, key: str) -> list[str]:
        async with (
            over_stdio(folder, "one") as one, over_stdio(folder, "two") as two,
            over_http(running, key) as three,
        ):  # fmt: skip
            done = await asyncio.gather(
                writes(one, "one"), writes(two, "two"), writes(three, "three"), commands(),
                asyncio.to_thread(requests, running, key),
            )  # fmt: skip
            return [memory for made in done for memory in made]

    with daemon(folder) as running:
        key = token_for(folder, "agent:guest", "write")
        kept = asyncio.run(asyncio.wait_for(story(running, key), 120))
    assert len(kept) >= 8 * 4 + 3
    found = as_operator(folder, "list", place="shelf.**", limit=1000)
    assert {memory.place for memory in found} == {f"shelf.{who}" for who in ("one", "two", "three", "door", "hall")}
    assert set(kept) <= {str(memory.id) for memory in found}
    assert as_operator(folder, "verify").clean
