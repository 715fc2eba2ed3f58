"""Fitting hits into a token budget: in full while it lasts, then as summary, key fact and label, and when none fits as
a line about where they stand.

Owns the tiers and their order. Knows nothing of models but a function that counts. Invariant: the sum of what is packed
never exceeds the budget, and what found no room is counted, not silently lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from palazzo.model.memory import Memory
from palazzo.recall.answer.reply import Hit, Tier

Count = Callable[[str], int]
LABELS = 3
"""Labels shown of a place when there is no room for its memories."""
OVERHEAD_TOKENS = 6
"""Separators and the reference that goes with each hit."""


class Packed(msgspec.Struct, frozen=True, gc=False):
    """What fits, what it costs, and how many did not."""

    hits: tuple[Hit, ...]
    tokens: int
    left_out: int
    gist: str = ""
    """What the hits are about, where there was room for none of them."""


def tiers(memory: Memory) -> list[tuple[Tier, str]]:
    """The forms a memory can take, longest first; forms it lacks are left out."""
    content = memory.revision.content
    forms: list[tuple[Tier, str]] = [("full", content.text)]
    for tier, text in (("summary", content.summary), ("key fact", content.key_fact), ("label", content.label)):
        if text and len(text) < len(forms[-1][1]):
            forms.append((tier, text))  # type: ignore[arg-type]
    return forms


def pack(hits: Sequence[Hit], budget_tokens: int | None, count: Count) -> Packed:
    """The hits in their order, each in the fullest form that still fits."""
    if budget_tokens is None:
        tokens = sum(count(hit.text) + OVERHEAD_TOKENS for hit in hits)
        return Packed(tuple(hits), tokens, 0)
    packed: list[Hit] = []
    spent = 0
    for hit in hits:
        for tier, text in tiers(hit.memory):
            cost = count(text) + OVERHEAD_TOKENS
            if spent + cost <= budget_tokens:
                packed.append(hit if tier == hit.tier and text == hit.text else replace(hit, tier=tier, text=text))
                spent += cost
                break
    if hits and not packed:
        gist = next((text for text in abstractions(hits) if count(text) <= budget_tokens), "")
        return Packed((), count(gist) if gist else 0, len(hits), gist)
    return Packed(tuple(packed), spent, len(hits) - len(packed))


def abstractions(hits: Sequence[Hit]) -> list[str]:
    """What the hits are about, from close to coarse: by place with a label each, by domain, as one number."""
    places: dict[str, list[str]] = {}
    domains: dict[str, int] = {}
    for hit in hits:
        path = hit.memory.place.path
        places.setdefault(path, []).append(hit.memory.revision.content.label)
        domain = path.partition(".")[0]
        domains[domain] = domains.get(domain, 0) + 1
    clusters = "; ".join(
        f"{path}: {len(labels)}" + (f" ({named})" if (named := ", ".join(filter(None, labels[:LABELS]))) else "")
        for path, labels in places.items()
    )
    by_domain = ", ".join(f"{count} in {domain}" for domain, count in domains.items())
    return [f"Memories that match: {clusters}", f"Memories that match: {by_domain}", f"{len(hits)} memories match"]
