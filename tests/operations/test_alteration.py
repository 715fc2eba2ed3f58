"""What somebody altered behind the palace's back is found, whatever it is: verify names it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from palazzo.engine import Engine
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.spaces import Spaces
from palazzo.store.sql.port import StoreOptions
from palazzo.store.sqlite import care
from palazzo.store.sqlite.palace import FILE, SqliteStore
from palazzo.testing.clock import FixedClock

OPTIONS = StoreOptions(upkeep=False)


def asked(engine: Engine, name: str, /, **arguments: Any) -> Any:
    return call(engine, Caller(subject="operator"), name, arguments)


@pytest.fixture(scope="module")
def palace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("altered") / "p"
    clock = FixedClock()
    with Engine(
        store := SqliteStore.create(folder, clock, OPTIONS), clock, Spaces(store, None, "none", lambda _: None)
    ) as e:
        first = asked(e, "remember", text="Ada lives in Bergen.", place="work.desk", metadata={"colour": "teal"}).id
        asked(e, "remember", text="The kettle whistles in C sharp.", place="home")
        gone = asked(e, "remember", text="The bridge opens at noon.", place="home").id
        forgotten = asked(e, "remember", text="The ferry leaves at six.", place="home").id
        asked(e, "update", memory=str(first), text="Ada lives in Stavanger.")
        asked(e, "forget", memory=str(forgotten))
        asked(e, "purge", memory=str(gone))
        asked(e, "grant", subject="agent:cook", place="home", level="metadata")
        asked(e, "grant", subject="agent:maid", place="home", level="write")
        asked(e, "revoke", subject="agent:maid", place="home")
        asked(e, "seal", place="work", seal="sealed")
        assert care.verify(store) == []
    return folder


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE revision SET text = text || ' indeed' WHERE id = 2", "revision: row 2"),
        ("UPDATE revision SET detail = replace(detail, 'teal', 'blue') WHERE detail LIKE '%teal%'", "revision: row"),
        ("UPDATE revision SET author = 'mallory' WHERE id = 2", "revision: row 2"),
        ("UPDATE revision SET confidence = 0.01 WHERE id = 2", "revision: row 2"),
        ("UPDATE revision SET valid_from_us = valid_from_us - 1 WHERE id = 2", "revision: row 2"),
        ("UPDATE memory SET name = 'kettle-2' WHERE id = 2", "revision: row 2"),
        ("UPDATE memory SET kind = 'decision' WHERE id = 2", "revision: row 2"),
        ("UPDATE atom SET value = 'oslo' WHERE value LIKE '%stavanger%'", "revision: row"),
        ("UPDATE atom SET negated = 1 - negated", "revision: row"),
        ("DELETE FROM atom", "revision: row"),
        ("UPDATE memory SET state = 'active' WHERE state = 'deleted'", "the journal says deleted"),
        ("UPDATE event SET kind = 'tag_moved' WHERE seq = 2", "event: rows"),
        ("UPDATE event SET at_us = at_us + 1 WHERE seq = 2", "event: rows"),
        ("UPDATE event SET subject = 'mallory' WHERE seq = 2", "another subject"),
        ("UPDATE event SET memory = randomblob(16) WHERE kind = 'memory_placed' AND seq < 3", "that is not there"),
        ("DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)", "event: rows"),
        ("INSERT INTO event SELECT max(seq) + 1, 5, 'tag_moved', 'x', NULL, NULL, NULL FROM event", "in no line"),
        ("UPDATE capability_grant SET level = 6", "the journal says metadata"),
        ("DELETE FROM capability_grant", "gone without an event"),
        ("INSERT INTO capability_grant VALUES ('agent:maid', 'home', 'agent', 5, 0, NULL, 'operator')", "agent:maid"),
        ("UPDATE place SET seal = 'open' WHERE path = 'work'", "place work"),
        ("UPDATE place SET seal = 'open' WHERE path = 'work.desk'", "place work.desk"),
        ("UPDATE place SET seal = 'sealed' WHERE path = 'home'", "place home"),
    ],
)  # fmt: skip
def test_verify_finds_what_was_altered(statement: str, told: str, palace: Path, tmp_path: Path) -> None:
    shutil.copytree(palace, tmp_path / "p")
    connection = apsw.Connection(str(tmp_path / "p" / FILE))
    connection.execute(statement)
    assert connection.changes()
    connection.close()
    with SqliteStore.open(tmp_path / "p", FixedClock(), OPTIONS) as store:
        problems = care.verify(store)
    assert any(told in problem for problem in problems), problems
