"""The composition root: settings -> adapters -> store -> engine. The only module that reads the environment.

Owns which implementation stands behind each port and how the key of an encrypted palace is obtained. Nothing below
knows that an environment exists.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec.structs import replace

from palazzo import kernel
from palazzo.adapters import key_file, palace_keys, plugins
from palazzo.adapters.completion import lent_completer
from palazzo.adapters.palace_keys import Ask, FoundKey, KeySource
from palazzo.adapters.system_clock import SystemClock
from palazzo.adapters.working import LocalWorking
from palazzo.archive import FOLDER as ARCHIVE
from palazzo.archive import Archive
from palazzo.archive.noting import CommitNotes
from palazzo.bootstrap import converting, tuning
from palazzo.bootstrap.converting import Keyed, archive_of, find_keys
from palazzo.bootstrap.parts import (
    Embedders,
    capture_plugins,
    make_aids,
    make_completer,
    make_context_providers,
    make_snapshot_parts,
    runtime_folder,
)
from palazzo.bootstrap.servers import address_of, folder_for, on_server, only_files
from palazzo.bootstrap.tuning import SETTINGS_FILE, Tuning
from palazzo.engine import Engine
from palazzo.errors import CorruptPalace, InvalidInput, PalaceExists, PalaceMissing, PalazzoError, PartUnavailable
from palazzo.guard.gate import Guard
from palazzo.guard.rules import LIMITS, LONGEST_MINUTES, Rules
from palazzo.intake.values import Policy
from palazzo.mind.jobs import CareRules
from palazzo.model.address import Place
from palazzo.model.capability import OPERATOR
from palazzo.model.ids import NAMES
from palazzo.model.zone import UTC_NAME, told_zone, zone_named
from palazzo.persona.proof import block_for
from palazzo.persona.providers import Assembly, Provider
from palazzo.persona.reminders import Reminders
from palazzo.ports import Clock, Working
from palazzo.recall.answer.context import clean
from palazzo.settings import SETTINGS, Settings
from palazzo.spaces import SpaceRules, Spaces
from palazzo.store.api import AuditLine, Steps
from palazzo.store.sql.port import OpenOptions, StoreOptions
from palazzo.store.sqlite.encryption import is_encrypted, unmoved
from palazzo.store.sqlite.held_locks import left_open
from palazzo.store.sqlite.palace import FILE, SqliteStore

if TYPE_CHECKING:
    from palazzo.intake.pipeline import Pipeline
    from palazzo.intake.rebuild import Rebuilt
    from palazzo.porting.carry import Copied
    from palazzo.store.postgres.palace import PostgresStore

    AnyStore = SqliteStore | PostgresStore

LONGEST_SOCKET_PATH = 100  # the system's limit is 104 bytes on macOS, 108 on Linux
DESKTOP = (
    "DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK", "I3SOCK", "HYPRLAND_INSTANCE_SIGNATURE", "XDG_RUNTIME_DIR",
    "XDG_CURRENT_DESKTOP", "DBUS_SESSION_BUS_ADDRESS",
)  # fmt: skip
CRASHED = "crash"
"""The action of the audit line that says: whoever had the palace open before ended without closing it."""

LAYOUT = tuple(
    Place.parse(f"{top}.{below}" if below else top)
    for top, rooms in (
        ("work", "projects reference people desk"), ("life", "people goals health places preferences"),
        ("creative", "ideas art writing music"), ("learning", "courses books papers tutorials"),
        ("forest", "today week month transients"), ("vault", ""), ("_system", ""),
    )
    for below in ("", *rooms.split())
)  # fmt: skip
"""The places of a new palace; others appear on first use."""


def settings_from(environment: Mapping[str, str], given: Mapping[str, Any] | None = None) -> Settings:
    """Settings from PALAZZO_* variables, overlaid with what is given (None values count as not given)."""
    found = {s.name: environment[s.environment] for s in SETTINGS if s.environment in environment}
    told = {name: value for name, value in (given or {}).items() if value is not None}
    sources = dict.fromkeys(found, "environment") | dict.fromkeys(told, "given")
    return replace(Settings.of(found | told), sources=sources)


def load_settings(given: Mapping[str, Any] | None = None) -> Settings:
    """Settings of this process: the defaults, the palace's own file, the environment, what is given."""
    found = settings_from(os.environ, given)  # noqa: TID251 - the one place that reads it
    return tuning.over_file(found, palace_folder(found) / SETTINGS_FILE)


