"""What a draft is weighed against: memories the writer may see, and those of the same batch that are not written yet.

Owns the finding of candidates: by wording, by slot, by address, by text search, and the same four inside the batch.
Knows nothing of what is decided about them. Invariant: a memory that the batch has changed is seen as changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
import numpy as np
from msgspec.structs import replace

from palazzo.errors import NotFound
from palazzo.intake.values import DRAWN_STAGE, OBSERVED, SECTION_KIND, TURN_KIND, Draft
from palazzo.model.address import Kref, Place
from palazzo.model.kinds import GIVEN
from palazzo.model.memory import TIERED, Atom, Memory
from palazzo.model.scope import Scope
from palazzo.store.api import KnownText, Reading, Store, VectorSearch
from palazzo.text.reader.matter import toward
from palazzo.text.statements.propositions import in_third_person
from palazzo.text.words.lexicon import ENGLISH
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.similarity import wording_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAREST = 8
NEAREST_FIGURES = 16
"""A figure is compared with more: what it is a figure of may be said in few words among many of the same matter."""
LOOKED_FOR = 8
MOST_DRAWN = 5_000
"""Sections of, or statements drawn from, one memory that are looked at."""
WITHIN_US = 3_600_000_000
"""What is told again within the hour is told again: its words decide, however near the meaning of two vectors is."""
COMMON = 64
"""A word that more memories of a batch share tells nothing about which of them is near."""
_EVERYWHERE = frozenset({"user", "other"})
_FIGURE = re.compile(r"\d")


class Held(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A memory that is known or about to be; `key` is its revision's key, None while it is not written."""

    memory_id: UUID
    revision: int
    text: str
    statement: str
    kind: str
    scope: Scope
    place: Place
    valid_from_us: int
    atoms: tuple[Atom, ...] = ()
    key: int | None = None
    stated_us: int | None = None
    """When it was said, None while nobody has looked; not when it holds."""
    vectors: Mapping[str, NDArray[np.float32]] = msgspec.field(default_factory=dict)
    metadata: Mapping[str, Any] | None = None
    """None also where nobody has looked."""
    title: str = ""

    @property
    def given(self) -> bool:
        """Whether it is kept as it was given, so that no statement says the same, more, or something else instead."""
        return self.kind in GIVEN


def statement_of(text: str, key_fact: str, kind: str) -> str:
    """What a kept text states, with whoever says "I" in it called the user: it is kept in their own words."""
    if key_fact and len(text) <= TIERED:
        return key_fact
    return text if kind in GIVEN or len(text) <= TIERED else _in_third_person(text)


@once
def _in_third_person(text: str) -> str:
    return in_third_person(text, "the user", "the assistant") if parsed(text).language == ENGLISH else text


def held_from(memory: Memory) -> Held:
    """A stored memory as a candidate."""
    content = memory.revision.content
    return Held(
        memory_id=memory.id, revision=memory.revision.number, text=content.text,
        statement=statement_of(content.text, content.key_fact, memory.kind), kind=memory.kind,
        scope=memory.scope, place=memory.place, valid_from_us=content.valid_from_us or memory.created_us,
        atoms=content.atoms, key=memory.revision.key, metadata=content.detail.metadata, title=content.detail.title,
    )  # fmt: skip


def _held(found: KnownText) -> Held:
    return Held(
        memory_id=found.memory_id, revision=found.number, text=found.text,
        statement=statement_of(found.text, found.key_fact or "", found.kind), kind=found.kind,
        scope=found.scope, place=found.place, valid_from_us=found.valid_from_us,
        key=found.key,
    )  # fmt: skip


@once
def word_set(text: str) -> frozenset[str]:
    """The terms of a text, as a set; candidates come again and again."""
    return frozenset(parsed(text).terms)


@once
def matter_of(text: str) -> frozenset[str]:
    """The content words of a statement without those that stand in every one."""
    return frozenset(parsed(text).content_terms) - _EVERYWHERE


