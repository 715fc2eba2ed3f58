"""Where work stands, read from what was said: plans with their states, decisions, names letter by letter."""

from __future__ import annotations

import pytest

from palazzo.persona.bridge import Bridge, Ran, WorkNotes, bridge_of, written
from palazzo.persona.work import SaidTurn

USER, ASSISTANT = "user", "assistant"


def read(*said: tuple[str, str]) -> Bridge:
    return bridge_of([SaidTurn(role, text, at) for at, (role, text) in enumerate(said, 1)])


def states(bridge: Bridge) -> dict[str, str]:
    return {item.text: item.state for item in bridge.items}


@pytest.mark.parametrize(
    "given_up",
    [
        "Scrap the rainfall gauge, the council will not fund it.", "Let's not build the rainfall gauge after all.",
        "The rainfall gauge is off the table.", "We decided against the rainfall gauge.",
        "I've changed my mind about the rainfall gauge.", "No more work on the rainfall gauge.",
        "The rainfall gauge has been called off.", "Forget the rainfall gauge.", "Drop the rainfall gauge for now.",
        "We no longer need the rainfall gauge.", "The rainfall gauge won't happen this year.",
    ],
)  # fmt: skip
def test_a_plan_that_is_given_up_is_cancelled_however_that_is_said(given_up: str) -> None:
    found = read((USER, "We should build a rainfall gauge for the lock keeper."), (USER, given_up))
    assert states(found) == {"We should build a rainfall gauge for the lock keeper.": "cancelled"}
    assert found.items[0].moved_by == given_up


@pytest.mark.parametrize(
    "finished",
    [
        "Done: the mooring calculator is in.", "I've finished the mooring calculator.",
        "The mooring calculator is live.",
        "The mooring calculator has been merged.", "- [x] mooring calculator", "Implemented the mooring calculator.",
    ],
)  # fmt: skip
def test_a_plan_that_is_reported_done_is_done(finished: str) -> None:
    found = read((USER, "Please write a mooring calculator."), (ASSISTANT, finished))
    assert [item.state for item in found.items] == ["done"]


def test_what_is_not_done_yet_stays_open() -> None:
    found = read((USER, "We need to calibrate the sluice sensors."), (ASSISTANT, "The sluice sensors aren't done yet."))
    assert {item.state for item in found.items} == {"open"}


def test_an_assistant_cannot_take_up_again_what_the_user_gave_up() -> None:
    found = read(
        (USER, "Let's migrate the tide tables to the new archive."), (USER, "Cancel the tide tables migration."),
        (ASSISTANT, "Next I'll migrate the tide tables to the new archive."),
    )  # fmt: skip
    assert [item.state for item in found.items] == ["cancelled"]
    again = read(
        (USER, "Let's migrate the tide tables to the new archive."), (USER, "Cancel the tide tables migration."),
        (USER, "On reflection, the tide tables migration is back on."),
    )  # fmt: skip
    assert [item.state for item in again.items] == ["open"]


def test_only_what_was_planned_is_given_up_by_an_order_not_to_do_something() -> None:
    assert states(read((USER, "Don't use tabs."))) == {}


def test_one_of_two_plans_alike_is_moved_and_the_other_stays() -> None:
    found = read(
        (USER, "Write docs for the berth endpoint."), (USER, "Write tests for the berth endpoint."),
        (ASSISTANT, "The tests for the berth endpoint are done."),
    )  # fmt: skip
    assert states(found) == {
        "Write docs for the berth endpoint.": "open", "Write tests for the berth endpoint.": "done"
    }  # fmt: skip


def test_what_takes_the_place_of_a_plan_is_a_decision() -> None:
    found = read(
        (USER, "We will poll the buoys with a cron script."),
        (USER, "Replace the cron script with a systemd timer because missed runs must be caught up."),
    )
    assert [item.state for item in found.items] == ["cancelled", "open"]
    assert found.decisions[0].reason == "missed runs must be caught up"


def test_decisions_keep_their_reasons_and_rejected_ways_are_kept() -> None:
    found = read(
        (USER, "We agreed on Rust for the gateway because the boards have 64 KB."),
        (ASSISTANT, "I tried a bloom filter but it let stale berths through."),
    )
    assert [(one.text.split()[3], one.reason) for one in found.decisions] == [("Rust", "the boards have 64 KB")]
    assert "bloom filter" in found.rejected[0].text


def test_a_question_or_a_condition_is_no_plan() -> None:
    assert not read((USER, "Should we cancel the regatta page?"), (USER, "If it rains we cancel the parade.")).items


