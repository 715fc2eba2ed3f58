"""The arguments of the operations about belief: revising, auditing, claims, signals and work products.

Owns no behaviour, like parameters.py. Invariant: what only a person decides is asked for in words that must be repeated
(the text of a claim, the state of its source), so that nothing is decided by a slip.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from palazzo.model.belief import ClaimMode, ClaimStatus, Resolution, SourceKind
from palazzo.operations.declared import Scoped, told
from palazzo.operations.parameters import A_MEMORY

Occasion = Literal["correction", "change"]
Decision = Literal["accept", "reject", "defer"]
SourceState = Literal["exact_match", "partial_overlap", "drifted", "missing"]
Outcome = Literal["well", "badly"]

A_CLAIM = "The id of the claim."
ITS_TEXT = "The text of the claim, repeated word for word."
ITS_SOURCE = "The state of its source as the preview shows it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated(Scoped):
    """A statement: read out of a text, or named by its parts."""

    text: str = told("The statement in plain words; what it asserts is read out of it unless slot and value are given.")
    about: str = told("Whom or what it is about, when slot and value are given.", "user")
    slot: str = told("Which attribute it gives, such as editor; with value instead of reading the text.", "")
    value: str = told("The value of that attribute.", "")
    denied: bool = told("The statement says that this value does not hold.", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revise(Stated):
    """Arguments of `revise`."""

    occasion: Occasion = told(
        "correction: it was wrong, and what it had displaced may return; change: the world moved on.", "correction"
    )
    place: str = told("Where it belongs if nothing held that attribute before; forest.today when left out.", "")
    kind: str = told("What kind of memory it is, such as preference; chosen from the text when left out.", "")
    name: str = told("Its name at that place, if it is new.", "")
    confidence: float = told("How sure it is, from 0 to 1.", 1.0, low=0, high=1)
    at: datetime | None = told("Since when it holds; now when left out.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract(Stated):
    """Arguments of `contract`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revert(Scoped):
    """Arguments of `revert`."""

    memory: str = told(A_MEMORY)
    revision: int = told("The number of the revision to go back to.", low=1)
    tag: str = told("The tag that moves; current says which revision holds.", "current")


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf(Scoped):
    """Arguments of `as_of`."""

    at: datetime | None = told("The moment; now when left out.", None)
    about: str = told("Only statements with this word in them.", "")
    limit: int = told("How many at most.", 200, low=1, high=5000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Path(Scoped):
    """Arguments of `path`."""

    source: str = told("The memory to start from: its id or address.")
    target: str = told("The memory to arrive at: its id or address.")
    depth: int = told("How many links away at most.", 10, low=1, high=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Review(Scoped):
    """Arguments of `review`."""

    limit: int = told("How many of each sort at most, the most severe first.", 5, low=1, high=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """Arguments of `recheck`."""

    limit: int = told("How many memories to look at, at most.", 100, low=1, high=10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve(Scoped):
    """Arguments of `resolve`."""

    memory: str = told(A_MEMORY)
    answer: Resolution = told(
        "refresh: a newer belief replaces it; confirm_stale: it holds no more; dismiss: it still holds."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes(Scoped):
    """Arguments of `outcome`."""

    memory: str = told(A_MEMORY)
    went: Outcome = told("How relying on it went: well or badly.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSource:
    """Where a claim comes from."""

    kind: SourceKind = told("What sort of source it is.")
    reference: str = told("The id or address of a memory, the path of a file, or a URL.")
    excerpt: str = told("The words it had when it was read.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Propose(Scoped):
    """Arguments of `propose`."""

    text: str = told("One statement that makes sense on its own.")
    sources: tuple[ClaimSource, ...] = told("Where it comes from: objects with kind, reference and excerpt.")
    kind: str = told("What kind of memory it would become.", "fact")
    recheck_days: float = told("After how many days its source should be looked at again.", 90.0, low=0.1, high=3650)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims(Scoped):
    """Arguments of `claims`."""

    status: ClaimStatus = told("Which ones.", "candidate")
    limit: int = told("How many at most.", 50, low=1, high=200)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneClaim(Scoped):
    """Arguments of operations that want nothing but a claim."""

    claim: str = told(A_CLAIM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide(Scoped):
    """Arguments of `decide`."""

    claim: str = told(A_CLAIM)
    decision: Decision = told("accept, reject or defer.")
    text: str = told(ITS_TEXT)
    source_state: SourceState = told(ITS_SOURCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retract(Scoped):
    """Arguments of `retract`."""

    claim: str = told(A_CLAIM)
    text: str = told(ITS_TEXT)
    source_state: SourceState = told(ITS_SOURCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMode:
    """Arguments of `claim_mode`."""

    mode: ClaimMode = told("observe and diagnostic keep candidates only; enforce lets a person accept.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """So many events of one dimension of a family on one day."""

    family: str = told("The family, such as language.")
    dimension: str = told("The member of it, such as python.")
    count: int = told("How many events.", 1, low=0, high=1_000_000)
    at: datetime | None = told("When; today when left out.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals(Scoped):
    """Arguments of `signal`."""

    counts: tuple[Count, ...] = told("What was done how often: objects with family, dimension, count and at.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Register(Scoped):
    """Arguments of `register`."""

    name: str = told("The name of the product; registering it again makes its next revision.")
    place: str = told("Where it belongs.", blank=True)
    text: str = told("What it is, in a sentence.")
    made_from: tuple[str, ...] = told("What it was made from: ids or addresses of memories.", ())
    files: tuple[str, ...] = told("Its files, as paths or URLs; they stay where they are.", ())
    tags: tuple[str, ...] = told("Tags that point at this revision, such as approved.", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class FindProduct(Scoped):
    """Arguments of `product`."""

    name: str = told("The name of the product.")
    place: str = told("Where it stands.", blank=True)
    tag: str = told("Which revision: the one this tag points at.", "approved")
