"""Erasing for good, at every grain: a memory, a place, a time window, a source, a subject, a user, everything.

Owns the order: put it on record, purge in batches, take the words out of the archive, rewrite our own backups, strike
it off the record, empty the write-ahead log, then look for what may be left in the raw files, and say all of it in a
report. Each step may be done twice, so one that was cut off is finished by the next process. Who may ask for it is
decided by the caller and arrives as a View. Invariant: a report never claims more than was done; what could not be done
is named in it, marked in the palace and repeated by the doctor.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol
from uuid import UUID

from palazzo.errors import InvalidInput
from palazzo.model.capability import EVERYWHERE, View
from palazzo.model.change import PurgeMemory, SetState
from palazzo.model.memory import STATES
from palazzo.model.raw_event import RawSelection
from palazzo.store.api import MOST_PIECES, Erased, Erasing, Reading, Selection, Store, ToErase, called
from palazzo.text.words.remembered import forget_texts

BATCH = 100
MOST_BEHIND = 5_000
Progress = Callable[[int, int], None]


class TextArchive(Protocol):
    """What was told, word for word, as far as an erasure needs it."""

    @property
    def folder(self) -> Path:
        """Where its files are."""

    def erase(self, wanted: ToErase) -> Erased:
        """Takes out what is wanted.

        Raises: WrongKey, StorageError.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What an erasure did. `left` names files in which words of the erased were still found; empty when it succeeded.

    `log` is "pending" while a reader kept the write-ahead log from being emptied. `looked_for` counts the pieces of
    text that were searched for in the raw files; 0 in an encrypted palace, where there is nothing to read.
    `unreadable` names lines of the archive that may hold what was erased and that nobody can read.
    """

    memories: int = 0
    archive_lines: int = 0
    unreadable: tuple[str, ...] = ()
    backups: tuple[tuple[str, str], ...] = ()
    rows: Mapping[str, int] = field(default_factory=dict)
    log: Literal["emptied", "pending"] = "emptied"
    looked_for: int = 0
    left: tuple[str, ...] = ()
    mentioned_elsewhere: int = 0
    pseudonym: str = ""
    remains: tuple[str, ...] = ()
    """What stays on purpose, with the reason."""


def everything_of(subject: str) -> View:
    """The view of an erasure nobody's scope bounds: every scope, seal and state."""
    return View(
        subject=subject, all_scopes=True, reach=EVERYWHERE, sealed_reach=EVERYWHERE, unlocked=EVERYWHERE,
        states=STATES, include_deprecated=True,
    )  # fmt: skip


def raw_selected(wanted: Selection) -> RawSelection | None:
    """The raw events that go with what is selected: those of a source or a time, which have no place and no memory."""
    if wanted.memories or wanted.place is not None or wanted.subject or wanted.everything or wanted.empty:
        return None
    return RawSelection(source=wanted.source, after_us=wanted.after_us, before_us=wanted.before_us)


