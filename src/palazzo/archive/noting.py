"""Writing every commit of a palace into its archive: before it is made, voided when it failed.

Invariant: an archive that fails is told, not raised, for the palace has what was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from palazzo.archive import Archive, Written
from palazzo.archive.commits import ArchivedCommit
from palazzo.errors import StorageError
from palazzo.model.change import Change
from palazzo.model.ids import new_id


class CommitNotes:
    """The commits of one palace."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def begin(self, changes: Sequence[Change], subject: str, now_us: int) -> CommitNote:
        """Writes a commit down before it is made."""
        commit = ArchivedCommit(id=new_id(now_us), subject=subject, made_us=now_us, changes=tuple(changes))
        try:
            return CommitNote(self._archive, commit, self._archive.append_commit(commit))
        except StorageError as error:
            return CommitNote(self._archive, commit, None, error.message)


class CommitNote:
    """A commit on its way to the disk."""

    def __init__(self, archive: Archive, commit: ArchivedCommit, written: Written | None, trouble: str = "") -> None:
        self._archive = archive
        self._commit = commit
        self._written = written
        self._trouble = trouble

    def made(self) -> tuple[str, ...]:
        """Returns when the commit is on the disk; says what went wrong, if something did."""
        try:
            if self._written is not None:
                self._written.wait()
        except StorageError as error:
            self._trouble = error.message
        return (f"archive: {self._trouble}",) if self._trouble else ()

    def failed(self) -> None:
        """Notes that the commit was not made."""
        if self._written is not None:
            with suppress(StorageError):  # what is not voided is refused again when it is made again
                self._written.wait()
                self._archive.void(self._commit)
