"""Every long operation is cut off at its file events; each time the documented command brings the palace back whole."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recovery.operations import OPERATIONS

ROOT = Path(__file__).parent.parent.parent
MEMORY = Path("/dev/shm")


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: the walk syncs often, and no disk of ours loses its power."""
    if not MEMORY.is_dir():
        yield tmp_path / "walk"
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        yield Path(name) / "walk"


@pytest.mark.skipif(sys.platform != "linux", reason="the walk names files by their handles in /proc")
@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_a_kill_or_a_power_cut_at_any_file_event_leaves_a_palace_that_the_documented_command_makes_whole(
    operation: str, scratch: Path, request: pytest.FixtureRequest
) -> None:
    every = ["--every"] if request.config.getoption("--every-event") else []
    command = [sys.executable, "-m", "tests.recovery.walk", operation, str(scratch), *every]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["failures"] == []
    assert found["kills"] > 5
    assert found["cuts"] > 5
