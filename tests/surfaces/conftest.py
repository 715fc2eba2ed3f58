"""One daemon for the tests of a module that only ask, and its tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the server is not installed: pip install '.[server]'")

from tests.surfaces.daemon import Running, daemon, token_for

from palazzo import Memory


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("serve") / "palace"
    Memory(folder, embedder="none").close()
    with daemon(folder) as found:
        yield found


@pytest.fixture(scope="module")
def token(running: Running) -> str:
    """The token of a subject that may do what an agent may."""
    return token_for(running.folder, "agent:guest", "forget")


@pytest.fixture(scope="module")
def operator_token(running: Running) -> str:
    return token_for(running.folder, "operator")
