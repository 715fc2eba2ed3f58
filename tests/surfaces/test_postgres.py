"""A palace on a server, wherever a folder goes: the library, the commands, and what they say when it cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner

from palazzo import Memory
from palazzo.bootstrap import load_settings, palace_folder, socket_path
from palazzo.errors import PartUnavailable, StorageError, WrongKey
from palazzo.surfaces.cli.commands import main
from palazzo.surfaces.daemon.units import command_words
from palazzo.testing.palace import server_address
from palazzo.testing.postgres import NoServer


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    try:
        return f"{server_address()}?palace=s-{uuid4().hex}"
    except NoServer as missing:
        pytest.skip(str(missing))


def typed(*words: str) -> dict[str, object]:
    result = CliRunner().invoke(main, ["--json", *words])
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def test_init_makes_a_palace_on_a_server_and_commands_and_library_share_it(address: str) -> None:
    made = typed("init", address)
    assert str(made["palace"]).startswith("postgresql://127.0.0.1")
    typed("--palace", address, "remember", "Deploys to production happen on Tuesdays.")
    with Memory(address) as memory:
        memory.remember("The heron stands in the reeds.")
        assert memory.recall("when do we deploy?")[0].text == "Deploys to production happen on Tuesdays."
        assert memory.verify().clean
    found = typed("--palace", address, "recall", "where does the heron stand")
    assert "heron stands in the reeds" in json.dumps(found)
    again = CliRunner().invoke(main, ["--json", "init", address])
    assert again.exit_code != 0
    assert "already" in again.output


def test_sealed_texts_are_sealed_on_the_server_and_need_the_key(address: str, tmp_path: Path) -> None:
    settings = {"passphrase": "a long phrase for tests"}
    result = CliRunner().invoke(
        main, ["--json", "init", address, "--fields"], env={"PALAZZO_PASSPHRASE": settings["passphrase"]}
    )
    assert result.exit_code == 0, result.output
    with Memory(address, **settings) as memory:
        memory.remember("Maria was diagnosed with diabetes and takes insulin.")
        assert "insulin" in memory.recall("what does Maria take")[0].text
        with memory._engine.store.database.read() as connection:  # type: ignore[attr-defined]
            (kept,) = connection.session.execute("SELECT string_agg(text, ' ') FROM palazzo.revision").fetchone()
    assert "insulin" not in str(kept)
    assert "Maria" not in str(kept)
    with pytest.raises(WrongKey):
        Memory(address, passphrase="another phrase altogether")


def test_what_a_file_has_is_refused_with_the_next_step(address: str) -> None:
    with Memory(address):
        pass
    for words in (["encrypt"], ["restore-backup"]):
        result = CliRunner().invoke(main, ["--palace", address, "--json", *words], env={"PALAZZO_PASSPHRASE": "x" * 20})
        assert result.exit_code != 0
        assert "server" in result.output
    with pytest.raises(PartUnavailable, match="no file to encrypt"):
        Memory(f"{address}x", passphrase="a long phrase for tests")


def test_a_server_that_is_not_there_is_said_so_and_no_password_with_it(address: str) -> None:
    with pytest.raises(StorageError, match="does not answer") as told:
        Memory("postgresql://maria:wonderland@127.0.0.1:1/none")
    assert "wonderland" not in str(told.value)


def test_the_folder_of_a_palace_on_a_server_is_this_machines_own(address: str, tmp_path: Path) -> None:
    settings = load_settings({"palace": address})
    folder = palace_folder(settings)
    assert folder.is_relative_to(tmp_path)
    assert socket_path(settings).name.endswith(".sock")
    assert palace_folder(load_settings({"palace": f"{address}x"})) != folder
    assert address in command_words(address, [])


def test_everything_is_burnt_and_somebody_forgotten_on_a_server(address: str) -> None:
    with Memory(address) as memory:
        memory.remember("The quay is made of oak.", user_id="ida")
        assert memory.forget_user("ida", yes=True).done
        memory.remember("The pier is made of iron.")
        memory.thread_open("pier", title="The pier")
        assert memory.burn(everything=True, yes=True).done
        assert not memory.list()
        assert not memory.thread_list()
        assert memory.verify().clean


def test_what_a_sealed_palace_on_a_server_keeps_of_work_is_whole(address: str) -> None:
    phrase = "a long phrase for tests"
    done = CliRunner().invoke(main, ["--json", "init", address, "--fields"], env={"PALAZZO_PASSPHRASE": phrase})
    assert done.exit_code == 0, done.output
    with Memory(address, passphrase=phrase) as memory:
        memory.thread_open("pier", title="The pier of Maria Alvarez, maria@alvarez.example")
        memory.session_start("pier")
        assert memory.verify().clean
