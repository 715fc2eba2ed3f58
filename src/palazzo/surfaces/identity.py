"""From a bearer token to the caller it stands for.

Owns nothing but the way: tokens are the guard's. Invariant: a token made without a scope may name the scope of a call,
one made for a scope is held to it.
"""

from __future__ import annotations

from palazzo.engine import Engine
from palazzo.guard import tokens
from palazzo.model.scope import GLOBAL
from palazzo.operations.caller import Caller
from palazzo.surfaces.daemon.service import Identify


def identify(engine: Engine) -> Identify:
    """How this palace tells its callers apart."""

    def caller_of(text: str) -> Caller | None:
        token = tokens.subject_of(engine.store, text)
        if token is None:
            return None
        return Caller(
            subject=token.subject, scope=token.scope, chooses_scope=token.scope == GLOBAL, session=str(token.id)
        )

    return caller_of
