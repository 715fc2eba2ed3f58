"""The pass that gathers: memories that say the same become one that stands for them, with all of them behind it.

Nearness chooses which pairs are read, the reader of change decides: only what it calls the same is gathered, so two
values of one thing never become one. Owns who may be gathered with whom. Invariants: nothing is removed, the memories
behind stay with their history and are archived, not forgotten; only memories of one scope and one author are gathered;
what is guarded, sealed or vouched for is left alone; what is made is the same whenever it is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final
from uuid import UUID

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from palazzo.errors import NotFound
from palazzo.files.blas_threads import one_blas_thread
from palazzo.mind.dream import AUTHOR, SEEN_ALL, DreamStep, DreamTurn, PassMode
from palazzo.mind.probes import vouched_for
from palazzo.model.change import AddEdge, Attachments, Change, PlaceMemory, SetState
from palazzo.model.graph import EdgeDraft, Node, ProvenanceNode, Source
from palazzo.model.ids import id_made_from
from palazzo.model.memory import Memory
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.reader import judgements
from palazzo.text.words.parsed import parsed
from palazzo.text.words.similarity import marks, names_others, wording_key

NEAR: Final = 0.6
"""The cosine from which on a pair is read; it only chooses, and wordings of one fact lie at 0.65 to 0.9."""
SAME: Final = 0.8
"""The odds from which on the reader calls two statements the same."""
WITH_THE_FIRST: Final = 0.7
"""The odds every memory must have with the one that stands for them, whichever was said first: chains of likeness
drift, and of two feelings about one thing the reader is less sure the other way round."""
NEARLY: Final = 0.03
"""Of those that the others agree with about as surely, the shortest stands for them."""
FEWEST: Final = 3
CHOOSING: Final = 1_000
"""Pairs of a group that are read at most to choose which of its memories stands for it."""
BLOCK: Final = 64
COMPARED: Final = 16
"""Vectors that are read at a time, and rows that are compared with all others."""
MOST: Final = 20_000
PAIRS: Final = 2_000
"""Pairs that one run reads at most, the nearest first."""
READ: Final = 2
"""Pairs that are read between two looks whether somebody waits: a millisecond, and no more a pair than of many."""
MADE_BY: Final = "mind"
"""Key of the metadata that says which pass made a memory."""
NOT_GATHERED: Final = frozenset({"summary", "digest", "schema", "rule", "claim", "bundle", "asset"})
BINDING: Final = ("instruction", "identity", "preference")
"""Kinds that bind, most first: what stands for memories of several kinds binds as the most binding of them did."""
OWN: Final = "remember"
"""The stage of what its owner told to be remembered."""
Floats = NDArray[np.float32]


class Consolidate:
    """The pass over one palace."""

    name = "consolidate"
    about = "Gather memories that say the same into one that stands for them."
    mode: PassMode = "propose"
    touches = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """The groups that say the same, those that were felt most first."""
        if judgements.missing():
            return ()
        with self._store.reading(SEEN_ALL) as reading:
            memories = self._candidates(reading, turn)
            groups = defaultdict(list)
            for one in memories:
                groups[one.scope, one.revision.content.author].append(one)
            found: list[DreamStep] = []
            for some in groups.values():
                if len(some) >= FEWEST and turn.goes_on(self.name, len(found), len(memories)):
                    found += self._gathered(reading, some, turn)
        by_id = {one.id: one for one in memories}
        return sorted(found, key=lambda step: _order([by_id[one] for one in step.about]))

    def _candidates(self, reading: Reading, turn: DreamTurn) -> list[Memory]:
        kinds = tuple(
            name for name in self._store.kinds.in_layers(("semantic", "procedural")) if name not in NOT_GATHERED
        )
        read = turn.newest(self.name, reading, Filter(kinds=kinds), MOST)
        return [one for one in read.values() if one.tier == "clear"]

    def _gathered(self, reading: Reading, some: Sequence[Memory], turn: DreamTurn) -> Iterable[DreamStep]:
        some = sorted(some, key=lambda one: one.id.int)
        near = directions(reading, some, turn)
        pairs = _pairs(some, near, turn)
        joined = _Joined(len(some))
        for (i, j), odds in zip(pairs, _read([(some[i], some[j]) for i, j in pairs], turn), strict=False):
            if odds >= SAME:
                joined.join(i, j)
        for alike in turn.each(self.name, joined.groups(), 1):
            rows = [row for row in alike if not vouched_for(reading, some[row])]
            members = [some[row] for row in rows]
            if not members or _weight(members) < FEWEST:
                continue
            middle = near[rows].sum(axis=0)
            order = sorted(rows, key=lambda row: (-_told(some[row]), -round(float(near[row] @ middle), 5), row))
            yield from self._step([some[row] for row in order], turn)

    def _step(self, members: Sequence[Memory], turn: DreamTurn) -> Iterable[DreamStep]:
        """The step for one group, the fullest first: of those that most agree with, and about as surely, the shortest
        stands for them, and whoever does not agree, or binds more than what stands already, is left out. An instruction
        says when it binds, so where there are some, they alone are tried."""
        made = [one for one in members if is_made(one)]
        if len(made) > 1:
            return
        orders = [one for one in members if one.kind == BINDING[0]]
        tried = made or (orders or members)[: max(1, CHOOSING // (2 * len(members)))]
        found = [(one, _agreeing(one, members, turn)) for one in tried]
        most = max(_agreed(agreeing) for _, agreeing in found)
        nearly = [pair for pair in found if _agreed(pair[1]) >= (most[0], most[1] - NEARLY)]
        first, kept = min(nearly, key=lambda pair: len(pair[0].text))
        kept = [pair for pair in kept if not made or _kind([first, pair[0]]) == first.kind]
        if not kept or _weight([first, *(one for one, _ in kept)]) < FEWEST:
            return
        behind = tuple(one.id for one, _ in sorted(kept, key=lambda pair: pair[0].id))
        about = (first.id, *behind)
        yield DreamStep(
            of=self.name, does="gather", about=about, hides=behind if made else about,
            made=(first.id if made else _made_id([first, *(one for one, _ in kept)]),),
            figure=round(sum(figure for _, figure in kept) / len(kept), 3),
            why=f"{len(about)} memories say the same",
        )  # fmt: skip

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """One memory with the words of the first, made from all of them, and all of them put away behind it."""
        with self._store.reading(SEEN_ALL) as reading:
            found = visible(reading, step.about)
            if not found or found[0].id != step.about[0]:
                return ()
            first, others = found[0], found[1:]
            if is_made(first):
                links = [AddEdge("derived_from", Node(first.id, first.revision.number), Node(one.id)) for one in others]
                return [*links, *_put_away(others, first.id)]
            if len(found) < FEWEST or _made_id(found) != step.made[0]:
                return ()
            return [self._stands_for(reading, found, step.made[0]), *_put_away(found, step.made[0])]

    def _stands_for(self, reading: Reading, found: Sequence[Memory], made: UUID) -> PlaceMemory:
        first, content = found[0], found[0].revision.content
        newest = max(found, key=lambda one: (one.revision.content.valid_from_us or one.created_us, one.id))
        told = reading.edges.origins([one.revision.key for one in found])
        turns = reading.memories.by_keys([key for keys in told.values() for key in keys])
        edges = [EdgeDraft("derived_from", Node(one.id)) for one in (*turns.values(), *found)]
        confidence = sum(one.revision.content.confidence for one in found) / len(found)
        return PlaceMemory(
            memory_id=made, place=first.place, name="", kind=_kind(found), scope=first.scope,
            pinned=any(one.pinned for one in found),
            content=replace(
                content, detail=replace(content.detail, metadata={MADE_BY: self.name}),
                importance=max(one.revision.content.importance for one in found), confidence=round(confidence, 4),
                affect=max((one.revision.content.affect for one in found), key=lambda one: one.arousal),
                valid_from_us=newest.revision.content.valid_from_us or newest.created_us,
            ),
            attachments=Attachments(
                edges=tuple(edges), mentions=reading.beliefs.mentions_of(first.revision.key),
                sources=dreamt(made, newest.created_us, self.name, _stage(reading, found)),
                vectors=vectors_of(reading, *found),
            ),
        )  # fmt: skip


class _Joined:
    """Rows that belong together: union by the smaller number, so the result does not depend on the order of pairs."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def _top(self, row: int) -> int:
        while self._above[row] != row:
            self._above[row] = self._above[self._above[row]]
            row = self._above[row]
        return row

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self._top(one), self._top(other)))
        self._above[high] = low

    def groups(self) -> list[list[int]]:
        found: defaultdict[int, list[int]] = defaultdict(list)
        for row in range(len(self._above)):
            found[self._top(row)].append(row)
        return [rows for rows in found.values() if len(rows) > 1]


