"""Entities (people, places, things named in memories), the ways they are written, and relations between them."""

from __future__ import annotations

import math
from typing import Literal
from uuid import UUID

import msgspec

from palazzo.model.scope import Scope

EntityKind = Literal[
    "person", "organization", "location", "technology", "project", "file", "service", "concept", "event", "other"
]  # fmt: skip
ENTITY_KINDS: tuple[EntityKind, ...] = EntityKind.__args__  # type: ignore[attr-defined]

DAY_US = 86_400_000_000
RECENCY_DAYS = 30.0


class MentionDraft(msgspec.Struct, frozen=True, gc=False):
    """An entity as a text names it: `name` canonical, `text` as written, `known_as` the name it already has if any."""

    name: str
    kind: EntityKind
    text: str = ""
    known_as: str = ""


class RelationDraft(msgspec.Struct, frozen=True, gc=False):
    """A triple between two named entities."""

    subject: str
    predicate: str
    object: str
    confidence: float = 1.0


class Entity(msgspec.Struct, frozen=True, gc=False):
    id: UUID
    name: str
    kind: EntityKind
    scope: Scope
    aliases: tuple[str, ...] = ()
    mentions: int = 0


class Relation(msgspec.Struct, frozen=True, gc=False):
    subject: str
    predicate: str
    object: str
    count: int
    last_us: int
    confidence: float

    def strength(self, now_us: int) -> float:
        """0.4 count + 0.3 recency + 0.3 confidence, each normalised to 0..1."""
        count = 1.0 - math.exp(-self.count / 3.0)
        recency = math.exp(-max(0, now_us - self.last_us) / (RECENCY_DAYS * DAY_US))
        return 0.4 * count + 0.3 * recency + 0.3 * self.confidence
