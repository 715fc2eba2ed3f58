"""The TypeScript client in Node against a running daemon."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.surfaces.daemon import daemon, token_for

from palazzo.operations.registry import OPERATIONS

CLIENT = Path(__file__).parents[2] / "integrations" / "typescript"
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_program_in_node_remembers_recalls_follows_and_is_refused(tmp_path: Path) -> None:
    with daemon(tmp_path / "palace") as running:
        token = token_for(running.folder, "agent:primary")
        session = Path(__file__).with_name("typescript_session.mjs")
        ran = subprocess.run([str(NODE), str(session), running.url, token], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["kept"] > 0
    assert any("cello" in text for text in told["found"])
    assert "cello" in told["context"]
    assert (told["others"], told["nobody"]) == (0, 401)
    assert told["same"]
    assert told["refused"]
    assert told["followed"]
    assert told["listed"]


def test_every_operation_is_a_typed_method_and_there_are_no_dependencies() -> None:
    types, program = ((CLIENT / name).read_text("utf-8") for name in ("index.d.ts", "index.js"))
    for operation in OPERATIONS:
        first, *rest = operation.name.split("_")
        name = first + "".join(word.capitalize() for word in rest)
        assert re.search(rf"^  {name}\(args\??:", types, re.MULTILINE), name
        assert f'this.call("{operation.name}", args, options)' in program
    package = json.loads((CLIENT / "package.json").read_text("utf-8"))
    assert not {key for key in package if "ependencies" in key}
