"""A change carried into the statement that it changes.

Owns the finding of that statement among the speaker's own: it has the old side, or what changed, by name; where a
change names neither ("switched to Things"), it is the last one told just before that has a thing of that sort. What it
says since then is the text room's. Invariants: nothing outside the speaker's scope and the writer's reach is changed,
no document and nothing with a name of its own; the change itself is told like anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from palazzo.intake.thread.asked import WHOLE
from palazzo.intake.thread.corrected import HEARD, VALUE_TURNS, Uttered, drawn_from, said_before
from palazzo.intake.values import TURN_KIND
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.message import Letter
from palazzo.store.api import Reading, Store
from palazzo.text.change.carried import SidedChange, carried_change, since_then, words_named
from palazzo.text.meaning.instructions import material_in
from palazzo.text.words.parsed import parsed

LOOKED_AT: Final = 16
"""Memories with words of the old side that are looked at."""
MOST: Final = 3


def carry(letters: Sequence[Letter], store: Store, reach: tuple[PlaceGlob, ...]) -> list[Letter]:
    """Letters with what the statements that they change say since then."""
    made = list(letters)
    for number, letter in enumerate(letters):
        message = letter.message
        told = message.role in HEARD and not (message.verbatim or message.name or message.speaker or message.kind)
        asked = message.conflict is not None  # whoever says what becomes of a disagreement is heard
        given = letter.manner == "observe" and material_in(letter.text)
        if not told or asked or given or letter.unkept or letter.wholly or letter.barred or letter.instead:
            continue
        spans = [span for span in parsed(letter.text).spans[1] if span[2] not in ("question", "code")]
        for start, end, _ in spans:
            change = carried_change(letter.text[start:end])
            if change is None or (start, end) in letter.unread:
                continue
            with store.reading(View(scope=message.scope, reach=reach)) as reading:
                if change.old or words_named(change.what):
                    found = _changed(change, letter, reading)
                else:
                    found = _told_before(change, said_before(number, start, letters, reading, VALUE_TURNS), reading)
            made[number] = replace(
                made[number], carried=(*made[number].carried, *((start, end, text, one) for text, one in found))
            )
    return made


def _changed(change: SidedChange, letter: Letter, reading: Reading) -> list[tuple[str, UUID]]:
    """The statements that a change changes: what each says since then, and which memory it is."""
    terms = tuple(dict.fromkeys(parsed(f"{change.what} {change.old}").content_terms))
    (near,) = reading.known.nearest([(terms, LOOKED_AT)])
    loaded = reading.memories.by_keys([one.key for one in near]).values()
    own = [
        memory for memory in loaded
        if memory.scope == letter.message.scope and memory.kind not in WHOLE and memory.kind != TURN_KIND
        and not memory.revision.content.detail.speaker
    ]  # fmt: skip
    found = [(since_then(memory.revision.content.text, change), memory.id) for memory in own]
    changed = [(text, one) for text, one in found if text]
    return changed[:MOST] if change.old or len(changed) == 1 else []


def _told_before(change: SidedChange, before: Iterable[Uttered], reading: Reading) -> list[tuple[str, UUID]]:
    """The same for the last of the statements made just before that has a thing of the new side's sort."""
    for said in before:
        text = since_then(said.text, change)
        if text and text != said.text:
            return [(text, one) for one in drawn_from(said, reading)][:1]
    return []
