"""The one way to call an operation: arguments, rate and capability are checked, it runs, its answer is reduced, and the
call is written down.

Owns the order of those steps, what makes two requests that carry a key the same, and what counts as a sign of damage:
damaged rows are set aside by the store, the call runs again without them, and its answer says so. Every surface comes
through here, so none can leave a check out. Invariants: an operation runs only for a caller whose grants reach it, and
shows only what they show; what is replayed is what was answered, to the same subject, for the same operation and
arguments; a call that has written something is never run a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from time import perf_counter
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from palazzo.engine import Engine
from palazzo.errors import (
    CorruptPalace,
    DamagedRow,
    InvalidAddress,
    InvalidInput,
    NotFound,
    NotPermitted,
    PalazzoError,
    RateLimited,
    UnknownKind,
    WrongKey,
)
from palazzo.guard.access import Access
from palazzo.guard.gate import Call
from palazzo.guard.reduce import Exists
from palazzo.model.address import ROOT, PlaceGlob
from palazzo.model.capability import Level
from palazzo.operations.arguments import converted
from palazzo.operations.caller import Caller, scope_from
from palazzo.operations.context import CallContext, Progress
from palazzo.operations.declared import SCOPE_KEYS, Operation
from palazzo.operations.registry import function_of, operation
from palazzo.store.api import KeyedRequest

T = TypeVar("T")

NAMED = 20
"""Damaged fields an answer names; the rest are counted."""
SIGNS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, msgspec.MsgspecError, PalazzoError)
"""What reading a damaged row ends in, depending on who meets it first. Of Palazzo's own errors, those below."""


def past_damage(engine: Engine, run: Callable[[], T], asked: object) -> T:
    """What `run` returns; when it fails on damaged rows, what it returns without them.

    Raises: whatever `run` raises; DamagedRow where it cannot do without the damaged row.
    """
    store = engine.store
    commits = store.commits
    try:
        return run()
    except SIGNS as error:
        if not _is_sign(error, asked) or not store.care.set_aside():
            raise
        if store.commits != commits:
            raise DamagedRow("the write was made; what it was to answer is damaged") from error
    try:
        return run()
    except SIGNS as error:
        if isinstance(error, DamagedRow) or not _is_sign(error, asked):
            raise
        raise DamagedRow(f"this cannot be done without what is damaged: {store.care.damaged()[0]}") from error


def _is_sign(error: Exception, asked: object) -> bool:
    if isinstance(error, UnknownKind):
        return error.kind not in repr(asked)
    if isinstance(error, InvalidAddress):
        return not error.text or error.text not in repr(asked)
    return not isinstance(error, PalazzoError) or isinstance(error, CorruptPalace | WrongKey)


def with_damage(engine: Engine, result: Any, *, in_full: bool) -> Any:
    """An answer that lists what is there, with a word on what is damaged and left out of it.

    The operator is told table, row and column; for others the numbers of rows would tell how much others keep.
    """
    damaged = engine.store.care.damaged()
    if not damaged or not hasattr(result, "damaged"):
        return result
    told = tuple(str(one) for one in damaged[:NAMED]) if in_full else ()
    if len(damaged) > len(told):
        told += (f"{len(damaged) - len(told)} {'more ' if told else ''}damaged fields; `palazzo verify` names them",)
    return replace(result, damaged=told)


QUESTIONS = ("cue", "message", "question", "topic")
"""Parameters that hold a question, whatever the operation."""

LONGEST_KEY = 255
TOLD_ONCE = frozenset({"token_create"})
"""Operations whose answers are secrets: they are never written down, so they cannot be replayed."""


def call(
    engine: Engine, caller: Caller, name: str, arguments: Mapping[str, Any], *, progress: Progress | None = None
) -> Any:
    """Runs an operation for a caller and returns its result, reduced to what the caller's level shows.

    `progress` is told how far an operation is that takes long: import, export, backup, verify.
    Raises: NotFound for an unknown name, InvalidInput, NotPermitted, RateLimited, and whatever the operation raises.
    """
    began = perf_counter()
    engine.retune()
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
        context = CallContext(engine, wanted, caller, allowed, scope_from(caller, keys), level)
        result = past_damage(engine, partial(_run, context, asked, progress), asked)
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


def call_once(engine: Engine, caller: Caller, name: str, arguments: Mapping[str, Any], *, key: str) -> tuple[Any, bool]:
    """Runs an operation unless this key was answered before; the result, and whether it is that earlier answer.

    Raises: KeyReused for another request under the same key, Conflict while it runs elsewhere, and what `call` raises.
    """
    wanted = operation(name)
    if not key or not wanted.writes:
        return call(engine, caller, name, arguments), False
    if wanted.name in TOLD_ONCE or any(p.name == "passphrase" for p in wanted.parameters):
        raise InvalidInput(f"{wanted.name} has a secret in it and is not kept by key", field="Idempotency-Key")
    if len(key) > LONGEST_KEY or not all("!" <= letter <= "~" for letter in key):
        raise InvalidInput(
            f"a key has 1 to {LONGEST_KEY} letters, digits and signs of ASCII, without spaces", field="Idempotency-Key"
        )
    asked = msgspec.json.encode((wanted.name, converted(wanted, arguments)), order="sorted")
    request = KeyedRequest(caller.subject, key, blake2b(asked, digest_size=16).digest())
    requests = engine.store.requests
    known = requests.claim(request, engine.clock.now_us())
    if known is not None:
        return msgspec.json.decode(known, type=wanted.result), True
    try:
        result = call(engine, caller, name, arguments)
    except BaseException:
        requests.release(request)
        raise
    answer = msgspec.json.encode(result).decode()
    requests.answer(request, answer, engine.clock.now_us())
    return result, False


def _run(context: CallContext, asked: Any, progress: Progress | None) -> Any:
    """The operation's own result; for an anchor caller, nothing found is an answer."""
    run = function_of(context.operation.name)
    try:
        return run(context, asked) if progress is None else run(context, asked, progress)
    except NotFound:
        if context.level == Level.anchor:
            return Exists(exists=False)
        raise


def admitted(engine: Engine, caller: Caller, wanted: Operation) -> bool:
    """Whether a caller could run an operation anywhere, as grants are now."""
    try:
        _admit(wanted, engine.guard.access(caller.subject, caller.session, caller.default))
    except NotPermitted:
        return False
    return True


def _admit(wanted: Operation, allowed: Access) -> Level:
    """The level it runs at: the operation's own, or for a read the highest below it that the caller reaches.

    Raises: NotPermitted. What depends on the memory or place named is checked where that is known.
    """
    if wanted.operator_only and not allowed.is_operator:
        command = wanted.name.replace("_", "-")
        raise NotPermitted(f"{wanted.name} is for the operator alone", hint=f"the operator runs `palazzo {command}`")
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
