"""Who calls, and what that lets them do: the subject's grants, read from the palace, and where they reach.

Owns the way from a subject to what it may see and change. Knows nothing of operations. Invariants: the level comes from
the palace's grants, else from the defaults of the subject's kind, never from an argument; the operator always has
those of its kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mnemon.errors import InvalidInput, NotPermitted
from mnemon.model.address import Place, PlaceGlob
from mnemon.model.capability import Grant, Level, default_grants, level_at
from mnemon.model.scope import GLOBAL, LEVELS, Scope
from mnemon.model.view import EVERYWHERE
from mnemon.store import grants as stored
from mnemon.store.store import Store

OPERATOR = "operator"
_LEVEL_OF_KEY = {"agent_id": "agent", "user_id": "user", "run_id": "channel"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The one who calls. `default` is what it may do everywhere but in the vault while no grant says otherwise.

    `scope` is whose memory it works on; only a caller that `chooses_scope` may name another in a call.
    """

    subject: str = OPERATOR
    scope: Scope = GLOBAL
    chooses_scope: bool = True
    default: Level | None = None

    @property
    def kind(self) -> str:
        return self.subject.partition(":")[0]

    @property
    def is_operator(self) -> bool:
        return self.subject == OPERATOR


def scope_from(caller: Caller, keys: Mapping[str, str | None]) -> Scope:
    """The scope of a call: the caller's own, with the levels that the keys name.

    Raises: InvalidInput, NotPermitted when the caller may not choose.
    """
    given = {key: value for key, value in keys.items() if value is not None}
    if not given:
        return caller.scope
    if "run_id" in given and "channel" in given:
        raise InvalidInput("run_id and channel are two names of one level", field="run_id", hint="give one of them")
    levels = dict(caller.scope.levels)
    levels.update({_LEVEL_OF_KEY.get(key, key): value for key, value in given.items()})
    scope = Scope(tuple((level, levels[level]) for level in LEVELS if level in levels))
    if scope != caller.scope and not caller.chooses_scope:
        raise NotPermitted(f"{caller.subject} works in the scope of its connection and may not name another")
    return scope


@dataclass(frozen=True, slots=True)
class Access:
    """What a caller may do at one moment."""

    caller: Caller
    grants: tuple[Grant, ...]
    now_us: int

    def level(self, place: Place) -> Level:
        """The level at a place."""
        return level_at(self.grants, place, self.now_us)

    def globs(self, level: Level) -> tuple[PlaceGlob, ...]:
        """The places where the level is reached."""
        found = (grant.glob for grant in self.grants if _level_of(grant, self.now_us) >= level)
        return tuple(dict.fromkeys(found))

    def require(self, level: Level, place: Place, what: str) -> None:
        """Raises: NotPermitted unless the level is reached at the place."""
        if self.level(place) >= level:
            return
        reached = ", ".join(str(glob) for glob in self.globs(level)) or "nowhere"
        where = f"in {place.path}" if place.segments else "everywhere"
        raise NotPermitted(
            f"{self.caller.subject} may not {what} {where}: it needs {level.name}",
            hint=f"it has {level.name}: {reached}",
        )

    def require_somewhere(self, level: Level, what: str) -> None:
        """Raises: NotPermitted unless the level is reached at some place."""
        if not self.globs(level):
            raise NotPermitted(f"{self.caller.subject} may not {what}: it needs {level.name} somewhere")


def _level_of(grant: Grant, now_us: int) -> Level:
    """What a grant gives now where it holds: its glob's own place stands for all of them."""
    here = grant.glob.place
    return level_at([replace(grant, glob=PlaceGlob(here))], here, now_us)


def access(store: Store, caller: Caller, now_us: int) -> Access:
    """What a caller may do now: the grants the palace holds for it, else the defaults of its kind."""
    with store.database.read() as connection:
        found = stored.of_subject(connection, caller.subject)
    if not found or caller.is_operator:
        found = default_grants(caller.subject, caller.kind, now_us)
        if caller.default is not None and not caller.is_operator:
            found = tuple(_granted(caller, glob, now_us) for glob in EVERYWHERE)
    return Access(caller, found, now_us)


def _granted(caller: Caller, glob: PlaceGlob, now_us: int) -> Grant:
    return Grant(
        subject=caller.subject, subject_kind=caller.kind, level=caller.default or Level.none, glob=glob,
        start_us=now_us, expires_us=None, granted_by="default",
    )  # fmt: skip