def test_names_paths_and_codes_are_kept_letter_by_letter() -> None:
    said = "See src/locks/valve.py, HARB-118 and commit 9f3c2ab; HARBOUR_MODE=dry needs `make flood` on port 7443."
    words = read((USER, said)).words
    assert {"src/locks/valve.py", "HARB-118", "9f3c2ab", "HARBOUR_MODE", "make flood", "port 7443"} <= set(words)


def test_the_page_shows_open_and_given_up_work_first_and_says_what_has_no_room() -> None:
    turns = [(USER, f"Please check buoy number {n} off the coast of Gotland.") for n in range(60)]
    notes = WorkNotes(cwd="/srv/harbour", branch="flood", ran=(Ran("make test", 2),))
    found = bridge_of([SaidTurn(role, text, at) for at, (role, text) in enumerate(turns, 1)], notes)
    page = written(found, 2000)
    assert len(page) <= 2000
    assert "kept and recallable" in page
    assert "make test`: exit code 2" in written(found, 20_000)


def test_framing_changes_the_headings_alone() -> None:
    found = read((USER, "Please paint the bollards."), (USER, "We decided on grey."))
    first, neutral = (written(found, 5000, framing) for framing in ("first_person", "neutral"))
    body = [[line for line in page.splitlines() if not line.startswith("#")] for page in (first, neutral)]
    assert body[0] == body[1]
    assert first != neutral


@pytest.mark.parametrize("ended", ["Scrap that.", "Actually, never mind.", "No, let's not do that."])
def test_who_names_nothing_means_what_was_talked_about_last(ended: str) -> None:
    found = read(
        (USER, "Please survey the north quay."), (USER, "I'd like a model of the lock for the fair."),
        (ASSISTANT, "I can have a model of the lock ready by Friday."), (USER, ended),
    )  # fmt: skip
    assert states(found)["Please survey the north quay."] == "open"
    assert states(found)["I'd like a model of the lock for the fair."] == "cancelled"


def test_a_plan_that_is_put_off_or_handed_over_stays_open_and_says_so() -> None:
    found = read(
        (USER, "Please repaint the harbour office."), (USER, "Order new fenders for the tug."),
        (USER, "The harbour office has to wait until the scaffolding is free."),
        (USER, "Pia is ordering the fenders now."),
    )  # fmt: skip
    assert {(item.state, item.remark) for item in found.items} == {("open", "put off"), ("open", "handed over")}
    assert "(put off: The harbour office has to wait" in written(found)


@pytest.mark.parametrize(
    ("plan", "ended"),
    [
        ("We want a webcam on the breakwater.", "The mayor won't hear of a webcam, privacy and all that."),
        ("Let's rent out the old crane house.", "The insurance for the crane house eats all the rent, so that's that."),
        ("Build a slipway for kayaks.", "The kayak club folded in March, there's nobody left who would use a slipway."),
    ],
)  # fmt: skip
def test_a_plan_that_may_be_over_is_never_offered_as_plainly_open(plan: str, ended: str) -> None:
    found = read((USER, plan), (USER, ended))
    assert [item.state in ("cancelled", "unsure") for item in found.items] == [True]
    assert plan not in written(found).partition("## Perhaps over")[0].partition("## Given up")[0]


def test_an_open_plan_stands_with_what_was_last_said_of_it_so_that_a_reader_sees_an_end_that_was_not_read() -> None:
    begun, echoed = (USER, "Carve a nameplate for the ferry."), (ASSISTANT, "A nameplate for the ferry, noted.")
    found = read(begun, echoed, (USER, "My uncle had a nameplate like that on his boat."))
    (line,) = [line for line in written(found).splitlines() if line.startswith("- Carve")]
    assert (
        line == "- Carve a nameplate for the ferry. (last said of it: My uncle had a nameplate like that on his boat.)"
    )
    later = read(
        begun, (USER, "My uncle had a nameplate like that on his boat."), (USER, "The nameplate has to wait until May.")
    )
    assert [(item.remark, item.spoken) for item in later.items] == [("put off", "")]


def test_what_is_only_spoken_of_stays_open() -> None:
    found = read(
        (USER, "Renew the lease of the boathouse."), (USER, "The boathouse was built by my grandfather."),
        (USER, "Who has the keys of the boathouse?"), (ASSISTANT, "All right."),
    )  # fmt: skip
    assert [item.state for item in found.items] == ["open"]


