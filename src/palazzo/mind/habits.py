"""The pass that learns habits: the same steps done in order three times become a procedure, and what is usually
known of things of one kind becomes a schema.

Owns when two runs are the same run and when a field is usual. Invariants: a procedure keeps the words of its newest
run that did not fail and is linked to every run; a schema holds the names of fields and no values, so it says nothing
about anybody.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import Final
from uuid import UUID

from palazzo.mind.consolidate import MADE_BY, dreamt, is_made, vectors_of, visible
from palazzo.mind.dream import AUTHOR, SEEN_ALL, DreamStep, DreamTurn, PassMode
from palazzo.model.address import Place
from palazzo.model.change import AddEdge, Attachments, Change, PlaceMemory, SetState
from palazzo.model.graph import ENTITY_KINDS, EdgeDraft, Node
from palazzo.model.ids import id_made_from
from palazzo.model.memory import Detail, Memory, RevisionDraft
from palazzo.model.zone import moment
from palazzo.store.api import Filter, Reading, Store
from palazzo.text.facts.relations import steps as told_steps
from palazzo.text.words.similarity import jaccard
from palazzo.text.words.tokens import STOP_WORDS, terms

FEWEST: Final = 3
ALIKE: Final = 0.5
"""The share of words two steps must have in common to be the same step."""
USUAL: Final = 2 / 3
LOOKED_AT: Final = 5_000
_FAILED: Final = re.compile(r"\b(?:fail\w*|error|broke|crash\w*|rolled back|did not work|didn't work)\b", re.IGNORECASE)
Run = tuple[frozenset[str], ...]


class Habits:
    """The pass over one palace."""

    name = "habits"
    about = "Make procedures of steps that were done three times, and schemas of what is usually known of a thing."
    mode: PassMode = "propose"
    touches = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def plan(self, turn: DreamTurn) -> Sequence[DreamStep]:
        """Runs that were done often enough, and fields that are usual."""
        with self._store.reading(SEEN_ALL) as reading:
            return [*self._procedures(reading, turn), *self._schemas(reading, turn)]

    def _procedures(self, reading: Reading, turn: DreamTurn) -> Iterator[DreamStep]:
        held = {one.id for one in self._made(reading, "procedure")}
        runs = [(one, run) for one in turn.each(self.name, _told(reading, turn)) if (run := _run(one.text))]
        for group in _groups(runs):
            found = sorted(group, key=lambda one: (one.revision.content.valid_from_us or one.created_us, one.id))
            made = _made_id(b"procedure", found)
            if made not in held:
                old = tuple(one for one in sorted(held) if _covers(reading, one, found))
                yield DreamStep(
                    of=self.name, does="learn", about=tuple(one.id for one in reversed(found)), made=(made,), hides=old,
                    why=f"the same steps were done {len(found)} times", figure=round(_share_done(found), 3),
                )  # fmt: skip

    def _schemas(self, reading: Reading, turn: DreamTurn) -> Iterator[DreamStep]:
        held = {
            str((one.revision.content.detail.metadata or {}).get("fields")): one
            for one in self._made(reading, "schema")
        }
        for kind in turn.each(self.name, ENTITY_KINDS, 1):
            fields: Counter[str] = Counter()
            examples: dict[UUID, None] = {}
            count = 0
            for entity in turn.each(self.name, reading.entities.listed(kind, limit=200), 1):
                profile = reading.entities.profile(entity.name)
                own = {one.predicate for one in profile.relations if one.outward} if profile is not None else set()
                if own and profile is not None:
                    count += 1
                    fields.update(own)
                    for one in list(reading.memories.by_keys(list(profile.keys)[:1]).values()):
                        examples[one.id] = None
            usual = sorted(name for name, times in fields.items() if count >= FEWEST and times >= USUAL * count)
            if usual and examples and f"{kind}:{','.join(usual)}" not in held:
                about = tuple(sorted(examples))[:FEWEST]
                yield DreamStep(
                    of=self.name, does="induce", about=about, field=f"{kind}:{','.join(usual)}",
                    made=(_schema_id(f"{kind}:{','.join(usual)}"),), figure=round(len(usual) / max(1, len(fields)), 3),
                    why=f"of {count} there is usually known: {', '.join(one.replace('_', ' ') for one in usual)}",
                )  # fmt: skip

    def _made(self, reading: Reading, kind: str) -> list[Memory]:
        keys = reading.search.newest(Filter(kinds=(kind,)), LOOKED_AT)
        return [one for one in reading.memories.by_keys(keys).values() if is_made(one)]

    def changes(self, step: DreamStep) -> Sequence[Change]:
        """The procedure or the schema; a procedure of fewer runs is put away."""
        with self._store.reading(SEEN_ALL) as reading:
            found = visible(reading, step.about)
            if len(found) < len(step.about) or visible(reading, step.made):
                return ()
            if step.does == "induce":
                return _schema(found, step)
            gone = [
                SetState(one.id, "archived", f"learnt anew by {step.made[0]}") for one in visible(reading, step.hides)
            ]
            return [_procedure(reading, found, step.made[0]), *gone]


def _told(reading: Reading, turn: DreamTurn) -> list[Memory]:
    found = turn.newest(Habits.name, reading, Filter(), LOOKED_AT)
    drawn = reading.edges.origins(list(found))
    whole = [one for key, one in found.items() if key not in drawn]
    return [one for one in whole if one.tier == "clear" and one.kind != "digest" and not is_made(one)]


def _run(text: str) -> Run:
    """The steps of a text, each as the words that matter; empty for a text that tells no three steps."""
    found = tuple(frozenset(word for word in terms(step) if word not in STOP_WORDS) for step in told_steps(text))
    found = tuple(step for step in found if step)
    return found if len(found) >= FEWEST else ()


def _same(one: Run, other: Run) -> bool:
    """Whether two runs are the same steps in the same order; what leads into the first step does not count."""
    if len(one) != len(other):
        return False
    first = bool(one[0] & other[0]) or jaccard(one[0], other[0]) >= ALIKE
    return first and all(jaccard(a, b) >= ALIKE for a, b in zip(one[1:], other[1:], strict=True))


def _groups(runs: Sequence[tuple[Memory, Run]]) -> Iterator[list[Memory]]:
    """Runs of one scope and author that are the same, each group with at least three."""
    waiting = sorted(runs, key=lambda pair: pair[0].id)
    while waiting:
        first, run = waiting[0]
        own = (first.scope, first.revision.content.author)
        alike = [
            one for one, other in waiting
            if (one.scope, one.revision.content.author) == own and _same(run, other)
        ]  # fmt: skip
        taken = {one.id for one in alike}
        waiting = [pair for pair in waiting if pair[0].id not in taken]
        if len(alike) >= FEWEST:
            yield alike


def _covers(reading: Reading, made: UUID, found: Sequence[Memory]) -> bool:
    """Whether a procedure was made of some of these runs."""
    behind = {edge.target.memory_id for edge in reading.edges.of(made, "out") if edge.kind == "derived_from"}
    return bool(behind) and behind <= {one.id for one in found}


def _share_done(found: Sequence[Memory]) -> float:
    return sum(not _FAILED.search(one.text) for one in found) / len(found)


def _made_id(what: bytes, found: Sequence[Memory]) -> UUID:
    return id_made_from(max(one.created_us for one in found), what + b"".join(sorted(one.id.bytes for one in found)))


def _schema_id(field: str) -> UUID:
    return id_made_from(0, b"schema" + field.encode())


def _procedure(reading: Reading, found: Sequence[Memory], made: UUID) -> PlaceMemory:
    newest = next((one for one in found if not _FAILED.search(one.text)), found[0])
    content = newest.revision.content
    steps = [step for step in told_steps(newest.text) if step]
    failed = sum(bool(_FAILED.search(one.text)) for one in found)
    last = moment(content.valid_from_us or newest.created_us).astimezone(UTC).date().isoformat()
    lines = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    return PlaceMemory(
        memory_id=made, place=newest.place if newest.kind != "exchange" else Place(("procedures",)), name="",
        kind="procedure", scope=newest.scope,
        content=RevisionDraft(
            text=f"How it was done {len(found)} times:\n{lines}", author=content.author, importance=0.5,
            confidence=round(_share_done(found), 3),
            detail=Detail(steps=tuple(steps), metadata={
                MADE_BY: Habits.name, "runs": len(found), "succeeded": len(found) - failed, "failed": failed,
                "last": last,
            }),
        ),
        attachments=Attachments(
            edges=tuple(EdgeDraft("derived_from", Node(one.id)) for one in found),
            sources=dreamt(made, max(one.created_us for one in found), Habits.name),
            vectors=vectors_of(reading, newest),
        ),
    )  # fmt: skip


def _schema(found: Sequence[Memory], step: DreamStep) -> list[Change]:
    kind, _, fields = step.field.partition(":")
    usual = ", ".join(one.replace("_", " ") for one in fields.split(","))
    made = step.made[0]
    thing = "thing" if kind == "other" else kind
    placed = PlaceMemory(
        memory_id=made, place=Place(("schemas",)), name=f"{thing}-{made.hex[-6:]}", kind="schema",
        content=RevisionDraft(
            text=f"Of a {thing} it is usually known: {usual}.", author=AUTHOR + Habits.name, importance=0.2,
            detail=Detail(metadata={MADE_BY: Habits.name, "fields": step.field}),
        ),
        attachments=Attachments(sources=dreamt(made, found[0].created_us, Habits.name)),
    )  # fmt: skip
    return [placed, *(AddEdge("instance_of", Node(one.id), Node(made)) for one in found)]
