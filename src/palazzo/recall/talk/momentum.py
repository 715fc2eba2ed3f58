"""Where a conversation is heading: a centroid of its turns, whether a turn stays on it, and what may come next.

Owns the arithmetic over turn vectors, the vectors of turns just heard and a small cache of anticipated answers.
Invariants: the arithmetic is a pure function of the vectors handed in; blending moves a cue by at most 40%; an
anticipated answer lives sixty seconds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from palazzo.model.fork_lock import ForkLock
from palazzo.text.words.remembered import kept_in

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


def centroid_of(vectors: Sequence[Vector]) -> Momentum:
    """The momentum of a series of turns."""
    made = Momentum()
    for vector in vectors:
        made.add(vector)
    return made
