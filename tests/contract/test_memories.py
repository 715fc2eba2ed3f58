from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from palazzo.errors import NotFound, UnknownKind, VersionConflict
from palazzo.model.address import Kref, Place
from palazzo.model.capability import View
from palazzo.model.change import AddRevision, Attachments, MoveTag, PlaceMemory, RemoveTag, SetDeprecated, SetState
from palazzo.model.memory import Affect, Artifact, Atom, Detail, RevisionDraft
from palazzo.model.scope import Scope
from palazzo.store.api import Look, Store
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory
from palazzo.text.safety.secrets import find_secrets

VIEW = View()


def test_a_placed_memory_reads_back_exactly(store: Store) -> None:
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
        memory = reading.memories.get(change.memory_id)
        artifacts = reading.artifacts.of(change.memory_id)
    assert memory.revision.content == change.content
    assert (memory.place, memory.name, memory.kind) == (change.place, change.name, change.kind)
    assert memory.revision.number == 1
    assert artifacts == change.attachments.artifacts


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=300))
def test_any_text_but_a_secret_is_kept_verbatim(store: Store, text: str) -> None:
    assume(not find_secrets(text))
    change = place_memory(text)
    store.commit([change])
    with store.reading(VIEW) as reading:
        assert reading.memories.get(change.memory_id).text == text


def test_an_unknown_kind_is_refused_and_nothing_is_written(store: Store) -> None:
    with pytest.raises(UnknownKind, match="known kinds"):
        store.commit([place_memory("kept"), place_memory("x", kind="nonsense")])
    assert store.journal.last_seq() == 0


def test_a_memory_is_found_by_its_address_at_any_revision_tag_or_time(store: Store, clock: FixedClock) -> None:
    change = place_memory("blue", place="life", kind="preference", name="colour")
    store.commit([change])
    then = clock.now()
    clock.advance(days=1)
    store.commit(
        [AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="black"), tags=("current", "published"))]
    )
    with store.reading(VIEW) as reading:

        def text_at(address: str) -> str:
            return reading.memories.at_address(Kref.parse(address)).text

        assert text_at("life/colour.preference") == "black"
        assert text_at("life/colour.preference?r=1") == "blue"
        assert text_at("life/colour.preference?t=initial") == "blue"
        assert text_at("life/colour.preference?t=published") == "black"
        assert text_at(f"life/colour.preference?at={then.isoformat().replace('+00:00', 'Z')}") == "blue"
        with pytest.raises(NotFound):
            text_at("life/colour.preference?r=7")
        with pytest.raises(NotFound):
            text_at("life/other.preference")


def test_a_revision_written_against_an_outdated_one_is_refused(store: Store) -> None:
    change = place_memory("a")
    store.commit([change, AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="b"), expected=1)])
    with pytest.raises(VersionConflict):
        store.commit([AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="c"), expected=1)])
    with store.reading(VIEW) as reading:
        assert reading.memories.get(change.memory_id).text == "b"
        assert [r.content.text for r in reading.memories.history(change.memory_id)] == ["a", "b"]


def test_moving_a_tag_back_is_recorded_and_as_of_looks_it_up(store: Store, clock: FixedClock) -> None:
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
            seen.append(reading.memories.get(change.memory_id).text)
    assert seen == ["one", "two", "one"]
    with store.reading(VIEW) as reading:
        moves = [(m.tag, m.revision) for m in reading.tags.moves(change.memory_id)]
    assert moves == [("current", 1), ("current", 2), ("current", 1)]


def test_as_of_a_time_before_it_was_written_a_memory_is_not_there(store: Store, clock: FixedClock) -> None:
    before = clock.now_us()
    clock.advance(seconds=1)
    change = place_memory("later")
    store.commit([change])
    with store.reading(View(as_of_us=before)) as reading, pytest.raises(NotFound):
        reading.memories.get(change.memory_id)


def test_named_tags_come_and_go_but_reserved_ones_stay(store: Store) -> None:
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


def test_a_forgotten_memory_is_hidden_and_comes_back_when_restored(store: Store) -> None:
    change = place_memory("x")
    store.commit([change])
    store.commit([SetState(change.memory_id, "deleted", "asked to")])
    with store.reading(VIEW) as reading, pytest.raises(NotFound):
        reading.memories.get(change.memory_id)
    store.commit([SetState(change.memory_id, "active")])
    with store.reading(VIEW) as reading:
        assert reading.memories.get(change.memory_id).state == "active"


