"""An agent with every grant there is tries to decide over HTTP and over MCP: each way is refused, nothing changes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.surfaces.daemon import Running, as_operator, token_for

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install '.[mcp]'")

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

TEXT = "The ferry leaves at noon."


@pytest.fixture(scope="module")
def claim(running: Running) -> str:
    source = {"kind": "handoff", "reference": "notes", "excerpt": TEXT}
    return str(as_operator(running.folder, "propose", text=TEXT, sources=[source]).id)


def attempts(claim: str) -> dict[str, dict[str, Any]]:
    confirmed = {"claim": claim, "text": TEXT, "source_state": "exact_match"}
    return {
        "decide": {**confirmed, "decision": "accept"}, "retract": confirmed, "claim_mode": {"mode": "enforce"},
        "vault_unlock": {"passphrase": "open"}, "grant": {"subject": "agent:guest", "level": "forget"},
        "settle": {"memory": claim}, "remember": {"text": TEXT, "tags": ["verified"]},
    }  # fmt: skip


def unmoved(running: Running, claim: str) -> bool:
    seen = as_operator(running.folder, "preview", claim=claim)
    mode = as_operator(running.folder, "claims").mode
    return (seen.claim.status, seen.receipts, mode) == ("candidate", (), "observe")


def test_over_http_every_way_to_a_decision_is_refused(running: Running, claim: str) -> None:
    token = token_for(running.folder, "agent:bent", "forget")
    for name, given in attempts(claim).items():
        for arguments in (given, {**given, "decision": "reject"} if name == "decide" else given):
            status, _, told = running.post(name, arguments, token)
            assert (status, told["code"]) == (403, "not_permitted"), name
    assert unmoved(running, claim)


def test_over_mcp_there_is_no_tool_for_a_decision_and_none_by_another_name(running: Running, claim: str) -> None:
    token = token_for(running.folder, "mcp:bent", "forget")

    async def story() -> None:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        async with http, Client(streamable_http_client(f"{running.url}/mcp", http_client=http)) as client:
            offered = {tool.name for tool in (await client.list_tools()).tools}
            assert not offered & {"decide", "retract", "claim_mode", "vault_unlock", "settle", "grant"}
            for name, given in attempts(claim).items():
                said = await client.call_tool(name, given)
                assert said.is_error or "error" in (said.structured_content or {}), name

    asyncio.run(asyncio.wait_for(story(), 90))
    assert unmoved(running, claim)
