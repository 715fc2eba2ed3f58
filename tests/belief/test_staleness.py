from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.belief.staleness import DAY_US, Posterior, Staleness, combine, next_audit_us, semantic, temporal
from palazzo.errors import Conflict, NotFound
from palazzo.model.belief import AddSignals, Axes, BehaviourSignal
from palazzo.model.capability import View
from palazzo.model.change import Attachments
from palazzo.model.graph import MentionDraft
from palazzo.model.kinds import KINDS
from palazzo.model.memory import Atom
from palazzo.model.scope import GLOBAL
from palazzo.store.sql.belief import reviews
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

VIEW = View()
units = st.floats(0, 1)


def test_a_memory_ages_by_its_lifespan() -> None:
    assert temporal(180, 180) == 0.5
    assert temporal(360, 180) == pytest.approx(0.982, abs=0.001)
    assert temporal(90, 180) == pytest.approx(0.119, abs=0.001)
    assert temporal(10_000, None) == 0.0


@given(units, units, units)
def test_the_combined_figure_is_a_share_and_age_alone_never_flags(s: float, t: float, b: float) -> None:
    assert 0 <= combine(Axes(semantic=s, temporal=t, behavioral=b)) <= 1
    assert combine(Axes(temporal=t)) <= 0.5


def test_what_should_be_superseded_lies_above_the_flag_and_the_hedged_below() -> None:
    assert semantic(0.5) > 0.7 > semantic(0.49)
    assert semantic(0.0) == 0.0
    assert semantic(1.0) == 1.0


def test_answers_move_the_posterior_and_a_sure_one_is_looked_at_less_often() -> None:
    assert Posterior().mean == 0.5
    assert Posterior(3, 0).mean == 0.8
    kind = KINDS["preference"]
    assert next_audit_us(0, kind, Posterior(8, 0)) > next_audit_us(0, kind, Posterior(0, 0)) > DAY_US


def signals(store: SqliteStore, clock: FixedClock, python: int, rust: int) -> None:
    day = clock.now_us() // DAY_US
    store.commit(
        [AddSignals((BehaviourSignal(family="language", dimension="python", day=day, count=python),
                     BehaviourSignal(family="language", dimension="rust", day=day - 3, count=rust)))]
    )  # fmt: skip


def test_the_worked_example_of_the_seed_under_both_thresholds(store: SqliteStore, clock: FixedClock) -> None:
    """Seed 000 appendix C. Undivided its maximum is 0.4 and 0.7 can never be passed; divided it is 1.0 and flagged."""
    made = place_memory("The user prefers Python.", kind="preference", place="life.preferences")
    store.commit([made])
    clock.advance(days=90)
    signals(store, clock, python=8, rust=222)
    found = Staleness(store, VIEW).look(made.memory_id)
    assert found.axes.semantic == 0.0
    assert found.axes.temporal == pytest.approx(0.12, abs=0.01)
    assert found.axes.behavioral == pytest.approx(1.0)
    assert found.severity == pytest.approx(1.0)
    assert found.flagged
    assert found.caveat == "may have changed: python was 8 of the last 230 language events, against 80% asserted"
    assert max(0.4 * found.axes.semantic, 0.2 * found.axes.temporal, 0.4 * found.axes.behavioral) == pytest.approx(0.4)
    assert Staleness(store, VIEW, threshold=0.35).look(made.memory_id).flagged


def test_a_newer_memory_of_the_same_slot_makes_the_older_one_stale(store: SqliteStore, clock: FixedClock) -> None:
    old = place_memory(
        "Ann lives in Bern.", kind="residence", atoms=(Atom("Ann", "lives in", "Bern", functional=True),)
    )
    store.commit([old])
    clock.advance(days=30)
    new = place_memory(
        "Ann lives in Basel.",
        kind="residence",
        place="forest",
        atoms=(Atom("Ann", "lives in", "Basel", functional=True),),
    )
    store.commit([new])
    staleness = Staleness(store, VIEW)
    found = staleness.look(old.memory_id)
    assert found.flagged
    assert found.evidence["contradicted_by"] == str(new.memory_id)
    assert not staleness.look(new.memory_id).flagged


