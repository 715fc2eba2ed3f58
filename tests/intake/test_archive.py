"""What was told is in the archive, word for word, and a palace made from it is the same palace."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.intake.conftest import Palace

from palazzo.archive import Archive
from palazzo.bootstrap import create_engine, decrypt_palace, encrypt_palace, load_settings, open_engine
from palazzo.bootstrap import rebuild_from_archive as rebuild
from palazzo.errors import DiskFull, PalaceExists, PalaceMissing, WrongKey
from palazzo.intake.rebuild import ReplayClock, Replayed, replay
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import make_store

CARD = "4111 1111 1111 1111"
SECRET = "correct horse battery"
MARK = re.compile(r"-[0-9a-f]{8}(?:[0-9a-f]{4})?$")


def tell(palace: Palace) -> None:
    """A story with every outcome in it."""
    anna = Scope.of(user="anna")
    palace.observe(
        Message(text="Hey! I live in Bonn. Yesterday we saw storks.", speaker="Ann", addressee="Ben", thread="t"),
        Message(text="Nice! My card is 4111 1111 1111 1111. I like tea.", speaker="Ben", addressee="Ann", thread="t"),
    )
    palace.observe(Message(text="I moved to Kiel.", speaker="Ann", addressee="Ben", thread="t", session="two"))
    palace.remember("I like tea.", "I like green tea.", "My name is Anna.", "My name is Hanna.")
    palace.remember(Message(text="I am allergic to peanuts.", scope=anna, author="anna"))
    palace.remember(Message(text="Ship on Tuesdays.", place="work", kind="rule", name="ship", tags=("house",)))
    palace.remember(Message(text="Ship on Mondays.", place="work", kind="rule", name="ship"))
    palace.remember("We use Rust for the backend and React for the frontend.", "I like tea.", "i like green tea")


def snapshot(store: SqliteStore) -> dict[str, list[Any]]:
    """Everything a palace holds, without ids and times; names without the mark that is made from an id."""
    queries = {
        "revisions": """SELECT p.path, m.name, m.kind, s.path, m.state, m.tier, m.deprecated_us IS NULL, m.pinned,
            m.durability, m.sessions, v.number, v.id = m.current, v.text, v.summary, v.key_fact, v.label, v.detail,
            v.importance, v.confidence, v.valence, v.intensity, v.author, v.valid_from_us, v.valid_to_us, hex(v.hash)
            FROM revision v JOIN memory m ON m.id = v.memory JOIN place p ON p.id = m.place
            JOIN scope s ON s.id = m.scope""",
        "atoms": """SELECT v.text, v.number, a.position, a.subject, a.predicate, a.value, a.functional, a.negated
            FROM atom a JOIN revision v ON v.id = a.revision""",
        "edges": """SELECT e.kind, a.name, e.source_revision, b.name, e.target_revision, e.weight FROM edge e
            JOIN memory a ON a.id = e.source JOIN memory b ON b.id = e.target""",
        "turns": """SELECT x.thread, x.name, t.position, t.speaker, t.role, v.text FROM turn t
            JOIN session x ON x.id = t.session JOIN revision v ON v.id = t.revision""",
        "sources": """SELECT v.text, n.kind, n.at_us, n.label, n.author, s.span_start, s.span_end, s.stage
            FROM provenance_source s JOIN revision v ON v.id = s.revision JOIN provenance_node n ON n.id = s.node""",
        "mentions": """SELECT e.name, e.kind, v.text, x.text FROM mention x JOIN entity e ON e.id = x.entity
            JOIN revision v ON v.id = x.revision""",
        "relations": """SELECT a.name, r.predicate, b.name, r.count FROM relation r
            JOIN entity a ON a.id = r.subject JOIN entity b ON b.id = r.object""",
        "tags": """SELECT m.name, t.tag, v.number FROM tag_move t JOIN memory m ON m.id = t.memory
            JOIN revision v ON v.id = t.revision""",
        "intakes": "SELECT hex(uuid), at_us, hex(digest), length(fates) FROM intake",
    }  # fmt: skip
    with store.database.read() as connection:
        return {
            name: sorted(
                repr(tuple(MARK.sub("", cell) if isinstance(cell, str) else cell for cell in row))
                for row in connection.execute(query)
            )
            for name, query in queries.items()
        }


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "palace" / "archive")


@pytest.fixture
def palace(store: SqliteStore, clock: FixedClock, archive: Archive) -> Palace:
    return Palace(store, clock, HashEmbedder(256), archive=archive)


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]


def test_a_palace_made_from_the_archive_is_the_same_palace(palace: Palace, archive: Archive, tmp_path: Path) -> None:
    tell(palace)
    clock = ReplayClock()
    with make_store(tmp_path / "again", clock=clock) as store:  # type: ignore[arg-type]
        other = Palace(store, clock, HashEmbedder(256))  # type: ignore[arg-type]
        rebuilt = replay(Replayed(archive.read()), other.engine.intake, clock)
        assert rebuilt.messages == 13
        first, second = snapshot(palace.store), snapshot(store)
    assert set(first) == set(second)
    for name in first:
        assert first[name], f"the story has no {name} to compare"
        assert first[name] == second[name], name


def test_the_archive_is_word_for_word_and_holds_no_secret(palace: Palace, tmp_path: Path) -> None:
    tell(palace)
    folder = tmp_path / "palace" / "archive"
    told = [line["letter"]["text"] for line in lines(folder)]
    assert "Hey! I live in Bonn. Yesterday we saw storks." in told
    assert "Nice! My card is [card_number]. I like tea." in told
    kept = "".join(path.read_text() for path in folder.iterdir())
    assert CARD[:9] not in kept  # four digits alone stand in an id now and then
    assert CARD.replace(" ", "")[:8] not in kept


def test_there_is_one_private_file_a_day_and_it_only_grows(palace: Palace, tmp_path: Path) -> None:
    folder = tmp_path / "palace" / "archive"
    palace.remember("I like tea.")
    (first,) = folder.iterdir()
    assert first.name == "2025-06-16.jsonl"
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    before = first.read_bytes()
    palace.remember("I like coffee.")
    assert first.read_bytes().startswith(before)
    palace.clock.advance(days=1)
    palace.remember("I like cocoa.")
    assert [path.name for path in sorted(folder.iterdir())] == ["2025-06-16.jsonl", "2025-06-17.jsonl"]


def test_a_retry_within_a_minute_is_archived_once(palace: Palace, tmp_path: Path) -> None:
    palace.remember("I like tea.")
    palace.engine.remember("I like tea.")
    assert len(lines(tmp_path / "palace" / "archive")) == 1


def test_the_lines_of_a_commit_that_failed_are_voided(
    palace: Palace, archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    palace.remember("I like tea.")

    def full(store: SqliteStore, changes: object, **kwargs: object) -> object:
        raise DiskFull("no space left")

    monkeypatch.setattr(SqliteStore, "commit", full)
    with pytest.raises(DiskFull):
        palace.remember("I like coffee.")
    monkeypatch.undo()
    assert "void" in lines(tmp_path / "palace" / "archive")[-1]
    assert [letter.text for call in archive.read().calls for letter in call.letters] == ["I like tea."]
    palace.remember("I like coffee.")
    assert len(archive.read().calls) == 2


def test_a_torn_line_is_counted_and_the_next_one_is_whole(palace: Palace, archive: Archive, tmp_path: Path) -> None:
    palace.remember("I like tea.")
    (path,) = (tmp_path / "palace" / "archive").iterdir()
    path.write_bytes(path.read_bytes() + b'{"v":1,"call":"019')
    palace.remember("I like coffee.")
    read = archive.read()
    assert len(read.unreadable) == 1
    assert [letter.text for call in read.calls for letter in call.letters] == ["I like tea.", "I like coffee."]


def test_an_archive_that_cannot_be_written_is_told_and_nothing_is_lost(
    store: SqliteStore, clock: FixedClock, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    palace = Palace(store, clock, None, archive=Archive(blocked))
    result = palace.remember("I like tea.")
    assert any(part.startswith("archive:") for part in result.degraded)
    assert palace.texts() == ["I like tea."]


def test_the_lines_of_a_call_are_synced_once_they_are_written_and_before_it_returns(
    store: SqliteStore, clock: FixedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    palace = Palace(store, clock, None, archive=Archive(tmp_path / "archive"))
    synced: list[str] = []

    def fsync(handle: int) -> None:
        folder = tmp_path / "archive"
        found = next(p for p in (folder, *folder.iterdir()) if os.path.samestat(p.stat(), os.fstat(handle)))
        synced.append(found.read_text() if found.is_file() else found.name)

    monkeypatch.setattr("palazzo.archive.os.fsync", fsync)
    palace.remember("The lighthouse at Skarnes was repainted.")
    assert "repainted" in synced[0]
    assert synced[1:] == ["archive"], "a new file is in its folder after a power cut"
    palace.remember("The keeper of Skarnes retired.")
    assert "retired" in synced[2]
    assert len(synced) == 3


def test_an_archive_that_cannot_be_synced_is_told_and_nothing_is_lost(
    store: SqliteStore, clock: FixedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    palace = Palace(store, clock, None, archive=Archive(tmp_path / "archive"))

    def fsync(_handle: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("palazzo.archive.os.fsync", fsync)
    result = palace.remember("The lighthouse at Skarnes was repainted.")
    assert result.degraded[-1].startswith("archive: the archive cannot be synced")
    assert result.memory_ids


def test_a_sealed_archive_shows_nothing_and_opens_only_with_its_key(
    tmp_path: Path, store: SqliteStore, clock: FixedClock
) -> None:
    key = bytes(range(32))
    palace = Palace(store, clock, None, archive=Archive(tmp_path / "sealed", key=key))
    palace.remember("I like tea.")
    (path,) = (tmp_path / "sealed").iterdir()
    assert b"like tea" not in path.read_bytes()
    (call,) = Archive(tmp_path / "sealed", key=key).read().calls
    assert call.letters[0].text == "I like tea."
    for wrong in (None, bytes(32)):
        with pytest.raises(WrongKey):
            Archive(tmp_path / "sealed", key=wrong).read()


def test_encrypting_a_palace_seals_its_archive_and_decrypting_opens_it(tmp_path: Path) -> None:
    folder = tmp_path / "palace"
    settings = load_settings({"palace": str(folder), "passphrase": SECRET, "embedder": "none"})
    with create_engine(settings) as engine:
        engine.remember("I like tea.")
    encrypt_palace(settings)
    with open_engine(settings) as engine:
        engine.remember("I like coffee.")
    content = b"".join(path.read_bytes() for path in (folder / "archive").iterdir())
    assert b"like tea" not in content
    assert b"like coffee" not in content
    assert rebuild(settings, tmp_path / "again").messages == 2
    decrypt_palace(settings)
    assert [line["letter"]["text"] for line in lines(folder / "archive")] == ["I like tea.", "I like coffee."]


def test_a_rebuild_needs_an_archive_and_an_empty_place(tmp_path: Path) -> None:
    settings = load_settings({"palace": str(tmp_path / "palace"), "embedder": "none"})
    with pytest.raises(PalaceMissing):
        rebuild(settings, tmp_path / "again")
    with create_engine(settings) as engine:
        engine.remember("I like tea.")
    rebuild(settings, tmp_path / "again")
    with pytest.raises(PalaceExists):
        rebuild(settings, tmp_path / "again")
