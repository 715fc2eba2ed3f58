"""Commands that erase end with 0 only when nothing is left to do, and say what is otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palazzo.surfaces.cli.commands import main


@pytest.fixture
def palace(tmp_path: Path) -> Path:
    folder = tmp_path / "palace"
    for words in (("init",), ("remember", "Sorrel asked for the almanac.", "--verbatim")):
        assert run(folder, *words).exit_code == 0
    return folder


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["--palace", str(folder), "--json", *words], env={"PALAZZO_EMBEDDER": "none"})


def test_a_burn_without_yes_ends_with_one_and_says_what_is_missing(palace: Path) -> None:
    counted = run(palace, "burn", "--everything")
    assert counted.exit_code == 1
    told = json.loads(counted.output)
    assert (told["done"], told["memories"] > 0, "yes" in told["next"]) == (False, True, True)
    done = run(palace, "burn", "--everything", "--yes")
    assert (done.exit_code, json.loads(done.output)["done"]) == (0, True)


def test_forgetting_somebody_others_mention_ends_with_one_until_the_mentions_go(palace: Path) -> None:
    left = run(palace, "forget-user", "sorrel", "--yes")
    assert (left.exit_code, json.loads(left.output)["mentioned_elsewhere"]) == (1, 1)
    assert "mentions" in json.loads(left.output)["next"]
    assert run(palace, "forget-user", "sorrel", "--mentions", "--yes").exit_code == 0


def test_a_damaged_line_makes_a_purge_end_with_one(palace: Path) -> None:
    (path,) = (palace / "archive").glob("*.jsonl")
    with path.open("ab") as handle:
        handle.write(b'{"v":1,"call":"torn\n')
    made = json.loads(run(palace, "remember", "The almanac is lent out.", "--verbatim").output)
    purged = run(palace, "purge", made["memories"][0])
    assert (purged.exit_code, "unreadable" in json.loads(purged.output)["next"]) == (1, True)
    assert run(palace, "burn", "--unreadable", "--yes").exit_code == 0
