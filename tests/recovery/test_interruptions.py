"""Every long operation is cut off at its file events; each time the documented command brings the palace back whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.recovery.operations import OPERATIONS

ROOT = Path(__file__).parent.parent.parent


def walked(operation: str, folder: Path, *options: str) -> dict[str, object]:
    """Runs the walk in a process of its own."""
    command = [sys.executable, "-m", "tests.recovery.walk", operation, str(folder / "walk"), *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="the walk names files by their handles in /proc")
@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_a_process_killed_at_any_file_event_leaves_a_palace_that_the_documented_command_makes_whole(
    operation: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    every = ("--every",) if request.config.getoption("--every-event") else ()
    found = walked(operation, tmp_path, *every)
    assert found["failures"] == [], found
    assert isinstance(found["walked"], int)
    assert found["walked"] > 10
