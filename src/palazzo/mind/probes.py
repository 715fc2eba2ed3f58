"""The check of a dream on the palace it dreamt in: cues whose answers are known, asked before it and after it.

Owns which cues those are: the newest questions people asked in conversations, and words of memories chosen by a hash of
their ids, and of those somebody pinned or vouched for. Knows recall as a function. Invariants: the same palace gives
the same probes; nothing is written; what stands for a memory after a run answers in its place; whoever calls meanwhile
goes before the next probe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from heapq import nlargest, nsmallest
from typing import Final, Protocol
from uuid import UUID

import msgspec

from palazzo.model.capability import View
from palazzo.model.memory import Memory
from palazzo.model.scope import Scope
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.words.tokens import STOP_WORDS

GENERATED: Final = 30
PINNED: Final = 20
"""Memories that somebody pinned or vouched for and that are asked for beside those, where there are more."""
PROTECTED: Final = frozenset({"published", "approved", "verified", "standing"})
"""Tags of what somebody vouched for: no pass hides it or gives it up."""
TAGS: Final = 1_000
AT_ONCE: Final = 25
"""Memories that are read between two looks whether somebody waits."""
KEYS_AT_ONCE: Final = 200
ASKED: Final = 10
LOOKED_AT: Final = 5_000
"""Memories among which the probes are chosen, the newest."""
FIRST: Final = 10
FEWEST_WORDS: Final = 3

Rest = Callable[[], bool]
"""Returns when nobody waits: whether to go on."""
Asked = Callable[[str, Scope, Rest], Sequence[UUID]]
"""The memories that recall gives for a cue in a scope, best first, with a rest between its stages."""
_AT_ONCE: Final[Rest] = lambda: True  # noqa: E731 - no rest


def read_newest(reading: Reading, wanted: Filter, limit: int, rest: Rest = _AT_ONCE) -> Iterator[dict[int, Memory]]:
    """The newest memories that pass a filter, by their revisions, a few at a time with a rest before each few."""
    before: int | None = None
    while limit > 0:
        keys = reading.search.newest(wanted, min(limit, KEYS_AT_ONCE), before)
        for start in range(0, len(keys), AT_ONCE):
            if not rest():
                return
            yield reading.memories.by_keys(keys[start : start + AT_ONCE])
        limit = limit - len(keys) if len(keys) == KEYS_AT_ONCE else 0
        before = keys[-1] if keys else None


def followed(store: Store, rest: Rest) -> None:
    """Brings what ranking keeps to where a commit left the palace: whoever recalls next has not to."""
    rest()
    with store.reading(View(subject="dream", all_scopes=True)) as reading:
        reading.search.prepare()


class RecallProbe(msgspec.Struct, frozen=True):
    """A cue of a scope, and the memory that answers it."""

    cue: str
    scope: Scope
    wanted: UUID
    pinned: bool = False


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the probes: how many there were, the share answered within ten before and after, and memories
    somebody pinned or vouched for that are found no longer."""

    probes: int = 0
    before: float = 1.0
    after: float = 1.0
    lost: tuple[UUID, ...] = ()

    @property
    def words(self) -> str:
        return f"{self.probes} probes, answer@10 {self.before:.3f} before and {self.after:.3f} after"


class HidingStep(Protocol):
    """A step of a run, as far as the check wants to know."""

    @property
    def state(self) -> str: ...
    @property
    def hides(self) -> tuple[UUID, ...]: ...
    @property
    def shown(self) -> tuple[UUID, ...]: ...
    @property
    def given_up(self) -> tuple[UUID, ...]: ...


