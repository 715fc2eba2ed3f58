"""The guard's rules: how fast untrusted subjects may ask, how exact their answers are, and what is written down.

Owns the names, their ranges and the rule of precedence: what an operator put into the palace is stronger than the
settings of a process. Knows nothing of how a rule is kept. Invariant: which direction of each rule weakens the guard is
said here, once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from palazzo.errors import InvalidInput


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
