"""Work brings the procedure it needs, however much was said about its topic."""

from __future__ import annotations

from tests.recall.conftest import Room

from palazzo.model.capability import View
from palazzo.model.change import Attachments, SetDeprecated
from palazzo.model.graph import EdgeDraft, Node
from palazzo.model.scope import Scope
from palazzo.recall.answer.reply import Reply
from palazzo.spaces import Spaces
from palazzo.store.api import Filter
from palazzo.testing.palace import place_memory

STEPS = "To release the ferry site, tag the commit, run the checks and push the tag."
WORK = "How do I release the ferry site?"


def chatter(room: Room) -> None:
    for number in range(15):
        room.talk(f"s{number}", [("Olga", f"How do I release the ferry site? Release {number} of the ferry site.")])


def ways(reply: Reply) -> list[str]:
    return [hit.text for hit in reply.hits if hit.lane == "procedure"]


def test_one_procedure_stands_among_the_first_three_of_many_chats(room: Room) -> None:
    chatter(room)
    room.keep(STEPS, kind="fact", name="same-words")
    assert STEPS not in room.texts(WORK)[:3]
    room.keep(STEPS, kind="procedure")
    assert room.texts(WORK).index(STEPS) <= 2
    assert ways(room.ask(WORK)) == [STEPS]


def test_a_procedure_about_something_else_gets_no_place(room: Room) -> None:
    chatter(room)
    room.keep("To bake rye bread, feed the starter overnight.", kind="procedure")
    assert ways(room.ask(WORK)) == []


def test_a_question_that_asks_for_no_work_has_no_procedures_lane(room: Room) -> None:
    chatter(room)
    room.keep(STEPS, kind="procedure")
    assert ways(room.ask("When did Olga talk about the ferry site?")) == []
    assert ways(room.ask("ferry site", work=True)) == [STEPS]


def test_a_longer_list_has_room_for_one_in_ten(room: Room) -> None:
    chatter(room)
    for number in range(5):
        room.keep(f"To release the ferry site in port {number}, ring the bell {number} times.", kind="procedure")
    assert len(ways(room.ask(WORK, limit=10))) == 1
    assert len(ways(room.ask(WORK, limit=20))) == 2


def test_what_a_filter_leaves_out_does_not_come_back_through_the_lane(room: Room) -> None:
    chatter(room)
    room.keep(STEPS, kind="procedure")
    assert STEPS not in room.texts(WORK, filter=Filter(kinds=("exchange",)))


def test_deprecated_foreign_and_imported_procedures_get_no_place(room: Room) -> None:
    chatter(room)
    gone = room.keep(STEPS, kind="procedure")
    room.store.commit([SetDeprecated(gone.memory_id, True)])
    room.keep(STEPS, kind="procedure", scope=Scope.of(user="anna"))
    room.keep(STEPS, kind="procedure", author="import:notes")
    assert ways(room.ask(WORK, View(scope=Scope.of(user="ben")))) == []
    assert ways(room.ask(WORK, View(scope=Scope.of(user="anna")))) == [STEPS]


def test_without_vectors_words_find_the_procedure(room: Room) -> None:
    room.spaces = Spaces(room.store, None, "test", lambda _: None)
    chatter(room)
    room.keep(STEPS, kind="procedure")
    assert room.texts(WORK).index(STEPS) <= 2


def test_a_procedure_whose_turn_is_a_hit_is_not_shown_twice(room: Room) -> None:
    said = room.keep(STEPS, kind="exchange")
    drawn = Attachments(edges=(EdgeDraft("derived_from", Node(said.memory_id)),))
    room.store.commit([place_memory(STEPS, kind="procedure", attachments=drawn)])
    assert room.texts(WORK) == [STEPS]
