"""A palace with every part that writes to the disk (archive, vectors, indexes), and a way to search its raw files."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palazzo.adapters.palace_keys import PalaceKeys
from palazzo.archive import Archive
from palazzo.belief.conflicts import decide
from palazzo.engine import Engine
from palazzo.intake.pipeline import Parts, Pipeline
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.spaces import Spaces
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import file_bytes, make_store


def forms(text: str) -> tuple[bytes, ...]:
    """A text as it could stand in a file: as it is, folded, composed otherwise, in two bytes a letter, as JSON."""
    said = {
        text,
        text.lower(),
        text.casefold(),
        unicodedata.normalize("NFD", text),
        unicodedata.normalize("NFKC", text),
    }
    escaped = {one.encode("ascii", "backslashreplace") for one in said}
    return tuple({one.encode(code) for one in said for code in ("utf-8", "utf-16-le", "utf-16-be")} | escaped)


def files_with(folder: Path, *words: str) -> list[str]:
    """The files below a folder in whose raw bytes one of these words stands, in whatever form."""
    needles = [form for word in words for form in forms(word)]
    return [
        path.name
        for path, content in sorted(file_bytes(folder).items())
        if any(needle in content for needle in needles)
    ]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "palace"


@pytest.fixture
def engine(folder: Path, clock: FixedClock) -> Iterator[Engine]:
    store = make_store(folder, clock=clock, durable=False)
    embedder = HashEmbedder()
    spaces = Spaces(store, embedder, "hash", lambda _: None)
    parts = Parts(archive=Archive(folder / "archive", durable=False))
    with Engine(store, clock, spaces, lambda: Pipeline(store, clock, spaces, decide, parts)) as made:
        yield made


Ask = Callable[..., Any]


@pytest.fixture
def ask(engine: Engine) -> Ask:
    """Calls an operation as the operator, or as another `subject`."""

    def asked(name: str, subject: str = "operator", /, **arguments: Any) -> Any:
        return call(engine, Caller(subject=subject), name, arguments)

    return asked


@pytest.fixture
def sealed(folder: Path, clock: FixedClock) -> Iterator[Engine]:
    """A palace with a key for fields whose file is plain, so that raw bytes show what is sealed."""
    with keyed_engine(folder, clock) as made:
        yield made


def keyed_engine(folder: Path, clock: FixedClock, keys: PalaceKeys | None = None) -> Engine:
    keys = keys or PalaceKeys(bytes(range(32)))
    store = make_store(folder, clock=clock, durable=False, fields=keys.cipher())
    spaces = Spaces(store, HashEmbedder(), "hash", lambda _: None)
    parts = Parts(archive=Archive(folder / "archive", key=keys.of("archive"), durable=False))
    return Engine(store, clock, spaces, lambda: Pipeline(store, clock, spaces, decide, parts))
