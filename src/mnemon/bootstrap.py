"""The composition root: settings -> adapters -> store -> engine. The only module that reads the environment.

Owns which implementation stands behind each port and how the key of an encrypted palace is obtained. Nothing below
knows that an environment exists.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mnemon.adapters import key_file
from mnemon.adapters.key_file import KeyFile
from mnemon.adapters.passphrase_key import master_key, new_master_key, new_parameters, subkey
from mnemon.adapters.system_clock import SystemClock
from mnemon.engine import Engine
from mnemon.errors import InvalidInput, PalaceExists, PalaceMissing, WrongKey
from mnemon.guard.access import OPERATOR
from mnemon.guard.gate import Guard
from mnemon.guard.rules import LIMITS, Rules
from mnemon.guard.vault import LONGEST_MINUTES
from mnemon.intake.archive import FOLDER as ARCHIVE
from mnemon.intake.archive import Archive
from mnemon.intake.pipeline import Parts, Pipeline
from mnemon.intake.rebuild import Rebuilt, ReplayClock, replay
from mnemon.intake.values import Policy
from mnemon.mind.backfill import Spaces
from mnemon.ports import Clock, Completer, Embedder
from mnemon.settings import SETTINGS, Settings
from mnemon.store.connection import OpenOptions
from mnemon.store.encryption import is_encrypted, rekey
from mnemon.store.store import FILE, Store, StoreOptions

Ask = Callable[[str], str]
REMOTE_EMBEDDERS = {"ollama": "http://127.0.0.1:11434", "openai": "https://api.openai.com/v1"}


def settings_from(environment: Mapping[str, str], given: Mapping[str, Any] | None = None) -> Settings:
    """Settings from MNEMON_* variables, overlaid with what is given (None values count as not given)."""
    found = {s.name: environment[s.environment] for s in SETTINGS if s.environment in environment}
    found.update({name: value for name, value in (given or {}).items() if value is not None})
    return Settings.of(found)


def load_settings(given: Mapping[str, Any] | None = None) -> Settings:
    """Settings of this process."""
    return settings_from(os.environ, given)  # noqa: TID251 - the one place that reads it


def palace_folder(settings: Settings) -> Path:
    """Where the palace is: the setting, or the platform's data folder."""
    if settings["palace"]:
        return Path(settings["palace"]).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("mnemon", appauthor=False)) / "palace"


def make_embedder(settings: Settings, wanted: str) -> Embedder | None:
    """The embedder of this name; None for `none`, or when the built-in one's wheel is absent.

    Raises: InvalidInput for a name that means nothing.
    """
    if wanted == "none":
        return None
    if wanted == "builtin":
        from mnemon.adapters.wordllama_embedder import WordLlamaEmbedder

        return WordLlamaEmbedder() if find_spec("wordllama") else None
    scheme, _, model = wanted.partition(":")
    if scheme in REMOTE_EMBEDDERS and model:
        from mnemon.adapters.http_json import Endpoint
        from mnemon.adapters.ollama_embedder import OllamaEmbedder
        from mnemon.adapters.openai_embedder import OpenAIEmbedder
        from mnemon.adapters.remote_vectors import RemoteModel

        url = settings["embedder_url"] or REMOTE_EMBEDDERS[scheme]
        if scheme == "ollama":
            return OllamaEmbedder(Endpoint(url=url), RemoteModel(model=model))
        return OpenAIEmbedder(Endpoint(url=url, key=settings["openai_api_key"]), RemoteModel(model=model))
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        from mnemon.adapters.local_embedder import LocalEmbedder

        return LocalEmbedder(folder)
    raise InvalidInput(
        f"no embedder {wanted!r}", field="embedder",
        hint="builtin, none, a model folder, ollama:MODEL or openai:MODEL",
    )  # fmt: skip


