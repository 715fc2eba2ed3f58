"""`palazzo import` and `palazzo export` as people and programs run them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from tests.capture import made

from palazzo.surfaces.cli.commands import main


def run(palace: Path, *arguments: str, people: bool = False) -> Result:
    shown = [] if people else ["--json"]
    return CliRunner().invoke(main, ["--palace", str(palace), *shown, *arguments], env={"PALAZZO_EMBEDDER": "none"})


def told(palace: Path, *arguments: str) -> dict[str, Any]:
    result = run(palace, *arguments)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def test_a_zip_is_counted_imported_exported_and_imported_elsewhere(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    told(home, "init")
    told(other, "init")
    nodes = [made.chatgpt_node("a", None, "user", "I live in Lisbon.")]
    file = str(made.chatgpt_zip(tmp_path / "export.zip", [made.chatgpt_conversation(nodes, "a")]))
    assert told(home, "import", file, "--dry-run")["new"] == 1
    assert told(home, "list")["total"] == 0
    first = told(home, "import", file)
    assert (first["format"], first["new"], first["refusals"]) == ("chatgpt", 1, [])
    assert told(home, "import", file)["known"] == 1
    sealed = str(tmp_path / "all.sealed")
    assert told(home, "export", sealed, "--passphrase", "open sesame")["memories"] == 2
    assert told(other, "import", sealed, "--passphrase", "open sesame")["new"] == 2
    assert told(other, "verify")["clean"]


def test_without_a_terminal_to_ask_on_a_passphrase_is_missing_with_a_code(tmp_path: Path) -> None:
    told(tmp_path / "home", "init")
    result = run(tmp_path / "home", "export", str(tmp_path / "all.sealed"))
    assert result.exit_code == 2
    assert json.loads(result.stderr)["error"] == "wrong_key"
    assert not (tmp_path / "all.sealed").exists()


def test_a_file_of_no_known_format_is_told_with_the_formats_there_are(tmp_path: Path) -> None:
    told(tmp_path / "home", "init")
    (tmp_path / "thing.bin").write_bytes(b"\x80\x04thing")
    result = run(tmp_path / "home", "import", str(tmp_path / "thing.bin"))
    assert result.exit_code == 2
    assert "chatgpt" in json.loads(result.stderr)["hint"]
