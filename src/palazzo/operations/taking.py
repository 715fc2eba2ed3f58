"""Operations that take text in: remember, remember_many, observe, update.

Owns the way from arguments to messages; what becomes of them is intake's. Invariant: the place a caller names is one it
may write in, and where it names none it may write everywhere.
"""

from __future__ import annotations

from palazzo.errors import InvalidInput
from palazzo.model.address import ROOT, Place
from palazzo.model.capability import Level
from palazzo.model.graph import NodeKind
from palazzo.model.message import Message
from palazzo.operations import parameters as p
from palazzo.operations import results as r
from palazzo.operations import shown
from palazzo.operations.caller import OPERATOR
from palazzo.operations.context import Context, free_tags, microseconds


def _source(context: Context) -> NodeKind:
    return "message" if context.subject == OPERATOR else "tool"


def _speaker(context: Context, named: str) -> str:
    """Who speaks, as the caller says; itself it is by its subject alone, for a speaker's word counts as heard."""
    return "" if named == context.subject != OPERATOR else named


def _message(context: Context, note: p.Note) -> Message:
    place = Place.parse(note.place) if note.place else ROOT
    context.access.require(Level.write, place, context.operation.name)
    return Message(
        text=note.text, at_us=microseconds(note.at), author=context.subject, speaker=_speaker(context, note.speaker),
        scope=context.scope,
        place=note.place, kind=note.kind, name=note.name, importance=note.importance, pinned=note.pinned,
        tags=free_tags(context.subject, *note.tags), source=_source(context), conflict=note.conflict,
        verbatim=note.verbatim, metadata=note.metadata, seen_revision=_seen(note),
    )  # fmt: skip


def _seen(note: p.Note) -> int | None:
    if note.if_revision is not None and not note.name:
        raise InvalidInput("a revision is of something that has a name", field="if_revision", hint="give its name too")
    return note.if_revision


def remember(context: Context, asked: p.Remember) -> r.Kept:
    """Keeps one text."""
    return shown.kept(
        context.engine.remember(_message(context, asked), subject=context.subject, reach=context.writable)
    )


def remember_many(context: Context, asked: p.RememberMany) -> r.Kept:
    """Keeps many texts in one transaction."""
    notes = [p.Note(text=note) if isinstance(note, str) else note for note in asked.notes]
    messages = [_message(context, note) for note in notes]
    return shown.kept(context.engine.remember_many(messages, subject=context.subject, reach=context.writable))


def observe(context: Context, asked: p.Observe) -> r.Kept:
    """Takes in turns of a conversation."""
    context.access.require(Level.write, ROOT, context.operation.name)
    turns = [p.Said(content=turn) if isinstance(turn, str) else turn for turn in asked.turns]
    messages = [
        Message(
            text=turn.content, at_us=microseconds(turn.at), author=context.subject,
            speaker=_speaker(context, turn.speaker),
            role=turn.role, scope=context.scope, thread=asked.thread, session=asked.session,
            metadata=asked.metadata,
        )
        for turn in turns
    ]  # fmt: skip
    return shown.kept(context.engine.observe(messages, subject=context.subject, reach=context.writable))


def update(context: Context, asked: p.Update) -> r.Kept:
    """Gives a memory a new text: the same address, a new revision, extracted and indexed like any other."""
    found = context.memory(asked.memory)
    message = Message(
        text=asked.text, at_us=microseconds(asked.at), author=context.subject, scope=found.scope,
        place=found.place.path, kind=found.kind, name=found.name, importance=asked.importance, pinned=found.pinned,
        source=_source(context), conflict="use_new", verbatim=True, metadata=asked.metadata,
        seen_revision=asked.if_revision,
    )  # fmt: skip
    return shown.kept(context.engine.remember(message, subject=context.subject, reach=context.writable))
