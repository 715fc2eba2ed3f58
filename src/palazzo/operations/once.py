"""A call that carries a key of its own: run once, however often it is sent, also after a restart.

Owns what makes two requests the same. Only operations that write are kept; reads are safe to repeat and run again.
Invariant: what is replayed is what was answered, to the same subject, for the same operation and arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from palazzo.engine import Engine
from palazzo.errors import InvalidInput
from palazzo.operations.arguments import converted
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.registry import operation
from palazzo.store.api import KeyedRequest

LONGEST_KEY = 255
TOLD_ONCE = frozenset({"token_create"})
"""Operations whose answers are secrets: they are never written down, so they cannot be replayed."""


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
