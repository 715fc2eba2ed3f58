"""The gate: the one way for words into a palace. What passes it is screened, and has the tier its words ask for.

Owns which words of every change are read and what is done about them. Content (texts, statements, metadata, excerpts)
is sealed by its tier, so personal data in it sets the tier, and a secret in it is replaced by its class. What stands in
clear beside it (names, tags, reasons) cannot be sealed: it is refused with a secret, and in a palace with a key also
with personal data. Who says it, whose it is and where (speakers, scopes, threads, places) is told in clear and searched
for secrets alone.
Knows nothing of rows. Invariants: the store writes nothing but what this module made; an unknown change is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from palazzo.errors import Refused
from palazzo.model import belief as b
from palazzo.model import capability as g
from palazzo.model import change as c
from palazzo.model.address import slug
from palazzo.model.graph import ProvenanceNode, Source
from palazzo.model.memory import TIERS, Artifact, Atom, RevisionDraft, Tier
from palazzo.model.raw_event import AddRawEvents, PruneRawEvents
from palazzo.model.scope import Scope
from palazzo.model.slip import DropSlip, PutSlip
from palazzo.model.snapshot import DropSnapshot, KeepSnapshot
from palazzo.text.safety.personal import find_personal, tier_of
from palazzo.text.safety.secrets import Secret, find_secrets, redact
from palazzo.text.words.remembered import remembered

_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
"""Ids stand in reasons, and their figures can look like a telephone number."""
_MARKS: Final = frozenset({6, 8, 12, 32})
_HEAD: Final = 400
"""Characters of a text that its name may be made of."""
"""How many figures of its id the name of a memory may end in."""


class Gated(msgspec.Struct, frozen=True):
    """Changes as they may be written; made by `passed` alone. `notes` says what was taken out or stays in clear."""

    changes: tuple[c.Change, ...]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Desk:
    """What is known of a palace while a batch passes, and what was found in it."""

    keyed: bool
    tiers: set[Tier] = field(default_factory=set)
    redacted: set[str] = field(default_factory=set)


def passed(changes: Sequence[c.Change], *, keyed: bool, required: bool = False) -> Gated:
    """Changes as they may be written to a palace that has a key or not; `required`: without one nothing is guarded.

    Raises: Refused.
    """
    desk = _Desk(keyed)
    made = tuple(GATE[type(change)](desk, change) for change in changes)
    notes = unsealed(desk.tiers, keyed=keyed, required=required)
    if desk.redacted:
        notes += (f"screen: {' and '.join(sorted(desk.redacted))} taken out",)
    return Gated(made, notes)


def unsealed(tiers: Iterable[Tier], *, keyed: bool, required: bool) -> tuple[str, ...]:
    """Says that guarded text is kept in clear, for there is no key.

    Raises: Refused when that is not allowed.
    """
    found = sorted(set(tiers) - {"clear"})
    if not found or keyed:
        return ()
    if required:
        raise Refused(
            f"{found[0]} text is not kept in a palace without a key, `palazzo encrypt` gives it one",
            reason="unencrypted",
        )
    told = f"{' and '.join(found)} text is kept in clear, for the palace has no key"
    return (f"encryption: {told}; `palazzo encrypt --fields` seals it",)


def refuse_open(words: Iterable[str], what: str, *, keyed: bool) -> None:
    """Words that stand in clear whatever the tier of what they belong to.

    Raises: Refused with a secret in them, and in a palace with a key with personal data in them.
    """
    for word in words:
        if word and (reason := _unfit(word, keyed)):
            raise Refused(f"{what} stands in clear and may not hold this: {reason}", reason=reason)


def refuse_scope(scope: Scope) -> None:
    """Whose something is stands in clear, as does who says it.

    Raises: Refused with a secret in it.
    """
    refuse_open((value for _, value in scope.levels), "a scope", keyed=False)


def fits_open(word: str) -> bool:
    """Whether a word may stand in clear in a palace without a key."""
    return not word or not _unfit(word, keyed=False)


@remembered(4096)
def _unfit(word: str, keyed: bool) -> str:
    """Why a word may not stand in clear. Few are new: places, threads and tags come again and again."""
    read = _ID.sub("", word)
    found = find_secrets(read) or (find_personal(read) if keyed else ())
    return found[0].reason if found else ""


def asked_tier(content: RevisionDraft, artifacts: Iterable[Artifact] = ()) -> Tier:
    """The tier that everything a revision says asks for."""
    return _strictest(tier_of(part) for part in _parts(content, artifacts))


def _strictest(tiers: Iterable[Tier]) -> Tier:
    return max(tiers, key=TIERS.index, default="clear")


def _parts(content: RevisionDraft, artifacts: Iterable[Artifact] = ()) -> Iterator[str]:
    """The text, and whatever of the rest is not in it word for word."""
    text, detail = content.text, content.detail
    yield text
    low = text.lower()
    for part in (content.summary, content.key_fact, *detail.events, *detail.prospects, *detail.steps):
        if part and part not in text:
            yield part
    for word in (*content.label.split(), *detail.keywords):
        if word.lower() not in low:
            yield word
    for atom in content.atoms:
        yield f"{atom.subject} {atom.predicate}: {atom.value}"
    if detail.metadata:
        yield from _lines(detail.metadata)
    for artifact in artifacts:
        yield f"{artifact.name} {artifact.uri}"


def _lines(value: Any, key: str = "") -> Iterator[str]:
    """Metadata line by line: what a value is called says what it is."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _lines(inner, str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _lines(inner, key)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield f"{key}: {value}" if key else str(value)


