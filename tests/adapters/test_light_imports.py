"""Importing the ports, an adapter or a test double brings nothing heavy along."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys

import pytest

import palazzo.adapters

HEAVY = (
    "numpy", "tokenizers", "safetensors", "onnxruntime", "wordllama", "pydantic", "requests", "keyring", "argon2",
    "cryptography", "http.client", "ssl", "ctypes", "asyncio",
)  # fmt: skip
MODULES = [
    "palazzo.ports",
    *(f"palazzo.adapters.{module.name}" for module in pkgutil.iter_modules(palazzo.adapters.__path__)),
    "palazzo.testing.clock",
    "palazzo.testing.models",
]


@pytest.fixture(scope="module")
def brought() -> dict[str, list[str]]:
    """The heavy modules each import brings: one interpreter for all, each import undone before the next."""
    script = (
        "import importlib, json, sys\n"
        "names, heavy = json.loads(sys.argv[1])\n"
        "before = set(sys.modules)\n"
        "found = {}\n"
        "for name in names:\n"
        "    importlib.import_module(name)\n"
        "    found[name] = sorted(h for h in heavy if h in sys.modules)\n"
        "    for extra in set(sys.modules) - before:\n"
        "        if extra.startswith('palazzo') or found[name]:\n"
        "            del sys.modules[extra]\n"
        "print(json.dumps(found))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps([MODULES, HEAVY])], capture_output=True, text=True, check=True
    )
    result: dict[str, list[str]] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("module", MODULES)
def test_an_import_brings_nothing_heavy(brought: dict[str, list[str]], module: str) -> None:
    assert brought[module] == []
