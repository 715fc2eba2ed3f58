"""Operations that take text in and say where and whether it stands: remember, remember_many, observe, update, move,
tag, untag, tags, keep, kinds, kind_add, deprecate, undeprecate, explain.

Owns the way from arguments to messages; what becomes of them is intake's. Invariant: the place a caller names is one it
may write in, and where it names none it may write everywhere.
"""

from __future__ import annotations

from uuid import UUID

from msgspec.structs import replace

from palazzo.belief.staleness import DAY_US
from palazzo.errors import InvalidInput, NotFound, NotPermitted
from palazzo.intake.values import IntakeResult
from palazzo.model.address import ROOT, looks_like_address, name_for
from palazzo.model.belief import BehaviourSignal
from palazzo.model.capability import Level
from palazzo.model.change import AddKind, MoveMemory, MoveTag, RemoveTag, SetDeprecated, SetKeeping
from palazzo.model.graph import NodeKind
from palazzo.model.kinds import KINDS, Kind
from palazzo.model.memory import TagMove
from palazzo.model.message import Intake, Message
from palazzo.model.zone import told_zone
from palazzo.operations.caller import OPERATOR
from palazzo.operations.context import CallContext, free_tags, place_called
from palazzo.operations.intake import spec
from palazzo.operations.shared import (
    ChangedMemory,
    GivenTurn,
    NoParameters,
    ReasonedMemoryParameters,
    microseconds,
    moment,
    moment_if_any,
)
from palazzo.persona.bridge import WorkNotes, given_up_by
from palazzo.persona.threads import Threads, out_of_mode
from palazzo.text.meaning.requests import find_request
from palazzo.text.words.parsed import parsed


def _source(context: CallContext) -> NodeKind:
    return "message" if context.subject == OPERATOR else "tool"


def _speaker(context: CallContext, named: str) -> str:
    """Who speaks, as the caller says; itself it is by its subject alone, for a speaker's word counts as heard."""
    return "" if named == context.subject != OPERATOR else named


def _message(context: CallContext, note: spec.GivenNote) -> Message:
    place = place_called(note.place) if note.place else ROOT
    context.require_at(place)
    return Message(
        text=note.text, at_us=microseconds(note.at), zone=told_zone(note.at), author=context.subject,
        speaker=_speaker(context, note.speaker), scope=context.scope,
        place=place.path, kind=note.kind, name=name_for(note.name) if note.name else "", title=note.name,
        importance=note.importance, pinned=note.pinned, durability=note.durability,
        tags=free_tags(context.subject, *note.tags), source=_source(context), conflict=note.conflict,
        verbatim=note.verbatim, metadata=note.metadata, seen_revision=_seen(note),
    )  # fmt: skip


def _seen(note: spec.GivenNote) -> int | None:
    if note.if_revision is not None and not note.name:
        raise InvalidInput("a revision is of something that has a name", field="if_revision", hint="give its name too")
    return note.if_revision


def remember(context: CallContext, asked: spec.RememberParameters) -> spec.Kept:
    kept = _kept(context.engine.remember(_message(context, asked), subject=context.subject, reach=context.writable))
    return _with_workspace(context, kept, asked.cwd) if asked.snapshot and kept.id is not None else kept


def _with_workspace(context: CallContext, kept: spec.Kept, cwd: str) -> spec.Kept:
    """Keeps how the workspace stands with what was remembered; where that cannot be, the memory stands all the same."""
    from palazzo.operations.snapshot.run import taken  # most memories come without

    memory = context.memory(str(kept.id))
    try:
        made = taken(context, memory.id, memory.place.path, cwd)
    except (NotPermitted, InvalidInput) as error:
        return replace(kept, degraded=(*kept.degraded, f"no snapshot: {error.message}"))
    told = tuple(f"not in the snapshot: {one}" for one in made.left_out)
    return replace(kept, snapshot=made.id, degraded=(*kept.degraded, *told))


def remember_many(context: CallContext, asked: spec.RememberManyParameters) -> spec.Kept:
    notes = [spec.GivenNote(text=note) if isinstance(note, str) else note for note in asked.notes]
    messages = [_message(context, note) for note in notes]
    later = asked.understand == "later"
    return _kept(context.engine.remember_many(messages, subject=context.subject, reach=context.writable, later=later))