def make_completer(settings: Settings) -> Completer | None:
    """The language model of the settings; None when none is named.

    Raises: InvalidInput for a name that means nothing.
    """
    wanted: str = settings["completer"]
    if not wanted:
        return None
    scheme, _, model = wanted.partition(":")
    if scheme not in REMOTE_EMBEDDERS or not model:
        raise InvalidInput(f"no completer {wanted!r}", field="completer", hint="openai:MODEL or ollama:MODEL")
    from mnemon.adapters.http_json import Endpoint

    url = settings["completer_url"] or REMOTE_EMBEDDERS[scheme]
    if scheme == "ollama":
        from mnemon.adapters.ollama_completer import OllamaCompleter, OllamaModel

        return OllamaCompleter(Endpoint(url=url), OllamaModel(model=model))
    from mnemon.adapters.openai_completer import ChatModel, OpenAICompleter

    return OpenAICompleter(Endpoint(url=url, key=settings["openai_api_key"]), ChatModel(model=model))


def _key_for(folder: Path, settings: Settings, ask: Ask | None) -> bytes | None:
    """The key of a palace, or None when it is plain.

    Raises: WrongKey when it is encrypted and no key can be had.
    """
    path = folder / FILE
    if not path.exists() or not is_encrypted(path):
        return None
    known = key_file.read(folder)
    if known is not None and known.source == "keyring":
        return _keyring_key(folder)
    if known is None or known.parameters is None:
        raise WrongKey("the palace is encrypted but its key.json is missing", hint="put key.json back beside palace.db")
    phrase = settings["passphrase"] or (ask("Passphrase: ") if ask else "")
    if not phrase:
        raise WrongKey("the palace is encrypted and no passphrase was given")
    return subkey(master_key(phrase, known.parameters), "database")


def _keyring_key(folder: Path) -> bytes:
    from mnemon.adapters.keyring_keeper import KeyringKeeper

    key = KeyringKeeper().get(str(folder.resolve()))
    if key is None:
        raise WrongKey("the system keyring has no key for this palace")
    return subkey(key, "database")


def _new_key(folder: Path, settings: Settings, ask: Ask | None) -> tuple[bytes, KeyFile]:
    """A fresh key and the note of where it comes from."""
    if settings["keyring"]:
        from mnemon.adapters.keyring_keeper import KeyringKeeper

        key = new_master_key()
        KeyringKeeper().put(str(folder.resolve()), key)
        return subkey(key, "database"), KeyFile("keyring")
    phrase = settings["passphrase"] or (ask("New passphrase: ") if ask else "")
    if not phrase:
        raise InvalidInput("an encrypted palace needs a passphrase", field="passphrase", hint="or use the keyring")
    parameters = new_parameters()
    return subkey(master_key(phrase, parameters), "database"), KeyFile("passphrase", parameters)


def _options(settings: Settings, key: bytes | None, *, read_only: bool = False) -> StoreOptions:
    return StoreOptions(
        file=OpenOptions(
            key=key, durable=settings["durable"], busy_wait_s=settings["busy_wait_s"], cache_mb=settings["cache_mb"],
            mmap_mb=settings["mmap_mb"], read_only=read_only,
        ),
        upkeep=settings["upkeep"], text_cache_mb=settings["text_cache_mb"], vector_cache_mb=settings["vector_cache_mb"],
    )  # fmt: skip


def _engine(store: Store, clock: Clock, settings: Settings, key: bytes | None = None) -> Engine:
    def older(source: str) -> Embedder | None:
        try:
            return make_embedder(settings, source)
        except InvalidInput:
            return None  # a model folder that has gone: its space cannot be asked, and the reply says so

    source: str = settings["embedder"]
    spaces = Spaces(store, make_embedder(settings, source), source, older)
    parts = Parts(
        policy=Policy(medical=settings["medical"], paused=settings["paused"]),
        archive=_archive(store.folder, settings, key) if settings["archive"] else None,
        completer=make_completer(settings),
    )
    return Engine(store, clock, spaces, Pipeline(store, clock, spaces, parts), _guard(store, clock, settings))


def _guard(store: Store, clock: Clock, settings: Settings) -> Guard:
    """The guard with the rules of the settings; the vault open for the operator where its passphrase was given."""
    guard = Guard(store, clock, Rules(**{name: settings[name] for name in LIMITS}))
    if settings["vault_passphrase"]:
        guard.unlock(OPERATOR, "", settings["vault_passphrase"], minutes=LONGEST_MINUTES)
    return guard


