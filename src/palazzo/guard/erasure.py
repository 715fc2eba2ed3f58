"""Erasing for good, at every grain: a memory, a place, a time window, a source, a subject, a user, everything.

Owns the order: put it on record, purge in batches, take the words out of the archive, rewrite our own backups, strike
it off the record, empty the write-ahead log, then look for what may be left in the raw files, and say all of it in a
report. Each step may be done twice, so one that was cut off is finished by the next process. Who may ask for it is
decided by the caller and arrives as a View. Invariant: a report never claims more than was done; what could not be done
is named in it, marked in the palace and repeated by the doctor.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol
from uuid import UUID

from palazzo.errors import InvalidInput, StorageError
from palazzo.files.forks import FileLock
from palazzo.model.change import PurgeMemory
from palazzo.model.memory import STATES
from palazzo.model.view import EVERYWHERE, View
from palazzo.store.sqlite.erase import erasures, leftovers, person, traces
from palazzo.store.sqlite.erase.erasures import Erased, Intent, ToErase
from palazzo.store.sqlite.memory import selection
from palazzo.store.sqlite.memory.selection import Selection
from palazzo.store.sqlite.palace import Store
from palazzo.store.sqlite.reading import Reading
from palazzo.text.words.remembered import forget_texts

BATCH = 100
LOCK = "erasure.lock"
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


class Erasure:
    """Erases from one palace. One erasure runs at a time, whichever process it is in."""

    def __init__(self, store: Store, archive: TextArchive | None) -> None:
        self._store = store
        self._archive = archive
        self._lock = FileLock(store.folder / LOCK)

    def burn(
        self, wanted: Selection, view: View, progress: Progress | None = None, *, unreadable: bool = False
    ) -> Report:
        """Erases what is selected, as far as the view reaches; with `unreadable` also archive lines nobody can read.

        Raises: InvalidInput when nothing is named, StorageError, WrongKey.
        """
        if wanted.empty and not unreadable:
            raise InvalidInput("say what to erase", field="memory", hint="a memory, a place, a time, a source, ...")
        whole = wanted == Selection(everything=True) and view == everything_of(view.subject)
        intent = Intent(kind="everything" if whole else "memories", subject=view.subject, unreadable=unreadable)
        report = self._erase(intent, view, lambda reading: selection.select(reading, wanted), progress)
        return replace(report, remains=leftovers.remains(self._store, intent, 0))

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
            names = person.names_of(reading.connection, self._store.cipher, user)
        intent = Intent(
            kind="user", subject=subject, user=user, names=names, pseudonym=f"erased-{secrets.token_hex(4)}",
            mentions=mentions, unreadable=unreadable,
        )  # fmt: skip

        def chosen(reading: Reading) -> tuple[UUID, ...]:
            return person.theirs(reading, user) + (person.naming(reading, names) if mentions else ())

        report = self._erase(intent, view, chosen, progress)
        with self._store.reading(view) as reading:
            named = len(person.naming(reading, names))
        remains = leftovers.remains(self._store, intent, named)
        return replace(report, mentioned_elsewhere=named, pseudonym=intent.pseudonym, remains=remains)

    def finish(self) -> tuple[Report, ...]:
        """Completes erasures that were cut off, unless whoever began them is still at it.

        Raises: StorageError, WrongKey; then they stay on record.
        """
        with self._store.database.read() as connection:
            if not erasures.unfinished(connection) and not erasures.owed(connection):
                return ()
        with self._locked(wait=False) as alone:
            return self._complete_all(None) if alone else ()

    def _erase(
        self, intent: Intent, view: View, chosen: Callable[[Reading], tuple[UUID, ...]], progress: Progress | None
    ) -> Report:
        """Puts the erasure on record with the memories it is to take, in one transaction, and carries it out."""
        with self._locked():
            self._complete_all(None)
            leftovers.record(self._store, intent, view, chosen)
            return self._complete_all(progress)[-1]

    @contextmanager
    def _locked(self, *, wait: bool = True) -> Iterator[bool]:
        try:
            with self._lock.held() if wait else self._lock.tried() as alone:
                yield wait or bool(alone)
        except OSError as error:
            raise StorageError(f"the palace cannot be locked for an erasure: {error.strerror}") from error

    def _complete_all(self, progress: Progress | None) -> tuple[Report, ...]:
        with self._store.database.read() as connection:
            waiting = erasures.unfinished(connection)
            owed = erasures.owed(connection)
        if not waiting and owed:
            self._from_archive(Intent())
        return tuple(self._complete(intent, progress) for intent in waiting)

    def _complete(self, intent: Intent, progress: Progress | None) -> Report:
        store = self._store
        with store.database.read() as connection:
            memories = erasures.taken(connection, intent.number)
        forget_texts(store)  # what is in mind is written down here, and goes with the rest
        pieces = self._purge(intent, len(memories), progress)
        rows = self._rows(intent)
        archived = self._from_archive(intent)
        backups = leftovers.erase_from_backups(store, memories, intent)
        forget_texts(store)
        leftovers.mark(store, lambda connection: erasures.end(connection, intent.number))
        emptied = leftovers.empty_log(store)
        looked, left = self._look(pieces) if store.options.file.key is None else (0, ())
        return Report(
            memories=len(memories), archive_lines=archived.lines, unreadable=archived.unreadable, backups=backups,
            rows=rows, log="emptied" if emptied else "pending", looked_for=looked, left=left,
        )  # fmt: skip

    def _purge(self, intent: Intent, total: int, progress: Progress | None) -> list[bytes]:
        """Purges what an erasure has still to purge; returns pieces of the texts, to look for in the raw files."""
        pieces: list[bytes] = []
        done = 0
        while True:
            with self._store.database.read() as connection:
                batch = erasures.waiting(connection, intent.number, BATCH)
                if len(pieces) < traces.MOST_PIECES:
                    pieces += traces.pieces_of(connection, batch)
            if not batch:
                return pieces
            self._store.commit([PurgeMemory(memory) for memory in batch], subject=intent.subject)
            done += len(batch)
            if progress:
                progress(done, max(total, done))

    def _rows(self, intent: Intent) -> dict[str, int]:
        """Takes out what no memory holds; says how many rows of each table."""
        if intent.kind == "user":
            return leftovers.forget_names(self._store, intent)
        return leftovers.wipe(self._store) if intent.kind == "everything" else {}

    def _from_archive(self, intent: Intent) -> Erased:
        """Takes out of the archive what any purged memory came from, so one erasure settles what others left."""
        with self._store.database.read() as connection:
            stretches = erasures.stretches(connection)
        wanted = ToErase(
            stretches=stretches, unreadable=intent.unreadable, everything=intent.kind == "everything",
            people=person.called(intent.user) if intent.user else frozenset(),
            names=intent.names if intent.mentions else (),
        )  # fmt: skip
        erased = Erased() if self._archive is None or wanted.empty else self._archive.erase(wanted)
        self._store.database.write(lambda connection: erasures.settle(connection, stretches))
        return erased

    def _look(self, pieces: list[bytes]) -> tuple[int, tuple[str, ...]]:
        """Searches every raw file; when a trace is found the file is written anew and searched again."""
        looked = traces.chosen(self._store.folder, pieces)
        left = self._traces(looked)
        if left:
            self._store.database.compact()
            leftovers.empty_log(self._store)
            left = self._traces(looked)
        return len(looked), left

    def _traces(self, pieces: list[bytes]) -> tuple[str, ...]:
        found = traces.search(self._store.folder, pieces)
        with self._store.database.read() as connection:
            lost = {piece for _, piece in found if not traces.said(connection, piece)}
        folder = self._store.folder
        return tuple(sorted({str(path.relative_to(folder)) for path, piece in found if piece in lost}))
