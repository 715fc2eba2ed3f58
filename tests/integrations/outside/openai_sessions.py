"""A pytest plugin that puts a palace where the OpenAI Agents SDK's own tests expect its SQLite session."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import agents
import agents.memory

from palazzo import Memory
from palazzo.integrations.openai_agents import PalazzoSession

_OPEN: dict[str, Memory] = {}


class Session(PalazzoSession):
    """The SDK's SQLite session by its constructor: one palace for each file."""

    def __init__(self, session_id: str, db_path: str | Path = ":memory:", *tables: str, **given: Any) -> None:
        del tables
        folder = tempfile.mkdtemp(prefix="palace-") if str(db_path) == ":memory:" else f"{db_path}.palace"
        super().__init__(session_id, _OPEN.setdefault(folder, Memory(folder)), **given)

    def close(self) -> None:
        """Others may have the same palace open: it is closed when the tests end."""


agents.SQLiteSession = agents.memory.SQLiteSession = Session
