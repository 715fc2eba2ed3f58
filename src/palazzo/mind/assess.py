"""The pass that assesses what is worth keeping: what a newer memory says in the very same words, or nobody ever used
while it faded, is not; nor what a language model would give up, where one is asked.

Owns when a memory may be given up. When in doubt it is kept. Invariants: what is pinned, important, strongly felt or
vouched for is never given up, published things only where that was asked for; at most a share of what was looked at is
given up in a run, the rest is held back and told; giving up is reversible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from palazzo.errors import PartUnavailable
from palazzo.mind.consolidate import is_made, visible
from palazzo.mind.dream import GIVES_UP, SEEN_ALL, DreamStep, DreamTurn, PassMode
from palazzo.mind.opinion import BATCH, Completing, not_worth_keeping
from palazzo.mind.probes import PROTECTED
from palazzo.model.change import Change, SetDeprecated
from palazzo.model.memory import Memory
from palazzo.model.retention import FELT, IMPORTANT, retention
from palazzo.ports import Completer
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.words.similarity import wording_key

LOOKED_AT: Final = 20_000
ASKED: Final = 10 * BATCH
"""Memories that a model is asked about in a run, the newest."""
FADED: Final = 0.1
PUBLISHED: Final = "published"


class Assess:
    """The pass over one palace."""

    name = "assess"
    about = "Give up what a newer memory says in the very same words, and what faded without ever being used."
    mode: PassMode = "propose"
    touches = True

    def __init__(self, store: Store, completer: Completing = lambda: None) -> None:
        self._store = store
        self._completer = completer

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """What would be given up, and what is held back because it would be too much at once."""
        kinds = self._store.kinds.in_layers(("episodic", "semantic"))
        with self._store.reading(SEEN_ALL) as reading:
            wanted = Filter(kinds=tuple(one for one in kinds if one != "digest"))
            read = turn.newest(self.name, reading, wanted, LOOKED_AT).values()
            memories = [one for one in turn.each(self.name, read) if one.tier == "clear" and not is_made(one)]
            found = [
                step for step, one in self._found(memories, turn)
                if not _vouched_for(reading, one, allow_published=turn.allow_published)
            ]  # fmt: skip
            completer = self._completer()
            rest = [] if completer is None else self._unsure(memories, found, turn.since_us)
            rest = [one for one in rest if not _vouched_for(reading, one, allow_published=turn.allow_published)]
        if completer is not None and rest:
            found += self._said_by(completer, rest)
        allowed = int(len(memories) * turn.ratio)
        held = f"more than {turn.ratio:.0%} of what was looked at"
        return [
            step if place < allowed or step.state == "failed" else replace(step, state="held back", note=held)
            for place, step in enumerate(found)
        ]

    def _found(self, memories: Sequence[Memory], turn: DreamTurn) -> Iterator[tuple[DreamStep, Memory]]:
        same: defaultdict[tuple[object, ...], list[Memory]] = defaultdict(list)
        for one in turn.each(self.name, memories):
            content = one.revision.content
            same[one.scope, one.kind, content.author, content.valid_from_us, wording_key(one.text)].append(one)
        for alike in turn.each(self.name, same.values()):
            newest = max(alike, key=lambda one: one.id)
            for one in alike:
                if one.id != newest.id and not _kept(one):
                    why = "a newer memory says the very same"
                    yield DreamStep(of=self.name, does=GIVES_UP, about=(one.id, newest.id), why=why), one
        for one in turn.each(self.name, sorted(memories, key=lambda one: one.id.int)):
            kind = self._store.kinds.get(one.kind)
            content = one.revision.content
            left = retention(
                kind=kind, durability=None, age_us=turn.now_us - one.accessed_us, sessions=one.sessions,
                arousal=content.affect.arousal,
            )  # fmt: skip
            if left < FADED and not one.sessions and not _kept(one) and kind.durability != "permanent":
                yield DreamStep(of=self.name, does=GIVES_UP, about=(one.id,), why="it faded and was never used"), one

    def _unsure(self, memories: Sequence[Memory], found: Sequence[DreamStep], since_us: int) -> list[Memory]:
        """What a model is asked about: what came since the last run and nothing decides yet, the newest first."""
        decided = {step.about[0] for step in found}
        new = [one for one in memories if one.revision.created_us >= since_us and one.id not in decided]
        return sorted((one for one in new if not _kept(one)), key=lambda one: one.id, reverse=True)[:ASKED]

    def _said_by(self, completer: Completer, some: Sequence[Memory]) -> list[DreamStep]:
        try:
            said = not_worth_keeping(completer, [one.text for one in some])
        except PartUnavailable as error:
            why, note = "nothing was asked of the language model", f"{error.message} ({error.code})"
            return [DreamStep(of=self.name, does="ask", about=(some[0].id,), why=why, state="failed", note=note)]
        return [DreamStep(of=self.name, does=GIVES_UP, about=(some[at].id,), why=said[at]) for at in sorted(said)]

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """The first of its memories given up, if the reason still holds."""
        with self._store.reading(SEEN_ALL) as reading:
            found = visible(reading, step.about)
        if len(found) < len(step.about) or _kept(found[0]):
            return ()
        return [SetDeprecated(found[0].id, True, step.why)]


def _kept(memory: Memory) -> bool:
    content = memory.revision.content
    return memory.pinned or content.importance >= IMPORTANT or content.affect.arousal >= FELT


def _vouched_for(reading: Reading, memory: Memory, *, allow_published: bool) -> bool:
    tags = {move.tag for move in reading.tags.moves(memory.id) if move.until_us is None}
    return bool(tags & (PROTECTED - {PUBLISHED} if allow_published else PROTECTED))
