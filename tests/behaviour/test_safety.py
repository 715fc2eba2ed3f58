"""The short form of the safety test; the long form is `make bench-safety`, its figures are in docs/benchmarks.md."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
def test_nothing_acknowledged_is_lost_when_processes_are_killed(encrypted: bool) -> None:
    command = [sys.executable, "-m", "bench.safety", "--processes", "5", "--seconds", "10", "--json"]
    done = subprocess.run(command + ["--encrypted"] * encrypted, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr + done.stdout
    result = json.loads(done.stdout)
    assert (result["lost"], result["torn"], result["verify"], result["journal"]) == (0, 0, "clean", "gapless")
    assert (result["back"], result["failed_workers"]) == (0, 0)
    assert sum(result["operations"].values()) >= 3, "nothing was looked after meanwhile"
    assert result["kills"] >= 3
    assert result["acknowledged"] > 50
