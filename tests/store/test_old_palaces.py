"""Every palace file a release has left behind opens, migrated, with everything in it (made by scripts/fixture.py)."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from palazzo.model.address import Kref
from palazzo.model.capability import View
from palazzo.model.scope import Scope
from palazzo.store.sql import migrations
from palazzo.store.sql.memory import memories
from palazzo.store.sqlite import care
from palazzo.store.sqlite.palace import FILE, SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import options_for

FIXTURES = sorted((Path(__file__).parent.parent / "fixtures").glob("palace-*.db"))


def test_there_is_a_file_for_every_migration() -> None:
    assert [path.stem.removeprefix("palace-") for path in FIXTURES] == [m.name[:4] for m in migrations.MIGRATIONS]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_an_old_palace_opens_with_everything_in_it(fixture: Path, tmp_path: Path) -> None:
    shutil.copy(fixture, tmp_path / FILE)
    with SqliteStore.open(tmp_path, FixedClock(), options_for("sqlite")) as store:
        assert care.verify(store) == []
        with store.reading(View(scope=Scope.of(user="anna"))) as reading:
            assert memories.at_address(reading, Kref.parse("life.preferences/colour.preference")).text.endswith("black")
            first = memories.at_address(reading, Kref.parse("life.preferences/colour.preference?r=1"))
            assert first.text.endswith("blue")
            assert [t.speaker for t in reading.turns.told([2, 3, 4]).values()] == ["Anna"] * 3


def test_what_an_old_palace_holds_gets_the_tier_its_words_ask_for(tmp_path: Path) -> None:
    shutil.copy(FIXTURES[0], tmp_path / FILE)
    connection = apsw.Connection(str(tmp_path / FILE))
    text = "Ismene answers mail at ismene@fenwater.example."
    connection.execute("UPDATE revision SET text = ? WHERE id = 2", (text,))
    owner = connection.execute("SELECT memory FROM revision WHERE id = 2").fetchall()[0][0]
    connection.execute(
        """INSERT INTO claim(uuid, scope, text, kind, status, recheck_days, created_us, updated_us, author, hash)
           SELECT randomblob(16), min(id), ?, 'fact', 'candidate', 90, 1, 1, 'operator', x'02' FROM scope""",
        (text,),
    )
    connection.execute("INSERT INTO claim_source VALUES (1, 0, 'url', 'https://fenwater.example', '')")
    connection.close()
    with SqliteStore.open(tmp_path, FixedClock(), options_for("sqlite")) as store:
        with store.database.read() as read:
            tiers = read.execute("SELECT tier FROM memory WHERE id = ? UNION ALL SELECT tier FROM claim", (owner,))
            assert [tier for (tier,) in tiers] == ["sensitive", "sensitive"]
        finding = next(f for f in care.doctor(store) if f.check == "encryption")
        assert (finding.level, finding.detail.split()[0]) == ("warning", "2")
