"""Palazzo: the memory of an AI agent.

    from palazzo import Memory

`Memory`, `AsyncMemory` and the types beside them load on first use, so that importing the package costs nothing and
touches nothing; what type checkers see of them is in `__init__.pyi`.
"""

__version__ = "0.1.0"
_HOMES = {
    "palazzo.surfaces.library": ("AsyncMemory", "Memory", "copy_palace"),
    "palazzo.errors": (
        "Conflict", "InvalidInput", "NotFound", "NotPermitted", "PalaceBusy", "PalaceMissing", "PalazzoError",
        "PartUnavailable", "RateLimited", "Refused", "StorageError", "WrongKey",
    ),
    "palazzo.operations.intake.spec": ("Kept",),
    "palazzo.operations.recall.spec": ("ContextBlock", "History", "MemoryPage", "Recalled", "RecalledMemory"),
    "palazzo.operations.shared": ("StoredMemory",),
}  # fmt: skip
"""Where the names live that a program may want from here: the library, its errors and its commonest results."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted([*_HOME_OF, "__version__"])  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name in _HOME_OF:
        import importlib

        return getattr(importlib.import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
