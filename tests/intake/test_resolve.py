"""One slot, one value: who wins when two statements disagree, and what is kept of the other."""

from __future__ import annotations

import pytest
from tests.intake.conftest import Palace

from palazzo.belief.conflicts import inbox, settle
from palazzo.errors import NotFound, VersionConflict
from palazzo.intake.values import Policy
from palazzo.model.capability import View
from palazzo.model.change import AddRevision
from palazzo.model.kinds import ConflictMode
from palazzo.model.memory import RevisionDraft
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.store.sql.graph import edges
from palazzo.store.sql.memory import memories
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder

BLUE, BLACK = "My favourite colour is blue.", "My favourite colour is black."


def test_another_value_of_a_slot_is_a_revision_of_the_same_memory(palace: Palace) -> None:
    (first,) = palace.remember(BLUE).memory_ids
    changed = palace.remember(BLACK)
    assert changed.memory_ids == (first,)
    assert changed.fates[0].outcome == "superseded"
    assert palace.texts() == [BLACK]
    with palace.store.reading(View()) as reading:
        supersedes = [e for e in edges.of(reading, first, "out") if e.kind == "supersedes"]
    assert [(e.source.revision, e.target.revision) for e in supersedes] == [(2, 1)]


def test_its_address_stays_when_the_value_changes(palace: Palace) -> None:
    palace.remember(BLUE)
    before = palace.memories()[0].kref.short
    palace.remember(BLACK)
    assert palace.memories()[0].kref.short == before == "life.preferences/user-favorite-colour.preference"


def test_the_past_still_answers(palace: Palace) -> None:
    palace.remember(BLUE)
    then = palace.clock.now_us()
    palace.remember(BLACK)
    assert [m.text for m in palace.memories(as_of_us=then)] == [BLUE]


def test_a_value_and_its_change_within_one_batch_leave_one_belief(palace: Palace) -> None:
    palace.observe("I live in Bonn.", "I like tea.", "I moved to Kiel.")
    assert [t for t in palace.texts() if "Bonn" in t or "Kiel" in t] == ["I moved to Kiel."]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Deploys go out on Tuesdays.", "Deploys go out on Thursdays now."),
        ("The standup is at 9.", "The standup moved to 10."),
        ("The team uses Jira.", "We switched from Jira to Linear."),
        ("I use Firefox.", "I switched from Firefox to Brave."),
    ],
)
def test_a_habit_an_hour_or_a_tool_that_changed_leaves_one_belief(palace: Palace, old: str, new: str) -> None:
    palace.remember(old)
    assert palace.remember(new).fates[0].outcome == "superseded"
    assert len(palace.texts()) == 1


def test_an_older_message_that_comes_late_becomes_history(palace: Palace) -> None:
    palace.remember(BLACK)
    late = Message(text=BLUE, at_us=palace.clock.now_us() - 10**12)
    result = palace.remember(late)
    assert result.fates[0].reason == "slot: older than what is known"
    assert palace.texts() == [BLACK]
    with palace.store.reading(View()) as reading:
        history = [r.content.text for r in memories.history(reading, result.memory_ids[0])]
    assert history == [BLACK, BLUE]


@pytest.mark.parametrize(
    ("mode", "outcome", "texts"),
    [
        ("keep_existing", "skipped", [BLUE]),
        ("use_new", "superseded", [BLACK]),
        ("temporal", "superseded", [BLACK]),
        ("merge", "merged", [f"{BLUE} {BLACK}"]),
        ("ask", "conflict", [BLUE, BLACK]),
        ("keep_both", "stored", [BLUE, BLACK]),
    ],
)
def test_every_mode_does_what_it_says(palace: Palace, mode: ConflictMode, outcome: str, texts: list[str]) -> None:
    palace.remember(BLUE)
    result = palace.remember(Message(text=BLACK, conflict=mode))
    assert result.fates[0].outcome == outcome
    assert palace.texts() == texts


