from __future__ import annotations

from pathlib import Path

from mnemon.store import text_index, upkeep
from mnemon.store.store import Store
from mnemon.testing.clock import FixedClock
from mnemon.testing.palace import make_store, options_for, place_memory


def segments(store: Store) -> int:
    with store.database.read() as connection:
        return sum(state.segments for state in text_index.state(connection))


def fill(store: Store, rounds: int) -> None:
    for n in range(rounds):
        store.commit([place_memory(f"round {n} number {k}") for k in range(text_index.FLUSH_ROWS)])


def test_tails_become_segments_and_segments_merge(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        for _ in range(5):
            fill(store, 1)
            assert store.upkeep.run() >= 1
        assert segments(store) == 2
        assert store.upkeep.run() == 0


def test_merges_that_an_interrupted_pass_left_are_made_up_for(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:
        for _ in range(4):
            fill(store, 1)
            with store.database.read() as connection:
                plan = text_index.plan_flush(connection, text_index.pending(connection)[0][0])
            assert plan is not None
            store.database.write(lambda connection, plan=plan: text_index.apply_flush(connection, plan))  # type: ignore[misc]
        assert segments(store) == 4
        assert store.upkeep.run() == 1
        assert segments(store) == 1


def test_only_one_holder_has_the_lease_until_it_expires(tmp_path: Path) -> None:
    with make_store(tmp_path / "p") as store:

        def take(holder: str, now_us: int) -> bool:
            return store.database.write(lambda c: upkeep.take_lease(c, "upkeep", holder, now_us, 60))

        assert take("a", 0)
        assert take("a", 1)
        assert not take("b", 59_000_000)
        assert take("b", 61_000_002)


def test_the_thread_flushes_after_enough_changes_and_stops_with_the_store(tmp_path: Path) -> None:
    options = options_for("sqlite")
    make_store(tmp_path / "p").close()
    with Store.open(tmp_path / "p", FixedClock(), type(options)(file=options.file, upkeep=True)) as store:
        fill(store, 1)
        thread = store.upkeep._thread
        assert thread is not None
    assert not thread.is_alive()
