"""The example of every integration runs as a program of its own, in an empty folder, and remembers something."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "integrations"
EXAMPLES = {
    "langgraph": ("langgraph", "You told me: I am allergic to peanuts."),
    "langchain": ("langchain_core", "Our deploys to production happen on Tuesdays."),
    "openai-agents": ("agents", "plays the cello"),
}
"""The package an example needs, and what it prints when the palace has remembered."""


def test_every_example_is_run() -> None:
    assert {path.parent.name for path in ROOT.glob("*/example.py")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_shows_that_something_was_remembered(name: str, tmp_path: Path) -> None:
    package, shown = EXAMPLES[name]
    if importlib.util.find_spec(package.split(".")[0]) is None:
        pytest.skip(f"{package} is not installed")
    ran = subprocess.run(
        [sys.executable, str(ROOT / name / "example.py"), str(tmp_path / "palace")],
        capture_output=True, text=True, timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert shown in ran.stdout