def test_two_shared_entities_below_the_place_make_a_candidate(store: SqliteStore, clock: FixedClock) -> None:
    mentions = (MentionDraft("Heron", "project"), MentionDraft("Redis", "technology"))
    old = place_memory("Heron uses Redis.", place="work.heron", attachments=Attachments(mentions=mentions))
    store.commit([old])
    clock.advance(days=1)
    here = place_memory(
        "Heron no longer uses Redis.", place="work.heron.backend", attachments=Attachments(mentions=mentions)
    )
    store.commit([here])
    assert Staleness(store, VIEW).look(old.memory_id).axes.semantic > 0.7
    away = place_memory("Heron uses Redis.", place="learning", attachments=Attachments(mentions=mentions))
    store.commit([away])
    assert Staleness(store, VIEW).look(away.memory_id).axes.semantic == 0.0


def test_below_the_root_is_everywhere(store: SqliteStore, clock: FixedClock) -> None:
    mentions = (MentionDraft("Heron", "project"), MentionDraft("Redis", "technology"))
    old = place_memory("Heron uses Redis.", place="", attachments=Attachments(mentions=mentions))
    store.commit([old])
    clock.advance(days=1)
    new = place_memory("Heron no longer uses Redis.", place="work.x", attachments=Attachments(mentions=mentions))
    store.commit([new])
    assert Staleness(store, VIEW).look(old.memory_id).flagged


def test_an_audit_is_kept_with_its_evidence_and_answered_once(store: SqliteStore, clock: FixedClock) -> None:
    made = place_memory("The user prefers Python.", kind="preference")
    store.commit([made])
    staleness = Staleness(store, VIEW)
    with pytest.raises(NotFound, match="never audited"):
        staleness.resolve(made.memory_id, "dismiss")
    signals(store, clock, python=8, rust=222)
    staleness.audit([made.memory_id])
    with store.database.read() as connection:
        ((evidence,),) = connection.execute("SELECT evidence FROM staleness_audit")
    assert '"count": 8' in evidence
    assert "prefers" not in evidence
    assert [one.memory.id for one in staleness.review()] == [made.memory_id]
    staleness.resolve(made.memory_id, "dismiss")
    assert staleness.confidence(made.memory_id) == pytest.approx(2 / 3)
    assert staleness.review() == ()
    with pytest.raises(Conflict, match="answered"):
        staleness.resolve(made.memory_id, "dismiss")


def test_what_is_confirmed_stale_is_believed_no_more(store: SqliteStore, clock: FixedClock) -> None:
    made = place_memory("The user prefers Python.", kind="preference")
    store.commit([made])
    signals(store, clock, python=8, rust=222)
    staleness = Staleness(store, VIEW)
    staleness.audit([made.memory_id])
    staleness.resolve(made.memory_id, "confirm_stale")
    with pytest.raises(NotFound):
        staleness.look(made.memory_id)


def test_the_next_audit_comes_when_it_is_due(store: SqliteStore, clock: FixedClock) -> None:
    made = place_memory("The user prefers Python.", kind="preference")
    store.commit([made])
    staleness = Staleness(store, VIEW)
    staleness.audit([made.memory_id])
    with store.database.read() as connection:
        assert reviews.audits_due(connection, clock.now_us(), 10) == {}
        assert reviews.audits_due(connection, clock.advance(days=60), 10) == {GLOBAL: (made.memory_id,)}


def test_the_review_shows_the_five_most_severe(store: SqliteStore, clock: FixedClock) -> None:
    made = [place_memory(f"The user prefers Python in project {n}.", kind="preference") for n in range(7)]
    store.commit(made)
    signals(store, clock, python=8, rust=222)
    staleness = Staleness(store, VIEW)
    staleness.audit([one.memory_id for one in made])
    assert len(staleness.review()) == 5
