"""Records of another palace on their way in: the same stages as any text, and nothing believed that they say of
themselves.

Of a record its words, address, times, history, tags, edges and sources are kept. What can be made from the words
(atoms, summaries, topics, vectors, tier) is made here again. Confidence is half at most, nothing is pinned, the author
is the import, and the record's own sources stand behind it as what they are: hearsay. Invariant: a memory that is
there is never changed by a record, whatever its id.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput
from palazzo.intake.extract import VectorSource, anticipate, embed, extract
from palazzo.intake.screen import Desk, admit, screen
from palazzo.intake.values import TURN_KIND, Draft, Policy
from palazzo.model.address import ROOT, Place
from palazzo.model.belief import IMPORTED_AT_MOST, VERIFIED_TAG
from palazzo.model.capability import VAULT, View
from palazzo.model.change import Attachments, Change, LinkProvenance, RestoredRevision, RestoreMemory
from palazzo.model.graph import (
    ENTITY_KINDS,
    NODE_KINDS,
    MentionDraft,
    ProvenanceEdge,
    ProvenanceNode,
    RelationDraft,
    Source,
)
from palazzo.model.ids import new_id
from palazzo.model.kinds import KindTable
from palazzo.model.memory import (
    STANDING_TAG,
    TEXT_LIMIT_BYTES,
    TIERED,
    TIERS,
    Artifact,
    Detail,
    RevisionDraft,
    TagMove,
    Tier,
)
from palazzo.model.message import Letter, Message
from palazzo.model.record import Record, RecordedNode, RecordedRevision
from palazzo.model.scope import Scope
from palazzo.store.api import Reading, Store
from palazzo.text.safety import gate
from palazzo.text.safety.injection import FLAG_AT, score_injection
from palazzo.text.safety.secrets import find_secrets
from palazzo.text.statements.tiers import make_tiers

MOST_REVISIONS: Final = 10_000
MOST_HANGING: Final = 1000
LONGEST_NAME: Final = 200
MOST_TURNS: Final = 1 << 40
_LATEST_US: Final = 253_402_300_799_000_000
MOST_TOLD: Final = 4000
"""Characters of what is told of a happening."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_TAG = re.compile(r"[\w][\w.:-]{0,63}")
_KEPT_TAGS: Final = frozenset({"initial", VERIFIED_TAG, STANDING_TAG})
"""Tags the palace sets by itself."""