def observe(context: CallContext, asked: spec.ObserveParameters) -> spec.Kept:
    context.access.require(Level.write, ROOT, context.operation.name)
    turns = [GivenTurn(content=turn) if isinstance(turn, str) else turn for turn in asked.turns]
    messages = [
        Message(
            text=turn.content, at_us=microseconds(turn.at), zone=told_zone(turn.at), author=context.subject,
            speaker=_speaker(context, turn.speaker), addressee=turn.addressee,
            role=turn.role, scope=context.scope, thread=asked.thread, session=asked.session,
            metadata=asked.metadata,
        )
        for turn in turns
    ]  # fmt: skip
    unsaid = [turn.content for turn in turns if asked.thread and turn.role == "user" and _unsays(turn.content)]
    threads = Threads(context.engine.store, out_of_mode(context.scope), context.subject)
    items = threads.bridge(asked.thread, context.view()).items if unsaid else ()
    later = asked.understand == "later"
    made = context.engine.observe(messages, subject=context.subject, reach=context.writable, later=later)
    now_us = context.engine.clock.now_us()
    given = tuple(one for text in unsaid for one in given_up_by(text, items, now_us))
    if given:
        threads.note(asked.thread, asked.session, WorkNotes(given_up=given))
    return _kept(made)


def _unsays(text: str) -> bool:
    """Whether a turn asks to forget something: intake may keep no word of it, and it may give up a plan."""
    return any(find_request(sentence.text) for sentence in parsed(text).sentences)


def update(context: CallContext, asked: spec.UpdateParameters) -> spec.Kept:
    """Gives a memory a new text: the same address, a new revision, extracted and indexed like any other."""
    found = context.memory(asked.memory)
    message = Message(
        text=asked.text, at_us=microseconds(asked.at), zone=told_zone(asked.at), author=context.subject,
        scope=found.scope, place=found.place.path, kind=found.kind, name=found.name, title=found.title,
        importance=asked.importance,
        pinned=found.pinned,
        source=_source(context), conflict="use_new", verbatim=True, metadata=asked.metadata,
        seen_revision=asked.if_revision,
    )  # fmt: skip
    return _kept(context.engine.remember(message, subject=context.subject, reach=context.writable))


def move(context: CallContext, asked: spec.MoveParameters) -> ChangedMemory:
    found, place = context.memory(asked.memory), place_called(asked.place)
    context.require_at(place)
    context.commit(MoveMemory(found.id, place))
    return ChangedMemory.of(context.memory(str(found.id)), found.state, "moved")


def tag(context: CallContext, asked: spec.TagParameters) -> ChangedMemory:
    (name,) = free_tags(context.subject, asked.tag)
    found = context.memory(asked.memory)
    context.commit(MoveTag(found.id, name, asked.revision or found.revision.number))
    return ChangedMemory.of(found, found.state, f"tagged {name}")


def untag(context: CallContext, asked: spec.UntagParameters) -> ChangedMemory:
    (name,) = free_tags(context.subject, asked.tag)
    found = context.memory(asked.memory)
    context.commit(RemoveTag(found.id, name))
    return ChangedMemory.of(found, found.state, f"no longer tagged {name}")


def tags(context: CallContext, asked: spec.TagsParameters) -> spec.TagList:
    view = context.view(life="all" if asked.memory else "live", deprecated=asked.include_deprecated)
    if not asked.memory:
        with context.engine.store.reading(view) as reading:
            carried = reading.tags.carried(asked.limit)
        return spec.TagList(
            tags=tuple(spec.ShownTag(tag=tag, memories=count, since=moment(since)) for tag, count, since in carried)
        )
    found = context.memory(asked.memory, life="all", deprecated=asked.include_deprecated)
    with context.engine.store.reading(view) as reading:
        moves = reading.tags.moves(found.id)
    by_tag: dict[str, list[TagMove]] = {}
    for move in moves:
        by_tag.setdefault(move.tag, []).append(move)
    return spec.TagList(tags=tuple(_tag(name, made) for name, made in list(by_tag.items())[: asked.limit]))


def _tag(name: str, moves: list[TagMove]) -> spec.ShownTag:
    """A tag of one memory, with where it pointed and when."""
    last = moves[-1]
    carried = last.until_us is None
    return spec.ShownTag(
        tag=name, memories=int(carried), since=moment(last.from_us), revision=last.revision if carried else None,
        moves=tuple(
            spec.ShownMove(revision=one.revision, since=moment(one.from_us), until=moment_if_any(one.until_us))
            for one in moves
        ),
    )  # fmt: skip


