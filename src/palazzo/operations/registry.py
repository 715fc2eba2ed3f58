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
from palazzo.operations.bus import spec as bus
from palazzo.operations.capture import spec as capture
from palazzo.operations.capturing import spec as capturing
from palazzo.operations.care import spec as care
from palazzo.operations.chat import spec as chat
from palazzo.operations.claims import spec as claims
from palazzo.operations.declared import Operation
from palazzo.operations.dream import spec as dream
from palazzo.operations.erase import spec as erase
from palazzo.operations.graph import spec as graph
from palazzo.operations.guard import spec as guard
from palazzo.operations.identity import spec as identity
from palazzo.operations.intake import spec as intake
from palazzo.operations.knowing import spec as knowing
from palazzo.operations.mind import spec as mind
from palazzo.operations.palace import spec as palace
from palazzo.operations.port import spec as port
from palazzo.operations.recall import spec as recall
from palazzo.operations.receipt import spec as receipt
from palazzo.operations.seal import spec as seal
from palazzo.operations.snapshot import spec as snapshot
from palazzo.operations.spine import spec as spine
from palazzo.operations.thread import spec as thread

NOUNS: Final[Mapping[str, tuple[Operation, ...]]] = MappingProxyType(
    {
        "intake": intake.OPERATIONS,
        "recall": recall.OPERATIONS,
        "mind": mind.OPERATIONS,
        "dream": dream.OPERATIONS,
        "knowing": knowing.OPERATIONS,
        "chat": chat.OPERATIONS,
        "bus": bus.OPERATIONS,
        "palace": palace.OPERATIONS,
        "graph": graph.OPERATIONS,
        "belief": belief.OPERATIONS,
        "claims": claims.OPERATIONS,
        "erase": erase.OPERATIONS,
        "guard": guard.OPERATIONS,
        "spine": spine.OPERATIONS,
        "thread": thread.OPERATIONS,
        "identity": identity.OPERATIONS,
        "receipt": receipt.OPERATIONS,
        "capturing": capturing.OPERATIONS,
        "snapshot": snapshot.OPERATIONS,
        "capture": capture.OPERATIONS,
        "seal": seal.OPERATIONS,
        "port": port.OPERATIONS,
        "care": care.OPERATIONS,
    }
)

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
