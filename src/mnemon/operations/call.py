"""The one way to call an operation: arguments are checked, the caller's capability is checked, then it runs.

Owns the order of those steps and the table from names to functions. Every surface comes through here, so none can leave
a check out. Invariant: an operation runs only for a caller whose grants reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mnemon.engine import Engine
from mnemon.errors import NotPermitted
from mnemon.model.address import ROOT
from mnemon.operations import asking, caring, changing, erasing, granting, porting, taking
from mnemon.operations.arguments import converted
from mnemon.operations.caller import Access, Caller, access, scope_from
from mnemon.operations.context import Context
from mnemon.operations.declared import SCOPE_KEYS, Operation
from mnemon.operations.registry import operation

RUN: dict[str, Callable[[Context, Any], Any]] = {
    "remember": taking.remember,
    "remember_many": taking.remember_many,
    "observe": taking.observe,
    "update": taking.update,
    "recall": asking.recall,
    "context": asking.context_for,
    "reason": asking.reason,
    "evolution": asking.evolution,
    "impact": asking.impact,
    "get": asking.get,
    "list": asking.list_memories,
    "history": asking.history,
    "why": asking.why,
    "explain": asking.explain,
    "walk": asking.walk,
    "forget": changing.forget,
    "restore": changing.restore,
    "purge": erasing.purge,
    "burn": erasing.burn,
    "forget_user": erasing.forget_user,
    "relate": changing.relate,
    "places": asking.places_below,
    "move": changing.move,
    "tag": changing.tag,
    "grant": granting.grant,
    "revoke": granting.revoke,
    "grants": granting.grants,
    "token_create": granting.token_create,
    "token_list": granting.token_list,
    "token_revoke": granting.token_revoke,
    "inbox": asking.inbox,
    "settle": changing.settle,
    "events": asking.events,
    "status": caring.status,
    "doctor": caring.doctor,
    "verify": caring.verify,
    "import": porting.import_file,
    "backup": caring.backup,
}


def call(engine: Engine, caller: Caller, name: str, arguments: Mapping[str, Any]) -> Any:
    """Runs an operation for a caller and returns its result.

    Raises: NotFound for an unknown name, InvalidInput, NotPermitted, and whatever the operation raises.
    """
    context, asked = admitted(engine, caller, name, arguments)
    return RUN[context.operation.name](context, asked)


def admitted(engine: Engine, caller: Caller, name: str, arguments: Mapping[str, Any]) -> tuple[Context, Any]:
    """A call after every check, for surfaces that show how an operation proceeds.

    Raises: NotFound for an unknown name, InvalidInput, NotPermitted.
    """
    wanted = operation(name)
    asked = converted(wanted, arguments)
    allowed = access(engine.store, caller, engine.clock.now_us())
    _admit(wanted, allowed)
    keys = {key: getattr(asked, key) for key in SCOPE_KEYS} if wanted.scoped else {}
    return Context(engine, wanted, allowed, scope_from(caller, keys)), asked


def _admit(wanted: Operation, allowed: Access) -> None:
    """Raises: NotPermitted. What depends on the memory or place named is checked where that is known."""
    if wanted.operator_only and not allowed.caller.is_operator:
        raise NotPermitted(f"only the operator may {wanted.name}", hint=f"run `mnemon {wanted.name}` yourself")
    if wanted.where == "palace":
        allowed.require(wanted.level, ROOT, wanted.name)
    else:
        allowed.require_somewhere(wanted.level, wanted.name)
