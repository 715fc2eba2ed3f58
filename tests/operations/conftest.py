"""A palace with its engine, without an embedder and with a clock that stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palazzo.bootstrap.tuning import SETTINGS_FILE, Tuning
from palazzo.engine import Engine
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.settings import Settings
from palazzo.spaces import Spaces
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import make_store


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def engine(tmp_path: Path, clock: FixedClock) -> Iterator[Engine]:
    store = make_store(tmp_path / "palace", clock=clock)
    with Engine(store, clock, Spaces(store, None, "none", lambda _: None)) as made:
        made.tuning = Tuning(Settings.of(), tmp_path / "palace" / SETTINGS_FILE, lambda _: None)
        yield made


Ask = Callable[..., Any]


@pytest.fixture
def ask(engine: Engine) -> Ask:
    """Calls an operation as the operator, or as another `subject`."""

    def asked(name: str, subject: str = "operator", /, **arguments: Any) -> Any:
        return call(engine, Caller(subject=subject), name, arguments)

    return asked
