"""The long operations of a palace, each with what it starts from, what finishes it after an interruption, and what must
hold then: everything acknowledged before is there, `verify` is clean, nothing half-made is left."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palazzo.bootstrap import (
    copy_palace,
    create_engine,
    decrypt_palace,
    encrypt_palace,
    interrupted,
    load_settings,
    open_engine,
    rebuild_from_archive,
    rotate_palace,
)
from palazzo.engine import Engine
from palazzo.errors import InvalidInput, NotFound, PalaceExists, WrongKey
from palazzo.model.message import Message
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.settings import Settings
from palazzo.store.sql import migrations
from palazzo.store.sql.port import OpenOptions
from palazzo.store.sqlite import backup, care
from palazzo.store.sqlite.connection import Database
from palazzo.store.sqlite.encryption import is_encrypted
from palazzo.store.sqlite.palace import FILE, SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store, options_for, place_memory

OLD, NEW = "a long walk by the sea", "another walk by the lake"
GUARDED = "Ottoline Brackenbury's passport number is X1234567."
TEXTS = (
    GUARDED,
    "The harbour office opens at eight.",
    "The moor is wide and empty.",
    "Wilf keeps bees behind the chapel.",
)
LEFT_ALONE = (
    "palace.db", "palace.db-wal", "palace.db-shm", "key.json", "archive", "archive.lock", "erasure.lock", "backups",
)  # fmt: skip


class Lost(Exception):
    """Something that must hold after a recovery does not."""


@dataclass(frozen=True)
class Operation:
    """`act` is interrupted; `recover` is what the manual says to do then; `check` holds afterwards."""

    prepare: Callable[[Path], None]
    act: Callable[[Path], None]
    recover: Callable[[Path], None]
    check: Callable[[Path], None]


def settings_of(folder: Path, passphrase: str = OLD, **given: Any) -> Settings:
    return load_settings({
        "palace": str(folder / "p"), "passphrase": passphrase, "embedder": "none", "upkeep": False, **given,
    })  # fmt: skip


def ask(engine: Engine, name: str, /, **arguments: Any) -> Any:
    return call(engine, Caller(), name, arguments)


def told(*, encrypted: bool = False, fields: bool = False) -> Callable[[Path], None]:
    """A small palace: a few memories, one of them guarded, a conversation, an archive."""

    def prepare(folder: Path) -> None:
        with create_engine(settings_of(folder), encrypted=encrypted, fields=fields) as engine:
            for text in TEXTS:
                ask(engine, "remember", text=text, verbatim=True)
            engine.observe([Message(text="I moved to Kiel.", speaker="Ann", addressee="Ben", thread="t")])

    return prepare


def whole(engine: Engine, *without: str) -> None:
    """Raises: Lost unless everything that was acknowledged is there and everything agrees."""
    missing = set(TEXTS) - set(without) - {memory.text for memory in ask(engine, "list", limit=1000)}
    if missing:
        raise Lost(f"{len(missing)} memories are gone")
    problems = care.verify(engine.store)
    if problems:
        raise Lost(f"verify: {problems[:3]}")
    archive = engine.intake.archive
    if archive is not None and engine.intake.archiving:
        letters = [letter.text for kept in archive.read().calls for letter in kept.letters]
        gone = {*TEXTS, "I moved to Kiel."} - set(without) - set(letters)
        if gone:
            raise Lost(f"{len(gone)} letters of the archive are gone")


def raw(folder: Path) -> bytes:
    """Everything in every file."""
    return b"".join(path.read_bytes() for path in sorted((folder / "p").rglob("*")) if path.is_file())


def tidy(folder: Path) -> None:
    """Raises: Lost when a half-made file is left."""
    strays = [path.name for path in (folder / "p").iterdir() if path.name not in LEFT_ALONE]
    if strays:
        raise Lost(f"left behind: {strays}")


def converted(act: Callable[[Path], None], phrases: tuple[str, ...], after: str) -> Operation:
    """A conversion: meanwhile the palace opens with one of the passphrases, and the same command finishes it."""

    def recover(folder: Path) -> None:
        doors = []
        for phrase in phrases:
            with suppress(WrongKey), open_engine(settings_of(folder, phrase), read_only=True) as engine:
                whole(engine)
                doors.append(phrase)
        if not doors:
            raise Lost("no passphrase opens the palace")
        with suppress(InvalidInput):  # it had come to its end
            act(folder)

    def check(folder: Path) -> None:
        if interrupted(settings_of(folder)):
            raise Lost("still called interrupted")
        tidy(folder)
        with open_engine(settings_of(folder, after)) as engine:
            whole(engine)
        if after and b"X1234567" in raw(folder):
            raise Lost("a guarded text is in clear")
        if not after and (folder / "p" / "key.json").exists():
            raise Lost("the key is still there")

    return Operation(lambda _: None, act, recover, check)


def starting(operation: Operation, prepare: Callable[[Path], None]) -> Operation:
    return Operation(prepare, operation.act, operation.recover, operation.check)


def encrypting(*, fields: bool) -> Operation:
    act = lambda folder: encrypt_palace(settings_of(folder), fields=fields)  # noqa: E731
    return starting(converted(act, ("", OLD), OLD), told())


def rotating(*, fields: bool) -> Operation:
    act = lambda folder: rotate_palace(settings_of(folder, new_passphrase=NEW))  # noqa: E731
    return starting(converted(act, (OLD, NEW), NEW), told(encrypted=not fields, fields=fields))


def decrypting(*, fields: bool) -> Operation:
    act = lambda folder: decrypt_palace(settings_of(folder))  # noqa: E731
    return starting(converted(act, (OLD, ""), ""), told(encrypted=not fields, fields=fields))


def opened(folder: Path) -> None:
    """Opening is all there is to do."""
    open_engine(settings_of(folder)).close()


def sound(folder: Path) -> None:
    tidy(folder)
    with open_engine(settings_of(folder)) as engine:
        whole(engine)


def rebuild(folder: Path) -> None:
    with open_engine(settings_of(folder)) as engine:
        care.rebuild(engine.store)


def reindex(folder: Path) -> None:
    rebuild_from_archive(settings_of(folder), folder / "again")


def reindex_again(folder: Path) -> None:
    with suppress(PalaceExists):  # it had come to its end
        reindex(folder)


def reindexed(folder: Path) -> None:
    sound(folder)
    if sorted(path.name for path in folder.iterdir()) != ["again", "p"]:
        raise Lost("left behind beside the new palace")
    if not is_encrypted(folder / "again" / FILE):
        raise Lost("the palace made from a sealed archive is plain")
    with open_engine(settings_of(folder, palace=str(folder / "again"))) as engine:
        whole(engine)


def init(folder: Path) -> None:
    create_engine(settings_of(folder), encrypted=True).close()


def init_again(folder: Path) -> None:
    with suppress(PalaceExists):  # it had come to its end
        init(folder)


def inited(folder: Path) -> None:
    with open_engine(settings_of(folder)) as engine:
        ask(engine, "remember", text=TEXTS[0])
        if care.verify(engine.store):
            raise Lost("not a proper palace")


def migrate(folder: Path, now_us: int = 5) -> None:
    """A release with one more migration opens the palace."""

    def add_column(connection: Any) -> None:
        connection.execute("ALTER TABLE lease ADD COLUMN note TEXT")
        connection.execute("UPDATE lease SET note = ''")

    known = (*migrations.MIGRATIONS, migrations.Migration("9999_note", add_column))
    database = Database(folder / "p" / FILE, OpenOptions())
    migrations.migrate(
        database, now_us, lambda name: backup.backup(database, folder / "p" / backup.FOLDER / name, None), known
    )
    database.close()


def migrate_again(folder: Path) -> None:
    migrate(folder, now_us=6)


def migrated(folder: Path) -> None:
    tidy(folder)
    database = Database(folder / "p" / FILE, OpenOptions())
    with database.read() as connection:
        if migrations.applied(connection)[-1] != "9999_note":
            raise Lost("not migrated")
        if connection.execute("SELECT count(*) FROM memory").fetchone() != (len(TEXTS) + 2,):
            raise Lost("memories are gone")
    database.close()


def burn(folder: Path) -> None:
    with open_engine(settings_of(folder)) as engine:
        burnt = [memory.id for memory in ask(engine, "list", limit=1000) if memory.text == TEXTS[3]]
        ask(engine, "burn", memories=[str(memory) for memory in burnt], yes=True)


def burn_again(folder: Path) -> None:
    with suppress(NotFound, InvalidInput):
        burn(folder)


def burnt(folder: Path) -> None:
    with open_engine(settings_of(folder)) as engine:
        whole(engine, TEXTS[3])
        if TEXTS[3] in {memory.text for memory in ask(engine, "list", limit=1000)}:
            raise Lost("the burnt memory is back")
    if b"keeps bees" in raw(folder):
        raise Lost("words of the burnt memory are in a file")


def with_a_file(folder: Path) -> None:
    told()(folder)
    entries = [{"memory": text, "id": str(n)} for n, text in enumerate(IMPORTED)]
    (folder / "mem0.json").write_text(json.dumps({"results": entries}))


IMPORTED = ("I live in Lisbon.", "My sister Ana works at Acme.", "The ferry leaves at nine.")


def take_in(folder: Path) -> None:
    with open_engine(settings_of(folder)) as engine:
        ask(engine, "import", file=str(folder / "mem0.json"))


def taken_in(folder: Path) -> None:
    sound(folder)
    with open_engine(settings_of(folder)) as engine:
        texts = [memory.text for memory in ask(engine, "list", limit=1000)]
        if any(texts.count(text) != 1 for text in IMPORTED):
            raise Lost(f"imported {[texts.count(text) for text in IMPORTED]} times")


def with_full_tails(folder: Path) -> None:
    with make_store(folder / "p", durable=False) as store:
        store.commit([place_memory(text, name=f"m{n}") for n, text in enumerate(TEXTS)])
        store.commit([place_memory(f"number {n}") for n in range(4200)])


def upkeep(folder: Path) -> None:
    with SqliteStore.open(folder / "p", FixedClock(), options_for("sqlite")) as store:
        store.upkeep.run()


def kept_up(folder: Path) -> None:
    with SqliteStore.open(folder / "p", FixedClock(), options_for("sqlite")) as store:
        problems = care.verify(store)
        if problems:
            raise Lost(f"verify: {problems[:3]}")
        with store.database.read() as connection:
            if connection.execute("SELECT count(*) FROM memory").fetchone() != (4204,):
                raise Lost("memories are gone")


def back_up(folder: Path) -> None:
    with open_engine(settings_of(folder)) as engine:
        ask(engine, "backup", target=str(folder / "copy" / "p" / "palace.db"))


def back_up_again(folder: Path) -> None:
    with suppress(InvalidInput):  # the copy is complete
        back_up(folder)


def backed_up(folder: Path) -> None:
    sound(folder)
    strays = [path.name for path in (folder / "copy" / "p").iterdir() if path.name not in LEFT_ALONE]
    if strays:
        raise Lost(f"left behind: {strays}")
    with open_engine(settings_of(folder / "copy", archive=False)) as engine:
        whole(engine)


def copied(*, encrypted: bool) -> Operation:
    """A copy beside the palace: cut off, the same command goes on, and what it makes is whole."""

    def act(folder: Path) -> None:
        copy_palace(settings_of(folder), str(folder / "q"), encrypted=encrypted)

    def recover(folder: Path) -> None:
        with open_engine(settings_of(folder), read_only=True) as engine:
            whole(engine)
        with suppress(PalaceExists):  # it had come to its end
            act(folder)

    def check(folder: Path) -> None:
        left = sorted(path.name for path in folder.iterdir() if path.name not in ("p", "q"))
        if left and left != [".q.copying.lock"]:
            raise Lost(f"left behind: {left}")
        with open_engine(settings_of(folder, palace=str(folder / "q"))) as engine:
            whole(engine)
        found = b"".join(path.read_bytes() for path in sorted((folder / "q").rglob("*")) if path.is_file())
        if encrypted and (b"X1234567" in found or b"harbour" in found):
            raise Lost("a text of an encrypted copy is in clear")

    return Operation(told(), act, recover, check)


OPERATIONS = {
    "copy": copied(encrypted=False),
    "copy-encrypted": copied(encrypted=True),
    "encrypt": encrypting(fields=False),
    "encrypt-fields": encrypting(fields=True),
    "rotate": rotating(fields=False),
    "rotate-fields": rotating(fields=True),
    "decrypt": decrypting(fields=False),
    "decrypt-fields": decrypting(fields=True),
    "rebuild": Operation(told(), rebuild, rebuild, sound),
    "reindex": Operation(told(encrypted=True), reindex, reindex_again, reindexed),
    "init": Operation(lambda _: None, init, init_again, inited),
    "migrate": Operation(told(), migrate, migrate_again, migrated),
    "burn": Operation(told(), burn, burn_again, burnt),
    "import": Operation(with_a_file, take_in, take_in, taken_in),
    "upkeep": Operation(with_full_tails, upkeep, upkeep, kept_up),
    "backup": Operation(told(encrypted=True), back_up, back_up_again, backed_up),
}