def _archive(folder: Path, settings: Settings, key: bytes | None) -> Archive:
    """The archive beside a palace; in an encrypted one it is sealed with a key derived from the palace's."""
    sealed = subkey(key, "archive") if key is not None else None
    return Archive(folder / ARCHIVE, key=sealed, durable=settings["durable"])


def create_engine(settings: Settings, *, encrypted: bool = False, ask: Ask | None = None) -> Engine:
    """Makes a new palace and opens it.

    Raises: PalaceExists, InvalidInput.
    """
    folder = palace_folder(settings)
    if (folder / FILE).exists():
        raise PalaceExists(f"there already is a palace in {folder}")
    clock, key = SystemClock(), None
    if encrypted:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        key, note = _new_key(folder, settings, ask)
        key_file.prepare(folder, note)
        key_file.settle(folder)
    store = Store.create(folder, clock, _options(settings, key))
    return _engine(store, clock, settings, key)


def open_engine(settings: Settings, *, ask: Ask | None = None, read_only: bool = False) -> Engine:
    """Opens a palace.

    Raises: PalaceMissing, WrongKey, NewerSchema, MigrationFailed.
    """
    folder = palace_folder(settings)
    if not (folder / FILE).exists():
        raise PalaceMissing(f"there is no palace in {folder}")
    key = _key_for(folder, settings, ask)
    clock = SystemClock()
    store = Store.open(folder, clock, _options(settings, key, read_only=read_only))
    return _engine(store, clock, settings, key)


def rebuild_from_archive(settings: Settings, target: Path, *, ask: Ask | None = None) -> Rebuilt:
    """Makes a new palace in `target` from the archive of this one: everything that was told, told again in order.

    The new palace is plain and keeps an archive of its own.
    Raises: PalaceMissing, PalaceExists, WrongKey.
    """
    folder = palace_folder(settings)
    if not (folder / ARCHIVE).is_dir():
        raise PalaceMissing(f"there is no archive in {folder}", hint="nothing was told while the archive was on")
    read = _archive(folder, settings, _key_for(folder, settings, ask)).read()
    clock = ReplayClock()
    with _engine(Store.create(target, clock, _options(settings, None)), clock, settings) as engine:
        return replay(read, engine.intake, clock)


def wants_passphrase(settings: Settings) -> bool:
    """Whether opening this palace needs a passphrase that the settings do not have."""
    folder = palace_folder(settings)
    known = key_file.read(folder)
    locked = (folder / FILE).exists() and is_encrypted(folder / FILE)
    return locked and known is not None and known.source == "passphrase" and not settings["passphrase"]


def encrypt_palace(settings: Settings, ask: Ask | None = None) -> None:
    """Encrypts a plain palace in place.

    Raises: PalaceMissing, InvalidInput when it is encrypted already, PalaceBusy while others have it open.
    """
    folder = palace_folder(settings)
    _require(folder, encrypted=False)
    key, note = _new_key(folder, settings, ask)
    key_file.prepare(folder, note)
    rekey(folder / FILE, None, key)
    key_file.settle(folder)
    Archive(folder / ARCHIVE).convert(subkey(key, "archive"))


def decrypt_palace(settings: Settings, ask: Ask | None = None) -> None:
    """Turns an encrypted palace into a plain one in place.

    Raises: PalaceMissing, InvalidInput when it is plain already, WrongKey, PalaceBusy.
    """
    folder = palace_folder(settings)
    _require(folder, encrypted=True)
    key = _key_for(folder, settings, ask)
    rekey(folder / FILE, key, None)
    key_file.remove(folder)
    _archive(folder, settings, key).convert(None)


def copy_key_file(folder: Path, target: Path) -> str:
    """Copies the note of how the key is obtained beside a backup; empty when the palace is plain."""
    known = key_file.read(folder)
    if known is None:
        return ""
    beside = target.with_name("key.json" if target.name == FILE else f"{target.stem}.key.json")
    key_file.write(beside, known)
    return str(beside)


def _require(folder: Path, *, encrypted: bool) -> None:
    path = folder / FILE
    if not path.exists():
        raise PalaceMissing(f"there is no palace in {folder}")
    if is_encrypted(path) != encrypted:
        raise InvalidInput(f"the palace is {'not ' if encrypted else 'already '}encrypted", field="palace")
