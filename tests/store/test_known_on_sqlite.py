"""What intake asks before it writes: known wordings, slots and neighbours, taken names, disagreements, accounts."""

from __future__ import annotations

from palazzo.model.change import RecordIntake
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom
from palazzo.model.scope import Scope
from palazzo.store.sqlite.memory import intakes
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock

ANNA, BEN = Scope.of(user="anna"), Scope.of(user="ben")
CITY = (Atom("the user", "city", "Bonn", functional=True),)


def test_a_message_is_recognised_again_only_within_the_window(store: SqliteStore, clock: FixedClock) -> None:
    account = RecordIntake(intake_id=new_id(clock.now_us()), at_us=1, digest=b"d" * 16, fates=())
    store.commit([account])
    with store.database.read() as connection:
        assert list(intakes.repeated(connection, [b"d" * 16, b"e" * 16], clock.now_us())) == [b"d" * 16]
        assert intakes.repeated(connection, [b"d" * 16], clock.now_us() + 1) == {}
        assert intakes.repeated(connection, [b"e" * 16], 0) == {}
