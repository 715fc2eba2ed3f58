"""The Engine: composes the rooms into one working memory. It has no logic of its own beyond putting parts in order.

Knows the store, the vector spaces and the clock. Invariants: no model is called inside a write transaction; a missing
or failing embedder never fails a write, the memory is stored without a vector and is filled in later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from mnemon.model.address import Place, slug
from mnemon.mind.backfill import Spaces
from mnemon.model.change import Attachments, Change, PlaceMemory, Receipt
from mnemon.model.ids import new_id
from mnemon.model.memory import Memory, RevisionDraft
from mnemon.model.scope import GLOBAL, Scope
from mnemon.model.view import View
from mnemon.ports import Clock
from mnemon.store import memories, search
from mnemon.store.store import Store
from mnemon.text.tokens import terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A text to keep as it is, with where it belongs. An empty name is made from the text."""

    text: str
    place: str = "forest.today"
    kind: str = "fact"
    name: str = ""
    scope: Scope = GLOBAL
    author: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of notes: their ids and the journal range; `pending_vectors` says why vectors are missing, if so."""

    memory_ids: tuple[UUID, ...]
    receipt: Receipt
    pending_vectors: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that a search found, and how: its rank by text and by vector (None: not found that way)."""

    memory: Memory
    text_rank: int | None
    vector_rank: int | None


class Engine:
    """One palace with its parts."""

    def __init__(self, store: Store, clock: Clock, spaces: Spaces) -> None:
        self.store = store
        self.clock = clock
        self.spaces = spaces

    def keep(self, notes: Sequence[Note], *, subject: str = "operator") -> Kept:
        """Stores texts verbatim, each a memory of its own, in one transaction."""
        embedded = self.spaces.embed([note.text for note in notes])
        changes: list[Change] = []
        for number, note in enumerate(notes):
            memory_id = new_id(self.clock.now_us())
            vector = {space: rows[number] for space, rows in embedded.by_space.items()}
            changes.append(
                PlaceMemory(
                    memory_id=memory_id, place=Place.parse(note.place), kind=note.kind, scope=note.scope,
                    name=note.name or f"{slug(note.text, 40)}-{memory_id.hex[-6:]}",
                    content=RevisionDraft(text=note.text, author=note.author),
                    attachments=Attachments(vectors=vector),
                )
            )  # fmt: skip
        receipt = self.store.commit(changes, subject=subject)
        ids = tuple(change.memory_id for change in changes if isinstance(change, PlaceMemory))
        return Kept(ids, receipt, embedded.pending)

    def find(self, cue: str, view: View, limit: int = 10) -> tuple[Found, ...]:
        """Memories found by text and by vector, those found both ways first, then by their better rank."""
        space, vector, _ = self.spaces.query(cue)
        with self.store.reading(view) as reading:
            by_text = search.text(self.store, reading, search.TextSearch(terms=tuple(terms(cue)), limit=limit * 3))
            ranks: dict[int, list[int | None]] = {}
            for rank, key in enumerate(by_text.keys.tolist(), 1):
                ranks[key] = [rank, None]
            if vector is not None:
                near = search.vector(
                    self.store, reading, search.VectorSearch(vector=vector, space=space, limit=limit * 3)
                )
                for rank, key in enumerate(near.keys.tolist(), 1):
                    ranks.setdefault(key, [None, None])[1] = rank
            best = sorted(ranks, key=lambda key: sum(1 / (5 + r) for r in ranks[key] if r is not None), reverse=True)
            found = memories.by_keys(reading, best[:limit])
        return tuple(Found(found[key], *ranks[key]) for key in best[:limit] if key in found)

    def close(self) -> None:
        """Closes the palace. Safe to call twice."""
        self.store.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
