"""What a change of grants changes: for every place that the grants name, the level before and after.

Owns the comparison. Reads nothing and changes nothing; the levels are those of access.py, so what is told is what will
be decided. A vault is told as a session sees it that has unlocked it. Invariant: where the level at some place changes,
a line covers that place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from uuid import uuid4

from palazzo.guard.access import Access
from palazzo.model.address import MAX_DEPTH, ROOT, Place, PlaceGlob
from palazzo.model.capability import Level


@dataclass(frozen=True, slots=True)
class Effect:
    """The level at some places before and after."""

    glob: PlaceGlob
    before: Level
    after: Level


def effects(before: Access, after: Access) -> tuple[Effect, ...]:
    """What became allowed or is allowed no more, widest places first."""
    was, now = replace(before, vault_open=True), replace(after, vault_open=True)
    told: list[Effect] = []
    for place in _named(was, now):
        levels = [(glob, was.level(point), now.level(point)) for glob, point in _points(place)]
        whole = PlaceGlob(place, "subtree")
        if len({(one, two) for _, one, two in levels}) == 1:
            levels = [(whole, *levels[0][1:])]
        told += [
            Effect(glob, one, two)
            for glob, one, two in levels
            if one != two and not _said(told, glob, one, two)
        ]  # fmt: skip
    return tuple(told)


def _named(*sides: Access) -> list[Place]:
    """The places that grants or vaults name, those above first."""
    found: set[Place] = {ROOT}
    for side in sides:
        found |= {grant.glob.place for grant in side.grants}
        found |= {Place.parse(path) for path in side.vaults}
    return sorted(found, key=lambda place: (place.depth, place.path))


def _points(place: Place) -> Iterator[tuple[PlaceGlob, Place]]:
    """A place, one right below it that nothing names, and one below that: every glob treats the rest like these."""
    other = f"x{uuid4().hex}"
    yield PlaceGlob(place), place
    if place.depth < MAX_DEPTH:
        yield PlaceGlob(place, "children"), Place((*place.segments, other))
    if place.depth < MAX_DEPTH - 1:
        yield PlaceGlob(place, "subtree"), Place((*place.segments, other, other))


def _said(told: Iterable[Effect], glob: PlaceGlob, before: Level, after: Level) -> bool:
    """Whether the nearest line above says the same already."""
    above = [effect for effect in told if effect.glob.reach == "subtree" and effect.glob.covers(glob)]
    nearest = max(above, key=lambda effect: effect.glob.place.depth, default=None)
    return nearest is not None and (nearest.before, nearest.after) == (before, after)
