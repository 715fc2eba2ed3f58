"""A cue that is a place is walked: it brings what stands there, and nothing is searched or ranked."""

from __future__ import annotations

import pytest
from tests.recall.conftest import DAY_US, Room

from palazzo.model.capability import View
from palazzo.model.change import SetDeprecated
from palazzo.model.scope import Scope
from palazzo.recall.read.cue import Cue, read_cue
from palazzo.store.api import Filter
from palazzo.testing.clock import FixedClock


def furnish(room: Room) -> None:
    room.keep("The hull is oak.", place="projects.ferry")
    room.keep("Rivets come on Monday.", place="projects.ferry.orders")
    room.keep("Two coats of tar.", place="projects.ferry.orders.paint")
    room.keep("Lunch is at noon.", place="projects.ferryman")
    room.keep("Rent is due on the first.", place="life.money")


def at_places(room: Room, cue: str, view: View = View()) -> list[str]:
    return [hit.text for hit in room.ask(cue, view).hits if hit.lane == "place"]


def test_a_place_brings_what_stands_there_and_a_subtree_what_stands_below_too(room: Room) -> None:
    furnish(room)
    reply = room.ask("projects.ferry")
    assert [hit.text for hit in reply.hits] == ["The hull is oak."]
    assert (reply.quality.weights, reply.quality.intent, reply.known) == ("place", "lookup", True)
    below = room.ask("projects.ferry.**")
    assert [hit.text for hit in below.hits] == ["The hull is oak.", "Rivets come on Monday.", "Two coats of tar."]
    assert {hit.lane for hit in below.hits} == {"place"}


def test_places_that_hold_nothing_are_answered_with_nothing(room: Room) -> None:
    furnish(room)
    room.keep("Nothing stands in projects.barge yet.", place="life.notes")
    assert (room.ask("projects.barge.**").hits, room.ask("projects.barge.**").known) == ((), False)
    assert room.texts("projects.barge")[0] == "Nothing stands in projects.barge yet.", (
        "without a sign they may be words"
    )


def test_a_glob_names_exactly_its_places(room: Room) -> None:
    furnish(room)
    assert at_places(room, "projects.ferry.*") == ["Rivets come on Monday."]
    assert set(at_places(room, "projects.ferry.**")) == {
        "The hull is oak.", "Rivets come on Monday.", "Two coats of tar."
    }  # fmt: skip


def test_an_address_without_a_memory_brings_its_place(room: Room) -> None:
    furnish(room)
    assert at_places(room, "projects.ferry.orders/nothing.fact") == ["Rivets come on Monday."]


def test_a_slice_keeps_to_its_time(room: Room) -> None:
    room.keep("Old plank.", place="projects.raft", valid_from_us=FixedClock.START_US - 800 * DAY_US)
    room.keep("New plank.", place="projects.raft")
    year = read_cue(Cue(text="projects.raft#2020-01"), (), 0)
    assert year.glob is not None
    assert year.glob.slice is not None
    assert at_places(room, "projects.raft#1990-01") == []
    assert len(at_places(room, "projects.raft")) == 2


def test_what_is_important_comes_before_what_is_new(room: Room) -> None:
    room.keep("The keel is cracked.", place="projects.raft", importance=0.9)
    for number in range(30):
        room.keep(f"Plank {number} was counted.", place="projects.raft", importance=0.3)
    found = at_places(room, "projects.raft")
    assert found[:2] == ["The keel is cracked.", "Plank 29 was counted."]


def test_words_of_the_place_elsewhere_are_not_looked_for(room: Room) -> None:
    furnish(room)
    room.keep("projects ferry projects.ferry", place="life.notes")
    assert room.texts("projects.ferry") == ["The hull is oak."]


@pytest.mark.parametrize("cue", ["node.js", "3.14", "hello.", "e.g.", "...", "*.", "Projects.Ferry", "projects ferry."])
def test_words_with_dots_that_are_no_place_are_words(room: Room, cue: str) -> None:
    furnish(room)
    assert at_places(room, cue) == []


def test_only_what_this_reader_sees_and_believes_is_brought(room: Room) -> None:
    furnish(room)
    gone = room.keep("The hull is iron.", place="projects.ferry")
    room.store.commit([SetDeprecated(gone.memory_id, True)])
    room.keep("The hull is glass.", place="projects.ferry", scope=Scope.of(user="anna"))
    room.keep("The code is four.", place="vault.ferry")
    assert "The hull is iron." not in at_places(room, "projects.ferry")
    assert "The hull is glass." not in at_places(room, "projects.ferry", View(scope=Scope.of(user="ben")))
    assert "The hull is glass." in at_places(room, "projects.ferry", View(scope=Scope.of(user="anna")))
    assert at_places(room, "vault.ferry") == []


def test_a_filter_holds_for_the_walk(room: Room) -> None:
    furnish(room)
    room.keep("Keep her dry.", place="projects.ferry", kind="instruction")
    assert room.texts("projects.ferry", filter=Filter(kinds=("instruction",))) == ["Keep her dry."]
