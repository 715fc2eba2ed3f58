"""Why a memory is believed: the chain of happenings behind it, the same in plain words, and how far it is trusted.

Owns the wording. Every clause names what it speaks of: a provenance node, a revision or another memory. Invents
nothing: a memory without a recorded source is said to have none. The formula of trust is the model's: ranking uses the
same figures. Invariant: the walk is bounded (five links, a few nodes at each), so the answer costs the same however
much is remembered.
"""

from __future__ import annotations

from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.model.belief import Standing
from palazzo.model.graph import PROVENANCE_DEPTH, Edge, ProvenanceNode, Source
from palazzo.model.kinds import GIVEN
from palazzo.model.memory import Memory, TagMove
from palazzo.model.zone import moment
from palazzo.store.api import Ancestor, Reading

MOST_CLAUSES = 24
QUOTE = 160
_GROUNDS = ("derived_from", "depends_on", "inferred_from", "created_from")

_DIRECT: dict[str, str] = {
    "conversation": "in the conversation {label} {author} said",
    "file": "it stood in the file {label}",
    "command": "the command `{label}` was run",
    "app_activation": "{label} was in use",
    "message": "{author} wrote in {label}",
    "capture": "{label} captured it",
    "tool": "the tool {label} returned it",
    "web": "it stood at {label}",
    "import": "it was imported from {label}",
    "inference": "{label} concluded it",
    "dream": "the dream {label} made it",
}
_UNNAMED: dict[str, str] = {"conversation": "{author} said it", "message": "{author} wrote it"}
"""Where the happening has no name of its own."""
_BEHIND: dict[str, str] = {
    "caused_by": "because {told}",
    "context_for": "while {told}",
    "triggered_by": "right after {told}",
    "mentioned_in": "as {told}",
}
_HAPPENED: dict[str, str] = {
    "conversation": "the conversation {label} was going on",
    "file": "the file {label} was open",
    "command": "the command `{label}` was run",
    "app_activation": "{label} was in front",
    "message": "{author} wrote in {label}",
    "capture": "{label} was captured",
    "tool": "the tool {label} was called",
    "web": "{label} was read",
    "import": "{label} was imported",
    "inference": "{label} was concluded",
    "dream": "the dream {label} ran",
}


