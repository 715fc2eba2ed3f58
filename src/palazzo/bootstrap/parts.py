"""Which implementation stands behind each port the settings name: embedder, completer, reranker, tokenizer, plugins.

Knows no palace and reads no environment. Invariant: a part that is not named is not loaded.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, cast

from palazzo.adapters import plugins
from palazzo.errors import InvalidInput, PartUnavailable
from palazzo.ports import CaptureAdapter, Completer, ContextProvider, Embedder, Reranker, SnapshotPart
from palazzo.recall.read.presets import Model, read_models
from palazzo.recall.recall import Aids
from palazzo.settings import Settings
from palazzo.text.reader import judgements

if TYPE_CHECKING:
    from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder

REMOTE_EMBEDDERS = {"ollama": "http://127.0.0.1:11434", "openai": "https://api.openai.com/v1"}


@cache
def _built_in() -> WordLlamaEmbedder:
    """The built-in embedder, one for the process: it holds a table and no texts of a palace that is closed."""
    from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder

    return WordLlamaEmbedder()


class Embedders:
    """The embedders of an open palace: the configured one, loaded again only where another is meant, and older ones."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._named: tuple[str, str] | None = None
        self._used: Embedder | None = None

    def configured(self, settings: Settings) -> Embedder | None:
        """Raises: InvalidInput for a name that means nothing."""
        self._settings, named = settings, (settings["embedder"], settings["embedder_url"])
        if named != self._named:
            self._used, self._named = make_embedder(settings, settings["embedder"]), named
        return self._used

    def older(self, source: str) -> Embedder | None:
        """One that a space was made with; None for a model folder that has gone: the reply says so."""
        try:
            return make_embedder(self._settings, source)
        except InvalidInput:
            return None


def make_embedder(settings: Settings, wanted: str) -> Embedder | None:
    """The embedder of this name; None for `none`.

    Raises: InvalidInput for a name that means nothing.
    """
    if wanted == "none":
        return None
    if wanted == "builtin":
        return _built_in()
    if wanted.startswith(plugins.PREFIX):
        return cast("Embedder | None", _from_plugin("embedder", wanted))
    scheme, _, model = wanted.partition(":")
    if scheme in REMOTE_EMBEDDERS and model:
        from palazzo.adapters.ollama import OllamaEmbedder
        from palazzo.adapters.openai import OpenAIEmbedder
        from palazzo.adapters.remote import Endpoint, RemoteModel

        url = settings["embedder_url"] or REMOTE_EMBEDDERS[scheme]
        if scheme == "ollama":
            return OllamaEmbedder(Endpoint(url=url), RemoteModel(model=model))
        return OpenAIEmbedder(Endpoint(url=url, key=settings["openai_api_key"]), RemoteModel(model=model))
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        from palazzo.adapters.local_embedder import LocalEmbedder

        return LocalEmbedder(folder)
    raise InvalidInput(
        f"no embedder {wanted!r}", field="embedder",
        hint="builtin, none, a model folder, ollama:MODEL, openai:MODEL or plugin:NAME",
    )  # fmt: skip


def make_completer(settings: Settings, name: str = "completer") -> Completer | None:
    """The language model that a setting names; None when it names none.

    Raises: InvalidInput for a name that means nothing.
    """
    wanted: str = settings[name]
    if not wanted:
        return None
    if wanted.startswith(plugins.PREFIX):
        return cast("Completer | None", _from_plugin("completer", wanted))
    scheme, _, model = wanted.partition(":")
    if scheme not in REMOTE_EMBEDDERS or not model:
        raise InvalidInput(f"no completer {wanted!r}", field=name, hint="openai:MODEL, ollama:MODEL or plugin:NAME")
    from palazzo.adapters.remote import Endpoint

    url = settings["completer_url"] or REMOTE_EMBEDDERS[scheme]
    if scheme == "ollama":
        from palazzo.adapters.ollama import OllamaCompleter, OllamaModel

        return OllamaCompleter(Endpoint(url=url), OllamaModel(model=model))
    from palazzo.adapters.openai import ChatModel, OpenAICompleter

    return OpenAICompleter(Endpoint(url=url, key=settings["openai_api_key"]), ChatModel(model=model))


def _from_plugin(kind: plugins.Kind, wanted: str) -> object | None:
    """The part a setting names as plugin:NAME; one that is broken is told of and gone without.

    Raises: InvalidInput when no plugin brings it.
    """
    try:
        return cast(object, plugins.load(kind, wanted.removeprefix(plugins.PREFIX)))
    except PartUnavailable as error:
        warnings.warn(f"palazzo goes on without it: {error.message}", stacklevel=2)
        return None


