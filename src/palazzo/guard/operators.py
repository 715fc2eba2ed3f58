"""Changes only a person makes: planned first, applied with a receipt, rolled back from it.

Owns the transitions: raising a capability, lifting a hard lock, the claims mode, a rule of the guard. A plan says what
is there and what would be; applying keeps what was there in the receipt and writes the change and the receipt in one
transaction; rolling back puts it back. Invariants: nothing is applied to a state other than the one that was shown; no
caller but the operator comes here.
"""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict, InvalidInput, VersionConflict
from palazzo.guard import rules
from palazzo.guard.access import kind_of
from palazzo.guard.gate import Guard
from palazzo.model.address import PlaceGlob
from palazzo.model.belief import CLAIM_MODES, SetClaimMode
from palazzo.model.capability import DAY_US, AddPlan, Grant, Level, MovePlan, OperatorPlan, SetLock, SetPolicy, View
from palazzo.model.change import AddGrant, Change, RevokeGrant
from palazzo.model.ids import new_id
from palazzo.store.api import Store

Transition = Literal["grant", "lock", "claims_mode", "rule"]
State = dict[str, Any]


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants: the transition, whom or what it is about, the new value, and for a grant where and for how
    long."""

    transition: Transition
    target: str
    value: str
    place: str = "**"
    days: float | None = None


class Operators:
    """The transitions of one palace, for the operator."""

    def __init__(self, store: Store, guard: Guard, subject: str) -> None:
        self._store = store
        self._guard = guard
        self._subject = subject

    def plan(self, wish: Wish) -> OperatorPlan:
        """Works out a change and keeps it as a plan; nothing else happens.

        Raises: InvalidInput, InvalidAddress.
        """
        wanted = self._wanted(wish)
        plan = OperatorPlan(
            id=new_id(self._store.clock.now_us()), kind=wish.transition, wanted=_json(wanted),
            before=_json(self._state(wish.transition, wanted)), subject=self._subject,
            made_us=self._store.clock.now_us(), changed_us=self._store.clock.now_us(),
        )  # fmt: skip
        self._store.commit([AddPlan(plan)], subject=self._subject)
        return plan

    def apply(self, plan_id: UUID) -> OperatorPlan:
        """Makes the change of a plan; the plan becomes its receipt.

        Raises: NotFound, Conflict when it was applied already, VersionConflict when what it was made for has changed.
        """
        plan = self.get(plan_id)
        if plan.state != "planned":
            raise Conflict(f"this plan is {plan.state.replace('_', ' ')}", hint="make a new one")
        wanted, before = _read(plan.wanted), _read(plan.before)
        self._unchanged(plan.kind, wanted, before)
        self._store.commit(
            [*self._changes(plan.kind, wanted, wanted), MovePlan(plan.id, "applied", "planned", plan.before)],
            subject=self._subject,
        )
        return replace(plan, state="applied", changed_us=self._store.clock.now_us())

    def rollback(self, plan_id: UUID) -> OperatorPlan:
        """Puts back what a receipt says was there before.

        Raises: NotFound, Conflict when it was not applied, VersionConflict when somebody changed it since.
        """
        plan = self.get(plan_id)
        if plan.state != "applied":
            raise Conflict(f"this plan is {plan.state.replace('_', ' ')}", hint="only what was applied is rolled back")
        wanted, before = _read(plan.wanted), _read(plan.before)
        self._unchanged(plan.kind, wanted, wanted)
        self._store.commit(
            [*self._changes(plan.kind, wanted, before), MovePlan(plan.id, "rolled_back", "applied")],
            subject=self._subject,
        )
        return replace(plan, state="rolled_back", changed_us=self._store.clock.now_us())

    def get(self, plan_id: UUID) -> OperatorPlan:
        """Raises: NotFound."""
        return self._store.guarding.plan(plan_id)

    def every(self) -> tuple[OperatorPlan, ...]:
        """All plans and receipts, newest first."""
        return self._store.guarding.plans()

    def _wanted(self, wish: Wish) -> State:
        if wish.transition == "grant":
            if wish.value not in Level.__members__:
                raise InvalidInput("no such level", field="value", hint=", ".join(Level.__members__))
            now_us = self._store.clock.now_us()
            made = Grant(
                subject=wish.target, subject_kind=kind_of(wish.target), level=Level[wish.value],
                glob=PlaceGlob.parse(wish.place), start_us=now_us,
                expires_us=None if wish.days is None else now_us + round(wish.days * DAY_US),
                granted_by=self._subject,
            )  # fmt: skip
            return {"subject": made.subject, "place": str(made.glob), "grant": _of_grant(made)}
        if wish.transition == "lock":
            if wish.value not in ("lifted", "locked"):
                raise InvalidInput("a lock is lifted or locked", field="value")
            return {"subject": wish.target, "lock": wish.value}
        if wish.transition == "claims_mode":
            if wish.value not in CLAIM_MODES:
                raise InvalidInput("no such mode", field="value", hint=", ".join(CLAIM_MODES))
            return {"mode": wish.value}
        return {"rule": wish.target, "value": rules.checked(wish.target, wish.value)}

    def _state(self, kind: str, wanted: State) -> State:
        """What is there now, of what a transition would change."""
        with self._store.reading(View()) as reading:
            if kind == "grant":
                held = self._store.guarding.grants_of(wanted["subject"])
                found = next((grant for grant in held if str(grant.glob) == wanted["place"]), None)
                return {**wanted, "grant": None if found is None else _of_grant(found)}
            if kind == "lock":
                lifted = self._store.guarding.lock_is_lifted(wanted["subject"])
                return {**wanted, "lock": "lifted" if lifted else "locked"}
            if kind == "claims_mode":
                return {"mode": reading.claims.mode()}
            return {**wanted, "value": self._store.guarding.policies().get(wanted["rule"])}

    def _unchanged(self, kind: str, wanted: State, expected: State) -> None:
        if self._state(kind, wanted) != expected:
            raise VersionConflict("what this plan was made for has changed", hint="plan again")

    def _changes(self, kind: str, wanted: State, target: State) -> list[Change]:
        """The changes that bring about a state."""
        if kind == "grant":
            given = target["grant"]
            if given is None:
                return [RevokeGrant(wanted["subject"], wanted["place"])]
            return [AddGrant(_as_grant(wanted, given))]
        if kind == "lock":
            return [SetLock(wanted["subject"], target["lock"] == "lifted")]
        if kind == "claims_mode":
            return [SetClaimMode(target["mode"])]
        return [SetPolicy(wanted["rule"], target["value"])]


def _of_grant(grant: Grant) -> State:
    return {
        "level": grant.level.name, "kind": grant.subject_kind, "start_us": grant.start_us,
        "expires_us": grant.expires_us, "by": grant.granted_by,
    }  # fmt: skip


def _as_grant(wanted: State, given: State) -> Grant:
    return Grant(
        subject=wanted["subject"], subject_kind=given["kind"], level=Level[given["level"]],
        glob=PlaceGlob.parse(wanted["place"]), start_us=given["start_us"], expires_us=given["expires_us"],
        granted_by=given["by"],
    )  # fmt: skip


def _json(state: State) -> str:
    return msgspec.json.encode(state, order="sorted").decode()


def _read(text: str) -> State:
    return msgspec.json.decode(text, type=dict[str, Any])


def told(plan: OperatorPlan, guard: Guard) -> tuple[str, ...]:
    """What a plan changes, line by line, for a person; the last says what it weakens, if it does."""
    wanted, before = _read(plan.wanted), _read(plan.before)
    if plan.kind == "grant":
        had, gets = before["grant"], wanted["grant"]
        first = f"{wanted['subject']} on {wanted['place']}: {had['level'] if had else 'no grant'} -> {gets['level']}"
        raised = Level[gets["level"]] > (Level[had["level"]] if had else Level.none)
        return (first, "raises a capability") if raised else (first,)
    if plan.kind == "lock":
        first = f"hard lock of {wanted['subject']}: {before['lock']} -> {wanted['lock']}"
        return (first, "lifts a hard lock") if wanted["lock"] == "lifted" else (first,)
    if plan.kind == "claims_mode":
        return (f"claims mode: {before['mode']} -> {wanted['mode']}",)
    name = wanted["rule"]
    was = before["value"] if before["value"] is not None else str(getattr(guard.rules(), name))
    first = f"{name}: {was} -> {wanted['value']}"
    return (first, "weakens a guard") if rules.weakens(name, float(was), float(wanted["value"])) else (first,)
