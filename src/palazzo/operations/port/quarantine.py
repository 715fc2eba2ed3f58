"""The quarantine: entries of foreign files on their way through intake, batch by batch, with an account of each.

Owns batches, counts and the links between what was made. An entry comes from `import:<format>`, so it is believed half
at most, instructs nobody and changes nothing outside its place. Every batch is a transaction of its own: an import that
stops goes on where it stood when it is run again, because entries that are in are known. Invariants: each entry is
counted once, as new, known or refused; `readable` is what was read again when all was written, not what was meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict, InvalidInput, NotFound, PalazzoError, Refused
from palazzo.intake.values import IntakeResult
from palazzo.model.address import Place, PlaceGlob, name_for
from palazzo.model.capability import View
from palazzo.model.change import AddEdge
from palazzo.model.graph import Node
from palazzo.model.message import Intake, Manner, Message
from palazzo.model.scope import Scope
from palazzo.operations.context import CallContext, Progress
from palazzo.operations.port import spec
from palazzo.porting.files import Entry, Items, Limits, Unread

BATCH = 200
BATCH_CHARACTERS = 1 << 20
LISTED = 1000
"""So many refusals are listed; all of them are counted."""
SCREENED = "remove it from the file and import again; the rest of the file is in"
_STORED = frozenset({"stored", "merged", "superseded", "conflict", "flagged"})


class Quarantine(msgspec.Struct, frozen=True, kw_only=True):
    """One import: who runs it, what it reads, where it may write."""

    context: CallContext
    file: str
    format: str
    place: Place
    dry_run: bool = False
    limits: Limits = Limits()

    def message(self, entry: Entry) -> Message:
        """The entry as intake takes it."""
        scope = self.context.scope
        if entry.owner and not scope.levels:
            scope = Scope.of(**dict(entry.owner))
        return Message(
            text=entry.text, at_us=entry.at_us, author=f"import:{self.format}", speaker=entry.speaker, role=entry.role,
            scope=scope, thread=entry.thread, place=self.place.path, kind=entry.kind,
            name=name_for(entry.title) if entry.title else "", title=entry.title, facts=entry.facts,
            importance=entry.importance, pinned=False, source="import", label=f"{self.file}: {entry.id}",
            verbatim=entry.verbatim, mentions=entry.mentions, relations=entry.relations,
            entry=f"{self.format} {entry.id}", metadata=entry.metadata,
        )  # fmt: skip


@dataclass(slots=True)
class ImportTally:
    """What became of the entries so far."""

    new: int = 0
    known: int = 0
    refused: int = 0
    redacted: int = 0
    memories: set[UUID] = field(default_factory=set)
    refusals: list[spec.RefusedEntry] = field(default_factory=list)
    degraded: dict[str, None] = field(default_factory=dict)
    made: dict[str, tuple[UUID, bool]] = field(default_factory=dict)
    """The first memory of an entry that has links or may be linked, and whether this import made it."""
    links: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def entries(self) -> int:
        return self.new + self.known + self.refused

    def refuse(self, entry: str, reason: str, hint: str = "") -> None:
        self.refused += 1
        if len(self.refusals) < LISTED:
            self.refusals.append(spec.RefusedEntry(entry=entry, reason=reason, hint=hint))


def take_in(items: Items, quarantine: Quarantine, progress: Progress) -> spec.Imported:
    """Takes in every entry a reader gives.

    Raises: InvalidInput when the file as a whole cannot be read, NotPermitted, StorageError.
    """
    count = ImportTally()
    for batch in _batches(items, count):
        _take(batch, quarantine, count)
        progress("entries", count.entries, 0)
    linked = 0 if quarantine.dry_run else _link(count, quarantine)
    live = readable(quarantine.context, {*count.memories, *(memory for memory, _ in count.made.values())})
    return spec.Imported(
        file=quarantine.file, format=quarantine.format, dry_run=quarantine.dry_run, entries=count.entries,
        new=count.new, known=count.known, refused=count.refused, redacted=count.redacted,
        readable=sum(memory in live for memory, _ in count.made.values()), memories=len(count.memories & live),
        links=linked, refusals=tuple(count.refusals), degraded=tuple(count.degraded),
    )  # fmt: skip


def readable(context: CallContext, ids: Iterable[UUID], *, put_away: bool = False) -> set[UUID]:
    """Which of these memories can be read now by whomever they belong to; also those out of use, if asked for."""
    found: set[UUID] = set()
    view = View(all_scopes=True)
    if put_away:
        view = replace(view, include_deprecated=True, states=("active", "stale", "archived"))
    with context.engine.store.reading(view) as reading:
        for memory_id in ids:
            try:
                found.add(reading.memories.get(memory_id).id)
            except NotFound:
                continue  # what cannot be read is what is counted here
    return found


def _batches(items: Items, count: ImportTally) -> Iterator[list[Entry]]:
    """Entries of one manner, in order, as many as fit a transaction; what is unread is counted on the way."""
    batch: list[Entry] = []
    size = 0
    for item in items:
        if isinstance(item, Unread):
            count.refuse(item.id, item.reason, item.hint)
            continue
        if batch and (
            item.manner != batch[0].manner or len(batch) == BATCH or size + len(item.text) > BATCH_CHARACTERS
        ):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += len(item.text)
    if batch:
        yield batch


def _take(batch: Sequence[Entry], quarantine: Quarantine, count: ImportTally) -> None:
    """Takes in a batch; when one entry is at fault it is halved until that one stands alone."""
    engine, manner = quarantine.context.engine, batch[0].manner
    messages = [quarantine.message(entry) for entry in batch]
    try:
        if quarantine.dry_run:
            _foreseen(batch, messages, quarantine, count)
            return
        reach = (PlaceGlob(quarantine.place, "subtree"),)
        result = engine.intake.take(messages, manner, subject=quarantine.context.subject, reach=reach)
    except (InvalidInput, Conflict, NotFound, Refused) as error:
        if len(batch) == 1:
            if isinstance(error, Refused):
                count.refuse(batch[0].id, f"holds what is never stored: {error.reason}", SCREENED)
            else:
                count.refuse(batch[0].id, _told(error), error.hint)
            return
        half = len(batch) // 2
        _take(batch[:half], quarantine, count)
        _take(batch[half:], quarantine, count)
    else:
        _account(batch, result, count)


def _told(error: PalazzoError) -> str:
    return error.message.removeprefix("message 1 ").removeprefix("message 1: ")


def _foreseen(batch: Sequence[Entry], messages: Sequence[Message], quarantine: Quarantine, count: ImportTally) -> None:
    manner: Manner = batch[0].manner
    seen = quarantine.context.engine.intake.foresee(messages, manner)
    for number, entry in enumerate(batch):
        if number in seen.refused:
            count.refuse(entry.id, f"holds what is never stored: {seen.refused[number]}", SCREENED)
        elif number in seen.repeated:
            count.known += 1
        else:
            count.new += 1


def _account(batch: Sequence[Entry], result: IntakeResult, count: ImportTally) -> None:
    count.degraded.update(dict.fromkeys(result.degraded))
    repeated = frozenset(result.repeated)
    for number, (entry, intake) in enumerate(zip(batch, result.intakes, strict=True)):
        barred = [fate.reason for fate in intake.fates if fate.outcome == "refused"]
        held = [fate.memory_id for fate in intake.fates if fate.memory_id is not None]
        if barred and not held:
            count.refuse(entry.id, f"holds what is never stored: {barred[0]}", SCREENED)
            continue
        new = number not in repeated and _is_new(intake)
        count.new += new
        count.known += not new
        if new:
            count.redacted += bool(barred)
            count.memories.update(held)
        if held:
            count.made[entry.id] = (held[0], new)
        if entry.links:
            count.links[entry.id] = entry.links


def _is_new(intake: Intake) -> bool:
    """Whether an entry brought anything that was not there: what is only dropped stands in its verbatim turn."""
    return any(f.outcome in _STORED or (f.outcome == "dropped" and f.memory_id is not None) for f in intake.fates)


def _link(count: ImportTally, quarantine: Quarantine) -> int:
    """Edges between entries that point at each other, where one of them is new."""
    changes = [
        AddEdge("referenced", Node(source), Node(count.made[target][0]), 0.5)
        for entry, targets in count.links.items()
        if entry in count.made
        for source, new in (count.made[entry],)
        for target in targets
        if target in count.made and (new or count.made[target][1]) and count.made[target][0] != source
    ]
    store, subject = quarantine.context.engine.store, quarantine.context.subject
    linked = 0
    for start in range(0, len(changes), BATCH):
        part = changes[start : start + BATCH]
        try:
            store.commit(part, subject=subject)
            linked += len(part)
        except NotFound:  # one end was purged since it was imported
            for change in part:
                linked += _one_link(change, quarantine)
    return linked


def _one_link(change: AddEdge, quarantine: Quarantine) -> int:
    try:
        quarantine.context.engine.store.commit([change], subject=quarantine.context.subject)
    except NotFound:
        return 0
    return 1
