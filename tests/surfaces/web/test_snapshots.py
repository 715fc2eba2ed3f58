"""A workspace is taken, compared and brought back in the browser, after a dry run and a yes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.surfaces.daemon import Running, as_operator, daemon, environment

if TYPE_CHECKING:
    from tests.surfaces.web.conftest import Opened


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[tuple[Running, dict[str, str]]]:
    """A daemon that sees a tmux of its own."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed; scripts/setup.sh installs it as root with apt")
    short = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    told = {"TMUX_TMPDIR": str(short), "SHELL": "/bin/sh", "TMUX": "", "PALAZZO_SNAPSHOT_PARTS": "tmux"}
    try:
        with daemon(tmp_path / "palace", PALAZZO_HEARTBEAT_S="3600", **told) as running:
            yield running, environment(**told)
    finally:
        subprocess.run(["tmux", "kill-server"], env=environment(**told), capture_output=True, check=False)
        shutil.rmtree(short, ignore_errors=True)


def test_a_workspace_is_taken_and_brought_back(desk: tuple[Running, dict[str, str]], opened: Opened) -> None:
    running, seen = desk

    def tmux(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["tmux", *words], env=seen, capture_output=True, text=True, check=False)

    tmux("-f", os.devnull, "new-session", "-d", "-s", "harbour", "-c", str(running.folder.parent))
    page = opened("#/snapshots", palace=running)
    page.get_by_text("No snapshot yet.").wait_for()
    page.get_by_role("button", name="Take one now").click()
    card = page.get_by_role("region", name="Snapshot ")
    card.get_by_text("tmux harbour").wait_for()
    card.get_by_role("button", name="What differs now").click()
    card.get_by_text("Nothing differs.").wait_for()
    tmux("kill-server")
    card.get_by_role("button", name="Restore workspace").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("tmux session harbour with 1 windows and 1 panes").wait_for()
    assert tmux("ls").returncode, "a dry run does nothing"
    dialog.get_by_role("button", name="Bring it back").click()
    card.get_by_text("brought back").wait_for()
    assert tmux("ls").stdout.startswith("harbour:")
    card.get_by_role("button", name="Erase").click()
    page.get_by_role("dialog").get_by_role("button", name="Erase").click()
    page.get_by_text("No snapshot yet.").wait_for()
    assert list(as_operator(running.folder, "snapshot_list")) == []