def test_a_deprecated_memory_is_shown_only_to_those_who_ask(store: Store, clock: FixedClock) -> None:
    change = place_memory("x")
    store.commit([change])
    believed = clock.now_us()
    clock.advance(seconds=1)
    store.commit([SetDeprecated(change.memory_id, True, "wrong")])
    for view, visible in ((VIEW, False), (View(include_deprecated=True), True), (View(as_of_us=believed), True)):
        with store.reading(view) as reading:
            assert bool(reading.memories.by_keys([1])) is visible


def test_places_appear_on_first_use_with_their_parents(store: Store) -> None:

    store.commit([place_memory("x", place="work.projects.foxora"), place_memory("y", place="work")])
    with store.reading(VIEW) as reading:
        below = [{info.place.path: info.memories for info in reading.places.children(Place.parse(path))}
                 for path in ("work", "work.projects")]  # fmt: skip
    assert below == [{"work.projects": 0}, {"work.projects.foxora": 1}]


def test_a_place_is_told_only_to_those_who_see_something_at_or_below_it(store: Store) -> None:

    made = place_memory("x", place="work.secret.deep", scope=Scope.of(user="anna"))
    store.commit([made, place_memory("y", place="work.shared")])
    told = {}
    for user in ("anna", "ben"):
        with store.reading(View(scope=Scope.of(user=user))) as reading:
            told[user] = [info.place.path for info in reading.places.children(Place.parse("work"), empty=False)]
            every = [info.place.path for info in reading.places.children(Place.parse("work"))]
    assert told == {"anna": ["work.secret", "work.shared"], "ben": ["work.shared"]}
    assert every == ["work.secret", "work.shared"]


def test_the_count_and_the_newest_of_a_place_are_those_of_what_its_reader_sees(store: Store) -> None:

    made = [place_memory(f"m{n}", place="work.desk", name=f"m{n}") for n in range(4)]
    theirs = place_memory("theirs", place="work.desk", name="theirs", scope=Scope.of(user="anna"))
    for change in (*made, theirs):
        store.commit([change])
    store.commit([SetState(made[3].memory_id, "deleted"), SetDeprecated(made[2].memory_id, deprecated=True)])
    with store.reading(VIEW) as reading:
        (info,) = reading.places.children(Place.parse("work"))
        seen = [reading.memories.get(change.memory_id).created_us for change in made[:2]]
    assert (info.memories, info.newest_us) == (2, max(seen))


def test_reading_an_old_revision_by_address_leaves_the_next_reading_fresh(store: Store) -> None:
    change = place_memory("one", name="n")
    store.commit([change, AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="two"))])
    with store.reading(VIEW) as reading:
        assert reading.memories.at_address(Kref.parse("work/n.fact?r=1")).text == "one"
    store.commit([AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="three"))])
    with store.reading(VIEW) as reading:
        assert reading.memories.get(change.memory_id).text == "three"


def looked(store: Store, change: PlaceMemory) -> tuple[bytes, ...]:
    """What is kept of each revision of a memory."""
    with store.reading(VIEW) as reading:
        return tuple(one.looked for one in reading.memories.history(change.memory_id))


def test_what_was_found_in_a_text_is_kept_while_the_text_is_what_it_was(store: Store) -> None:
    change, other = place_memory("Anna prefers tea"), place_memory("Bo prefers coffee")
    store.commit([change, other])
    with store.reading(VIEW) as reading:
        seen = reading.memories.get(change.memory_id).revision
        one = reading.memories.get(other.memory_id).revision
    store.keep_uses((), [Look(seen.key, seen.content_hash, b"found"), Look(one.key, b"of old", b"else")], 5.0)
    assert (looked(store, change), looked(store, other)) == ((b"found",), (b"",))
    store.commit([AddRevision(memory_id=change.memory_id, content=RevisionDraft(text="Anna prefers milk"))])
    assert looked(store, change) == (b"found", b"")


def test_a_text_that_is_sealed_later_loses_what_was_found_in_it(store: Store, engine: str) -> None:
    change = place_memory("Anna prefers tea")
    store.commit([change])
    with store.reading(VIEW) as reading:
        seen = reading.memories.get(change.memory_id).revision
    store.keep_uses((), [Look(seen.key, seen.content_hash, b"found")], 5.0)
    content = RevisionDraft(text="Anna is at anna@fenwater.example")
    store.commit([AddRevision(memory_id=change.memory_id, content=content, tier="confidential")])
    assert looked(store, change) == (b"" if engine.endswith("-sealed") else b"found", b"")