@pytest.mark.parametrize(
    "planned", ["Choose a caterer for the regatta.", "Pick up the charts at the depot.", "Adopt the greyhound."]
)
def test_a_choice_that_is_still_to_be_made_is_a_plan(planned: str) -> None:
    assert states(read((USER, planned))) == {planned: "open"}


@pytest.mark.parametrize(
    "said",
    [
        "Both pilots took leave on Friday.", "The deckhand's sister waved from the pier, bless her.",
        "Mrs Holm's boathouse stood empty.", "Spent an hour on the pier with the twins.",
        "The bell was rung once and then the whole crew sang tonight.", "Read me the last line of the log.",
    ],
)  # fmt: skip
def test_a_sentence_in_which_a_word_alone_hints_at_work_is_no_plan(said: str) -> None:
    assert not read((USER, said)).items


def test_an_order_that_opens_a_sentence_and_a_need_are_plans_whatever_else_is_said() -> None:
    for planned in (
        "Tar the keel, the old coat is gone.",
        "The slipway needs a new winch.",
        "Read the chart to the crew.",
    ):
        assert states(read((USER, planned))) == {planned: "open"}


@pytest.mark.parametrize(
    "planned",
    [
        "I'm planning a year off at sea.", "I'm thinking of leaving the club.", "I said I'd be at the regatta.",
        "Saw-cut the slab of the quay.",
    ],
)  # fmt: skip
def test_what_somebody_is_planning_or_said_they_would_do_is_a_plan(planned: str) -> None:
    assert states(read((USER, planned))) == {planned: "open"}


def test_what_plainly_ends_something_without_saying_what_stands_beside_the_open_plans() -> None:
    plans = ("Please survey the north quay.", "Let's hire a second cook for the canteen.", "Get the drum mended.")
    said = "On Friday we handed it in at last, all forty pages of it."
    talk = ((ASSISTANT, "Noted."), (USER, "How is the weather?"), (ASSISTANT, "Fog until noon."), (USER, "Fine."))
    found = read(*((USER, text) for text in plans), *talk, (USER, said))
    assert states(found) == dict.fromkeys(plans, "open")
    assert found.loose == (said,)
    _, head, below = written(found, framing="neutral").partition("## Ends of something that is not named\n")
    assert head
    assert below.splitlines()[0] == f"- {said}"
    assert not read(*((USER, text) for text in plans), *talk, (USER, "Scrap the survey of the north quay.")).loose
    assert not read((USER, said)).loose, "where nothing stands there is nothing that it could end"


def test_a_user_gives_up_what_an_assistant_called_done() -> None:
    found = read(
        (USER, "Replace the paper logbook with a tablet."), (ASSISTANT, "The tablet is set up, the logbook is done."),
        (USER, "Nobody can read it in the sun. Drop the tablet."),
    )  # fmt: skip
    assert {item.state for item in found.items if "logbook" in item.text} == {"cancelled"}


@pytest.mark.parametrize(
    ("plan", "by", "ended", "state"),
    [
        ("Please dredge the west basin.", USER,
         "The harbour board found the water deep enough there, so the digging is off.", "cancelled"),
        ("Move the ticket sale to the web shop.", USER,
         "The passengers prefer the counter, so we stay with paper.", "unsure"),
    ],
)  # fmt: skip
def test_an_end_in_other_words_ends_the_plan_it_is_of_and_no_other(plan: str, by: str, ended: str, state: str) -> None:
    others = ("Please survey the north quay.", "Let's hire a second cook for the canteen.")
    talk = ((ASSISTANT, "Noted."), (USER, "How is the weather?"), (ASSISTANT, "Fog until noon."), (USER, "Fine."))
    found = read(*((USER, text) for text in (*others, plan)), *talk, (by, ended))
    assert states(found) == {others[0]: "open", others[1]: "open", plan: state}


@pytest.mark.parametrize("said", ["My cousin gave up smoking.", "The bridge over the canal is owned by the county."])
def test_what_ends_nothing_that_was_planned_leaves_every_plan_alone(said: str) -> None:
    plans = ("Please survey the north quay.", "Let's hire a second cook for the canteen.")
    found = read(*((USER, text) for text in plans), (ASSISTANT, "Noted."), (USER, "Fine."), (USER, said))
    assert states(found) == dict.fromkeys(plans, "open")


