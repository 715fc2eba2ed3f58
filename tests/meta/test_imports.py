"""Importing palazzo does nothing: no heavy part is loaded and no file is written, nor a socket or process opened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

HEAVY = {"numpy", "apsw", "rich", "cryptography", "argon2", "wordllama", "Stemmer", "platformdirs"}

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
