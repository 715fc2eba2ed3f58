"""Importing palazzo does nothing: no heavy part is loaded and no file is written, nor a socket or process opened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from palazzo import Memory

HEAVY = {"numpy", "apsw", "cryptography", "argon2", "wordllama", "Stemmer", "platformdirs"}

_PROBE = """
import sys
told = []
def hook(event, arguments):
    if event.split(".")[0] in ("socket", "subprocess", "shutil") or event in ("os.mkdir", "os.putenv", "os.remove"):
        told.append(event)
    elif event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        told.append(f"open {arguments[0]}")
sys.addaudithook(hook)
import STATEMENT
seen = list(told)
import json
sys.stdout.write(json.dumps({"modules": sorted(sys.modules), "events": seen}))
"""


def after_import(module: str, root: Path) -> tuple[set[str], list[str]]:
    """The modules loaded and the outside events seen in a fresh interpreter that imports one module.

    -S keeps out the .pth files of an editable install and of coverage, which load modules of their own.
    """
    places = (str(root / "src"), str(Path(click.__file__).parents[1]))
    done = subprocess.run(
        [sys.executable, "-S", "-B", "-c", _PROBE.replace("STATEMENT", module)],
        capture_output=True, text=True, check=True, env={"PYTHONPATH": os.pathsep.join(places)},
    )  # fmt: skip
    told = json.loads(done.stdout)
    return set(told["modules"]), told["events"]


@pytest.mark.parametrize("module", ["palazzo", "palazzo.surfaces.cli.commands"])
def test_importing_loads_nothing_heavy_and_touches_nothing(module: str, root: Path) -> None:
    modules, events = after_import(module, root)
    assert module in modules
    assert not modules & HEAVY
    assert events == []


def test_import_palazzo_loads_no_other_room(root: Path) -> None:
    modules, _ = after_import("palazzo", root)
    assert {name for name in modules if name.startswith("palazzo.")} == set()


def test_the_probe_sees_what_a_heavy_module_does(root: Path) -> None:
    modules, events = after_import("apsw, subprocess; open('/dev/null', 'w').close()", root)
    assert "apsw" in modules
    assert events == ["open /dev/null"]


LIBRARY = 230
"""Modules that `from palazzo import Memory` may load, the standard library's included."""
COMMAND = 640
"""Modules that a command which recalls may load."""


def test_naming_the_library_loads_neither_a_store_nor_arrays(root: Path) -> None:
    modules, events = after_import("palazzo.surfaces.library", root)
    assert not modules & (HEAVY | {"asyncio"})
    assert not {name for name in modules if name.startswith(("palazzo.store", "palazzo.bootstrap", "palazzo.recall"))}
    assert len(modules) <= LIBRARY
    assert events == []


def test_a_command_that_recalls_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    palace = str(tmp_path / "palace")
    with Memory(palace, embedder="none", upkeep=False) as memory:
        memory.remember("The heron stands in the reeds.")
    asked = f"""
import json, sys
sys.argv = ["palazzo", "--json", "--palace", {palace!r}, "recall", "where is the heron?"]
from palazzo.surfaces.cli.commands import main
try:
    main()
except SystemExit:
    sys.stderr.write(json.dumps(sorted(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, env={})
    assert "heron stands" in done.stdout
    modules = set(json.loads(done.stderr))
    assert not modules & {"asyncio", "cryptography", "argon2", "numpy.ma", "palazzo.intake.pipeline"}
    assert len(modules) <= COMMAND, len(modules)