def is_made(memory: Memory) -> bool:
    """Whether a pass made this memory."""
    return MADE_BY in (memory.revision.content.detail.metadata or {})


def same_odds(pairs: Sequence[tuple[Memory, Memory]]) -> list[float]:
    """How likely each two say the same; what is worded alike needs no reader, and two that each name what the other
    does not are of two things, whatever it would say."""
    said = [(one.revision.content.stated, other.revision.content.stated) for one, other in pairs]
    odds = [float(wording_key(one.text) == wording_key(other.text)) for one, other in pairs]
    asked = [at for at, texts in enumerate(said) if not odds[at] and not names_others(*texts)]
    for at, found in zip(asked, judgements.change([said[at] for at in asked]) or (), strict=False):
        odds[at] = found.same
    return odds


def _agreeing(first: Memory, members: Sequence[Memory], turn: DreamTurn) -> list[tuple[Memory, float]]:
    """Those that say what the first says, each with how sure that is."""
    others = [one for one in members if one.id != first.id]
    there, back = _read([(first, one) for one in others], turn), _read([(one, first) for one in others], turn)
    odds = zip(others, there, back, strict=False)
    return [(one, min(both)) for one, *both in odds if min(both) >= WITH_THE_FIRST]


def _agreed(agreeing: Sequence[tuple[Memory, float]]) -> tuple[int, float]:
    """How many agree, and how surely on average."""
    return len(agreeing), round(sum(odds for _, odds in agreeing) / max(1, len(agreeing)), 3)


