"""Parts that other packages bring by entry point: embedders, completers, rerankers, importers, context providers and
parts of snapshots.

Owns the groups, what a part of each kind must have, what counts as broken, and asking the context providers, section by
section. Only what is named is loaded. Who asks is bootstrap alone. Invariants: a plugin that cannot be used is an error
that names it and its package; a context provider that fails or names no section is told of and gone without, and what
it gives is never stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from palazzo.errors import InvalidInput, PalazzoError, PartUnavailable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal[
    "embedder", "completer", "reranker", "importer", "context_provider", "snapshot_part", "capture_adapter"
]  # fmt: skip
PREFIX: Final = "plugin:"
"""How a setting names a part of a plugin: plugin:NAME."""
GROUPS: Final[Mapping[Kind, str]] = MappingProxyType(
    {"embedder": "palazzo.embedders", "completer": "palazzo.completers", "reranker": "palazzo.rerankers",
     "importer": "palazzo.importers", "context_provider": "palazzo.context_providers",
     "snapshot_part": "palazzo.snapshot_parts", "capture_adapter": "palazzo.capture_adapters"}
)  # fmt: skip
_WANTED: Final[Mapping[Kind, tuple[str, ...]]] = MappingProxyType(
    {"embedder": ("name", "dimensions", "embed", "embed_query"), "completer": ("name", "complete"),
     "reranker": ("name", "rerank"), "importer": ("__call__",), "context_provider": ("name", "section", "provide"),
     "snapshot_part": ("name", "capture", "restore"), "capture_adapter": ("name", "about", "missing", "watch")}
)  # fmt: skip
BROKEN: Final = (
    ImportError, SyntaxError, NameError, AttributeError, TypeError, ValueError, LookupError, ArithmeticError,
    AssertionError, OSError, RuntimeError, PalazzoError,
)  # fmt: skip
"""What code of others may raise and is survived; anything else is the interpreter's."""


class Plugin(msgspec.Struct, frozen=True, kw_only=True):
    """A part that is installed: its kind and name, the package it comes from, and why it cannot be used, if so."""

    kind: Kind
    name: str
    package: str
    version: str
    target: str
    fault: str = ""


def installed() -> tuple[Plugin, ...]:
    """Every part there is, by kind and name. Nothing of them is loaded."""
    return tuple(_plugin(kind, point) for kind in GROUPS for point in _points(kind).values())


def _points(kind: Kind) -> dict[str, EntryPoint]:
    """The entry points of a kind by name; of two of one name the first found, as imports do it."""
    from importlib.metadata import entry_points  # a tenth of a second, and most palaces have no plugins

    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=GROUPS[kind]), key=lambda one: one.name):
        found.setdefault(point.name, point)
    return found


def _plugin(kind: Kind, point: EntryPoint, fault: str = "") -> Plugin:
    package, version = (point.dist.name, point.dist.version) if point.dist is not None else ("?", "?")
    return Plugin(kind=kind, name=point.name, package=package, version=version, target=point.value, fault=fault)


def load(kind: Kind, name: str) -> Any:
    """The part of this name: an importer as it is, anything else as made by what the entry point names.

    Raises: InvalidInput when there is none, PartUnavailable when it is broken.
    """
    points = _points(kind)
    point = points.get(name)
    if point is None:
        raise InvalidInput(
            f"no plugin brings the {kind} {name!r}", field=kind, hint=f"installed: {', '.join(points) or 'none'}"
        )
    try:
        part = point.load()
        made = part if kind == "importer" else part()
        missing = [wanted for wanted in _WANTED[kind] if not hasattr(made, wanted)]
    except BROKEN as error:
        raise _unusable(kind, point, f"{type(error).__name__}: {error}") from error
    if missing:
        raise _unusable(kind, point, f"it has no {', '.join(missing)}")
    return made


def _unusable(kind: Kind, point: EntryPoint, why: str) -> PartUnavailable:
    package = _plugin(kind, point).package
    return PartUnavailable(
        f"the {kind} {point.name} of the package {package} cannot be used: {why}", part=f"plugin:{point.name}"
    )


def checked() -> tuple[Plugin, ...]:
    """Every part there is, loaded once to see whether it can be used."""
    found = []
    for plugin in installed():
        try:
            load(plugin.kind, plugin.name)
        except PartUnavailable as error:
            found.append(_plugin(plugin.kind, _points(plugin.kind)[plugin.name], error.message))
        else:
            found.append(plugin)
    return tuple(found)
