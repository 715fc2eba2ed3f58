"""A palace on a medium that cannot be written: everything that reads works, everything that writes says why not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.daemon import PATIENCE_S, as_operator, daemon, environment, token_for

from palazzo.store.sqlite.palace import FILE

BOUND = """
import ctypes, os, sys
if os.getuid() == 0 and sys.platform == "linux":  # the superuser, too, is bound by file modes without capabilities
    assert ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()) == 0
from palazzo.surfaces.cli.commands import main
sys.exit(main())
"""
AS_BOUND = ("-c", BOUND)

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" and not (os.name == "posix" and os.getuid()), reason="file modes must bind"
)


@pytest.fixture(params=["file and folder", "folder"])
def sealed_off(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A palace nobody may write to, and a token of one who otherwise might."""
    folder = tmp_path / "p"
    assert _said(folder, "init")["palace"] == str(folder)
    as_operator(folder, "remember", text="The kettle whistles in C sharp.", place="home")
    token = token_for(folder, "agent:primary")
    if request.param != "folder":
        (folder / FILE).chmod(0o400)
    folder.chmod(0o500)
    yield folder, token
    folder.chmod(0o700)


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *AS_BOUND, "--palace", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)


def _said(folder: Path, *words: str) -> Any:
    done = _run(folder, "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_commands_that_read_work_and_commands_that_write_say_that_they_cannot(
    sealed_off: tuple[Path, str], tmp_path: Path
) -> None:
    folder, _ = sealed_off
    assert len(_said(folder, "list")["memories"]) == 1
    assert len(_said(folder, "recall", "kettle")["hits"]) == 1
    assert _said(folder, "verify")["clean"] is True
    assert _said(folder, "doctor")["well"] is True
    copy = tmp_path / "copies" / "p"
    copied = _said(folder, "backup", str(copy / FILE))
    assert copied["bytes"] > 0
    assert len(_said(copy, "list")["memories"]) == 1
    assert _said(copy, "remember", "The bridge opens at noon.")["memories"]
    for words in (("remember", "The bridge opens at noon."), ("rebuild",), ("upkeep",)):
        refused = _run(folder, "--json", *words)
        assert refused.returncode != 0
        fault = json.loads((refused.stdout or refused.stderr).splitlines()[-1])
        assert fault["error"] == "read_only"
        assert fault["hint"]
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith("palace.db")) == [FILE]


def test_the_daemon_serves_it_for_reading(sealed_off: tuple[Path, str]) -> None:
    folder, token = sealed_off
    with daemon(folder, program=AS_BOUND) as running, daemon(folder, program=AS_BOUND) as second:
        for one in (running, second):
            status, _, found = one.post("recall", {"cue": "kettle"}, token)
            assert (status, len(found["hits"])) == (200, 1)
        status, _, fault = running.post("remember", {"text": "The bridge opens at noon."}, token)
        assert fault["code"] == "read_only"
        assert 400 <= status < 600
        assert running.post("list", {}, token)[0] == 200
        assert running.stop() == 0
    assert not [line for line in running.logged if line.get("event") == "audits"]
