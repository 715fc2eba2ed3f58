"""Kept first, understood after: which letters may wait, what is written of them at once, and how they are read later.

Owns the form in which a letter waits: beside its account, without its text, which the memory has. Knows nothing of when
it is read (`mind/settling.py`). Invariants: whatever decides if and how a text is stored is decided before it is
written; a letter is read as it was screened, against its own time, after those that came before it; what was revised
or forgotten meanwhile stays as it is.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from palazzo.archive import letter_of
from palazzo.intake.extract import extract
from palazzo.intake.split import whole
from palazzo.intake.thread.answered import complete
from palazzo.intake.thread.asked import asks, carry_out
from palazzo.intake.values import DOCUMENT_KIND, Draft, Findings, Judgement
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import EVERYWHERE, View
from palazzo.model.change import Change, CloseIntake
from palazzo.model.memory import SECTIONED
from palazzo.model.message import Letter
from palazzo.store.api import Store
from palazzo.text.safety.gate import fits_open

CHUNK: Final = 500
"""Letters of one call that are read in one transaction."""
SUBJECT: Final = "mind:understanding"
USUAL: Final = 0.5
"""How much a text matters until it is understood."""
_NOBODY, _NEVER = "", -1


@contextmanager
def undisturbed() -> Iterator[None]:
    """Without looks for cycles of values, of which taking in makes none: with those a batch takes an eighth longer."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def may_wait(letter: Letter) -> bool:
    """Whether a letter can be kept as one memory before it is read: a turn, or a text that is given word for word."""
    message = letter.message
    given = message.verbatim and message.kind in ("", DOCUMENT_KIND)
    brings = message.name or message.title or message.mentions or message.relations or message.facts
    if letter.wholly or brings or len(letter.text) > SECTIONED or not fits_open(message.addressee):
        return False
    return letter.manner == "observe" or given


def heard_now(letters: Sequence[Letter], store: Store, reach: tuple[PlaceGlob, ...]) -> bool:
    """Whether something in a batch decides what may be kept of it: a request to forget, an answer that is a secret."""
    asked = carry_out(letters, store, reach) if any(map(asks, letters)) else None
    return bool(asked and (asked.changes or asked.lost)) or bool(complete(letters, store, reach)[1])


def as_kept(letters: Iterable[Letter], call: UUID, reach: tuple[PlaceGlob, ...]) -> tuple[list[Letter], list[Draft]]:
    """Letters that wait, and a draft of each as it was told."""
    about: dict[str, Any] = {"call": call.hex} | ({} if reach == EVERYWHERE else {"reach": reach})
    # Where it comes from, what stands beside it and by what it is known again is kept with the memory and its account.
    made: list[Letter] = []
    for letter in letters:
        message = replace(letter.message, text="", metadata=None, label="", entry="")
        about["letter"] = replace(letter, text="", message=message)
        made.append(replace(letter, pending=msgspec.json.encode(about).decode()))
    turns = extract([draft for letter in made if letter.manner == "observe" for draft in whole(letter)])
    given = [_document(letter) for letter in made if letter.manner != "observe"]
    return made, [*turns, *given]


def _document(letter: Letter) -> Draft:
    importance = letter.message.importance
    return Draft(
        letter=letter, text=letter.text, statement=letter.text, start=0, end=len(letter.text), role="document",
        judgement=Judgement(
            kind=DOCUMENT_KIND, importance=USUAL if importance is None else importance, confidence=1.0
        ),
        findings=Findings(valid_from_us=letter.at_us),
    )  # fmt: skip


class WaitingCall(msgspec.Struct, frozen=True):
    """Letters of one call that are to be read now, and what closes those that are not there any more."""

    letters: list[Letter]
    closed: list[Change]
    reach: tuple[PlaceGlob, ...] = EVERYWHERE

    @property
    def count(self) -> int:
        return len(self.letters) + len(self.closed)


def next_waiting(store: Store, limit: int) -> WaitingCall | None:
    """The oldest letters of one call that wait, as they were told; None when nothing does."""
    rows = store.accounts.waiting(min(limit, CHUNK))
    told = [msgspec.json.decode(row.told) for row in rows]
    if not told:
        return None
    of_call = [(row, one) for row, one in zip(rows, told, strict=True) if one["call"] == told[0]["call"]]
    with store.reading(View(subject=SUBJECT, all_scopes=True)) as reading:
        held = reading.memories.by_keys([row.key for row, _ in of_call])
    letters: list[Letter] = []
    closed: list[Change] = []
    for row, one in of_call:
        memory = held.get(row.key)
        content = memory.revision.content if memory is not None and memory.revision.number == 1 else None
        letter = None
        if content is not None:
            beside = {"metadata": content.detail.metadata} if content.detail.metadata else {}
            message = {**one["letter"]["message"], **beside}
            said = {**one["letter"], "message": message, "text": content.text}
            letter = letter_of(said, _NOBODY, _NEVER)
        if letter is None or memory is None:
            closed.append(CloseIntake(intake_id=row.intake_id))
        else:
            letters.append(replace(letter, number=len(letters), kept=(memory.id, row.key)))
    reach = told[0].get("reach")
    return WaitingCall(letters, closed, EVERYWHERE if reach is None else msgspec.convert(reach, tuple[PlaceGlob, ...]))
