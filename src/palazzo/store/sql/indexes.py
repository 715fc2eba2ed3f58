"""The text index and the vector index as a whole: which tables they are, whether they can be used, which fields go into
them.

An index is derived. One that is damaged anywhere is set aside as a whole, so that readers go without it, and made again
from the revisions and the stored vectors. An index partition is a scope and a field, so every field has statistics of
its own and a search names the fields it wants: what was said in conversations (`turn`) never crowds out what is known
(`text`), and the other way round; what sums both up (`digest`) crowds out neither. Invariants: nothing here touches
what an index is derived from, except for stored vectors that are none: a vector is made again from its text; what is
indexed is a pure function of the stored content, kind, tier and whether it is sealed, so a rebuild gives the same
index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from palazzo.errors import CorruptPalace
from palazzo.model.memory import SECTIONED, RevisionDraft, Tier
from palazzo.store.api import Field
from palazzo.store.api.keeping import Damaged
from palazzo.store.index.tables import Tables
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sql.port import Connection, EngineError
from palazzo.store.sql.tables import SqlTables
from palazzo.text.safety.personal import outline
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import terms

TEXT, VECTOR = "text index", "vector index"
TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    TEXT: ("text_posting", "text_segment", "text_late", "text_doc", "text_scope"),
    VECTOR: (
        "vector_tail", "vector_code", "vector_block", "vector_centroids", "vector_partition", "vector", "vector_space",
    ),
}  # fmt: skip
"""The tables of each index."""
_VERIFY: Final[Mapping[str, Callable[[Tables], list[str]]]] = {
    TEXT: text_index.verify, VECTOR: vectors.verify,
}  # fmt: skip
_UNUSABLE = (EngineError, CorruptPalace, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
"""What reading a damaged index ends in."""


def damaged(connection: Connection) -> list[Damaged]:
    """The indexes that are not what they should be."""
    return [Damaged(name, "", "") for name in _VERIFY if not is_whole(connection, name)]


def is_whole(connection: Connection, name: str) -> bool:
    """Whether an index can be read to its end and agrees with itself."""
    try:
        return not _VERIFY[name](SqlTables(connection))
    except _UNUSABLE:
        return False


def empty_text(connection: Connection) -> None:
    """Takes everything out of the text index (inside a write transaction). Its generations go on: caches go by them."""
    for table in ("text_posting", "text_segment", "text_late", "text_doc"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("DELETE FROM text_scope WHERE scope < 0")
    connection.execute(
        """UPDATE text_scope SET docs = 0, length = 0, tail = 0, high = 0, applied = 0,
             generation = generation + 1, structure = structure + 1"""
    )


def drop_unusable_vectors(connection: Connection) -> int:
    """Takes out stored vectors that are none, and what counts them; returns how many. Their texts are embedded again.

    Reads every row of `vector`, of each only its header.
    """
    connection.execute(
        """DELETE FROM vector WHERE typeof(data) <> 'blob' OR typeof(scope) <> 'integer' OR scope < 0
           OR length(data) <> 2 * (SELECT dimensions FROM vector_space WHERE id = vector.id >> 48)"""
    )
    removed = connection.changes()
    connection.execute(
        """DELETE FROM vector_partition WHERE typeof(space) <> 'integer' OR typeof(scope) <> 'integer'
           OR typeof(stamp) <> 'integer' OR typeof(removals) <> 'integer' OR typeof(generation) <> 'integer'
           OR typeof(building) <> 'integer'"""
    )
    return removed


NUMBERS: dict[Field, int] = {"text": 0, "prospects": 1, "turn": 2, "hidden": 3, "hidden_turn": 4, "digest": 5}
HIDDEN: dict[Field, Field] = {"text": "hidden", "turn": "hidden_turn", "digest": "hidden"}
"""Where the turned vectors of sealed confidential memories are, beside those of the field: no text, no terms."""
WIDTH = 8  # room for fields to come without renumbering
TURN_KIND = "exchange"
_OWN_FIELD: Final[Mapping[str, Field]] = {TURN_KIND: "turn", "digest": "digest"}


def partition(scope: int, field: Field = "text") -> int:
    """The index partition of a field of a scope."""
    return scope * WIDTH + NUMBERS[field]


def partitions(scope: int) -> tuple[int, ...]:
    """Every partition of a scope."""
    return tuple(scope * WIDTH + number for number in NUMBERS.values())


def main_field(kind: str) -> Field:
    """The field that holds the text itself, and its vector."""
    return _OWN_FIELD.get(kind, "text")


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
    """The terms to index, per field. The text also carries who said it and what it is called, so that a name in a cue
    finds it; a text that is read section by section is found by its beginning."""
    speaker, title = content.detail.speaker, content.detail.title
    text = content.text if kind != "document" else content.text[:SECTIONED]
    if title:
        text = f"{title}\n{text}"
    if text.isascii() and speaker.isascii():  # no word of plain letters goes beyond a blank: the text is known as it is
        words = [*parsed(speaker).terms, *parsed(text).terms]
    else:
        words = list(parsed(f"{speaker} {text}" if speaker else text).terms)
    found: list[tuple[Field, list[str]]] = [(main_field(kind), words)]
    if content.detail.prospects:
        found.append(("prospects", [term for said in content.detail.prospects for term in parsed(said).terms]))
    return found
