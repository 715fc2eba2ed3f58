"""What `pip install palazzo` brings along: few packages, little disk, and no client of a model hub."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

MOST_PACKAGES = 25
MOST_MB = 120
"""Without bytecode. NumPy with its BLAS is 57 of it, the models of Palazzo 39, SQLite 10."""
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)")


def needed(requirements: list[str]) -> set[str]:
    """The packages a list of requirements brings, and whatever these need without their extras."""
    found: set[str] = set()
    waiting = list(requirements)
    while waiting:
        asked = waiting.pop()
        name = REQUIREMENT.match(asked)
        if name is None or "extra ==" in asked or "python_version <" in asked or "platform" in asked:
            continue
        key = name[1].lower().replace("_", "-")
        if key not in found:
            found.add(key)
            waiting += distribution(key).requires or []
    return found


def test_the_base_install_is_small_and_brings_no_client_of_a_model_hub(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    packages = needed(project["dependencies"])
    assert len(packages) + 1 <= MOST_PACKAGES, sorted(packages)
    assert not packages & {"wordllama", "huggingface-hub", "tokenizers", "requests", "httpx", "pydantic", "torch"}
    files = [Path(str(file.locate())) for name in packages for file in distribution(name).files or []]
    files += [path for path in (root / "src" / "palazzo").rglob("*") if path.is_file()]
    used = sum(path.stat().st_size for path in files if path.is_file() and path.suffix != ".pyc")
    assert used < MOST_MB * 1_000_000, f"{used / 1e6:.0f} MB"


def test_nothing_installs_palazzo_by_its_name_before_it_is_released(root: Path) -> None:
    """Until then the name on the index is nobody's, or somebody else's."""
    by_name = re.compile(r"(?:pip|pipx|uv tool) install [^\n|`&]*?(?<![/\w.])palazzo(?![-/\w])")
    told = {
        f"{path.relative_to(root)}: {found[0]}"
        for folder in ("src", "docs", "integrations", "examples", "packaging")
        for path in (root / folder).rglob("*")
        if path.suffix in {".py", ".md", ".toml", ".yml", ".yaml"}
        for found in by_name.finditer(path.read_text("utf-8"))
    }
    assert told == {"docs/install.md: pip install palazzo"}  # where it says from when on that is true
