"""Sealed fields: what guarded memories leave in the raw file, and that they are found and read as before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.adapters.palace_keys import PalaceKeys
from palazzo.bootstrap import (
    create_engine,
    decrypt_palace,
    encrypt_palace,
    load_settings,
    open_engine,
    rotate_palace,
)
from palazzo.engine import Engine
from palazzo.errors import InvalidInput, Refused, WrongKey
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.message import Message
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.store.api import Selection
from palazzo.store.index.text.documents import term_hash
from palazzo.store.index.vector import vectors
from palazzo.store.index.vector.vectors import eight_bits
from palazzo.store.sql.memory import memories
from palazzo.store.sqlite import care
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import TEST_KEY, file_bytes, options_for
from palazzo.text.safety.personal import outline
from palazzo.text.words.tokens import terms

from .conftest import files_with, keyed_engine

SENSITIVE = "Ottoline Brackenbury can be reached at ottoline@brackenbury.example."
CONFIDENTIAL = "Ottoline Brackenbury's passport number is X1234567."
NAMES = ("Ottoline", "Brackenbury", "brackenbury.example", "X1234567")
CIPHER = PalaceKeys(TEST_KEY).cipher()


def ask(engine: Engine, name: str, /, **arguments: Any) -> Any:
    return call(engine, Caller(), name, arguments)


def tiers(engine: Engine) -> dict[str, str]:
    with engine.store.reading(View()) as reading:
        rows = reading.connection.execute("SELECT uuid, tier FROM memory").fetchall()
    return {str(uuid.hex()): str(tier) for uuid, tier in rows}


@pytest.mark.parametrize("text", [SENSITIVE, CONFIDENTIAL], ids=["sensitive", "confidential"])
def test_no_word_of_a_guarded_memory_is_in_any_raw_file(text: str, sealed: Engine, folder: Path) -> None:
    made = ask(sealed, "remember", text=text)
    assert made.degraded == ()
    assert set(tiers(sealed).values()) - {"clear"}
    sealed.store.database.truncate_log()
    assert files_with(folder, *NAMES) == []
    assert ask(sealed, "get", memory=str(made.id)).text == text
    content = b"".join(file_bytes(folder, "palace.db").values())
    own = set(terms(text)) - set(terms(outline(text, "fact", ())))
    hashes = [term_hash(term).to_bytes(4, "little") for term in own if term not in ("number", "reach")]
    assert not any(found in content for found in hashes[:6])


def test_a_conversation_with_guarded_text_is_sealed_turn_and_all(sealed: Engine, folder: Path) -> None:
    sealed.observe([Message(text=SENSITIVE, thread="desk", session="one", speaker="Wilf")])
    assert files_with(folder, *NAMES) == []
    agreed(sealed)


def agreed(engine: Engine) -> None:
    assert care.verify(engine.store) == []


def test_a_sensitive_memory_is_found_by_its_outline_and_a_confidential_one_by_its_vector_alone(
    sealed: Engine, clock: FixedClock
) -> None:
    for text in ("The harbour office opens at eight.", "The moor is wide and empty."):
        ask(sealed, "remember", text=text)
        clock.advance(minutes=2)
    first = ask(sealed, "remember", text=SENSITIVE).id
    clock.advance(minutes=2)
    second = ask(sealed, "remember", text=CONFIDENTIAL).id
    found = [hit.memory.id for hit in ask(sealed, "recall", cue="email contact", min_relevance=0.0).hits]
    assert first in found
    near = [hit.memory.id for hit in sealed.recall(CONFIDENTIAL).hits]
    assert second in near
    agreed(sealed)


def test_saying_a_guarded_thing_again_is_known_already(sealed: Engine, clock: FixedClock) -> None:
    first = ask(sealed, "remember", text=CONFIDENTIAL)
    clock.advance(minutes=5)
    again = ask(sealed, "remember", text=CONFIDENTIAL)
    assert again.memories == first.memories
    assert {fate.outcome for account in again.accounts for fate in account.fates} == {"skipped"}


def test_a_clear_memory_that_becomes_guarded_by_a_revision_is_sealed_from_then_on(
    sealed: Engine, folder: Path, clock: FixedClock
) -> None:
    made = ask(sealed, "remember", text="The desk has a contact sheet.", name="sheet", place="work.desk").id
    clock.advance(minutes=5)
    ask(sealed, "update", memory=str(made), text=SENSITIVE)
    assert ask(sealed, "get", memory=str(made)).text == SENSITIVE
    assert "sensitive" in tiers(sealed).values()
    sealed.store.database.truncate_log()
    assert files_with(folder, "ottoline@brackenbury.example") == []


def test_a_name_becomes_plain_when_a_plain_memory_says_it(sealed: Engine, folder: Path, clock: FixedClock) -> None:
    ask(sealed, "remember", text=SENSITIVE)
    assert files_with(folder, "Ottoline Brackenbury") == []
    clock.advance(minutes=5)
    ask(sealed, "remember", text="Ottoline Brackenbury plays chess.")
    with sealed.store.database.read() as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM entity WHERE typeof(name) = 'text'")]
    assert any("Ottoline" in str(name) for name in names)
    agreed(sealed)
    said = [m.id for m in ask(sealed, "list") if "chess" in m.text]
    ask(sealed, "burn", memories=[str(memory) for memory in said], yes=True)
    assert files_with(folder, "Ottoline Brackenbury", "plays chess") == []
    agreed(sealed)


def test_without_a_key_guarded_text_is_kept_in_clear_and_the_result_and_the_doctor_say_so(
    engine: Engine, folder: Path
) -> None:
    made = ask(engine, "remember", text=SENSITIVE)
    assert any(part.startswith("encryption:") for part in made.degraded)
    assert files_with(folder, "ottoline@brackenbury.example") != []
    finding = next(f for f in care.doctor(engine.store) if f.check == "encryption")
    assert finding.level == "warning"


def test_a_palace_that_requires_encryption_refuses_guarded_text_without_a_key(tmp_path: Path) -> None:
    chosen = load_settings({"palace": str(tmp_path / "p"), "require_encryption": True, "embedder": "none"})
    with create_engine(chosen) as engine:
        with pytest.raises(Refused):
            ask(engine, "remember", text=SENSITIVE)
        assert ask(engine, "remember", text="The moor is wide.").memories
        assert files_with(tmp_path / "p", *NAMES) == []


def test_a_guarded_memory_is_burnt_like_any_other(sealed: Engine, folder: Path, clock: FixedClock) -> None:
    made = ask(sealed, "remember", text=CONFIDENTIAL).id
    ask(sealed, "burn", memories=[str(made)], yes=True)
    with sealed.store.database.read() as connection:
        for table in ("entity", "alias", "mention", "atom", "vector", "intake"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0] == 0, table
    assert sealed.erasure.burn(Selection(everything=True), View()).memories == 0
    agreed(sealed)


def test_vectors_of_guarded_memories_are_coarse_or_turned_and_confidential_search_stays_exact(sealed: Engine) -> None:
    first, second = (ask(sealed, "remember", text=t, verbatim=True).id for t in (SENSITIVE, CONFIDENTIAL))
    with sealed.store.reading(View()) as reading:
        space = vectors.spaces(reading.tables)[0]
        keys = {m: memories.get(reading, m).revision.key for m in (first, second)}
        embedded = sealed.spaces.embed([SENSITIVE, CONFIDENTIAL]).by_space[space.name]
        _, coarse = vectors.vectors_of(reading.tables, space, np.array([keys[first]]))
        _, turned = vectors.vectors_of(reading.tables, space, np.array([keys[second]]))
    assert np.allclose(coarse[0], eight_bits(embedded[:1])[0], atol=2e-3)
    assert abs(float(turned[0] @ embedded[1])) < 0.6
    assert float(sealed.store.cipher.turn(embedded[1:])[0] @ turned[0]) > 0.99  # type: ignore[union-attr]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.floats(-1, 1, width=32), min_size=16, max_size=16), min_size=2, max_size=6))
def test_turning_keeps_every_distance_and_is_undone(rows: list[list[float]]) -> None:
    plain = np.array(rows, np.float32)
    turned = CIPHER.turn(plain)
    assert np.allclose(turned @ turned.T, plain @ plain.T, atol=1e-4)
    assert np.allclose(CIPHER.turn_back(turned), plain, atol=1e-4)


@given(st.text(), st.integers(0, 2**48))
def test_a_sealed_text_opens_for_its_owner_and_key_alone(text: str, owner: int) -> None:
    sealed_text = CIPHER.seal(text, owner)
    assert CIPHER.open(sealed_text, owner) == text
    assert CIPHER.seal(text, owner) != sealed_text
    assert CIPHER.seal_alike(text) == CIPHER.seal_alike(text)
    assert CIPHER.open(CIPHER.seal_alike(text), 0) == text
    with pytest.raises(WrongKey):
        CIPHER.open(sealed_text, owner + 1)
    with pytest.raises(WrongKey):
        PalaceKeys(bytes(32)).cipher().open(sealed_text, owner)


@given(st.binary(max_size=80))
def test_nothing_that_was_not_sealed_opens(data: bytes) -> None:
    with pytest.raises(WrongKey):
        CIPHER.open(data, 0)


def told(folder: Path, **given: Any) -> Any:
    return load_settings({
        "palace": str(folder), "passphrase": "a long walk by the sea", "embedder": "none", "durable": False, **given,
    })  # fmt: skip


@pytest.mark.parametrize("whole", [True, False], ids=["whole file", "fields only"])
def test_a_palace_is_encrypted_rotated_and_decrypted_with_its_fields_and_archive(whole: bool, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    with create_engine(told(folder)) as engine:
        made = ask(engine, "remember", text=CONFIDENTIAL).id
        kept = ask(engine, "remember", text="The moor is wide and empty.").id
        ask(engine, "relate", source=str(kept), target=str(made), metadata={"seen by": "Brackenbury"})
    assert files_with(folder, "X1234567") != []

    encrypt_palace(told(folder), fields=not whole)
    assert files_with(folder, *NAMES) == []
    assert bool(files_with(folder, "The moor is wide")) != whole
    with pytest.raises(InvalidInput):
        encrypt_palace(told(folder), fields=not whole)

    before = (folder / "key.json").read_bytes()
    rotate_palace(told(folder, new_passphrase="another walk by the lake"))
    assert (folder / "key.json").read_bytes() != before
    assert json.loads((folder / "key.json").read_bytes())["previous"] == ""
    assert not (folder / "key.json.new").exists()
    with pytest.raises(WrongKey):
        open_engine(told(folder))
    now = told(folder, passphrase="another walk by the lake")
    with open_engine(now) as engine:
        assert ask(engine, "get", memory=str(made)).text == CONFIDENTIAL
        assert ask(engine, "get", memory=str(kept)).text == "The moor is wide and empty."
        assert engine.intake.archive is not None
        assert len(engine.intake.archive.read().calls) == 2
        assert ask(engine, "walk", memory=str(kept))[0].link.metadata == {"seen by": "Brackenbury"}
        agreed(engine)
    assert files_with(folder, *NAMES) == []

    decrypt_palace(now)
    with open_engine(told(folder, passphrase="")) as engine:
        assert ask(engine, "get", memory=str(made)).text == CONFIDENTIAL
        agreed(engine)
    assert not (folder / "key.json").exists()


def test_a_rotation_cut_off_before_the_new_file_is_in_place_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "p"
    with create_engine(told(folder), encrypted=True) as engine:
        made = ask(engine, "remember", text=CONFIDENTIAL).id

    def cut(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", cut)
        with pytest.raises(KeyboardInterrupt):
            rotate_palace(told(folder))
    with open_engine(told(folder)) as engine:
        assert ask(engine, "get", memory=str(made)).text == CONFIDENTIAL


@pytest.mark.parametrize("whole", [True, False], ids=["whole file", "fields only"])
def test_a_rotation_cut_off_after_the_new_file_is_in_place_is_finished_by_opening(
    whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "p"
    with create_engine(told(folder), encrypted=whole, fields=not whole) as engine:
        made = ask(engine, "remember", text=CONFIDENTIAL).id

    def cut(folder: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("palazzo.adapters.key_file.settle", cut)
        with pytest.raises(KeyboardInterrupt):
            rotate_palace(told(folder, new_passphrase="new words for an old door"))
    fresh = told(folder, passphrase="new words for an old door")
    with open_engine(fresh) as engine:
        assert ask(engine, "get", memory=str(made)).text == CONFIDENTIAL
        assert engine.intake.archive is not None
        assert len(engine.intake.archive.read().calls) == 1
    encrypt_palace(fresh, fields=not whole)
    assert json.loads((folder / "key.json").read_bytes())["previous"] == ""


class Ring:
    """A keyring in memory, as KeyringKeeper is one."""

    kept: ClassVar[dict[str, bytes]] = {}

    def get(self, palace_id: str) -> bytes | None:
        return self.kept.get(palace_id)

    def put(self, palace_id: str, key: bytes) -> None:
        self.kept[palace_id] = key

    def delete(self, palace_id: str) -> None:
        self.kept.pop(palace_id, None)


@pytest.mark.parametrize(
    "cut", ["", "palazzo.adapters.key_file.settle", "palazzo.adapters.palace_keys.PalaceKeys.keep"]
)
def test_a_key_in_the_keyring_is_rotated_and_survives_every_cut(
    cut: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palazzo.adapters.keyring_keeper.KeyringKeeper", Ring)
    monkeypatch.setattr(Ring, "kept", {})
    folder = tmp_path / "p"
    chosen = told(folder, passphrase="", keyring=True)
    with create_engine(chosen, encrypted=True) as engine:
        made = ask(engine, "remember", text=CONFIDENTIAL).id
    (before,) = Ring.kept.values()
    keep = PalaceKeys.keep

    def stop(*given: Any) -> None:
        if len(given) == 3:  # the first step of a rotation: the key under its waiting name
            keep(*given)
            return
        raise KeyboardInterrupt

    if cut:
        with monkeypatch.context() as patch:
            patch.setattr(cut, stop)
            with pytest.raises(KeyboardInterrupt):
                rotate_palace(chosen)
    else:
        rotate_palace(chosen)
    with open_engine(chosen) as engine:
        assert ask(engine, "get", memory=str(made)).text == CONFIDENTIAL
        assert engine.intake.archive is not None
        assert len(engine.intake.archive.read().calls) == 1
    (after,) = Ring.kept.values()
    assert after != before
    assert list(Ring.kept) == [str(folder.resolve())]


def test_an_encryption_cut_off_before_the_archive_is_named_by_the_doctor_and_finished_by_running_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "p"
    with create_engine(told(folder)) as engine:
        ask(engine, "remember", text=CONFIDENTIAL)

    def cut(self: object, key: bytes | None) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("palazzo.archive.Archive.convert", cut)
        with pytest.raises(KeyboardInterrupt):
            encrypt_palace(told(folder))
    assert files_with(folder, "X1234567") != []
    with open_engine(told(folder)) as engine:
        assert any(f.check == "archive" and f.level == "bad" for f in ask(engine, "doctor").findings)
    encrypt_palace(told(folder))
    assert files_with(folder, *NAMES) == []
    with open_engine(told(folder)) as engine:
        assert any(f.check == "archive" and f.level == "good" for f in ask(engine, "doctor").findings)


def test_a_palace_with_sealed_fields_does_not_open_without_or_with_another_key(folder: Path, clock: FixedClock) -> None:
    keyed_engine(folder, clock).close()
    for fields in (None, PalaceKeys(bytes(32)).cipher()):
        with pytest.raises(WrongKey):
            SqliteStore.open(folder, clock, options_for("sqlite", fields=fields))


def test_places_below_a_burnt_glob_are_gone(sealed: Engine) -> None:
    ask(sealed, "remember", text=SENSITIVE, place="life.secret.room")
    sealed.erasure.burn(Selection(place=PlaceGlob.parse("life.secret.**")), View())
    assert "life.secret" not in {found.place for found in ask(sealed, "places", place="life")}
