"""Who calls, and in whose scope. What that lets them do is the guard's business.

Owns the caller as a surface knows it. Knows nothing of operations. Invariant: who calls comes from the connection,
never from an argument; only a caller that may choose its scope names another.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from palazzo.errors import InvalidInput, NotPermitted
from palazzo.model.capability import OPERATOR, Level
from palazzo.model.scope import GLOBAL, LEVELS, Scope

__all__ = ["OPERATOR", "Caller", "network_caller", "scope_from"]
NETWORK_KINDS = ("webhook", "workflow")
_LEVEL_OF_KEY = {"agent_id": "agent", "user_id": "user", "run_id": "channel"}


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """The one who calls. `default` is what it may do everywhere but in the vault while no grant says otherwise.

    `scope` is whose memory it works on; only a caller that `chooses_scope` may name another in a call. `session` tells
    connections of one subject apart, for limits and for the vault.
    """

    subject: str = OPERATOR
    scope: Scope = GLOBAL
    chooses_scope: bool = True
    default: Level | None = None
    session: str = ""
    counted: bool = True
    """Whether a call counts against the subject's limits; a stream is one call however often it looks."""

    @property
    def is_operator(self) -> bool:
        return self.subject == OPERATOR


def scope_from(caller: Caller, keys: Mapping[str, str | None]) -> Scope:
    """The scope of a call: the caller's own, with the levels that the keys name.

    Raises: InvalidInput, NotPermitted when the caller may not choose.
    """
    given = {key: value for key, value in keys.items() if value is not None}
    if not given:
        return caller.scope
    if "run_id" in given and "channel" in given:
        raise InvalidInput("run_id and channel are two names of one level", field="run_id", hint="give one of them")
    levels = dict(caller.scope.levels)
    levels.update({_LEVEL_OF_KEY.get(key, key): value for key, value in given.items()})
    scope = Scope(tuple((level, levels[level]) for level in LEVELS if level in levels))
    if scope != caller.scope and not caller.chooses_scope:
        raise NotPermitted(f"{caller.subject} works in the scope of its connection and may not name another")
    return scope


def network_caller(kind: str, name: str, scope: Scope = GLOBAL) -> Caller:
    """Whoever a webhook or workflow runs for: it reads only, and works in a channel of its own.

    Raises: InvalidInput.
    """
    if kind not in NETWORK_KINDS:
        raise InvalidInput(f"a run from the network is one of {', '.join(NETWORK_KINDS)}", field="kind")
    levels = {**dict(scope.levels), "channel": f"{kind}:{name}"}
    own = Scope(tuple((level, levels[level]) for level in LEVELS if level in levels))
    return Caller(subject=f"{kind}:{name}", scope=own, chooses_scope=False)
