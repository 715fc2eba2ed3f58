"""Commands that erase end with 0 only when nothing is left to do, and say what is otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palazzo.operations.declared import Operation
from palazzo.operations.registry import BY_NAME
from palazzo.surfaces.cli.commands import main
from palazzo.surfaces.cli.operations import command_path


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
    purged = run(palace, "purge", made["memories"][0], "--yes")
    assert (purged.exit_code, "unreadable" in json.loads(purged.output)["next"]) == (1, True)
    assert run(palace, "burn", "--unreadable", "--yes").exit_code == 0


def test_a_purge_without_yes_erases_nothing_and_says_what_would_go(palace: Path) -> None:
    (kept,) = json.loads(run(palace, "list").output)["memories"]
    counted = run(palace, "purge", kept["id"])
    assert counted.exit_code == 1
    told = json.loads(counted.output)
    assert (told["done"], told["memories"], len(told["would"]), "--yes" in told["next"]) == (False, 1, 1, True)
    assert run(palace, "get", kept["id"]).exit_code == 0
    assert run(palace, "purge", kept["id"], "--yes").exit_code == 0
    assert run(palace, "get", kept["id"]).exit_code == 2


FOR_GOOD = [one for one in BY_NAME.values() if one.for_good]


@pytest.mark.parametrize("operation", FOR_GOOD, ids=lambda one: one.name)
def test_whatever_cannot_be_undone_asks_for_a_yes(operation: Operation, palace: Path) -> None:
    path, typed = command_path(operation), ["nothing" for p in operation.parameters if p.required]
    assert "--yes" in run(palace, *path, "--help").output
    if operation.name == "purge":
        typed = [json.loads(run(palace, "list").output)["memories"][0]["id"]]
    asked = run(palace, *path, *typed, *(["--everything"] if operation.name == "burn" else []))
    told = json.loads(asked.output)
    assert (asked.exit_code, told["done"], "--yes" in told["next"]) == (1, False, True)
    assert len(json.loads(run(palace, "list").output)["memories"]) == 1


def test_what_takes_something_away_names_what_brings_it_back_or_asks() -> None:
    """A new operation that destroys is in one of the two lists, and one whose words say so is marked."""
    assert {one.undone_by for one in BY_NAME.values() if one.undone_by} <= BY_NAME.keys()
    words = ("cannot be undone", "physically", "for good", "Erase ")
    kept = {"remember"}
    assert {o.name for o in BY_NAME.values() if any(w in o.people for w in words)} - kept == {o.name for o in FOR_GOOD}
