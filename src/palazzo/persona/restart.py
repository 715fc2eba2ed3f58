"""A restart that knows when to stop: is it reachable, is it the one, one continuation within a declared budget.

Owns the record and its steps. Knows nothing of what is restarted. Invariants: two calls may ask whether it is there and
one who it is; another key than the declared one is refused and writes nothing; the same failure twice stops it; nothing
is retried silently, and a budget is spent once.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict, NotFound
from palazzo.model.ids import new_id
from palazzo.model.scope import Scope
from palazzo.model.slip import PutSlip, Slip
from palazzo.store.api import Store

RestartStep = Literal["reach", "identify", "continue"]
REACHES: Final = 2
HAND_BACK: Final = "hand back to the operator, with the key it began with"


class RestartTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is declared, and what was spent."""

    continuation: str
    budget: int
    reached: int = 0
    identified: int = 0
    continued: int = 0
    failure: str = ""
    why: str = ""


def restart_of(slip: Slip) -> RestartTold:
    """What is kept on a slip."""
    return msgspec.json.decode(slip.told, type=RestartTold)


class Restarts:
    """The restarts of one scope."""

    def __init__(self, store: Store, scope: Scope, subject: str) -> None:
        self._store = store
        self._scope = scope
        self._subject = subject

    def begin(self, session: str, continuation: str, budget: int) -> Slip:
        """Declares a restart, instead of an earlier one of the session."""
        told = RestartTold(continuation=continuation, budget=budget)
        return self._put(session, "reaching", told, self._store.slips.get("restart", session, self._scope))

    def get(self, session: str) -> Slip:
        """Raises: NotFound."""
        known = self._store.slips.get("restart", session, self._scope)
        if known is None:
            raise NotFound(f"no restart of {session}", hint="restart_begin declares one")
        return known

    def step(self, session: str, step: RestartStep, found: str, failure: str) -> Slip:
        """Takes a step.

        Raises: NotFound, Conflict when it may not be taken; then nothing is written.
        """
        known = self.get(session)
        told = restart_of(known)
        waits = {"reach": "reaching", "identify": "identifying", "continue": "continuing"}[step]
        if known.state != waits:
            raise Conflict(f"the restart is {known.state}", hint=HAND_BACK)
        if step == "reach" and told.reached >= REACHES:
            raise Conflict(f"it was asked {REACHES} times already whether it is there", hint=HAND_BACK)
        if step == "identify" and found != session:
            raise Conflict("another key answered than the one that was declared", hint=HAND_BACK)
        told = replace(
            told, reached=told.reached + (step == "reach"), identified=told.identified + (step == "identify"),
            continued=told.continued + (step == "continue"), failure=failure,
        )  # fmt: skip
        before = restart_of(known).failure
        if failure:
            spent = told.reached >= REACHES if step == "reach" else told.continued >= told.budget
            if failure == before:
                return self._put(session, "stopped", replace(told, why=f"{failure} twice"), known)
            if spent or step == "identify":
                return self._put(session, "stopped", replace(told, why=f"{failure}, and nothing is left"), known)
            return self._put(session, known.state, told, known)
        after = {"reach": "identifying", "identify": "continuing", "continue": "done"}[step]
        return self._put(session, after, told, known)

    def _put(self, session: str, state: str, told: RestartTold, known: Slip | None) -> Slip:
        made = Slip(
            id=known.id if known else new_id(self._store.clock.now_us()), kind="restart", name=session,
            subject=self._subject, state=state, told=msgspec.json.encode(told).decode(), scope=self._scope,
        )  # fmt: skip
        self._store.commit([PutSlip(made, known.version if known else 0)], subject=self._subject)
        return self.get(session)
