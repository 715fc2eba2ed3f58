"""What became of a stretch of text that was taken in: where it stood, what was done with it, and why.

A fate carries positions, ids and reasons, never content, so it can be kept for good and shown to whoever may see the
memory it names. Invariant: `reason` is a short phrase of our own words or a class of finding, never a value.
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

import msgspec

Outcome = Literal["stored", "merged", "skipped", "superseded", "conflict", "dropped", "refused", "flagged", "kept"]
OUTCOMES: tuple[Outcome, ...] = Outcome.__args__  # type: ignore[attr-defined]


class Fate(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One stretch of a message. `memory_id` is where it can be read now; `other` the memory it was weighed against.

    stored       a memory of its own, or kept in the verbatim turn (reason "verbatim")
    merged       joined with a memory that said less, as a new revision of it
    skipped      already known; counted as an access
    superseded   took the place of what was believed, as a new revision of the same memory
    conflict     disagrees with `other`; both are kept and listed for a person
    dropped      filler, greeting, question: no memory of its own
    refused      screened out; `reason` is the class
    flagged      stored, kept out of automatic context
    kept         the whole turn, word for word, beside what was drawn from it
    """

    start: int
    end: int
    outcome: Outcome
    reason: str = ""
    memory_id: UUID | None = None
    other: UUID | None = None
    score: float | None = None


class Intake(msgspec.Struct, frozen=True, gc=False):
    """The account of one message: its id is that of the provenance node its memories come from."""

    id: UUID
    at_us: int
    fates: tuple[Fate, ...]
