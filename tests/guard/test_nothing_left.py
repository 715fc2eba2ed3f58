"""After everything was burnt no table and no file has a word of it, and after a person was forgotten none of theirs."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from palazzo.engine import Engine
from palazzo.model.belief import AddSignals, BehaviourSignal
from palazzo.model.capability import View
from palazzo.model.scope import Scope
from palazzo.recall.answer.context import ContextTurn
from palazzo.store.sql.erase import leftovers
from palazzo.store.sql.guard import audit
from palazzo.store.sqlite import backup, care
from palazzo.testing.clock import FixedClock

from .conftest import files_with, forms

Ask = Callable[..., Any]
WORDS = (
    "Brackenholt", "zibeline", "Ottoline", "fennelworth", "marrowgate", "dulcimer", "quernstone", "Pellucid",
    "tamarack",
)  # fmt: skip


def habit(family: str, dimension: str) -> BehaviourSignal:
    return BehaviourSignal(family=family, dimension=dimension, day=20_000, count=3)


def planted(ask: Ask, engine: Engine, clock: FixedClock) -> None:
    """Every way that words get into a palace, each word in several."""
    ask("grant", subject="agent:scribe", level="write")
    told = ask("remember", text="Ottoline Brackenholt weaves zibeline.", place="fennelworth.attic", name="loom")
    ask("remember", text="Ottoline moved to Brackenholt.", user_id="Pellucid", place="fennelworth.cellar")
    clock.advance(minutes=5)
    ask(
        "observe", thread="marrowgate", session="dulcimer",
        turns=[{"content": "I keep zibeline in the attic at Brackenholt.", "role": "user", "speaker": "Ottoline"}],
    )  # fmt: skip
    ask("remember", "agent:scribe", text="The tamarack by the gate is marked zibeline.", metadata={"from": "Pellucid"})
    ask("propose", text="Ottoline keeps zibeline.", sources=[{"kind": "exchange", "reference": str(told.id)}])
    ask("propose", text="The quernstone is at Brackenholt.", sources=[{"kind": "url", "reference": "https://tamarack"}])
    engine.store.commit(
        [
            AddSignals(
                scope=Scope.of(user="Pellucid"),
                signals=(habit("topic", "quernstone"),),
            )
        ]
    )
    engine.store.commit([AddSignals(scope=Scope(()), signals=(habit("place", "fennelworth"),))])
    ask("recall", cue="zibeline at Brackenholt", place="fennelworth")
    ask("feedback", cue="who has zibeline", memory=str(told.id))
    ask("context", message="tell me of Ottoline and the zibeline")
    ask("update", memory=str(told.id), text="Ottoline Brackenholt spins zibeline.")
    engine.guard.trail.flush()
    engine.store.upkeep.run()


def rows_with(connection: apsw.Connection, words: tuple[str, ...]) -> list[str]:
    """Tables in whose rows one of these words stands, in whatever form."""
    needles = [form for word in words for form in forms(word)]
    found = []
    for table in tables(connection):
        for row in connection.execute(f"SELECT * FROM {table}"):
            cells = [cell if isinstance(cell, bytes) else str(cell).encode() for cell in row if cell is not None]
            if any(needle in cell for needle in needles for cell in cells):
                found.append(table)
                break
    return found


def tables(connection: apsw.Connection) -> list[str]:
    return [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]


def test_every_table_has_a_decision_and_those_that_are_emptied_are_empty(
    ask: Ask, engine: Engine, clock: FixedClock
) -> None:
    planted(ask, engine, clock)
    with engine.store.database.read() as connection:
        decided = {*leftovers.EMPTIED, *leftovers.KEPT}
        undecided = set(tables(connection)) - decided
        assert undecided == set(), "say in store/sql/erase/leftovers.py what burning everything does to them"
        assert decided - set(tables(connection)) <= {"sqlite_sequence"}
        assert {"claim", "signal", "audit", "scope"} <= set(rows_with(connection, WORDS))
    ask("burn", everything=True, yes=True)
    with engine.store.database.read() as connection:
        counts = {t: next(connection.execute(f"SELECT count(*) FROM {t}"))[0] for t in leftovers.EMPTIED}
        assert {table: count for table, count in counts.items() if count} == {}


def test_a_palace_in_which_everything_was_burnt_has_no_word_of_it(
    ask: Ask, engine: Engine, clock: FixedClock, folder: Path
) -> None:
    planted(ask, engine, clock)
    backup.backup(engine.store.database, folder / "backups" / "before-0003.db", None)
    assert "before-0003.db" in files_with(folder, *WORDS)
    report = ask("burn", everything=True, yes=True)
    assert report.backups == ("before-0003.db: removed: everything was burnt",)
    assert (report.done, report.left) == (True, ())
    assert {"claim", "signal", "audit"} <= set(report.rows)
    assert any("rules" in told or "journal" in told for told in report.remains)
    engine.guard.trail.flush()
    with engine.store.database.read() as connection:
        assert rows_with(connection, WORDS) == []
        assert audit.verify(connection) == []
    assert files_with(folder, *WORDS) == []
    assert care.verify(engine.store) == []
    kept = ask("remember", text="A new day begins at Harrowby.")
    assert "Harrowby" in ask("get", memory=str(kept.id)).text
    assert care.verify(engine.store) == []


def test_what_a_claim_says_goes_with_the_memory_it_was_drawn_from(ask: Ask, engine: Engine) -> None:
    told = ask("remember", text="Ottoline Brackenholt weaves zibeline.", place="loft", name="loom", verbatim=True)
    for reference in (str(told.id), ask("get", memory=str(told.id)).address):
        source = {"kind": "exchange", "reference": reference}
        ask("propose", text=f"Zibeline {len(reference)} is woven.", sources=[source])
    ask("propose", text="Wool is carded.", sources=[{"kind": "url", "reference": "https://wool.example"}])
    ask("purge", memory=str(told.id))
    with engine.store.database.read() as connection:
        assert [text for (text,) in connection.execute("SELECT text FROM claim")] == ["Wool is carded."]


def test_statements_drawn_from_what_a_person_said_are_forgotten_with_them(
    ask: Ask, engine: Engine, folder: Path, clock: FixedClock
) -> None:
    ask(
        "observe", thread="kitchen", session="one",
        turns=[
            {"content": "I am allergic to tamarack and I live in Brackenholt.", "role": "user", "speaker": "Ottoline"},
            {"content": "The kettle was repaired on Monday.", "role": "user", "speaker": "Bertram"},
        ],
    )  # fmt: skip
    with engine.store.database.read() as connection:
        drawn = next(connection.execute("SELECT count(*) FROM memory WHERE kind <> 'exchange'"))[0]
    assert drawn > 0
    counted = ask("forget_user", user="ottoline")
    report = ask("forget_user", user="ottoline", yes=True)
    assert report.memories == counted.memories > 1
    assert files_with(folder, "tamarack", "Brackenholt") == []
    assert files_with(folder, "kettle") != []
    assert care.verify(engine.store) == []


@pytest.mark.parametrize("spelled", ["OTTOLINE", "ottoline", "Ottoline"])
def test_mentions_in_any_case_keep_the_report_from_saying_done(
    spelled: str, ask: Ask, engine: Engine, folder: Path
) -> None:
    ask("remember", text=f"Please ask {spelled} about the loom.", verbatim=True, place="errands")
    ask("remember", text="The ottolinear scale is unrelated.", verbatim=True, place="errands")
    ask("propose", text=f"{spelled} owns the loom.", sources=[{"kind": "url", "reference": "https://loom.example"}])
    report = ask("forget_user", user="Ottoline", yes=True)
    assert (report.done, report.mentioned_elsewhere) == (False, 1)
    assert "mentions" in report.next
    assert any("mention" in told for told in report.remains)
    report = ask("forget_user", user="Ottoline", mentions=True, yes=True)
    assert (report.done, report.memories, report.mentioned_elsewhere, report.rows["claim"]) == (True, 1, 0, 1)
    assert files_with(folder, f"{spelled} ") == []
    assert files_with(folder, "ottolinear") != []
    assert care.verify(engine.store) == []


def test_a_person_leaves_claims_signals_replies_labels_and_sessions(
    ask: Ask, engine: Engine, folder: Path, clock: FixedClock
) -> None:
    ask("grant", subject="user:Ottoline", level="write")
    ask("remember", "user:Ottoline", text="I keep the loom oiled.", verbatim=True)
    ask("propose", "user:Ottoline", text="The loom squeaks.", sources=[{"kind": "url", "reference": "https://squeak"}])
    ask("observe", turns=[{"content": "The mill is closed.", "role": "user", "speaker": "Bertram"}],
        thread="call-ottoline", session="one")  # fmt: skip
    engine.store.commit([AddSignals(scope=Scope(()), signals=(habit("person", "ottoline"),))])
    engine.store.database.write(
        lambda connection: connection.execute(
            "INSERT INTO idempotency VALUES ('agent:x', 'k', x'00', 99999999999999999, ?)",
            (json.dumps({"text": "OTTOLINE was here"}),),
        ).fetchall() and None
    )  # fmt: skip
    report = ask("forget_user", user="Ottoline", mentions=True, yes=True)
    assert {"claim", "signal", "idempotency", "event", "audit"} <= set(report.rows)
    engine.guard.trail.flush()
    with engine.store.database.read() as connection:
        assert rows_with(connection, ("Ottoline", "squeaks", "OTTOLINE")) == []
        assert audit.verify(connection) == []
    assert files_with(folder, "loom oiled", "squeaks") == []
    assert care.verify(engine.store) == []


def test_an_erased_text_is_in_no_answer_and_no_mind_of_the_process(ask: Ask, engine: Engine) -> None:
    made = ask("remember", text="The dulcimer is kept in the Brackenholt loft.", verbatim=True)
    talk = engine.dialogue()
    talk.context(ContextTurn(message="where is the dulcimer kept?"), View(subject="operator"))
    ask("recall", cue="where is the dulcimer kept?")
    assert held("dulcimer is kept", engine, talk) > 0
    ask("purge", memory=str(made.id))
    assert held("dulcimer is kept", engine, talk) == 0
    assert talk.buffer.last() == ()


def test_no_module_of_the_process_keeps_a_word_that_was_erased(ask: Ask) -> None:
    made = ask("remember", text="The brindlewax candles were lit, and brindlewaxes burn slowly.", verbatim=True)
    ask("recall", cue="where did we put the brindlewax, please?")
    assert modules_with("brindlewax") != []
    ask("purge", memory=str(made.id))
    assert modules_with("brindlewax") == []


def modules_with(word: str) -> list[str]:
    """The containers of our modules in which a word stands."""
    return [
        f"{name}.{value}"
        for name, module in sys.modules.items()
        if name.startswith("palazzo.")
        for value, held in vars(module).items()
        if isinstance(held, dict | list | set) and any(word in str(one) for one in held)
    ]


def held(words: str, *roots: object) -> int:
    """How many texts that can be reached from these objects have these words."""
    seen: set[int] = set()
    waiting: list[object] = list(roots)
    count = 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, str):
            count += words in one
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset | deque):
            waiting += one
        elif type(one).__module__.startswith("palazzo."):
            slots = [name for kind in type(one).__mro__ for name in getattr(kind, "__slots__", ())]
            fields = getattr(one, "__struct_fields__", ())
            waiting += [getattr(one, name) for name in (*slots, *fields) if hasattr(one, name)]
            waiting += vars(one).values() if hasattr(one, "__dict__") else ()
    return count


def test_a_person_who_is_forgotten_is_not_brought_back_by_what_was_in_mind(
    ask: Ask, engine: Engine, folder: Path
) -> None:
    ask("grant", subject="user:Ottoline", level="write")
    ask("remember", "user:Ottoline", text="The loom is oiled.", user_id="Ottoline", verbatim=True)
    ask("context", "user:Ottoline", message="how is the loom?", user_id="Ottoline")
    ask("forget_user", user="Ottoline", mentions=True, yes=True)
    engine.guard.trail.flush()
    engine.close()
    assert files_with(folder, "Ottoline") == []
