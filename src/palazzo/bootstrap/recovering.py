"""Bringing a palace back: from a backup, or by the first of a few ways that leaves it whole.

Owns the ladder: the file as it is; its indexes made again; the file written anew; the newest backup that is whole; the
archive. What was told after a backup was made is in the archive and is told again. Invariants: the file that is
replaced is kept among the backups; another takes its place in one step, and only when it was found whole; nothing is
done while somebody has the palace open.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from palazzo.adapters import key_file, palace_keys
from palazzo.adapters.palace_keys import Ask, FoundKey
from palazzo.adapters.system_clock import SystemClock
from palazzo.archive import Read
from palazzo.bootstrap import (
    compose,
    key_source,
    palace_folder,
    rebuild_from_archive,
    store_options,
)
from palazzo.bootstrap.converting import archive_of, find_keys, may_be_encrypted
from palazzo.bootstrap.servers import only_files
from palazzo.errors import CorruptPalace, InvalidInput, NotFound, PalaceBusy, PalazzoError, WrongKey
from palazzo.files import raw_files
from palazzo.intake.rebuild import ReplayClock, Replayed, replay
from palazzo.settings import Settings
from palazzo.store.sqlite import backup, care
from palazzo.store.sqlite.backup import FOLDER as BACKUPS
from palazzo.store.sqlite.encryption import is_encrypted
from palazzo.store.sqlite.held_locks import users
from palazzo.store.sqlite.palace import FILE, SqliteStore

GROUND = ".recovering"


class Recovered(msgspec.Struct, frozen=True, kw_only=True):
    """What was tried, in words, and what the palace is now: `whole`, or `lost` when nothing led to a whole one.

    `kept` is where the file is that was replaced; `told_again` counts messages that came from the archive.
    """

    state: str
    steps: tuple[str, ...]
    kept: str = ""
    told_again: int = 0


class _Ground:
    """A palace that may be damaged, and what is needed to open it."""

    def __init__(self, settings: Settings, ask: Ask | None) -> None:
        only_files(settings, "this command")
        self.settings = settings
        self.ask = ask
        self.folder = palace_folder(settings)
        self.path = self.folder / FILE
        self.steps: list[str] = []

    def key(self) -> FoundKey | None:
        """The key of the palace, of a damaged one too.

        Raises: WrongKey.
        """
        source = key_source(self.settings, self.ask)
        if self.path.exists():
            with suppress(CorruptPalace):
                return find_keys(self.folder, source)
        return next(iter(palace_keys.candidates(self.folder, source)), None) if key_file.read(self.folder) else None

    def require_alone(self) -> None:
        """Raises: PalaceBusy."""
        if self.path.exists() and users(self.path):
            raise PalaceBusy(
                "other processes have this palace open", hint="stop them (palazzo serve, MCP clients) and try again"
            )

    def opened(self, folder: Path, found: FoundKey | None) -> SqliteStore:
        """Raises: CorruptPalace, WrongKey, StorageError."""
        options = store_options(self.settings, found, whole=is_encrypted(folder / FILE))
        return SqliteStore.open(folder, SystemClock(), replace(options, upkeep=False))


def restore_backup(settings: Settings, file: Path | None = None, ask: Ask | None = None) -> Recovered:
    """Puts a backup in the place of the palace file, the newest one that is whole unless one is named.

    Raises: NotFound when there is none, PalaceBusy, WrongKey, InvalidInput when the named one is not whole.
    """
    ground = _Ground(settings, ask)
    ground.require_alone()
    found = ground.key()
    if file is not None and not file.is_file():
        raise NotFound(f"there is no file {file}", hint="`palazzo restore-backup` without a name takes the newest")
    with _room(ground) as room:
        copies = [file] if file is not None else _backups(ground.folder)
        if not copies:
            raise NotFound(f"there is no backup in {ground.folder / BACKUPS}", hint="name the file of one")
        for copy in copies:
            if _whole_copy(ground, copy, room, found):
                return _taken(ground, room, found)
        if file is not None:
            raise InvalidInput("; ".join(ground.steps), field="file", hint="`palazzo recover` looks for a way")
    return Recovered(state="lost", steps=tuple(ground.steps))


def recover_palace(settings: Settings, ask: Ask | None = None) -> Recovered:
    """Makes a palace whole by the first way that does.

    Raises: PalaceBusy, WrongKey, StorageError.
    """
    ground = _Ground(settings, ask)
    ground.require_alone()
    found = ground.key()
    if _as_it_is(ground, found):
        return Recovered(state="whole", steps=tuple(ground.steps))
    with _room(ground) as room:
        ways: tuple[Callable[[], bool], ...] = (
            lambda: _written_anew(ground, room, found),
            *(_way(ground, copy, room, found) for copy in _backups(ground.folder)),
        )
        for way in ways:
            if way():
                return _taken(ground, room, found)
        if _from_archive(ground, room):
            return Recovered(state="whole", steps=tuple(ground.steps), kept=_take_place(ground, room))
    return Recovered(state="lost", steps=(*ground.steps, "nothing led to a whole palace; the file is as it was"))


def _way(ground: _Ground, copy: Path, room: Path, found: FoundKey | None) -> Callable[[], bool]:
    return lambda: _whole_copy(ground, copy, room, found)


@contextmanager
def _room(ground: _Ground) -> Iterator[Path]:
    """A folder in which a file is made ready, beside the palace so that it can take its place in one step."""
    room = ground.folder / GROUND
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir(parents=True, mode=0o700)
    try:
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _backups(folder: Path) -> list[Path]:
    """The copies a palace keeps of itself, newest first; those it kept of damaged files are none."""
    found = [path for path in (folder / BACKUPS).glob("*.db") if not path.name.startswith("replaced-")]
    return sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def _problems(store: SqliteStore) -> list[str]:
    """What is wrong with a palace, below and above SQLite."""
    return care.broken(store) or care.verify(store)


def _as_it_is(ground: _Ground, found: FoundKey | None) -> bool:
    """The first two rungs: the file as it stands, and with its indexes made again."""
    if not ground.path.exists():
        ground.steps.append(f"{FILE} is missing")
        return False
    try:
        with ground.opened(ground.folder, found) as store:
            if not (problems := _problems(store)):
                ground.steps.append("the palace is whole")
                return True
            ground.steps.append(f"the palace is not whole: {problems[0]}")
            care.rebuild(store)
            if not _problems(store):
                ground.steps.append("its indexes were made again, and it is whole")
                return True
    except WrongKey:
        raise
    except PalazzoError as error:
        ground.steps.append(f"the palace cannot be read: {error.message}")
        return False
    ground.steps.append("its indexes were made again, which was not enough")
    return False


def _written_anew(ground: _Ground, room: Path, found: FoundKey | None) -> bool:
    """The third rung: a copy of the file whose every page is written anew."""
    if not ground.path.exists():
        return False
    for path in (ground.path, ground.path.with_name(f"{FILE}-wal")):
        if path.exists():
            raw_files.copy(path, room / path.name)
    options = store_options(ground.settings, found, whole=may_be_encrypted(ground.path)).file
    try:
        backup.write_anew(room / FILE, options)
    except PalazzoError as error:
        ground.steps.append(f"it cannot be written anew: {error.message}")
        return False
    return _checked(ground, room, found, "the file, written anew,")


def _whole_copy(ground: _Ground, copy: Path, room: Path, found: FoundKey | None) -> bool:
    """A copy made ready in the room, if it is whole."""
    for stray in room.glob(f"{FILE}*"):
        stray.unlink()
    raw_files.copy(copy, room / FILE)
    return _checked(ground, room, found, f"the backup {copy.name}")


def _checked(ground: _Ground, room: Path, found: FoundKey | None, what: str) -> bool:
    try:
        with ground.opened(room, found) as store:
            problems = _problems(store)
    except PalazzoError as error:
        problems = [error.message]
    ground.steps.append(f"{what} is {f'not whole: {problems[0]}' if problems else 'whole'}")
    return not problems


def _from_archive(ground: _Ground, room: Path) -> bool:
    """The last rung: what was told, told again."""
    try:
        made = rebuild_from_archive(ground.settings, room / "again", ask=ground.ask)
    except PalazzoError as error:
        ground.steps.append(f"there is no way from the archive: {error.message}")
        return False
    if not made.messages:
        ground.steps.append("the archive is empty")
        return False
    (room / "again" / FILE).replace(room / FILE)
    ground.steps.append(f"the palace was made again from its archive: {made.messages} messages")
    return True


def _take_place(ground: _Ground, room: Path) -> str:
    """Lets the file in the room take the place of the palace's, which is kept among the backups; says where."""
    kept = ground.folder / BACKUPS / f"replaced-{SystemClock().now_us()}.db"
    raw_files.make_private(kept.parent)
    if ground.path.exists():
        os.link(ground.path, kept)
    for end in ("-wal", "-shm"):
        beside = ground.path.with_name(FILE + end)
        if beside.exists():
            beside.rename(kept.with_name(kept.name + end))
    (room / FILE).replace(ground.path)
    raw_files.sync_to_disk(ground.folder)
    return str(kept) if kept.exists() else ""


def _taken(ground: _Ground, room: Path, found: FoundKey | None) -> Recovered:
    told = _told_since(ground, room, found)
    kept = _take_place(ground, room)
    return Recovered(state="whole", steps=tuple(ground.steps), kept=kept, told_again=told)


def _told_since(ground: _Ground, room: Path, found: FoundKey | None) -> int:
    """Tells the palace in the room what the archive has and it has not; says how many messages."""
    archive = archive_of(ground.folder, found, durable=True)
    clock = ReplayClock()
    with ground.opened(room, found) as store:
        known = {letter for letter, _ in store.accounts.taken_in()}
        calls = archive.read().calls
        missing = tuple(call for call in calls if not any(letter.id in known for letter in call.letters))
        newest_us = store.lives.last_us() or 0
        since = tuple(commit for commit in archive.commits() if commit.made_us > newest_us)
        if not missing and not since:
            return 0
        store.clock = clock
        with compose(store, clock, ground.settings, None) as engine:
            made = replay(Replayed(Read(missing), since), engine.intake, clock)
    ground.steps.append(
        f"{made.messages} messages that were told since were told again from the archive, in {made.commits} commits"
    )
    return made.messages
