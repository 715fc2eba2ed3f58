"""The one way to call an operation: arguments, rate and capability are checked, it runs, its answer is reduced, and the
call is written down.

Owns the order of those steps and the table from names to functions. Every surface comes through here, so none can leave
a check out. Invariant: an operation runs only for a caller whose grants reach it, and shows only what they show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from time import perf_counter
from typing import Any

from palazzo.engine import Engine
from palazzo.errors import InvalidAddress, NotFound, NotPermitted, PalazzoError, RateLimited
from palazzo.guard.access import Access
from palazzo.guard.gate import Call
from palazzo.guard.reduce import Exists
from palazzo.model.address import ROOT, PlaceGlob
from palazzo.model.capability import Level
from palazzo.operations.arguments import converted
from palazzo.operations.caller import Caller, scope_from
from palazzo.operations.context import Context
from palazzo.operations.damage import past_damage, with_damage
from palazzo.operations.declared import SCOPE_KEYS, Operation
from palazzo.operations.registry import operation

QUESTIONS = ("cue", "message", "question", "topic")
"""Parameters that hold a question, whatever the operation."""

Run = Callable[[Context, Any], Any]

RUN: dict[str, str] = {
    "remember": "taking.remember",
    "remember_many": "taking.remember_many",
    "observe": "taking.observe",
    "update": "taking.update",
    "recall": "asking.recall",
    "context": "asking.context_for",
    "feedback": "changing.feedback",
    "reason": "asking.reason",
    "evolution": "asking.evolution",
    "impact": "asking.impact",
    "get": "asking.get",
    "list": "asking.list_memories",
    "history": "asking.history",
    "why": "asking.why",
    "explain": "asking.explain",
    "walk": "asking.walk",
    "forget": "changing.forget",
    "restore": "changing.restore",
    "purge": "erasing.purge",
    "burn": "erasing.burn",
    "forget_user": "erasing.forget_user",
    "relate": "changing.relate",
    "places": "asking.places_below",
    "move": "changing.move",
    "tag": "changing.tag",
    "grant": "granting.grant",
    "revoke": "granting.revoke",
    "grants": "granting.grants",
    "token_create": "granting.token_create",
    "token_list": "granting.token_list",
    "token_revoke": "granting.token_revoke",
    "plan": "operating.plan",
    "apply": "operating.apply",
    "rollback": "operating.rollback",
    "plans": "operating.plans",
    "audit_list": "operating.audit_list",
    "audit_verify": "operating.audit_verify",
    "audit_anchor": "operating.audit_anchor",
    "pause": "operating.pause",
    "resume": "operating.resume",
    "seal": "operating.seal",
    "vault_protect": "operating.vault_protect",
    "vault_unlock": "operating.vault_unlock",
    "vault_lock": "operating.vault_lock",
    "revise": "believing.revise",
    "contract": "believing.contract",
    "revert": "believing.revert",
    "as_of": "believing.as_of",
    "path": "believing.path",
    "outcome": "believing.outcome",
    "staleness": "auditing.staleness",
    "review": "auditing.review",
    "recheck": "auditing.recheck",
    "resolve": "auditing.resolve",
    "signal": "auditing.signal",
    "propose": "claiming.propose",
    "claims": "claiming.claims",
    "preview": "claiming.preview",
    "decide": "claiming.decide",
    "retract": "claiming.retract",
    "claim_mode": "claiming.claim_mode",
    "register": "producing.register",
    "product": "producing.product",
    "inbox": "asking.inbox",
    "settle": "changing.settle",
    "events": "asking.events",
    "status": "caring.status",
    "doctor": "caring.doctor",
    "verify": "caring.verify",
    "export": "porting.export",
    "import": "porting.import_file",
    "backup": "caring.backup",
}
"""Where each operation's function stands, by module and name: a command loads only the one it runs."""


@cache
def _function(name: str) -> Run:
    module, _, function = RUN[name].partition(".")
    found: Run = getattr(import_module(f"palazzo.operations.{module}"), function)
    return found


def call(engine: Engine, caller: Caller, name: str, arguments: Mapping[str, Any], *, run: Run | None = None) -> Any:
    """Runs an operation for a caller and returns its result, reduced to what the caller's level shows.

    `run` takes the place of the operation's function, for surfaces that show how it proceeds.
    Raises: NotFound for an unknown name, InvalidInput, NotPermitted, RateLimited, and whatever the operation raises.
    """
    began = perf_counter()
    wanted = operation(name)
    asked = converted(wanted, arguments)
    guard = engine.guard
    reach = partial(guard.access, caller.subject, caller.session, caller.default)
    allowed = past_damage(engine, reach, asked)
    seen = Call(
        operation=wanted.name, level=wanted.level, writes=wanted.writes, place=_place(asked), query=_query(asked),
        session=caller.session,
    )  # fmt: skip
    try:
        if caller.counted:
            guard.take(allowed, seen)
        level = _admit(wanted, allowed)
        keys = {key: getattr(asked, key) for key in SCOPE_KEYS} if wanted.scoped else {}
        context = Context(engine, wanted, caller, allowed, scope_from(caller, keys), level)
        function = run or _function(wanted.name)
        result = past_damage(engine, partial(_run, function, context, asked), asked)
    except (NotPermitted, RateLimited) as error:
        guard.refuse(allowed, seen, error)
        guard.settle(allowed, began)
        raise
    except PalazzoError:
        guard.settle(allowed, began)
        raise
    result = with_damage(engine, result, in_full=allowed.is_operator)
    guard.note(allowed, seen, level, result)
    shown = result if isinstance(result, Exists) else guard.shown(result, allowed, seen, level)
    guard.settle(allowed, began)
    return shown


def _run(run: Run, context: Context, asked: Any) -> Any:
    """The operation's own result; for an anchor caller, nothing found is an answer."""
    try:
        return run(context, asked)
    except NotFound:
        if context.level == Level.anchor:
            return Exists(exists=False)
        raise


def _admit(wanted: Operation, allowed: Access) -> Level:
    """The level it runs at: the operation's own, or for a read the highest below it that the caller reaches.

    Raises: NotPermitted. What depends on the memory or place named is checked where that is known.
    """
    if wanted.operator_only and not allowed.is_operator:
        raise NotPermitted(f"only the operator may {wanted.name}", hint=f"run `palazzo {wanted.name}` yourself")
    if wanted.where == "palace":
        allowed.require(wanted.level, ROOT, wanted.name)
        return wanted.level
    reached = allowed.highest(wanted.level)
    if reached < wanted.level and (wanted.writes or reached < Level.anchor):
        allowed.require_somewhere(wanted.level, wanted.name)
    return reached


def _place(asked: Any) -> str | None:
    """The place a call names, for the audit trail: only what reads as one, for a line carries no content."""
    given = getattr(asked, "place", "")
    try:
        return str(PlaceGlob.parse(given)) if isinstance(given, str) and given else None
    except InvalidAddress:
        return None


def _query(asked: Any) -> str:
    """The question of a call, which the audit trail keeps as a keyed hash."""
    return next((value for name in QUESTIONS if isinstance(value := getattr(asked, name, None), str)), "")
