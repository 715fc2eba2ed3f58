"""Adapters of capture and parts of snapshots that a package brings: switched on by name and gated like our own."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.test_plugins import install

from palazzo.bootstrap import create_engine, load_settings
from palazzo.bootstrap.parts import capture_plugins
from palazzo.capture.adapters import known_adapters
from palazzo.capture.watching import Watchers
from palazzo.engine import Engine
from palazzo.operations.call import call
from palazzo.operations.caller import Caller

LOOKS = 1500
PACKAGE = """
class Kettle:
    name = "kettle"
    about = "When the kettle is on."

    def missing(self):
        return ""

    def watch(self, sight):
        while not sight.wait(0.02):
            if sight.is_open() and not sight.bars_app("kettle"):
                sight.saw("app_activation", "kettle", {"app": "kettle", "title": "on", "seconds": 60})


class Shelf:
    name = "shelf"

    def capture(self, around):
        return {"books": 3}

    def restore(self, state, around):
        return ()
"""
POINTS = {
    "palazzo.capture_adapters": {"kettle": "brought_plugin:Kettle"},
    "palazzo.snapshot_parts": {"shelf": "brought_plugin:Shelf"},
}


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    package, site = tmp_path / "brought_plugin", tmp_path / "site"
    package.mkdir()
    site.mkdir()
    (package / "__init__.py").write_text(PACKAGE)
    install(package, site, "brought-plugin", POINTS)
    monkeypatch.syspath_prepend(str(site))
    capture_plugins.cache_clear()
    settings = {"palace": str(tmp_path / "p"), "embedder": "none", "upkeep": False, "snapshot_parts": "plugin:shelf"}
    with create_engine(load_settings(settings)) as made:
        yield made
        if made.runtime is not None:
            shutil.rmtree(made.runtime, ignore_errors=True)
    capture_plugins.cache_clear()


def ask(engine: Engine, name: str, **given: Any) -> Any:
    return call(engine, Caller(), name, given)


def test_an_adapter_of_a_package_is_off_until_it_is_switched_on_and_then_tells(engine: Engine) -> None:
    watch = Watchers(engine.capture, engine.clock, known_adapters({}, engine.adapters()))
    try:
        assert [one.on for one in ask(engine, "capture_status").adapters if one.name == "kettle"] == [False]
        assert watch.settle() == ()
        ask(engine, "capture_enable", adapter="kettle")
        assert watch.settle() == ("kettle",)
        for _ in range(LOOKS):
            if ask(engine, "raw_events", source="kettle"):
                break
            time.sleep(0.02)  # it looks in its own time
        ask(engine, "pause")
        watch.settle()
    finally:
        watch.close()
    kept = len(ask(engine, "raw_events", source="kettle", limit=1000))
    assert kept > 0
    told = {"kind": "app_activation", "source": "kettle", "reference": "kettle"}
    assert ask(engine, "capture_events", events=[told]).refused == ("paused",)
    assert ask(engine, "burn", source="kettle", yes=True).rows["raw_event"] == kept


def test_a_part_of_a_package_stands_in_a_snapshot(engine: Engine) -> None:
    taken = ask(engine, "snapshot_save")
    assert taken.parts == ("shelf",)
    assert ask(engine, "snapshot_show", snapshot=str(taken.id)).state == {"shelf": {"books": 3}}
