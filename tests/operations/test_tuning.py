"""Settings are changed while a palace is open: by a call, or by whoever edits the file; in every process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.bootstrap.tuning import SETTINGS_FILE, Tuning
from palazzo.errors import InvalidInput, NotFound, NotPermitted


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", embedder="none") as made:
        made.remember("The ferry to Anholt leaves at nine.")
        yield made


def value(memory: Memory, name: str) -> tuple[str, str]:
    return next((one.value, one.source) for one in memory.settings() if one.name == name)


def refreshed(memory: Memory) -> tuple[str, ...]:
    """The settings that changed, looked for now and not within the next second."""
    tuning = memory.engine.tuning
    assert isinstance(tuning, Tuning)
    return tuning.refresh(at_once=True)


def test_a_changed_setting_holds_at_once_and_for_whoever_opens_the_palace_next(memory: Memory, tmp_path: Path) -> None:
    assert len(memory.recall("When does the ferry leave?")) == 1
    shown = memory.setting_put("min_relevance", "1")
    assert (shown.value, shown.source, shown.at_once) == ("1.0", "file", True)
    assert len(memory.recall("When does the ferry leave?")) == 0
    with Memory(tmp_path / "palace", embedder="none") as other:
        assert value(other, "min_relevance") == ("1.0", "file")
        assert len(other.recall("When does the ferry leave?")) == 0
    assert memory.setting_put("min_relevance", "").source == "default"
    assert len(memory.recall("When does the ferry leave?")) == 1


def test_another_process_that_has_the_palace_open_goes_by_the_change(memory: Memory, tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", embedder="none") as other:
        memory.setting_put("paused", "yes")
        assert refreshed(other) == ("paused",)
        with pytest.raises(NotPermitted, match="paused"):
            other.remember("The mill has nine windows.")
        memory.setting_put("paused", "no")
        refreshed(other)
        assert other.remember("The mill has nine windows.").id


def test_an_edited_file_is_used_and_a_wrong_one_changes_nothing_and_is_told(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "palace" / SETTINGS_FILE
    file.write_text("backup_keep = 5\npurge_after_days = 30\n")
    assert set(refreshed(memory)) == {"backup_keep", "purge_after_days"}
    assert memory.engine.care_rules.backup_keep == 5
    for wrong in ("backup_keep = 0\n", "backup_keep = \n", "bakcup_keep = 3\n", 'passphrase = "open"\n'):
        file.write_text(wrong)
        assert refreshed(memory) == ()
        assert value(memory, "backup_keep") == ("5", "file")
        assert memory.settings().trouble
        assert any(word.startswith("the settings are as they were") for word in memory.health().words)
    file.unlink()
    assert set(refreshed(memory)) == {"backup_keep", "purge_after_days"}
    assert memory.settings().trouble == ""


def test_what_is_given_is_stronger_than_the_file_and_is_not_overruled_in_silence(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", embedder="none", backup_keep=7) as memory:
        with pytest.raises(InvalidInput, match="set by the program"):
            memory.setting_put("backup_keep", "2")
        (tmp_path / "palace" / SETTINGS_FILE).write_text("backup_keep = 2\n")
        refreshed(memory)
        assert value(memory, "backup_keep") == ("7", "given")


def test_secrets_unknown_names_values_out_of_range_and_agents_are_refused(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not kept in a file"):
        memory.setting_put("passphrase", "open sesame")
    with pytest.raises(NotFound):
        memory.setting_put("bakcup_keep", "3")
    with pytest.raises(InvalidInput, match="outside"):
        memory.setting_put("backup_keep", "0")
    assert not (tmp_path / "palace" / SETTINGS_FILE).exists()
    memory.grant("agent:primary", "forget")
    with Memory(tmp_path / "palace", embedder="none", subject="agent:primary") as agent:
        for call in (agent.settings, lambda: agent.setting_put("backup_keep", "2")):
            with pytest.raises(NotPermitted):
                call()


def test_what_is_read_at_the_start_is_told_to_hold_from_the_next_one(memory: Memory) -> None:
    shown = memory.setting_put("text_cache_mb", "8")
    assert (shown.value, shown.at_once) == ("64", False)
