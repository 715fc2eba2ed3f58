"""Sends a daemon whatever its OpenAPI document allows, and more: `python -m scripts.fuzz_http [EXAMPLES]`.

A palace of its own in a temporary folder, a real daemon, Schemathesis with a fixed seed. Ends with Schemathesis's code.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from palazzo import Memory

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "response_headers_conformance,negative_data_rejection,unsupported_method,ignored_auth"
)


def main() -> int:
    """Runs the fuzzer against a daemon of its own."""
    examples = sys.argv[1] if len(sys.argv) > 1 else "50"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "palace"
        with Memory(folder, embedder="none") as memory:
            memory.grant("agent:guest", "forget")
            token = memory.token_create("agent:guest").token
        serve = [sys.executable, "-m", "palazzo", "--palace", str(folder), "serve", "--port", "0"]
        log = Path(scratch) / "log"
        with log.open("w") as file:
            daemon = subprocess.Popen(serve, stderr=file)  # noqa: S603
        while "\n" not in log.read_text():
            if daemon.poll() is not None:
                return 2
        url = json.loads(log.read_text().partition("\n")[0])["url"]
        fuzz = [
            sys.executable, "-m", "schemathesis.cli", "run", f"{url}/v1/openapi.json", "--checks", CHECKS,
            "--header", f"Authorization: Bearer {token}", "--max-examples", examples, "--seed", "7",
            "--phases", "coverage,fuzzing", "--exclude-operation-id", "stream_events",
            "--generation-database", "none",
        ]  # fmt: skip
        try:
            return subprocess.run(fuzz, cwd=scratch, check=False).returncode  # noqa: S603
        finally:
            daemon.terminate()
            daemon.wait()


if __name__ == "__main__":
    sys.exit(main())
