"""What import and export return: counts, and every entry that could not be taken with the reason.

Part of the public shape of answers, beside results. Invariant: every value here turns into JSON and back without loss.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedEntry:
    """An entry of a file that was not taken in: which one, why, and what to do about it."""

    entry: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of a file. `entries` is the sum of new, known and refused; `refusals` lists the first of the latter.

    `redacted` of the new ones lost a sentence to the screen; `links` are edges between the memories made.
    """

    file: str
    format: str
    dry_run: bool
    entries: int
    new: int
    known: int
    refused: int
    redacted: int = 0
    memories: int = 0
    links: int = 0
    refusals: tuple[RefusedEntry, ...] = ()
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written, and where."""

    to: str
    format: str
    memories: int
    revisions: int
    edges: int
    bytes: int
    damaged: tuple[str, ...] = ()
    """Stored fields that are damaged: their rows are not in the export."""
