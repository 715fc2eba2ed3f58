"""The vault's passphrase and the sessions that have it open.

Owns what proves the passphrase and how long a session stays unlocked; both sessions and keys live in this process's
memory and nowhere else. Invariants: the palace keeps a salt and a check value, never the passphrase or a key; an unlock
ends by itself, and with the process.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from palazzo.adapters.ciphers import PassphraseParameters, check_new, master_key, new_parameters
from palazzo.errors import Conflict, InvalidInput, WrongKey
from palazzo.model.capability import SetPolicy
from palazzo.model.fork_lock import ForkLock
from palazzo.model.ids import LABEL
from palazzo.store.api import Store

POLICY = "vault"
MINUTE_US = 60_000_000
LONGEST_MINUTES = 24 * 60


@dataclass(frozen=True, slots=True)
class _Note:
    salt: str
    memory_kib: int
    time_cost: int
    lanes: int
    check: str


class Vault:
    """Which sessions have the vault of one palace open."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._until: dict[tuple[str, str], int] = {}
        self._lock = ForkLock()

    def protect(self, passphrase: str, *, by: str = "operator", old: str = "") -> None:
        """Sets the passphrase; one that is set already must be given as `old`.

        Raises: InvalidInput, WrongKey.
        """
        check_new(passphrase)
        if self._note() is not None:
            self._prove(old)
        made = new_parameters()
        check = _check(master_key(passphrase, made))
        note = _Note(made.salt.hex(), made.memory_kib, made.time_cost, made.lanes, check)
        self._store.commit([SetPolicy(POLICY, msgspec.json.encode(note).decode())], subject=by)

    def unlock(self, subject: str, session: str, passphrase: str, *, minutes: float, now_us: int) -> int:
        """Opens the vault for one subject in one session; returns until when.

        Raises: Conflict while no passphrase is set, WrongKey, InvalidInput.
        """
        if not 0 < minutes <= LONGEST_MINUTES:
            raise InvalidInput(f"a vault is open for at most {LONGEST_MINUTES} minutes", field="minutes")
        self._prove(passphrase)
        until = now_us + round(minutes * MINUTE_US)
        with self._lock:
            self._until[subject, session] = until
        return until

    def lock(self) -> int:
        """Closes the vault for every session; returns how many had it open."""
        with self._lock:
            closed = len(self._until)
            self._until.clear()
        return closed

    def is_open(self, subject: str, session: str, now_us: int) -> bool:
        """Whether this session of this subject has the vault open now."""
        if not self._until:
            return False
        with self._lock:
            until = self._until.get((subject, session))
            if until is not None and until <= now_us:
                del self._until[subject, session]
                return False
        return until is not None

    def _note(self) -> _Note | None:
        found = self._store.guarding.policies().get(POLICY)
        return msgspec.json.decode(found, type=_Note) if found else None

    def _prove(self, passphrase: str) -> None:
        note = self._note()
        if note is None:
            raise Conflict("the vault has no passphrase yet", hint="set one with `palazzo vault protect`")
        made = PassphraseParameters(
            salt=bytes.fromhex(note.salt), memory_kib=note.memory_kib, time_cost=note.time_cost, lanes=note.lanes
        )
        if not hmac.compare_digest(_check(master_key(passphrase, made)), note.check):
            raise WrongKey("this passphrase does not open the vault", hint="give the vault's own passphrase")


def _check(key: bytes) -> str:
    """What proves a key and tells nothing of it."""
    return blake2b(LABEL + b" vault check", key=key, digest_size=32).hexdigest()
