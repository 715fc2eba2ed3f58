"""What is promised of a palace is promised on a server too: some modules run over both in every run, and all that open
their palaces through the library with --every-engine (`make postgres`)."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.testing.palace import server_address
from palazzo.testing.postgres import NoServer

ON_BOTH = {"test_contended_slot", "test_filters", "test_told_again"}
"""Beliefs that change under two writers, conditions in queries, and repetition: what engines may answer otherwise."""
BY_COMMANDS = {"test_cli", "test_cli_for_people", "test_intake_cli", "test_mcp", "test_porting_cli"}
"""Those go by a folder; tests/surfaces/test_postgres.py asks the commands over a server."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a module's tests over both engines where it is worth its time, or all are asked for."""
    name = metafunc.module.__name__.rpartition(".")[2]
    every = metafunc.config.getoption("--every-engine") and name not in BY_COMMANDS
    if name in ON_BOTH or every:
        metafunc.fixturenames.insert(0, "palaces")
        metafunc.parametrize("palaces", ["file", "server"], indirect=True)


@pytest.fixture
def palaces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the palaces of a test are: in the folders it names, or each of them on a server under a name of its own."""
    if request.param == "file":
        return
    try:
        server = server_address()
    except NoServer as missing:
        pytest.skip(str(missing))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "this-machine"))
    opened = Memory.__init__

    def open_there(self: Memory, palace: Any = None, **more: Any) -> None:
        if isinstance(palace, Path):
            palace = f"{server}?palace=at-{blake2b(str(palace).encode(), digest_size=12).hexdigest()}"
        opened(self, palace, **more)

    monkeypatch.setattr(Memory, "__init__", open_there)
