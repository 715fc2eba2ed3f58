"""The nouns of belief of a Reading on SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from palazzo.model.address import Place
from palazzo.model.belief import ClaimMode, ClaimStatus
from palazzo.model.graph import Edge, MentionDraft
from palazzo.model.memory import Atom, Memory
from palazzo.model.scope import Scope
from palazzo.model.trust import Standing
from palazzo.store.api.values import (
    MAX_ATOMS,
    AtomRow,
    AtomSlot,
    Bounds,
    ClaimReceipt,
    DisplacedRow,
    Doubt,
    Freshness,
    KnownText,
    StoredClaim,
)
from palazzo.store.sqlite.belief import beliefs, claims, reviews
from palazzo.store.sqlite.memory import known, lifecycle
from palazzo.store.sqlite.reading import Noun


class SqliteHeldAtoms(Noun):
    """The belief base: atoms of current revisions."""

    def about(self, slots: Iterable[AtomSlot], limit: int = MAX_ATOMS) -> tuple[AtomRow, ...]:
        return beliefs.about(self._reading, slots, limit)

    def atoms_at(self, key: int, position: int) -> tuple[Atom, ...]:
        return beliefs.atoms_at(self._reading, key, position)

    def dependents(self, memory_id: UUID) -> int:
        return beliefs.dependents(self._reading, memory_id)

    def displaced_about(self, slots: Iterable[AtomSlot]) -> tuple[DisplacedRow, ...]:
        return beliefs.displaced_about(self._reading, slots)

    def every(self, limit: int = MAX_ATOMS) -> tuple[AtomRow, ...]:
        return beliefs.every(self._reading, limit)

    def evidence(self, memory_id: UUID, key: int) -> int:
        return beliefs.evidence(self._reading, memory_id, key)

    def mentions_of(self, key: int) -> tuple[MentionDraft, ...]:
        return beliefs.mentions_of(self._reading, key)

    def of_revisions(self, keys: Sequence[int]) -> tuple[AtomRow, ...]:
        return beliefs.of_revisions(self._reading, keys)

    def rivals(self, memory: Memory, limit: int) -> tuple[int, ...]:
        return beliefs.rivals(self._reading, memory, limit)

    def since(self, row: AtomRow) -> int:
        return beliefs.since(self._reading, row)

    def stands(self, slots: Iterable[AtomSlot]) -> frozenset[tuple[int, int]]:
        return beliefs.stands(self._reading, slots)


class SqliteClaimTable(Noun):
    """Claims and their receipts."""

    def get(self, claim_id: UUID) -> StoredClaim:
        return claims.get(self._reading, claim_id)

    def mode(self) -> ClaimMode:
        return claims.mode(self._reading)

    def receipts_of(self, claim_id: UUID) -> tuple[ClaimReceipt, ...]:
        return claims.receipts_of(self._reading, claim_id)

    def same_text(self, text: str) -> tuple[StoredClaim, ...]:
        return claims.same_text(self._reading, text)

    def with_status(self, status: ClaimStatus, limit: int = 200) -> tuple[StoredClaim, ...]:
        return claims.with_status(self._reading, status, limit)

    def bounds(self, claim: StoredClaim) -> Bounds:
        return claims.bounds(self._reading, claim)


class SqliteReviews(Noun):
    """What was audited, doubted and answered."""

    def doubts(self, keys: Sequence[int]) -> dict[int, Doubt]:
        return reviews.doubts(self._reading, keys)

    def freshness_of(self, memory_id: UUID) -> Freshness:
        return reviews.freshness_of(self._reading, memory_id)

    def last_answer_us(self) -> int | None:
        return reviews.last_answer_us(self._reading)

    def signals(self, first_day: int, last_day: int) -> dict[str, dict[str, int]]:
        return reviews.signal_window(self._reading, first_day, last_day)


class SqliteTrusts(Noun):
    """How far memories may be relied on."""

    def figures(self, keys: Sequence[int]) -> dict[int, float]:
        return beliefs.trust_figures(self._reading, keys)

    def standings(self, keys: Sequence[int]) -> dict[int, Standing]:
        return beliefs.trust_standings(self._reading, keys)


class SqliteKnownTexts(Noun):
    """What intake compares a new text with."""

    def conflicts(self, limit: int = 100) -> tuple[Edge, ...]:
        return known.conflicts(self._reading, limit)

    def nearest(self, asked: Sequence[tuple[tuple[str, ...], int]]) -> list[list[KnownText]]:
        return known.nearest(self._reading, self._reading.palace.text_cache, asked)

    def taken(self, scope: Scope, addresses: Iterable[tuple[Place, str, str]]) -> set[tuple[Place, str, str]]:
        return known.taken(self._reading, scope, addresses)

    def with_slots(self, slots: Iterable[tuple[str, str]], limit: int = 8) -> dict[tuple[str, str], list[Memory]]:
        return known.with_slots(self._reading, slots, limit)

    def with_wording(self, keys: Sequence[bytes]) -> dict[bytes, list[Memory]]:
        return known.with_wording(self._reading, keys)


class SqliteCorrections(Noun):
    """What was corrected in a context."""

    def against(self, keys: Sequence[int], space: str, since_us: int) -> list[tuple[int, NDArray[np.float32]]]:
        return lifecycle.corrections_against(self._reading, keys, space, since_us)
