"""The library: `Memory` and `AsyncMemory`, a palace as a Python object.

Owns opening and closing, and the scope and subject a program works with; every operation comes from the registry.
Threads share a Memory, and it may be used after a fork. Invariants: no method does anything but call its operation
(four are short for calls that people know under one name: `add`, `count`, `users`, `delete_all`); what opens a palace
is loaded when one is opened, so that a program that only may need it starts at once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

from palazzo.asynchronous import AsyncFace
from palazzo.errors import InvalidInput, PalaceBusy, PalaceExists, PalaceMissing, StorageError
from palazzo.model.fork_lock import ForkLock
from palazzo.operations.caller import OPERATOR, Caller, scope_from
from palazzo.operations.declared import SCOPE_KEYS
from palazzo.operations.methods import Methods

if TYPE_CHECKING:
    from collections.abc import Callable

    from palazzo.adapters.palace_keys import Ask
    from palazzo.engine import Engine
    from palazzo.operations.intake.spec import Kept
    from palazzo.porting.carry import Copied
    from palazzo.ports import Clock
    from palazzo.settings import Settings


class Options(TypedDict, total=False):
    """What a Memory may be opened with: whose memory it is by default, and settings (docs/settings.md)."""

    project: str | None
    squad: str | None
    agent_id: str | None
    channel: str | None
    run_id: str | None
    user_id: str | None
    durable: bool
    busy_wait_s: float
    cache_mb: int
    mmap_mb: int
    text_cache_mb: int
    vector_cache_mb: int
    kernel: bool
    upkeep: bool
    daemon: bool
    archive: bool
    paused: bool
    zone: str
    embedder: str
    embedder_url: str
    metric: str
    spaces_keep: int
    passphrase: str
    vault_passphrase: str
    new_passphrase: str
    require_encryption: bool
    hide_times: bool
    heartbeat_s: float
    backup_every_h: float
    backup_keep: int
    purge_after_days: float
    raw_days: float
    stale_above: float
    budget_mb: int
    dream_passes: str
    dream_drop: float
    publish_above: float
    dream_completer: str
    reads_per_minute: int
    reads_per_session: int
    writes_per_minute: int
    score_noise: float
    floor_ms: int
    keyring: bool
    openai_api_key: str
    completer_url: str
    redis: str
    reranker: str
    reranker_url: str
    context_providers: str
    snapshot_parts: str
    persona: str
    proof_loop: bool
    min_relevance: float
    tokenizer: str
    models: str
    completer: str


def open_palace(settings: Settings, *, create: bool, ask: Ask | None = None, clock: Clock | None = None) -> Engine:
    """Opens the palace the settings name, and makes it if there is none.

    Raises: PalaceMissing when it may not be made, WrongKey, StorageError.
    """
    from palazzo.bootstrap import create_engine, open_engine, palace_folder

    try:
        return open_engine(settings, ask=ask, clock=clock)
    except PalaceMissing:
        if not create:
            raise
    try:
        return create_engine(settings, encrypted=bool(settings["passphrase"] or settings["keyring"]), clock=clock)
    except OSError as error:
        raise StorageError(f"no palace can be made in {palace_folder(settings)}: {error.strerror}") from error
    except (PalaceExists, PalaceBusy):  # another process makes it at this moment
        return open_engine(settings, clock=clock)


def _where(palace: str | os.PathLike[str]) -> str:
    """A folder as it is on this machine, or an address as it stands."""
    told = os.fspath(palace)
    return told if "://" in told else str(Path(told).expanduser())


def copy_palace(
    source: str | os.PathLike[str], target: str | os.PathLike[str], *, encrypted: bool = False,
    progress: Callable[[str, int, int], None] | None = None, **options: Unpack[Options],
) -> Copied:  # fmt: skip
    """Copies a palace to another place, whole, and compares the two row by row; run again after an interruption it goes
    on. `encrypted` gives a copy of a plain palace a key, from the settings passphrase or keyring.

    Raises: PalaceMissing, PalaceExists, InvalidInput, WrongKey, Conflict when the copy differs, StorageError.
    """
    from palazzo.bootstrap import copy_palace, load_settings

    given: dict[str, Any] = dict(options)
    settings = load_settings({**given, "palace": _where(source)})
    return copy_palace(settings, _where(target), encrypted=encrypted, progress=progress)


class Memory(Methods):
    """A palace: the memory of an agent, kept in a folder.

        memory = Memory("~/palace")
        memory.remember("Deploys to production happen on Tuesdays.")
        for hit in memory.recall("when do we deploy?"):
            print(hit.text)

    The folder is made on first use unless `create` is False; without one the setting, the environment or the
    platform's data folder decides. Scope keys (project, squad, agent_id, channel or run_id, user_id) given here hold
    for every call that names none; `subject` is who calls, the operator by default; `clock` tells the present moment
    instead of the machine's clock; other keywords are settings, such as embedder="none" (docs/settings.md).
    """

    def __init__(
        self, palace: str | os.PathLike[str] | None = None, *, create: bool = True, subject: str = OPERATOR,
        clock: Clock | None = None, **options: Unpack[Options],
    ) -> None:  # fmt: skip
        from palazzo.bootstrap import load_settings

        settings_given: dict[str, Any] = dict(options)
        keys = {key: settings_given.pop(key, None) for key in SCOPE_KEYS}
        self._caller = Caller(subject=subject, scope=scope_from(Caller(), keys))
        folder = None if palace is None else _where(palace)
        settings = load_settings({**settings_given, "palace": folder})
        self._engine = open_palace(settings, create=create, clock=clock)
        self._closed = False

    def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        from palazzo.operations.call import call

        return call(self.engine, self._caller, name, arguments)

    def add(self, text: str | Sequence[Any], **given: Any) -> Kept:
        """The same as `remember` for a text, and as `observe` for a list of messages with role and content."""
        return self.remember(text, **given) if isinstance(text, str) else self.observe(text, **given)

    def count(self, **given: Any) -> int:
        """How many memories `list` would list with the same filters and scope."""
        return self.list(limit=1, count=True, **given).total or 0

    def users(self) -> list[str]:
        """Whose memories there are, by `user_id`."""
        names = (part for scope in self.scopes() for part in scope.name.split("/"))
        return sorted({name.removeprefix("user:") for name in names if name.startswith("user:")})

    def delete_all(self, **owner: Any) -> int:
        """Forgets every memory that belongs to a scope such as user_id="ada"; how many. `restore` brings one back.

        Raises: InvalidInput without a scope key: everything goes by `burn` alone.
        """
        if not owner:
            raise InvalidInput("delete_all wants a scope key", field="user_id", hint="such as user_id='ada'")
        forgotten, cursor = 0, ""
        whose = scope_from(Caller(), owner)
        while True:
            page = self.list(limit=200, cursor=cursor, **owner)
            for one in page:
                if one.scope == str(whose):
                    self.forget(one.id, **owner)
                    forgotten += 1
            cursor = page.next_cursor or ""
            if not cursor:
                return forgotten

    @property
    def engine(self) -> Engine:
        """The engine underneath, for what has no operation yet.

        Raises: StorageError after close.
        """
        if self._closed:
            raise StorageError("this memory was closed", hint="open another one")
        return self._engine

    def close(self) -> None:
        """Closes the palace. Safe to call twice."""
        self._closed = True
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Memory({self._engine.store.label!r})"


class AsyncMemory(AsyncFace):
    """A palace whose operations are awaited: the same names, parameters and results as `Memory`.

        async with AsyncMemory("~/palace") as memory:
            await memory.remember("Deploys to production happen on Tuesdays.")

    Takes what `Memory` takes, and opens the palace on entry or on the first call, in a worker thread.
    """

    def __init__(
        self, palace: str | os.PathLike[str] | None = None, *, create: bool = True, subject: str = OPERATOR,
        clock: Clock | None = None, **options: Unpack[Options],
    ) -> None:  # fmt: skip
        super().__init__(self._in_thread)
        self._open = partial(Memory, palace, create=create, subject=subject, clock=clock, **options)
        self._lock = ForkLock()
        self._memory: Memory | None = None

    def _opened(self) -> Memory:
        with self._lock:
            if self._memory is None:
                self._memory = self._open()
            return self._memory

    def _in_thread(self, name: str, arguments: dict[str, Any]) -> Any:
        return self._opened()._call(name, arguments)

    async def add(self, text: str | Sequence[Any], **given: Any) -> Kept:
        """The same as `remember` for a text, and as `observe` for a list of messages with role and content."""
        return await self.remember(text, **given) if isinstance(text, str) else await self.observe(text, **given)

    async def count(self, **given: Any) -> int:
        """How many memories `list` would list with the same filters and scope."""
        return (await self.list(limit=1, count=True, **given)).total or 0

    async def users(self) -> list[str]:
        """Whose memories there are, by `user_id`."""
        import asyncio

        return await asyncio.to_thread(lambda: self._opened().users())

    async def delete_all(self, **owner: Any) -> int:
        """Forgets every memory that belongs to a scope such as user_id="ada"; how many.

        Raises: InvalidInput without a scope key.
        """
        import asyncio

        return await asyncio.to_thread(lambda: self._opened().delete_all(**owner))

    async def close(self) -> None:
        """Closes the palace. Safe to call twice."""
        import asyncio

        if self._memory is not None:
            await asyncio.to_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        import asyncio

        await asyncio.to_thread(self._opened)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
