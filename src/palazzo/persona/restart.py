"""A restart that knows when to stop: is it reachable, is it the one, one continuation within a declared budget.

Owns the record and its steps. Knows nothing of what is restarted. Invariants: two calls may ask whether it is there and
one who it is; another key than the declared one is refused and writes nothing; the same failure twice stops it; nothing
is retried silently, and a budget is spent once.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict
from palazzo.model.slip import Slip
from palazzo.persona.slips import ScopedSlips, told_of

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


class Restarts(ScopedSlips):
    """The restarts of one scope."""

    hint = "restart_begin declares one"

    def begin(self, session: str, continuation: str, budget: int) -> Slip:
        """Declares a restart, instead of an earlier one of the session."""
        told = RestartTold(continuation=continuation, budget=budget)
        return self._put("restart", session, "reaching", told, self._get("restart", session))

    def get(self, session: str) -> Slip:
        """Raises: NotFound."""
        return self._known("restart", session)

    def step(self, session: str, step: RestartStep, found: str, failure: str) -> Slip:
        """Takes a step.

        Raises: NotFound, Conflict when it may not be taken; then nothing is written.
        """
        known = self.get(session)
        told = told_of(known, RestartTold)
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
        before = told_of(known, RestartTold).failure
        if failure:
            spent = told.reached >= REACHES if step == "reach" else told.continued >= told.budget
            if failure == before:
                return self._put("restart", session, "stopped", replace(told, why=f"{failure} twice"), known)
            if spent or step == "identify":
                return self._put(
                    "restart", session, "stopped", replace(told, why=f"{failure}, and nothing is left"), known
                )
            return self._put("restart", session, known.state, told, known)
        after = {"reach": "identifying", "identify": "continuing", "continue": "done"}[step]
        return self._put("restart", session, after, told, known)
