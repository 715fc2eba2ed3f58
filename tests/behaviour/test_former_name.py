"""What was made before the product had its name is opened, read and imported like anything made today."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.bootstrap import load_settings, palace_folder, rotate_palace
from palazzo.model.ids import NAMES

FORMER = Path(__file__).parent.parent / "fixtures" / "former"
PHRASE = "a passphrase of before"


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    shutil.copytree(FORMER / "locked", tmp_path / "locked")
    return tmp_path / "locked"


def texts(memory: Memory) -> set[str]:
    return {shown.text for shown in memory.list().memories}


EVERYTHING = {"Ada's desk is by the north window.", "Ada plays the viola.", "Ada's email is ada@example.org."}


def test_an_encrypted_palace_made_before_opens_with_its_sealed_texts(locked: Path) -> None:
    with Memory(locked, passphrase=PHRASE) as memory:
        assert texts(memory) == EVERYTHING
        assert memory.verify().clean
        memory.remember("Ada's bow was haired in May.")
        assert any("viola" in hit.text for hit in memory.recall("what does Ada play?"))


def test_an_encrypted_palace_made_before_gets_another_key(locked: Path) -> None:
    settings = load_settings({"palace": str(locked), "passphrase": PHRASE, "new_passphrase": "another passphrase"})
    rotate_palace(settings)
    with Memory(locked, passphrase="another passphrase") as memory:
        assert texts(memory) == EVERYTHING


@pytest.mark.parametrize("made", ["bundle.jsonl", "notes", "all.sealed"])
def test_an_export_made_before_is_imported(made: str, tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.import_(str(FORMER / made), passphrase="sealed before" if made == "all.sealed" else "")
        assert texts(memory) == EVERYTHING


def test_a_palace_in_the_former_data_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    new, former = (tmp_path / name / "palace" for name in NAMES)
    assert palace_folder(load_settings({})) == new
    former.mkdir(parents=True)
    (former / "palace.db").touch()
    assert palace_folder(load_settings({})) == former
