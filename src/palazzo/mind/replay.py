"""The pass that replays: some memories are gone over again, linked with what is like them, held against what competes
with them, and kept from fading where they are used.

Owns which memories those are and what counts as alike or as competing. Invariants: the same palace gives the same
replay; a link is added where there is none and never changed; what competes is put before a person and decided by
nobody else; only memories of one scope meet.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from heapq import nsmallest
from typing import Final
from uuid import UUID

import numpy as np

from palazzo.files.blas_threads import one_blas_thread
from palazzo.mind.bus import FROM
from palazzo.mind.consolidate import READ, directions, is_made, visible
from palazzo.mind.dream import SEEN_ALL, DreamStep, DreamTurn, PassMode
from palazzo.model.change import AddEdge, Change, SetKeeping
from palazzo.model.graph import Node
from palazzo.model.kinds import HAPPENED
from palazzo.model.memory import Memory
from palazzo.model.retention import retention
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.change.beside import BOTH_SURELY_HOLD, of_one_deed, tells_of_change
from palazzo.text.reader import judgements

BUDGET: Final = 50
"""Memories that one run goes over."""
LOOKED_AT: Final = 5_000
ALIKE: Final = 0.75
OF_ONE_MATTER: Final = 0.5
"""The cosine from which on two are read: ways of speaking of two values lie further apart than what is merely alike."""
LINKS_OF_ONE: Final = 2
LOOKED_AT_OF_ONE: Final = 16
"""Neighbours of a memory that are read: where some of them compete with it, two may still be alike."""
COMPETES: Final = 0.9
"""The odds from which on the reader says that one statement takes the other back."""
TOLD_APART: Final = (*BOTH_SURELY_HOLD, of_one_deed)
"""Tests of the words of two statements that hold beside each other, whatever the reader would say."""
FELT: Final = 0.6
USED: Final = 3
"""Sessions in which a memory was used from which on it is worth keeping from fading."""
FADING: Final = (0.3, 0.7)


class Replay:
    """The pass over one palace."""

    name = "replay"
    about = "Go over some memories again: link what is alike, find what competes, keep what is used from fading."
    mode: PassMode = "propose"
    touches = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """What going over some memories gives, at most a third of the budget of each sort for keeping and competing."""
        found: list[DreamStep] = []
        with self._store.reading(SEEN_ALL) as reading:
            kinds = self._store.kinds.in_layers(("semantic", "episodic"))
            wanted = Filter(kinds=tuple(one for one in kinds if one != "digest"))
            read = turn.newest(self.name, reading, wanted, LOOKED_AT).values()
            memories = [one for one in read if one.tier == "clear" and (not is_made(one) or _received(one))]
            found += list(self._fading(memories, turn))[: BUDGET // 3]
            scopes: defaultdict[object, list[Memory]] = defaultdict(list)
            for one in memories:
                scopes[one.scope].append(one)
            for some in scopes.values():
                if turn.goes_on(self.name, len(found), len(memories)):
                    found += self._pairs(reading, sorted(some, key=lambda one: one.id.int), turn)
        return found

    def _fading(self, memories: Sequence[Memory], turn: DreamTurn) -> Iterator[DreamStep]:
        low, high = FADING
        used = [one for one in memories if one.sessions >= USED]
        for one in turn.each(self.name, sorted(used, key=lambda one: (-one.sessions, one.id.int))):
            kind = self._store.kinds.get(one.kind)
            content = one.revision.content
            left = retention(
                kind=kind, durability=None, age_us=turn.now_us - one.accessed_us, sessions=one.sessions,
                arousal=content.affect.arousal,
            )  # fmt: skip
            if not one.pinned and low < left < high and kind.durability == "decaying":
                yield DreamStep(
                    of=self.name, does="strengthen", about=(one.id,), figure=round(left, 3),
                    why=f"used in {one.sessions} sessions and fading",
                )  # fmt: skip

    def _pairs(self, reading: Reading, some: Sequence[Memory], turn: DreamTurn) -> Iterator[DreamStep]:
        """What the chosen have among all others: two that are alike for each, and the few that surely compete."""
        if len(some) < 2:
            return
        new = [row for row, one in enumerate(some) if one.revision.created_us >= turn.since_us]
        drawn = turn.each(self.name, new or range(len(some)))
        pairs = self._near(reading, some, nsmallest(BUDGET, drawn, key=lambda row: turn_of(some[row])), turn)
        links: Counter[int] = Counter()
        competing = 0
        for start in turn.each(self.name, range(0, len(pairs), READ), 1):
            block = pairs[start : start + READ]
            ordered = [(min(some[a], some[b], key=_since), max(some[a], some[b], key=_since)) for _, a, b, _ in block]
            told = zip(block, ordered, competing_odds(ordered), strict=True)
            for (figure, _, _, row), (older, newer), odds in told:
                competes = odds >= COMPETES
                if competing >= BUDGET // 3 if competes else links[row] >= LINKS_OF_ONE or figure <= ALIKE:
                    continue
                competing += competes
                links[row] += not competes
                yield DreamStep(
                    of=self.name, does="contradict" if competes else "link", about=(newer.id, older.id),
                    hides=(older.id,) if competes else (), figure=round(figure, 3),
                    why="they compete for the same question" if competes else "they are alike",
                )  # fmt: skip

    def _near(
        self, reading: Reading, some: Sequence[Memory], chosen: Sequence[int], turn: DreamTurn
    ) -> list[tuple[float, int, int, int]]:
        """The pairs that are near and not linked, the nearest first, each with the chosen one it was found for."""
        vectors = directions(reading, some, turn)
        found: dict[tuple[int, int], tuple[float, int]] = {}
        for row in turn.each(self.name, chosen, 1):
            own = _linked(reading, some[row])
            with one_blas_thread():  # several would wait for each other, and whoever recalls for them
                near = vectors @ vectors[row]
            best = np.argsort(-near, kind="stable")[: LOOKED_AT_OF_ONE + 1 + len(own)]
            mine = [at for at in best.tolist() if at != row and near[at] > OF_ONE_MATTER and some[at].id not in own]
            for at in mine[:LOOKED_AT_OF_ONE]:
                found.setdefault((min(row, at), max(row, at)), (float(near[at]), row))
        pairs = [(figure, *pair, row) for pair, (figure, row) in found.items()]
        return sorted(pairs, key=lambda one: (-one[0], one[1], one[2]))

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """A link of the newer to the older memory, or a durability that lasts."""
        with self._store.reading(SEEN_ALL) as reading:
            found = visible(reading, step.about)
            if len(found) < len(step.about):
                return ()
            if step.does == "strengthen":
                return [SetKeeping(found[0].id, durability="semester")]
            if found[1].id in _linked(reading, found[0]):
                return ()
        ends = (Node(found[0].id), Node(found[1].id))
        if step.does == "contradict":
            return [AddEdge("contradicts", *ends, step.figure)]
        return [AddEdge("similar_to", *ends, step.figure)]


def competing_odds(pairs: Sequence[tuple[Memory, Memory]]) -> list[float]:
    """How likely each older memory and the newer one beside it cannot both hold. What happened is no value that another
    takes the place of, and two whose words tell them apart both hold: neither is read. Where the newer one does not
    tell of a change itself, it must be so the other way round, too: the reader is sure too soon of what is merely near.
    """
    odds = [0.0] * len(pairs)
    said = [(old.revision.content.stated, new.revision.content.stated) for old, new in pairs]
    asked = [
        at for at, (old, new) in enumerate(pairs)
        if HAPPENED.isdisjoint((old.kind, new.kind)) and not any(test(*said[at]) for test in TOLD_APART)
    ]  # fmt: skip
    for at, found in zip(asked, judgements.change([said[at] for at in asked]) or (), strict=False):
        odds[at] = found.replaces
    unsaid = [at for at in asked if odds[at] >= COMPETES and not tells_of_change(said[at][1])]
    for at, found in zip(unsaid, judgements.change([said[at][::-1] for at in unsaid]) or (), strict=False):
        odds[at] = min(odds[at], found.replaces)
    return odds


def turn_of(memory: Memory) -> tuple[int, bytes]:
    """The place in the order: what another told comes first, what was strongly felt is twice as likely, the rest goes
    by a hash."""
    drawn = blake2b(memory.id.bytes, digest_size=8).digest()
    if _received(memory):
        return -1, drawn
    felt = memory.revision.content.affect.arousal > FELT
    return (0 if felt and drawn[0] % 2 == 0 else 1), drawn


def _since(memory: Memory) -> tuple[int, UUID]:
    """Since when it is told: of two that compete recall shows the newer one, with the words of the older beside it."""
    return memory.revision.content.valid_from_us or memory.created_us, memory.id


def _received(memory: Memory) -> bool:
    """Whether it came over the bus."""
    return FROM in (memory.revision.content.detail.metadata or {})


def _linked(reading: Reading, memory: Memory) -> set[object]:
    edges = reading.edges.of(memory.id)
    return {one.target.memory_id if one.source.memory_id == memory.id else one.source.memory_id for one in edges}
