"""The guard's rules: how fast untrusted subjects may ask, how exact their answers are, and what is written down.

Owns the names, their ranges and the rule of precedence (what an operator put into the palace is stronger than the
settings of a process), and the windows that count how often a subject asked, in the memory of this process. Knows
nothing of how a rule is kept or what is asked. Invariants: which direction of each rule weakens the guard is said here,
once; threads share one window per subject; memory is bounded, the subject that asked longest ago is forgotten first.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from palazzo.errors import InvalidInput, RateLimited
from palazzo.model.fork_lock import ForkLock


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
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


def weakens(name: str, before: float, after: float) -> bool:
    """Whether this change of a rule lets an untrusted subject learn or do more."""
    return after > before if name in _HIGHER_IS_WEAKER else after < before


MINUTE_US = 60_000_000
REMEMBERED = 10_000
"""Subjects and sessions whose windows are kept."""


class Rates:
    """The windows of one process."""

    def __init__(self) -> None:
        self._minutes: OrderedDict[str, deque[int]] = OrderedDict()
        self._sessions: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._lock = ForkLock()

    def take(self, key: str, per_minute: int, now_us: int) -> None:
        """Counts one call.

        Raises: RateLimited with the seconds until there is room again.
        """
        with self._lock:
            window = self._minutes.setdefault(key, deque())
            self._minutes.move_to_end(key)
            while len(self._minutes) > REMEMBERED:
                self._minutes.popitem(last=False)
            while window and window[0] <= now_us - MINUTE_US:
                window.popleft()
            if len(window) >= per_minute:
                wait_s = (window[len(window) - per_minute] + MINUTE_US - now_us) / 1e6
                raise RateLimited(f"no more than {per_minute} calls a minute", retry_after_s=max(wait_s, 0.001))
            window.append(now_us)

    def take_of_session(self, subject: str, session: str, at_most: int) -> None:
        """Counts one call of a session.

        Raises: RateLimited; only another session, or an operator, helps.
        """
        key = (subject, session)
        with self._lock:
            spent = self._sessions.get(key, 0)
            if spent >= at_most:
                raise RateLimited(
                    f"no more than {at_most} calls a session", retry_after_s=None,
                    hint="begin another session, or let the operator raise your capability",
                )  # fmt: skip
            self._sessions[key] = spent + 1
            self._sessions.move_to_end(key)
            while len(self._sessions) > REMEMBERED:
                self._sessions.popitem(last=False)
