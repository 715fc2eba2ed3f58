"""Fields: which texts of a revision the indexes hold, and the partition each goes to.

An index partition is a scope and a field, so every field has statistics of its own and a search names the fields it
wants: what was said in conversations (`turn`) never crowds out what is known (`text`), and the other way round.
Invariant: what is indexed is a pure function of the stored content and kind, so a rebuild gives the same index.
"""

from __future__ import annotations

from typing import Literal

from mnemon.model.memory import RevisionDraft
from mnemon.text.tokens import terms

Field = Literal["text", "prospects", "turn"]
NUMBERS: dict[Field, int] = {"text": 0, "prospects": 1, "turn": 2}
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


def indexed_terms(content: RevisionDraft, kind: str) -> list[tuple[Field, list[str]]]:
    """The terms to index, per field. The text also carries who said it, so that a name in a cue finds it."""
    words = terms(f"{content.detail.speaker} {content.text}" if content.detail.speaker else content.text)
    found: list[tuple[Field, list[str]]] = [(main_field(kind), words)]
    if content.detail.prospects:
        found.append(("prospects", [term for said in content.detail.prospects for term in terms(said)]))
    return found
