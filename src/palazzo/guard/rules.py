"""The guard's rules: how fast untrusted subjects may ask, how exact their answers are, and what is written down.

Owns the names, their ranges and the rule of precedence (what an operator put into the palace is stronger than the
settings of a process), and the windows that count how often a subject asked, in the working store. Knows
nothing of how a rule is kept or what is asked. Invariants: which direction of each rule weakens the guard is said here,
once; threads and workers share one window per subject.

Also owns the vault's passphrase and the sessions that have it open, in the working store and nowhere else.
Invariants: the palace keeps a salt and a check value, never the passphrase or a key; an unlock ends by itself.
"""

from __future__ import annotations

import hmac
from collections.abc import Container, Mapping
from hashlib import blake2b

import msgspec
from msgspec.structs import fields, replace

from palazzo.adapters.ciphers import PassphraseParameters, check_new, master_key, new_parameters
from palazzo.errors import Conflict, InvalidInput, RateLimited, WrongKey
from palazzo.model.capability import SetPolicy
from palazzo.model.ids import LABEL
from palazzo.ports import Working
from palazzo.store.api import Store


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for subjects that may not read everything; the operator and trusted local callers are exempt."""

    reads_per_minute: int = 20
    reads_per_session: int = 200
    writes_per_minute: int = 600
    score_noise: float = 0.0
    floor_ms: int = 0

    def overlaid(self, policies: Mapping[str, str]) -> Rules:
        """These rules with what the palace says instead."""
        if not policies:
            return self
        given = {f.name: type(getattr(self, f.name))(policies[f.name]) for f in fields(self) if f.name in policies}
        return replace(self, **given) if given else self


LIMITS: Mapping[str, tuple[float, float]] = {
    "reads_per_minute": (1, 1_000_000), "reads_per_session": (1, 1_000_000_000), "writes_per_minute": (1, 1_000_000),
    "score_noise": (0, 1), "floor_ms": (0, 10_000),
}  # fmt: skip
_HIGHER_IS_WEAKER = frozenset({"reads_per_minute", "reads_per_session", "writes_per_minute"})


def checked(name: str, value: str) -> str:
    """The value of a rule as it is stored.

    Raises: InvalidInput.
    """
    if name not in LIMITS:
        raise InvalidInput(f"no rule {name!r}", field="name", hint=f"one of {', '.join(LIMITS)}")
    low, high = LIMITS[name]
    whole = isinstance(getattr(Rules(), name), int)
    try:
        number = int(value) if whole else float(value)
    except ValueError:
        raise InvalidInput(f"{name} is a {'whole ' if whole else ''}number", field="value") from None
    if not low <= number <= high:
        raise InvalidInput(f"{name} is from {low:,} to {high:,}", field="value")
    return str(number)


CONFIG: Mapping[str, tuple[float, float] | None] = {
    "stale_above": (0, 0.99), "purge_after_days": (0, 36_525), "claim_lane": None,
}  # fmt: skip
"""What else an operator sets for a palace, stronger than the settings of a process; None: kinds of memory."""


def configured(name: str, value: str, kinds: Container[str]) -> str:
    """A value of the configuration as it is stored.

    Raises: InvalidInput.
    """
    if name not in CONFIG:
        raise InvalidInput(f"{name!r} is not set by a plan", field="target", hint=f"one of {', '.join(CONFIG)}")
    limits = CONFIG[name]
    if limits is None:
        named = [kind.strip() for kind in value.split(",") if kind.strip()]
        unknown = [kind for kind in named if kind not in kinds]
        if unknown:
            raise InvalidInput(f"no kind {unknown[0]!r}", field="value", hint="see `palazzo kinds`")
        return ",".join(named)
    try:
        number = float(value)
    except ValueError:
        raise InvalidInput(f"{name} is a number", field="value") from None
    if not limits[0] <= number <= limits[1]:
        raise InvalidInput(f"{name} is from {limits[0]:,} to {limits[1]:,}", field="value")
    return str(number)


def weakens(name: str, before: float, after: float) -> bool:
    """Whether this change of a rule lets an untrusted subject learn or do more."""
    return after > before if name in _HIGHER_IS_WEAKER else after < before


MINUTE_US = 60_000_000
SESSION_S = 86_400.0
"""How long the calls of a session that rests are remembered."""


class Rates:
    """The windows of a palace: of one process, or of all that share a working store."""

    def __init__(self, working: Working) -> None:
        self._working = working

    def take(self, key: str, per_minute: int, now_us: int) -> None:
        """Counts one call.

        Raises: RateLimited with the seconds until there is room again.
        """
        wait_us = self._working.take(f"rates:{key}", per_minute, MINUTE_US, now_us)
        if wait_us:
            raise RateLimited(f"no more than {per_minute} calls a minute", retry_after_s=max(wait_us / 1e6, 0.001))

    def take_of_session(self, subject: str, session: str, at_most: int) -> None:
        """Counts one call of a session.

        Raises: RateLimited; only another session, or an operator, helps.
        """
        if not self._working.count(f"spent:{_named(subject, session)}", at_most, SESSION_S):
            raise RateLimited(
                f"no more than {at_most} calls a session", retry_after_s=None,
                hint="begin another session, or let the operator raise your capability",
            )  # fmt: skip


def _named(subject: str, session: str) -> str:
    """A session of a subject in a key: the length keeps two pairs apart whose parts only join alike."""
    return f"{len(subject)}:{subject}:{session}"


POLICY = "vault"
LONGEST_MINUTES = 24 * 60


class _Note(msgspec.Struct, frozen=True):
    salt: str
    memory_kib: int
    time_cost: int
    lanes: int
    check: str


class Vault:
    """Which sessions have the vault of one palace open.

    A session with a name is known to every process that shares the working store; the one without a name is whoever
    has this process, or this daemon, and is known there alone (`near`).
    """

    def __init__(self, store: Store, near: Working, shared: Working) -> None:
        self._store = store
        self._near = near
        self._shared = shared

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
        self._of(session).put(f"vault:{_named(subject, session)}", str(until), minutes * 60)
        return until

    def lock(self) -> int:
        """Closes the vault for every session; returns how many had it open."""
        return sum(one.drop("vault:") for one in {self._near, self._shared})

    def is_open(self, subject: str, session: str, now_us: int) -> bool:
        """Whether this session of this subject has the vault open now."""
        until = self._of(session).get(f"vault:{_named(subject, session)}")
        return until is not None and int(until) > now_us

    def _of(self, session: str) -> Working:
        return self._shared if session else self._near

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
