"""The library as a program uses it: one object over a folder, shared by threads, forks and other programs."""

from __future__ import annotations

import asyncio
import inspect
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import palazzo
from palazzo import AsyncMemory, Memory
from palazzo.errors import InvalidInput, NotFound, NotPermitted, PalaceMissing, StorageError, WrongKey
from palazzo.operations.methods import names
from palazzo.text.words.grammar import _words as words

PORT = "The Heron server listens on port 8080."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "palace"


def opened(folder: Path, **given: Any) -> Memory:
    return Memory(folder, embedder="none", upkeep=False, **given)


def test_three_lines_are_enough(folder: Path) -> None:
    with opened(folder) as memory:
        memory.remember(PORT)
        assert [hit.text for hit in memory.recall("which port does Heron use?")] == [PORT]
    with opened(folder, create=False) as again:
        assert [stored.text for stored in again.list()] == [PORT]


def test_a_palace_that_must_exist_is_not_made(folder: Path) -> None:
    with pytest.raises(PalaceMissing):
        opened(folder, create=False)
    assert not folder.exists()


def test_a_folder_that_cannot_be_made_is_an_error_of_the_palace(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="no palace can be made"):
        opened(tmp_path / "file" / "palace")


def test_closing_lets_go_of_what_was_worked_out_about_its_texts(folder: Path) -> None:
    with opened(folder) as memory:
        memory.remember(PORT)
        assert "8080" in memory.context("which port does Heron use?").text
        assert "Heron" in words
    assert len(words) == 0


def test_a_closed_memory_says_so_and_closing_twice_is_well(folder: Path) -> None:
    memory = opened(folder)
    memory.close()
    memory.close()
    with pytest.raises(StorageError, match="closed"):
        memory.recall("anything")


def test_the_whole_life_of_a_memory(folder: Path) -> None:
    with opened(folder) as memory:
        made = memory.remember(PORT, place="work.projects", kind="fact", at=datetime(2025, 5, 1, tzinfo=UTC))
        assert made.id is not None
        stored = memory.get(made.id)
        assert stored.valid_from == datetime(2025, 5, 1, tzinfo=UTC)
        memory.update(stored.id, "The Heron server listens on port 9090.")
        assert [past.text[-5:] for past in memory.history(stored.address)] == ["8080.", "9090."]
        assert memory.get(stored.id, as_of=memory.history(stored.id)[0].made_at).text == PORT
        memory.forget(stored.id, reason="moved")
        with pytest.raises(NotFound):
            memory.get(stored.id)
        memory.restore(stored.id)
        assert memory.why(stored.id).origins
        assert memory.status().memories == 1


def test_the_familiar_names_are_the_same_operations(folder: Path) -> None:
    with opened(folder) as memory:
        made = memory.add(PORT, user_id="anna")
        assert made.id is not None
        assert [hit.text for hit in memory.search("Heron port", user_id="anna")] == [PORT]
        assert len(memory.get_all(user_id="anna")) == 1
        assert len(memory.search("Heron port", user_id="ben")) == 0
        memory.delete(made.id, user_id="anna")
        assert len(memory.get_all(user_id="anna")) == 0


def test_scope_keys_of_the_constructor_hold_for_every_call_and_a_call_may_name_others(folder: Path) -> None:
    with opened(folder, user_id="anna", project="heron") as anna, opened(folder, project="heron") as team:
        anna.remember("My flight leaves at noon.")
        team.remember(PORT)
        assert {stored.scope for stored in anna.list()} == {"project:heron/user:anna", "project:heron"}
        assert [stored.scope for stored in team.list()] == ["project:heron"]
        assert len(team.list(user_id="anna")) == 2
        assert len(anna.list(project="crane", user_id="ben")) == 0
        anna.remember("The stand-up was short.", run_id="monday")
        assert [m.scope for m in anna.list(run_id="monday") if "monday" in m.scope] == [
            "project:heron/channel:monday/user:anna"
        ]


def test_a_program_may_act_as_a_subject_with_less_than_everything(folder: Path) -> None:
    with opened(folder) as person, opened(folder, subject="agent:primary") as agent:
        made = agent.remember(PORT)
        assert made.id is not None
        with pytest.raises(NotPermitted):
            agent.forget(made.id)
        assert person.why(made.id).origins[0].author == "agent:primary"


def test_faults_are_named_before_anything_is_written(folder: Path) -> None:
    with opened(folder) as memory:
        with pytest.raises(InvalidInput, match="importance"):
            memory.remember(PORT, importance=7)
        with pytest.raises(InvalidInput, match="time zone"):
            memory.remember(PORT, at=datetime(2025, 5, 1))  # noqa: DTZ001 - it is refused
        with pytest.raises(TypeError):
            memory.remember(PORT, plaze="work")  # type: ignore[call-arg]
        assert memory.status().memories == 0
    with pytest.raises(InvalidInput, match="unknown setting"):
        opened(folder, colour="blue")


def test_an_encrypted_palace_is_made_and_opened_with_its_passphrase(folder: Path) -> None:
    with opened(folder, passphrase="correct horse") as memory:
        memory.remember(PORT)
    assert b"SQLite" not in (folder / "palace.db").read_bytes()[:16]
    with pytest.raises(WrongKey):
        opened(folder)
    with opened(folder, passphrase="correct horse") as memory:
        assert len(memory.list()) == 1