def installed_plugins(*, check: bool = False) -> tuple[plugins.Plugin, ...]:
    """The parts other packages bring, each loaded once if they are to be checked."""
    return plugins.checked() if check else plugins.installed()


def make_aids(settings: Settings) -> Aids:
    """What helps recall beside the store: a reranker, a tokenizer and a table of models, each if it is named.

    Raises: InvalidInput for a reranker without an address and a table that cannot be read, PartUnavailable for a
    tokenizer file that cannot be used.
    """
    reranker: Reranker | None = None
    if settings["reranker"].startswith(plugins.PREFIX):
        reranker = cast("Reranker | None", _from_plugin("reranker", settings["reranker"]))
    elif settings["reranker"]:
        from palazzo.adapters.http_reranker import HttpReranker
        from palazzo.adapters.remote import Endpoint

        if not settings["reranker_url"]:
            raise InvalidInput("a reranker needs an address", field="reranker_url")
        endpoint = Endpoint(url=settings["reranker_url"], key=settings["openai_api_key"])
        reranker = HttpReranker(endpoint, settings["reranker"])
    models: tuple[Model, ...] = ()
    if settings["models"]:
        table = Path(settings["models"]).expanduser()
        try:
            told = table.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"the table of models cannot be read: {error}", field="models") from error
        models = read_models(told, lambda name: _counter(table.parent / name))
    built_in = None if settings["embedder"] == "none" else _built_in()
    return Aids(
        word_vectors=None if built_in is None else built_in.word_vectors, answering=judgements.answers,
        floor=settings["min_relevance"],
        reranker=reranker, count=_counter(Path(settings["tokenizer"])) if settings["tokenizer"] else None,
        models=models, remote=":" in settings["embedder"],
    )  # fmt: skip


def _counter(path: Path) -> Callable[[str], int]:
    """Counts tokens by a tokenizer.json.

    Raises: PartUnavailable.
    """
    from palazzo.adapters.model_files import encode, load_tokenizer

    tokenizer = load_tokenizer(path.expanduser(), part="tokenizer")
    return lambda text: len(encode(tokenizer, text, special_tokens=False).ids)


def make_snapshot_parts(settings: Settings) -> tuple[SnapshotPart, ...]:
    """What of a workspace a snapshot holds, in the order of the settings.

    Raises: InvalidInput for a name that means nothing.
    """
    from palazzo.capture.snapshots.workspace import OWN

    found: list[SnapshotPart] = []
    for wanted in filter(None, map(str.strip, settings["snapshot_parts"].split(","))):
        if wanted in OWN:
            found.append(OWN[wanted])
        elif wanted.startswith(plugins.PREFIX):
            made = _from_plugin("snapshot_part", wanted)
            found += [cast("SnapshotPart", made)] if made is not None else []
        else:
            hint = f"{', '.join(OWN)} or plugin:NAME"
            raise InvalidInput(f"no part of a snapshot {wanted!r}", field="snapshot_parts", hint=hint)
    return tuple(found)


def make_context_providers(settings: Settings) -> tuple[ContextProvider, ...]:
    """The context providers of the settings, in their order.

    Raises: InvalidInput for a name that means nothing.
    """
    found: list[ContextProvider] = []
    for wanted in filter(None, map(str.strip, settings["context_providers"].split(","))):
        if not wanted.startswith(plugins.PREFIX):
            raise InvalidInput(f"no context provider {wanted!r}", field="context_providers", hint="plugin:NAME")
        made = _from_plugin("context_provider", wanted)
        found += [cast("ContextProvider", made)] if made is not None else []
    return tuple(found)


@cache
def capture_plugins() -> tuple[CaptureAdapter, ...]:
    """The adapters of capture that plugins bring; one that cannot be loaded is gone without, and `plugins` says why."""
    found: list[CaptureAdapter] = []
    for one in plugins.installed():
        if one.kind == "capture_adapter":
            with suppress(PartUnavailable):
                found.append(cast("CaptureAdapter", plugins.load(one.kind, one.name)))
    return tuple(found)


def runtime_folder(palace: Path) -> Path:
    """Where shells and hooks see whether they may capture, and leave what no daemon took: in memory where there is such
    a place, for its owner alone, and the same for every process whatever its environment: a pause must reach all."""
    above = Path("/dev/shm")  # noqa: S108 - a folder of our own, whose owner is looked at
    if not above.is_dir():
        import platformdirs

        above = Path(platformdirs.user_runtime_dir("palazzo", appauthor=False))
    digest = blake2b(os.fsencode(palace.resolve()), digest_size=8).hexdigest()
    return above / f"palazzo-{os.getuid() if hasattr(os, 'getuid') else 'own'}-{digest}"
