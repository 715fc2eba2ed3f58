"""The processes of the safety test: each does its work on one palace until it is killed.

Whatever was acknowledged to a worker it notes in a log of its own, after the call returned; what it is about to erase
it notes before. Two kinds of workers: those that write or read all the time, and those that do one long operation after
another (purge, burn, forget a user, back up, verify, encrypt a copy, rebuild, look after the palace) while a second
thread of the same process goes on writing, for locks are held by processes and not by threads.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from bench.common import Corpus
from bench.engines import on_server, open_store, server_lost
from palazzo.adapters.redis_working import RedisWorking
from palazzo.adapters.system_clock import SystemClock
from palazzo.errors import StorageError
from palazzo.guard.erasure import Erasure, Report, everything_of
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import View
from palazzo.model.change import AddRevision, Attachments, MoveTag, PlaceMemory
from palazzo.model.ids import new_id
from palazzo.model.memory import RevisionDraft
from palazzo.model.scope import GLOBAL, Scope
from palazzo.store.api import Selection, TextSearch, VectorSearch
from palazzo.store.sql.memory import memories, search
from palazzo.store.sql.port import OpenOptions, StoreOptions
from palazzo.store.sqlite import backup, care
from palazzo.store.sqlite.encryption import convert
from palazzo.store.sqlite.palace import FILE, SqliteStore
from palazzo.text.words.tokens import terms

KEY = hashlib.sha256(b"bench").digest()
OTHER_KEY = hashlib.sha256(b"another").digest()
DIMENSIONS = 64
ROLES = ("care", "batch", "revise", "care", "read", "single", "batch", "care")
OPERATIONS = (
    "purge", "burn", "forget_user", "backup", "verify", "encrypt_copy", "rebuild", "doctor", "upkeep", "trim",
)  # fmt: skip
OF_FILES = ("backup", "encrypt_copy")
"""What only a palace in a file does."""
LARGEST = 10_000
"""With more memories writers slow down and the oldest are erased: a run of an hour stays as cheap as its beginning."""
TRIMMED = 1_000
STOPPED = 3
"""How a worker ends of itself: never, unless something failed."""


def options(encrypted: bool, *, upkeep: bool = False) -> StoreOptions:
    return StoreOptions(file=OpenOptions(key=KEY if encrypted else None), upkeep=upkeep)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Batch:
    """What was written together."""

    name: str
    ids: tuple[UUID, ...]


def batch_of(text: str) -> tuple[str, int]:
    """The batch a text says it belongs to, and of how many; an empty name when it says none."""
    if not text.startswith("batch "):
        return "", 0
    _, batch, _, _, size, *_ = text.split(" ", 5)
    return batch, int(size)


class Worker:
    """One process's loop."""

    def __init__(self, folder: str, role: str, log: Path, encrypted: bool, redis: str = "") -> None:
        self.encrypted = encrypted
        self.working: Any = RedisWorking(redis, "safety", KEY) if redis else None
        self.server = on_server(folder)
        self.store: Any = open_store(folder, options(encrypted, upkeep=role in ("batch", "care")))
        self.corpus = Corpus(seed=random.randrange(1 << 30), dimensions=DIMENSIONS)
        self.role = role
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.mine: tuple[UUID, ...] = ()
        self.erasure = Erasure(self.store, None)

    def run(self) -> None:
        threading.excepthook = _end  # a thread of the palace that dies is a failure of the process
        work = getattr(self, self.role)
        while True:
            self.surviving(work)

    def surviving(self, work: Callable[[], object]) -> None:
        """Does something; a server that was killed meanwhile costs the call, and nothing of it is noted."""
        try:
            work()
        except StorageError as error:
            if not (self.server and server_lost(error)):
                raise
            time.sleep(0.2)

    def note(self, lines: Iterable[str]) -> None:
        os.write(self.log, "".join(line + "\n" for line in lines).encode())

    def place(self, count: int, corpus: Corpus | None = None, **where: Any) -> Batch:
        """Writes a batch and notes that it was acknowledged."""
        if self._many():
            time.sleep(0.25)
        made = (corpus or self.corpus).texts(count)
        batch = new_id(time.time_ns() // 1000).hex
        texts = [f"batch {batch} {n} of {count} {text}" for n, text in enumerate(made)]
        changes = [_placed(t, v, **where) for t, v in zip(texts, (corpus or self.corpus).vectors(count), strict=True)]
        self.store.commit(changes, subject="agent:bench")
        self.note(f"placed {c.memory_id} {digest(t)}" for c, t in zip(changes, texts, strict=True))
        if self.working is not None:  # as a session of the daemon does: what is warm, never the only copy
            self.working.push("sessions:bench:messages", str(changes[0].memory_id), 50, 3600.0)
        return Batch(batch, tuple(c.memory_id for c in changes))

    def _many(self) -> bool:
        with self.store.database.glance() as connection:
            return bool(connection.execute("SELECT count(*) > ? FROM memory", (LARGEST,)).fetchall()[0][0])

    def single(self) -> None:
        self.place(1)

    def batch(self) -> None:
        self.place(random.choice((10, 50, 200)) if not self._many() else 10)

    def revise(self) -> None:
        if not self.mine or random.random() < 0.05:
            # Only what this process places itself: nobody trims it before it is long past.
            self.mine = self.place(5).ids
        memory_id = random.choice(self.mine)
        text = f"revised {self.corpus.texts(1)[0]}"
        self.store.commit([AddRevision(memory_id=memory_id, content=RevisionDraft(text=text))], subject="agent:bench")
        self.note([f"revised {memory_id} {digest(text)}"])
        if random.random() < 0.2:
            self.store.commit([MoveTag(memory_id, "approved", 1)])
        time.sleep(0.005)

    def read(self) -> None:
        if self.working is not None:
            self.working.listed("sessions:bench:messages")
        with self.store.reading(View()) as reading:
            words = tuple(terms(self.corpus.question()))
            hits = search.text(self.store, reading, TextSearch(terms=words, limit=20))
            near = search.vector(self.store, reading, VectorSearch(vector=self.corpus.vectors(1)[0], limit=20))
            found = memories.by_keys(reading, [*hits.keys.tolist(), *near.keys.tolist()])
            assert len(found) >= max(len(hits.keys), len(near.keys)), "an index hit could not be read"
        time.sleep(0.005)


class CareWorker(Worker):
    """One long operation after another, and a thread that goes on writing."""

    def run(self) -> None:
        threading.excepthook = _end  # a thread of ours or of the palace that dies is a failure of the process
        threading.Thread(target=self._beside, daemon=True).start()
        names = [name for name in OPERATIONS if not (self.server and name in OF_FILES)]
        start = random.randrange(len(names))
        for number in range(start, 1 << 62):
            self.surviving(partial(self.operate, names[number % len(names)]))

    def _beside(self) -> None:
        """Writes all the time, in the process that does the care."""
        corpus = Corpus(seed=random.randrange(1 << 30), dimensions=DIMENSIONS)
        while True:
            self.surviving(partial(self.place, 1, corpus=corpus))
            time.sleep(0.05)

    def operate(self, name: str) -> None:
        """One long operation between two writes."""
        self.place(1)
        self.note([f"began {name}"])
        getattr(self, name)()
        self.note([f"did {name}"])
        self.place(1)

    def _erase(self, batches: Iterable[Batch], erase: Callable[[], Report]) -> None:
        """Notes what is going to be erased, and when that was acknowledged."""
        each = [(memory_id, batch.name) for batch in batches for memory_id in batch.ids]
        self.note(f"erasing {memory_id} {name}" for memory_id, name in each)
        report = erase()
        self.note([*(f"erased {memory_id}" for memory_id, _ in each), *(f"left {name}" for name in report.left)])

    def purge(self) -> None:
        made = self.place(3)
        wanted = Selection(memories=made.ids)
        self._erase([made], lambda: self.erasure.burn(wanted, everything_of("operator")))

    def burn(self) -> None:
        place = Place(("burning", f"p{os.getpid()}-{time.time_ns()}"))
        made = self.place(20, place=place)
        wanted = Selection(place=PlaceGlob(place, "subtree"))
        self._erase([made], lambda: self.erasure.burn(wanted, everything_of("operator")))

    def forget_user(self) -> None:
        user = f"guest{os.getpid()}x{time.time_ns()}"
        made = self.place(10, scope=Scope((("user", user),)))
        self._erase([made], lambda: self.erasure.forget_user(user, "operator"))

    def trim(self) -> None:
        """Erases the oldest once there are many."""
        if not self._many():
            return
        with self.store.database.read() as connection:
            rows = connection.execute(
                """SELECT m.uuid, r.text FROM (SELECT id, uuid FROM memory ORDER BY id LIMIT ?) m
                   JOIN revision r ON r.memory = m.id""",
                (TRIMMED,),
            ).fetchall()
        batches = [Batch(batch_of(text)[0] or "-", (UUID(bytes=uuid),)) for uuid, text in rows]
        ids = tuple({memory_id for batch in batches for memory_id in batch.ids})
        self._erase(batches, lambda: self.erasure.burn(Selection(memories=ids), everything_of("operator")))

    def _copy(self, folder: Path) -> Path:
        target = folder / f"{os.getpid()}-{time.time_ns()}" / FILE
        backup.backup(self.store.database, target, None)
        return target

    def backup(self) -> None:
        target = self.store.folder / "backups" / f"{os.getpid()}-{time.time_ns()}.db"
        backup.backup(self.store.database, target, None)
        for path in target.parent.glob(f"{target.name}*"):
            path.unlink(missing_ok=True)

    def encrypt_copy(self) -> None:
        """Copies the palace, gives the copy another key and looks whether everything is in it."""
        target = self._copy(self.store.folder.parent / "copies")
        convert(target, self.store.options.file, OpenOptions(key=OTHER_KEY))
        with SqliteStore.open(target.parent, SystemClock(), StoreOptions(file=OpenOptions(key=OTHER_KEY))) as copy:
            _clean(care.verify(copy))
        shutil.rmtree(target.parent)

    def verify(self) -> None:
        _clean(self.store.care.verify())

    def rebuild(self) -> None:
        self.store.care.rebuild()

    def doctor(self) -> None:
        # An erasure that is under way or was cut off is what the doctor is to tell; whoever erases next completes it.
        found = [f for f in self.store.care.doctor() if f.level == "bad" and f.check != "erasure"]
        _clean([f"{f.check}: {f.detail}" for f in found])

    def upkeep(self) -> None:
        self.store.upkeep.run()


def _end(failure: threading.ExceptHookArgs) -> None:
    traceback.print_exception(failure.exc_type, failure.exc_value, failure.exc_traceback)
    os._exit(STOPPED)


def _clean(problems: Sequence[str]) -> None:
    if problems:
        raise SystemExit(f"{len(problems)} problems while others wrote: {problems[:3]}")


def _placed(
    text: str, vector: np.ndarray[Any, np.dtype[np.float32]], *, place: Place | None = None, scope: Scope = GLOBAL
) -> PlaceMemory:
    memory_id = new_id(time.time_ns() // 1000)
    return PlaceMemory(
        memory_id=memory_id, place=place or Place(("work", f"desk{random.randrange(40)}")), name=f"m-{memory_id.hex}",
        kind="fact", scope=scope, content=RevisionDraft(text=text), attachments=Attachments(vectors={"bench": vector}),
    )  # fmt: skip
