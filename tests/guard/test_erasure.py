"""Erasing at every grain: afterwards the bytes are in no file of the palace, and everything else still agrees."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palazzo.engine import Engine
from palazzo.errors import InvalidInput, NotPermitted
from palazzo.model.capability import View
from palazzo.model.zone import EPOCH
from palazzo.store.index.text.documents import term_hash
from palazzo.store.sql.erase import leftovers
from palazzo.store.sqlite import backup, care
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import file_bytes
from palazzo.text.words.tokens import terms

from .conftest import files_with

Ask = Callable[..., Any]
SECRET = "Quillfeather Oyelaran grows zanthoxylum behind the Vorpington observatory."
WORDS = ("Quillfeather", "Oyelaran", "zanthoxylum", "Vorpington")
OTHERS = (
    "The harbour office opens at eight on weekdays.", "Marta keeps the spare key under the blue pot.",
    "We decided to write the parser by hand.", "The quarterly report is due in March.",
)  # fmt: skip


def filled(ask: Ask, clock: FixedClock, secret: str = SECRET, **how: Any) -> Any:
    """A palace with some memories and the one to erase among them; its id."""
    for text in OTHERS[:2]:
        ask("remember", text=text)
        clock.advance(minutes=5)
    made = ask("remember", text=secret, **how).id
    clock.advance(minutes=5)
    for text in OTHERS[2:]:
        ask("remember", text=text)
        clock.advance(minutes=5)
    return made


def agreed(engine: Engine) -> None:
    assert care.verify(engine.store) == []


def test_the_words_are_in_the_files_before(ask: Ask, clock: FixedClock, folder: Path) -> None:
    filled(ask, clock)
    assert {"palace.db-wal"} & set(files_with(folder, *WORDS))
    assert any(name.endswith(".jsonl") for name in files_with(folder, *WORDS))


def test_a_purged_memory_leaves_no_byte_in_any_file(ask: Ask, clock: FixedClock, folder: Path, engine: Engine) -> None:
    made = filled(ask, clock)
    engine.store.upkeep.run()
    ask("purge", memory=str(made))
    assert files_with(folder, *WORDS) == []
    hashes = [term_hash(term).to_bytes(4, "little") for term in terms(" ".join(WORDS))]
    content = b"".join(file_bytes(folder, "palace.db").values())
    assert not any(found in content for found in hashes)
    assert files_with(folder, "spare key") != []
    agreed(engine)


def test_a_name_only_that_memory_knew_is_gone_and_a_shared_one_stays(
    ask: Ask, clock: FixedClock, engine: Engine, folder: Path
) -> None:
    ask("remember", text="Torvik Halvorsen lives in Bergamoville.")
    clock.advance(minutes=5)
    made = ask("remember", text="Torvik Halvorsen works for Zyxwave Industries.").id
    ask("burn", memories=[str(made)], yes=True)
    with engine.store.database.read() as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM entity")}
        counts = [connection.execute(f"SELECT count(*) FROM {t}").fetchall()[0][0] for t in ("mention", "relation")]
    assert any("Torvik" in name for name in names)
    assert not any("Zyxwave" in name for name in names)
    assert counts[0] > 0
    assert files_with(folder, "Zyxwave") == []
    agreed(engine)


@pytest.mark.parametrize("how", ["place", "time", "source", "subject", "everything"])
def test_a_burn_takes_what_is_named_and_nothing_else(
    how: str, ask: Ask, clock: FixedClock, folder: Path, engine: Engine
) -> None:
    ask("grant", subject="agent:x", level="write")
    for text in OTHERS:
        ask("remember", text=text, place="work.kept")
    clock.advance(minutes=10)
    start = clock.now_us()
    if how == "source":
        ask("observe", turns=[{"content": SECRET, "role": "user"}], thread="orbit", session="one")
    elif how == "subject":
        ask("remember", "agent:x", text=SECRET, place="work.other")
    else:
        ask("remember", text=SECRET, place="forest.burnt")
    named: dict[str, Any] = {
        "place": {"place": "forest.burnt"}, "source": {"source": "orbit"}, "subject": {"subject": "agent:x"},
        "time": {"after": EPOCH + timedelta(microseconds=start)}, "everything": {"everything": True},
    }[how]  # fmt: skip
    counted = ask("burn", **named)
    assert (counted.done, counted.memories > 0) == (False, True)
    assert files_with(folder, *WORDS) != []
    report = ask("burn", **named, yes=True)
    assert (report.done, report.memories, report.left) == (True, counted.memories, ())
    assert report.looked_for > 0
    assert files_with(folder, *WORDS) == []
    assert (files_with(folder, "harbour office") == []) == (how == "everything")
    assert ask("burn", **named, yes=True).memories == 0
    agreed(engine)


def test_a_burn_without_a_target_is_refused(ask: Ask) -> None:
    with pytest.raises(InvalidInput):
        ask("burn", yes=True)


def test_a_burn_reaches_only_where_its_caller_may_forget(ask: Ask, folder: Path) -> None:
    ask("grant", subject="mcp:gardener", level="forget", place="garden.**")
    ask("remember", text=OTHERS[0], place="work.kept")
    ask("remember", text=OTHERS[1], place="garden.beds")
    assert ask("burn", "mcp:gardener", everything=True, yes=True).memories == 1
    assert files_with(folder, "harbour office") != []
    assert files_with(folder, "spare key") == []
    with pytest.raises(NotPermitted):
        ask("forget_user", "mcp:gardener", user="anna", yes=True)


def test_one_sentence_of_a_message_is_struck_out_of_the_archive_and_not_told_again(
    ask: Ask, clock: FixedClock, engine: Engine, folder: Path
) -> None:
    kept = ask("remember", text=f"My dog is called Biscuit. {SECRET} I work at the Kestrel bakery.")
    texts = {str(m): ask("get", memory=str(m)).text for m in kept.memories}
    chosen = [memory for memory, text in texts.items() if "Vorpington" in text]
    assert chosen
    assert len(texts) > len(chosen)
    ask("burn", memories=chosen, yes=True)
    assert files_with(folder, *WORDS) == []
    assert engine.intake.archive is not None
    (call,) = engine.intake.archive.read().calls
    assert "Biscuit" in call.letters[0].text
    assert "Kestrel" in call.letters[0].text
    assert any(reason == "erased" for _, _, reason in call.letters[0].barred)
    agreed(engine)


def test_a_reader_that_holds_the_log_makes_the_report_say_pending_and_the_doctor_finishes(
    ask: Ask, clock: FixedClock, engine: Engine, folder: Path
) -> None:
    made = filled(ask, clock)
    held = engine.store.database.connect()
    held.execute("BEGIN")
    held.execute("SELECT count(*) FROM memory").fetchall()
    report = ask("burn", memories=[str(made)], yes=True)
    assert (report.log, report.done) == ("pending", False)
    assert any(f.check == "erasure" and f.level == "warning" for f in care.doctor(engine.store))
    held.close()
    assert any(f.check == "erasure" and f.level == "good" for f in care.doctor(engine.store))
    assert files_with(folder, *WORDS) == []
    with engine.store.database.read() as connection:
        assert not leftovers.pending(connection)


def test_a_backup_in_the_palace_is_rewritten_too(ask: Ask, clock: FixedClock, engine: Engine, folder: Path) -> None:
    made = filled(ask, clock)
    backup.backup(engine.store.database, folder / "backups" / "before-0002.db", None)
    assert "before-0002.db" in files_with(folder, *WORDS)
    report = ask("burn", memories=[str(made)], yes=True)
    assert report.backups == ("before-0002.db: rewritten without 1 memories",)
    assert files_with(folder, *WORDS) == []
    assert "before-0002.db" in files_with(folder, "spare key")


def test_a_trace_that_secure_deletion_missed_is_found_and_the_file_written_anew(
    ask: Ask, clock: FixedClock, engine: Engine, folder: Path
) -> None:
    """A row deleted by an older release, which did not overwrite, stands in a free page."""
    made = filled(ask, clock)

    def leak(connection: Any) -> None:
        connection.pragma("secure_delete", "off")
        connection.execute("CREATE TABLE leak (text TEXT)")
        connection.execute("INSERT INTO leak VALUES (?)", (SECRET * 200,))

    def drop(connection: Any) -> None:
        connection.execute("DROP TABLE leak")
        connection.pragma("secure_delete", "on")

    engine.store.database.write(leak)
    engine.store.database.truncate_log()
    engine.store.database.write(drop)
    report = ask("burn", memories=[str(made)], yes=True)
    assert (report.left, report.done) == ((), True)
    assert files_with(folder, *WORDS) == []
    agreed(engine)


def test_a_user_is_forgotten_in_every_table_archive_and_trail(
    ask: Ask, clock: FixedClock, engine: Engine, folder: Path
) -> None:
    user = "zephyrine-q"
    ask("grant", subject=f"user:{user}", level="write", place="**")
    for number in range(50):
        ask("remember", f"user:{user}", text=f"{SECRET} Entry {number} of mine.", user_id=user, verbatim=True)
        clock.advance(minutes=2)
    ask("observe", turns=[{"content": SECRET, "role": "user", "speaker": user}], thread="shared", session="s")
    ask("remember", text=OTHERS[0])
    engine.store.upkeep.run()
    backup.backup(engine.store.database, folder / "backups" / "before-0002.db", None)
    report = ask("forget_user", user=user, yes=True)
    assert report.memories >= 51
    assert report.done
    assert report.archive_lines >= 51
    assert report.pseudonym.startswith("erased-")
    assert files_with(folder, user, *WORDS) == []
    assert files_with(folder, "harbour office") != []
    agreed(engine)
    assert [hit.text for hit in engine.recall("harbour office", View()).hits] == [OTHERS[0]]


def test_memories_of_others_that_mention_a_user_are_counted_and_erased_when_asked(ask: Ask, folder: Path) -> None:
    ask("remember", text="Zephyrine plays the theremin.")
    counted = ask("forget_user", user="Zephyrine", yes=True)
    assert (counted.memories, counted.mentioned_elsewhere) == (0, 1)
    assert ask("forget_user", user="Zephyrine", mentions=True, yes=True).memories == 1
    assert files_with(folder, "theremin") == []


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from("abcdefghij"), min_size=2, max_size=8, unique=True), st.randoms(use_true_random=False))
def test_whatever_is_burnt_in_whatever_order_nothing_else_is_touched(
    tmp_path: Path, letters: list[str], random: Any
) -> None:
    from palazzo.operations.call import call
    from palazzo.operations.caller import Caller
    from palazzo.spaces import Spaces
    from palazzo.testing.palace import make_store

    folder, clock = tmp_path / "palace", FixedClock()
    shutil.rmtree(folder, ignore_errors=True)
    store = make_store(folder, clock=clock, durable=False)
    with Engine(store, clock, Spaces(store, None, "none", lambda _: None)) as engine:
        ids = {
            x: str(
                call(engine, Caller(), "remember", {"text": f"Unit{x * 6} stores wine{x * 5}.", "verbatim": True}).id
            )
            for x in letters
        }
        burnt = random.sample(letters, random.randint(1, len(letters)))
        for x in burnt:
            call(engine, Caller(), "burn", {"memories": [ids[x]], "yes": True})
        for x in letters:
            assert bool(files_with(folder, f"Unit{x * 6}", f"wine{x * 5}")) == (x not in burnt)
        agreed(engine)
