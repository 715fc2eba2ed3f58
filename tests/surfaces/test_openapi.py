"""The OpenAPI document against the running server: whatever is sent, no failure and no answer of another shape.

Schemathesis makes the requests from the document, good and bad ones, with a fixed seed; `make fuzz-http` sends more.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.surfaces.daemon import Running, environment

from palazzo.operations.registry import OPERATIONS
from palazzo.surfaces.http.app import as_builtins

pytest.importorskip("schemathesis", reason="schemathesis is not installed: pip install schemathesis")

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "response_headers_conformance,negative_data_rejection,unsupported_method,ignored_auth"
)


def test_schemathesis_finds_no_failure_and_no_breach(running: Running, token: str, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{running.url}/v1/openapi.json",
        "--header", f"Authorization: Bearer {token}", "--checks", CHECKS, "--max-examples", "5", "--seed", "7",
        "--phases", "fuzzing", "--exclude-operation-id", "stream_events",
        "--exclude-operation-id", "pause", "--generation-database", "none", "--request-timeout", "30", "--no-color",
    ]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment())
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    assert running.request("GET", "/health")[0] == 200
    assert not [line for line in running.logged if line["level"] == "error"]


def test_the_document_is_complete_and_its_references_lead_somewhere() -> None:
    document = as_builtins()
    assert set(document["paths"]) >= {f"/v1/{operation.name}" for operation in OPERATIONS}
    text = json.dumps(document)
    names = {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert names <= set(document["components"]["schemas"])
    assert "$defs" not in text
