"""Anchors of the audit trail: what a rewritten or cut chain cannot hide from somebody who kept one elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner, Result

from palazzo import Memory
from palazzo.errors import InvalidInput, NotPermitted
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.store.api import AuditLine
from palazzo.store.sql.guard import audit
from palazzo.surfaces.cli.commands import main

Harm = Callable[[apsw.Connection], None]


def palace(folder: Path, *texts: str) -> Memory:
    memory = Memory(folder, embedder="none")
    for text in texts:
        memory.remember(text)
    return memory


def rewrite(connection: apsw.Connection) -> None:
    """What somebody does who can write the file and knows how the chain is made."""
    connection.execute("UPDATE audit SET subject = 'mallory' WHERE id = 2")
    audit.chain_again(connection, 2)


def cut(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM audit WHERE id > 1")
    connection.execute("UPDATE palace SET value = '1' WHERE key = 'audit_lines'")


def cut_and_grown(connection: apsw.Connection) -> None:
    cut(connection)
    audit.append(connection, *(AuditLine(at_us=1, subject="operator", action="recall") for _ in range(20)))


@pytest.mark.parametrize(
    ("harm", "said"), [(rewrite, "written anew"), (cut, "it was cut"), (cut_and_grown, "written anew")]
)
def test_a_chain_that_was_made_anew_or_cut_is_whole_in_itself_and_found_by_an_anchor(
    tmp_path: Path, harm: Harm, said: str
) -> None:
    with palace(tmp_path / "palace", "The lake is deep.", "The hill is steep.", "The moor is wide.") as memory:
        made = memory.audit_anchor()
        memory.remember("The wood is dark.")
        memory.engine.store.database.write(harm)
        assert memory.audit_verify().clean
        found = memory.audit_verify(anchor=made.anchor)
        assert (found.clean, found.anchors) == (False, 1)
        assert said in found.problems[0]


def test_a_trail_that_only_grew_holds_against_every_anchor_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "anchors"
    with palace(tmp_path / "palace") as memory:
        for text in ("The lake is deep.", "The hill is steep."):
            made = memory.audit_anchor(file=str(file))
            memory.remember(text)
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.read_text().splitlines()[-1] == made.anchor
        found = memory.audit_verify(anchor=str(file))
        assert (found.clean, found.anchors, found.problems) == (True, 2, ())


def test_a_file_that_holds_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("The lake is deep.\n")
    with palace(tmp_path / "palace") as memory:
        for path in (file, tmp_path / "palace" / "palace.db", tmp_path, tmp_path / "nowhere" / "file"):
            with pytest.raises(InvalidInput):
                memory.audit_anchor(file=str(path))
        assert memory.verify().clean
    assert file.read_text() == "The lake is deep.\n"


@pytest.mark.parametrize("part", ["hash", "line", "at_us", "palace", "signature"])
def test_an_anchor_that_was_altered_says_nothing(tmp_path: Path, part: str) -> None:
    with palace(tmp_path / "palace", "The lake is deep.", "The hill is steep.") as memory:
        told: dict[str, Any] = json.loads(memory.audit_anchor().anchor)
        told[part] = told[part] - 1 if isinstance(told[part], int) else "00" + told[part][2:]
        (said,) = memory.audit_verify(anchor=json.dumps(told)).problems
        assert "signature does not fit" in said


def test_the_anchor_of_another_palace_is_known(tmp_path: Path) -> None:
    with palace(tmp_path / "one", "The lake is deep.") as one, palace(tmp_path / "two", "The lake is deep.") as two:
        (said,) = two.audit_verify(anchor=one.audit_anchor().anchor).problems
        assert "another palace" in said


@pytest.mark.parametrize("given", ["{}", '{"palace": 1}', "/nowhere/at/all", "\0", "."])
def test_what_is_no_anchor_is_refused(tmp_path: Path, given: str) -> None:
    with palace(tmp_path / "palace") as memory, pytest.raises(InvalidInput):
        memory.audit_verify(anchor=given)


def test_an_erasure_that_replaced_names_is_told_as_such(tmp_path: Path) -> None:
    with palace(tmp_path / "palace") as memory:
        memory.remember("I like tea.", user_id="anna")
        with pytest.raises(NotPermitted):
            call(memory.engine, Caller(subject="anna"), "list", {})
        made = memory.audit_anchor()
        memory.forget_user("anna", yes=True)
        found = memory.audit_verify(anchor=made.anchor)
        assert "made the chain anew" in found.problems[0]
        assert memory.audit_verify(anchor=memory.audit_anchor().anchor).clean


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["--palace", str(folder), *words])


def test_the_command_ends_with_one_when_it_found_something(tmp_path: Path) -> None:
    folder, file = tmp_path / "palace", tmp_path / "anchor"
    palace(folder, "The lake is deep.", "The hill is steep.").close()
    shown = run(folder, "audit", "anchor")
    file.write_text(shown.stdout)
    assert json.loads(shown.stdout)["line"] >= 2
    for words in (("audit", "verify"), ("audit", "verify", "--anchor", str(file))):
        assert run(folder, *words).exit_code == 0
    with palace(folder) as memory:
        memory.engine.store.database.write(cut)
    assert run(folder, "audit", "verify").exit_code == 0
    found = run(folder, "--json", "audit", "verify", "--anchor", str(file))
    assert (found.exit_code, json.loads(found.stdout)["clean"]) == (1, False)
    with palace(folder) as memory:
        memory.engine.store.database.write(
            lambda c: c.execute("UPDATE audit SET subject = 'mallory' WHERE id = 1") and None
        )
    assert run(folder, "audit", "verify").exit_code == 1


def test_an_anchor_outlives_encryption_and_another_key(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    words = "seven lanterns on the pier"
    with palace(folder, "The lake is deep.") as memory:
        made = memory.audit_anchor()
    secret, other = {"PALAZZO_PASSPHRASE": words}, "nine lanterns on the pier"
    assert CliRunner().invoke(main, ["--palace", str(folder), "encrypt"], env=secret).exit_code == 0
    changed = {**secret, "PALAZZO_NEW_PASSPHRASE": other}
    assert CliRunner().invoke(main, ["--palace", str(folder), "rotate"], env=changed).exit_code == 0
    with Memory(folder, embedder="none", passphrase=other) as memory:
        assert memory.audit_verify(anchor=made.anchor).clean
