"""Operations that look over the palace: overview, activity, facts, trail, and where memories lie on a map.

Owns the way from days of a zone to moments, and from places to those directly below the one that was asked about. On
the map each place is a disc and each memory a seed in it, laid as in a sunflower in the order they came; a disc has
room for twice a power of four, and discs lie along one spiral in the order of their names, so places of one branch are
neighbours. Invariants: every read goes through the caller's View; the days of an activity add up to its total, and so
do its places; the same names give the same points, no two discs overlap, and a memory that comes into a place with room
moves nothing.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import numpy as np
from msgspec.structs import replace

from palazzo.mind.consolidate import visible
from palazzo.mind.gaps import Gaps
from palazzo.mind.tree import Domain, TreeNode
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import View
from palazzo.model.memory import Memory
from palazzo.model.zone import local, microseconds, zone_named
from palazzo.operations.context import CallContext, places_called
from palazzo.operations.palace import spec
from palazzo.operations.shared import NoParameters, StoredMemory, moment
from palazzo.store.api import AtomRow, Breadcrumb, Filter, Reading, TrailPart

HOUR_US = 3_600_000_000
LATELY_H = 48
LOOKED_AT = 20_000
"""Memories whose topics are counted: reading those of all takes seconds in a large palace."""
SAID = 160
VISITS = 10_000
"""So many visits are counted at most."""
WAITING = 100
"""So much of each sort is counted that waits for a person."""


def _counted(counts: Mapping[str, int]) -> tuple[spec.Counted, ...]:
    """Names with their counts, most first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(spec.Counted(name=name, count=count) for name, count in ordered)


def _by_branch(glob: PlaceGlob | None, counts: Iterable[tuple[Place, int]]) -> Counter[str]:
    """Counts at the places directly below what was asked about, or at that itself."""
    depth = len(glob.place.segments if glob is not None else ()) + 1
    found: Counter[str] = Counter()
    for place, count in counts:
        found[".".join(place.segments[:depth])] += count
    return found


def _midnights(now_us: int, zone: str, days: int) -> list[int]:
    """When each of so many days began that end with today, and when today ends."""
    first = local(now_us, zone).date() - timedelta(days=days - 1)
    dates = (first + timedelta(days=number) for number in range(days + 1))
    return [microseconds(datetime(one.year, one.month, one.day, tzinfo=zone_named(zone))) for one in dates]


def overview(context: CallContext, asked: spec.OverviewParameters) -> spec.Overview:
    glob, view, now_us = places_called(asked.place), context.view(asked.as_of), context.engine.clock.now_us()
    now_us = microseconds(asked.as_of) if asked.as_of is not None else now_us
    zone = context.engine.zone
    with context.engine.store.reading(view) as reading:
        places = reading.places.counted(glob)
        kinds = reading.places.kinds(glob)
        tags = reading.tags.carried(asked.limit) if glob is None else ()
        topics = reading.places.topics(asked.limit, LOOKED_AT, glob)
        week = sum(count for *_, count in reading.places.placed(_midnights(now_us, zone, 7)[::7], glob))
        newest = reading.search.newest(Filter(glob=glob), asked.limit)
        loaded = reading.memories.by_keys(newest)
        lately = TrailPart(since_us=now_us - LATELY_H * HOUR_US, until_us=now_us, glob=glob, limit=VISITS)
        visits = reading.places.visits(lately)
        waiting = _waiting(reading) if glob is None else 0
    total = sum(info.memories for info in places)
    known = (parts_of(context, view, asked.level) if glob is None and asked.level else ())[: asked.limit]
    whole = context.engine.trees.of(view).whole if asked.level and glob is None else None
    return spec.Overview(
        summary=whole.summary if whole is not None else "", parts=known,
        memories=total, places=_counted(_by_branch(glob, ((info.place, info.memories) for info in places))),
        kinds=_counted(dict(kinds)), tags=_counted({tag: count for tag, count, _ in tags}),
        topics=_counted(dict(topics)), looked_at=min(total, LOOKED_AT), last_7_days=week, visits=visits,
        waiting=waiting,
        newest=tuple(StoredMemory.of(loaded[key]) for key in newest if key in loaded),
    )  # fmt: skip


