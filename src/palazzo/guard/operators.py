"""Changes only a person makes: planned first, applied with a receipt, rolled back from it.

Owns the transitions: raising a capability, lifting a hard lock, the claims mode, a rule of the guard, the configuration
of the palace, who somebody is (a memory of kind identity), the seal of a place, a decision about a claim. A plan says
what is there and what would be, by ids and numbers, never in words that were remembered; applying keeps what was there
in the receipt and writes the change and the receipt in one transaction; rolling back puts it back. Invariants: nothing
is applied to a state other than the one that was shown; no caller but the operator comes here.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict, InvalidInput, VersionConflict
from palazzo.guard import rules
from palazzo.guard.access import kind_of
from palazzo.guard.gate import Guard
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.belief import CLAIM_MODES, SetClaimMode
from palazzo.model.capability import (
    DAY_US,
    EVERYWHERE,
    AddPlan,
    Grant,
    Level,
    MovePlan,
    OperatorPlan,
    SetLock,
    SetPolicy,
    View,
    is_hard_locked,
)
from palazzo.model.change import AddGrant, AddRevision, Change, ChangePlace, MoveTag, RevokeGrant
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.store.api import Reading, Store

Transition = Literal["grant", "lock", "claims_mode", "rule", "config", "identity", "unlock", "claim"]
Seal = Literal["open", "sealed", "vault"]
State = dict[str, Any]
LONGEST_LIST = 100_000
PLANNED_TAG = "planned"
"""Points at the revision that a plan would make the current one."""
DECISIONS = {"accept": "verified", "reject": "rejected", "defer": "deferred", "retract": "retracted"}


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants: the transition, whom or what it is about, the new value, and for a grant where and for how
    long."""

    transition: Transition
    target: str
    value: str
    place: str = "**"
    days: float | None = None
    changed: RevisionDraft | None = None
    """For an identity: what the memory would say."""


class Claiming(Protocol):
    """Decisions about claims, as changes that are not made yet."""

    def status(self, claim_id: UUID) -> str:
        """Raises: NotFound."""

    def decided(self, claim_id: UUID, status: str) -> list[Change]:
        """What moves a claim to a status, and what it becomes with it.

        Raises: NotFound, Conflict.
        """


class Operators:
    """The transitions of one palace, for the operator."""

    def __init__(self, store: Store, guard: Guard, claims: Claiming, subject: str) -> None:
        self._store = store
        self._guard = guard
        self._claims = claims
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
        changes: list[Change] = [AddPlan(plan)]
        if wish.changed is not None:
            changes.append(AddRevision(memory_id=UUID(wanted["memory"]), content=wish.changed, tags=(PLANNED_TAG,)))
        self._store.commit(changes, subject=self._subject)
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
        if wish.transition == "rule":
            return {"rule": wish.target, "value": rules.checked(wish.target, wish.value)}
        return self._of_palace(wish)

    def _of_palace(self, wish: Wish) -> State:
        if wish.transition == "config":
            return {"config": wish.target, "value": rules.configured(wish.target, wish.value, self._store.kinds.names)}
        if wish.transition == "unlock":
            if wish.value not in Seal.__args__:  # type: ignore[attr-defined]
                raise InvalidInput("a place is open, sealed or in the vault", field="value")
            return {"place": str(Place.parse(wish.target)), "seal": wish.value}
        if wish.transition == "claim":
            if wish.value not in DECISIONS:
                raise InvalidInput("no such decision", field="value", hint=", ".join(DECISIONS))
            return {"claim": wish.target, "status": DECISIONS[wish.value]}
        with self._store.reading(View(all_scopes=True, include_deprecated=True)) as reading:
            known = reading.memories.history(UUID(wish.target))
        return {"memory": wish.target, "revision": known[-1].number + 1}

    def _state(self, kind: str, wanted: State) -> State:
        """What is there now, of what a transition would change."""
        with self._store.reading(View()) as reading:
            if kind == "grant":
                held = self._store.guarding.grants_of(wanted["subject"])
                found = next((grant for grant in held if str(grant.glob) == wanted["place"]), None)
                return {**wanted, "grant": None if found is None else _of_grant(found)}
            if kind == "lock":
                return {**wanted, "lock": _LOCKS[self._store.guarding.lock_of(wanted["subject"])]}
            if kind == "claims_mode":
                return {"mode": reading.claims.mode()}
            if kind == "unlock":
                return {**wanted, "seal": _seal_of(reading, Place.parse(wanted["place"]))}
            if kind == "claim":
                return {**wanted, "status": self._claims.status(UUID(wanted["claim"]))}
            if kind == "identity":
                everything = reading.through(View(all_scopes=True, include_deprecated=True))
                return {**wanted, "revision": everything.memories.get(UUID(wanted["memory"])).revision.number}
            return {**wanted, "value": self._store.guarding.policies().get(wanted.get("rule") or wanted["config"])}

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
            lifted = next(decided for decided, word in _LOCKS.items() if word == target["lock"])
            return [SetLock(wanted["subject"], lifted)]
        if kind == "claims_mode":
            return [SetClaimMode(target["mode"])]
        if kind == "unlock":
            return [ChangePlace(Place.parse(wanted["place"]), target["seal"])]
        if kind == "claim":
            return self._claims.decided(UUID(wanted["claim"]), target["status"])
        if kind == "identity":
            return [MoveTag(UUID(wanted["memory"]), "current", target["revision"])]
        return [SetPolicy(wanted.get("rule") or wanted["config"], target["value"])]


