from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palazzo.errors import Conflict, NotFound, UnknownKind, VersionConflict
from palazzo.model.address import Kref, Place
from palazzo.model.change import AddRevision, Attachments, MoveTag, PurgeMemory, RemoveTag, SetDeprecated, SetState
from palazzo.model.memory import Affect, Artifact, Atom, Detail, RevisionDraft
from palazzo.model.scope import Scope
from palazzo.model.view import View
from palazzo.store.sqlite import care, journal
from palazzo.store.sqlite.memory import memories, tags
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

VIEW = View()


def test_a_placed_memory_reads_back_exactly(store: SqliteStore) -> None:
    change = place_memory(
        "Anna prefers tea", place="life.preferences", kind="preference", summary="tea", key_fact="Anna: tea",
        label="tea",
        atoms=(Atom("anna", "drink", "tea", functional=True), Atom("anna", "coffee", "no", negated=True)),
        detail=Detail(topics=("food",), keywords=("tea",), speaker="Anna", prospects=("ordering a drink",)),
        importance=0.8, confidence=0.9, affect=Affect(0.5, 0.4), author="user", valid_from_us=5, valid_to_us=9,
        attachments=Attachments(artifacts=(Artifact("photo", "file:///a.png", "image/png", 12, "ab"),)),
    )  # fmt: skip
    store.commit([change])
    with store.reading(VIEW) as reading:
        memory = memories.get(reading, change.memory_id)
        artifacts = memories.artifacts_of(reading, change.memory_id)
    assert memory.revision.content == change.content
    assert (memory.place, memory.name, memory.kind) == (change.place, change.name, change.kind)
    assert memory.revision.number == 1
    assert artifacts == change.attachments.artifacts


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=300))
def test_any_text_is_kept_verbatim(store: SqliteStore, text: str) -> None:
    change = place_memory(text)
    store.commit([change])
    with store.reading(VIEW) as reading:
        assert memories.get(reading, change.memory_id).text == text


def test_an_unknown_kind_is_refused_and_nothing_is_written(store: SqliteStore) -> None:
    with pytest.raises(UnknownKind, match="known kinds"):
        store.commit([place_memory("kept"), place_memory("x", kind="nonsense")])
    with store.database.read() as connection:
        assert journal.last_seq(connection) == 0


def test_a_taken_address_is_a_conflict_and_the_whole_batch_is_undone(store: SqliteStore) -> None:
    store.commit([place_memory("one", name="same")])
    with pytest.raises(Conflict):
        store.commit([place_memory("two"), place_memory("three", name="same")])
    with store.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM memory").fetchone() == (1,)
        assert journal.gaps(connection) == []


def test_a_memory_is_found_by_its_address_at_any_revision_tag_or_time(store: SqliteStore, clock: FixedClock) -> None:
    change = place_memory("blue", place="life", kind="preference", name="colour")
    store.commit([change])
    then = clock.now()
    clock.advance(days=1)
    store.commit(
        [AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="black"), tags=("current", "published"))]
    )
    with store.reading(VIEW) as reading:

        def text_at(address: str) -> str:
            return memories.at_address(reading, Kref.parse(address)).text

        assert text_at("life/colour.preference") == "black"
        assert text_at("life/colour.preference?r=1") == "blue"
        assert text_at("life/colour.preference?t=initial") == "blue"
        assert text_at("life/colour.preference?t=published") == "black"
        assert text_at(f"life/colour.preference?at={then.isoformat().replace('+00:00', 'Z')}") == "blue"
        with pytest.raises(NotFound):
            text_at("life/colour.preference?r=7")
        with pytest.raises(NotFound):
            text_at("life/other.preference")


def test_a_revision_written_against_an_outdated_one_is_refused(store: SqliteStore) -> None:
    change = place_memory("a")
    store.commit([change, AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="b"), expected=1)])
    with pytest.raises(VersionConflict):
        store.commit([AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="c"), expected=1)])
    with store.reading(VIEW) as reading:
        assert memories.get(reading, change.memory_id).text == "b"
        assert [r.content.text for r in memories.history(reading, change.memory_id)] == ["a", "b"]


