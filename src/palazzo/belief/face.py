"""Beliefs: the face of this room that the engine holds, made for agents and people alike.

Owns nothing but the composition. There is no way from here to what only a person may do: claims are decided at a
`ClaimDesk`, which refuses everyone else. Invariant: every read takes a View, every write a subject.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from palazzo.belief import conflicts
from palazzo.belief.claims import Claims
from palazzo.belief.held import Follows, follows, told, whole
from palazzo.belief.logic import Formula, sentence
from palazzo.belief.operations import Assertion, Changed, Occasion, Operations
from palazzo.belief.staleness import Staleness, StalenessFinding
from palazzo.belief.why import Account, standing, why
from palazzo.model.belief import AUDITOR, FLAGGED_ABOVE, AddSignals, BehaviourSignal, Standing
from palazzo.model.capability import View
from palazzo.model.kinds import ConflictMode
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import EdgeStep, EdgeWalk, Store

EVERYTHING = View()


class Beliefs:
    """What one palace believes, for any reader."""

    def __init__(self, store: Store, stale_above: Callable[[], float] = lambda: FLAGGED_ABOVE) -> None:
        self._store = store
        self._stale_above = stale_above

    def revise(
        self, assertion: Assertion, view: View = EVERYTHING, *, occasion: Occasion = "correction",
        subject: str = "operator",
    ) -> Changed:  # fmt: skip
        """Holds a belief and gives up what conflicts with it, and no more.

        Raises: InvalidInput, NotFound, VersionConflict.
        """
        return Operations(self._store, view, subject=subject).revise(assertion, occasion)

    def expand(self, assertion: Assertion, view: View = EVERYTHING, *, subject: str = "operator") -> Changed:
        """Adds a belief whether or not it fits.

        Raises: InvalidInput, NotFound, VersionConflict.
        """
        return Operations(self._store, view, subject=subject).expand(assertion)

    def contract(self, formula: Formula, view: View = EVERYTHING, *, subject: str = "operator") -> Changed:
        """Gives up what is needed so that the formula is neither held nor derivable.

        Raises: InvalidInput, VersionConflict.
        """
        return Operations(self._store, view, subject=subject).contract(formula)

    def rollback(
        self, memory_id: UUID, revision: int, view: View = EVERYTHING, *, tag: str = "current",
        subject: str = "operator",
    ) -> Changed:  # fmt: skip
        """Moves a tag back to an earlier revision.

        Raises: NotFound.
        """
        return Operations(self._store, view, subject=subject).rollback(memory_id, revision, tag)

    def state(
        self, assertion: Assertion, view: View = EVERYTHING, *, mode: ConflictMode | None = None,
        subject: str = "operator",
    ) -> conflicts.Stated:  # fmt: skip
        """Believes a statement by the conflict mode of its kind, or by the one given.

        Raises: InvalidInput, NotFound, VersionConflict.
        """
        return conflicts.state(self._store, view, assertion, mode=mode, subject=subject)

    def follows(self, formula: Formula, view: View = EVERYTHING) -> Follows:
        """Whether a formula is held true or false by a reader, and what that rests on.

        Raises: InvalidInput.
        """
        with self._store.reading(view) as reading:
            return follows(reading, sentence(formula), self._store.kinds, self._store.clock.now_us())

    def held(self, view: View = EVERYTHING) -> tuple[str, ...]:
        """What a reader believes, in words; with `as_of` in the view, what was believed then."""
        with self._store.reading(view) as reading:
            return tuple(told(one) for one in whole(reading))

    def why(self, memory_id: UUID, view: View = EVERYTHING) -> Account:
        """Why a memory is believed.

        Raises: NotFound.
        """
        with self._store.reading(view) as reading:
            return why(reading, memory_id)

    def impact(self, memory_id: UUID, view: View = EVERYTHING, *, depth: int = 10) -> tuple[EdgeStep, ...]:
        """What rests on a memory, at most 20 links away.

        Raises: NotFound, InvalidInput.
        """
        with self._store.reading(view) as reading:
            return reading.edges.impact(memory_id, depth)

    def path(self, start: UUID, goal: UUID, view: View = EVERYTHING, *, depth: int = 10) -> tuple[EdgeStep, ...]:
        """The shortest chain of edges between two memories; empty when there is none.

        Raises: NotFound.
        """
        with self._store.reading(view) as reading:
            return reading.edges.path(start, goal, depth)

    def traverse(self, memory_id: UUID, walk: EdgeWalk, view: View = EVERYTHING) -> tuple[EdgeStep, ...]:
        """The memories reached along edges.

        Raises: NotFound, InvalidInput.
        """
        with self._store.reading(view) as reading:
            return reading.edges.walk(memory_id, walk)

    def trust(self, memory_id: UUID, view: View = EVERYTHING) -> Standing:
        """How far a memory may be relied on.

        Raises: NotFound.
        """
        with self._store.reading(view) as reading:
            return standing(reading, memory_id)

    def staleness(self, view: View = EVERYTHING, *, subject: str = "operator") -> Staleness:
        """The audits of a reader's memories."""
        return Staleness(self._store, view, subject=subject, threshold=self._stale_above())

    def claims(self, view: View = EVERYTHING, *, subject: str) -> Claims:
        """Claims, to propose and to look at."""
        return Claims(self._store, view, subject=subject)

    def signal(
        self, signals: Sequence[BehaviourSignal], scope: Scope = GLOBAL, *, subject: str = "operator"
    ) -> tuple[StalenessFinding, ...]:
        """Adds counts of behaviour and audits at once what they speak against; capture adapters call this."""
        self._store.commit([AddSignals(tuple(signals), scope)], subject=subject)
        look = self.staleness(View(subject=AUDITOR, scope=scope), subject=AUDITOR)
        return look.after_signals(tuple(dict.fromkeys(one.dimension for one in signals)))
