"""A client's own list of work: what is on it stands as it says, whatever talk makes of it."""

from __future__ import annotations

from msgspec.structs import replace

from palazzo.persona.bridge import Bridge, WorkNotes, bridge_of, written
from palazzo.persona.listed import Todo, relisted
from palazzo.persona.work import SaidTurn

PLAN = "We should print the tide almanac on cream paper."


def listing(*entries: tuple[str, str]) -> list[Todo]:
    return [Todo(text, state, 0) for text, state in entries]  # type: ignore[arg-type]


def kept(*lists: list[Todo]) -> tuple[Todo, ...]:
    found: tuple[Todo, ...] = ()
    for at, todos in enumerate(lists, 1):
        found = relisted(found, [replace(todo, at_us=10 * at) for todo in todos])
    return found


def states(found: tuple[Todo, ...]) -> dict[str, str]:
    return {one.text: one.state for one in found}


def stands(listed: tuple[Todo, ...], *said: tuple[str, str]) -> Bridge:
    turns = [SaidTurn(role, text, at) for at, (role, text) in enumerate(said, 1)]
    return bridge_of(turns, WorkNotes(listed=listed))


def test_what_an_edited_list_no_longer_has_was_taken_off_it_and_what_was_done_stays_done() -> None:
    found = kept(
        listing(("Print the almanac", "open"), ("Grease the crane", "open"), ("Paint the buoy", "done")),
        listing(("Print the almanac", "open")),
    )
    assert states(found) == {
        "Print the almanac": "open", "Grease the crane": "cancelled", "Paint the buoy": "done",
    }  # fmt: skip


def test_a_list_that_is_told_again_is_no_news() -> None:
    once = listing(("Print the almanac", "open"), ("Grease the crane", "done"))
    assert kept(once, once) == kept(once)


def test_a_list_of_other_work_leaves_what_was_open_in_doubt() -> None:
    found = kept(listing(("Print the almanac", "open")), listing(("Weigh the anchor", "open")))
    assert states(found) == {"Print the almanac": "unsure", "Weigh the anchor": "open"}


def test_an_entry_in_other_words_is_the_same_one() -> None:
    found = kept(
        listing(("Print the almanac", "open"), ("Grease the crane", "open")),
        listing(("Print the tide almanac", "open"), ("Grease the crane", "done")),
    )
    assert states(found) == {"Print the tide almanac": "open", "Grease the crane": "done"}


def test_entries_with_keys_are_told_one_by_one_and_leave_the_others_alone() -> None:
    found = kept(
        [Todo("Print the almanac", "open", 0, "s/1")], [Todo("Grease the crane", "open", 0, "s/2")],
        [Todo("", "done", 0, "s/1")], [Todo("", "cancelled", 0, "s/2")], [Todo("", "done", 0, "s/9")],
    )  # fmt: skip
    assert states(found) == {"Print the almanac": "done", "Grease the crane": "cancelled"}


def test_the_list_says_where_a_plan_of_the_talk_stands() -> None:
    for state in ("open", "done", "cancelled"):
        found = stands(kept(listing(("Print the tide almanac on cream paper", state))), ("user", PLAN))
        assert [(item.text, item.state) for item in found.items] == [(PLAN, state)]


def test_an_entry_that_nobody_spoke_of_is_a_plan_and_stands_on_the_page() -> None:
    found = stands(
        kept(listing(("Grease the crane", "open"), ("Weigh the anchor", "cancelled"))), ("user", PLAN)
    )  # fmt: skip
    assert {item.text: item.state for item in found.items} == {
        PLAN: "open", "Grease the crane": "open", "Weigh the anchor": "cancelled",
    }  # fmt: skip
    assert "Grease the crane" in written(found)


def test_talk_moves_what_is_on_the_list_by_a_persons_word_alone() -> None:
    entry = (Todo("Print the tide almanac on cream paper", "open", 2),)
    reported = stands(entry, ("user", PLAN), ("assistant", "Noted."), ("assistant", "I finished the tide almanac."))
    assert [item.state for item in reported.items] == ["open"]
    scrapped = stands(entry, ("user", PLAN), ("assistant", "Noted."), ("user", "Scrap the tide almanac."))
    assert [item.state for item in scrapped.items] == ["cancelled"]


def test_what_a_person_gave_up_and_a_list_still_has_is_not_offered_as_open() -> None:
    found = stands(
        (Todo("Print the tide almanac on cream paper", "open", 9),),
        ("user", PLAN),
        ("user", "Scrap the tide almanac."),
    )
    assert [item.state for item in found.items] == ["unsure"]


def test_the_third_buoy_is_not_the_fourth() -> None:
    found = stands(kept(listing(("Paint buoy 4", "done"))), ("user", "Please paint buoy 3."))
    assert {item.text: item.state for item in found.items} == {"Please paint buoy 3.": "open", "Paint buoy 4": "done"}
