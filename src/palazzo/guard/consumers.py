"""Consumer contracts: who may use which record. The same record may be good for recall and not for context.

Owns the contracts and the check. Invariants: context injection is the strictest of all: whatever it takes, every other
reader of records takes too; every refusal has a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from palazzo.guard.packets import Consumer, Lifecycle, StateRecord
from palazzo.text.safety.injection import FLAG_AT

_ALL: frozenset[Lifecycle] = frozenset({"candidate", "active", "verified", "expired", "retired"})
_HELD: frozenset[Lifecycle] = frozenset({"active", "verified"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What a consumer takes: lifecycles, least freshness, how much like an instruction at most, and marks it bars."""

    lifecycles: frozenset[Lifecycle]
    freshness: float = 0.0
    injection: float = 1.01
    barred: frozenset[str] = frozenset()
    needs_source: bool = False


CONTRACTS: Final[Mapping[Consumer, Contract]] = MappingProxyType({
    "context_injection": Contract(
        lifecycles=_HELD, freshness=0.05, injection=FLAG_AT, barred=frozenset({"injection", "candidate"}),
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
