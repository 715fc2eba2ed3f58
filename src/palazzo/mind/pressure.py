"""How much memory this process takes against its budget, and what it lets go of when that becomes too much.

Owns the levels and the table of what is shed at each, in the order it is shed. Invariants: nothing that was told is
shed, only copies of it and work that can wait; the level is read anew each time, so what was shed comes back by itself;
forgetting for good and looking after the file go on under any pressure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import msgspec

PressureLevel = Literal["normal", "elevated", "critical"]
ELEVATED: Final = 0.7
CRITICAL: Final = 0.9
MB: Final = 1 << 20


class Shed(msgspec.Struct, frozen=True, kw_only=True):
    """What a level sheds: answers that are kept, every cache of texts and indexes, jobs that take long, and all but the
    jobs that make room."""

    answers: bool = False
    caches: bool = False
    heavy_jobs: bool = False
    other_jobs: bool = False


SHEDDING: Final[dict[PressureLevel, Shed]] = {
    "normal": Shed(),
    "elevated": Shed(answers=True, heavy_jobs=True),
    "critical": Shed(answers=True, caches=True, heavy_jobs=True, other_jobs=True),
}
"""What is shed at each level."""
MAKES_ROOM: Final = frozenset({"sweep", "upkeep", "health"})
"""Jobs that run under any pressure."""


def level_of(resident: int, budget: int) -> PressureLevel:
    """The level of a process that takes so many bytes of so many."""
    share = resident / max(1, budget)
    return "normal" if share < ELEVATED else "elevated" if share < CRITICAL else "critical"


class Pressure:
    """The pressure on one process."""

    def __init__(
        self, resident: Callable[[], int], budget: Callable[[], int], answers: Callable[[], None],
        caches: Callable[[], None],
    ) -> None:  # fmt: skip
        """`answers` and `caches` let go of what is kept."""
        self._resident = resident
        self._budget = budget
        self._answers = answers
        self._caches = caches

    @property
    def budget(self) -> int:
        """The bytes this process should stay within."""
        return self._budget()

    def level(self) -> PressureLevel:
        """The level now."""
        return level_of(self._resident(), self._budget())

    def may_run(self, job: str, *, heavy: bool) -> bool:
        """Whether a job may start by itself now."""
        shed = SHEDDING[self.level()]
        return job in MAKES_ROOM or not (shed.other_jobs or (heavy and shed.heavy_jobs))

    def relieve(self) -> tuple[str, ...]:
        """Lets go of what the level says; says what that was."""
        shed = SHEDDING[self.level()]
        if shed.caches:
            self._caches()
        elif shed.answers:
            self._answers()
        return tuple(name for name in ("answers", "caches", "heavy_jobs", "other_jobs") if getattr(shed, name))
