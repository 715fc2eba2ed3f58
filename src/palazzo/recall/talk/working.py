"""What is in mind right now: the last turns, a few slots whose activation fades and is renewed by use, and where the
talk is heading.

Owns the sensory buffer and working memory; the momentum of a conversation (a centroid of its turns, whether a turn
stays on it, a small cache of anticipated answers): these live in memory and do no I/O. Owns the minds: what each agent
had in mind when another was heard, taken up where it was left, and when coming back counts as a switch. This process
has every mind at hand; the palace gets it when it was not written for a minute and at the end, so that another process
finds it too: a write makes every reader of the file read its pages anew, which doubled the time of a context when each
wrote. Invariants: never more than nine slots; time is always handed in; blending moves a cue by at most 40%; an
anticipated answer lives sixty seconds; what is taken up is read anew through the view of whoever asks, so a memory that
is gone, sealed or out of reach is not in mind any more.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Generic, Literal, TypeVar
from uuid import UUID

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from palazzo.errors import StorageError
from palazzo.model.capability import View
from palazzo.model.fork_lock import ForkLock
from palazzo.model.scope import Scope
from palazzo.ports import Working
from palazzo.store.api import LeftInMind, Presence, SlotSource, Store
from palazzo.text.safety.gate import refuse_scope
from palazzo.text.words.remembered import kept_in

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
    source: SlotSource = "recall"

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

    def put(self, slot: Slot) -> None:
        """Puts a slot as present as it is, and does not renew it."""
        self._slots[slot.ref] = slot
        self._trim(slot.touched_us)

    def drop(self, ref: str) -> bool:
        """Lets go of one; whether it was there."""
        return self._slots.pop(ref, None) is not None

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


WRITTEN_EVERY_US: Final = 60_000_000
"""A mind is written again only after this long: a minute more or less changes nothing in hours."""
AT_HAND: Final = 256
"""Minds a process has at hand; what falls out is in the palace."""

WAIT_S: Final = 0.02
"""For a writer; most are done sooner."""
CLEARING_S: Final = 5.0
"""The same where somebody asked for it to be written."""


SENSORY_US: Final = 30_000_000
"""After this long what was said is no longer just said: what it states is taken into mind."""


class Warmth:
    """What is at hand of a mind in this process alone: what was just said, what of that is in mind, and answers that
    were recalled ahead. No word of it is written down."""

    def __init__(self) -> None:
        self._said: deque[tuple[str, Heard]] = deque(maxlen=SENSORY_TURNS)
        self.spoken: tuple[Slot, ...] = ()
        self.ahead: Anticipated[tuple[View, Any]] = Anticipated()
        kept_in(self)

    def hear(self, thread: str, turn: Heard) -> None:
        """Takes in a turn of a conversation."""
        self._said.append((thread, turn))

    def settled(self, thread: str, now_us: int) -> list[Heard]:
        """The turns of a conversation that were said thirty seconds ago or earlier, oldest first, each once."""
        due = [one for one in list(self._said) if one[0] == thread and now_us - one[1].at_us >= SENSORY_US]
        for one in due:
            with suppress(ValueError):  # another thread was sooner
                self._said.remove(one)
        return [turn for _, turn in due]

    def forget(self) -> None:
        """Lets go of everything."""
        self._said.clear()
        self.spoken = ()
        self.ahead = Anticipated()


class _Mind(msgspec.Struct, frozen=True):
    """What a reader has in mind, and when that was written to the palace last."""

    view: View
    held: tuple[Presence, ...]
    at_us: int
    written_us: int = 0


class _Shared(msgspec.Struct, frozen=True):
    """A mind as other processes find it: ids and figures, no word."""

    held: tuple[Presence, ...]
    at_us: int


class Minds:
    """Working memories of one palace, by scope and subject. Threads share it."""

    def __init__(self, store: Store, working: Working | None = None) -> None:
        """Other processes find every mind at once in a working store they share."""
        self._store = store
        self._lock = ForkLock()
        self._last: tuple[Scope, str] | None = None
        self._minds: OrderedDict[tuple[Scope, str], _Mind] = OrderedDict()
        self._warm: OrderedDict[tuple[Scope, str], Warmth] = OrderedDict()
        self._working = working if working is not None and working.shared else None
        kept_in(self, store)

    def _elsewhere(self, view: View) -> _Shared | None:
        """What this reader has in mind as the processes that share a working store know it."""
        told = self._working.get(_mind_key(view)) if self._working is not None else None
        return msgspec.json.decode(told, type=_Shared) if told else None

    def warmth(self, view: View) -> Warmth:
        """What is at hand of a reader's mind in this process alone."""
        key = view.scope, view.subject
        with self._lock:
            found = self._warm.pop(key, None) or Warmth()
            self._warm[key] = found
            if len(self._warm) > AT_HAND:
                self._warm.popitem(last=False)
        return found

    def clear(self, view: View, now_us: int) -> None:
        """Empties a reader's mind, here and in the palace. Raises: StorageError."""
        key = view.scope, view.subject
        with self._lock:
            self._minds.pop(key, None)
            self._warm.pop(key, None)
        if self._working is not None:
            self._working.drop(_mind_key(view))
        if not self._store.read_only:
            self._store.keep_mind(view, (), now_us, now_us - FADED_US, CLEARING_S)

    def left(self, view: View) -> LeftInMind | None:
        """What this reader left in mind, here or, if that is newer, in another process."""
        with self._lock:
            mind: _Mind | _Shared | None = self._minds.get((view.scope, view.subject))
        told = self._elsewhere(view)
        mind = told if told is not None and (mind is None or told.at_us > mind.at_us) else mind
        with self._store.reading(view) as reading:
            if mind is None or reading.minds.kept_us() > mind.at_us:
                return reading.minds.left()
            return reading.minds.seen(mind.held, mind.at_us)

    def switched(self, view: View) -> bool:
        """Whether another than this reader was heard last in this process; from now on it is this one."""
        key = view.scope, view.subject
        with self._lock:
            before, self._last = self._last, key
        return before != key

    def keep(self, view: View, saved: Saved) -> None:
        """Keeps what a reader has in mind; a palace that is only read keeps nothing.

        Whoever asked is not kept waiting by whoever writes. Raises: StorageError, and Refused with a secret in a scope.
        """
        if self._store.read_only:
            return
        refuse_scope(view.scope)
        key = view.scope, view.subject
        held = tuple(
            Presence(slot.memory_id, slot.activation, slot.touched_us, slot.source)
            for slot in saved.slots
            if slot.memory_id
        )
        with self._lock:
            known = self._minds.pop(key, None)
            mind = _Mind(view, held, saved.at_us, known.written_us if known is not None else 0)
            self._minds[key] = mind
            gone = self._minds.popitem(last=False)[1] if len(self._minds) > AT_HAND else None
        if self._working is not None:
            told = msgspec.json.encode(_Shared(held, saved.at_us)).decode()
            self._working.put(_mind_key(view), told, FADED_US / 1e6)
        for one in (mind, gone):
            if one is not None and (one is gone or one.at_us - one.written_us >= WRITTEN_EVERY_US):
                self._write(one)

    def forget(self) -> None:
        """Lets go of what was said, and of the names of who had what in mind; the palace has that, as far as it is
        still there."""
        with self._lock:
            self._warm.clear()
        self.flush()

    def flush(self) -> None:
        """Writes what was not written yet; what cannot be is warmth that is lost, no memory."""
        with self._lock:
            waiting = [mind for mind in self._minds.values() if mind.at_us > mind.written_us]
            self._minds.clear()
        with suppress(StorageError):
            for mind in waiting:
                self._write(mind)

    def _write(self, mind: _Mind) -> None:
        self._store.keep_mind(mind.view, mind.held, mind.at_us, mind.at_us - FADED_US, WAIT_S)
        with self._lock:
            key = mind.view.scope, mind.view.subject
            if self._minds.get(key) is mind:
                self._minds[key] = replace(mind, written_us=mind.at_us)


