"""What a subject may do at one moment: its grants that are in force, the vault places its session has open, the rules.

Owns the answer to "which level here?" and the globs that go into a View. Reads nothing; grants.py brings what the
palace holds; which of several grants decides is model/capability.py's. Invariant: a place in a vault gives nothing to a
session that has not unlocked it, whatever the level.
"""

from __future__ import annotations

from dataclasses import dataclass

from palazzo.errors import NotPermitted
from palazzo.guard.rules import Rules
from palazzo.model.address import ROOT, Place, PlaceGlob
from palazzo.model.capability import VAULT, Grant, Level, level_at, reach_of

OPERATOR = "operator"
_ALL = PlaceGlob(ROOT, "subtree")


def in_force(grants: tuple[Grant, ...], now_us: int) -> tuple[Grant, ...]:
    """The grants that give or deny something now."""
    return tuple(grant for grant in grants if grant.in_force(now_us))


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
        """Whether every grant that gives something reaches read_all: where it sees anything it sees all there is."""
        levels = [grant.level for grant in self.grants if grant.level > Level.none]
        return bool(levels) and min(levels) >= Level.read_all

    @property
    def sees_all(self) -> bool:
        """Whether nothing outside vaults is kept from it: it is trusted, and that everywhere."""
        return self.trusted and _ALL in self.globs(Level.read_all)

    def level(self, place: Place) -> Level:
        """The level at a place."""
        if not self.in_vault(place):
            return level_at(self.grants, place, self.grants)
        found = level_at(self._vault_grants(), place, self.grants) if self.vault_open else Level.none
        return found if found >= Level.read_all else Level.none

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
        return reach_of(self.grants, level, self.grants)

    def unlocked(self, level: Level) -> tuple[PlaceGlob, ...]:
        """The vault places where the level is reached in this session."""
        return reach_of(self._vault_grants(), level, self.grants) if self.vault_open else ()

    def highest(self, wanted: Level) -> Level:
        """The highest level up to this one that is reached anywhere."""
        levels = sorted((level for level in Level if Level.none < level <= wanted), reverse=True)
        return next((level for level in levels if self.globs(level)), Level.none)

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
        if not self.globs(level):
            raise NotPermitted(f"{self.subject} may not {what}: it needs {level.name} somewhere")