class Erasure:
    """Erases from one palace. One erasure runs at a time, whichever process it is in."""

    def __init__(
        self, store: Store, archive: TextArchive | None, remove_pages: Callable[[], None] = lambda: None
    ) -> None:
        """`remove_pages` takes away the files that quote what was said and are made again from what is left."""
        self._store = store
        self._archive = archive
        self._remove_pages = remove_pages

    def burn(
        self, wanted: Selection, view: View, progress: Progress | None = None, *, unreadable: bool = False
    ) -> Report:
        """Erases what is selected, as far as the view reaches; with `unreadable` also archive lines nobody can read.

        Raises: InvalidInput when nothing is named, StorageError, WrongKey.
        """
        if wanted.empty and not unreadable:
            raise InvalidInput("say what to erase", field="memory", hint="a memory, a place, a time, a source, ...")
        whole = wanted == Selection(everything=True) and view == everything_of(view.subject)
        intent = Erasing(
            kind="everything" if whole else "memories", subject=view.subject, unreadable=unreadable,
            captured=raw_selected(wanted) if view == everything_of(view.subject) else None,
        )  # fmt: skip
        report = self._erase(intent, view, lambda reading: reading.selection.select(wanted), progress)
        return replace(report, remains=self._store.erasures.remains(intent, 0))

    def forget_user(
        self, user: str, subject: str, *, mentions: bool = False, unreadable: bool = False,
        progress: Progress | None = None,
    ) -> Report:  # fmt: skip
        """Erases a user: what lies in their scopes, what they said or wrote anywhere, and their name in every table.

        With `mentions` also memories of others that name them. Raises: InvalidInput, StorageError, WrongKey.
        """
        if not user.strip():
            raise InvalidInput("say which user", field="user")
        view = everything_of(subject)
        with self._store.reading(view) as reading:
            names = reading.people.names_of(user)
        intent = Erasing(
            kind="user", subject=subject, user=user, names=names, pseudonym=f"erased-{secrets.token_hex(4)}",
            mentions=mentions, unreadable=unreadable,
        )  # fmt: skip

        def chosen(reading: Reading) -> tuple[UUID, ...]:
            return reading.people.theirs(user) + (reading.people.naming(names) if mentions else ())

        report = self._erase(intent, view, chosen, progress)
        with self._store.reading(view) as reading:
            named = len(reading.people.naming(names))
        remains = self._store.erasures.remains(intent, named)
        return replace(report, mentioned_elsewhere=named, pseudonym=intent.pseudonym, remains=remains)

    def finish(self) -> tuple[Report, ...]:
        """Completes erasures that were cut off, unless whoever began them is still at it.

        Raises: StorageError, WrongKey; then they stay on record.
        """
        if not self._store.erasures.unfinished() and not self._store.erasures.owed():
            return ()
        with self._store.erasures.alone(wait=False) as alone:
            return self._complete_all(None) if alone else ()

    def _erase(
        self, intent: Erasing, view: View, chosen: Callable[[Reading], tuple[UUID, ...]], progress: Progress | None
    ) -> Report:
        """Puts the erasure on record with the memories it is to take, in one transaction, and carries it out."""

        def with_what_was_dreamt(reading: Reading) -> tuple[UUID, ...]:
            found = chosen(reading)
            return tuple(dict.fromkeys((*found, *reading.selection.dreamt_from(found))))

        with self._store.erasures.alone():
            self._complete_all(None)
            self._bring_back(view, chosen)
            self._store.erasures.record(intent, view, with_what_was_dreamt)
            return self._complete_all(progress)[-1]

    def _bring_back(self, view: View, chosen: Callable[[Reading], tuple[UUID, ...]]) -> None:
        """Lets memories be found again that were put away behind one which is about to go."""
        with self._store.reading(view) as reading:
            found = chosen(reading)
            dreamt = reading.selection.dreamt_from(found)
        going = {*found, *dreamt}
        with self._store.reading(everything_of(view.subject)) as reading:
            behind = {
                edge.target.memory_id
                for one in dreamt
                if reading.memories.get(one).kind != "digest"  # which hides nothing
                for edge in reading.edges.of(one, "out", MOST_BEHIND)
                if edge.kind == "derived_from" and edge.target.memory_id not in going
            }
            kept = [one for one in sorted(behind) if reading.memories.get(one).state == "archived"]
        if kept:
            why = "what stood for it was erased"
            self._store.commit([SetState(one, "active", why) for one in kept], subject=view.subject)

    def _complete_all(self, progress: Progress | None) -> tuple[Report, ...]:
        waiting, owed = self._store.erasures.unfinished(), self._store.erasures.owed()
        if not waiting and owed:
            self._from_archive(Erasing())
        return tuple(self._complete(intent, progress) for intent in waiting)

    def _complete(self, intent: Erasing, progress: Progress | None) -> Report:
        store = self._store
        memories = store.erasures.taken(intent.number)
        forget_texts(store)  # what is in mind is written down here, and goes with the rest
        pieces = self._purge(intent, len(memories), progress)
        rows = self._rows(intent)
        archived = self._from_archive(intent)
        self._remove_pages()
        backups = store.erasures.erase_from_backups(memories, intent)
        forget_texts(store)
        store.erasures.end(intent.number)
        emptied = store.erasures.empty_log()
        looked, left = store.erasures.traces(pieces) if "traces" in store.features else (0, ())
        return Report(
            memories=len(memories), archive_lines=archived.lines, unreadable=archived.unreadable, backups=backups,
            rows=rows, log="emptied" if emptied else "pending", looked_for=looked, left=left,
        )  # fmt: skip

    def _purge(self, intent: Erasing, total: int, progress: Progress | None) -> list[bytes]:
        """Purges what an erasure has still to purge; returns pieces of the texts, to look for in the raw files."""
        pieces: list[bytes] = []
        done = 0
        while True:
            batch, found = self._store.erasures.waiting(intent.number, BATCH)
            if len(pieces) < MOST_PIECES:
                pieces += found
            if not batch:
                return pieces
            self._store.commit([PurgeMemory(memory) for memory in batch], subject=intent.subject)
            done += len(batch)
            if progress:
                progress(done, max(total, done))

    def _rows(self, intent: Erasing) -> dict[str, int]:
        """Takes out what no memory holds; says how many rows of each table."""
        if intent.kind == "user" or intent.captured is not None:
            return self._store.erasures.forget_names(intent)
        return self._store.erasures.wipe() if intent.kind == "everything" else {}

    def _from_archive(self, intent: Erasing) -> Erased:
        """Takes out of the archive what any purged memory came from, so one erasure settles what others left."""
        stretches = self._store.erasures.stretches()
        wanted = ToErase(
            stretches=stretches, memories=frozenset(self._store.erasures.taken(intent.number)),
            unreadable=intent.unreadable, everything=intent.kind == "everything",
            people=called(intent.user) if intent.user else frozenset(),
            names=intent.names if intent.mentions else (), captured=intent.captured,
        )  # fmt: skip
        erased = Erased() if self._archive is None or wanted.empty else self._archive.erase(wanted)
        self._store.erasures.settle(stretches)
        return erased