def _mind_key(view: View) -> str:
    reader = f"{view.scope} {view.subject}".encode()  # a scope has no spaces
    return f"minds:{blake2b(reader, digest_size=16).hexdigest()}"


Vector = NDArray[np.float32]
Shift = Literal["continue", "drift", "switch"]
WEIGHT: Final = 0.3
BLEND: Final = 0.4
CONTINUE: Final = 0.7
DRIFT: Final = 0.4
STEADY: Final = 0.5
DRIFT_FADE: Final = 0.7
ANTICIPATION_US: Final = 60_000_000
ANTICIPATION_COSINE: Final = 0.6
TURNS_KEPT: Final = 512
Answer = TypeVar("Answer")


def unit(vector: Vector) -> Vector:
    """The vector at length one; zeros stay."""
    length = float(np.linalg.norm(vector))
    return (vector / np.float32(length)).astype(np.float32) if length > 0 else vector


@dataclass(slots=True)
class Momentum:
    """The exponentially weighted centroid of turn vectors, and how steady it has been."""

    centroid: Vector | None = None
    stability: float = 0.0

    def add(self, vector: Vector) -> None:
        """Moves the centroid by a turn."""
        if not np.any(vector):
            return
        vector = unit(np.asarray(vector, np.float32))
        if self.centroid is None or self.centroid.shape != vector.shape:
            self.centroid, self.stability = vector, 0.0
            return
        likeness = max(0.0, float(self.centroid @ vector))
        self.stability = (1 - WEIGHT) * self.stability + WEIGHT * likeness
        self.centroid = unit((1 - WEIGHT) * self.centroid + WEIGHT * vector)

    def blend(self, cue: Vector) -> Vector:
        """The cue's vector pulled towards the centroid, by at most 40% of the stability."""
        if self.centroid is None or self.centroid.shape != cue.shape:
            return cue
        share = np.float32(BLEND * self.stability)
        return unit((1 - share) * unit(cue) + share * self.centroid)

    def shift(self, vector: Vector) -> Shift:
        """Whether a turn stays on the topic, drifts from it, or changes it."""
        if self.centroid is None or not np.any(vector):
            return "continue"
        likeness = float(self.centroid @ unit(vector))
        if likeness > CONTINUE:
            return "continue"
        return "drift" if likeness > DRIFT and self.stability > STEADY * DRIFT else "switch"


