"""Turning ranked rows into hits that explain themselves: signals, trust, provenance in one line, a caveat if due.

Owns the wording. Invariant: everything shown comes from the store's reads for this reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from mnemon.model.memory import Memory
from mnemon.model.trust import CONFIRM_BELOW, Trust
from mnemon.recall.rank import Ranked, shares
from mnemon.recall.reply import Hit, Lane, Signal
from mnemon.store import memories, provenance, turns
from mnemon.store.reading import Reading

STALE = 0.7
USES = 5.0
"""Sessions of use that count as fully useful."""


def day(at_us: int) -> str:
    """A moment as a date."""
    return datetime.fromtimestamp(at_us / 1e6, UTC).date().isoformat()


def caveat(memory: Memory, now_us: int) -> str:
    """What a reader should know before relying on it."""
    content = memory.revision.content
    notes = []
    if content.valid_to_us is not None and content.valid_to_us <= now_us:
        notes.append(f"held until {day(content.valid_to_us)}")
    if memory.staleness >= STALE or memory.state == "stale":
        notes.append(f"may be out of date (staleness {memory.staleness:.1f})")
    if content.confidence < CONFIRM_BELOW:
        notes.append(f"unconfirmed (confidence {content.confidence:.1f})")
    if memory.deprecated:
        notes.append("deprecated")
    return "; ".join(notes)


def trust_in(memory: Memory, relevance: float) -> Trust:
    """The four parts of trust as the store knows them."""
    return Trust(
        relevance=relevance, accuracy=memory.revision.content.confidence, freshness=1.0 - memory.staleness,
        utility=0.5 + 0.5 * min(memory.sessions / USES, 1.0),
    )  # fmt: skip


def provenance_line(memory: Memory, told: turns.Told | None, source: provenance.FirstSource | None) -> str:
    """Where it comes from, in one line."""
    when = day(memory.revision.content.valid_from_us or memory.created_us)
    if told is not None:
        who = told.speaker or "someone"
        return f"said by {who} in {told.thread or 'a conversation'}, {told.session}, {when}"
    if source is not None:
        return f"{source.stage} from {source.kind} {source.label}".rstrip() + f", {day(source.at_us)}"
    author = memory.revision.content.author
    return f"kept by {author}, {when}" if author else f"kept {when}"


def hits_from(reading: Reading, ranked: Ranked, limit: int, now_us: int, lanes: Mapping[int, Lane]) -> list[Hit]:
    """The first `limit` rows as hits, with their contents loaded in one read each."""
    keys = ranked.keys[:limit].tolist()
    loaded = memories.by_keys(reading, keys)
    told = turns.told(reading, keys)
    sources = provenance.first_sources(reading, [key for key in keys if key not in told])
    top = float(ranked.scores[0]) if len(ranked.scores) else 1.0
    low = float(ranked.scores[-1]) if len(ranked.scores) else 0.0
    found = []
    for row, key in enumerate(keys):
        memory = loaded.get(key)
        if memory is None:
            continue
        score = float(ranked.scores[row])
        found.append(
            Hit(
                memory=memory, text=memory.text, tier="full", score=round(score, 4),
                signals=tuple(
                    Signal(name, round(value, 3), weight, rank)
                    for name, value, weight, rank in shares(ranked.signals, row, ranked.weights)
                ),
                trust=trust_in(memory, (score - low) / (top - low) if top > low else 1.0),
                lane=lanes.get(key, "recalled"), provenance=provenance_line(memory, told.get(key), sources.get(key)),
                caveat=caveat(memory, now_us),
            )
        )  # fmt: skip
    return found