def palace_folder(settings: Settings) -> Path:
    """Where the palace is: the setting, or the platform's data folder; of one on a server, its folder here."""
    if on_server(settings["palace"]):
        return folder_for(settings["palace"])
    if settings["palace"]:
        return Path(settings["palace"]).expanduser()
    import platformdirs

    found = [Path(platformdirs.user_data_dir(name, appauthor=False)) / "palace" for name in NAMES]
    return next((folder for folder in found if (folder / FILE).exists()), found[0])


def socket_path(settings: Settings) -> Path:
    """Where a daemon of this palace listens: in its folder, or in the cache folder where that path is too long."""
    folder = palace_folder(settings).resolve()
    path = folder / "serve.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        return path
    import platformdirs

    digest = blake2b(os.fsencode(folder), digest_size=8).hexdigest()
    return Path(platformdirs.user_cache_dir("palazzo", appauthor=False)) / f"{digest}.sock"


def usual_zone(settings: Settings) -> str:
    """The zone of a text that tells none: the palace's setting, else the system's."""
    if settings["zone"]:
        return cast(str, settings["zone"])
    here = os.environ.get("TZ", "").removeprefix(":") or os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]  # noqa: TID251
    for name in (here, told_zone(datetime.now().astimezone())):
        try:
            zone_named(name)
        except InvalidInput:
            continue
        return name
    return UTC_NAME


def key_source(settings: Settings, ask: Ask | None, *, new: bool = False) -> KeySource:
    """Where the key of a palace comes from."""
    phrase = settings["new_passphrase"] or settings["passphrase"] if new else settings["passphrase"]
    return KeySource(passphrase=phrase, ask=ask, keyring=settings["keyring"])


def store_options(
    settings: Settings, found: FoundKey | None, *, whole: bool = True, read_only: bool = False
) -> StoreOptions:
    """How a store works on its file; `whole` says that the file itself is encrypted, not only fields in it."""
    return StoreOptions(
        file=OpenOptions(
            key=found.keys.of("database") if found is not None and whole else None,
            fields=found.keys.cipher() if found is not None else None,
            durable=settings["durable"], busy_wait_s=settings["busy_wait_s"], cache_mb=settings["cache_mb"],
            mmap_mb=settings["mmap_mb"], read_only=read_only, hide_times=settings["hide_times"],
        ),
        upkeep=settings["upkeep"], text_cache_mb=settings["text_cache_mb"], vector_cache_mb=settings["vector_cache_mb"],
        require_sealing=settings["require_encryption"],
    )  # fmt: skip


def compose(
    store: AnyStore, clock: Clock, settings: Settings, archive: Archive | None, near: Working | None = None
) -> Engine:
    """The engine of an open store, with the parts the settings name; `near` is what a worker's daemon keeps for it."""
    embedders = Embedders(settings)
    spaces = Spaces(store, None, "", embedders.older)
    near = near or LocalWorking()
    engine = Engine(store, clock, spaces, guard=_guard(store, clock, settings, near))
    if settings["upkeep"] and not store.read_only:
        spaces.when_behind = engine.mover.begin
    engine.folder = store.folder
    engine.runtime = runtime_folder(store.folder)
    engine.adapters = capture_plugins
    engine.desktop = {name: value for name in DESKTOP if (value := os.environ.get(name, ""))}  # noqa: TID251
    engine.importer = lambda name: cast(Any, plugins.load("importer", name))
    fit = partial(_fit, engine, store, archive, embedders)
    fit(settings)
    engine.tuning = Tuning(settings, store.folder / SETTINGS_FILE, fit)
    return engine


