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
from itertools import count
from typing import Final

import msgspec
import numpy as np

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
    following = {name: count() for name in discs}
    numbers = np.array([next(following[name]) for name in places], np.float64)
    middles = np.array([(discs[name].x, discs[name].y) for name in places], np.float64).reshape(-1, 2)
    away, angle = SEED * np.sqrt(numbers + 0.5) * 0.9, numbers * _GOLDEN
    points = np.rint(middles + np.stack((away * np.cos(angle), away * np.sin(angle)), axis=1)).astype(np.int64)
    return tuple(discs.values()), [(x, y) for x, y in points.tolist()]


def _radius(held: int) -> int:
    """Of a disc with room for so many: 8, 32, 128 and so on, so that a place grows without moving."""
    room = _SMALLEST
    while room < held:
        room *= 4
    return round(SEED * math.sqrt(room))


def _spiral(counts: Sequence[tuple[str, int]]) -> list[Disc]:
    """Discs one after the other along a spiral, each as near to the middle as those before it let it.

    What was in the way last is mostly in the way of the next step too, and is looked at before all the others.
    """
    laid: list[Disc] = []
    xs, ys, radii = (np.zeros(len(counts)) for _ in range(3))
    angle, away, last = 0.0, 0.0, 0
    for name, held in counts:
        radius = _radius(held)
        while True:
            x, y = away * math.cos(angle), away * math.sin(angle)
            if not laid or not _touches(laid[last], x, y, radius):
                size = len(laid)
                room = (x - xs[:size]) ** 2 + (y - ys[:size]) ** 2 - (radii[:size] + radius + _GAP) ** 2
                if not size or room.min() >= 0:
                    break
                last = int(room.argmin())
            angle += SEED * 4 / max(away, SEED * 4)
            away += SEED / 8
        xs[len(laid)], ys[len(laid)], radii[len(laid)] = round(x), round(y), radius
        laid.append(Disc(name, round(x), round(y), radius, held))
    return laid


def _touches(one: Disc, x: float, y: float, radius: int) -> bool:
    return (x - one.x) ** 2 + (y - one.y) ** 2 < (radius + one.radius + _GAP) ** 2
