"""A View: who reads, where, and as of when. Every read of the store takes one; there is no read without.

Invariant: the default shows only what may be believed: current revisions of live, not deprecated memories,
owned by the reader's scope path, outside sealed and vault places.
"""

from __future__ import annotations

import msgspec

from palazzo.model.address import Place, PlaceGlob
from palazzo.model.memory import State
from palazzo.model.scope import GLOBAL, Scope

EVERYWHERE: tuple[PlaceGlob, ...] = (PlaceGlob(place=Place(()), reach="subtree", slice=None),)


class View(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What one reader may see. `reach` are the globs its capability covers; `sealed_reach` those with read_all."""

    subject: str = "operator"
    scope: Scope = GLOBAL
    orchestrator: bool = False
    reach: tuple[PlaceGlob, ...] = EVERYWHERE
    sealed_reach: tuple[PlaceGlob, ...] = ()
    unlocked: tuple[PlaceGlob, ...] = ()
    as_of_us: int | None = None
    states: tuple[State, ...] = ("active", "stale")
    include_deprecated: bool = False
    all_scopes: bool = False