def _fit(
    engine: Engine, store: AnyStore, archive: Archive | None, embedders: Embedders, settings: Settings
) -> None:  # fmt: skip
    """Gives an engine the parts and rules of the settings, those it had before or others."""
    kernel.use(settings["kernel"])
    rules = SpaceRules(metric=settings["metric"], kept=settings["spaces_keep"])
    if engine.spaces.use(embedders.configured(settings), settings["embedder"], rules):
        engine.mover.again()
    store.log = CommitNotes(archive) if archive is not None and settings["archive"] else None
    zone, completer = usual_zone(settings), make_completer(settings)

    def intake() -> Pipeline:
        from palazzo.belief.conflicts import decide
        from palazzo.capture.around import around
        from palazzo.intake.pipeline import Parts, Pipeline

        policy = Policy(paused=settings["paused"], zone=zone)
        parts = Parts(
            policy=policy, archive=archive, archiving=settings["archive"], completer=completer, lent=lent_completer,
            around=lambda scope, at_us, subject: around(engine.store, scope, at_us, subject),
        )  # fmt: skip
        return Pipeline(engine.store, engine.clock, engine.spaces, decide, parts)

    aids = replace(make_aids(settings), zone=zone, completer=lambda: completer or lent_completer())
    dreams_with = make_completer(settings, "dream_completer")
    engine.dream_completer = lambda: dreams_with
    engine.care_rules = CareRules(**{name: settings[name] for name in CareRules.__struct_fields__})
    engine.guard.use(_rules(settings))
    engine.fit(aids, intake)
    engine.switched_on = frozenset(settings["persona"].replace(",", " ").split())
    engine.provided = Assembly(_providers(engine, settings), plugins.BROKEN)
    engine.snapshot_parts = partial(make_snapshot_parts, settings)


PLUGIN_PRIORITY = 50
"""Behind what the palace knows of the one who asks, before what obliges the answer."""


def _providers(engine: Engine, settings: Settings) -> Iterator[Provider]:
    """Who adds lines to contexts."""
    yield from Reminders(engine.store, engine.folder, OPERATOR).providers(seal="seal" in engine.switched_on)
    for one in make_context_providers(settings):
        yield Provider(
            name=one.name, priority=PLUGIN_PRIORITY, section=one.section,
            ask=lambda turn, one=one: clean(one.provide(turn.message).strip()),  # type: ignore[misc]
        )  # fmt: skip
    if settings["proof_loop"]:
        yield Provider(
            name="proof loop", priority=80, section="today", quick=True, ask=lambda turn: block_for(turn.message)
        )


def _rules(settings: Settings) -> Rules:
    return Rules(**{name: settings[name] for name in LIMITS})


def _guard(store: AnyStore, clock: Clock, settings: Settings, near: Working) -> Guard:
    """The guard with the rules of the settings; the vault open for the operator where its passphrase was given."""
    guard = Guard(store, clock, _rules(settings), near=near, shared=_shared(store, settings))
    if settings["vault_passphrase"] and not guard.vault.is_open(OPERATOR, "", clock.now_us()):
        try:
            guard.unlock(OPERATOR, "", settings["vault_passphrase"], minutes=LONGEST_MINUTES)
        except PalazzoError:
            store.close()
            raise
    return guard


def _shared(store: AnyStore, settings: Settings) -> Working | None:
    """What processes on many machines share; None where no server is named, or the palace cannot vouch for values."""
    if not settings["redis"]:
        return None
    from palazzo.adapters.redis_working import RedisWorking

    key = store.audit.key() if store.read_only else store.audit.make_key()
    return None if key is None else RedisWorking(settings["redis"], str(store.id), key, store.cipher)


def create_engine(
    settings: Settings,
    *,
    encrypted: bool = False,
    fields: bool = False,
    ask: Ask | None = None,
    clock: Clock | None = None,
) -> Engine:
    """Makes a new palace and opens it; `fields` seals guarded texts and leaves the file itself plain.

    Raises: PalaceExists, InvalidInput.
    """
    folder = palace_folder(settings)
    server = on_server(settings["palace"])
    if (folder / FILE).exists():
        raise PalaceExists(f"there already is a palace in {folder}")
    if not server and _left_of(folder):
        raise PalaceExists(f"what is left of a palace without its palace.db is in {folder}", hint=CorruptPalace.hint)
    clock, found = clock or SystemClock(), None
    if server:
        address = address_of(settings)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if encrypted or fields:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = palace_keys.prepare(folder, key_source(settings, ask))
        no_core_dumps()
    options = replace(store_options(settings, found, whole=encrypted), places=LAYOUT)
    store: AnyStore
    if server:
        from palazzo.store.postgres.palace import PostgresStore

        store = PostgresStore.create(address, folder, clock, options)
    else:
        store = SqliteStore.create(folder, clock, options)
    if found is not None:  # after the palace is there: a key in force without one means that it was lost
        palace_keys.settle(folder, found)
    archive = archive_of(folder, found, durable=settings["durable"])
    if found is not None:
        found.keys.wipe()
    return compose(store, clock, settings, archive)