def test_moving_a_tag_back_is_recorded_and_as_of_looks_it_up(store: SqliteStore, clock: FixedClock) -> None:
    change = place_memory("one")
    store.commit([change])
    moments = [clock.now_us()]
    for step in (
        AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="two")),
        MoveTag(change.memory_id, "current", 1),
    ):
        clock.advance(seconds=10)
        store.commit([step])
        moments.append(clock.now_us())
    seen = []
    for moment in moments:
        with store.reading(View(as_of_us=moment)) as reading:
            seen.append(memories.get(reading, change.memory_id).text)
    assert seen == ["one", "two", "one"]
    with store.reading(VIEW) as reading:
        moves = [(m.tag, m.revision) for m in tags.moves(reading, change.memory_id)]
    assert moves == [("current", 1), ("current", 2), ("current", 1)]


def test_as_of_a_time_before_it_was_written_a_memory_is_not_there(store: SqliteStore, clock: FixedClock) -> None:
    before = clock.now_us()
    clock.advance(seconds=1)
    change = place_memory("later")
    store.commit([change])
    with store.reading(View(as_of_us=before)) as reading, pytest.raises(NotFound):
        memories.get(reading, change.memory_id)


def test_named_tags_come_and_go_but_reserved_ones_stay(store: SqliteStore) -> None:
    change = place_memory("x")
    store.commit([change, MoveTag(change.memory_id, "approved", 1)])
    store.commit([RemoveTag(change.memory_id, "approved")])
    with pytest.raises(NotFound):
        store.commit([RemoveTag(change.memory_id, "approved")])
    for tag in ("current", "initial"):
        with pytest.raises(Exception, match=tag):
            store.commit([RemoveTag(change.memory_id, tag)])
    with pytest.raises(NotFound):
        store.commit([MoveTag(change.memory_id, "current", 9)])


def test_a_forgotten_memory_is_hidden_and_comes_back_when_restored(store: SqliteStore) -> None:
    change = place_memory("x")
    store.commit([change])
    store.commit([SetState(change.memory_id, "deleted", "asked to")])
    with store.reading(VIEW) as reading, pytest.raises(NotFound):
        memories.get(reading, change.memory_id)
    store.commit([SetState(change.memory_id, "active")])
    with store.reading(VIEW) as reading:
        assert memories.get(reading, change.memory_id).state == "active"


def test_a_deprecated_memory_is_shown_only_to_those_who_ask(store: SqliteStore, clock: FixedClock) -> None:
    change = place_memory("x")
    store.commit([change])
    believed = clock.now_us()
    clock.advance(seconds=1)
    store.commit([SetDeprecated(change.memory_id, True, "wrong")])
    for view, visible in ((VIEW, False), (View(include_deprecated=True), True), (View(as_of_us=believed), True)):
        with store.reading(view) as reading:
            assert bool(memories.by_keys(reading, [1])) is visible


def test_a_purged_memory_leaves_no_row_but_its_id_in_the_journal(store: SqliteStore) -> None:
    keep, gone = place_memory("stays"), place_memory("zanzibar goes", detail=Detail(prospects=("travel",)))
    store.commit([keep, gone])
    store.commit([PurgeMemory(gone.memory_id)])
    with store.reading(VIEW) as reading, pytest.raises(NotFound):
        memories.get(reading, gone.memory_id)
    assert care.verify(store) == []
    with store.database.read() as connection:
        last = journal.tail(connection, 0)[-1]
    assert (last.kind, last.memory_id) == ("memory_purged", gone.memory_id)
    again = place_memory("new one")
    store.commit([again])
    with store.reading(VIEW) as reading:
        assert memories.get(reading, again.memory_id).revision.key == 3


