"""What operations about the palace itself return: counts, health, and the copy that was made.

Part of the public shape of answers, beside results. Invariant: every value here turns into JSON and back without loss.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSpace:
    """A vector space: the model behind it, and how many memories still lack a vector in it."""

    name: str
    model: str
    dimensions: int
    state: str
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How much of everything there is."""

    palace: str
    memories: int
    revisions: int
    places: int
    edges: int
    entities: int
    events: int
    spaces: tuple[VectorSpace, ...]
    index_tails_due: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at: good, warning or bad, and what to do."""

    check: str
    level: str
    detail: str
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Whether the palace is well, and every finding."""

    well: bool
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Whether everything agrees with everything, and what does not."""

    clean: bool
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    """The copy that was made; `key_file` is the note beside it that an encrypted one needs, empty for a plain one."""

    backup: str
    bytes: int
    key_file: str = ""
