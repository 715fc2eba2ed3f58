"""The exception tree. Every error has a stable `code`, a message that says what happened, and a `hint` that says
what to do next. Callers catch branches, programs compare codes, people read the text.

    PalazzoError
    ├── InvalidInput            the caller's value is at fault; nothing was written
    │   ├── InvalidAddress      address, kref, glob or slice; knows the position of the fault
    │   ├── UnknownKind         lists the known kinds
    │   └── Refused             screened out: a secret, a card number, an injection
    ├── NotFound (LookupError)  no such memory, revision, tag, place, entity, space
    ├── Conflict                the write would break a law
    │   ├── CycleRefused        an acyclic edge kind would close a circle
    │   ├── VersionConflict     somebody else changed it since it was read
    │   └── KeyReused           an idempotency key came again with another request
    ├── NotPermitted            the subject's capability does not reach
    ├── RateLimited             too many calls; says when to come back
    ├── StorageError            the palace itself
    │   ├── PalaceMissing, PalaceExists, WrongKey, NewerSchema, MigrationFailed
    │   ├── ReadOnlyPalace, DiskFull, PalaceBusy
    │   └── CorruptPalace       the file is damaged
    │       └── DamagedRow      one row of it is; everything else works
    └── PartUnavailable         an optional part (embedder, extra, server) is absent or failing

Messages never carry remembered content; they carry ids, names of fields and positions.
"""

from __future__ import annotations


class PalazzoError(Exception):
    """Root of all errors raised on purpose by Palazzo."""

    code = "error"
    hint = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if hint is not None:
            self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InvalidInput(PalazzoError):
    """A value from the caller is at fault; `field` names it. Nothing was written."""

    code = "invalid_input"

    def __init__(self, message: str, *, field: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.field = field


class InvalidAddress(InvalidInput):
    """A malformed address, kref, glob or slice; `position` is the index of the first character at fault."""

    code = "invalid_address"

    def __init__(self, message: str, *, text: str, position: int) -> None:
        shown = text if len(text) <= 80 else text[:77] + "..."
        super().__init__(f"{message} at position {position} of {shown!r}", field="address")
        self.text = text
        self.position = position


class UnknownKind(InvalidInput):
    """A kind that is not in the kinds table."""

    code = "unknown_kind"

    def __init__(self, kind: str, known: tuple[str, ...]) -> None:
        super().__init__(f"unknown kind {kind!r}", field="kind", hint=f"known kinds: {', '.join(sorted(known))}")
        self.kind = kind
        self.known = known


class Refused(InvalidInput):
    """Screened out before the store; `reason` is the class of what was found, never its value."""

    code = "refused"

    def __init__(self, message: str, *, reason: str, hint: str = "remove it and try again") -> None:
        super().__init__(message, field="text", hint=hint)
        self.reason = reason


class NotFound(PalazzoError, LookupError):
    """Nothing is there that this reader may see."""

    code = "not_found"


class Conflict(PalazzoError):
    """The write would break a law of the palace; nothing was written."""

    code = "conflict"


class CycleRefused(Conflict):
    """An edge of an acyclic kind would close a circle."""

    code = "cycle_refused"


class VersionConflict(Conflict):
    """The memory changed since it was read."""

    code = "version_conflict"
    hint = "read it again and retry"


class KeyReused(Conflict):
    """An idempotency key was used before, for another request."""

    code = "key_reused"
    hint = "choose a new key for every new request"


class NotPermitted(PalazzoError):
    """The subject's capability does not reach this place or operation."""

    code = "not_permitted"


class RateLimited(PalazzoError):
    """The subject asked too often; `retry_after_s` says when to come back, None: not in this session."""

    code = "rate_limited"

    def __init__(self, message: str, *, retry_after_s: float | None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint or (f"try again in {retry_after_s:.1f} s" if retry_after_s else None))
        self.retry_after_s = retry_after_s


class StorageError(PalazzoError):
    """The palace cannot be opened, read or written as asked."""

    code = "storage"


class PalaceMissing(StorageError, LookupError):
    """There is no palace at this path."""

    code = "palace_missing"
    hint = "create one with `palazzo init`"


class PalaceExists(StorageError):
    """There already is a palace at this path."""

    code = "palace_exists"


class WrongKey(StorageError):
    """The palace is encrypted and the key given does not open it, or none was given."""

    code = "wrong_key"
    hint = "give the passphrase of this palace, or unlock the keyring that holds its key"


class NewerSchema(StorageError):
    """The palace was written by a newer release."""

    code = "newer_schema"
    hint = "upgrade palazzo, or restore the backup made before the newer release migrated the palace"


class MigrationFailed(StorageError):
    """A migration did not complete; the palace is as it was, a backup is beside it."""

    code = "migration_failed"


class ReadOnlyPalace(StorageError):
    """The palace can be read but not written (file mode, read-only disk, or opened so)."""

    code = "read_only"
    hint = "reads go on; make the folder writable to write again"


class DiskFull(StorageError):
    """No space is left; the write was undone, nothing that was acknowledged is lost."""

    code = "disk_full"
    hint = "reads go on; free some space and retry the write"


class PalaceBusy(StorageError):
    """Another process held the write lock for longer than the configured wait."""

    code = "busy"
    hint = "retry; if it persists, look for a stopped process that has the palace open"


class LocksLost(StorageError):
    """Something in this process opened and closed the palace's files outside SQLite, and its locks went with that."""

    code = "locks_lost"
    hint = "close the palace and open it again, then look for what was written last; never open palace.db yourself"


class CorruptPalace(StorageError):
    """The file is empty, cut off or damaged."""

    code = "corrupt"
    hint = (
        "`palazzo recover` takes the first way that leads to a whole palace, such as its newest backup or its archive;"
        " `palazzo reindex --from-archive NEW-FOLDER` makes another from the archive"
    )


class DamagedRow(CorruptPalace):
    """A stored field does not hold what its column holds; the row is left out of answers, and the rest works."""

    code = "damaged"
    hint = (
        "the rest works; `palazzo verify` names every damaged field: restore the newest backup, or purge the memory "
        "and tell it again"
    )


class PartUnavailable(PalazzoError):
    """An optional part (embedder, extra, server) is absent or failing; `part` names it."""

    code = "part_unavailable"

    def __init__(self, message: str, *, part: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.part = part
