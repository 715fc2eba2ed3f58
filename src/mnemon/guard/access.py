"""What a subject may do at one moment: its grants that are in force, the vault places its session has open, the rules.

Owns the answer to "which level here?" and the globs that go into a View. Reads nothing; grants.py brings what the
palace holds. Invariant: a place in a vault gives nothing to a session that has not unlocked it, whatever the
level.
"""

from __future__ import annotations

from dataclasses import dataclass

from mnemon.errors import NotPermitted
from mnemon.guard.rules import Rules
from mnemon.model.address import ROOT, Place, PlaceGlob
from mnemon.model.capability import VAULT, Grant, Level

OPERATOR = "operator"
_ALL = PlaceGlob(ROOT, "subtree")


def in_force(grants: tuple[Grant, ...], now_us: int) -> tuple[Grant, ...]:
    """The grants that give something now."""
    return tuple(
        grant
        for grant in grants
        if grant.level > Level.none
        and grant.start_us <= now_us
        and (grant.expires_us is None or now_us < grant.expires_us)
    )


@dataclass(frozen=True, slots=True)
class Access:
    """What one caller may do now. `grants` and `rules` are in force; `vaults` are the paths of vault places."""

    subject: str
    grants: tuple[Grant, ...]
    now_us: int
    vaults: frozenset[str] = frozenset()
    vault_open: bool = False
    rules: Rules = Rules()

    @property
    def is_operator(self) -> bool:
        return self.subject == OPERATOR

    @property
    def trusted(self) -> bool:
        """Whether every grant reaches read_all: such a caller sees all there is where it sees anything."""
        return bool(self.grants) and all(grant.level >= Level.read_all for grant in self.grants)

    @property
    def sees_all(self) -> bool:
        """Whether nothing outside vaults is kept from it: it is trusted, and that everywhere."""
        return self.trusted and any(grant.glob == _ALL for grant in self.grants)

    def level(self, place: Place) -> Level:
        """The level at a place."""
        if self.in_vault(place):
            reached = [g.level for g in self._vault_grants() if g.glob.matches(place)] if self.vault_open else []
        else:
            reached = [g.level for g in self.grants if g.glob.matches(place)]
        return max(reached, default=Level.none)

    def in_vault(self, place: Place) -> bool:
        """Whether a place is in a vault: the vault itself, or below a place that was made one."""
        if VAULT.contains(place):
            return True
        return any(Place(place.segments[:n]).path in self.vaults for n in range(len(place.segments) + 1))

    def _vault_grants(self) -> tuple[Grant, ...]:
        """Grants that name a vault place: a grant for everywhere is a grant for everywhere else."""
        if self.is_operator:
            return self.grants
        return tuple(g for g in self.grants if self.in_vault(g.glob.place) and g.level >= Level.read_all)

    def globs(self, level: Level) -> tuple[PlaceGlob, ...]:
        """The places outside vaults where the level is reached."""
        return tuple(dict.fromkeys(grant.glob for grant in self.grants if grant.level >= level))

    def unlocked(self, level: Level) -> tuple[PlaceGlob, ...]:
        """The vault places where the level is reached in this session."""
        if not self.vault_open:
            return ()
        return tuple(dict.fromkeys(grant.glob for grant in self._vault_grants() if grant.level >= level))

    def highest(self, wanted: Level) -> Level:
        """The highest level up to this one that is reached anywhere."""
        return max((min(grant.level, wanted) for grant in self.grants), default=Level.none)

    def require(self, level: Level, place: Place, what: str) -> None:
        """Raises: NotPermitted unless the level is reached at the place."""
        if self.level(place) >= level:
            return
        where = f"in {place.path}" if place.segments else "everywhere"
        if self.in_vault(place):
            raise NotPermitted(
                f"{self.subject} may not {what} {where}: the vault is locked here", hint="the operator unlocks it"
            )
        reached = ", ".join(str(glob) for glob in self.globs(level)) or "nowhere"
        raise NotPermitted(
            f"{self.subject} may not {what} {where}: it needs {level.name}", hint=f"it has {level.name}: {reached}"
        )

    def require_somewhere(self, level: Level, what: str) -> None:
        """Raises: NotPermitted unless the level is reached at some place."""
        if not any(grant.level >= level for grant in self.grants):
            raise NotPermitted(f"{self.subject} may not {what}: it needs {level.name} somewhere")