def _waiting(reading: Reading) -> int:
    """How much `review` would show, without a look at any of it."""
    claims = (reading.claims.with_status("candidate", WAITING), reading.claims.with_status("deferred", WAITING))
    return sum(map(len, (
        reading.known.conflicts(WAITING), sum(claims, ())[:WAITING], reading.memories.stalest(WAITING),
        reading.authors.waiting(WAITING),
    )))  # fmt: skip


def parts_of(context: CallContext, view: View, level: int) -> tuple[spec.KnownPart, ...]:
    """The parts of a level of what a reader knows; of domains also how well each is known."""
    tree = context.engine.trees.of(view)
    if level == 2:
        return tuple(_domain(one) for one in domains_of(context, view))
    nodes = tree.clusters if level == 1 else () if tree.whole is None else (tree.whole,)
    return tuple(part_shown(one) for one in sorted(nodes, key=lambda one: (-len(one.keys), one.id)))


def domains_of(context: CallContext, view: View) -> tuple[Domain, ...]:
    """The domains of a reader, with the questions that are open about each."""
    gaps = Gaps(context.engine.store).open(view, 1000)
    ids = {one for gap in gaps for one in gap.memories}
    with context.engine.store.reading(view) as reading:
        keys = {memory.id: memory.revision.key for memory in visible(reading, sorted(ids))}
    about = [[keys[one] for one in gap.memories if one in keys] for gap in gaps]
    return context.engine.trees.domains(view, about)


def part_shown(node: TreeNode) -> spec.KnownPart:
    """A part as callers see it."""
    return spec.KnownPart(
        node=node.id, level=node.level, label=node.label, summary=node.summary, memories=len(node.keys),
        tokens=node.tokens, children=node.children,
    )  # fmt: skip


def _domain(one: Domain) -> spec.KnownPart:
    return replace(
        part_shown(one.node), depth=round(one.depth, 3), freshness=round(one.freshness, 3),
        uncertainty=round(one.uncertainty, 3), confidence=round(one.confidence, 3), gaps=one.gaps,
    )  # fmt: skip


def activity(context: CallContext, asked: spec.ActivityParameters) -> spec.Activity:
    glob = places_called(asked.place)
    now_us = microseconds(asked.as_of) if asked.as_of is not None else context.engine.clock.now_us()
    zone = asked.zone or context.engine.zone
    midnights = _midnights(now_us, zone, asked.days)
    with context.engine.store.reading(context.view(asked.as_of)) as reading:
        placed = reading.places.placed(midnights, glob)
    first = local(midnights[0], zone).date()
    days: dict[int, list[tuple[Place, int]]] = {number: [] for number in range(asked.days)}
    for place, number, count in placed:
        days[number].append((place, count))
    by_day = {number: _by_branch(glob, counts) for number, counts in days.items()}
    altogether: Counter[str] = sum(by_day.values(), Counter())
    return spec.Activity(
        days=tuple(
            spec.DayActivity(
                day=first + timedelta(days=number), memories=counts.total(), places=_counted(counts)
            )
            for number, counts in by_day.items()
        ),
        places=_counted(altogether), total=altogether.total(), zone=zone,
    )  # fmt: skip


def scopes(context: CallContext, _asked: NoParameters) -> spec.ScopeList:
    with context.engine.store.reading(replace(context.view(), all_scopes=True)) as reading:
        return spec.ScopeList(scopes=_counted(dict(reading.counts.by_scope())))