class Origin(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Where records come from, and the scope they must lie in."""

    file: str
    format: str
    scope: Scope

    @property
    def author(self) -> str:
        return f"import:{self.format}"


@dataclass(slots=True)
class Prepared:
    """What a batch of records becomes: changes by memory, refusals with their reason, and what was missing."""

    changes: dict[UUID, list[Change]] = field(default_factory=dict)
    texts: dict[UUID, str] = field(default_factory=dict)
    refused: dict[UUID, str] = field(default_factory=dict)
    redacted: set[UUID] = field(default_factory=set)
    degraded: tuple[str, ...] = ()


class Restored(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What became of a batch: new ones, those that were there (and whether an import brought them), and refusals."""

    new: tuple[UUID, ...]
    known: Mapping[UUID, bool]
    refused: Mapping[UUID, str]
    redacted: int
    degraded: tuple[str, ...] = ()


class Settled(msgspec.Struct, frozen=True, gc=False):
    """The changes of a batch, and what they amount to."""

    changes: list[Change]
    result: Restored


class RestoreRules(msgspec.Struct, frozen=True, gc=False):
    """What preparing needs to know."""

    policy: Policy
    kinds: KindTable
    now_us: int
    origin: Origin


def prepare(records: Sequence[Record], rules: RestoreRules, vectors: VectorSource) -> Prepared:
    """Screens records and makes everything about them that can be made here."""
    made = Prepared()
    accepted: list[tuple[Record, list[Letter]]] = []
    for record in records:
        try:
            letters = _letters(record, rules)
        except InvalidInput as error:
            made.refused[record.id] = error.message
            continue
        current = letters[record.revisions.index(record.current)]
        if current.wholly:
            made.refused[record.id] = f"holds what is never stored: {current.barred[0][2]}"
            continue
        if any(letter.barred for letter in letters):
            made.redacted.add(record.id)
        made.texts[record.id] = current.text
        accepted.append((record, letters))
    drafts = anticipate(extract([_draft(r, letter) for r, letters in accepted for letter in letters]))
    drafts, pending = embed(drafts, vectors)
    made.degraded = (f"vectors: {pending}",) if pending else ()
    rest = iter(drafts)
    for record, letters in accepted:
        own = [next(rest) for _ in letters]
        made.changes[record.id] = _changes(record, own, rules)
    return made


def settle(made: Prepared, records: Sequence[Record], store: Store) -> Settled:
    """Leaves out what is there already, and finds a free name where another memory has the address."""
    changes: list[Change] = []
    new: list[UUID] = []
    known: dict[UUID, bool] = {}
    refused = dict(made.refused)
    taken: set[tuple[str, str, str, str]] = set()
    seats: set[tuple[Scope, str, str, int]] = set()
    with store.reading(View(all_scopes=True)) as reading:
        there = reading.records.standing([record.id for record in records])
        for record in records:
            if record.id in refused:
                continue
            if (held := there.get(record.id)) is not None:
                if held.text == made.texts[record.id]:
                    known[record.id] = held.imported
                else:
                    refused[record.id] = "another memory has this id"
                continue
            place, link = made.changes[record.id][0], made.changes[record.id][1:]
            if isinstance(place, RestoreMemory):
                address = (place.place, place.name, place.kind)
                if reading.known.taken(place.scope, [address]) or (record.scope, *map(str, address)) in taken:
                    place = replace(place, name=f"{place.name[:180]}-{record.id.hex[-12:]}")
                taken.add((record.scope, str(place.place), place.name, place.kind))
                place = _seated(place, reading, seats)
            changes += [place, *link]
            new.append(record.id)
    redacted = len(made.redacted & set(new))
    return Settled(
        changes,
        Restored(new=tuple(new), known=known, refused=refused, redacted=redacted, degraded=made.degraded),
    )


def _seated(change: RestoreMemory, reading: Reading, seats: set[tuple[Scope, str, str, int]]) -> RestoreMemory:
    """The memory with its turn where it stood, or at the end, or, if people talked there, in a thread of its own."""
    first = change.revisions[0]
    turn = first.attachments.turn
    if turn is None:
        return change
    if reading.records.seat(change.scope, turn) == "strange":
        turn = replace(turn, thread=f"import {turn.thread}")
    seat = (change.scope, turn.thread, turn.session, turn.position)
    if seat in seats or reading.records.seat(change.scope, turn) != "free":
        turn = replace(turn, position=-1)
    seats.add(seat)
    moved = replace(first, attachments=replace(first.attachments, turn=turn))
    return replace(change, revisions=(moved, *change.revisions[1:]))


def _letters(record: Record, rules: RestoreRules) -> list[Letter]:
    """The words of each revision, admitted and screened.

    Raises: InvalidInput saying what is wrong with the record.
    """
    scope = Scope.parse(record.scope)
    if not rules.origin.scope.is_prefix_of(scope):
        raise InvalidInput(f"belongs to the scope {record.scope or 'global'!r}, outside of the one it is imported into")
    if VAULT.contains(Place.parse(record.place)):
        raise InvalidInput("stands in the vault, which no import reaches")
    ROOT.child(record.name)
    if len(record.name) > LONGEST_NAME:
        raise InvalidInput(f"its name is longer than {LONGEST_NAME} characters")
    numbers = [revision.number for revision in record.revisions]
    if not numbers or len(numbers) > MOST_REVISIONS or numbers != list(range(1, len(numbers) + 1)):
        raise InvalidInput("its revisions are not numbered from 1 on")
    if any(len(revision.text.encode(errors="replace")) > TEXT_LIMIT_BYTES for revision in record.revisions):
        raise InvalidInput(f"a revision is longer than {TEXT_LIMIT_BYTES} bytes")
    desk = Desk("remember", rules.policy, rules.kinds, rules.now_us)
    messages = [
        Message(
            text=revision.text, at_us=_within(revision.created_us, rules.now_us), source="import", kind=record.kind,
            place=record.place, name=record.name, scope=scope, verbatim=True, author=rules.origin.author,
        )
        for revision in record.revisions
    ]  # fmt: skip
    return screen(admit(messages, desk))[0]


def _draft(record: Record, letter: Letter) -> Draft:
    return Draft(
        letter=letter, text=letter.text, statement=letter.text, start=0, end=len(letter.text),
        whole=record.kind == TURN_KIND,
    )  # fmt: skip


def _changes(record: Record, drafts: Sequence[Draft], rules: RestoreRules) -> list[Change]:
    nodes: dict[RecordedNode, ProvenanceNode] = {}
    own = ProvenanceNode(
        id=new_id(rules.now_us), kind="import", at_us=rules.now_us, author=rules.origin.author,
        label=f"{rules.origin.file}: {record.id}",
    )  # fmt: skip
    edges: dict[ProvenanceEdge, None] = {}
    revisions = []
    for revision, draft in zip(record.revisions, drafts, strict=True):
        for source in revision.sources[:MOST_HANGING]:
            near = _node(source.node, nodes, rules)
            edges[ProvenanceEdge("caused_by", own.id, near.id)] = None
            for behind in source.behind[:MOST_HANGING]:
                far = _node(behind, nodes, rules)
                if far.at_us <= near.at_us and far.id != near.id:
                    edges[ProvenanceEdge("caused_by", near.id, far.id)] = None
        attachments = _attachments(record, revision, draft, own)
        at_us = _within(revision.created_us, rules.now_us)
        revisions.append(RestoredRevision(created_us=at_us, content=_content(revision, draft), attachments=attachments))
    place = RestoreMemory(
        memory_id=record.id, place=Place.parse(record.place), name=record.name, kind=record.kind,
        scope=Scope.parse(record.scope), created_us=_within(record.created_us, rules.now_us),
        revisions=tuple(revisions), moves=_moves(record, rules.now_us), tier=_tier(record, drafts),
        state="archived" if record.state == "archived" else "active",
        deprecated_us=None if record.deprecated_us is None else _within(record.deprecated_us, rules.now_us),
    )  # fmt: skip
    link = LinkProvenance(edges=tuple(edges), nodes=tuple(nodes.values()))
    return [place, link] if edges else [place]


def _within(us: int, now_us: int) -> int:
    return min(max(us, 0), now_us)


def _content(revision: RecordedRevision, draft: Draft) -> RevisionDraft:
    text, found = draft.letter.text, draft.findings
    tiers = make_tiers(text) if len(text) > TIERED else None
    begin, end = (None if us is None or not 0 <= us <= _LATEST_US else us
                  for us in (revision.valid_from_us, revision.valid_to_us))  # fmt: skip
    return RevisionDraft(
        text=text,
        summary=tiers.summary if tiers and tiers.summary != text else "",
        key_fact=tiers.key_fact if tiers and tiers.key_fact != text else "",
        label=" ".join(found.keywords[:5]), atoms=found.atoms,
        detail=Detail(
            topics=found.topics, keywords=found.keywords, events=found.events, prospects=draft.prospects,
            language=found.language, steps=found.steps, speaker=plain(revision.detail.speaker, 80),
            flags=draft.letter.flags, metadata=gate.without_secrets(revision.detail.metadata),
        ),
        importance=_unit(revision.importance), confidence=min(_unit(revision.confidence), IMPORTED_AT_MOST),
        affect=found.affect, author=draft.letter.message.author, valid_from_us=begin, valid_to_us=end,
    )  # fmt: skip


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0


def _attachments(record: Record, revision: RecordedRevision, draft: Draft, node: ProvenanceNode) -> Attachments:
    span = revision.sources[0] if revision.sources else None
    start, end = (span.start, span.end) if span else (None, None)
    inside = start is not None and end is not None and 0 <= start <= end <= 1 << 31
    turn = record.turn if revision.number == 1 else None
    return Attachments(
        artifacts=_artifacts(revision),
        mentions=(*_mentions(revision), *draft.findings.mentions),
        relations=(*_relations(revision), *draft.findings.relations),
        sources=(Source(node=node, start=start if inside else None, end=end if inside else None, stage="import"),),
        turn=None if turn is None else replace(
            turn, position=turn.position if 0 <= turn.position < MOST_TURNS else -1, thread=plain(turn.thread, 200),
            session=plain(turn.session, 200), speaker=plain(turn.speaker, 80),
        ),
        vectors=draft.vectors,
    )  # fmt: skip


def _artifacts(revision: RecordedRevision) -> tuple[Artifact, ...]:
    found: dict[str, Artifact] = {}
    for artifact in revision.artifacts[:MOST_HANGING]:
        name, uri = plain(artifact.name, 200), plain(artifact.uri, 2000)
        size = artifact.size if artifact.size is not None and 0 <= artifact.size < 1 << 62 else None
        if name and uri:
            found[name] = Artifact(
                name, uri, plain(artifact.media_type, 100), size, plain(artifact.sha256 or "", 64) or None
            )
    return tuple(found.values())


def _mentions(revision: RecordedRevision) -> tuple[MentionDraft, ...]:
    return tuple(
        MentionDraft(name, mention.kind if mention.kind in ENTITY_KINDS else "other", plain(mention.text, 120))
        for mention in revision.mentions[:MOST_HANGING]
        if (name := plain(mention.name, 120))
    )


def _relations(revision: RecordedRevision) -> tuple[RelationDraft, ...]:
    found = []
    for relation in revision.relations[:MOST_HANGING]:
        subject, predicate, other = (
            plain(part, 120) for part in (relation.subject, relation.predicate, relation.object)
        )
        if subject and predicate and other:
            held = min(_unit(relation.confidence), IMPORTED_AT_MOST)
            found.append(RelationDraft(subject, predicate, other, held))
    return tuple(found)


def plain(text: str, limit: int) -> str:
    """A short text that stands beside a memory: one printable line; nothing if it holds a secret or instructs."""
    line = "".join(c for c in " ".join(text[: limit * 2].split()) if c.isprintable())[:limit]
    return "" if find_secrets(line) or score_injection(line).score >= FLAG_AT else line


def _node(told: RecordedNode, nodes: dict[RecordedNode, ProvenanceNode], rules: RestoreRules) -> ProvenanceNode:
    if told not in nodes:
        kinds: Mapping[str, str] = {kind: kind for kind in NODE_KINDS}
        nodes[told] = ProvenanceNode(
            id=new_id(rules.now_us), kind=kinds.get(told.kind, "import"),  # type: ignore[arg-type]
            at_us=_within(told.at_us, rules.now_us), label=plain(told.label, 300), author=plain(told.author, 120),
            metadata=told_of(told.metadata), sha256=told.sha256 if _DIGEST.fullmatch(told.sha256) else "",
        )  # fmt: skip
    return nodes[told]


def told_of(text: str) -> dict[str, Any] | None:
    """What is told of a happening or a link, if it is short, sound and harmless."""
    if not text or plain(text, MOST_TOLD) != text:
        return None
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError:
        return None


def _tier(record: Record, drafts: Sequence[Draft]) -> Tier:
    """The stricter of what the record says and what its words ask for."""
    return max((record.tier, *(draft.letter.tier for draft in drafts)), key=TIERS.index)


def _moves(record: Record, now_us: int) -> tuple[TagMove, ...]:
    """The tags' histories where they make sense; a current tag there is always."""
    found: dict[str, list[TagMove]] = {}
    for move in record.tags[: MOST_REVISIONS * 2]:
        if 1 <= move.revision <= len(record.revisions) and _TAG.fullmatch(move.tag) and move.tag not in _KEPT_TAGS:
            until = None if move.until_us is None else _within(move.until_us, now_us)
            found.setdefault(move.tag, []).append(
                TagMove(move.tag, move.revision, _within(move.from_us, now_us), until)
            )
    made: list[TagMove] = []
    for moves in found.values():
        if _continuous(moves):
            made += moves
    if not any(move.tag == "current" and move.until_us is None for move in made):
        made = [move for move in made if move.tag != "current"]
        last = len(record.revisions)
        made.append(TagMove("current", last, _within(record.revisions[-1].created_us, now_us), None))
    return tuple(made)


def _continuous(moves: list[TagMove]) -> bool:
    """Whether the intervals of a tag follow each other, at most the last of them open."""
    moves.sort(key=lambda move: move.from_us)
    return all(
        before.until_us is not None and before.from_us <= before.until_us <= after.from_us
        for before, after in pairwise(moves)
    ) and (moves[-1].until_us is None or moves[-1].from_us <= moves[-1].until_us)
