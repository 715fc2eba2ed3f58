"""The worked examples of the seeds, as documented tests. Appendix C of seed 000 is in test_staleness.py."""

from __future__ import annotations

from palazzo.belief.held import told, whole
from palazzo.belief.logic import statement
from palazzo.belief.operations import Assertion, Operations
from palazzo.model.address import Kref, Place
from palazzo.model.capability import View
from palazzo.model.change import AddEdge
from palazzo.model.graph import Node
from palazzo.model.memory import Atom
from palazzo.store.sql.graph import edges
from palazzo.store.sql.memory import memories
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

VIEW = View()


def base(store: SqliteStore, view: View = VIEW) -> set[str]:
    with store.reading(view) as reading:
        return {told(one) for one in whole(reading)}


def test_seed_004_section_7_5_a_colour_preference_and_the_palette_that_rests_on_it(
    store: SqliteStore, clock: FixedClock
) -> None:
    tones = place_memory(
        "warm tones", kind="decision", place="work.design", name="color-pref",
        atoms=(Atom("color-pref", "summary", "warm tones", functional=True),),
    )  # fmt: skip
    palette = place_memory(
        "earth-tone palette", kind="decision", place="work.design", name="palette",
        atoms=(Atom("palette", "summary", "earth-tone palette", functional=True),),
    )  # fmt: skip
    store.commit([tones, palette, AddEdge("depends_on", Node(palette.memory_id, 1), Node(tones.memory_id, 1))])
    before_us = clock.now_us()
    clock.advance(days=1)

    operations = Operations(store, VIEW)
    changed = operations.revise(
        Assertion(atoms=(Atom("color-pref", "summary", "cool tones", functional=True),), text="cool tones")
    )
    assert changed.memory_id == tones.memory_id
    assert base(store) == {"color-pref summary cool tones", "palette summary earth-tone palette"}

    with store.reading(VIEW) as reading:
        assert [step.memory_id for step in edges.impact(reading, tones.memory_id, depth=2)] == [palette.memory_id]
        kinds = [(e.kind, e.source.revision, e.target.revision) for e in edges.of(reading, tones.memory_id, "out")]
        assert kinds == [("supersedes", 2, 1)]
        assert memories.at_address(reading, Kref.parse("work.design/color-pref.decision")).text == "cool tones"
    assert "color-pref summary warm tones" in base(store, View(as_of_us=before_us))

    operations.rollback(tones.memory_id, 1)
    assert "color-pref summary warm tones" in base(store)


def test_seed_004_section_15_6_a_favourite_colour_is_corrected(store: SqliteStore, clock: FixedClock) -> None:
    """And better than there: the superseded colour is not found any more, whatever the words of the question."""
    operations = Operations(store, VIEW)
    blue, black = (Atom("user", "favorite_color", value, functional=True) for value in ("blue", "black"))
    first = operations.revise(
        Assertion(atoms=(blue,), text="The user's favorite color is blue", kind="preference", place=Place(("life",)))
    )
    clock.advance(days=2)
    operations.revise(Assertion(atoms=(black,), text="Favorite color is now black, not blue", kind="preference"))
    assert base(store) == {"user favorite_color black"}
    assert first.memory_id is not None
    with store.reading(VIEW) as reading:
        history = memories.history(reading, first.memory_id)
        assert edges.impact(reading, first.memory_id) == ()
    assert [one.content.text for one in history] == [
        "The user's favorite color is blue", "Favorite color is now black, not blue",
    ]  # fmt: skip


def test_seed_001_section_4_3_an_editor_is_switched(store: SqliteStore, clock: FixedClock) -> None:
    operations = Operations(store, VIEW)
    vim, helix = (Atom("user", "uses_for_editing", value, functional=True) for value in ("vim", "Helix"))
    first = operations.revise(Assertion(atoms=(vim,), text="I use vim", kind="decision"))
    clock.advance(days=90)
    operations.revise(Assertion(atoms=(helix,), text="I switched to Helix", kind="decision"), occasion="change")
    assert operations.holds(statement("user", "uses_for_editing", "helix"))
    assert not operations.holds(statement("user", "uses_for_editing", "vim"))
    assert first.memory_id is not None
    operations.rollback(first.memory_id, 1)
    assert operations.holds(statement("user", "uses_for_editing", "vim"))