def layout(context: CallContext, asked: spec.LayoutParameters) -> spec.Layout:
    with context.engine.store.reading(context.view(asked.as_of)) as reading:
        found = reading.places.standing(asked.limit + 1, places_called(asked.place))
        shown = found[-asked.limit :]
        numbers = {one.key: number for number, one in enumerate(shown)}
        between = reading.edges.between(numbers, asked.links)
    discs, points = laid_out([one.place for one in shown])
    kinds, ways = sorted({one.kind for one in shown}), sorted({kind for *_, kind in between})
    return spec.Layout(
        ids=tuple(str(one.id) for one in shown), x=tuple(x for x, _ in points), y=tuple(y for _, y in points),
        kind=tuple(kinds.index(one.kind) for one in shown), kinds=tuple(kinds), link_kinds=tuple(ways),
        links=tuple((numbers[source], numbers[target], ways.index(kind)) for source, target, kind in between),
        places=discs, more=len(found) > len(shown),
    )  # fmt: skip


def facts(context: CallContext, asked: spec.FactsParameters) -> spec.FactList:
    with context.engine.store.reading(context.view(asked.as_of)) as reading:
        found = reading.places.facts(
            places_called(asked.place), asked.about.strip(), asked.attribute.strip(), asked.limit + 1
        )
    return spec.FactList(facts=tuple(_fact(row) for row in found[: asked.limit]), more=len(found) > asked.limit)


def _fact(row: AtomRow) -> spec.Fact:
    atom = row.atom
    return spec.Fact(
        about=atom.subject, attribute=atom.predicate, value=atom.value, denied=atom.negated, memory=row.memory_id,
        kind=row.kind, confidence=row.confidence,
    )  # fmt: skip


def trail(context: CallContext, asked: spec.TrailParameters) -> spec.Visits:
    since_us = context.engine.clock.now_us() - int(asked.hours * HOUR_US)
    context.engine.uses.flush()  # what was read in the last minute waits to be written
    part = TrailPart(
        since_us=since_us, trail=asked.name, glob=places_called(asked.place), subject=asked.subject, limit=asked.limit
    )
    with context.engine.store.reading(context.view()) as reading:
        crumbs = reading.places.trail(part)
        ids = dict.fromkeys(crumb.memory_id for crumb in crumbs if crumb.memory_id is not None)
        known = {memory_id: reading.memories.get(memory_id) for memory_id in ids}
    return spec.Visits(visits=tuple(_visit(crumb, known) for crumb in crumbs), since=moment(since_us))


def _visit(crumb: Breadcrumb, known: Mapping[UUID, Memory]) -> spec.Visit:
    found = known.get(crumb.memory_id) if crumb.memory_id is not None else None
    return spec.Visit(
        at=moment(crumb.at_us), place=crumb.place.path, subject=crumb.subject, trail=crumb.trail,
        memory=crumb.memory_id, address=found.kref.short if found else "", text=found.text[:SAID] if found else "",
    )  # fmt: skip


SEED: Final = 10
"""The distance between two seeds."""
_GOLDEN: Final = math.pi * (3 - math.sqrt(5))
_SMALLEST: Final = 8
_GAP: Final = 2 * SEED


def laid_out(places: Sequence[str]) -> tuple[tuple[spec.LaidPlace, ...], list[tuple[int, int]]]:
    """The discs by name, and the point of each memory, for the names of their places in the order they came."""
    counts = Counter(places)
    discs = {disc.name: disc for disc in _spiral(sorted(counts.items()))}
    following = {name: itertools.count() for name in discs}
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


def _spiral(counts: Sequence[tuple[str, int]]) -> list[spec.LaidPlace]:
    """Discs one after the other along a spiral, each as near to the middle as those before it let it.

    What was in the way last is mostly in the way of the next step too, and is looked at before all the others.
    """
    laid: list[spec.LaidPlace] = []
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
        laid.append(spec.LaidPlace(name=name, x=round(x), y=round(y), radius=radius, count=held))
    return laid


def _touches(one: spec.LaidPlace, x: float, y: float, radius: int) -> bool:
    return (x - one.x) ** 2 + (y - one.y) ** 2 < (radius + one.radius + _GAP) ** 2
