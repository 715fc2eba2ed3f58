"""What the statements of this room ask of an engine: a connection, and a database that gives connections.

Owns the protocols an engine fulfils, the values only engines know how to bind (`Keys`), and the errors a statement may
end in. The names of those errors are those of SQLite's driver, which every installation has: another engine raises them
too, so that there is one translation into ours. Knows no engine. Invariant: an error of an engine leaves the store only
as one of Palazzo's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import apsw
import msgspec
import numpy as np
from numpy.typing import NDArray

from palazzo.errors import (
    Conflict,
    CorruptPalace,
    DamagedRow,
    DiskFull,
    PalaceBusy,
    PalazzoError,
    ReadOnlyPalace,
    StorageError,
)
from palazzo.errors import WrongKey as KeyDoesNotOpen
from palazzo.files import forks
from palazzo.model.address import Place
from palazzo.model.kinds import KINDS, KindTable
from palazzo.ports import FieldCipher

if TYPE_CHECKING:
    from palazzo.store.sql.rows import Aside

EngineError = apsw.Error
"""What a statement ends in that the engine cannot run."""
Clash = apsw.ConstraintError
"""A key that is there already, or a reference to nothing."""
Stopped = apsw.InterruptError
"""A statement that was stopped, for it is too late."""
WRITING = apsw.SQLITE_TXN_WRITE
TAKEN: Final = {
    "memory": "a memory with this place, name and kind is already there",
    "turn": "this position of the conversation is already taken",
    "artifact": "a revision has one artifact of a name",
}
RETRY: Final = "revise what is there, or choose another name or position"
T = TypeVar("T")


class Rows(Protocol):
    """What a statement gives."""

    def __iter__(self) -> Iterator[Any]: ...

    def __next__(self) -> Any: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


class Connection(Protocol):
    """One session of an engine, used by one thread at a time. Statements hold `?` or `?1` for each value."""

    @property
    def in_transaction(self) -> bool: ...

    def execute(self, statements: str, bindings: Any = None, /) -> Rows: ...

    def executemany(self, statements: str, sequenceofbindings: Iterable[Any], /) -> Any:
        """Changes rows; an engine may tell a failure of it with a later statement, at the latest with the COMMIT."""

    def changes(self) -> int:
        """How many rows the last change changed."""

    def last_insert_rowid(self) -> int:
        """The number that the last INSERT gave its row."""

    def txn_state(self, schema: str | None = None, /) -> int:
        """`WRITING` when the transaction under way has written."""

    def data_version(self, schema: str | None = None, /) -> int:
        """A number that is another one when somebody has written since."""

    def set_progress_handler(self, callable: Callable[[], bool] | None, nsteps: int = 100, /) -> None:  # noqa: A002 - the driver's word
        """Statements end in `Stopped` soon after this says yes."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *told: Any) -> Any: ...

    def close(self, force: bool = False, /) -> None: ...


class PalaceDatabase(Protocol):
    """One palace, open. Threads share it."""

    checkpoints_beside: bool
    aside: Aside

    @property
    def log_due(self) -> bool: ...

    def checkpoint(self) -> None: ...

    def write(self, job: Callable[[Connection], T], /) -> T: ...

    def write_within(self, wait_s: float, job: Callable[[Connection], None], /) -> None: ...

    def under(self, check: Callable[[Connection], None] | None) -> AbstractContextManager[None]: ...

    def await_news(self, wait_s: float) -> bool: ...

    def read(self) -> AbstractContextManager[Connection]: ...

    def glance(self) -> AbstractContextManager[Connection]: ...

    def connect(self) -> Connection: ...

    def cover(self, connection: Any, damaged: Any) -> None:
        """Lets a connection see the tables without these rows."""

    def close(self) -> None: ...


class Keys:
    """A list of numbers or texts as the argument of carray(?)."""

    __slots__ = ("values",)

    def __init__(self, values: NDArray[np.int64] | Sequence[str | bytes]) -> None:
        self.values = values


_NONE = np.asarray([-1], dtype=np.int64)


def bound(keys: Sequence[int] | NDArray[np.int64]) -> Keys:
    """Keys as the argument of carray(?); an empty list binds one key that no row has, for carray takes no empty one."""
    found = np.ascontiguousarray(keys, dtype=np.int64)
    return Keys(found if len(found) else _NONE)


def one(connection: Connection, statement: str, values: Sequence[Any] = ()) -> Any:
    """The row of a statement that always gives one (an aggregate, a row just written)."""
    return connection.execute(statement, tuple(values)).fetchone()


Asked = tuple[str, tuple[Any, ...]]
"""A question and its values."""


def several(connection: Connection, asked: Sequence[Asked]) -> list[list[Any]]:
    """The rows of several questions; an engine to which each is a trip asks them in one."""
    together = getattr(connection, "several", None)
    if together is not None:
        return together(asked)  # type: ignore[no-any-return]
    return [connection.execute(*one).fetchall() for one in asked]


def translate(error: apsw.Error) -> PalazzoError:
    """The Palazzo error that says what an error of the engine means to a caller."""
    name = type(error).__name__
    if isinstance(error, Clash) and error.args[1:] and error.args[1] in TAKEN:
        return Conflict(TAKEN[error.args[1]], hint=RETRY)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return PalaceBusy("another process kept the palace locked for too long")
    if isinstance(error, apsw.FullError):
        return DiskFull("the disk is full")
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError | apsw.CantOpenError):
        return ReadOnlyPalace(f"the palace cannot be written ({name})")
    if isinstance(error, apsw.NotADBError):
        return KeyDoesNotOpen("this is not a palace file, or the key does not open it")
    if isinstance(error, apsw.CorruptError):
        return CorruptPalace("the palace file is damaged")
    if isinstance(error, apsw.IOError) and "full" in str(error).lower():
        return DiskFull("the disk is full")
    return StorageError(f"{name}: {error}")


@contextmanager
def translated() -> Iterator[None]:
    """Turns an engine's errors inside the block into Palazzo's; nobody forks meanwhile."""
    try:
        with forks.using():
            yield
    except apsw.Error as error:
        raise translate(error) from error
    except UnicodeDecodeError as error:
        raise no_text() from error


def no_text() -> DamagedRow:
    """The error for a stored text whose bytes are none."""
    return DamagedRow("a stored text is no text")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenOptions:
    """How to open the file. `durable` syncs every commit; otherwise a power cut may lose the last ones, never tear."""

    key: bytes | None = field(default=None, repr=False)
    durable: bool = True
    busy_wait_s: float = 60.0
    cache_mb: int = 8
    mmap_mb: int = 16
    read_only: bool = False
    exclusive: bool = False  # keeps everybody else out while the connection is open
    vfs: str | None = None
    hide_times: bool = False
    fields: FieldCipher | None = field(default=None, repr=False)


class StoreOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a store works on what it opened."""

    file: OpenOptions = OpenOptions()
    kinds: KindTable = KindTable(KINDS)
    upkeep: bool = True
    text_cache_mb: int = 64
    vector_cache_mb: int = 96
    places: tuple[Place, ...] = ()
    """The places a new palace has from the beginning."""
    require_sealing: bool = False
    """Whether guarded text is refused while there is no key to seal it with."""
