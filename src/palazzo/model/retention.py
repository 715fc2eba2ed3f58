"""Retention: how much of a memory is left, and when it passes from one lifecycle state to the next.

One function of time since the last access, and its inverse in closed form, so that a sweep asks an index
which memories are due instead of computing over all of them. Reads no clock. Invariants: retention never
rises with time and never falls with accesses; `state_at` and `next_transition` use the same instants, so a
memory swept at its due time is in the state that was foretold; what a person pinned or a permanent kind
holds is never deleted by decay, nor what matters much or was strongly felt.
"""

from __future__ import annotations

from math import exp, floor, log, log1p

import msgspec

from palazzo.errors import InvalidInput
from palazzo.model.kinds import Durability, Kind
from palazzo.model.memory import State

IMPORTANT = 0.7
"""From this importance on a memory is never deleted by decay."""
FELT = 0.5
"""The same of arousal."""
DAY_US = 86_400_000_000
HOUR_US = 3_600_000_000
SEMESTER_US = 730 * DAY_US


class LifecyclePolicy(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Where one state ends and the next begins; retentions from 0 to 1, times in days."""

    stale_below: float = 0.3
    archived_below: float = 0.1
    archived_after_stale_days: float = 30.0
    deleted_below: float = 0.01
    transient_deleted_below: float = 0.05
    purged_after_days: float = 90.0

    def __post_init__(self) -> None:
        if not 0 <= self.deleted_below <= self.archived_below <= self.stale_below <= 1:
            raise InvalidInput("0 <= deleted <= archived <= stale <= 1 must hold", field="lifecycle")
        if not 0 <= self.transient_deleted_below <= 1:
            raise InvalidInput("a retention lies between 0 and 1", field="transient_deleted_below")
        for field, days in (
            ("archived_after_stale_days", self.archived_after_stale_days),
            ("purged_after_days", self.purged_after_days),
        ):
            if not 0 <= days <= 36_525:
                raise InvalidInput(f"{field} lies between 0 and 36525", field=field)


LIFECYCLE = LifecyclePolicy()


class Wear(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What decides how fast one memory fades; `durability` None means the kind's own."""

    kind: Kind
    durability: Durability | None = None
    sessions: int = 0
    arousal: float = 0.0
    importance: float = 0.0
    pinned: bool = False

    @property
    def kept(self) -> bool:
        """Whether decay may never delete it: pinned (as what somebody asked to be kept is), permanent, of a kind
        that is permanent by default, important or strongly felt.
        """
        return (
            self.pinned
            or "permanent" in (self.durability, self.kind.durability)
            or self.importance >= IMPORTANT
            or self.arousal >= FELT
        )


def stability_us(*, kind: Kind, durability: str | None, sessions: int, arousal: float) -> float:
    """The time in which an exponentially fading memory falls to 1/e: the kind's base, spaced and felt.

    A transient memory counts the kind's figure in hours instead of days.
    """
    unit = HOUR_US if (durability or kind.durability) == "transient" else DAY_US
    spacing = 1 + 0.5 * log1p(sessions) if sessions > 0 else 1.0
    # The comparison, not max(), because it sends NaN to zero too.
    felt = min(arousal, 1.0) if arousal > 0 else 0.0
    return kind.base_stability_days * unit * spacing * (1 + felt)


def retention(*, kind: Kind, durability: str | None, age_us: int, sessions: int, arousal: float) -> float:
    """What is left of a memory, 0 to 1, `age_us` after its last access in so many distinct sessions.

    Raises: InvalidInput if the durability is unknown.
    """
    mode = _mode(kind, durability)
    age = max(age_us, 0)
    if mode == "permanent":
        return 1.0
    if mode == "semester":
        return max(0.0, 1 - age / SEMESTER_US)
    return exp(-age / stability_us(kind=kind, durability=mode, sessions=sessions, arousal=arousal))


def crossing_us(threshold: float, *, kind: Kind, durability: str | None, sessions: int, arousal: float) -> int | None:
    """The µs after the last access at which retention first lies below the threshold; None if it never does.

    Raises: InvalidInput if the durability is unknown.
    """
    mode = _mode(kind, durability)
    if threshold > 1:
        return 0
    # Not "threshold <= 0": this way NaN, below which nothing lies, is never crossed either.
    if mode == "permanent" or not threshold > 0:
        return None
    if mode == "semester":
        return floor((1 - threshold) * SEMESTER_US) + 1
    stability = stability_us(kind=kind, durability=mode, sessions=sessions, arousal=arousal)
    return floor(-log(threshold) * stability) + 1


def state_at(wear: Wear, age_us: int, policy: LifecyclePolicy = LIFECYCLE) -> State:
    """The state decay has brought a memory to, `age_us` after its last access."""
    state: State = "active"
    for at_us, reached in _transitions(wear, policy):
        if age_us >= at_us:
            state = reached
    return state


def next_transition(wear: Wear, age_us: int = 0, policy: LifecyclePolicy = LIFECYCLE) -> tuple[State, int] | None:
    """The next state decay brings and the µs after the last access when it does; None if no other comes."""
    return next(((state, at_us) for at_us, state in _transitions(wear, policy) if at_us > age_us), None)


def _transitions(wear: Wear, policy: LifecyclePolicy) -> tuple[tuple[int, State], ...]:
    """(µs after the last access, state reached), in order of time and of severity."""
    if wear.pinned:
        return ()

    def crossing(threshold: float) -> int | None:
        return crossing_us(
            threshold,
            kind=wear.kind,
            durability=wear.durability,
            sessions=wear.sessions,
            arousal=wear.arousal,
        )

    transient = _mode(wear.kind, wear.durability) == "transient"
    deleted = None
    if not wear.kept:
        deleted = crossing(policy.transient_deleted_below if transient else policy.deleted_below)
    stale, archived = crossing(policy.stale_below), crossing(policy.archived_below)
    if stale is not None:
        rested = stale + round(policy.archived_after_stale_days * DAY_US)
        archived = rested if archived is None else min(archived, rested)
    # A later state hides an earlier one that begins no sooner, as deletion may for transient memories.
    steps: list[tuple[int, State]] = []
    following: int | None = None
    backwards: tuple[tuple[int | None, State], ...] = (
        (deleted, "deleted"),
        (archived, "archived"),
        (stale, "stale"),
    )
    for at_us, state in backwards:
        if at_us is not None and (following is None or at_us < following):
            steps.append((at_us, state))
            following = at_us
    return tuple(reversed(steps))


def _mode(kind: Kind, durability: str | None) -> str:
    mode = durability or kind.durability
    if mode not in ("permanent", "semester", "decaying", "transient"):
        raise InvalidInput(
            f"unknown durability {mode!r}",
            field="durability",
            hint="permanent, semester, decaying or transient",
        )
    return mode