def test_places_appear_on_first_use_with_their_parents(store: SqliteStore) -> None:
    from palazzo.store.sqlite.memory import places

    store.commit([place_memory("x", place="work.projects.foxora"), place_memory("y", place="work")])
    with store.reading(VIEW) as reading:
        below = [{info.place.path: info.memories for info in places.children(reading, Place.parse(path))}
                 for path in ("work", "work.projects")]  # fmt: skip
    assert below == [{"work.projects": 0}, {"work.projects.foxora": 1}]


def test_a_place_is_told_only_to_those_who_see_something_at_or_below_it(store: SqliteStore) -> None:
    from palazzo.store.sqlite.memory import places

    made = place_memory("x", place="work.secret.deep", scope=Scope.of(user="anna"))
    store.commit([made, place_memory("y", place="work.shared")])
    told = {}
    for user in ("anna", "ben"):
        with store.reading(View(scope=Scope.of(user=user))) as reading:
            told[user] = [info.place.path for info in places.children(reading, Place.parse("work"), empty=False)]
            every = [info.place.path for info in places.children(reading, Place.parse("work"))]
    assert told == {"anna": ["work.secret", "work.shared"], "ben": ["work.shared"]}
    assert every == ["work.secret", "work.shared"]


def test_the_count_and_the_newest_of_a_place_are_those_of_what_its_reader_sees(store: SqliteStore) -> None:
    from palazzo.store.sqlite.memory import places

    made = [place_memory(f"m{n}", place="work.desk", name=f"m{n}") for n in range(4)]
    theirs = place_memory("theirs", place="work.desk", name="theirs", scope=Scope.of(user="anna"))
    for change in (*made, theirs):
        store.commit([change])
    store.commit([SetState(made[3].memory_id, "deleted"), SetDeprecated(made[2].memory_id, deprecated=True)])
    with store.reading(VIEW) as reading:
        (info,) = places.children(reading, Place.parse("work"))
        seen = [memories.get(reading, change.memory_id).created_us for change in made[:2]]
    assert (info.memories, info.newest_us) == (2, max(seen))


def test_counting_what_stands_at_places_reads_no_row_of_memory(store: SqliteStore) -> None:
    from palazzo.store.sqlite.memory import places

    store.commit([place_memory("x", place="work.desk")])
    asked: list[str] = []
    with store.reading(VIEW) as reading:
        reading.connection.exec_trace = lambda _cursor, statement, _values: asked.append(statement) or True
        places.children(reading, Place.parse("work"))
        reading.connection.exec_trace = None
        (statement,) = asked
        plan = [row[3] for row in reading.connection.execute(
            f"EXPLAIN QUERY PLAN {statement}", (None,) * statement.count("?"))]  # fmt: skip
    assert [step for step in plan if " m " in step and "COVERING INDEX memory_place" not in step] == []
    assert not any(step.startswith("SCAN p") for step in plan)


def test_reading_an_old_revision_by_address_leaves_the_next_reading_fresh(store: SqliteStore) -> None:
    change = place_memory("one", name="n")
    store.commit([change, AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="two"))])
    with store.reading(VIEW) as reading:
        assert memories.at_address(reading, Kref.parse("work/n.fact?r=1")).text == "one"
    store.commit([AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="three"))])
    with store.reading(VIEW) as reading:
        assert memories.get(reading, change.memory_id).text == "three"


def test_an_unfinished_statement_does_not_pin_later_readings_to_its_moment(store: SqliteStore) -> None:
    store.commit([place_memory(f"m {n}") for n in range(300)])
    with store.reading(VIEW) as reading:
        unfinished = iter(reading.connection.execute("SELECT * FROM revision"))
        next(unfinished)
    store.commit([place_memory("later", name="later")])
    with store.reading(VIEW) as reading:
        assert memories.at_address(reading, Kref.parse("work/later.fact")).text == "later"
