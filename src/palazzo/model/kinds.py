"""Kinds: the one table that drives decay, staleness, conflict and entrenchment.

Owns the figures and the reason for each, which are data (kinds.toml); the functions over them live elsewhere
(retention, belief). Knows no memory. Invariants: every figure in a `Kind` is in range, so users of the table never
check; a kind of a table never changes, others are only added; an unknown name is an error that lists the known ones.
"""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Callable, Collection, Mapping
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
EXCHANGE = "exchange"
GIVEN = frozenset({EXCHANGE, "document", "section"})
"""Kinds of what is kept as it was given: statements are drawn from it and point back, none of them takes its place."""
MAX_DAYS = 36_525.0
"""A century: longer stabilities would carry a crossing beyond 64 bits of microseconds."""


class Kind(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is true of every memory of one kind, unless the memory itself says otherwise."""

    name: str
    layer: Layer
    base_stability_days: float
    lifespan_days: float | None = None
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


KINDS: Mapping[str, Kind] = MappingProxyType({
    name: msgspec.convert(row | {"name": name}, Kind)
    for name, row in tomllib.loads((pkgutil.get_data(__package__, "kinds.toml") or b"").decode()).items()
})  # fmt: skip


_NONE: Mapping[str, Kind] = MappingProxyType({})


class KindTable:
    """The kinds one palace knows: the built-in ones and those its people added."""

    __slots__ = ("_kinds", "_more")

    def __init__(
        self, kinds: Mapping[str, Kind] = KINDS, more: Callable[[], Mapping[str, Kind]] = lambda: _NONE
    ) -> None:
        """`more` tells the kinds that people added; it is asked for a name that is not known yet."""
        self._kinds = dict(kinds)
        self._more = more

    def get(self, name: str) -> Kind:
        """The kind of this name.

        Raises: UnknownKind.
        """
        kind = self._kinds.get(name)
        if kind is not None:
            return kind
        names = self.names
        if name not in self._kinds:
            raise UnknownKind(name, names)
        return self._kinds[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Every known name, in alphabetical order."""
        self._kinds = {**self._more(), **self._kinds}
        return tuple(sorted(self._kinds))

    def in_layers(self, layers: Collection[Layer]) -> tuple[str, ...]:
        """The names of the kinds of these layers, in alphabetical order."""
        return tuple(name for name in self.names if self._kinds[name].layer in layers)

    def __contains__(self, name: object) -> bool:
        return name in self._kinds or name in self.names
