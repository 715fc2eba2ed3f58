"""How often a recall asks the tables: what ranking needs of a candidate is at hand, the hits are read."""

from __future__ import annotations

from tests.recall.conftest import Room

MOST = 5
"""Statements that read: where the journal stands, the texts of the best, and what the hits are shown with; one more
where something drawn from a hit no longer holds, and one where a time is named."""
THINGS = ("heron", "lantern", "ferry", "orchard", "violin", "kettle", "glacier", "harbour", "saddle", "compass")
DEEDS = ("repaired", "painted", "sold", "lost", "borrowed", "described", "photographed", "bought")


def statements(room: Room, cue: str) -> list[str]:
    """Those that a cue costs, without the two that begin and end the reading."""
    asked: list[str] = []
    for connection in room.store.database._readers:
        connection.set_exec_trace(lambda _, statement, __: (asked.append(statement), True)[1])
    assert room.ask(cue).hits
    for connection in room.store.database._readers:
        connection.set_exec_trace(None)
    return [one for one in asked if one not in ("BEGIN", "ROLLBACK")]


def filled(room: Room) -> None:
    for number, deed in enumerate(DEEDS):
        said = [("Nadia" if at % 2 else "Tom", f"I {deed} the {thing} by the lake") for at, thing in enumerate(THINGS)]
        room.talk(f"evening {number}", said)
    for thing in THINGS:
        room.keep(f"Nadia keeps the {thing} in the boathouse")


def test_a_recall_asks_the_tables_at_most_five_times(room: Room) -> None:
    filled(room)
    for thing in THINGS:  # a process that has answered such questions for a while
        room.ask(f"Where is the {thing} of Tom?")
    for number, deed in enumerate(DEEDS):
        asked = statements(room, f"Who {deed} the {THINGS[number]} by the lake?")
        assert len(asked) <= MOST, asked


def test_what_was_written_since_is_found_at_once_and_costs_few_more(room: Room) -> None:
    filled(room)
    for thing in THINGS:
        room.ask(f"Where is the {thing} of Tom?")
    room.keep("Nadia hung the barometer beside the boathouse door")
    asked = statements(room, "Where is the barometer of Nadia?")
    assert room.texts("Where is the barometer of Nadia?")[0] == "Nadia hung the barometer beside the boathouse door"
    assert not [one for one in asked if "FROM memory m JOIN revision" in one and ">= ?" in one], "all was read again"
