"""Fixtures of the adapters' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.adapters.scripted_server import ScriptedServer, running_server


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with running_server() as running:
        yield running
