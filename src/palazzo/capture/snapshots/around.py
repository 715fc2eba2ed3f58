"""The machine around a snapshot: programs that are asked, processes that run, and what may not be looked at.

Owns how other programs are run: in their own words, with a time limit, without the secrets this process was given.
Knows no single program. Invariant: of a private application nothing but its name is ever read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from palazzo.capture.gate import CaptureRules, Gate
from palazzo.errors import PartUnavailable
from palazzo.settings import SECRET_SETTINGS, SETTINGS

WAIT_S: Final = 2.0
MOST_TOLD: Final = 200
_SECRETS: Final = tuple(one.environment for one in SETTINGS if one.name in SECRET_SETTINGS)


@dataclass(frozen=True)
class Around:
    """What parts of a snapshot are given: the folder that is worked in, whose home it is, and who is private."""

    folder: Path = field(default_factory=Path.cwd)
    home: Path = field(default_factory=Path.home)
    gate: Gate = field(default_factory=lambda: Gate(CaptureRules(), paused=False))
    """What may be looked at at all."""

    def is_private(self, application: str) -> bool:
        """Whether an application is one that nothing is read of."""
        return self.gate.bars_app(application)

    def bars_path(self, path: str) -> bool:
        """Whether a file or folder is one that nothing is told of."""
        return self.gate.bars_path(path)

    def ask(self, program: str, *words: str, wait_s: float = WAIT_S) -> str:
        """What a program prints.

        Raises: PartUnavailable when it is not there, is private, fails or takes too long.
        """
        if self.is_private(program):
            raise PartUnavailable(f"{program} is private", part=program)
        found = shutil.which(program)
        if found is None:
            raise PartUnavailable(f"{program} is not installed", part=program)
        return self._run(program, [found, *words], wait_s)

    def start(self, program: str, *words: str) -> str:
        """The same for what may leave something running: it does not inherit the secrets of this process."""
        found = shutil.which(program)
        if found is None:
            raise PartUnavailable(f"{program} is not installed", part=program)
        without = [word for name in _SECRETS for word in ("-u", name)]
        return self._run(program, [shutil.which("env") or "env", *without, found, *words], WAIT_S)

    def _run(self, program: str, line: list[str], wait_s: float) -> str:
        try:
            done = subprocess.run(  # noqa: S603 - a program found by name, and words that no shell reads
                line, stdin=subprocess.DEVNULL, capture_output=True, timeout=wait_s, check=False, text=True,
                errors="replace", cwd=self.home if self.home.is_dir() else None,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise PartUnavailable(f"{program} did not answer within {wait_s:g} s", part=program) from error
        except OSError as error:
            raise PartUnavailable(f"{program} cannot be started: {error.strerror}", part=program) from error
        if done.returncode:
            told = (done.stderr or done.stdout).strip().splitlines()
            why = told[0][:MOST_TOLD] if told else f"it ended with {done.returncode}"
            raise PartUnavailable(f"{program}: {why}", part=program)
        return done.stdout

    @cached_property
    def processes(self) -> Mapping[int, tuple[int, str]]:
        """Of every process of this user: its parent and its name. Empty where the system does not tell."""
        return dict(_processes())

    def above(self, process: int) -> Iterator[int]:
        """A process and those it was started from, up to the first that is not this user's."""
        while process in self.processes:
            yield process
            process = self.processes[process][0]

    def words_of(self, process: int) -> tuple[str, ...]:
        """The command line of a process; nothing for one that has ended or is private."""
        if self.is_private(self.processes.get(process, (0, ""))[1]):
            return ()
        return tuple(word for word in told_by_system(f"/proc/{process}/cmdline").split("\0") if word)

    def folder_of(self, process: int) -> str:
        """The folder a process works in; empty for one that has ended."""
        try:
            return str(Path(f"/proc/{process}/cwd").readlink())
        except OSError:
            return ""


def told_by_system(path: str) -> str:
    """What the system says in a file of its own; empty where it says nothing."""
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""


def _processes() -> Iterator[tuple[int, tuple[int, str]]]:
    here = os.getuid() if hasattr(os, "getuid") else -1
    try:
        entries = [entry for entry in os.scandir("/proc") if entry.name.isdigit()]
    except OSError:
        return
    for entry in entries:
        try:
            if entry.stat().st_uid != here:
                continue
        except OSError:
            continue
        name, _, rest = told_by_system(f"{entry.path}/stat").partition("(")[2].rpartition(")")
        if rest:
            yield int(entry.name), (int(rest.split()[1]), name)
