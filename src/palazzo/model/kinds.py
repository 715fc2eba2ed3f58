"""Kinds: the one table that drives decay, staleness, conflict and entrenchment.

Owns the figures and the reason for each; the functions over them live elsewhere (retention, belief). Knows no
memory. Invariants: every figure in a `Kind` is in range, so users of the table never check; a table never
changes, adding kinds makes another; an unknown name is an error that lists the known ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

import msgspec

from palazzo.errors import InvalidInput, UnknownKind
from palazzo.model.address import ROOT

Layer = Literal["raw", "episodic", "semantic", "procedural", "relational"]
Durability = Literal["permanent", "semester", "decaying", "transient"]
ConflictMode = Literal["ask", "temporal", "keep_both", "use_new", "keep_existing", "merge"]
Entrenchment = Literal["recency", "evidence", "confidence"]

HAPPENED = frozenset({"event", "activity", "error"})
"""Kinds of what happened: its time is the one it names, and it stays so when that is over."""
GIVEN = frozenset({"exchange", "document", "section"})
"""Kinds of what is kept as it was given: statements are drawn from it and point back, none of them takes its place."""
MAX_DAYS = 36_525.0
"""A century: longer stabilities would carry a crossing beyond 64 bits of microseconds."""


class Kind(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is true of every memory of one kind, unless the memory itself says otherwise."""

    name: str
    layer: Layer
    base_stability_days: float
    lifespan_days: float | None
    """None: never ends."""
    durability: Durability = "decaying"
    conflict: ConflictMode
    functional: frozenset[str] = frozenset()
    """Predicates that hold one value; a trailing * stands for any ending."""
    entrenched_by: Entrenchment
    why: str = ""
    """The reason for the figures."""

    def __post_init__(self) -> None:
        ROOT.child(self.name)
        chosen = (
            ("layer", self.layer, get_args(Layer)),
            ("durability", self.durability, get_args(Durability)),
            ("conflict", self.conflict, get_args(ConflictMode)),
            ("entrenched_by", self.entrenched_by, get_args(Entrenchment)),
        )
        for field, value, allowed in chosen:
            if value not in allowed:
                raise InvalidInput(
                    f"kind {self.name!r} has an unknown {field} {value!r}",
                    field=field,
                    hint=", ".join(allowed),
                )
        for field, days in (
            ("base_stability_days", self.base_stability_days),
            ("lifespan_days", self.lifespan_days),
        ):
            if days is not None and not 0 < days <= MAX_DAYS:
                raise InvalidInput(f"kind {self.name!r}: {field} is above 0 and at most {MAX_DAYS:.0f}", field=field)

    def holds_one(self, predicate: str) -> bool:
        """Whether a subject has at most one value of this predicate at a time."""
        return predicate in self.functional or any(
            slot.endswith("*") and predicate.startswith(slot[:-1]) for slot in self.functional
        )


def _slots(names: str) -> frozenset[str]:
    return frozenset(names.split())


_YEAR = 365.0
_HALF_YEAR = _YEAR / 2