def metadata_tier(metadata: Mapping[str, Any] | None) -> Tier:
    """The tier that what stands beside a text asks for."""
    return _strictest(map(tier_of, _lines(metadata))) if metadata else "clear"


def without_secrets(metadata: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Metadata with the class of each secret in its place."""
    return None if metadata is None else _cut_value(_Desk(keyed=False), metadata)


def _cut(desk: _Desk, text: str) -> str:
    found = find_secrets(text) if text else ()
    if not found:
        return text
    desk.redacted.update(one.reason for one in found)
    return redact(text, found)


def _cut_value(desk: _Desk, value: Any, key: str = "") -> Any:
    """Metadata without secrets; a value that is one by what it is called goes as a whole."""
    if isinstance(value, Mapping):
        return {_cut(desk, str(name)): _cut_value(desk, inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cut_value(desk, inner, key) for inner in value]
    if not isinstance(value, str) or not value:
        return value
    cut = _cut(desk, value)
    named = find_secrets(f"{key}: {cut}") if key else ()
    desk.redacted.update(one.reason for one in named)
    return f"[{named[0].reason}]" if named else cut


def _cut_atom(desk: _Desk, atom: Atom) -> Atom:
    return replace(
        atom, subject=_cut(desk, atom.subject), predicate=_cut(desk, atom.predicate), value=_cut(desk, atom.value)
    )


def _content(desk: _Desk, content: RevisionDraft, attached: c.Attachments) -> tuple[RevisionDraft, c.Attachments, Tier]:
    """Content and what hangs on it, without secrets, and the tier they ask for."""
    parts = tuple(_parts(content, attached.artifacts))  # most of them were looked at before, as what was told
    tier = _strictest(map(tier_of, parts))
    if any(map(find_secrets, parts)):
        detail = content.detail
        events, prospects, steps, keywords = (
            tuple(_cut(desk, one) for one in said)
            for said in (detail.events, detail.prospects, detail.steps, detail.keywords)
        )
        metadata = None if detail.metadata is None else _cut_value(desk, detail.metadata)
        content = replace(
            content, text=_cut(desk, content.text), summary=_cut(desk, content.summary),
            key_fact=_cut(desk, content.key_fact), label=_cut(desk, content.label),
            atoms=tuple(_cut_atom(desk, atom) for atom in content.atoms),
            detail=replace(
                detail, events=events, prospects=prospects, steps=steps, keywords=keywords, metadata=metadata
            ),
        )  # fmt: skip
        artifacts = tuple(
            replace(one, name=_cut(desk, one.name), uri=_cut(desk, one.uri)) for one in attached.artifacts
        )
        attached = replace(attached, artifacts=artifacts, vectors={})  # the vector knew the secret
    turn = attached.turn
    said_by = (turn.thread, turn.session, turn.speaker) if turn is not None else ()
    refuse_open((*said_by, content.detail.speaker), "who says it, and where,", keyed=False)
    sources = tuple(_source(desk, source) for source in attached.sources)
    return content, replace(attached, sources=sources) if sources != attached.sources else attached, tier


def _source(desk: _Desk, source: Source) -> Source:
    node = _node(desk, source.node)
    return source if node is source.node else replace(source, node=node)


def _cut_reference(desk: _Desk, text: str) -> str:
    """Where something comes from, without secrets; an id in it is none, whatever its figures look like."""
    return _cut(desk, text) if _unfit(text, keyed=False) else text


def _cut_label(desk: _Desk, text: str) -> str:
    """What an origin is called stands in clear: where a key seals what is personal, it has nothing of it."""
    told = _cut_reference(desk, text)
    found = find_personal(told) if desk.keyed and _unfit(told, keyed=True) else ()
    desk.redacted.update(one.reason for one in found)
    return redact(told, [Secret(one.start, one.end, one.reason) for one in found]) if found else told


def _node(desk: _Desk, node: ProvenanceNode) -> ProvenanceNode:
    if node.metadata:
        refuse_open(_lines(node.metadata), "what is told of an origin", keyed=desk.keyed)
    label = _cut_label(desk, node.label)
    return node if label == node.label else replace(node, label=label)


def _place_memory(desk: _Desk, change: c.PlaceMemory) -> c.PlaceMemory:
    content, attached, asked = _content(desk, change.content, change.attachments)
    tier = _strictest((change.tier, asked))
    desk.tiers.add(tier)
    name = change.name or _name(change, content.text, tier)
    stem = _unmarked(change)
    refuse_open(
        (change.place.path,) if _in_words(stem, content.text) else (stem, change.place.path), "an address", keyed=False
    )
    refuse_open(change.tags, "a tag", keyed=desk.keyed)
    if content is change.content and attached is change.attachments and (tier, name) == (change.tier, change.name):
        return change
    return replace(change, name=name, content=content, attachments=attached, tier=tier)


def sealed_whole(change: c.PlaceMemory) -> c.PlaceMemory:
    """A memory that comes into a vault: it is confidential, and a name that nobody gave it has none of its words."""
    name = change.name if change.content.detail.title else _name(change, "", "confidential")
    return replace(change, tier="confidential", name=name)


def _unmarked(change: c.PlaceMemory) -> str:
    """The name of a memory without the mark of its own id that many end in, whatever its figures look like: what is
    left of it is mostly known, the speaker of a turn or a kind."""
    stem, _, mark = change.name.rpartition("-")
    return stem if len(mark) in _MARKS and change.memory_id.hex.endswith(mark) else change.name


def _in_words(stem: str, text: str) -> bool:
    """Whether a name is made of words of a text, in their order: then it tells less than that, which was looked at."""
    low, at = text[:_HEAD].lower().replace("'", ""), 0
    for word in stem.split("-"):
        at = low.find(word, at)
        if at < 0:
            return False
        at += len(word)
    return True


def _name(change: c.PlaceMemory, text: str, tier: Tier) -> str:
    """An address is shown where the text is not: of guarded words it has none."""
    mark = change.memory_id.hex
    return f"{slug(text, 40)}-{mark[-6:]}" if tier == "clear" else f"{change.kind}-{mark[-12:]}"


def _add_revision(desk: _Desk, change: c.AddRevision) -> c.AddRevision:
    content, attached, asked = _content(desk, change.content, change.attachments)
    tier = _strictest((change.tier, asked))
    desk.tiers.add(tier)
    refuse_open(change.tags, "a tag", keyed=desk.keyed)
    return replace(change, content=content, attachments=attached, tier=tier)


def _complete_memory(desk: _Desk, change: c.CompleteMemory) -> c.CompleteMemory:
    content, attached, asked = _content(desk, change.content, change.attachments)
    tier = _strictest((change.tier, asked))
    desk.tiers.add(tier)
    return replace(change, content=content, attachments=attached, tier=tier)


def _restore_memory(desk: _Desk, change: c.RestoreMemory) -> c.RestoreMemory:
    tier, made = change.tier, []
    for revision in change.revisions:
        content, attached, asked = _content(desk, revision.content, revision.attachments)
        tier = _strictest((tier, asked))
        made.append(replace(revision, content=content, attachments=attached))
    desk.tiers.add(tier)
    refuse_open((change.name, change.place.path, *(move.tag for move in change.moves)), "an address", keyed=False)
    return replace(change, revisions=tuple(made), tier=tier)


def _add_claim(desk: _Desk, change: b.AddClaim) -> b.AddClaim:
    sources = tuple(
        replace(one, reference=_cut_reference(desk, one.reference), excerpt=_cut(desk, one.excerpt))
        for one in change.sources
    )
    said = (change.text, *(word for one in change.sources for word in (one.reference, one.excerpt)))
    tier = _strictest((change.tier, *map(tier_of, said)))
    desk.tiers.add(tier)
    return replace(change, text=_cut(desk, change.text), sources=sources, tier=tier)


def _link_provenance(desk: _Desk, change: c.LinkProvenance) -> c.LinkProvenance:
    return replace(
        change, sources=tuple(_source(desk, one) for one in change.sources),
        nodes=tuple(_node(desk, one) for one in change.nodes),
    )  # fmt: skip


def _add_edge(desk: _Desk, change: c.AddEdge) -> c.AddEdge:
    """What is told of a link is content: secrets are taken out of it."""
    return replace(change, metadata=_cut_value(desk, change.metadata)) if change.metadata else change


def _add_signals(desk: _Desk, change: b.AddSignals) -> b.AddSignals:
    named = {word for one in change.signals for word in (one.family, one.dimension)}
    refuse_open(sorted(named), "the name of a signal", keyed=desk.keyed)
    return change


def _open(what: str, *names: str) -> Callable[[_Desk, Any], Any]:
    """A change whose words stand in clear."""

    def gate(desk: _Desk, change: Any) -> Any:
        refuse_open((str(getattr(change, name)) for name in names), what, keyed=desk.keyed)
        return change

    return gate


def _at_place(_desk: _Desk, change: Any) -> Any:
    """A change that names a place: what may be told of it is whose it is, as for every address."""
    refuse_open((change.place.path,), "an address", keyed=False)
    return change


def _token(desk: _Desk, change: g.AddToken) -> g.AddToken:
    refuse_open((change.token.label,), "the label of a token", keyed=desk.keyed)
    refuse_scope(change.token.scope)
    return change


def _packet(desk: _Desk, change: g.AddPacket) -> g.AddPacket:
    if change.packet.kind not in g.OF_THE_MIND:
        refuse_open((change.packet.told,), "what is kept of an action", keyed=desk.keyed)
    refuse_scope(change.packet.scope)
    return change


def _slip(desk: _Desk, change: PutSlip) -> PutSlip:
    """What is kept about the work is content: secrets are taken out of it; its name, state and owner are in clear."""
    slip = change.slip
    refuse_open((slip.name, slip.state, slip.subject), "the name of a slip", keyed=False)
    refuse_scope(slip.scope)
    if not find_secrets(slip.told):
        return change
    cut = _cut_value(desk, msgspec.json.decode(slip.told))
    return replace(change, slip=replace(slip, told=msgspec.json.encode(cut).decode()))


def _snapshot(desk: _Desk, change: KeepSnapshot) -> KeepSnapshot:
    """What a workspace was is content: secrets are taken out of it; its place is an address."""
    taken = change.snapshot
    refuse_open((taken.place.path, taken.subject), "an address", keyed=False)
    refuse_scope(taken.scope)
    cut = _cut_value(desk, msgspec.json.decode(taken.state)) if find_secrets(taken.state) else None
    state = taken.state if cut is None else msgspec.json.encode(cut).decode()
    return replace(change, snapshot=replace(taken, state=state, territory=_cut(desk, taken.territory)))


def _raw_events(desk: _Desk, change: AddRawEvents) -> AddRawEvents:
    """What was captured is content: secrets are taken out of it; the name of its adapter is in clear."""
    named = {one.source for one in change.events} | {one.source for one in change.refused}
    refuse_open(sorted(named), "the name of an adapter", keyed=False)
    events = tuple(
        replace(one, reference=_cut(desk, one.reference), metadata=_cut_value(desk, one.metadata))
        for one in change.events
    )
    return replace(change, events=events)


def _kind(desk: _Desk, change: c.AddKind) -> c.AddKind:
    kind = change.kind
    refuse_open((kind.name, kind.why, *sorted(kind.functional)), "a kind of memory", keyed=desk.keyed)
    return change


def _wordless(_desk: _Desk, change: Any) -> Any:
    """A change that carries ids, figures and words of our own only."""
    return change


_WORDLESS: Final = (
    c.RemoveTag, c.RemoveEdge, c.RecordAccess, c.RecordCorrection, c.PurgeMemory, c.AddGrant,
    c.RevokeGrant, c.SetStaleness, c.AddSpace, c.ActivateSpace, c.RetireSpace, c.StoreVectors,
    c.RecordIntake, b.Displace, b.Release, b.ExpectHeld, b.RecordAudit, b.ResolveAudit, b.DecideClaim, b.SetClaimMode,
    b.RecordOutcome, c.MergeEntities, c.SplitEntity, g.RevokeToken, g.MeetSubject, g.SetLock, g.SetPolicy, g.AddPlan,
    g.MovePlan, g.MovePacket, g.DropPacket, c.SetKeeping, c.CloseIntake, DropSlip, DropSnapshot, PruneRawEvents,
)  # fmt: skip

GATE: Final[Mapping[type, Callable[[_Desk, Any], Any]]] = {
    c.PlaceMemory: _place_memory,
    c.AddRevision: _add_revision,
    c.CompleteMemory: _complete_memory,
    c.RestoreMemory: _restore_memory,
    b.AddClaim: _add_claim,
    g.AddPacket: _packet,
    PutSlip: _slip,
    KeepSnapshot: _snapshot,
    AddRawEvents: _raw_events,
    c.LinkProvenance: _link_provenance,
    c.AddEdge: _add_edge,
    b.AddSignals: _add_signals,
    c.SetState: _open("a reason", "reason"),
    c.SetDeprecated: _open("a reason", "reason"),
    c.MoveTag: _open("a tag", "tag"),
    c.AddKind: _kind,
    c.VisitPlace: _open("the name of a trail", "trail"),
    c.MoveMemory: _at_place,
    c.ChangePlace: _at_place,
    g.AddToken: _token,
    **dict.fromkeys(_WORDLESS, _wordless),
}
"""How each change passes. A change that is not here is applied by nobody."""