def _read(pairs: Sequence[tuple[Memory, Memory]], turn: DreamTurn) -> Iterator[float]:
    """How likely each two say the same, a few at a time for as long as the run goes on."""
    for start in turn.each(Consolidate.name, range(0, len(pairs), READ), 1):
        yield from same_odds(pairs[start : start + READ])


def vectors_of(reading: Reading, *some: Memory) -> dict[str, Floats]:
    """The vector in the midst of those that memories have, for one that says the same; none where there is no space."""
    space = reading.search.space()
    if space is None:
        return {}
    _, rows = reading.search.vectors_of(space, np.array(sorted(one.revision.key for one in some), np.int64))
    middle = rows.sum(axis=0, dtype=np.float32)
    return {space.name: rows[0] if len(some) == 1 else middle / np.linalg.norm(middle)} if len(rows) else {}


def _told(memory: Memory) -> int:
    """How many words that carry meaning a memory has: of those that say the same, the fullest is found by most cues."""
    return len(set(parsed(memory.text).content_terms))


def _kind(found: Sequence[Memory]) -> str:
    """The kind of what stands for memories: the one among theirs that binds most, else that of the first."""
    return next((kind for kind in BINDING if any(one.kind == kind for one in found)), found[0].kind)


def _stage(reading: Reading, found: Sequence[Memory]) -> str:
    """The stage of what stands for memories that are all their owner's own words: it is that, too."""
    told = reading.provenance.first_sources([one.revision.key for one in found])
    return OWN if len(told) == len(found) and all(one.stage == OWN for one in told.values()) else ""


def _weight(members: Sequence[Memory]) -> int:
    """How many memories say it; one that stands for others counts as enough."""
    return sum(FEWEST - 1 if is_made(one) else 1 for one in members)


def _order(members: Sequence[Memory]) -> tuple[float, UUID]:
    return -max(one.revision.content.affect.arousal for one in members), min(one.id for one in members)


def _made_id(members: Sequence[Memory]) -> UUID:
    """The id that the memory of these always has."""
    seed = b"".join(sorted(one.id.bytes for one in members))
    return id_made_from(max(one.created_us for one in members), b"consolidate" + seed)