def keep(context: CallContext, asked: spec.KeepParameters) -> spec.Keeping:
    found = context.memory(asked.memory)
    context.commit(SetKeeping(found.id, asked.pinned, asked.durability))
    left = context.engine.store.lives.fading(found.id)
    if left is None:
        raise NotFound(f"no memory {asked.memory!r}")
    return spec.Keeping(
        memory=found.id, address=found.kref.short, pinned=left.wear.pinned,
        durability=left.wear.durability or left.wear.kind.durability,
    )  # fmt: skip


def kinds(context: CallContext, _asked: NoParameters) -> spec.KindList:
    known = context.engine.store.kinds
    return spec.KindList(kinds=tuple(_kind(known.get(name)) for name in known.names))


def kind_add(context: CallContext, asked: spec.KindParameters) -> spec.ShownKind:
    made = Kind(
        name=asked.name, layer=asked.layer, base_stability_days=asked.stability_days,
        lifespan_days=asked.lifespan_days, durability=asked.durability, conflict=asked.conflict,
        functional=frozenset(asked.one_value), entrenched_by="recency", why=asked.why,
    )  # fmt: skip
    context.commit(AddKind(made))
    return _kind(made)


def _kind(kind: Kind) -> spec.ShownKind:
    return spec.ShownKind(
        kind=kind.name, layer=kind.layer, stability_days=kind.base_stability_days, lifespan_days=kind.lifespan_days,
        durability=kind.durability, conflict=kind.conflict, one_value=tuple(sorted(kind.functional)), why=kind.why,
        own=kind.name not in KINDS,
    )  # fmt: skip


def deprecate(context: CallContext, asked: ReasonedMemoryParameters) -> ChangedMemory:
    return _believe(context, asked, deprecated=True)


def undeprecate(context: CallContext, asked: ReasonedMemoryParameters) -> ChangedMemory:
    return _believe(context, asked, deprecated=False)


def _believe(context: CallContext, asked: ReasonedMemoryParameters, *, deprecated: bool) -> ChangedMemory:
    found = context.memory(asked.memory, deprecated=True)
    if found.deprecated != deprecated:
        context.commit(SetDeprecated(found.id, deprecated, asked.reason, found.revision.number))
    return ChangedMemory.of(found, *(("deprecated",) if deprecated else (found.state, "believed again")))


def signal(context: CallContext, asked: spec.SignalParameters) -> spec.Signalled:
    now_us = context.engine.clock.now_us()
    counts = [
        BehaviourSignal(
            family=one.family.strip().lower(), dimension=one.dimension.strip().lower(), count=one.count,
            day=(microseconds(one.at) if one.at is not None else now_us) // DAY_US,  # type: ignore[operator]
        )
        for one in asked.counts
    ]  # fmt: skip
    found = context.engine.beliefs.signal(counts, context.scope, subject=context.subject)
    return spec.Signalled(counts=len(counts), flagged=sum(one.flagged for one in found))


def explain(context: CallContext, asked: spec.ExplainParameters) -> spec.Explained:
    if looks_like_address(asked.memory):
        wanted = context.memory(asked.memory).id
    else:
        try:
            wanted = UUID(asked.memory)
        except ValueError:
            raise InvalidInput("neither an id nor an address", field="memory") from None
    return spec.Explained(accounts=tuple(_account(i) for i in context.engine.explain(wanted, context.view())))


def _kept(result: IntakeResult) -> spec.Kept:
    """What became of a call that takes text in."""
    return spec.Kept(
        memories=result.memory_ids, accounts=tuple(_account(i) for i in result.intakes), degraded=result.degraded,
        pending=result.pending,
    )  # fmt: skip


def _account(intake: Intake) -> spec.ShownAccount:
    """The account of one message."""
    fates = tuple(
        spec.ShownFate(
            start=f.start, end=f.end, outcome=f.outcome, reason=f.reason, memory=f.memory_id, other=f.other,
            score=f.score,
        )
        for f in intake.fates
    )  # fmt: skip
    return spec.ShownAccount(id=intake.id, at=moment(intake.at_us), fates=fates)
