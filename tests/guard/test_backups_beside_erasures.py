"""A copy that is made while memories are erased is whole, and what is erased is in none of the palace's own copies."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

from palazzo.errors import PalazzoError
from palazzo.guard.erasure import Erasure, everything_of
from palazzo.store.api import Selection
from palazzo.store.sqlite.backup import lock_of
from palazzo.testing.palace import file_bytes, make_store, place_memory


def test_a_backup_beside_erasures_is_made_and_holds_nothing_that_was_erased(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        erasure = Erasure(store, None)
        store.commit([place_memory(f"Shelf {n} holds jar {n}.") for n in range(200)])
        planted = [place_memory(f"Quincebox {n} is hidden behind the stair.") for n in range(12)]
        store.commit(planted)
        failures: list[Exception] = []

        def back_up() -> None:
            try:
                for n in range(5):
                    store.care.backup(store.folder / "backups" / f"copy-{n}.db")
            except (PalazzoError, OSError) as error:
                failures.append(error)

        thread = Thread(target=back_up)
        thread.start()
        for memory in planted:
            erasure.burn(Selection(memories=(memory.memory_id,)), everything_of("operator"))
        thread.join()
        assert not failures
        assert len(list((store.folder / "backups").glob("*.db"))) == 5
        last = place_memory("The ladder leans on the barn.")
        store.commit([last])
        erasure.burn(Selection(memories=(last.memory_id,)), everything_of("operator"))
        assert not any(b"Quincebox" in data for data in file_bytes(store.folder).values())


def test_an_erasure_waits_for_a_copy_that_is_being_made(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        memory = place_memory("The ladder leans on the barn.")
        store.commit([memory])
        draft = store.folder / "backups" / "copy.db.part"
        draft.parent.mkdir()
        draft.write_bytes(b"half of a copy")
        view = everything_of("operator")
        wanted = Selection(memories=(memory.memory_id,))
        thread = Thread(target=lambda: Erasure(store, None).burn(wanted, view))
        with lock_of(store.folder).held():
            thread.start()
            thread.join(timeout=1)
            assert thread.is_alive()
            assert draft.exists()
        thread.join()
        assert not draft.exists()