_TABLE: tuple[Kind, ...] = (
    Kind(
        name="identity",
        layer="semantic",
        base_stability_days=_YEAR,
        lifespan_days=None,
        conflict="ask",
        functional=_slots("name full_name birthday birth_date birthplace pronouns native_language"),
        entrenched_by="evidence",
        why="who someone is hardly changes; a contradiction is more often an error than a change, so ask",
    ),
    Kind(
        name="relationship",
        layer="semantic",
        base_stability_days=270,
        lifespan_days=5 * _YEAR,
        conflict="temporal",
        functional=_slots("spouse partner married_to mother father reports_to relationship_status"),
        entrenched_by="evidence",
        why="ties last for years and end at a date: the old one stays true of its time",
    ),
    Kind(
        name="preference",
        layer="semantic",
        base_stability_days=180,
        lifespan_days=_HALF_YEAR,
        conflict="temporal",
        functional=_slots("favorite_* favourite_* preferred_* preference_*"),
        entrenched_by="recency",
        why="tastes drift within half a year, and the last word counts",
    ),
    Kind(
        name="event",
        layer="episodic",
        base_stability_days=120,
        lifespan_days=None,
        conflict="keep_both",
        functional=_slots("starts_at ends_at held_on"),
        entrenched_by="evidence",
        why="what happened stays so; two accounts of it are two pieces of evidence",
    ),
    Kind(
        name="activity",
        layer="episodic",
        base_stability_days=60,
        lifespan_days=_HALF_YEAR,
        conflict="keep_both",
        entrenched_by="recency",
        why="what someone was doing is of use for a season; doing something else does not contradict it",
    ),
    Kind(
        name="task",
        layer="episodic",
        base_stability_days=30,
        lifespan_days=7,
        conflict="temporal",
        functional=_slots("status deadline due due_date assignee assigned_to priority"),
        entrenched_by="recency",
        why="open work changes week by week, and only its latest state counts",
    ),
    Kind(
        name="context",
        layer="episodic",
        base_stability_days=14,
        lifespan_days=1,
        conflict="temporal",
        functional=_slots("working_on working_directory branch current_* mood status"),
        entrenched_by="recency",
        why="the state of a session is over the next day; two weeks let a paused session be taken up",
    ),
    Kind(
        name="transient",
        layer="raw",
        base_stability_days=1,
        lifespan_days=1,
        durability="transient",
        conflict="use_new",
        entrenched_by="recency",
        why="of use for hours; the newer one replaces the older",
    ),
    Kind(
        name="fact",
        layer="semantic",
        base_stability_days=180,
        lifespan_days=2 * _YEAR,
        conflict="temporal",
        functional=_slots("version latest_version port url capital owner status located_in price deadline"),
        entrenched_by="evidence",
        why="general knowledge wears like a preference but is overturned by sources, not by mood; "
        "two years is when what is known of software, prices and places wants a look",
    ),
    Kind(
        name="decision",
        layer="semantic",
        base_stability_days=270,
        lifespan_days=_YEAR,
        conflict="temporal",
        functional=_slots("decided_on chosen_* choice status uses_for_*"),
        entrenched_by="recency",
        why="asked about for as long as its project lives; reviewed yearly; the last decision holds and the "
        "earlier one is history worth keeping",
    ),
    Kind(
        name="instruction",
        layer="procedural",
        base_stability_days=_YEAR,
        lifespan_days=None,
        durability="permanent",
        conflict="temporal",
        functional=_slots("response_language response_format tone address_me_as"),
        entrenched_by="recency",
        why="holds until the person says otherwise: never fades, never ends by itself, the newest wins",
    ),
    Kind(
        name="residence",
        layer="semantic",
        base_stability_days=270,
        lifespan_days=3 * _YEAR,
        conflict="temporal",
        functional=_slots("lives_in resides_in home_city home_country home_address address"),
        entrenched_by="recency",
        why="people move every few years; the old address stays true of its time; wears like a relationship",
    ),
    Kind(
        name="employment",
        layer="semantic",
        base_stability_days=270,
        lifespan_days=2 * _YEAR,
        conflict="temporal",
        functional=_slots("works_at works_for employer job_title job role position"),
        entrenched_by="recency",
        why="jobs change somewhat faster than homes; the last one named is the current one",
    ),
    Kind(
        name="reflection",
        layer="semantic",
        base_stability_days=120,
        lifespan_days=_YEAR,
        conflict="keep_both",
        entrenched_by="evidence",
        why="a conclusion drawn from episodes lives as long as they do and is as good as what it rests on; "
        "two conclusions may both be insights",
    ),
    Kind(
        name="error",
        layer="episodic",
        base_stability_days=90,
        lifespan_days=_HALF_YEAR,
        conflict="keep_both",
        functional=_slots("fixed_by root_cause status"),
        entrenched_by="recency",
        why="a failure is worth recalling while the same code and versions are about, some months",
    ),
    Kind(
        name="procedure",
        layer="procedural",
        base_stability_days=_YEAR,
        lifespan_days=_YEAR,
        conflict="merge",
        functional=_slots("version"),
        entrenched_by="evidence",
        why="skill is the slowest to fade and is kept alive by use; steps that differ are variants to "
        "merge; successes are its evidence; tools change within a year, so it is looked at then",
    ),
    Kind(
        name="summary",
        layer="semantic",
        base_stability_days=90,
        lifespan_days=_HALF_YEAR,
        conflict="use_new",
        entrenched_by="recency",
        why="derived and remade from its sources, so it need not outlast them; the newer one says it all",
    ),
    Kind(
        name="exchange",
        layer="raw",
        base_stability_days=120,
        lifespan_days=None,
        conflict="keep_both",
        entrenched_by="evidence",
        why="verbatim record, source of everything drawn from it: wears like an event, and what was said stays said",
    ),
    Kind(
        name="document",
        layer="raw",
        base_stability_days=_YEAR,
        lifespan_days=None,
        conflict="keep_both",
        entrenched_by="evidence",
        why="a text that was given whole and stays what it was; what it says may age, that it says so does not, so "
        "only a further edition under its own name follows it",
    ),
    Kind(
        name="section",
        layer="raw",
        base_stability_days=_YEAR,
        lifespan_days=None,
        conflict="keep_both",
        entrenched_by="evidence",
        why="a stretch of a long document, found by itself; lives as the document does",
    ),
    Kind(
        name="claim",
        layer="semantic",
        base_stability_days=180,
        lifespan_days=_HALF_YEAR,
        conflict="ask",
        functional=_slots("status"),
        entrenched_by="evidence",
        why="wears like a fact; a person decides between claims; its sources are checked twice a year",
    ),
    Kind(
        name="bundle",
        layer="relational",
        base_stability_days=270,
        lifespan_days=None,
        conflict="merge",
        functional=_slots("title"),
        entrenched_by="recency",
        why="grouping says nothing that could become untrue, and two groupings of one name are one; kept "
        "about as long as the decisions and ties it gathers",
    ),
    Kind(
        name="asset",
        layer="relational",
        base_stability_days=180,
        lifespan_days=_YEAR,
        durability="semester",
        conflict="use_new",
        functional=_slots("uri sha256 size media_type version"),
        entrenched_by="recency",
        why="a pointer to a work product: files are sought for a year or two whether or not anyone looked "
        "meanwhile; where it is now replaces where it was",
    ),
    Kind(
        name="rule",
        layer="procedural",
        base_stability_days=_YEAR,
        lifespan_days=None,
        durability="permanent",
        conflict="ask",
        entrenched_by="confidence",
        why="other beliefs are derived through it, so it must not fade under them; it has no events of its "
        "own to count, its certainty is what orders it; clashing rules are a person's matter",
    ),
    Kind(
        name="schema",
        layer="semantic",
        base_stability_days=_YEAR,
        lifespan_days=_YEAR,
        conflict="merge",
        functional=_slots("version"),
        entrenched_by="evidence",
        why="a pattern over many episodes is as stable as identity, grows by merging instances, is as good "
        "as their number, and is held against new ones yearly",
    ),
)

KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _TABLE})


class KindTable:
    """The kinds one palace knows: the built-in ones and those its people added."""

    __slots__ = ("_kinds",)

    def __init__(self, kinds: Mapping[str, Kind] = KINDS) -> None:
        self._kinds = dict(kinds)

    def get(self, name: str) -> Kind:
        """The kind of this name.

        Raises: UnknownKind.
        """
        kind = self._kinds.get(name)
        if kind is None:
            raise UnknownKind(name, self.names)
        return kind

    @property
    def names(self) -> tuple[str, ...]:
        """Every known name, in alphabetical order."""
        return tuple(sorted(self._kinds))

    def __contains__(self, name: object) -> bool:
        return name in self._kinds
