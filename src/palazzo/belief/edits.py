"""Edits: what happens to each memory when beliefs are added, given up or taken back, as changes for one transaction.

Owns how a revision's text and atoms change together, and when a memory is deprecated. Decides nothing about which
beliefs go. Invariants: a revision is never altered, a new one follows it with its sources, artifacts and mentions; a
memory is deprecated only when neither an atom nor a sentence of it is left; each changed memory has a version check.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from msgspec.structs import replace

from palazzo.belief.held import Bearer
from palazzo.belief.logic import Literal, literal_of
from palazzo.model.belief import IMPLIED, LOOK_AGAIN_US, WHOLE, Axes, RecordAudit
from palazzo.model.change import AddRevision, Attachments, Change, SetDeprecated
from palazzo.model.graph import EdgeDraft, Node
from palazzo.model.memory import Atom, Memory, RevisionDraft
from palazzo.store.api import Reading
from palazzo.text.words.sentences import split_sentences
from palazzo.text.words.tokens import normalise


@dataclass(slots=True)
class Edit:
    """What one memory loses and gains. `before` is its current state, `text` what the addition says."""

    before: Memory
    lost: list[Atom] = field(default_factory=list)
    gained: list[Atom] = field(default_factory=list)
    text: str = ""
    restored: RevisionDraft | None = None
    content: RevisionDraft | None = None
    edges: list[EdgeDraft] = field(default_factory=list)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms afterwards: what is kept, then what is gained, each once."""
        gone = {literal_of(atom) for atom in self.lost}
        base = () if self.before.deprecated else self.before.revision.content.atoms
        kept = [atom for atom in base if literal_of(atom) not in gone]
        known = {literal_of(atom) for atom in kept}
        for atom in self.gained:
            if literal_of(atom) in known:
                kept = [atom if literal_of(old) == literal_of(atom) else old for old in kept]
            else:
                kept.append(atom)
            known.add(literal_of(atom))
        return tuple(kept)


def phrase(atom: Atom) -> str:
    """An atom in words."""
    told = f"{atom.subject} {atom.predicate.replace('_', ' ')} {atom.value}"
    return f"not: {told}" if atom.negated else told


def without(text: str, lost: Sequence[Atom], kept: Sequence[Atom]) -> str:
    """The text without the sentences that state what was given up; those that also state what is kept stay, marked."""
    left: list[str] = []
    unseen = list(lost)
    for sentence in split_sentences(text):
        words = _plain(sentence.text)
        stated = [atom for atom in lost if _in(atom, words)]
        if not stated:
            left.append(sentence.text)
            continue
        unseen = [atom for atom in unseen if atom not in stated]
        if any(_in(atom, words) for atom in kept):
            marked = "; ".join(phrase(atom) for atom in stated)
            left.append(f"{sentence.text} [no longer held: {marked}]")
    rest = " ".join(left)
    if unseen and rest:
        rest += f" [no longer held: {'; '.join(phrase(atom) for atom in unseen)}]"
    return rest


def shaken(
    reading: Reading, given_up: Iterable[UUID], now_us: int, *, besides: Container[UUID] = ()
) -> tuple[RecordAudit, ...]:
    """The doubts about what rests on memories that are given up, directly or through others; the nearest one counts.

    Raises: NotFound.
    """
    found: dict[UUID, RecordAudit] = {}
    for premise in dict.fromkeys(given_up):
        for step in reading.edges.impact(premise):
            if step.memory_id == premise or step.memory_id in besides or step.memory_id in found:
                continue
            evidence = {"rests_on": str(premise), "number": reading.memories.get(premise).revision.number}
            found[step.memory_id] = RecordAudit(
                memory_id=step.memory_id, axes=Axes(semantic=IMPLIED), severity=IMPLIED,
                evidence=json.dumps(evidence), next_us=now_us + LOOK_AGAIN_US,
            )  # fmt: skip
    return tuple(found.values())


def _plain(text: str) -> str:
    words = re.findall(r"[\w+#]+", normalise(text))
    return f" {' '.join(words)} "