def _telling(text: str) -> tuple[str, ...]:
    """The words to look for: those that tell most, which long words and figures do."""
    found = tuple(dict.fromkeys(parsed(text).content_terms))
    if len(found) <= LOOKED_FOR:
        return found
    order = sorted(range(len(found)), key=lambda at: (not any(map(str.isdigit, found[at])), -len(found[at]), at))
    return tuple(found[at] for at in order[:LOOKED_FOR])


class _Search(msgspec.Struct, frozen=True):
    """Which words to look for, how many memories to compare with, and those of the palace that were found."""

    words: tuple[str, ...]
    limit: int
    stored: list[Held] = msgspec.field(default_factory=list)


def _search_for(statement: str) -> _Search:
    return _Search(_telling(statement), NEAREST_FIGURES if _FIGURE.search(statement) else NEAREST)


def drawn_from(reading: Reading, document: UUID) -> list[Memory]:
    """The sections of a document and the statements drawn from it or from them, and from nothing else; or those drawn
    from a turn alone."""
    found: dict[UUID, Memory] = {}
    of = [document]
    for source in of:  # grows by the sections as they are met
        for edge in reading.edges.of(source, "in", MOST_DRAWN):
            if edge.kind == "derived_from" and edge.source.memory_id not in found:
                memory = found[edge.source.memory_id] = reading.memories.get(edge.source.memory_id)
                if memory.kind == SECTION_KIND:
                    of.append(memory.id)
    within, turn = set(of), reading.memories.get(document).kind == TURN_KIND
    stages = {DRAWN_STAGE, OBSERVED} if turn else {DRAWN_STAGE}
    return [memory for memory in found.values() if _only_within(reading, memory.id, within, stages)]


def _only_within(reading: Reading, memory_id: UUID, given: set[UUID], stages: set[str]) -> bool:
    """Whether nobody said it but these documents and sections, or this turn: whatever turn tells it has a link."""
    edges = [edge for edge in reading.edges.of(memory_id, "out", MOST_DRAWN) if edge.kind == "derived_from"]
    if any(edge.target.memory_id not in given for edge in edges):
        return False
    return all(source.stage in stages for source in reading.provenance.sources_of(memory_id))


