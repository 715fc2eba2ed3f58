"""The integration spine: what may enter a model's context without anybody asking for it, and how an action may go on.

Owns the records that may shape action, the contracts of who may use which of them, the governor, which takes the least
restrictive of seven modes that is safe, and the way from a memory to a record and the decision about it. Read-only: it
decides, it never changes anything. Invariants: a record grants nothing: having been seen, having succeeded, having been
handed over, recalled, proposed or delivered is no authority; context injection is the strictest reader of all, so
whatever it takes, every other takes too; every condition of the governor asks for a mode, and the most restrictive of
those asked for is taken; text is scored again here, whatever intake thought of it, unless the very same words were by
the very same judges; what is left out is told with its reason.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import Final, Generic, Literal, TypeVar
from uuid import UUID

import msgspec

from palazzo.model.belief import CONFIRM_BELOW
from palazzo.model.memory import Memory
from palazzo.text.safety import injection
from palazzo.text.safety.injection import FLAG_AT, REFUSE_AT

Lifecycle = Literal["candidate", "active", "verified", "expired", "retired"]
Consumer = Literal[
    "context_injection", "recall", "planning", "tool_execution", "promotion", "review", "approval",
]  # fmt: skip
CONSUMERS: tuple[Consumer, ...] = Consumer.__args__  # type: ignore[attr-defined]
Mode = Literal[
    "proceed", "proceed_with_verification", "ask_for_missing_authority", "require_approval", "defer_or_dry_run",
    "refuse_with_safe_alternative", "pause_recover",
]  # fmt: skip
MODES: tuple[Mode, ...] = Mode.__args__  # type: ignore[attr-defined]
"""From the least restrictive to the most."""
Lane = Literal["semantic", "current_state", "claim", "relational", "procedural", "safety", "context_eligibility"]


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """What every packet carries. An empty `consumers` leaves it to the contracts; otherwise only those may use it."""

    source: str
    freshness: float = 1.0
    lifecycle: Lifecycle = "active"
    consumers: frozenset[Consumer] = frozenset()
    receipts: tuple[str, ...] = ()


class StateRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Something held to be so: a memory, as the spine looks at it. `injection` is from 0 to 1."""

    envelope: Envelope
    memory_id: UUID
    injection: float = 0.0
    flags: tuple[str, ...] = ()
    confidence: float = 1.0
    scope_matches: bool = True