def _in(atom: Atom, words: str) -> bool:
    return _plain(atom.value) in words


class Edits:
    """The edits of one operation, by memory, in the order they were asked for."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._edits: dict[UUID, Edit] = {}

    def of(self, memory_id: UUID) -> Edit:
        """The edit of a memory, begun on first use; the reading must see deprecated memories.

        Raises: NotFound.
        """
        if memory_id not in self._edits:
            self._edits[memory_id] = Edit(self._reading.memories.get(memory_id))
        return self._edits[memory_id]

    def lose(self, bearers: Iterable[Bearer]) -> None:
        """Takes beliefs away where they stand; a rule goes as a whole."""
        for bearer in bearers:
            self.of(bearer.memory_id).lost.extend(bearer.atoms)

    def restore(self, bearer: Bearer) -> None:
        """Puts a belief back where it stood."""
        edit = self.of(bearer.memory_id)
        back = {literal_of(atom) for atom in bearer.atoms}
        edit.lost = [atom for atom in edit.lost if literal_of(atom) not in back]
        edit.gained.extend(bearer.atoms)
        edit.restored = _content_at(self._reading, bearer)

    def stand(self, memory_id: UUID, literal: Literal | None) -> int:
        """The position a literal has in the memory's next revision; the whole revision when there is none."""
        if literal is None:
            return WHOLE
        atoms = (
            self._edits[memory_id].atoms
            if memory_id in self._edits
            else self._reading.memories.get(memory_id).revision.content.atoms
        )
        return next((n for n, atom in enumerate(atoms) if literal_of(atom) == literal), WHOLE)

    def changes(self) -> list[Change]:
        """The changes, one revision per memory."""
        found: list[Change] = []
        for memory_id, edit in self._edits.items():
            found.extend(self._change(memory_id, edit))
        return found

    def _change(self, memory_id: UUID, edit: Edit) -> list[Change]:
        atoms = edit.atoms
        text = self._text(edit, atoms)
        before = edit.before
        if not atoms and not text:
            return [SetDeprecated(memory_id, deprecated=True, reason="nothing of it is believed any more")]
        content = edit.content or replace(
            before.revision.content,
            summary="", key_fact="", label="",
            detail=replace(before.revision.content.detail, prospects=()),
        )  # fmt: skip
        content = replace(content, text=text or "; ".join(map(phrase, atoms)), atoms=atoms)
        own = EdgeDraft("supersedes", Node(memory_id, before.revision.number))
        made: list[Change] = [
            AddRevision(
                memory_id=memory_id, content=content, expected=before.revision.number,
                attachments=self._carried(before, (own, *edit.edges)),
            )
        ]  # fmt: skip
        if before.deprecated:
            made.append(SetDeprecated(memory_id, deprecated=False, reason="believed again"))
        return made

    def _text(self, edit: Edit, atoms: tuple[Atom, ...]) -> str:
        kept = [atom for atom in atoms if atom not in edit.gained]
        if edit.before.kind == "rule":
            rest = edit.before.text if atoms else ""
        elif edit.before.deprecated:
            rest = ""
        else:
            rest = without(edit.before.text, edit.lost, kept) if edit.lost else edit.before.text
        added = edit.text
        if not added and edit.restored is not None:
            added = edit.restored.text
        if not added and edit.gained:
            added = "; ".join(map(phrase, edit.gained))
        return rest if added == rest else " ".join(part for part in (rest, added) if part)

    def _carried(self, before: Memory, edges: tuple[EdgeDraft, ...]) -> Attachments:
        """Sources, artifacts and mentions go along: a belief does not lose its grounds when a neighbour goes."""
        return Attachments(
            edges=edges,
            sources=self._reading.provenance.sources_of(before.id),
            artifacts=self._reading.artifacts.of(before.id),
            mentions=self._reading.beliefs.mentions_of(before.revision.key),
        )


def _content_at(reading: Reading, bearer: Bearer) -> RevisionDraft | None:
    history = reading.memories.history(bearer.memory_id)
    return next((one.content for one in history if one.number == bearer.number), None)
