"""The integration spine over memories: what may enter a model's context without anybody asking for it, and why not.

Owns the way from a memory to a state record and the decision about it. Read-only: it decides, it never changes
anything. Invariants: text is scored again here, whatever intake thought of it; what is left out is told with its
reason.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Generic, TypeVar
from uuid import UUID

from palazzo.guard import governor
from palazzo.guard.consumers import refusals
from palazzo.guard.packets import Consumer, Envelope, GovernorDecision, Lifecycle, StateRecord
from palazzo.model.memory import Memory
from palazzo.model.trust import CONFIRM_BELOW
from palazzo.text.safety.injection import score_injection

T = TypeVar("T")
STALE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What was decided about one memory: whether it enters, how it may be used, and why."""

    memory_id: UUID
    admitted: bool
    decision: GovernorDecision


@dataclass(frozen=True, slots=True)
class Admitted(Generic[T]):
    """What may enter, in order, and every ruling."""

    items: tuple[T, ...]
    rulings: tuple[Ruling, ...]


def record_of(memory: Memory, now_us: int, source: str, text: str | None = None) -> StateRecord:
    """A memory as the spine looks at it; `text` is what of it would be used."""
    content = memory.revision.content
    flags = content.detail.flags
    said = " ".join(part for part in (memory.text if text is None else text, source) if part)
    return StateRecord(
        envelope=Envelope(
            source=source or content.author, freshness=1.0 - memory.staleness,
            lifecycle=_lifecycle(memory, now_us), receipts=(str(memory.id),),
        ),
        memory_id=memory.id, injection=_injection(said), flags=flags, confidence=content.confidence,
    )  # fmt: skip


_SCORES_KEPT = 8192
_scores: dict[bytes, float] = {}
_key = secrets.token_bytes(32)


def _injection(text: str) -> float:
    """Turn after turn looks at the same memories, and at each for the first time only once.

    What is kept is a score under a hash with a key of this process, 1 us instead of 48, and nothing of the text.
    """
    name = blake2b(text.encode("utf-8", "surrogatepass"), key=_key, digest_size=16).digest()
    score = _scores.get(name)
    if score is None:
        score = score_injection(text).score
        if len(_scores) >= _SCORES_KEPT:
            _scores.clear()
        _scores[name] = score
    return score


_confirmed = governor.Action(kind="read", unconfirmed=False)
_unconfirmed = governor.Action(kind="read", unconfirmed=True)
_decided = lru_cache(maxsize=8)(governor.decide)


def _lifecycle(memory: Memory, now_us: int) -> Lifecycle:
    """A lease or task past its end has run out; other things that once held are history, and may be asked about."""
    content = memory.revision.content
    if memory.deprecated or memory.state in ("archived", "deleted"):
        return "retired"
    if "candidate" in content.detail.flags:
        return "candidate"
    leased = memory.kind in ("task", "context") or "lease" in content.detail.flags
    if leased and content.valid_to_us is not None and content.valid_to_us <= now_us:
        return "expired"
    return "verified" if "verified" in content.detail.flags else "active"


def rule(record: StateRecord, consumer: Consumer, now_us: int) -> Ruling:
    """Whether a consumer takes a record, and how it may be used."""
    why = refusals(record, consumer)
    if why:
        refused = GovernorDecision(
            mode="refuse_with_safe_alternative", reasons=why, alternative="it can still be recalled on request"
        )
        return Ruling(memory_id=record.memory_id, admitted=False, decision=refused)
    unsure = record.envelope.freshness <= 1.0 - STALE or record.confidence < CONFIRM_BELOW
    decision = _decided(_unconfirmed if unsure else _confirmed, now_us)
    return Ruling(memory_id=record.memory_id, admitted=True, decision=decision)


def admit(items: Sequence[T], record: Callable[[T], StateRecord], consumer: Consumer, now_us: int) -> Admitted[T]:
    """Of some items, those that a consumer takes, in order, and the ruling on each."""
    rulings = tuple(rule(record(item), consumer, now_us) for item in items)
    kept = tuple(item for item, ruling in zip(items, rulings, strict=True) if ruling.admitted)
    return Admitted(kept, rulings)