def open_engine(
    settings: Settings, *, ask: Ask | None = None, read_only: bool = False, clock: Clock | None = None,
    near: Working | None = None,
) -> Engine:  # fmt: skip
    """Opens a palace.

    Raises: PalaceMissing, WrongKey, PalaceBusy when it was given another key meanwhile, NewerSchema, MigrationFailed.
    """
    if on_server(settings["palace"]):
        return _open_on_server(settings, ask, clock or SystemClock(), near, read_only=read_only)
    folder = palace_folder(settings)
    _require(folder)
    clock = clock or SystemClock()
    unclosed = left_open(folder / FILE)
    with unmoved(folder / FILE):
        found = find_keys(folder, key_source(settings, ask))
        if found is not None:
            no_core_dumps()
        options = store_options(settings, found, whole=is_encrypted(folder / FILE), read_only=read_only)
        store = SqliteStore.open(folder, clock, options)
    archive = archive_of(folder, found, durable=settings["durable"])
    if found is not None:
        found.keys.wipe()
    engine = compose(store, clock, settings, archive, near)
    engine.finish_erasures()
    if unclosed and not store.read_only:
        note = msgspec.json.encode({"log_bytes": unclosed}).decode()
        store.audit.append([AuditLine(at_us=clock.now_us(), subject="palazzo", action=CRASHED, detail=note)])
    return engine


def _open_on_server(
    settings: Settings, ask: Ask | None, clock: Clock, near: Working | None, *, read_only: bool
) -> Engine:
    address, folder = address_of(settings), palace_folder(settings)
    from palazzo.store.postgres.palace import PostgresStore

    known = key_file.read(folder) is not None
    found = next(iter(palace_keys.candidates(folder, key_source(settings, ask))), None) if known else None
    if found is not None:
        no_core_dumps()
    options = store_options(settings, found, whole=False, read_only=read_only)
    store = PostgresStore.open(address, folder, clock, options)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    archive = archive_of(folder, found, durable=settings["durable"])
    if found is not None:
        found.keys.wipe()
    engine = compose(store, clock, settings, archive, near)
    engine.finish_erasures()
    return engine


def no_core_dumps() -> None:
    """A process that holds keys leaves no image of its memory behind when it crashes."""
    if find_spec("resource") is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def rebuild_from_archive(settings: Settings, target: Path, *, ask: Ask | None = None) -> Rebuilt:
    """Makes a new palace in `target` from the archive of this one: everything that was told, told again in order.

    Needs the archive and, where that is sealed, the key file; the new palace has the same key, or none, and an archive
    of its own. It appears as a whole or not at all.
    Raises: PalaceMissing, PalaceExists, InvalidInput when the target is not empty, WrongKey.
    """
    only_files(settings, "rebuilding from the archive")
    folder = palace_folder(settings)
    if not (folder / ARCHIVE).is_dir():
        raise PalaceMissing(f"there is no archive in {folder}", hint="nothing was told while the archive was on")
    if (target / FILE).exists():
        raise PalaceExists(f"there already is a palace in {target}")
    if target.exists() and any(target.iterdir()):
        raise InvalidInput(f"{target} is not empty", field="target", hint="name a new folder")
    archive, found = converting.readable_archive(folder, key_source(settings, ask))
    read, commits = replace(archive.read(), unreadable=archive.unreadable()), archive.commits()
    from palazzo.intake.rebuild import ReplayClock, Replayed, replay

    clock = ReplayClock()
    whole = not (folder / FILE).exists() or converting.may_be_encrypted(folder / FILE)
    with converting.taking_place_of(target, found) as (draft, key):
        options = replace(store_options(settings, key, whole=whole), places=LAYOUT)
        store = SqliteStore.create(draft, clock, options)
        with compose(store, clock, settings, archive_of(draft, key, durable=settings["durable"])) as engine:
            made = replay(Replayed(read, commits), engine.intake, clock)
            if engine.spaces.configured:
                with suppress(PartUnavailable):
                    engine.spaces.backfill()
            return replace(made, differences=_compared(settings, store, found))


