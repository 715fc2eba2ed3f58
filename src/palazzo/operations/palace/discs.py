"""Where memories lie on a map: each place a disc, each memory a seed in the disc of its place.

Pure functions over names. Seeds are laid as in a sunflower, in the order they came, so the next one lies outside those
before it; a disc has room for twice a power of four, and discs lie along one spiral in the order of their names, so
places of one branch are neighbours. Invariants: the same names give the same points; no two discs overlap; a memory
that comes into a place with room moves nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

SEED: Final = 10
"""The distance between two seeds."""
_GOLDEN: Final = math.pi * (3 - math.sqrt(5))
_SMALLEST: Final = 8
_GAP: Final = 2 * SEED


class Disc(msgspec.Struct, frozen=True, gc=False):
    """The disc of one place."""

    name: str
    x: int
    y: int
    radius: int
    count: int


def laid_out(places: Sequence[str]) -> tuple[tuple[Disc, ...], list[tuple[int, int]]]:
    """The discs by name, and the point of each memory, for the names of their places in the order they came."""
    counts = Counter(places)
    discs = {disc.name: disc for disc in _spiral(sorted(counts.items()))}
    seen: Counter[str] = Counter()
    points = []
    for name in places:
        disc, number = discs[name], seen[name]
        seen[name] += 1
        away, angle = SEED * math.sqrt(number + 0.5) * 0.9, number * _GOLDEN
        points.append((disc.x + round(away * math.cos(angle)), disc.y + round(away * math.sin(angle))))
    return tuple(discs.values()), points


def _radius(count: int) -> int:
    """Of a disc with room for so many: 8, 32, 128 and so on, so that a place grows without moving."""
    room = _SMALLEST
    while room < count:
        room *= 4
    return round(SEED * math.sqrt(room))


def _spiral(counts: Sequence[tuple[str, int]]) -> list[Disc]:
    """Discs one after the other along a spiral, each as near to the middle as those before it let it."""
    laid: list[Disc] = []
    angle, away = 0.0, 0.0
    for name, count in counts:
        radius = _radius(count)
        while True:
            x, y = away * math.cos(angle), away * math.sin(angle)
            if all(math.hypot(x - one.x, y - one.y) >= radius + one.radius + _GAP for one in laid):
                break
            angle += SEED * 4 / max(away, SEED * 4)
            away += SEED / 8
        laid.append(Disc(name, round(x), round(y), radius, count))
    return laid
