"""What a model is shown of a result: the same facts as everywhere, without what would only cost tokens.

Owns the shortening: empty values, figures of ranking and default states are left out, numbers are rounded. Invariant:
text, address, id, time, source and caveat of a memory are never left out.
"""

from __future__ import annotations

from typing import Any

from palazzo.operations.arguments import as_plain
from palazzo.operations.graph import spec as graph
from palazzo.operations.intake import spec as intake
from palazzo.operations.recall import spec as recall
from palazzo.operations.shared import StoredMemory

_OF_A_MEMORY = (
    "id",
    "address",
    "text",
    "revision",
    "valid_from",
    "valid_to",
    "revised_at",
    "speaker",
    "author",
    "scope",
    "metadata",
)


def brief(result: Any) -> dict[str, Any]:
    """A result for a model."""
    if isinstance(result, recall.Recalled):
        told: dict[str, Any] = {
            "memories": [_hit(hit) for hit in result], "mode": result.mode, "left_out": result.left_out or None,
            "without": list(result.dropped), "gist": result.gist,
            "siblings": [as_plain(other) for other in result.siblings],
        }  # fmt: skip
    elif isinstance(result, recall.ContextBlock):
        told = {"context": result.text, "tokens": result.tokens, "without": list(result.dropped)}
    elif isinstance(result, recall.Reasoned):
        told = {**as_plain(result), "evidence": [_hit(hit) for hit in result.evidence]}
    elif isinstance(result, recall.MemoryPage):
        found = [_memory(memory) for memory in result]
        told = {"memories": found, "total": result.total, "next_cursor": result.next_cursor}
    elif isinstance(result, intake.Kept):
        told = {
            "memories": [str(memory) for memory in result.memories], "without": list(result.degraded),
            "outcomes": [_fate(fate) for account in result.accounts for fate in account.fates],
        }  # fmt: skip
    elif isinstance(result, StoredMemory):
        told = _memory(result)
    elif isinstance(result, graph.Why):
        told = {**as_plain(result), "memory": _memory(result.memory)}
    elif isinstance(result, graph.Walked):
        told = {"memories": [{"links_away": step.depth, **_memory(step.memory)} for step in result]}
    else:
        told = as_plain(result)
    return {name: _short(value) for name, value in told.items() if name == "memories" or _says_something(value)}


def _hit(hit: recall.RecalledMemory) -> dict[str, Any]:
    memory = hit.memory
    told = {
        "text": hit.text, "address": memory.address, "id": str(memory.id), "since": as_plain(memory.valid_from),
        "trust": round(hit.trust, 2), "source": hit.source, "caveat": hit.caveat,
        "shortened": "" if hit.tier == "full" else hit.tier, "metadata": memory.metadata,
    }  # fmt: skip
    return {name: value for name, value in told.items() if _says_something(value)}


def _fate(fate: intake.ShownFate) -> dict[str, Any]:
    return {name: value for name, value in as_plain(fate).items() if name not in ("start", "end", "score")}


def _memory(memory: StoredMemory) -> dict[str, Any]:
    told = {name: value for name, value in as_plain(memory).items() if name in _OF_A_MEMORY and _says_something(value)}
    return told if memory.state == "active" else {**told, "state": memory.state}


def _says_something(value: Any) -> bool:
    return value not in (None, "", (), [], {})


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(inner) for name, inner in value.items() if _says_something(inner)}
    if isinstance(value, list | tuple):
        return [_short(inner) for inner in value]
    return round(value, 3) if isinstance(value, float) else value