class ResponsibilityLease(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody answers for an objective, until a time, within bounds."""

    envelope: Envelope
    owner: str
    objective: str
    scope: str
    expires_us: int
    spent: bool = False

    def holds(self, now_us: int) -> bool:
        """Whether it is still in force; one that has run out is history."""
        return not self.why_not(now_us)

    def why_not(self, now_us: int) -> str:
        """Why it carries nothing, if so."""
        if self.envelope.lifecycle == "candidate":
            return "the lease was asked for and is not granted yet"
        if self.envelope.lifecycle not in ("active", "verified"):
            return "the lease was ended or refused"
        if self.spent:
            return "the budget of the lease is spent"
        return "" if now_us < self.expires_us else "the lease has run out"


class GovernorDecision(msgspec.Struct, frozen=True, kw_only=True):
    """How an action may go on, why, and what has to be checked."""

    mode: Mode
    reasons: tuple[str, ...]
    checks: tuple[str, ...] = ()
    alternative: str = ""

    @property
    def may_act(self) -> bool:
        """Whether anything is done without asking somebody first."""
        return self.mode in ("proceed", "proceed_with_verification")


class MaturationCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may become more than it is, once its lane's review says so."""

    envelope: Envelope
    lane: Lane
    evidence: tuple[UUID, ...] = ()
    low_risk: bool = False
    declared: bool = False
    reversible: bool = False


LABEL: Final = "label"
"""Marks what is only called something and says nothing, as a bundle that nobody described."""
_ALL: frozenset[Lifecycle] = frozenset({"candidate", "active", "verified", "expired", "retired"})
_HELD: frozenset[Lifecycle] = frozenset({"active", "verified"})


class Contract(msgspec.Struct, frozen=True, kw_only=True):
    """What a consumer takes: lifecycles, least freshness, how much like an instruction at most, and marks it bars."""

    lifecycles: frozenset[Lifecycle]
    freshness: float = 0.0
    injection: float = 1.01
    barred: frozenset[str] = frozenset()
    needs_source: bool = False


CONTRACTS: Final[Mapping[Consumer, Contract]] = MappingProxyType({
    "context_injection": Contract(
        lifecycles=_HELD, freshness=0.05, injection=FLAG_AT, barred=frozenset({"injection", "candidate", LABEL}),
        needs_source=True,
    ),
    "recall": Contract(lifecycles=_ALL),
    "planning": Contract(lifecycles=_HELD, injection=FLAG_AT, barred=frozenset({"injection"})),
    "tool_execution": Contract(lifecycles=_HELD, injection=FLAG_AT, barred=frozenset({"injection"})),
    "promotion": Contract(lifecycles=_HELD | {"candidate"}, injection=FLAG_AT, needs_source=True),
    "review": Contract(lifecycles=_ALL),
    "approval": Contract(lifecycles=_ALL),
})  # fmt: skip


def refusals(record: StateRecord, consumer: Consumer) -> tuple[str, ...]:
    """Why a consumer does not take a record; empty when it does."""
    contract, envelope = CONTRACTS[consumer], record.envelope
    found = []
    if envelope.consumers and consumer not in envelope.consumers:
        found.append(f"not meant for {consumer.replace('_', ' ')}")
    if not record.scope_matches:
        found.append("of another scope")
    if envelope.lifecycle not in contract.lifecycles:
        found.append(
            {"candidate": "only a candidate", "expired": "has run out"}.get(envelope.lifecycle, "not in force")
        )
    if envelope.freshness < contract.freshness:
        found.append("too old to rely on")
    if record.injection >= contract.injection:
        found.append("reads as an instruction")
    found += [f"marked {flag}" for flag in record.flags if flag in contract.barred]
    if contract.needs_source and not envelope.source:
        found.append("without a source")
    return tuple(dict.fromkeys(found))


ActionClass = Literal["read", "reversible_write", "external", "irreversible", "identity", "protected"]
Basis = Literal[
    "task", "approval", "visible_tool", "past_success", "handoff", "retrieved_memory", "candidate", "delivery",
]  # fmt: skip
"""What somebody points at when they want to act. Only the current task and an approval are authority."""
AUTHORITY: frozenset[Basis] = frozenset({"task", "approval"})
_CHECKS = {
    "read": (), "reversible_write": ("read it back",), "external": ("read back the effect", "keep the receipt"),
    "irreversible": ("show what will be lost", "keep the receipt"), "identity": ("show the difference",),
    "protected": ("make a plan",),
}  # fmt: skip


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done, on which grounds, and what is known to be wrong."""

    kind: ActionClass
    basis: tuple[Basis, ...] = ()
    lease: ResponsibilityLease | None = None
    candidate: MaturationCandidate | None = None
    by_operator: bool = False
    within_capability: bool = True
    crosses_lock: bool = False
    anomaly: str = ""
    unconfirmed: bool = False
    """Whether it rests on a record that is stale or that nobody confirmed."""


def decide(action: Action, now_us: int) -> GovernorDecision:
    """The mode an action may go on in."""
    asked = list(_asked(action, now_us))
    mode: Mode = max((wanted for wanted, _ in asked), key=MODES.index, default="proceed")
    reasons = tuple(reason for wanted, reason in asked if wanted == mode) or ("authority and risk are clear",)
    return GovernorDecision(mode=mode, reasons=reasons, checks=_CHECKS[action.kind], alternative=_instead(mode))


def _asked(action: Action, now_us: int) -> list[tuple[Mode, str]]:
    found: list[tuple[Mode, str]] = []
    if action.anomaly:
        found.append(("pause_recover", action.anomaly))
    if action.crosses_lock or not action.within_capability:
        found.append(
            ("refuse_with_safe_alternative", "a lock" if action.crosses_lock else "the capability falls short")
        )
    if action.kind in ("identity", "protected") and not action.by_operator:
        found.append(("defer_or_dry_run", "only a person changes this"))
    approved = "approval" in action.basis or action.by_operator
    if action.kind in ("external", "irreversible") and not approved:
        found.append(("require_approval", f"{action.kind} actions need a person's approval"))
    if action.kind != "read" and not _has_authority(action, now_us):
        found.append(("ask_for_missing_authority", _missing(action, now_us)))
    if action.kind != "read" or action.unconfirmed:
        found.append(("proceed_with_verification", "unconfirmed" if action.unconfirmed else "changes something"))
    return found


def _has_authority(action: Action, now_us: int) -> bool:
    if action.by_operator or AUTHORITY & set(action.basis):
        return True
    if action.lease is not None and action.lease.holds(now_us):
        return True
    return action.kind == "reversible_write" and action.candidate is not None and autonomous(action.candidate)


def _missing(action: Action, now_us: int) -> str:
    if action.lease is not None and (why := action.lease.why_not(now_us)):
        return why
    if action.basis:
        return f"{action.basis[0].replace('_', ' ')} is no authority"
    return "nobody asked for this"


def autonomous(candidate: MaturationCandidate) -> bool:
    """Whether it goes through the one lane that needs nobody: low-risk, declared before, sourced, reversible claims."""
    return (
        candidate.lane == "claim" and candidate.low_risk and candidate.declared and candidate.reversible
        and bool(candidate.envelope.source) and bool(candidate.evidence)
    )  # fmt: skip


def _instead(mode: Mode) -> str:
    return {
        "ask_for_missing_authority": "ask once, then wait", "require_approval": "show it to a person",
        "defer_or_dry_run": "make a plan a person can apply", "refuse_with_safe_alternative": "read what you may read",
        "pause_recover": "stop and report the cause",
    }.get(mode, "")  # fmt: skip


T = TypeVar("T")
STALE = 0.7


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided about one memory: whether it enters, how it may be used, and why."""

    memory_id: UUID
    admitted: bool
    decision: GovernorDecision


@dataclass(frozen=True, slots=True)
class Admitted(Generic[T]):
    """What may enter, in order, and every ruling."""

    items: tuple[T, ...]
    rulings: tuple[Ruling, ...]


def record_of(
    memory: Memory, now_us: int, source: str, score: float | None = None, *, instructs: bool = False
) -> StateRecord:
    """A memory as the spine looks at it; `score` is what was found in what of it would be used.

    What `instructs` by right, the reader's own instruction or the owner's, speaks to a model: that it does is held
    against it only where it was marked when it came in, or is certain.
    """
    content = memory.revision.content
    flags = content.detail.flags
    if memory.kind == "bundle" and memory.text == memory.name:
        flags = (*flags, LABEL)
    if score is None:
        (score,), _ = look_at([(memory.text, source)])
    held_against = score if score >= REFUSE_AT or not instructs else 0.0
    return StateRecord(
        envelope=Envelope(
            source=source or content.author, freshness=1.0 - memory.staleness,
            lifecycle=_lifecycle(memory, now_us), receipts=(str(memory.id),),
        ),
        memory_id=memory.id, injection=held_against, flags=flags, confidence=content.confidence,
    )  # fmt: skip


_SCORES_KEPT = 8192
_scores: dict[bytes, float] = {}
_key = secrets.token_bytes(32)
_MARK = 12
_FORMS_KEPT = 3
"""Of a memory so many findings are kept: who reads it, and what is to be minded, differ from reader to reader."""


def look_at(used: Sequence[tuple[str, str]], kept: Sequence[bytes] = ()) -> tuple[list[float], dict[int, bytes]]:
    """What is found in texts, each read with its source, and what is to be kept of those that had to be read.

    `kept` is what was found before in the memories they are of: it counts for the very same words, and while the same
    judges sit. Those that have to be read are read together, which is less work than one by one. Turn after turn looks
    at the same memories: of each a score is kept under a hash with a key of this process, and nothing of the text.
    A source stands on a line of its own: after "told by" the words it is told in ("remember from tool") are an order.
    """
    texts = ["\n".join(filter(None, both)) for both in used]
    names = [blake2b(_letters(text), key=_key, digest_size=16).digest() for text in texts]
    unknown = {at: name for at, name in enumerate(names) if name not in _scores}
    unkept = {at for at, told in enumerate(kept) if at in unknown or not told}
    judges = injection.judges() if unkept else b""
    marks = {at: blake2b(_letters(texts[at]), key=judges, digest_size=_MARK).digest() for at in unkept if judges}
    found = {names[at]: score for at, mark in marks.items() if (score := _found_before(kept[at], mark)) is not None}
    fresh = {name: texts[at] for at, name in unknown.items() if name not in found}
    read = injection.score_injections(list(fresh.values())) if fresh else []
    found |= {name: finding.score for name, finding in zip(fresh, read, strict=True)}
    scores = [found[name] if name in found else _scores[name] for name in names]
    if len(_scores) + len(found) > _SCORES_KEPT:
        _scores.clear()
    _scores.update(found)
    again = (at for at in marks if names[at] in fresh or not kept[at])
    return scores, {at: _with(kept[at], marks[at], scores[at]) for at in again}


def _letters(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _found_before(kept: bytes, mark: bytes) -> float | None:
    """The score that is kept beside a mark, if it is kept: marks of twelve bytes, each with a score in two."""
    for at in range(0, len(kept), _MARK + 2):
        if kept[at : at + _MARK] == mark:
            return int.from_bytes(kept[at + _MARK : at + _MARK + 2]) / 10_000
    return None


def _with(kept: bytes, mark: bytes, score: float) -> bytes:
    """What is kept, with a further finding: the newest first."""
    return (mark + round(score * 10_000).to_bytes(2) + kept)[: _FORMS_KEPT * (_MARK + 2)]


_confirmed = Action(kind="read", unconfirmed=False)
_unconfirmed = Action(kind="read", unconfirmed=True)
_decided = lru_cache(maxsize=8)(decide)


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