class Prober:
    """Asks the probes of one palace."""

    def __init__(self, store: Store, ask: Asked) -> None:
        self._store = store
        self._ask = ask

    def probes(self, rest: Rest = _AT_ONCE) -> tuple[RecallProbe, ...]:
        """The probes of the palace as it is now."""
        view = View(subject="dream", all_scopes=True)
        drawn, pinned, questions = list[Memory](), list[Memory](), list[Memory]()
        with self._store.reading(view) as reading:
            vouched = any(tag in PROTECTED for tag, _, _ in reading.tags.carried(TAGS))
            for few in read_newest(reading, Filter(), LOOKED_AT, rest):  # few are kept: many are slow to let go of
                found = [one for one in few.values() if one.tier == "clear" and one.kind != "digest"]
                drawn = nsmallest(GENERATED, [*drawn, *found], _turn_of)
                pinned += [one for one in found if one.pinned or (vouched and vouched_for(reading, one))]
                asked = [one for one in found if one.kind == "exchange" and one.text.rstrip().endswith("?")]
                questions = nlargest(ASKED, [*questions, *asked], lambda one: one.id)
        further = [one for one in sorted(pinned, key=_turn_of) if one not in drawn][:PINNED]
        chosen = [one for one in (*drawn, *further) if one.kind != "exchange"] or [*drawn, *further]
        kept = {one.id for one in pinned}
        made = [RecallProbe(cue, one.scope, one.id, one.id in kept) for one in chosen if (cue := _cue(one.text))]
        for one in questions:
            rest()
            answers = [hit for hit in self._ask(one.text, one.scope, rest) if hit != one.id]
            made += [RecallProbe(one.text, one.scope, hit) for hit in answers[:1]]
        return tuple(made)

    def answered(self, probes: Iterable[RecallProbe], rest: Rest = _AT_ONCE) -> tuple[bool, ...]:
        """Which probes are answered now."""
        return tuple(self._answered(probe, (), rest) for probe in probes)

    def _answered(self, probe: RecallProbe, instead: Sequence[UUID], rest: Rest) -> bool:
        rest()
        found = self._ask(probe.cue, probe.scope, rest)[:FIRST]
        return any(one in found for one in (probe.wanted, *instead))

    def compared(
        self, probes: Sequence[RecallProbe], before: Sequence[bool], steps: Sequence[HidingStep], rest: Rest = _AT_ONCE
    ) -> Checked:  # fmt: skip
        """The same probes after a run; what it hid is answered for by what it made."""
        given_up = {one for step in steps if step.state == "made" for one in step.given_up}
        kept = [(probe, was) for probe, was in zip(probes, before, strict=True) if probe.wanted not in given_up]
        probes, before = [probe for probe, _ in kept], [was for _, was in kept]
        if not probes:
            return Checked()
        instead = {one: step.shown for step in steps if step.state == "made" for one in step.hides}
        after = [self._answered(probe, _instead_of(probe.wanted, instead), rest) for probe in probes]
        lost = [
            probe.wanted for probe, was, now in zip(probes, before, after, strict=True)
            if was and not now and probe.pinned and probe.wanted in instead
        ]  # fmt: skip
        return Checked(
            probes=len(probes), before=sum(before) / len(probes), after=sum(after) / len(probes), lost=tuple(lost)
        )


class Check:
    """The check of one run: begun before the first step that recall may notice, ended after the last."""

    def __init__(self, prober: Prober, rest: Rest = _AT_ONCE) -> None:
        self._prober = prober
        self._rest = rest
        self._probes: tuple[RecallProbe, ...] | None = None
        self._before: tuple[bool, ...] = ()

    def begin(self) -> None:
        """Asks the probes, once."""
        if self._probes is None:
            self._probes = self._prober.probes(self._rest)
            self._before = self._prober.answered(self._probes, self._rest)

    def end(self, steps: Sequence[HidingStep]) -> Checked:
        """Asks them again; nothing was asked where nothing could change."""
        if self._probes is None:
            return Checked()
        return self._prober.compared(self._probes, self._before, steps, self._rest)


def vouched_for(reading: Reading, memory: Memory) -> bool:
    """Whether a memory carries a tag by which somebody vouched for it."""
    return any(move.tag in PROTECTED and move.until_us is None for move in reading.tags.moves(memory.id))


def _turn_of(one: Memory) -> tuple[bool, bytes]:
    """Its place among those that are drawn: turns last, the rest by a hash."""
    return one.kind == "exchange", blake2b(one.id.bytes, digest_size=8).digest()


def _instead_of(memory_id: UUID, instead: Mapping[UUID, Sequence[UUID]]) -> list[UUID]:
    """What is shown in place of a memory, and in place of that."""
    found: list[UUID] = []
    waiting = list(instead.get(memory_id, ()))
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.append(one)
            waiting += instead.get(one, ())
    return found


def _cue(text: str) -> str:
    """Words of a memory that ask for it: what carries meaning, every third word left out; empty for too short ones."""
    words = [word for word in text.split() if word.strip(".,;:!?\"'()").casefold() not in STOP_WORDS]
    kept = [word for place, word in enumerate(words) if place % 3 != 1]
    return " ".join(kept[:12]) if len(kept) >= FEWEST_WORDS else " ".join(words[:12])