class Reason(msgspec.Struct, frozen=True):
    """One clause of the account and what it speaks of: a node id, or the address of a revision or memory."""

    text: str
    about: str


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to "why do you think so?": in words, and as the chain itself."""

    memory: Memory
    reasons: tuple[Reason, ...]
    sources: tuple[Source, ...]
    chain: tuple[Ancestor, ...]

    @property
    def text(self) -> str:
        """The account as one paragraph."""
        return " ".join(reason.text for reason in self.reasons)


def when(at_us: int) -> str:
    """A moment in words."""
    at = moment(at_us)
    return f"{at.day} {at:%B %Y at %H:%M} UTC"


def why(reading: Reading, memory_id: UUID, depth: int = PROVENANCE_DEPTH) -> Account:
    """Where a memory came from, since when it is believed, what it replaced and what it rests on.

    Raises: NotFound.
    """
    memory = reading.memories.get(memory_id)
    sources = reading.provenance.sources_of(memory_id)
    chain = reading.provenance.ancestry(memory_id, depth)
    ever = reading.through(replace(reading.view, include_deprecated=True))  # what was replaced is believed no longer
    around = ever.edges.of(memory_id, "out")
    reasons = [_belief(memory)]
    if not sources:
        author = memory.revision.content.author or "somebody"
        told = f"It was written by {author} on {when(memory.revision.created_us)}; no further source was recorded."
        reasons.append(Reason(told, _address(memory)))
    said, quotes = _quotes(reading, memory, around, sources)
    reasons += [_source(source, said, quotes.get(source.node.id, "")) for source in sources]
    direct = {source.node.id for source in sources}
    reasons += [_behind(one) for one in chain if one.node.id not in direct]
    reasons += _history(memory, reading.tags.moves(memory_id), _ground(reading, memory_id))
    reasons += _grounds(ever, around)
    return Account(memory=memory, reasons=tuple(reasons[:MOST_CLAUSES]), sources=sources, chain=chain)


def _address(memory: Memory) -> str:
    return f"{memory.place.path}/{memory.name}.{memory.kind}?r={memory.revision.number}"


def _clip(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= QUOTE else flat[: QUOTE - 3].rstrip() + "..."


def _belief(memory: Memory) -> Reason:
    return Reason(f'I hold "{_clip(memory.text)}" at {memory.place.path or "the root"}.', _address(memory))


def _told(form: str, node: ProvenanceNode, said_by: str = "") -> str:
    return form.format(label=node.label or "without a name", author=said_by or node.author or "somebody")


def _source(source: Source, said_by: str, quote: str) -> Reason:
    """Where it came from; of what was said, by whom and in which words."""
    if source.kind != "mentioned_in":
        return _behind(Ancestor(source.node, source.kind, 0, None))
    form = _DIRECT.get(source.node.kind, "{label} told it")
    spoken = source.node.kind in _UNNAMED
    told = _told(
        form if source.node.label else _UNNAMED.get(source.node.kind, form), source.node, said_by if spoken else ""
    )
    words = f': "{_clip(quote)}"' if quote else ""
    return Reason(f"On {when(source.node.at_us)} {told}{words}.", str(source.node.id))


def _behind(one: Ancestor) -> Reason:
    form = _HAPPENED.get(one.node.kind, "{label} happened")
    if one.node.kind == "file" and (one.node.metadata or {}).get("change"):
        form = "the file {label} was being edited"
    told = _told(form, one.node)
    linked = _BEHIND.get(one.kind, "as {told}").format(told=told)
    return Reason(f"That was {linked}, on {when(one.node.at_us)}.", str(one.node.id))


def _quotes(
    reading: Reading, memory: Memory, around: tuple[Edge, ...], sources: tuple[Source, ...]
) -> tuple[str, dict[UUID, str]]:
    """Who said it, and the very words, by happening: from the turn a memory was derived from, cut to the recorded span,
    or what it says itself where it is such a turn or text."""
    sources = tuple(source for source in sources if source.node.kind in _UNNAMED and source.kind == "mentioned_in")
    turns = [edge.target.memory_id for edge in around if edge.kind == "derived_from"]
    given = [one for turn in turns[:5] if (one := reading.memories.get(turn)).kind in GIVEN]
    said = given[0] if given else memory
    speaker = said.revision.content.detail.speaker or memory.revision.content.detail.speaker
    if not given and memory.kind not in GIVEN:
        # As long as the stretch it was made of: nothing was put in other words.
        kept = [one for one in sources if one.end is not None and one.end - (one.start or 0) == len(memory.text)]
        return speaker, {source.node.id: memory.text for source in kept}
    found: dict[UUID, str] = {}
    for source in sources:
        if source.start is None or source.end is None or source.end > len(said.text):
            found[source.node.id] = said.text
        else:
            found[source.node.id] = said.text[source.start : source.end]
    return speaker, found


def _ground(reading: Reading, memory_id: UUID) -> str:
    """On what ground the words before were given up, and how sure that was; empty where nothing says so."""
    told = [fate for intake in reading.intakes.of_memory(memory_id) for fate in intake.fates]
    found = [fate for fate in told if fate.outcome == "superseded" and fate.memory_id == memory_id and fate.score]
    return f", by {found[-1].reason} ({found[-1].score:.2f})" if found else ""


def _history(memory: Memory, moves: tuple[TagMove, ...], ground: str) -> list[Reason]:
    current = [move for move in moves if move.tag == "current"]
    if not current:
        return []
    last = current[-1]
    told = f"I have held it in this form since {when(last.from_us)}"
    earlier = [move.revision for move in current[:-1] if move.revision != last.revision]
    if earlier:
        told += f"; it replaced revision {earlier[-1]}{ground}"
    address = f"{memory.place.path}/{memory.name}.{memory.kind}"
    return [Reason(told + ".", f"{address}?r={earlier[-1] if earlier else last.revision}")]


def _grounds(reading: Reading, around: tuple[Edge, ...]) -> list[Reason]:
    """What it rests on and what it replaced elsewhere, at most five of each."""
    found: list[Reason] = []
    kept: dict[UUID, Edge] = {}
    for edge in around:
        if edge.target.memory_id != edge.source.memory_id and edge.kind in (*_GROUNDS, "supersedes"):
            kept.setdefault(edge.target.memory_id, edge)
    for memory_id, edge in list(kept.items())[:5]:
        other = reading.memories.get(memory_id)
        if other.kind in GIVEN:
            continue
        verb = "replaced" if edge.kind == "supersedes" else "rests on"
        sure = f" (sure to {edge.weight:.2f})" if edge.kind == "supersedes" and edge.weight < 1 else ""
        found.append(Reason(f'It {verb} "{_clip(_as_pointed_at(reading, edge, other))}"{sure}.', _address(other)))
    return found


def _as_pointed_at(reading: Reading, edge: Edge, memory: Memory) -> str:
    """What a memory said in the revision an edge leads to, which need not be the one that holds now."""
    if edge.target.revision in (None, memory.revision.number):
        return memory.text
    history = reading.memories.history(memory.id)
    return next((one.content.text for one in history if one.number == edge.target.revision), memory.text)


def standing(reading: Reading, memory_id: UUID) -> Standing:
    """Trust in a memory: the minimum over itself and all it rests on.

    Raises: NotFound.
    """
    key = reading.memories.get(memory_id).revision.key
    return reading.trusts.standings([key])[key]
