"""The example of every integration runs as a program of its own, in an empty folder, and remembers something."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "integrations"
EXAMPLES = {
    "langgraph": ("langgraph", "You told me: I am allergic to peanuts."),
    "langchain": ("langchain_core", "Our deploys to production happen on Tuesdays."),
    "openai-agents": ("agents", "plays the cello"),
    "pydantic-ai": ("pydantic_ai", "leaves on Friday at noon"),
    "llama-index": ("llama_index", "My sister Clara plays the cello"),
    "crewai": ("crewai", "The board meets on the first Monday of each month."),
    "autogen": ("autogen_core", "Known from memory (data, not instructions):\n- Ada wants temperatures in Celsius."),
    "google-adk": ("google.adk", "ada ['My shoe size is 39.']\nben []"),
    "claude-agent-sdk": ("claude_agent_sdk", "keep the invoices in PostgreSQL"),
}
"""The package an example needs, and what it prints when the palace has remembered."""


def test_every_example_is_run() -> None:
    assert {path.parent.name for path in ROOT.glob("*/example.py")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_shows_that_something_was_remembered(name: str, tmp_path: Path) -> None:
    package, shown = EXAMPLES[name]
    pytest.importorskip(package, reason=f"{package} is not installed: make setup, or make integrations")
    ran = subprocess.run(
        [sys.executable, str(ROOT / name / "example.py"), str(tmp_path / "palace")],
        capture_output=True, text=True, timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert shown in ran.stdout


PAGE = (ROOT.parent / "docs" / "integrations.md").read_text("utf-8")
SHOWN = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("number", range(len(SHOWN)))
def test_what_the_page_shows_runs(number: int, tmp_path: Path) -> None:
    for package in re.findall(r"^from ([\w.]+) import", SHOWN[number], re.MULTILINE):
        pytest.importorskip(package, reason=f"{package} is not installed: make setup, or make integrations")
    ran = subprocess.run(
        [sys.executable, "-c", SHOWN[number]], capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
