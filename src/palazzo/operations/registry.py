"""The registry: the one list of what a palace can be asked to do. Every surface is made from it.

Joins the declarations of the nouns and finds the function that runs an operation: the one of its name in the noun's
`run` module, loaded when it is first called, for a command needs only its own. Invariant: names are unique.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from palazzo.errors import NotFound
from palazzo.operations.belief import spec as belief
from palazzo.operations.capture import spec as capture
from palazzo.operations.care import spec as care
from palazzo.operations.claims import spec as claims
from palazzo.operations.declared import Operation
from palazzo.operations.erase import spec as erase
from palazzo.operations.graph import spec as graph
from palazzo.operations.guard import spec as guard
from palazzo.operations.intake import spec as intake
from palazzo.operations.mind import spec as mind
from palazzo.operations.palace import spec as palace
from palazzo.operations.persona import spec as persona
from palazzo.operations.port import spec as port
from palazzo.operations.recall import spec as recall
from palazzo.operations.snapshot import spec as snapshot
from palazzo.operations.spine import spec as spine
from palazzo.operations.talk import spec as talk
from palazzo.operations.thread import spec as thread

_DECLARED: Final = (
    intake, recall, mind, talk, palace, graph, belief, claims, erase, guard, spine, thread, persona, capture, snapshot,
    port, care,
)  # fmt: skip
NOUNS: Final[Mapping[str, tuple[Operation, ...]]] = MappingProxyType(
    {spec.__name__.split(".")[-2]: spec.OPERATIONS for spec in _DECLARED}
)
"""By the folder that declares them."""

OPERATIONS: Final[tuple[Operation, ...]] = tuple(operation for noun in NOUNS.values() for operation in noun)

BY_NAME: Final[Mapping[str, Operation]] = MappingProxyType({operation.name: operation for operation in OPERATIONS})

ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "add": "remember",
        "search": "recall",
        "get_all": "list",
        "delete": "forget",
        "traverse": "walk",
        "snapshots": "snapshot_list",
    }
)
"""Names people know from elsewhere. They are the same operations."""


def operation(name: str) -> Operation:
    """The operation of this name or alias.

    Raises: NotFound.
    """
    found = BY_NAME.get(ALIASES.get(name, name))
    if found is None:
        raise NotFound(f"no operation {name!r}", hint=f"one of {', '.join(BY_NAME)}")
    return found


@cache
def function_of(name: str) -> Callable[..., Any]:
    """The function that runs the operation of this name; a name that Python has a meaning for ends in an underscore."""
    noun = next(noun for noun, declared in NOUNS.items() if BY_NAME[name] in declared)
    module = import_module(f"palazzo.operations.{noun}.run")
    found: Callable[..., Any] = getattr(module, name, None) or getattr(module, f"{name}_")
    return found
