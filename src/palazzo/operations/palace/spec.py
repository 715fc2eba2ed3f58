"""Operations that look over the palace: what is where, what came when, which facts it holds, where somebody went.
Parameters, results and declarations.

Owns no behaviour. Invariant: figures of one answer agree: the days add up to the total, and so do the places.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Final
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, operators, told
from palazzo.operations.shared import Listing, NoParameters, StoredMemory

WHERE = "Only from this place; work.* is directly below it, work.** all of it. The whole palace when left out."


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """How many there are of one name: a place, a kind, a tag, a topic."""

    name: str
    count: int


class OverviewParameters(Scoped):
    place: str = told(WHERE, "")
    as_of: datetime | None = told("As it was at this time, instead of now.", None)
    limit: int = told("How many tags, topics, parts and new memories at most.", 25, low=1, high=200)
    level: int = told(
        "Also what is known, part by part: 1 for clusters of memories, 2 for domains, 3 for all in one paragraph.",
        0,
        low=0,
        high=3,
    )


class KnownPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of what is known: its words, how many memories it has, and, of a domain, how well it is known: depth,
    freshness, the share of open questions, and the confidence that follows.
    """

    node: str
    level: int
    label: str
    summary: str
    memories: int
    tokens: int
    children: tuple[str, ...] = ()
    depth: float = 0.0
    freshness: float = 0.0
    uncertainty: float = 0.0
    confidence: float = 0.0
    gaps: int = 0


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """How much there is, where and of what kinds; what is new, which tags and topics there are, how much was visited.

    `places` count what stands in them and below. `topics` are those of the newest memories, `looked_at` of how many.
    """

    memories: int
    places: tuple[Counted, ...]
    kinds: tuple[Counted, ...]
    tags: tuple[Counted, ...]
    topics: tuple[Counted, ...]
    looked_at: int
    last_7_days: int
    visits: int
    """Breadcrumbs of the last 48 hours; 10,000 are counted at most."""
    waiting: int
    """What waits for a person (`review`), at most a hundred of each sort; 0 where a place is asked about."""
    newest: tuple[StoredMemory, ...]
    summary: str = ""
    """Everything in at most two hundred tokens, where a level is asked for."""
    parts: tuple[KnownPart, ...] = ()


class ActivityParameters(Scoped):
    place: str = told(WHERE, "")
    days: int = told("How many days back, today included.", 14, low=1, high=366)
    zone: str = told("The time zone whose days are meant, such as Europe/Berlin; the palace's when left out.", "")
    as_of: datetime | None = told("As it was at this time, instead of now.", None)


class DayActivity(msgspec.Struct, frozen=True, kw_only=True):
    """What came on one day: how many memories, and where."""

    day: date
    memories: int
    places: tuple[Counted, ...]


class Activity(Listing[DayActivity], frozen=True, kw_only=True):
    """What came day by day, oldest first, and altogether by place; a place counts what came below it too."""

    days: tuple[DayActivity, ...]
    places: tuple[Counted, ...]
    total: int
    zone: str


class ScopeList(Listing[Counted], frozen=True, kw_only=True):
    """Whose memories there are: every scope with how many, most first. The scope of all is empty."""

    scopes: tuple[Counted, ...]


class LayoutParameters(Scoped):
    place: str = told(WHERE, "")
    limit: int = told("How many memories at most, the newest.", 20_000, low=1, high=100_000)
    links: int = told("How many links between them at most, the newest.", 10_000, low=0, high=100_000)
    as_of: datetime | None = told("As it was at this time, instead of now.", None)


class LaidPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A place on the map: a disc that has room for what stands in it."""

    name: str
    x: int
    y: int
    radius: int
    count: int


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Memories as points of a map, oldest first: of the n-th the id, where it lies, and the number of its kind in
    `kinds`. `links` are source, target and kind as numbers. The same palace is laid out the same way every time, and
    what comes later moves no point of a place that has room. `more` says that not all are on it.
    """

    ids: tuple[str, ...]
    x: tuple[int, ...]
    y: tuple[int, ...]
    kind: tuple[int, ...]
    kinds: tuple[str, ...]
    links: tuple[tuple[int, int, int], ...]
    link_kinds: tuple[str, ...]
    places: tuple[LaidPlace, ...]
    more: bool = False


class FactsParameters(Scoped):
    place: str = told(WHERE, "")
    about: str = told("Only facts with these words in whom or what they are about, or in their value.", "")
    attribute: str = told("Only this attribute, such as editor or lives_in.", "")
    as_of: datetime | None = told("What was believed at this time, instead of now.", None)
    limit: int = told("How many at most.", 100, low=1, high=5000)


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One fact: about whom or what, which attribute, its value (or that it is not that), and where it is held."""

    about: str
    attribute: str
    value: str
    denied: bool
    memory: UUID
    kind: str
    confidence: float


class FactList(Listing[Fact], frozen=True, kw_only=True):
    """Facts as memories state them now, oldest memory first; `more` says that there are further ones."""

    facts: tuple[Fact, ...]
    more: bool = False


class TrailParameters(Scoped):
    hours: float = told("How many hours back.", 48.0, low=0, high=2160)
    place: str = told(WHERE, "")
    name: str = told("Only the trail of this name, or of this day (2026-04-19).", "")
    subject: str = told("Only the visits of this subject; anyone but the operator sees its own alone.", "")
    limit: int = told("How many visits at most, the newest first.", 200, low=1, high=5000)


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """One breadcrumb: when somebody read or wrote something, where, and what it was, if it was one memory."""

    at: datetime
    place: str
    subject: str
    trail: str
    memory: UUID | None = None
    address: str = ""
    text: str = ""


class Visits(Listing[Visit], frozen=True, kw_only=True):
    """Where somebody went, newest first."""

    visits: tuple[Visit, ...]
    since: datetime


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "overview", OverviewParameters, Overview, Level.read_public, "reach", toolset="palace",
        people="Show how much there is, where and of what kinds, what is new, and which tags and topics there are.",
        models="Get a first idea of what is remembered: places, kinds, topics, tags and what is new.",
    ),
    Operation(
        "activity", ActivityParameters, Activity, Level.metadata, "reach", toolset="palace",
        people="Show how many memories came day by day, and where.",
        models="See how many memories came on each of the last days, by place.",
    ),
    operators(
        "scopes", NoParameters, ScopeList,
        people="List whose memories there are: users, projects, agents and channels, with how many each has.",
    ),
    Operation(
        "layout", LayoutParameters, Layout, Level.read_public, "reach",
        people="Lay memories and their links out on a map, the same way every time.",
    ),
    Operation(
        "facts", FactsParameters, FactList, Level.read_public, "reach", toolset="palace",
        people="List facts as attribute and value, of a place or about somebody or something.",
        models="List what is held as facts (about, attribute, value) at a place or about somebody or something.",
    ),
    Operation(
        "trail", TrailParameters, Visits, Level.read_public, "reach", toolset="palace",
        people="Show where somebody went in the palace lately: what was read and written, newest first.",
        models="See what was read and written lately, newest first: where the work was.",
    ),
)  # fmt: skip
