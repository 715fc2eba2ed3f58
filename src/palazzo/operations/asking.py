"""Operations that read: recall, context, reason, get, list, history, why, walk and their like.

Owns the way from arguments to cues and filters. Invariant: every read goes through the caller's View.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from palazzo.errors import InvalidInput, NotPermitted
from palazzo.model.address import ROOT, Place, looks_like_address
from palazzo.model.graph import EDGE_KINDS
from palazzo.operations import parameters as p
from palazzo.operations import results as r
from palazzo.operations import shown
from palazzo.operations.context import Context, below, microseconds
from palazzo.recall.answer.context import ContextTurn, clean
from palazzo.recall.read.cue import Cue
from palazzo.recall.read.presets import view_for
from palazzo.recall.reason import ReasonLimits
from palazzo.recall.talk.working import Heard
from palazzo.store.api import EdgeWalk, Filter, Plain, Reached


def recall(context: Context, asked: p.Recall) -> r.Recalled:
    """The memories that matter for a cue."""
    cue = Cue(
        text=asked.cue, limit=asked.limit, budget_tokens=asked.budget_tokens, preset=asked.preset, rerank=asked.rerank,
        speaker=asked.speaker, thread=asked.thread, mode=asked.mode, fusion=asked.fusion, valence=asked.mood,
        filter=Filter(
            glob=below(asked.place), kinds=asked.kinds, valid_after_us=microseconds(asked.after),
            valid_before_us=microseconds(asked.before), metadata=_equal_to(asked.metadata),
        ),
    )  # fmt: skip
    return shown.recalled(context.engine.recall(cue, context.view(asked.as_of)))


def context_for(context: Context, asked: p.ForContext) -> r.ContextBlock:
    """The block a model should read; what providers add is for those who may read everything, and for themselves."""
    view = context.view(asked.as_of)
    seen = view_for(asked.purpose, view, asked.delegate)
    if not (context.caller.chooses_scope or seen.scope.is_prefix_of(view.scope)):
        raise NotPermitted(f"{context.subject} works in the scope of its connection and may not read as another")
    if seen.orchestrator and not (context.caller.is_operator or context.orchestrates):
        raise NotPermitted("only an orchestrator reads below what it leads", hint="its subject is orchestrator:NAME")
    own = context.access.sees_all and seen == view
    texts, failed = context.engine.provided(asked.message) if own else ({}, ())
    turn = ContextTurn(
        message=asked.message, model=asked.model, budget_tokens=asked.budget_tokens, purpose=asked.purpose,
        delegate=asked.delegate, fixed={section: clean(text) for section, text in texts.items()},
        history=tuple(_heard(said) for said in asked.history), thread=asked.thread,
    )  # fmt: skip
    return shown.block(context.engine.context(turn, view), failed)


def _heard(said: str | p.Said) -> Heard:
    if isinstance(said, str):
        return Heard("user", said, 0)
    return Heard(said.speaker or said.role, said.content, microseconds(said.at) or 0)


def reason(context: Context, asked: p.ForReasoning) -> r.Reasoned:
    """Evidence in several steps."""
    named = context.engine.models.of_name(asked.model).depth if asked.model else ReasonLimits().depth
    limits = ReasonLimits(depth=asked.depth or named, tokens=asked.budget_tokens)
    return shown.reasoned(context.engine.reason(asked.question, context.view(), limits))


def evolution(context: Context, asked: p.ForEvolution) -> r.Evolution:
    """How knowledge of a topic changed."""
    changes = context.engine.evolution(asked.topic, context.view())
    return r.Evolution(topic=asked.topic, changes=tuple(shown.turning_point(change) for change in changes))


def get(context: Context, asked: p.Get) -> r.StoredMemory:
    """One memory."""
    return shown.memory(context.memory(asked.memory, asked.as_of))


def list_memories(context: Context, asked: p.List) -> r.Page:
    """A page of memories, newest first."""
    wanted = Filter(glob=below(asked.place), kinds=asked.kinds, metadata=_equal_to(asked.metadata))
    told = context.positions("list")
    before = told.number(asked.cursor, "cursor") if asked.cursor else None
    with context.engine.store.reading(context.view(asked.as_of, asked.state)) as reading:
        keys = reading.search.newest(wanted, asked.limit + 1, before)
        total = reading.search.count(wanted, exact=asked.count)
        page = keys[: asked.limit]
        found = reading.memories.by_keys(page)
    return r.Page(
        memories=tuple(shown.memory(found[key]) for key in page if key in found), total=total,
        next_cursor=told.word(page[-1]) if len(keys) > asked.limit else "",
    )  # fmt: skip


_LARGEST = 1 << 63


def _sound(text: str) -> bool:
    """Whether a text is valid Unicode."""
    return text == text.encode(errors="ignore").decode()


def _equal_to(metadata: Mapping[str, Any] | None) -> tuple[tuple[str, Plain], ...]:
    """Metadata to look for, as pairs.

    Raises: InvalidInput for a value that is a list or an object.
    """
    for key, value in (metadata or {}).items():
        large = isinstance(value, int | float) and not abs(value) < _LARGEST
        broken = any(isinstance(text, str) and not text.isascii() and not _sound(text) for text in (key, value))
        if not isinstance(value, str | int | float | bool) or large or broken:
            raise InvalidInput(
                f"metadata.{key} is compared with a text, a number, true or false", field=f"metadata.{key}"
            )
    return tuple((metadata or {}).items())


def history(context: Context, asked: p.OneMemory) -> r.History:
    """Every revision of a memory."""
    found = context.memory(asked.memory, life="all")
    with context.engine.store.reading(context.view(life="all")) as reading:
        revisions = reading.memories.history(found.id)
    told = tuple(shown.past(revision, found.revision.number) for revision in revisions)
    return r.History(memory=found.id, address=found.kref.short, revisions=told)


def why(context: Context, asked: p.OneMemory) -> r.Why:
    """Where a memory comes from and what it is linked with."""
    found = context.memory(asked.memory)
    account = context.engine.beliefs.why(found.id, context.view())
    with context.engine.store.reading(context.view()) as reading:
        links = reading.edges.of(found.id)
    return r.Why(
        text=account.text, clauses=tuple(r.Clause(text=one.text, about=one.about) for one in account.reasons),
        memory=shown.memory(found), origins=tuple(shown.origin(one) for one in account.chain),
        links=tuple(shown.link(edge) for edge in links if edge.source.memory_id != edge.target.memory_id),
    )  # fmt: skip


def explain(context: Context, asked: p.Explain) -> r.Explained:
    """What became of every stretch of a message."""
    if looks_like_address(asked.memory):
        wanted = context.memory(asked.memory).id
    else:
        try:
            wanted = UUID(asked.memory)
        except ValueError:
            raise InvalidInput("neither an id nor an address", field="memory") from None
    return r.Explained(accounts=tuple(shown.account(i) for i in context.engine.explain(wanted, context.view())))


def inbox(context: Context, _asked: p.Inbox) -> r.Disagreements:
    """The disagreements that wait for a person."""
    return r.Disagreements(disagreements=tuple(shown.disagreement(d) for d in context.engine.inbox(context.view())))


def events(context: Context, asked: p.Events) -> r.Events:
    """What the journal tells of the memories the caller may know of, forgotten and superseded ones among them."""
    view = replace(context.view(life="all"), include_deprecated=True)
    told = context.positions("events")
    with context.engine.store.reading(view) as reading:
        end = reading.journal.last_seq()
        if asked.after == p.FROM_NOW:
            return r.Events(events=(), last=told.word(end, shown=False))
        found = reading.journal.events_after(told.number(asked.after, "after"), asked.limit)
    last = told.word(found[-1].seq) if found else asked.after
    # The journal's own end counts what others wrote, which is the operator's to know.
    if context.access.is_operator and len(found) < asked.limit:
        last = max(told.word(end), asked.after, key=int)
    return r.Events(events=tuple(shown.happening(event, told.word(event.seq)) for event in found), last=last)


def places_below(context: Context, asked: p.Places) -> r.PlaceList:
    """The places below one."""
    here = Place.parse(asked.place) if asked.place else ROOT
    with context.engine.store.reading(context.view()) as reading:
        found = reading.places.children(here, empty=context.access.is_operator)
    return r.PlaceList(below=here.path, places=tuple(shown.place(info) for info in found))


def walk(context: Context, asked: p.Walk) -> r.Walked:
    """The memories reached along links."""
    start = context.memory(asked.memory)
    how = EdgeWalk(direction=asked.direction, kinds=asked.kinds or EDGE_KINDS, depth=asked.depth, limit=asked.limit)
    return _reached(context, start.id, context.engine.beliefs.traverse(start.id, how, context.view()))


def impact(context: Context, asked: p.Impact) -> r.Walked:
    """What rests on a memory."""
    start = context.memory(asked.memory)
    return _reached(context, start.id, context.engine.beliefs.impact(start.id, context.view(), depth=asked.depth))


def _reached(context: Context, start: UUID, steps: Sequence[Reached]) -> r.Walked:
    with context.engine.store.reading(context.view()) as reading:
        found = tuple(
            r.Reached(depth=step.depth, memory=shown.memory(reading.memories.get(step.memory_id))) for step in steps
        )
    return r.Walked(start=start, steps=found)
