"""An empty machine: the built wheel in an environment of its own, with the packages it asks for and no others.

The wheel is built once for a whole run. What it needs is taken from the environment of the tests, package by package as
the wheel's own description asks for them, so nothing is fetched and nothing that is only installed beside it is seen.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from palazzo.files.forks import FileLock

ROOT = Path(__file__).resolve().parents[2]


def closure(asked: list[str], extras: frozenset[str] = frozenset()) -> dict[str, Distribution]:
    """The distributions that requirements bring, by name."""
    found: dict[str, Distribution] = {}
    waiting = [(Requirement(one), extras) for one in asked]
    while waiting:
        wanted, told = waiting.pop()
        if wanted.marker and not any(wanted.marker.evaluate({"extra": extra}) for extra in (told or {""})):
            continue
        name = wanted.name.lower().replace("_", "-")
        if name not in found:
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:
                pytest.skip(f"{name} is not installed: make setup")
            further = frozenset(wanted.extras)
            waiting += [(Requirement(one), further) for one in found[name].requires or []]
    return found


def linked(folder: Path, packages: dict[str, Distribution]) -> Path:
    """A folder with these packages and nothing else."""
    folder.mkdir()
    for package in packages.values():
        for file in package.files or ():
            top = Path(file.parts[0])
            if top.name not in ("..", "__pycache__") and not (folder / top).exists():
                (folder / top).symlink_to(Path(str(package.locate_file(top))).resolve())
    return folder


class Machine:
    """Where a newcomer begins: a program, the packages it needs, and an empty home."""

    def __init__(self, place: Path, home: Path) -> None:
        self._place = place
        self.home = home
        self.project = home / "my-project"
        self.project.mkdir(parents=True)

    def environment(self, *packages: str) -> dict[str, str]:
        """What the newcomer's shell knows. `packages`: folders of `linked`."""
        seen = os.pathsep.join(str(self._place / one) for one in ("base", *packages))
        programs = f"{self._place / 'shims'}:{self._place / 'venv' / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        return {"LANG": "C.UTF-8", "PATH": programs, "HOME": str(self.home), "PYTHONPATH": seen}

    def run(self, *command: str, packages: tuple[str, ...] = (), said: str = "") -> str:
        """What a command prints; it must end well."""
        done = subprocess.run(
            command, input=said, capture_output=True, text=True, timeout=300, cwd=self.project,
            env=self.environment(*packages),
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def shell(self, script: str, *, packages: tuple[str, ...] = ("extras",)) -> str:
        """What a script of a page prints, each line of which must end well."""
        return self.run("bash", "-euo", "pipefail", "-c", script, packages=packages)

    def python(self, code: str, *packages: str) -> str:
        """What a program of a page prints."""
        return self.run("python", "-", packages=packages, said=code)


def _wheel(folder: Path) -> Path:
    built = folder / "wheel"
    if find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed: make setup")
    make = ("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(built), ".")
    subprocess.run([sys.executable, "-m", "pip", *make], check=True, cwd=ROOT, capture_output=True)
    (wheel,) = built.glob("*.whl")
    return wheel


def _install(folder: Path) -> None:
    venv.create(folder / "venv", symlinks=True, with_pip=False)
    wheel = _wheel(folder)
    python = str(folder / "venv" / "bin" / "python")
    install = ("--python", python, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel))
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (own,) = (Distribution.at(path) for path in site.glob("palazzo-*.dist-info"))
    base = linked(folder / "base", closure(own.requires or []))
    extras = closure(own.requires or [], frozenset({"server", "mcp"}))
    linked(folder / "extras", {name: one for name, one in extras.items() if not (base / name).exists()})
    shim = folder / "shims" / "pip"  # what a page asks pip for is here already; it must be something the wheel knows
    shim.parent.mkdir()
    shim.write_text('#!/bin/sh\ncase "$*" in "install .[server,mcp]"|"install .") ;; *) exit 1;; esac\n')
    shim.chmod(0o755)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The folder of the one installation of this run, shared by all of its processes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(request.config, "workerinput") else base) / "empty-machine"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock").held():
        if not (folder / "ready").exists():
            _install(folder)
            (folder / "ready").touch()
    return folder


@pytest.fixture
def machine(installed: Path, tmp_path: Path) -> Machine:
    return Machine(installed, tmp_path / "home")