def test_a_mode_may_be_set_for_a_kind_and_for_all(store: SqliteStore, clock: FixedClock) -> None:
    by_kind = Palace(store, clock, None, Policy(conflict="use_new", conflict_by_kind={"preference": "keep_existing"}))
    by_kind.remember(BLUE, BLACK)
    assert by_kind.texts() == [BLUE]


def test_who_somebody_is_is_asked_about(palace: Palace) -> None:
    palace.remember("My name is Anna.")
    result = palace.remember("My name is Hanna.")
    assert result.fates[0].outcome == "conflict"
    (open_one,) = inbox(palace.store, View())
    assert (open_one.older.text, open_one.newer.text) == ("My name is Anna.", "My name is Hanna.")
    assert open_one.newer.revision.content.detail.flags == ("conflict",)


def test_a_disagreement_is_settled_once_and_can_be_taken_back(palace: Palace) -> None:
    palace.remember("My name is Anna.", "My name is Hanna.")
    (open_one,) = inbox(palace.store, View())
    settle(palace.store, View(), open_one.newer.id)
    assert palace.texts() == ["My name is Hanna."]
    assert inbox(palace.store, View()) == ()
    with pytest.raises(NotFound):
        settle(palace.store, View(), open_one.newer.id)
    assert len(palace.memories(include_deprecated=True)) == 2


def test_both_sides_may_be_kept(palace: Palace) -> None:
    palace.remember("My name is Anna.", "My name is Hanna.")
    (open_one,) = inbox(palace.store, View())
    settle(palace.store, View(), open_one.older.id, open_one.newer.id, both=True)
    assert palace.texts() == ["My name is Anna.", "My name is Hanna."]
    assert inbox(palace.store, View()) == ()


def test_a_memory_of_a_wider_scope_is_never_changed_from_below(palace: Palace) -> None:
    anna = Scope.of(user="anna")
    palace.remember(BLUE)
    result = palace.remember(Message(text=BLACK, scope=anna))
    assert result.fates[0].reason == "slot: held in a wider scope"
    assert palace.texts() == [BLUE]
    assert palace.texts(anna) == [BLUE, BLACK]


def test_one_persons_fact_does_not_replace_anothers(palace: Palace) -> None:
    palace.observe(
        Message(text="I live in Bonn.", speaker="Ann", addressee="Ben", thread="t"),
        Message(text="I live in Kiel.", speaker="Ben", addressee="Ann", thread="t"),
    )
    assert sorted(palace.texts()) == ["Ann lives in Bonn.", "Ben lives in Kiel."]


def test_when_somebody_else_was_faster_it_is_weighed_again(palace: Palace, monkeypatch: pytest.MonkeyPatch) -> None:
    (memory_id,) = palace.remember(BLUE).memory_ids
    commit, raced = SqliteStore.commit, []

    def slower(store: SqliteStore, changes: object, **kwargs: object) -> object:
        if not raced:
            raced.append(True)
            commit(store, [AddRevision(memory_id=memory_id, content=RevisionDraft(text="My favourite colour is red."))])
        return commit(store, changes, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(SqliteStore, "commit", slower)
    palace.remember(BLACK)
    monkeypatch.undo()
    (memory,) = palace.memories()
    assert (memory.text, memory.revision.number) == (BLACK, 3)


def test_a_race_that_never_ends_is_an_error_and_writes_nothing(palace: Palace, monkeypatch: pytest.MonkeyPatch) -> None:
    palace.remember(BLUE)

    def always(store: SqliteStore, changes: object, **kwargs: object) -> object:
        raise VersionConflict("changed meanwhile")

    monkeypatch.setattr(SqliteStore, "commit", always)
    with pytest.raises(VersionConflict):
        palace.remember(BLACK)


def test_a_taken_name_never_loses_a_write(store: SqliteStore, clock: FixedClock) -> None:
    palace = Palace(store, clock, HashEmbedder(256))
    palace.remember(Message(text=BLUE, conflict="keep_both"), Message(text=BLACK, conflict="keep_both"))
    names = {m.name for m in palace.memories()}
    assert "user-favorite-colour" in names
    assert len(names) == 2