def directions(reading: Reading, some: Sequence[Memory], turn: DreamTurn) -> Floats:
    """The vector of each memory, of length one; zeros for what has none."""
    space = reading.search.space()
    if space is None:
        return np.zeros((len(some), 1), np.float32)
    keys = np.array([one.revision.key for one in some], np.int64)
    whole = np.zeros((len(some), space.dimensions), np.float32)
    for start in turn.each(Consolidate.name, range(0, len(some), BLOCK), 1):
        own = keys[start : start + BLOCK]
        found, rows = reading.search.vectors_of(space, np.sort(own))
        at = {int(key): row for row, key in enumerate(found.tolist())}
        has = np.array([at.get(int(key), -1) for key in own.tolist()])
        if len(rows):
            own_rows = rows[has].astype(np.float32) * (has >= 0)[:, None]
            length = np.linalg.norm(own_rows, axis=1, keepdims=True)
            whole[start : start + BLOCK] = own_rows / np.where(length > 0, length, 1)
    return whole


def _pairs(some: Sequence[Memory], near: Floats, turn: DreamTurn) -> list[tuple[int, int]]:
    """The nearest pairs, of which one at least is new, those of one wording first; a block of rows at a time."""
    wordings: defaultdict[bytes, list[int]] = defaultdict(list)
    bits = np.zeros((len(some), 2), np.uint64)
    for row, one in enumerate(turn.each(Consolidate.name, some)):
        wordings[wording_key(one.text)].append(row)
        bits[row] = marks(one.revision.content.stated)
    new = np.array([one.revision.created_us >= turn.since_us for one in some])
    alike = [(rows[0], row) for rows in wordings.values() for row in rows[1:] if new[rows[0]] or new[row]]
    known = set(alike)
    return [*alike[:PAIRS], *(pair for pair in _nearest(near, new, bits, turn) if pair not in known)]


def _nearest(
    near: Floats, new: NDArray[np.bool_], bits: NDArray[np.uint64], turn: DreamTurn
) -> list[tuple[int, int]]:  # fmt: skip
    """The nearest pairs of which one at least is new, as numbers until the last: in a large palace millions are near,
    and whoever recalls meanwhile waits for every list of them. Those that are of two things by their words are none of
    the pairs a run reads: what is worded alike and happens daily would take the place of all that is said again."""
    order = np.argsort(~new, kind="stable")
    near, (apart, said) = near[order], bits[order].T
    values, pairs = np.zeros(0, np.float32), np.zeros((0, 2), np.int64)
    least, fresh = np.float32(NEAR), near[: np.count_nonzero(new)]
    for start in range(0, len(fresh), COMPARED):
        turn.goes_on(Consolidate.name, start, len(fresh))
        with one_blas_thread():
            block = fresh[start : start + COMPARED] @ near[start:].T
        rows, columns = np.nonzero(np.triu(block >= least, 1))
        found, rows, columns = block[rows, columns], rows + start, columns + start
        kept = (apart[rows] & ~said[columns] == 0) | (apart[columns] & ~said[rows] == 0)
        if np.count_nonzero(kept) > PAIRS:
            kept &= found >= np.partition(found[kept], -PAIRS)[-PAIRS]
        values = np.concatenate((values, found[kept]))
        pairs = np.concatenate((pairs, np.sort(np.stack((order[rows[kept]], order[columns[kept]]), 1), 1)))
        if len(values) > PAIRS:
            best = np.lexsort((pairs[:, 1], pairs[:, 0], -values))[:PAIRS]
            values, pairs = values[best], pairs[best]
            least = values[-1]
    best = np.lexsort((pairs[:, 1], pairs[:, 0], -values))
    return [(first, second) for first, second in pairs[best].tolist()]


def visible(reading: Reading, ids: Iterable[UUID]) -> list[Memory]:
    """Those of these memories that are still held, in order, clear as they were."""
    found = []
    for one in ids:
        with suppress(NotFound):
            found.append(reading.memories.get(one))
    return [one for one in found if one.tier == "clear"]


def _put_away(found: Iterable[Memory], behind: UUID) -> list[Change]:
    return [SetState(one.id, "archived", f"said by {behind}") for one in found]


def dreamt(made: UUID, at_us: int, of: str, stage: str = "") -> tuple[Source, ...]:
    """That a memory comes from a dream; what it was made of is told by its links."""
    node = ProvenanceNode(id=made, kind="dream", at_us=at_us, label=of, author=AUTHOR + of)
    return (Source(node=node, stage=stage or of),)
