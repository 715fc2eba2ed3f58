"""Without the extra `encryption` a palace works; what needs it names the command that brings it, before it asks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from palazzo.surfaces.cli.commands import main

BRINGS = "pip install 'cryptography>="


@pytest.fixture
def palace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    monkeypatch.setenv("PALAZZO_EMBEDDER", "none")
    return tmp_path / "palace"


@pytest.mark.parametrize("command", [
    ("init", "--encrypted"), ("init", "--fields"), ("encrypt",), ("audit", "anchor"), ("export", "all.sealed"),
])  # fmt: skip
def test_what_needs_it_says_how_to_get_it(command: tuple[str, ...], palace: Path) -> None:
    if command[0] != "init":
        assert CliRunner().invoke(main, ["--palace", str(palace), "init"]).exit_code == 0
    phrase = {"PALAZZO_PASSPHRASE": "correct horse battery"}
    told = CliRunner().invoke(main, ["--palace", str(palace), *command], env=phrase)
    assert told.exit_code != 0
    assert BRINGS in told.output


def test_a_plain_palace_does_not_need_it(palace: Path) -> None:
    assert CliRunner().invoke(main, ["--palace", str(palace), "init"]).exit_code == 0
    for command in (("remember", "The ferry leaves at nine."), ("grant", "agent:one", "write"), ("doctor",)):
        told = CliRunner().invoke(main, ["--palace", str(palace), *command])
        assert told.exit_code == 0, told.output
    assert "nine" in CliRunner().invoke(main, ["--palace", str(palace), "recall", "ferry"]).output