def test_threads_share_one_memory(folder: Path) -> None:
    with opened(folder) as memory, ThreadPoolExecutor(8) as pool:
        list(
            pool.map(
                lambda n: memory.remember(f"Locker {n} holds item {n * n}.", name=f"n{n}", verbatim=True), range(24)
            )
        )
        assert {stored.name for stored in memory.list(limit=100)} == {f"n{n}" for n in range(24)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_goes_on_with_the_same_object(folder: Path) -> None:
    with opened(folder) as memory:
        memory.remember(PORT)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                memory.remember("The child wrote this line.")
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert {stored.text for stored in memory.list()} == {PORT, "The child wrote this line."}


def test_programs_that_start_together_on_nothing_share_one_palace(folder: Path) -> None:
    code = "import sys; from palazzo import Memory\nwith Memory(sys.argv[1], embedder='none') as m:\n "
    code += "m.remember(sys.argv[2])"
    texts = ["The lake is deep.", "Mira paints boats.", "Soup helps."]
    running = [subprocess.Popen([sys.executable, "-c", code, str(folder), text]) for text in texts]
    assert [one.wait(timeout=60) for one in running] == [0, 0, 0]
    with opened(folder) as memory:
        assert {stored.text for stored in memory.list()} == set(texts)
        assert memory.verify().clean


def test_the_async_face_is_the_same_one_awaited(folder: Path) -> None:
    async def story() -> list[str]:
        async with AsyncMemory(folder, embedder="none", user_id="anna") as memory:
            await memory.remember(PORT)
            await asyncio.gather(*(memory.remember(text) for text in ("The lake is deep.", "Mira paints boats.")))
            assert (await memory.status()).memories == 3
            assert len(await memory.search("lake")) >= 1
            with pytest.raises(InvalidInput):
                await memory.recall("x", limit=0)
            return [hit.text for hit in await memory.recall("which port does Heron use?", limit=1)]

    assert asyncio.run(story()) == [PORT]
    for name, _ in names():
        assert inspect.signature(getattr(Memory, name)) == inspect.signature(getattr(AsyncMemory, name))
        assert getattr(Memory, name).__doc__ == getattr(AsyncMemory, name).__doc__


def test_the_event_loop_never_waits_for_the_palace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    seen: set[int] = set()
    real = Memory._call

    def noted(self: Memory, name: str, arguments: dict[str, Any]) -> Any:
        seen.add(threading.get_ident())
        return real(self, name, arguments)

    monkeypatch.setattr(Memory, "_call", noted)

    async def story() -> None:
        async with AsyncMemory(folder, embedder="none") as memory:
            await memory.status()

    asyncio.run(story())
    assert seen
    assert threading.get_ident() not in seen


def test_the_vault_opens_with_its_passphrase_and_a_wrong_one_opens_nothing(tmp_path: Path) -> None:
    key = {"passphrase": "seven lanterns"}
    with Memory(tmp_path / "palace", **key) as memory:
        memory.vault_protect("open sesame")
    with Memory(tmp_path / "palace", vault_passphrase="open sesame", **key) as memory:
        memory.remember("The spare key is under the pot.", place="vault.keys")
        assert len(memory.recall("where is the spare key?")) == 1
    with Memory(tmp_path / "palace", **key) as memory:
        assert len(memory.recall("where is the spare key?")) == 0
    with pytest.raises(NotPermitted):
        Memory(tmp_path / "palace", vault_passphrase="open says me", **key)


def test_names_people_know_do_what_they_say(tmp_path: Path) -> None:
    with Memory(tmp_path / "known") as memory:
        memory.add(
            [{"role": "user", "content": "My cat is called Tom."}, {"role": "assistant", "content": "Noted."}],
            user_id="ada",
        )
        memory.add("The ferry leaves at nine.")
        memory.add("My dog is called Rex.", user_id="ben", project="boats")
        assert memory.users() == ["ada", "ben"]
        assert memory.count() == 1
        assert "Tom" in memory.recall("what is my cat called?", user_id="ada")[0].text
        assert memory.delete_all(user_id="ada") >= 1
        assert not memory.recall("what is my cat called?", user_id="ada")
        assert memory.count() == 1, "what belongs to everybody stays"
        with pytest.raises(palazzo.InvalidInput, match="scope key"):
            memory.delete_all()


def test_a_day_is_a_time_and_what_is_wrong_with_an_argument_is_said_in_words(tmp_path: Path) -> None:
    with Memory(tmp_path / "days", embedder="none") as memory:
        memory.remember("The ferry leaves at nine.")
        assert not len(memory.list(as_of="2020-03-01"))
        for call, words in (
            (lambda: memory.list(as_of="soon"), "as_of: wants a day or a time with its zone, such as 2026-03-01"),
            (lambda: memory.observe("hello"), "turns: Expected a list, got text"),
            (lambda: memory.recall("x", limit="five"), "limit: Expected a whole number, got text"),
            (lambda: memory.recall("x", preset="quick"), "preset: not one of fast, balanced, deep"),
        ):  # fmt: skip
            with pytest.raises(palazzo.InvalidInput, match=words):
                call()


def test_errors_and_results_come_from_the_package_itself() -> None:
    assert all(hasattr(palazzo, name) for name in palazzo.__all__)
    assert issubclass(palazzo.NotFound, palazzo.PalazzoError)
