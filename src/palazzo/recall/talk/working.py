"""What is in mind right now: the last turns, and a few slots whose activation fades and is renewed by use.

Owns the sensory buffer and working memory. Both live in memory and do no I/O; a caller saves and restores the slots
when agents switch. Invariants: never more than nine slots; time is always handed in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, Literal
from uuid import UUID

import msgspec
from msgspec.structs import replace

SENSORY_TURNS: Final = 20
SLOTS: Final = 7
MOST_SLOTS: Final = 9
HOUR_US: Final = 3_600_000_000
INTACT_US: Final = 4 * HOUR_US
FADED_US: Final = 24 * HOUR_US
HALF_LIFE_US: Final = HOUR_US // 2
BOOST: Final = 0.3
GONE: Final = 0.05


class Heard(msgspec.Struct, frozen=True, gc=False):
    """One turn as it was heard."""

    speaker: str
    text: str
    at_us: int


class SensoryBuffer:
    """The last twenty turns."""

    def __init__(self, size: int = SENSORY_TURNS) -> None:
        self._turns: deque[Heard] = deque(maxlen=size)

    def hear(self, turn: Heard) -> None:
        """Adds a turn; the oldest falls out."""
        self._turns.append(turn)

    def last(self, count: int = SENSORY_TURNS) -> tuple[Heard, ...]:
        """The newest turns, oldest first."""
        return tuple(self._turns)[-count:] if count > 0 else ()

    def __len__(self) -> int:
        return len(self._turns)


class Slot(msgspec.Struct, frozen=True, gc=False):
    """Something held in mind: a reference (a memory's address or a topic), its words, its cost, how present it is."""

    ref: str
    text: str
    tokens: int
    activation: float
    touched_us: int
    memory_id: UUID | None = None
    """The memory it is, if it is one."""
    note: str = ""
    """What a reader should know of it: who told it, and whether it still holds."""

    def at(self, now_us: int) -> float:
        """The activation after fading: half every thirty minutes."""
        return self.activation * float(0.5 ** (max(0, now_us - self.touched_us) / HALF_LIFE_US))


class Saved(msgspec.Struct, frozen=True, gc=False):
    """The slots of an agent as they were when it was left."""

    slots: tuple[Slot, ...]
    at_us: int


class WorkingMemory:
    """Seven slots, two more while a topic drifts."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._limit = max(1, min(slots, MOST_SLOTS))
        self._slots: dict[str, Slot] = {}

    def hold(self, ref: str, text: str, tokens: int, now_us: int, activation: float = 0.7) -> None:
        """Takes something into mind, or renews it; the faintest falls out when there is no room."""
        self.take(Slot(ref, text, tokens, activation, now_us))

    def take(self, slot: Slot) -> None:
        """Takes a slot into mind at the moment it was touched, or renews the one with its reference."""
        known = self._slots.get(slot.ref)
        renewed = known.at(slot.touched_us) + BOOST if known else 0.0
        self._slots[slot.ref] = replace(slot, activation=min(1.0, max(slot.activation, renewed)))
        self._trim(slot.touched_us)

    def use(self, ref: str, now_us: int) -> None:
        """Renews what was used."""
        if (known := self._slots.get(ref)) is not None:
            self.take(replace(known, activation=known.at(now_us) + BOOST, touched_us=now_us))

    def held(self, now_us: int) -> tuple[Slot, ...]:
        """What is in mind, most present first; what has faded is let go."""
        self._slots = {ref: slot for ref, slot in self._slots.items() if slot.at(now_us) >= GONE}
        return tuple(sorted(self._slots.values(), key=lambda slot: (-slot.at(now_us), slot.ref)))

    def fade(self, factor: float, now_us: int) -> None:
        """Weakens every slot: a topic drifts."""
        self._slots = {
            ref: replace(slot, activation=slot.at(now_us) * factor, touched_us=now_us)
            for ref, slot in self._slots.items()
        }

    def clear(self, now_us: int) -> tuple[Slot, ...]:
        """Empties the slots and returns what was held, for promotion: the topic changed."""
        held = self.held(now_us)
        self._slots.clear()
        return held

    def save(self, now_us: int) -> Saved:
        """The slots as present as they are now, to be restored when the agent comes back."""
        held = (replace(slot, activation=slot.at(now_us), touched_us=now_us) for slot in self.held(now_us))
        return Saved(tuple(held), now_us)

    def resume(self, saved: Saved) -> None:
        """Takes up slots of somebody who was never away: they have faded as usual."""
        self._slots = {slot.ref: slot for slot in saved.slots}

    def restore(self, saved: Saved, now_us: int) -> Literal["intact", "decayed", "fresh"]:
        """Takes saved slots back: intact within four hours, faded within a day, none after."""
        away = now_us - saved.at_us
        if away >= FADED_US:
            self._slots.clear()
            return "fresh"
        intact = away < INTACT_US
        self._slots = {
            slot.ref: replace(slot, touched_us=now_us, activation=slot.activation * (1.0 if intact else 0.5))
            for slot in saved.slots
        }
        self._trim(now_us)
        return "intact" if intact else "decayed"

    def _trim(self, now_us: int) -> None:
        for slot in self.held(now_us)[self._limit :]:
            del self._slots[slot.ref]


def tokens_of(slots: Iterable[Slot]) -> int:
    """What the slots cost together."""
    return sum(slot.tokens for slot in slots)