class Anticipated(Generic[Answer]):
    """Answers recalled ahead of the turn that may need them."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, Vector, Answer]] = []

    def __len__(self) -> int:
        return len(self._kept)

    def put(self, predicted: Vector, answer: Answer, now_us: int) -> None:
        """Keeps an answer for a predicted turn."""
        self._kept = [one for one in self._kept if now_us - one[0] < ANTICIPATION_US][-7:]
        self._kept.append((now_us, unit(predicted), answer))

    def get(self, actual: Vector, now_us: int) -> Answer | None:
        """The answer whose predicted turn is near enough, if it is still fresh."""
        wanted = unit(actual)
        near = [
            (float(vector @ wanted), answer) for at_us, vector, answer in self._kept
            if now_us - at_us < ANTICIPATION_US and vector.shape == wanted.shape
        ]  # fmt: skip
        best = max(near, key=lambda one: one[0], default=None)
        return best[1] if best is not None and best[0] > ANTICIPATION_COSINE else None


class TurnVectors:
    """Vectors of turns that were heard, so that a turn is embedded once however often it is history. Threads share it.

    By a digest of the words: no text is kept.
    """

    def __init__(self, embed: Callable[[str], tuple[str, Vector | None, str]], size: int = TURNS_KEPT) -> None:
        self._embed = embed
        self._size = size
        self._kept: OrderedDict[bytes, tuple[str, Vector]] = OrderedDict()
        self._lock = ForkLock()
        kept_in(self)

    def of(self, text: str) -> tuple[str, Vector | None]:
        """The space of a turn's vector and the vector; None when it cannot be embedded."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        space, vector, _ = self._embed(text)
        if vector is None:
            return space, None
        with self._lock:
            self._kept[key] = space, vector
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return space, vector

    def forget(self) -> None:
        """Forgets every vector."""
        with self._lock:
            self._kept.clear()