def test_an_end_that_may_be_of_two_plans_leaves_both_in_doubt_and_says_why() -> None:
    plans = ("Repair the east jetty.", "Repair the west jetty.")
    said = "The engineers looked at the piles and said it's not worth it, leave it."
    talk = ((USER, "How is the weather?"), (ASSISTANT, "Fog until noon.")) * 2
    found = read(*((USER, text) for text in plans), *talk, (USER, said))
    assert states(found) == dict.fromkeys(plans, "unsure")
    assert written(found).count(f"(perhaps given up: {said})") == len(plans)


def test_works_that_one_sentence_tells_end_one_by_one() -> None:
    told = "First we should caulk the dinghy, then order new fenders, and at some point repaint the boathouse."
    found = read(
        (USER, told), (ASSISTANT, "Noted."), (USER, "The fenders are ordered."), (USER, "Forget the boathouse.")
    )
    assert [item.state for item in found.items] == ["open", "done", "cancelled"]
    assert all(item.text in told for item in found.items)


@pytest.mark.parametrize(
    "told",
    [
        "Call the chandler and book a day in the yard.", "Caulk the dinghy and varnish it.",
        "Find and patch the leak in the bilge.", "We need new fenders, a boathook and a chart.",
        "Write a script that reads the log and prints the tides.",
    ],
)  # fmt: skip
def test_what_leads_to_a_work_or_is_a_part_of_it_is_none_of_its_own(told: str) -> None:
    assert len(read((USER, told)).items) == 1


def test_a_plan_that_shares_a_word_everybody_uses_with_another_is_one_of_its_own() -> None:
    plans = (
        "Please look for a mooring near the lock.",
        "We're thinking of renting a crane in May, please look for an offer.",
    )
    assert list(states(read(*((USER, plan) for plan in plans)))) == list(plans)


@pytest.mark.parametrize(
    ("plan", "ended"),
    [
        ("I need to splice a new painter for the dinghy.", "turns out the dinghy is sold so the painter is out"),
        ("I want to learn celestial navigation in the evenings.", "I will not do celestial navigation, I'm too tired."),
    ],
)  # fmt: skip
def test_a_rule_that_misreads_a_plain_end_does_not_outweigh_the_reader(plan: str, ended: str) -> None:
    assert states(read((USER, plan), (ASSISTANT, "Noted."), (USER, ended))) == {plan: "cancelled"}


def test_what_was_only_thought_of_is_work_once_it_is_given_up() -> None:
    thought = "So the harbour office asked for a tide table on the website, month by month."
    assert states(read((USER, thought))) == {}
    assert states(read((USER, thought), (USER, "They got second thoughts, no tide table."))) == {thought: "cancelled"}


def test_a_plan_that_is_told_again_in_other_words_is_the_same_one() -> None:
    found = read(
        (USER, "Our bylaws have to be retyped without the errors."), (ASSISTANT, "Noted."),
        (USER, "I have an hour now, please retype the bylaws."), (ASSISTANT, "The bylaws are retyped."),
    )  # fmt: skip
    assert [item.state for item in found.items] == ["done"]


def test_an_assistant_that_says_it_has_heard_or_once_more_what_ended_ends_nothing_else() -> None:
    found = read(
        (USER, "We have to raise the mast before the end of the month."), (ASSISTANT, "Got it."),
        (USER, "The bilge pump fails at night, please look into it."),
        (USER, "Changed the fuse, the bilge pump runs again."),
        (ASSISTANT, "Great, checked: it ran all night."),
    )  # fmt: skip
    assert [item.state for item in found.items] == ["open", "done"]


def test_a_no_that_follows_from_what_was_said_is_of_what_was_talked_about() -> None:
    plans = ("We should give up the second mooring.", "Then we paint the buoys.")
    found = read(*((USER, plan) for plan in plans), (USER, "Hm, two guests still use the second mooring. So no."))
    assert states(found) == {plans[0]: "cancelled", plans[1]: "open"}


def test_there_is_something_to_be_done_is_a_plan() -> None:
    told = "There's the claim for the torn sail to be filled in."
    assert states(read((USER, told))) == {told: "open"}


def test_what_an_assistant_answers_to_a_plan_that_it_will_do_is_over_with_the_plan() -> None:
    found = read(
        (USER, "I want a dark paint on the wheelhouse."), (ASSISTANT, "I'll sand the old coat off first."),
        (USER, "We also need a new compass."), (ASSISTANT, "I'll ask the chandler for three offers."),
        (USER, "The owner is against the dark paint, so we drop it."),
    )  # fmt: skip
    assert [item.state for item in found.items] == ["cancelled", "cancelled", "open", "open"]


def test_what_a_session_begins_with_is_no_plan() -> None:
    assert not read((USER, "Hi, let's work on the boathouse today.")).items
