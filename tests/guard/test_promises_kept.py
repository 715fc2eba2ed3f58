"""What the guard promises beyond grants: whether is about relevance, a vault is sealed or closed, a lock is somebody's,
an erasure says what it would do and asks once."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.guard.conftest import files_with

from palazzo import Memory
from palazzo.errors import NotPermitted, Refused
from palazzo.guard.reduce import Exists

DIARY = "Quillon hid the marzipan behind the clavichord."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", upkeep=False) as made:
        yield made


def as_guest(memory: Memory, folder: Path, level: str) -> Memory:
    memory.grant("agent:guest", level)  # type: ignore[arg-type]
    return Memory(folder, upkeep=False, subject="agent:guest")


@pytest.mark.parametrize("name", ["recall", "context", "reason", "evolution"])
def test_whether_something_exists_is_whether_something_is_relevant(memory: Memory, tmp_path: Path, name: str) -> None:
    for text in ("Deploys happen on Tuesdays.", "My sister Lena lives in Lisbon.", "The kiln fires at 900 degrees."):
        memory.remember(text)
    with as_guest(memory, tmp_path / "palace", "anchor") as guest:
        asked = getattr(guest, name)
        assert asked("where does my sister Lena live?") == Exists(exists=True)
        assert asked("purple elephants of Jupiter") == Exists(exists=False)


def test_a_palace_without_a_key_puts_nothing_into_its_vault_and_says_what_helps(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as memory:
        memory.vault_protect("open sesame")
        note = memory.remember("The gate is green.", place="work.notes", kind="fact", name="gate").id
        with pytest.raises(Refused, match="without a key"):  # and not first for a passphrase that would not help
            memory.remember(DIARY, place="vault.diary")
    with Memory(tmp_path / "palace", embedder="none", upkeep=False, vault_passphrase="open sesame") as memory:
        for call in (
            lambda: memory.remember(DIARY, place="vault.diary"),
            lambda: memory.move(note, "vault.notes"),
            lambda: memory.register("box", "vault", DIARY),
            lambda: memory.bundle("box", "vault"),
            lambda: memory.seal("work.notes", "vault"),
        ):
            with pytest.raises(Refused) as refused:
                call()
            assert "palazzo encrypt --fields" in (refused.value.hint or "")
        assert memory.get(note).place == "work.notes"
    assert files_with(tmp_path / "palace", "marzipan") == []


@pytest.mark.parametrize("fields", [True, False])
def test_a_vault_with_a_key_stands_in_clear_in_no_file(tmp_path: Path, fields: bool) -> None:
    folder, said = tmp_path / "palace", {"PALAZZO_PASSPHRASE": "seven lanterns", "PATH": os.defpath}
    made = [sys.executable, "-m", "palazzo", "--palace", str(folder), "init", "--fields" if fields else "--encrypted"]
    subprocess.run(made, env=said, check=True, capture_output=True, timeout=120)
    with Memory(folder, upkeep=False, passphrase="seven lanterns") as memory:
        memory.vault_protect("open sesame")
    given = {"passphrase": "seven lanterns", "vault_passphrase": "open sesame"}
    with Memory(folder, upkeep=False, **given) as memory:
        kept = memory.remember(DIARY, place="vault.diary", verbatim=True).id
        assert memory.get(kept).text == DIARY
        assert DIARY in [hit.text for hit in memory.recall("where did Quillon hide the marzipan?")]
        moved = memory.remember("The sundial is a forgery.", place="work.notes", name="dial", verbatim=True).id
        memory.move(moved, "vault.notes")
        assert memory.get(moved).text == "The sundial is a forgery."
        stood = memory.remember("The gardener knows.", place="life.diary", name="gardener", verbatim=True).id
        memory.seal("life.diary", "vault")
        later = memory.remember("The cook suspects nothing.", place="life.diary.below", verbatim=True).id
        assert [memory.get(one).text for one in (stood, later)] == ["The gardener knows.", "The cook suspects nothing."]
        assert "cook" not in memory.get(later).address
        assert memory.verify().clean
        assert files_with(folder, "marzipan", "clavichord") == [], "neither file nor log nor archive, while it is open"
    assert files_with(folder, "marzipan", "clavichord") == []
    with Memory(folder, upkeep=False, **given) as memory, memory.engine.store.database.read() as connection:  # type: ignore[attr-defined]
        kinds = {kind for (kind,) in connection.execute("SELECT typeof(text) FROM revision")}
    assert kinds == {"blob"}, "what was moved there is sealed like what was put there"


def test_what_is_kept_in_clear_says_which_command_seals_it(memory: Memory) -> None:
    found = memory.remember("You reach me at +49 170 1234567.")
    assert any("palazzo encrypt --fields" in told for told in found.degraded), found.degraded


def test_a_lock_belongs_to_a_subject_whatever_it_is_called(memory: Memory, tmp_path: Path) -> None:
    memory.remember("The gate is green.", place="work.notes")
    memory.token_create("kit:sunflower", kit="banking")
    memory.grant("kit:sunflower", "read_all")
    memory.grant("kit:daisy", "read_all")
    with Memory(tmp_path / "palace", upkeep=False, subject="kit:sunflower") as kit, pytest.raises(NotPermitted):
        kit.list()
    with Memory(tmp_path / "palace", upkeep=False, subject="kit:daisy") as kit:
        assert len(kit.list()) == 1
        plan = memory.plan("lock", "kit:daisy", "locked")
        memory.apply(str(plan.plan), yes=True)
        with pytest.raises(NotPermitted):
            kit.list()
        memory.rollback(str(plan.plan), yes=True)
        assert len(kit.list()) == 1
    plan = memory.plan("lock", "kit:sunflower", "lifted")
    memory.apply(str(plan.plan), yes=True)
    with Memory(tmp_path / "palace", upkeep=False, subject="kit:sunflower") as kit:
        assert len(kit.list()) == 1
    memory.rollback(str(plan.plan), yes=True)
    with Memory(tmp_path / "palace", upkeep=False, subject="kit:sunflower") as kit, pytest.raises(NotPermitted):
        kit.list()


def test_an_erasure_says_what_it_would_do_and_touches_nothing(memory: Memory) -> None:
    memory.remember("The gate is green.", place="work.old.gates", kind="fact", name="gate")
    memory.remember("The hinge is brass.", place="work.old.gates", kind="fact", name="hinge")
    memory.remember("The lawn is wide.", place="work.new", kind="fact", name="lawn")
    told = memory.burn(place="work.old.**")
    assert (told.memories, told.done) == (2, False)
    assert len(told.would) == 1
    assert told.would[0].startswith("2 at work.old.gates: ")
    assert {"gate.fact", "hinge.fact"} == set(told.would[0].partition(": ")[2].split(", "))
    assert len(memory.list()) == 3


def test_forgetting_somebody_tells_the_mentions_in_any_case_before_it_is_done(memory: Memory) -> None:
    memory.remember("I keep bees.", user_id="lena")
    for text in ("LENA brought the honey.", "We met lena at the fair.", "Lena's hives are blue.", "Magdalena sang."):
        memory.remember(text, place="life.notes", verbatim=True)
    told = memory.forget_user("lena")
    assert (told.memories, told.mentioned_elsewhere, told.done) == (1, 3, False)
    assert any("3 memories of others" in line and "mentions" in line for line in told.would)
    assert memory.forget_user("lena", mentions=True).memories == 4
    assert len(memory.list()) == 4
    assert memory.forget_user("lena", mentions=True, yes=True).memories == 4
    assert [one.text for one in memory.list()] == ["Magdalena sang."]


def answered(folder: Path, answer: str, *command: str) -> tuple[int, str]:
    """A command at a terminal where somebody types an answer."""
    near, far = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "palazzo", "--palace", str(folder), *command], stdin=far, stdout=far, stderr=far,
        env={"PATH": os.defpath, "PALAZZO_EMBEDDER": "none", "TERM": "dumb", "COLUMNS": "200"},
    ) as program:  # fmt: skip
        os.close(far)
        said, typed = b"", False
        while True:
            try:
                piece = os.read(near, 4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
            if not typed and b"for good?" in said:
                os.write(near, f"{answer}\n".encode())
                typed = True
    os.close(near)
    return program.returncode, said.decode()


def test_at_a_terminal_an_erasure_asks_once(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    with Memory(folder, embedder="none", upkeep=False) as memory:
        memory.remember("The gate is green.", place="work.old", kind="fact", name="gate")
    code, said = answered(folder, "n", "burn", "--place", "work.old")
    assert (code, said.count("for good?")) == (1, 1)
    assert "gate.fact" in said
    with Memory(folder, embedder="none", upkeep=False) as memory:
        assert len(memory.list()) == 1
    code, said = answered(folder, "y", "burn", "--place", "work.old")
    assert (code, said.count("for good?")) == (0, 1), said
    with Memory(folder, embedder="none", upkeep=False) as memory:
        assert len(memory.list()) == 0
