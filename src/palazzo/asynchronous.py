"""The async face: the operations to be awaited, each run in a worker thread over the synchronous core.

Owns the one crossing between the two worlds. Made from the registry, so it has no operation of its own and lacks none.
Invariant: the event loop never waits for the palace.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from palazzo.operations.methods import AsyncMethods

Call = Callable[[str, dict[str, Any]], Any]


class AsyncFace(AsyncMethods):
    """Awaits what a synchronous call returns."""

    def __init__(self, synchronous: Call) -> None:
        self._synchronous = synchronous

    async def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        import asyncio

        return await asyncio.to_thread(self._synchronous, name, arguments)
