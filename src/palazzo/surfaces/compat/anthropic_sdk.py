"""The memory tool as the `anthropic` package wants it: a subclass of its abstract memory tool.

Owns nothing but the joint: commands go to `palazzo.surfaces.compat.anthropic_memory`, refusals become the package's
ToolError. Importing this module needs the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError

from palazzo.errors import PalazzoError
from palazzo.surfaces.compat.anthropic_memory import MemoryTool

if TYPE_CHECKING:
    from palazzo.surfaces.library import Memory


class PalaceMemoryTool(BetaAbstractMemoryTool):  # type: ignore[misc, unused-ignore]  # Any without the package
    """Give it to `client.beta.messages.tool_runner(tools=[...])`."""

    def __init__(self, memory: Memory, **given: Any) -> None:
        super().__init__(**given)
        self._tool = MemoryTool(memory)

    def _run(self, command: Any) -> str:
        try:
            return self._tool.run(command.to_dict())
        except PalazzoError as error:
            raise ToolError(error.message) from error

    def view(self, command: Any) -> str:
        """Lists a folder or shows a file."""
        return self._run(command)

    def create(self, command: Any) -> str:
        """Makes a file."""
        return self._run(command)

    def str_replace(self, command: Any) -> str:
        """Replaces a text in a file."""
        return self._run(command)

    def insert(self, command: Any) -> str:
        """Puts lines into a file."""
        return self._run(command)

    def delete(self, command: Any) -> str:
        """Forgets a file or a folder."""
        return self._run(command)

    def rename(self, command: Any) -> str:
        """Moves a file or a folder."""
        return self._run(command)

    def clear_all_memory(self) -> str:
        """Forgets every file."""
        for path in self._tool.paths():
            self._tool.delete(path)
        return "All memory cleared"
