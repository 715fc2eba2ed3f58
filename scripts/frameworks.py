"""Runs the tests of every integration with its real package, and the suites their makers wrote (`make integrations`).

Frameworks that ask for different versions of one package live apart, each in an environment below .venv-outside that is
made once and made again when pyproject.toml changes its group. Usage: python -m scripts.frameworks [--fast] [NAME ...]
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent.parent
WHERE = HERE / ".venv-outside"
ENVIRONMENTS = {
    "outside": ("integrations", "outside"),
    "crewai": ("crewai",),
    "google-adk": ("google-adk",),
}
"""The groups of pyproject.toml that each environment has; `trying` is in all of them."""
WITH_SUITES = "outside"
TESTS = ("tests/integrations", "tests/first_hour/test_pages.py::test_the_python_of_a_page_runs[docs/integrations.md]")


def _python(name: str) -> Path:
    return WHERE / name / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def made(name: str) -> bool:
    """An environment with Palazzo and its groups; whether everything could be installed."""
    stamp, asked = WHERE / name / "made-from", (HERE / "pyproject.toml").read_bytes()
    if stamp.is_file() and stamp.read_bytes() == asked:
        return True
    venv.create(WHERE / name, with_pip=True, clear=True)
    install = [str(_python(name)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    groups = [part for group in ("trying", *ENVIRONMENTS[name]) for part in ("--group", group)]
    for what in (["--upgrade", "pip"], ["--editable", ".[mcp]" if name == WITH_SUITES else ".", *groups]):
        if subprocess.run([*install, *what], cwd=HERE, check=False).returncode:  # noqa: S603
            sys.stdout.write(f"{name}: could not be installed; is the package index at hand?\n")
            return False
    stamp.write_bytes(asked)
    return True


def tried(name: str, *, fast: bool) -> bool:
    """Whether the tests with an environment's frameworks pass, and the suites of others where they are installed."""
    sys.stdout.write(f"== {name}: {' '.join(ENVIRONMENTS[name])}\n")
    sys.stdout.flush()
    if not made(name):
        return False
    options = ["-q", "-r", "fE", "-p", "no:randomly", "-o", "asyncio_mode=auto", "-o", "filterwarnings=default"]
    runs = [["-m", "pytest", *options, "-o", "asyncio_default_fixture_loop_scope=function", *TESTS]]
    if name == WITH_SUITES:
        runs.append(["-m", "scripts.outside_suites", *(["--fast"] if fast else [])])
    python = str(_python(name))
    return all([subprocess.run([python, *run], cwd=HERE, check=False).returncode == 0 for run in runs])  # noqa: S603


def main(arguments: list[str]) -> int:
    """Tries the environments that were named, or all; the exit code."""
    names = [one for one in arguments if not one.startswith("-")] or list(ENVIRONMENTS)
    return int(not all([tried(name, fast="--fast" in arguments) for name in names]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