class Known:
    """Candidates for one scope: a reading of the palace and the ledger of the batch."""

    def __init__(self, store: Store, reading: Reading, scope: Scope, forgotten: Iterable[UUID] = ()) -> None:
        """`forgotten` is what the batch takes out of belief before anything of it is weighed."""
        self._store = store
        self.reading = reading
        self.scope = scope
        # By the number of a memory's id: an id itself is hashed in Python, a hundred thousand times in a large batch.
        self._now: dict[int, Held | None] = dict.fromkeys(memory_id.int for memory_id in forgotten)
        self._worded: dict[bytes, list[int]] = {}
        self._slotted: dict[tuple[str, str], list[int]] = {}
        self._termed: dict[str, list[int]] = {}
        self._names: dict[tuple[Place, str, str], int] = {}
        self._called: dict[str, list[int]] = {}
        self._editions: dict[UUID, list[Held]] = {}
        self._sections: dict[str, Held] = {}
        self._stored_wordings: dict[bytes, list[Memory]] = {}
        self._stored_slots: dict[tuple[str, str], list[Memory]] = {}
        self._searches: dict[str, _Search] = {}
        self._waiting: list[Held] = []
        """Made or changed by the batch and not in the ledger yet: the last of a batch is never asked for."""

    def prepare(self, drafts: Iterable[Draft], compared: Iterable[Draft]) -> None:
        """Looks up wordings and slots of a whole batch at once, and what is near to those that will be compared."""
        wanted = [draft for draft in drafts if not draft.whole]
        self._stored_wordings = self.reading.known.with_wording(
            list({wording_key(text) for draft in wanted for text in {draft.text, draft.statement}})
        )
        self._stored_slots = self.reading.known.with_slots(
            {(a.subject, a.predicate) for draft in wanted for a in draft.findings.atoms if a.functional}
        )

        self._searches = {draft.statement: _search_for(draft.statement) for draft in compared}
        asked = [search for search in self._searches.values() if search.words]
        found = self.reading.known.nearest([(search.words, search.limit) for search in asked])
        once = {candidate.key: _held(candidate) for candidates in found for candidate in candidates}
        for search, candidates in zip(asked, found, strict=True):
            search.stored.extend(once[candidate.key] for candidate in candidates)

    def _seen(self, found: Iterable[Held]) -> list[Held]:
        """Each memory once, as the batch has left it; those it took out of belief are gone."""
        seen: dict[int, Held] = {}
        now = self._now
        for held in found:
            number = held.memory_id.int
            current = now.get(number, held)
            if current is not None:
                seen.setdefault(number, current)
        return list(seen.values())

    def _batch(self, numbers: Iterable[int]) -> list[Held]:
        return [held for number in numbers if (held := self._now.get(number)) is not None]

    def worded_as(self, text: str) -> list[Held]:
        """Memories that say the same in the same words, by their wording key."""
        self._enter()
        key = wording_key(text)
        stored = self._seen(held_from(memory) for memory in self._stored_wordings.get(key, ()))
        return [h for h in [*stored, *self._batch(self._worded.get(key, ()))] if wording_key(h.text) == key]

    def filling(self, atoms: Sequence[Atom]) -> list[Held]:
        """Memories that fill one of the functional slots, newest first."""
        self._enter()
        found: list[Held] = []
        for slot in {(atom.subject, atom.predicate) for atom in atoms if atom.functional}:
            found += self._batch(reversed(self._slotted.get(slot, ())))
            found += (held_from(memory) for memory in self._stored_slots.get(slot, ()))
        return self._seen(found)

    def near(self, draft: Draft, *, in_meaning: bool = False) -> list[Held]:
        """The most similar memories by their words, or in meaning, whatever their words.

        By words the draft is one of those `prepare` was told of.
        """
        if in_meaning:
            return self._alike(draft)
        self._enter()
        search = self._searches[draft.statement]
        postings = (self._termed.get(word, ()) for word in search.words)
        shared = Counter(chain.from_iterable(found for found in postings if len(found) <= COMMON))
        ranked = shared.most_common(search.limit)
        fresh = [number for number, count in ranked if count > 1 or len(search.words) == 1]
        return self._seen([*self._batch(fresh), *search.stored])

    def _alike(self, draft: Draft) -> list[Held]:
        """The memories of the palace nearest to the matter of a draft, whatever their words; none where it has no
        vector."""
        for space, vector in draft.vectors.items():
            if self.reading.search.space(space) is not None:
                sought = VectorSearch(vector=toward(space, vector), space=space, limit=NEAREST)
                hits = self.reading.search.vector(sought)
                return self._seen(_held(found) for found in self.reading.known.of(hits.keys.tolist()))
        return []

    def at_address(self, place: Place, name: str, kind: str) -> Held | None:
        """The memory of this scope at an address, if this writer sees it."""
        if (fresh := self._names.get((place, name, kind))) is not None:
            return self._now.get(fresh)
        kref = Kref(palace="", place=place, name=name, kind=kind, revision=None, tag=None, at=None, artifact=None)
        try:
            memory = self.reading.memories.at_address(kref)
        except NotFound:
            return None
        held = held_from(memory)
        return self._now.get(memory.id.int, held) if memory.scope == self.scope else None

    def called(self, title: str, place: Place | None, kind: str) -> Held | None:
        """The memory of this scope with this title, at one place or wherever it is, of one kind or any; the newest."""
        stored = self.reading.known.titled(title, place)
        mine = [held_from(memory) for memory in stored if memory.scope == self.scope and memory.title in ("", title)]
        fresh = self._batch(reversed(self._called.get(title, ())))
        for held in self._seen([*fresh, *mine]):
            if (place is None or held.place == place) and kind in ("", held.kind):
                return held
        return None

    def open_edition(self, document: UUID) -> None:
        """Looks up what was drawn from a document, of which a further edition may have some again."""
        drawn = [held_from(memory) for memory in drawn_from(self.reading, document)]
        self._editions[document] = drawn
        self._sections.update({held.text: held for held in drawn if held.kind == SECTION_KIND})

    def section(self, text: str) -> Held | None:
        """A section of a former edition with these very words."""
        return self._sections.get(text)

    def drawn_from(self, document: UUID) -> Sequence[Held]:
        """What was drawn from a document whose edition was opened, and from nothing else."""
        return self._editions.get(document, ())

    def held(self, memory_id: UUID) -> Held | None:
        """A memory of this scope by its id, if this writer sees it and the batch left it in belief."""
        if memory_id.int in self._now:
            return self._now[memory_id.int]
        try:
            memory = self.reading.memories.get(memory_id)
        except NotFound:
            return None
        return held_from(memory) if memory.scope == self.scope else None

    def free_name(self, place: Place, name: str, kind: str) -> bool:
        """Whether an address is free in this scope, in the palace and in the batch."""
        address = (place, name, kind)
        return address not in self._names and not self.reading.known.taken(self.scope, [address])

    def add(self, held: Held, name: str) -> None:
        """Enters a memory that the batch makes."""
        self._names[held.place, name, held.kind] = held.memory_id.int
        if held.title:
            self._called.setdefault(held.title, []).append(held.memory_id.int)
        self._now[held.memory_id.int] = held
        self._waiting.append(held)

    def change(self, before: Held, after: Draft, text: str) -> Held:
        """Enters a new revision of a memory, and returns it."""
        held = replace(
            before, revision=before.revision + 1, text=text, statement=after.statement, key=None,
            atoms=after.findings.atoms, valid_from_us=after.findings.valid_from_us or before.valid_from_us,
            vectors=after.vectors, stated_us=after.letter.at_us,
            metadata=before.metadata if after.letter.message.metadata is None else after.letter.message.metadata,
        )  # fmt: skip
        self._now[held.memory_id.int] = held
        self._waiting.append(held)
        return held

    def stated_us(self, held: Held) -> int:
        """When the current content of a memory was last said."""
        if held.stated_us is not None:
            return held.stated_us
        sources = self.reading.provenance.sources_of(held.memory_id)
        return max((source.node.at_us for source in sources), default=held.valid_from_us)

    def remove(self, held: Held) -> None:
        """Takes a memory out of what is believed."""
        self._now[held.memory_id.int] = None

    def _enter(self) -> None:
        for held in self._waiting:
            number = held.memory_id.int
            self._worded.setdefault(wording_key(held.text), []).append(number)
            if held.given:
                continue
            for atom in held.atoms:
                if atom.functional:
                    self._slotted.setdefault((atom.subject, atom.predicate), []).append(number)
            for word in matter_of(held.statement):
                self._termed.setdefault(word, []).append(number)
        self._waiting.clear()


def just_told(known: Known, draft: Draft, held: Held) -> bool:
    """Whether a memory was last told within an hour of a draft."""
    return abs(draft.letter.at_us - known.stated_us(held)) <= WITHIN_US


def cosines(known: Known, draft: Draft, candidates: Sequence[Held], *, of_matter: bool = False) -> list[float | None]:
    """The cosine of a draft and each memory in the first space both have a vector in, with one look at the index; how
    near it is in meaning, or how likely of one matter."""
    found: list[float | None] = [None] * len(candidates)
    search = known.reading.search
    for name, own in draft.vectors.items():
        space, vector = search.space(name), toward(name, own) if of_matter else own
        keys = sorted({held.key for held in candidates if held.key is not None})
        scored: dict[int, float] = {}
        if space is not None and keys:
            scores = search.similarities(space, vector, np.asarray(keys, np.int64))
            scored = {key: float(one) for key, one in zip(keys, scores, strict=True) if not np.isnan(one)}
        for at, held in enumerate(candidates):
            if found[at] is None:
                fresh = held.key is None and name in held.vectors
                found[at] = float(vector @ held.vectors[name]) if fresh else scored.get(held.key or -1)
    return found
