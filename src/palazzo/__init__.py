"""Palazzo: the memory of an AI agent.

    from palazzo import Memory

`Memory`, `AsyncMemory` and `copy_palace` load on first use, so that importing the package costs nothing; what
type checkers see of them is in `__init__.pyi`.
"""

import importlib
import typing

__version__ = "0.1.0"
__all__ = ["AsyncMemory", "Memory", "__version__", "copy_palace"]

_LIBRARY = "palazzo.surfaces.library"


def __getattr__(name: str) -> typing.Any:
    if name in ("Memory", "AsyncMemory", "copy_palace"):
        return getattr(importlib.import_module(_LIBRARY), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
