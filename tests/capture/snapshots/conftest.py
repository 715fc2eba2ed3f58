"""A desk with real programs: tmux on a socket of its own, editors in it, a palace beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from palazzo import Memory

PATIENCE_S = 30
LOOKS = 12_000


def needed(*programs: str) -> None:
    """Skips a test where a program cannot be had, and says which."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed; scripts/setup.sh installs it as root with apt")


def looked_for(seen: Callable[[], bool]) -> None:
    """Looks until something is seen; asking real programs takes its time by itself."""
    for _ in range(LOOKS):
        if seen():
            return
        subprocess.run(["true"], capture_output=True, check=False)
    raise AssertionError("it was never seen")


@dataclass
class Desk:
    """A folder with a repository and files, and a tmux of its own."""

    folder: Path

    def tmux(self, *words: str) -> str:
        return subprocess.run(
            ["tmux", "-f", os.devnull, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=True
        ).stdout

    def set_up(self, editor: str = "nvim") -> None:
        """A session with an editor and a shell in one window, and a program in another."""
        asked = "tmux wait-for -S editor-is-there"
        opened = f"{editor} --clean +42 plan.txt -c 'badd +7 notes.txt' -c \"call system('{asked}')\""
        self.tmux("new-session", "-d", "-s", "work", "-n", "edit", "-c", str(self.folder), f"{opened}; exec sh")
        self.tmux("split-window", "-h", "-t", "work:edit", "-c", str(self.folder / "logs"))
        self.tmux("new-window", "-d", "-t", "work:", "-n", "watch", "-c", str(self.folder), "tail", "-f", "plan.txt")
        self.tmux("wait-for", "editor-is-there")
        looked_for(lambda: "tail" in self.tmux("list-panes", "-a", "-F", "#{pane_current_command}"))

    def clear(self) -> None:
        subprocess.run(["tmux", "kill-server"], capture_output=True, check=False)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    needed("tmux")
    short = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    monkeypatch.setenv("TMUX_TMPDIR", str(short))
    monkeypatch.delenv("TMUX", raising=False)
    for name in ("DISPLAY", "I3SOCK", "SWAYSOCK", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SHELL", "/bin/sh")
    folder = tmp_path / "project"
    (folder / "logs").mkdir(parents=True)
    (folder / "plan.txt").write_text("".join(f"step {n}\n" for n in range(100)))
    (folder / "notes.txt").write_text("".join(f"note {n}\n" for n in range(50)))
    subprocess.run(["git", "init", "-q", "-b", "harbour", str(folder)], check=True)
    made = Desk(folder)
    try:
        yield made
    finally:
        made.clear()
        shutil.rmtree(short, ignore_errors=True)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as made:
        yield made