def _compared(settings: Settings, made: SqliteStore, found: FoundKey | None) -> tuple[str, ...]:
    """In what a palace differs from the one of the settings, if that can be read."""
    from palazzo.store.sql.carrying import differences

    folder = palace_folder(settings)
    try:
        whole = is_encrypted(folder / FILE)
        options = store_options(settings, found, whole=whole, read_only=True)
        with SqliteStore.open(folder, SystemClock(), options) as old:
            return differences(old, made)
    except (PalazzoError, OSError) as error:
        return (f"not compared: {error}",)


def copy_palace(
    settings: Settings, target: str, *, encrypted: bool = False, ask: Ask | None = None, progress: Steps | None = None
) -> Copied:
    """Copies the palace of the settings to another place, and compares the two; run again it goes on.

    Raises: PalaceMissing, PalaceExists, InvalidInput, WrongKey, Conflict when the copy differs, StorageError.
    """
    from palazzo.bootstrap import copying

    ends = copying.Ends(
        source=settings["palace"] or str(palace_folder(settings)), target=target, keys=key_source(settings, ask),
        new_keys=key_source(settings, ask, new=True), encrypted=encrypted, durable=settings["durable"],
    )  # fmt: skip

    def options(found: FoundKey | None, whole: bool, read_only: bool) -> StoreOptions:
        return replace(store_options(settings, found, whole=whole, read_only=read_only), upkeep=False)

    return copying.copy(ends, options, progress or (lambda *_: None))


def wants_passphrase(settings: Settings) -> bool:
    """Whether opening this palace needs a passphrase that the settings do not have."""
    folder = palace_folder(settings)
    known = key_file.read(folder)
    locked = (on_server(settings["palace"]) and known is not None) or (
        (folder / FILE).exists() and (is_encrypted(folder / FILE) or (folder / key_file.NAME).exists())
    )
    return locked and known is not None and known.source == "passphrase" and not settings["passphrase"]


def encrypt_palace(settings: Settings, ask: Ask | None = None, *, fields: bool = False) -> tuple[str, ...]:
    """Encrypts a plain palace in place, file, guarded texts and archive; with `fields` all but the file. Returns the
    lines of the archive that stay as they are, since nobody can read them.

    Run again it finishes what was interrupted. Raises: PalaceMissing, InvalidInput when there is nothing to do,
    WrongKey, PalaceBusy while others have it open.
    """
    return tuple(map(str, converting.encrypt(_keyed(settings, ask), fields=fields)))


def decrypt_palace(settings: Settings, ask: Ask | None = None) -> tuple[str, ...]:
    """Turns an encrypted palace into a plain one in place; run again it finishes what was interrupted.

    Returns the lines of the archive that stay as they are, since nobody can read them.
    Raises: PalaceMissing, InvalidInput when it is plain already, WrongKey, PalaceBusy.
    """
    return tuple(map(str, converting.decrypt(_keyed(settings, ask))))


def rotate_palace(settings: Settings, ask: Ask | None = None) -> tuple[str, ...]:
    """Gives the palace another master key, and with it other keys for the file, the fields and the archive.

    Run again it finishes what was interrupted. The old key goes only when nothing is locked with it any more. Returns
    the lines of the archive that stay as they are, since nobody can read them.
    Raises: PalaceMissing, InvalidInput when it has no key, WrongKey, PalaceBusy while others have it open.
    """
    return tuple(map(str, converting.rotate(_keyed(settings, ask), key_source(settings, ask, new=True))))


def interrupted(settings: Settings) -> str:
    """The command (encrypt, rotate, decrypt) that was cut off while it worked on this palace; empty when none was."""
    return key_file.interrupted(palace_folder(settings))


def _keyed(settings: Settings, ask: Ask | None) -> Keyed:
    only_files(settings, "changing the key")
    folder = palace_folder(settings)
    _require(folder)
    source = replace(key_source(settings, ask), other=settings["new_passphrase"])
    return Keyed(folder, source, store_options(settings, None).file)


def _require(folder: Path) -> None:
    if (folder / FILE).exists():
        return
    if _left_of(folder):
        raise PalaceMissing(f"palace.db is missing in {folder}, the rest is there", hint=CorruptPalace.hint)
    raise PalaceMissing(f"there is no palace in {folder}")


def _left_of(folder: Path) -> bool:
    """Whether a folder has the key or the archive of a palace."""
    return (folder / key_file.NAME).exists() or any((folder / ARCHIVE).glob("*.jsonl"))
