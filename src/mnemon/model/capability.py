"""Capabilities: which level a subject's grants give it at a place and a time.

Owns the levels, the grant and the rule of admission (spec 06). Does not know who asks, whether a place is
sealed or a vault session is open; those are checked where the connection is known. Invariants: without a
grant there is nothing; the vault is reached only by a grant that names it, so a grant for everywhere is a
grant for everywhere else; kits of a hard-locked kind stay at none whatever is granted, until an operator
lifts the lock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import IntEnum

from mnemon.errors import InvalidInput
from mnemon.model.address import ROOT, Place, PlaceGlob

DAY_US = 86_400_000_000
VAULT = Place(("vault",))
_EVERYWHERE = PlaceGlob(ROOT, "subtree")

HARD_LOCKED: frozenset[str] = frozenset({"banking", "health", "password-manager"})
"""Kinds of kit that stay at none whatever is granted."""


class Level(IntEnum):
    """What a subject may do, each level more than the last."""

    none = 0
    anchor = 1
    metadata = 2
    read_public = 3
    read_all = 4
    write = 5
    forget = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One subject may reach one level in one set of places, from `start_us` until `expires_us` (None: on)."""

    subject: str
    subject_kind: str
    level: Level
    glob: PlaceGlob
    start_us: int
    expires_us: int | None
    granted_by: str

    def __post_init__(self) -> None:
        if not self.subject or not self.subject_kind:
            raise InvalidInput("a grant names a subject and its kind", field="subject")
        # A grant is for places. Read without its slice it would be wider than the person meant.
        if self.glob.slice is not None:
            raise InvalidInput("a grant is for places, not for a slice of time", field="glob")
        if self.expires_us is not None and self.expires_us <= self.start_us:
            raise InvalidInput("a grant expires after it starts", field="expires_us")

    def reaches(self, place: Place, at_us: int) -> bool:
        """Whether the grant is in force at this time and covers this place."""
        if at_us < self.start_us or (self.expires_us is not None and at_us >= self.expires_us):
            return False
        if VAULT.contains(place) and not VAULT.contains(self.glob.place):
            return False
        return self.glob.matches(place)


def is_hard_locked(subject_kind: str) -> bool:
    """Whether kits of this kind are locked, however the kind is written (`kit:Password_Manager` is one)."""
    plain = subject_kind.casefold().replace("_", "-").replace(" ", "-")
    return plain.removeprefix("kit:").removesuffix("-kit") in HARD_LOCKED


def level_at(grants: Iterable[Grant], place: Place, at_us: int, *, unlocked: Collection[str] = ()) -> Level:
    """The highest level that one of the grants gives at this place and time.

    The grants are those of one subject; `unlocked` holds the subjects whose hard lock an operator lifted.
    """
    return max(
        (
            grant.level
            for grant in grants
            if grant.reaches(place, at_us) and (grant.subject in unlocked or not is_hard_locked(grant.subject_kind))
        ),
        default=Level.none,
    )


def allows(grants: Iterable[Grant], place: Place, level: Level, at_us: int, *, unlocked: Collection[str] = ()) -> bool:
    """Whether one of a subject's grants covers the place, the level and the time."""
    return level_at(grants, place, at_us, unlocked=unlocked) >= level


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultGrant:
    """What a subject has before anyone decided about it; `subject` None means every subject of the kind."""

    subject_kind: str
    subject: str | None
    level: Level
    glob: PlaceGlob
    days: int | None = None


DEFAULT_GRANTS: tuple[DefaultGrant, ...] = (
    # The person whose palace it is; the vault still asks for its passphrase.
    DefaultGrant(subject_kind="operator", subject="operator", level=Level.forget, glob=_EVERYWHERE),
    DefaultGrant(subject_kind="operator", subject="operator", level=Level.forget, glob=PlaceGlob(VAULT, "subtree")),
    DefaultGrant(subject_kind="agent", subject="agent:primary", level=Level.write, glob=_EVERYWHERE),
    DefaultGrant(subject_kind="shell", subject=None, level=Level.write, glob=PlaceGlob(Place(("work",)), "subtree")),
    DefaultGrant(subject_kind="shell", subject=None, level=Level.write, glob=PlaceGlob(Place(("forest",)), "subtree")),
    DefaultGrant(subject_kind="mcp", subject=None, level=Level.anchor, glob=_EVERYWHERE, days=30),
    # Runs that something on the network set off: they read, and write nothing until somebody decides otherwise.
    DefaultGrant(subject_kind="webhook", subject=None, level=Level.read_public, glob=_EVERYWHERE),
    DefaultGrant(subject_kind="workflow", subject=None, level=Level.read_public, glob=_EVERYWHERE),
)


def default_grants(subject: str, kind: str, now_us: int) -> tuple[Grant, ...]:
    """The grants a subject has on first sight; none for an unknown or a hard-locked one."""
    if is_hard_locked(kind):
        return ()
    return tuple(
        Grant(
            subject=subject,
            subject_kind=kind,
            level=default.level,
            glob=default.glob,
            start_us=now_us,
            expires_us=None if default.days is None else now_us + default.days * DAY_US,
            granted_by="default",
        )
        for default in DEFAULT_GRANTS
        if default.subject_kind == kind and default.subject in (None, subject)
    )
