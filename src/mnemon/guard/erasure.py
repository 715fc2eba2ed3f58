"""Erasing for good, at every grain: a memory, a place, a time window, a source, a subject, a user, everything.

Owns the order: purge in batches, take the words out of the archive, rewrite our own backups, empty the write-ahead log,
then look for what may be left in the raw files, and say all of it in a report. Who may ask for it is decided by the
caller and arrives as a View. Invariant: a report never claims more than was done; what could not be done is named in
it, marked in the palace and repeated by the doctor.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol
from uuid import UUID

from mnemon.errors import InvalidInput
from mnemon.model.change import PurgeMemory
from mnemon.model.memory import STATES
from mnemon.model.view import EVERYWHERE, View
from mnemon.store import entities, forgetting, leftovers, selection, traces
from mnemon.store.selection import Selection
from mnemon.store.store import Store
from mnemon.text.words.remembered import forget_texts

BATCH = 100
Progress = Callable[[int, int], None]
Stretches = tuple[tuple[int, int], ...]


class TextArchive(Protocol):
    """What was told, word for word, as far as an erasure needs it."""

    @property
    def folder(self) -> Path:
        """Where its files are."""

    def erase(self, stretches: Mapping[UUID, Stretches | None], user: str = "") -> int:
        """Takes stretches out of letters by id (None: the whole letter), and all of a user; counts changed lines.

        Raises: WrongKey, StorageError.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What an erasure did. `left` names files in which words of the erased were still found; empty when it succeeded.

    `log` is "pending" while a reader kept the write-ahead log from being emptied. `looked_for` counts the pieces of
    text that were searched for in the raw files; 0 in an encrypted palace, where there is nothing to read.
    """

    memories: int = 0
    archive_lines: int = 0
    backups: tuple[tuple[str, str], ...] = ()
    rows: Mapping[str, int] = field(default_factory=dict)
    log: Literal["emptied", "pending"] = "emptied"
    looked_for: int = 0
    left: tuple[str, ...] = ()
    mentioned_elsewhere: int = 0
    pseudonym: str = ""


@dataclass(slots=True)
class _Gone:
    """What the batches took, for the steps after them."""

    ids: list[UUID] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    stretches: dict[UUID, Stretches] = field(default_factory=dict)


def everything_of(subject: str) -> View:
    """The view of an erasure nobody's scope bounds: every scope, seal and state."""
    return View(
        subject=subject, all_scopes=True, reach=EVERYWHERE, sealed_reach=EVERYWHERE, unlocked=EVERYWHERE,
        states=STATES, include_deprecated=True,
    )  # fmt: skip


class Erasure:
    """Erases from one palace."""

    def __init__(self, store: Store, archive: TextArchive | None) -> None:
        self._store = store
        self._archive = archive

    def burn(self, wanted: Selection, view: View, progress: Progress | None = None) -> Report:
        """Erases what is selected, as far as the view reaches.

        Raises: InvalidInput when nothing is named, StorageError, WrongKey.
        """
        if wanted.empty:
            raise InvalidInput("say what to erase", field="memory", hint="a memory, a place, a time, a source, ...")
        gone = self._purge(wanted, view, progress)
        return self._finish(gone, {}, user="")

    def forget_user(
        self, user: str, subject: str, *, mentions: bool = False, progress: Progress | None = None
    ) -> Report:
        """Erases a user: what lies in their scopes, what they said or wrote anywhere, and their name in every table.

        With `mentions` also memories of others that name them. Raises: InvalidInput, StorageError, WrongKey.
        """
        if not user.strip():
            raise InvalidInput("say which user", field="user")
        view = everything_of(subject)
        gone = self._purge(Selection(user=user), view, progress)
        with self._store.reading(view) as reading:
            named = entities.memories_naming(reading, user)
        if mentions and named:
            more = self._purge(Selection(memories=named), view, progress)
            gone.ids += more.ids
            gone.pieces += more.pieces
            gone.stretches |= more.stretches
            named = ()
        pseudonym = f"erased-{secrets.token_hex(4)}"
        now_us = self._store.clock.now_us()
        rows = self._store.database.write(
            lambda connection: forgetting.forget_names(connection, user, pseudonym, now_us)
        )
        self._store.text_cache.clear()
        report = self._finish(gone, rows, user=user)
        return replace(report, mentioned_elsewhere=len(named), pseudonym=pseudonym)

    def _purge(self, wanted: Selection, view: View, progress: Progress | None) -> _Gone:
        gone = _Gone()
        with self._store.reading(view) as reading:
            total = selection.count(reading, wanted)
        while True:
            with self._store.reading(view) as reading:
                batch = selection.select(reading, wanted, BATCH)
                gone.stretches |= selection.stretches(reading.connection, batch)
                if len(gone.pieces) < traces.MOST_PIECES:
                    gone.pieces += traces.pieces_of(reading.connection, batch)
            if not batch:
                return gone
            self._store.commit([PurgeMemory(memory) for memory in batch], subject=view.subject)
            gone.ids += batch
            if progress:
                progress(len(gone.ids), max(total, len(gone.ids)))

    def _finish(self, gone: _Gone, rows: Mapping[str, int], *, user: str) -> Report:
        lines = self._from_archive(gone, user)
        backups = leftovers.erase_from_backups(self._store, tuple(gone.ids), user)
        forget_texts()
        leftovers.mark(self._store)
        emptied = leftovers.empty_log(self._store)
        looked, left = self._look(gone.pieces) if self._store.options.file.key is None else (0, ())
        return Report(
            memories=len(gone.ids), archive_lines=lines, backups=backups, rows=rows,
            log="emptied" if emptied else "pending", looked_for=looked, left=left,
        )  # fmt: skip

    def _from_archive(self, gone: _Gone, user: str) -> int:
        if self._archive is None or not (gone.stretches or user):
            return 0
        with self._store.database.read() as connection:
            silent = selection.silent(connection, tuple(gone.stretches))
        wanted = {node: None if node in silent else spans for node, spans in gone.stretches.items()}
        return self._archive.erase(wanted, user)

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
