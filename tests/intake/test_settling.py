"""What a batch told is read beside what it may change by a pass that follows: bounded, resumable, told once."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from uuid import UUID

import pytest
from tests.intake.conftest import Palace

from palazzo import Memory
from palazzo.belief.why import why
from palazzo.intake.changed import FEW
from palazzo.model.capability import View
from palazzo.model.change import SetDeprecated
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.text.reader import judgements

OLD = "Choir practice is on Wednesdays."
NEW = "Choir has been moved to Thursday evenings for good."
FILLER = (
    "Ruben collects stamps from Finland.", "The attic window faces north.", "Our bakery opens at six.",
    "Hedda plays the bassoon.", "The canoe is painted green.", "My cousin breeds rabbits.",
    "The printer stands in the hallway.", "Nils repairs violins.", "The oak was planted by my grandfather.",
    "Lunch at the office is free.", "The ferry carries bicycles.", "Petra teaches chemistry.",
)  # fmt: skip
assert len(FILLER) > FEW


def told_in_bulk(palace: Palace, *texts: str, scope: Scope = Scope.of()) -> list[UUID]:
    """The memories of these texts, told in one call with many others."""
    said = [*texts, *FILLER]
    result = palace.remember(*(Message(text=text, source="message", scope=scope) for text in said))
    return [
        fate.memory_id for intake in result.intakes[: len(texts)] for fate in intake.fates if fate.memory_id is not None
    ]


def stands(palace: Palace, memory: UUID, scope: Scope = Scope.of()) -> bool:
    return memory in {one.id for one in palace.memories(scope)}


def test_the_same_in_other_words_told_among_many_statements_is_linked_by_the_pass(palace: Palace) -> None:
    (old,) = palace.remember("Karim takes care of the invoices.").memory_ids
    (new,) = told_in_bulk(palace, "The invoices are handled by Karim.")
    palace.engine.settling.run()
    with palace.store.reading(View()) as reading:
        (edge,) = reading.edges.of(new, "out")
    assert (edge.kind, edge.target.memory_id) == ("similar_to", old)
    assert stands(palace, old)


def test_a_change_told_among_many_statements_is_taken_back_by_the_pass(palace: Palace) -> None:
    (old,) = palace.remember(OLD).memory_ids
    (new,) = told_in_bulk(palace, NEW)
    assert stands(palace, old)
    done = palace.engine.settling.run()
    assert done.superseded == 1
    assert not stands(palace, old)
    assert stands(palace, new)
    with palace.store.reading(View()) as reading:
        assert f'replaced "{OLD}" (sure to 0.' in why(reading, new).text
    palace.store.commit([SetDeprecated(old, deprecated=False, reason="taken back")])
    assert stands(palace, old), "one call takes it back"
    assert palace.engine.settling.run().superseded == 0, "and the pass does not decide it again"


def test_both_sides_may_come_in_one_batch(palace: Palace) -> None:
    old, new = told_in_bulk(palace, OLD, NEW)
    palace.engine.settling.run()
    assert not stands(palace, old)
    assert stands(palace, new)


def test_what_was_said_earlier_is_taken_back_by_what_was_said_later_though_it_comes_after(palace: Palace) -> None:
    palace.clock.advance(days=300)
    (new,) = palace.remember(NEW).memory_ids
    said_us = palace.clock.now_us() - 200 * 86_400_000_000
    result = palace.remember(*(Message(text=text, at_us=said_us) for text in (OLD, *FILLER)))
    old = result.memory_ids[0]
    palace.engine.settling.run()
    assert stands(palace, new)
    assert not stands(palace, old)


def test_a_pair_between_the_thresholds_waits_for_a_person(palace: Palace, monkeypatch: pytest.MonkeyPatch) -> None:
    (old,) = palace.remember(OLD).memory_ids
    (new,) = told_in_bulk(palace, NEW)
    monkeypatch.setattr(
        judgements, "figure", lambda name, otherwise: {"replaced_at": 1.1, "marked_at": 0.3}.get(name, otherwise)
    )
    assert palace.engine.settling.run().conflicts == 1
    (one,) = palace.engine.inbox()
    assert (one.newer.id, one.older.id) == (new, old)
    assert stands(palace, old)
    assert stands(palace, new)


def test_a_single_statement_is_not_read_again(palace: Palace, monkeypatch: pytest.MonkeyPatch) -> None:
    palace.remember(OLD)
    palace.remember("The ferry carries bicycles.")
    read: list[object] = []
    monkeypatch.setattr(judgements, "change", read.append)
    assert palace.engine.settling.run().settled == 0
    assert not read


def test_a_run_does_no_more_than_it_may_and_the_next_goes_on(palace: Palace) -> None:
    told_in_bulk(palace)
    done = [palace.engine.settling.run(limit=5) for _ in range(4)]
    assert [one.settled for one in done] == [5, 5, 2, 0]
    assert [one.more for one in done] == [True, True, False, False]


def test_another_users_statements_are_left_alone(palace: Palace) -> None:
    una, theo = Scope.of(user="una"), Scope.of(user="theo")
    (old,) = palace.remember(Message(text=OLD, scope=una)).memory_ids
    told_in_bulk(palace, NEW, scope=theo)
    palace.engine.settling.run()
    assert stands(palace, old, una)


def test_without_weights_the_pass_waits_for_them(palace: Palace, monkeypatch: pytest.MonkeyPatch) -> None:
    palace.remember(OLD)
    told_in_bulk(palace, NEW)
    with monkeypatch.context() as without:
        without.setattr(judgements, "encoder", lambda *_: None)
        done = palace.engine.settling.run()
        assert (done.settled, bool(done.degraded)) == (0, True)
    assert palace.engine.settling.run().superseded == 1


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from palazzo import Memory
    from palazzo.testing.clock import FixedClock

    class Clock(FixedClock):
        left = 0

        def now_us(self):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().now_us()

    clock = Clock()
    memory = Memory(Path(sys.argv[1]), clock=clock, upkeep=False)
    memory.remember(sys.argv[3])
    memory.remember_many(sys.argv[4:])
    clock.left = int(sys.argv[2])
    while memory.recheck(limit=3).more:
        pass
"""


@pytest.mark.parametrize("moment", [6, 17])
def test_a_pass_that_was_killed_is_gone_on_with(tmp_path: Path, moment: int) -> None:
    folder, program = tmp_path / "palace", textwrap.dedent(KILLED)
    command = [sys.executable, "-c", program, str(folder), str(moment), OLD, *FILLER, NEW]
    assert subprocess.run(command, check=False, timeout=120).returncode == -signal.SIGKILL
    with Memory(folder, upkeep=False) as memory:
        while memory.recheck().more:
            pass
        assert memory.recheck().settled == 0
        assert OLD not in [hit.text for hit in memory.recall("When is choir practice?").hits]
