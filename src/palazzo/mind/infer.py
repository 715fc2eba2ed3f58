"""The pass that concludes: who manages somebody who manages a third manages the third, and the like.

Owns the table of what follows from what. Two sorts: links between memories of one kind that lead on, and relations
between people and things, each of which becomes a memory of its own that says what it follows from. Invariants: at most
five steps, never in a circle, nothing that is stated already; what is concluded is marked as such, counts less with
every step, goes with what it rests on, and `prune` takes all of it away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final
from uuid import UUID

from palazzo.mind.consolidate import MADE_BY, dreamt, is_made, visible
from palazzo.mind.dream import AUTHOR, SEEN_ALL, DreamStep, DreamTurn, PassMode
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, Attachments, Change, PlaceMemory
from palazzo.model.graph import EdgeDraft, EdgeKind, MentionDraft, Node
from palazzo.model.ids import id_made_from
from palazzo.model.memory import Detail, Memory, RevisionDraft
from palazzo.model.scope import Scope
from palazzo.store.api import Filter, Reading, Store

Onward = Callable[[UUID], Sequence[tuple[UUID, float]]]
"""Where the links of a memory lead, and their weights."""
Rested = Callable[..., Iterator[Any]]
"""Goes over things with a rest after every few."""
LONGEST: Final = 5
STEP_CONFIDENCE: Final = 0.8
ENTITIES: Final = 500
LOOKED_AT: Final = 5_000
LEADING_ON: Final[tuple[EdgeKind, ...]] = ("depends_on", "caused_by", "instance_of", "contains")
FOLLOWS: Final[Mapping[tuple[str, str], str]] = {
    ("manages", "manages"): "manages", ("reports_to", "reports_to"): "reports_to", ("part_of", "part_of"): "part_of",
    ("located_in", "located_in"): "located_in", ("part_of", "located_in"): "located_in",
    ("located_in", "part_of"): "located_in", ("lives_in", "located_in"): "lives_in",
    ("lives_in", "part_of"): "lives_in", ("depends_on", "depends_on"): "depends_on",
    ("uses", "depends_on"): "depends_on", ("runs_on", "depends_on"): "depends_on",
    ("depends_on", "part_of"): "depends_on", ("works_at", "part_of"): "works_at",
    ("works_at", "located_in"): "works_in", ("member_of", "part_of"): "member_of", ("is_a", "is_a"): "is_a",
    ("works_on", "part_of"): "works_on",
}  # fmt: skip
"""What two relations one after the other give."""
WORDS: Final[Mapping[str, str]] = {
    "part_of": "is part of", "located_in": "is in", "member_of": "is a member of", "is_a": "is a kind of",
}  # fmt: skip


class Infer:
    """The pass over one palace."""

    name = "infer"
    about = "Conclude what follows from two relations that lead on."
    mode: PassMode = "propose"
    touches = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """What follows from what is told, and is not told itself."""
        rested = partial(turn.each, self.name)
        with self._store.reading(SEEN_ALL) as reading:
            read = turn.newest(self.name, reading, Filter(), LOOKED_AT)
            memories = [one for one in read.values() if one.tier == "clear"]
            found = list(self._links(reading, memories, rested))
        ids = {one.id for one in memories}
        held = {(one.scope, one.revision.content.key_fact) for one in memories if is_made(one)}
        for scope in sorted({one.scope for one in memories}, key=str):
            with self._store.reading(View(subject=AUTHOR + self.name, scope=scope)) as own:
                found += [
                    step for step, ends in self._relations(own, scope, rested)
                    if step.made[0] not in ids and (scope, _said(step, ends)) not in held
                ]  # fmt: skip
        return found

    def _links(self, reading: Reading, memories: Sequence[Memory], rested: Rested) -> Iterator[DreamStep]:
        known = {one.id: one for one in memories}
        onward: defaultdict[tuple[EdgeKind, UUID], list[tuple[UUID, float]]] = defaultdict(list)
        joined: set[frozenset[UUID]] = set()
        for one in rested(sorted(known, key=lambda one: one.int)):
            for edge in reading.edges.of(one, "out"):
                joined.add(frozenset((one, edge.target.memory_id)))
                if edge.kind in LEADING_ON and edge.target.memory_id in known:
                    onward[edge.kind, one].append((edge.target.memory_id, edge.weight))
        for (kind, first), _ in rested(sorted(onward.items())):
            for end, weight, hops in _reached(first, partial(_onward, onward, kind)):
                if frozenset((first, end)) not in joined and known[first].scope == known[end].scope:
                    joined.add(frozenset((first, end)))
                    why = f"{kind.replace('_', ' ')} over {hops} links"
                    yield DreamStep(
                        of=self.name, does="conclude", about=(first, end), why=why, figure=round(weight, 3), field=kind
                    )

    def _relations(
        self, reading: Reading, scope: Scope, rested: Rested, among: Iterable[str] = ()
    ) -> Iterator[tuple[DreamStep, tuple[str, str]]]:  # fmt: skip
        """What follows from relations of these, or of all that are spoken of most, with whom it is about."""
        told: dict[tuple[str, str, str], None] = {}
        for name in rested(among or [entity.name for entity in reading.entities.listed(limit=ENTITIES)], 1):
            profile = reading.entities.profile(name)
            for one in profile.relations if profile is not None else ():
                if one.outward:
                    told[one.subject, one.predicate, one.object] = None
        stated = {(subject.casefold(), target.casefold()) for subject, _, target in told}
        by_subject: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for subject, predicate, target in sorted(told):
            by_subject[subject.casefold()].append((predicate, target))
        telling = cache(partial(_telling, reading))
        for subject, predicate, target in rested(sorted(told), 1):
            for chain, follows, end in _chains(predicate, target, by_subject, {subject.casefold()}):
                if (subject.casefold(), end.casefold()) in stated:
                    continue
                links = ((subject, target), *chain)
                behind = [telling(*link) for link in links]
                whole = [one for one in behind if one is not None]
                if len(whole) == len(links) and any(one.scope == scope for one in whole):
                    stated.add((subject.casefold(), end.casefold()))
                    ids = tuple(dict.fromkeys(one.id for one in whole))
                    step = DreamStep(
                        of=self.name, does="infer", about=ids, made=(_made_id(whole),), field=follows,
                        figure=round(STEP_CONFIDENCE ** len(chain), 3), why=f"it follows from {len(ids)} memories",
                    )  # fmt: skip
                    yield step, (subject, end)

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """A link, or a memory that says what follows and from what."""
        with self._store.reading(SEEN_ALL) as reading:
            found = visible(reading, step.about)
            if len(found) < len(step.about):
                return ()
            if step.does == "conclude":
                return [AddEdge("inferred_from", Node(found[0].id), Node(found[1].id), step.figure)]
            if _made_id(found) != step.made[0] or step.made[0] in {one.id for one in visible(reading, step.made)}:
                return ()
            scope = max((one.scope for one in found), key=lambda one: len(one.levels))
            named = {who.name for one in found for who in reading.beliefs.mentions_of(one.revision.key)}
        with self._store.reading(View(subject=AUTHOR + self.name, scope=scope)) as own:
            follows = self._relations(own, scope, _at_once, sorted(named))
            again = [(one, ends) for one, ends in follows if one.made == step.made]
        return [_concluded(found, again[0][1], again[0][0], scope)] if again else []


def _at_once(some: Iterable[Any], _few: int = 0) -> Iterator[Any]:
    """Things that are few, without a rest."""
    return iter(some)


def _onward(
    onward: Mapping[tuple[EdgeKind, UUID], Sequence[tuple[UUID, float]]], kind: EdgeKind, at: UUID
) -> Sequence[tuple[UUID, float]]:
    return onward.get((kind, at), ())


def _reached(first: UUID, onward: Onward) -> Iterator[tuple[UUID, float, int]]:
    """What lies two to five links on, each once, with the weight that is left."""
    seen, frontier = {first}, [(first, 1.0)]
    for hops in range(1, LONGEST + 1):
        reached: list[tuple[UUID, float]] = []
        for at, weight in frontier:
            for target, own in onward(at):
                if target not in seen:
                    seen.add(target)
                    left = weight * min(1.0, own) * (1.0 if hops == 1 else STEP_CONFIDENCE)
                    reached.append((target, left))
                    if hops > 1:
                        yield target, left, hops
        frontier = reached


def _chains(
    predicate: str, at: str, by_subject: Mapping[str, Sequence[tuple[str, str]]], seen: set[str], hops: int = 1
) -> Iterator[tuple[tuple[tuple[str, str], ...], str, str]]:
    """What a relation leads on to: the links after it, the relation that follows, and whom it ends at."""
    if hops >= LONGEST or at.casefold() in seen:
        return
    for further, target in by_subject.get(at.casefold(), ()):
        follows = FOLLOWS.get((predicate, further))
        if follows is None or target.casefold() in seen or target.casefold() == at.casefold():
            continue
        yield ((at, target),), follows, target
        for chain, last, end in _chains(follows, target, by_subject, {*seen, at.casefold()}, hops + 1):
            yield ((at, target), *chain), last, end


def _telling(reading: Reading, one: str, other: str) -> Memory | None:
    """The oldest memory that names both."""
    for entity in reading.entities.named(one):
        keys = list(reading.entities.mentioning(entity.id, 100))
        for memory in sorted(reading.memories.by_keys(keys).values(), key=lambda found: found.id):
            text = memory.text.casefold()
            told = memory.kind not in ("exchange", "digest") and memory.tier == "clear" and not is_made(memory)
            if told and one.casefold() in text and other.casefold() in text:
                return memory
    return None


def _said(step: DreamStep, ends: tuple[str, str]) -> str:
    """What a step concludes, in words: it is concluded once, whichever memories it is told by since."""
    return f"{ends[0]} {WORDS.get(step.field, step.field.replace('_', ' '))} {ends[1]}."


def _made_id(found: Sequence[Memory]) -> UUID:
    seed = b"".join(sorted(one.id.bytes for one in found))
    return id_made_from(max(one.created_us for one in found), b"infer" + seed)


def _concluded(found: Sequence[Memory], ends: tuple[str, str], step: DreamStep, scope: Scope) -> PlaceMemory:
    first, said = found[0], _said(step, ends)
    grounds = "; ".join(one.text.strip().rstrip(".") for one in found)
    at_us = max(one.created_us for one in found)
    return PlaceMemory(
        memory_id=step.made[0], place=first.place, name="", kind="reflection", scope=scope,
        content=RevisionDraft(
            text=f"{said.rstrip('.')}, which follows from this: {grounds}.", author=AUTHOR + Infer.name,
            key_fact=said, importance=0.3, confidence=step.figure,
            detail=Detail(metadata={MADE_BY: Infer.name}),
        ),
        attachments=Attachments(
            edges=tuple(EdgeDraft("inferred_from", Node(one.id)) for one in found),
            mentions=tuple(MentionDraft(name, "other", name) for name in ends),
            sources=dreamt(step.made[0], at_us, Infer.name),
        ),
    )  # fmt: skip
