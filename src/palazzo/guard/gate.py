"""The Guard of one open palace: who may, how often, what they are shown, and what is written down about it.

Composes the modules of this room for the one place that calls operations. Knows no operation. Invariants: what a
subject may do is asked of the palace at every call; a denial is on disk before its caller hears of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from palazzo.adapters.working import LocalWorking
from palazzo.errors import NotPermitted, PalazzoError, RateLimited, WrongKey
from palazzo.guard.access import Access, Grants, in_force
from palazzo.guard.reduce import Positions, coarse, ids_in, reduced
from palazzo.guard.rules import POLICY, Rates, Rules, Vault
from palazzo.guard.trail import Trail
from palazzo.model.capability import VAULT, Grant, Level
from palazzo.ports import Clock, Working
from palazzo.store.api import AuditLine, Store

IDS_IN_A_LINE = 50
UNLOCKS_PER_MINUTE = 5


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call as the guard sees it: what, where, the level it needs, and the question as it was asked."""

    operation: str
    level: Level
    writes: bool = False
    place: str | None = None
    query: str = ""
    session: str = ""


class Guard:
    """Stands before the operations of one palace. Threads share it."""

    def __init__(
        self, store: Store, clock: Clock, rules: Rules = Rules(), wait: Callable[[float], None] = time.sleep,
        near: Working | None = None, shared: Working | None = None,
    ) -> None:  # fmt: skip
        self._store = store
        self._clock = clock
        self._rules = rules
        self._wait = wait
        self._grants = Grants(store)
        near = near or LocalWorking()
        self.working = shared or near
        """What the processes that serve this palace share and may lose."""
        self._rates = Rates(self.working)
        self.trail = Trail(store, in_background=store.in_background)
        self.vault = Vault(store, near, self.working)
        self.positions = Positions(self.trail.key)

    def use(self, rules: Rules) -> None:
        """Goes by other rules of this process from now on."""
        self._rules = rules

    def access(self, subject: str, session: str = "", default: Level | None = None) -> Access:
        """What a subject may do now."""
        known, palace = self._grants.of(subject, default)
        now_us = self._clock.now_us()
        vault_open = POLICY in palace.policies and self.vault.is_open(subject, session, now_us)
        return Access(
            subject, in_force(known.grants, now_us), now_us, palace.vaults,
            vault_open, self._rules.overlaid(palace.policies),
        )  # fmt: skip

    def held(self, subject: str) -> tuple[Grant, ...]:
        """The grants of a subject, those that have not begun or have ended among them."""
        return self._grants.of(subject, None)[0].grants

    def rules(self) -> Rules:
        """The rules that hold: the palace's own over those of this process."""
        return self._rules.overlaid(self._grants.of("operator", None)[1].policies)

    def policy(self, name: str) -> str | None:
        """A rule that was put into the palace."""
        return self._grants.of("operator", None)[1].policies.get(name)

    def take(self, access: Access, call: Call) -> None:
        """Counts the call against what its subject may do in a minute and in a session.

        Raises: RateLimited.
        """
        if access.is_operator:
            return
        rules = access.rules
        if call.writes:
            self._rates.take(f"write {access.subject}", rules.writes_per_minute, access.now_us)
        if not access.trusted:
            self._rates.take(f"read {access.subject}", rules.reads_per_minute, access.now_us)
            self._rates.take_of_session(access.subject, call.session, rules.reads_per_session)

    def unlock(self, subject: str, session: str, passphrase: str, *, minutes: float) -> int:
        """Opens the vault for one subject in one session, and writes that down; returns until when.

        Raises: NotPermitted when the passphrase is wrong, RateLimited, Conflict while there is none, InvalidInput.
        """
        now_us = self._clock.now_us()
        self._rates.take("unlock", UNLOCKS_PER_MINUTE, now_us)
        line = AuditLine(at_us=now_us, subject=subject, action="vault_unlock", place=VAULT.path)
        try:
            until = self.vault.unlock(subject, session, passphrase, minutes=minutes, now_us=now_us)
        except WrongKey as error:
            self.trail.write(replace(line, decision="denied"))
            raise NotPermitted(error.message, hint=error.hint) from None
        self.trail.write(line)
        return until

    def shown(self, result: Any, access: Access, call: Call, level: Level) -> Any:
        """What is left of a result for this caller, which ran at `level`."""
        if level < min(call.level, Level.read_public):
            return reduced(result, level)
        if call.writes or access.trusted:
            return result
        return coarse(result, access.rules)

    def settle(self, access: Access, began: float) -> None:
        """Makes the answer to an untrusted caller take as long as the rules say at least."""
        if not access.trusted and not access.is_operator and (floor_ms := access.rules.floor_ms):
            left = floor_ms / 1000 - (time.perf_counter() - began)
            if left > 0:
                self._wait(left)

    def note(self, access: Access, call: Call, level: Level, result: Any) -> None:
        """Writes down a call that was answered. The operator's reads are not gated, except in the vault."""
        if access.is_operator and not call.writes and not access.vault_open:
            return
        found: list[Any] = ids_in(result, IDS_IN_A_LINE + 1)
        if len(found) > IDS_IN_A_LINE:
            found[IDS_IN_A_LINE:] = ["..."]
        detail = {"ids": found} if found else {}
        decision = "reduced" if level < min(call.level, Level.read_public) else "allowed"
        self.trail.note(self._line(access, call, decision, level, detail))

    def refuse(self, access: Access, call: Call, error: PalazzoError) -> None:
        """Writes down a call that was denied, at once, or that came too often, with the next flush."""
        if isinstance(error, RateLimited):
            self.trail.note(self._line(access, call, "limited", call.level, {}))
        else:
            self.trail.write(self._line(access, call, "denied", call.level, {}))

    def _line(self, access: Access, call: Call, decision: str, level: Level, detail: dict[str, Any]) -> AuditLine:
        return AuditLine(
            at_us=access.now_us, subject=access.subject, action=call.operation, decision=decision, place=call.place,
            capability=level.name, query=self.trail.query_hash(call.query) if call.query else None,
            detail=msgspec.json.encode(detail).decode() if detail else None,
        )  # fmt: skip

    def close(self) -> None:
        """Writes what waits."""
        if self.trail.writable:
            self.trail.close()
