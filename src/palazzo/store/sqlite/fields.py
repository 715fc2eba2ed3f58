"""Fields: which texts of a revision the indexes hold, and the partition each goes to.

An index partition is a scope and a field, so every field has statistics of its own and a search names the fields it
wants: what was said in conversations (`turn`) never crowds out what is known (`text`), and the other way round.
Invariant: what is indexed is a pure function of the stored content, kind, tier and whether it is sealed, so a rebuild
gives the same index.
"""

from __future__ import annotations

from palazzo.model.memory import RevisionDraft, Tier
from palazzo.store.api import Field
from palazzo.text.safety.personal import outline
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import terms

NUMBERS: dict[Field, int] = {"text": 0, "prospects": 1, "turn": 2, "hidden": 3, "hidden_turn": 4}
HIDDEN: dict[Field, Field] = {"text": "hidden", "turn": "hidden_turn"}
"""Where the turned vectors of sealed confidential memories are, beside those of the field: no text, no terms."""
WIDTH = 8  # room for fields to come without renumbering
TURN_KIND = "exchange"


def partition(scope: int, field: Field = "text") -> int:
    """The index partition of a field of a scope."""
    return scope * WIDTH + NUMBERS[field]


def partitions(scope: int) -> tuple[int, ...]:
    """Every partition of a scope."""
    return tuple(scope * WIDTH + number for number in NUMBERS.values())


def main_field(kind: str) -> Field:
    """The field that holds the text itself, and its vector."""
    return "turn" if kind == TURN_KIND else "text"


def vector_field(kind: str, tier: Tier, *, sealed: bool) -> Field:
    """The field that holds the vector: a sealed confidential memory's is turned, so it has a partition of its own."""
    field = main_field(kind)
    return HIDDEN[field] if sealed and tier == "confidential" else field


def sealed_terms(content: RevisionDraft, kind: str, tier: Tier) -> list[tuple[Field, list[str]]]:
    """The terms of a sealed text: an outline that reveals nothing for a sensitive one, none for a confidential one."""
    if tier == "confidential":
        return []
    return [(main_field(kind), terms(outline(content.text, kind, content.detail.topics)))]


def indexed_terms(content: RevisionDraft, kind: str) -> list[tuple[Field, list[str]]]:
    """The terms to index, per field. The text also carries who said it, so that a name in a cue finds it."""
    speaker = content.detail.speaker
    words = list(parsed(f"{speaker} {content.text}" if speaker else content.text).terms)
    found: list[tuple[Field, list[str]]] = [(main_field(kind), words)]
    if content.detail.prospects:
        found.append(("prospects", [term for said in content.detail.prospects for term in parsed(said).terms]))
    return found