def _seal_of(reading: Reading, place: Place) -> str:
    """The seal of a place, or of the nearest one above it that is there."""
    places = reading.through(View(all_scopes=True, sealed_reach=EVERYWHERE, unlocked=EVERYWHERE)).places
    above = place.parent
    while above is not None:
        found = next((one for one in places.children(above, LONGEST_LIST) if one.place == place), None)
        if found is not None:
            return found.seal
        place, above = above, above.parent
    return "open"


_LOCKS: dict[bool | None, str] = {True: "lifted", False: "locked", None: "undecided"}
"""A lock as plans tell it; where nobody decided, a kit that is called after banking, health or passwords is locked."""


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


def meant_by(plan: OperatorPlan) -> State:
    """The claim, or the memory with the numbers of its revisions, that a plan is about; empty for any other."""
    wanted, before = _read(plan.wanted), _read(plan.before)
    if plan.kind == "claim":
        return {"claim": wanted["claim"]}
    return (
        {"memory": wanted["memory"], "was": before["revision"], "is": wanted["revision"]}
        if plan.kind == "identity"
        else {}
    )


def told(plan: OperatorPlan, guard: Guard) -> tuple[str, ...]:
    """What a plan changes, line by line, for a person; the last says what it weakens, if it does."""
    wanted, before = _read(plan.wanted), _read(plan.before)
    if plan.kind == "grant":
        had, gets = before["grant"], wanted["grant"]
        first = f"{wanted['subject']} on {wanted['place']}: {had['level'] if had else 'no grant'} -> {gets['level']}"
        raised = Level[gets["level"]] > (Level[had["level"]] if had else Level.none)
        return (first, "raises a capability") if raised else (first,)
    if plan.kind == "lock":
        named = "locked" if is_hard_locked(kind_of(wanted["subject"])) else "open"
        was = named if before["lock"] == _LOCKS[None] else before["lock"]
        first = f"hard lock of {wanted['subject']}: {was} -> {wanted['lock']}"
        return (first, "lifts a hard lock") if wanted["lock"] == "lifted" else (first,)
    if plan.kind == "claims_mode":
        return (f"claims mode: {before['mode']} -> {wanted['mode']}",)
    if plan.kind == "unlock":
        first = f"{wanted['place']}: {before['seal']} -> {wanted['seal']}"
        order = ("open", "sealed", "vault")
        opens = order.index(wanted["seal"]) < order.index(before["seal"])
        return (first, "opens what was shut") if opens else (first,)
    if plan.kind == "claim":
        return (f"claim {wanted['claim']}: {before['status']} -> {wanted['status']}",)
    if plan.kind == "identity":
        first = f"memory {wanted['memory']}: revision {before['revision']} -> {wanted['revision']}"
        return (first, "changes who somebody is")
    if plan.kind == "config":
        return (f"{wanted['config']}: {before['value'] or 'as the settings say'} -> {wanted['value']}",)
    name = wanted["rule"]
    was = before["value"] if before["value"] is not None else str(getattr(guard.rules(), name))
    first = f"{name}: {was} -> {wanted['value']}"
    return (first, "weakens a guard") if rules.weakens(name, float(was), float(wanted["value"])) else (first,)
