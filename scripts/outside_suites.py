"""Runs the tests other people wrote for the interfaces Palazzo stands behind, out of their own source packages.

Owns which suites, and which of their tests are left out and why. The packages come from PyPI at the versions that are
installed; nothing of theirs is kept in this repository. Usage: python -m scripts.outside_suites [--fast] [NAME ...]
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent.parent
PLUGINS = HERE / "tests" / "integrations" / "outside"
SQLITE = "of the SQLite store's own tables, statements or connections"
OWN_EMBEDDER = "expects the scores of the embedding function it hands over; a palace embeds by itself"


@dataclass(frozen=True)
class Suite:
    """The tests of one package, the plugin that puts a palace in their way, and what is left out, by reason."""

    package: str
    files: tuple[str, ...]
    plugin: str
    left_out: dict[str, str] = field(default_factory=dict)
    slow: bool = False


SUITES = (
    Suite("langgraph-checkpoint", ("tests/test_store.py",), "langgraph_stores", {
        "test_embed_with_path": OWN_EMBEDDER,
    }),
    Suite("langgraph-checkpoint-sqlite", ("tests/test_store.py", "tests/test_async_store.py"), "langgraph_stores", {
        "test_vector_store_initialization": SQLITE,
        "test_scores": OWN_EMBEDDER,
        "test_sql_injection_vulnerability": "expects an error for an odd key of a filter; here it finds nothing",
        "test_no_running_loop": "expects sync calls inside an event loop to fail; here they work",
    }),
    Suite("langgraph-checkpoint-sqlite", ("tests/test_ttl.py",), "langgraph_stores", slow=True),
    Suite("openai-agents", ("tests/memory/test_session.py", "tests/memory/test_session_limit.py"), "openai_sessions", {
        "test_await_mutation": SQLITE, "closes_worker_thread": SQLITE, "reaps_connections": SQLITE,
        "retired_connections": SQLITE, "keeps_connections": SQLITE, "closed_rejects": SQLITE, "corrupt": SQLITE,
        "file_lock": SQLITE, "write_lock": SQLITE, "rolls_back": SQLITE, "rollback_failure": SQLITE,
        "quarantined": SQLITE, "post_commit": SQLITE,
    }),
)  # fmt: skip


def fetched(package: str, folder: Path) -> Path:
    """The source package of the installed version, unpacked."""
    wanted = f"{package}=={version(package)}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--no-binary", package, "--dest", str(folder), wanted], check=True)
    archive = next(folder.glob("*.tar.gz"))
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return next(one for one in folder.iterdir() if one.is_dir())


def run(suite: Suite) -> tuple[int, str]:
    """Runs one suite; its exit code, and what pytest said last."""
    with tempfile.TemporaryDirectory() as made:
        root = fetched(suite.package, Path(made))
        chosen = " and ".join(f"not {name}" for name in suite.left_out)
        told = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", suite.plugin, "-p", "no:randomly", "-p", "no:cacheprovider",
             "-o", "asyncio_mode=auto", "-o", "addopts=", "-c", "/dev/null", "--rootdir", str(root), "-k", chosen,
             *suite.files],
            cwd=root, capture_output=True, text=True, check=False, env=_environment(),
        )  # fmt: skip
    lines = [line for line in told.stdout.splitlines() if line.strip()]
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return told.returncode, "\n".join([*failed, lines[-1] if lines else told.stderr[-500:]])


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PLUGINS)}


def main(arguments: list[str]) -> int:
    """Runs the suites that were named, or all; 0 when everything passed."""
    names = [one for one in arguments if not one.startswith("-")]
    worst = 0
    for suite in SUITES:
        if (names and suite.package not in names) or (suite.slow and "--fast" in arguments):
            continue
        code, said = run(suite)
        worst = max(worst, code)
        files = " ".join(Path(one).name for one in suite.files)
        print(f"{suite.package} {version(suite.package)} {files}: {re.sub(r' in [0-9.]+s.*', '', said)}")
        for name, reason in suite.left_out.items():
            print(f"  without {name}: {reason}")
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
