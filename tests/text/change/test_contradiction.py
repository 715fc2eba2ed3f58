"""Contradiction: a newer statement takes back the one it replaces, and leaves alike but compatible ones in peace."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.text.change.beside import of_another_number, of_another_thing
from palazzo.text.change.contradiction import SUPERSEDES, Contradiction, contradicts
from palazzo.text.statements.propositions import split_propositions


def strongest(old: str, new: str) -> Contradiction | None:
    before = [p.text for p in split_propositions(old)[0]] or [old]
    after = [p.text for p in split_propositions(new)[0]] or [new]
    found = [c for a in before for b in after if (c := contradicts(a, b)) is not None]
    return max(found, key=lambda one: one.score, default=None)


UPDATES = """
The harbour crane listens on port 8080. | The harbour crane listens on port 9090.
My office is room 204. | My office is room 310.
I live in Lisbon. | I just moved to Porto.
I work at Nokia. | I left Nokia and now work at Ericsson.
I work as a teacher. | I got promoted to head teacher.
My name is Carla. | Actually, my name is Karla, with a K.
I'm 34. | I turned 35 yesterday.
I'm vegetarian. | I'm not vegetarian anymore.
I have two dogs. | I have three dogs now.
My favourite colour is green. | My favourite colour is now teal.
I drive a Honda Civic. | I drive a Volvo XC40 now.
The deadline for the report is Friday. | The deadline for the report was moved to Monday.
The rent is $1,200. | The rent went up to $1,350.
We use Jenkins for CI. | We switched from Jenkins to GitHub Actions.
The API rate limit is 100 requests per minute. | The API rate limit has been raised to 250 requests per minute.
My dentist appointment is on May 3 at 10 am. | My dentist appointment was rescheduled to May 10 at 2 pm.
I like running. | I don't like running anymore.
Our office is in Hamburg. | Our office moved to Bremen.
The project is blocked. | The project is no longer blocked.
The build is broken. | The build is fixed.
I'm single. | I'm engaged to Tom.
The meeting is at 3 pm. | The meeting is at 4 pm instead.
I've never been to Japan. | I have been to Japan.
The team has 6 members. | The team has grown to 9 members.
My manager is Sofia. | My manager is now Petra.
I prefer tea over coffee. | I prefer coffee over tea now.
I'm learning Spanish. | I quit learning Spanish.
The timeout is set to 30 seconds. | The timeout was changed from 30 seconds to 60 seconds.
My therapist is Dr. Lee. | I have a new therapist, Dr. Kim.
The wedding is in June. | The wedding was postponed to September.
I hate mushrooms. | I love mushrooms now.
I go to the gym three times a week. | I go to the gym twice a week now.
The staging server is at 10.0.0.5. | The staging server is now at 10.0.0.9.
I want the summaries in English. | From now on I want the summaries in German.
The main branch is called master. | The main branch was renamed to main.
Erik is the owner of the billing service. | Mia is now the owner of the billing service.
The contract ends in March. | The contract was extended to September.
I have a dog named Rex. | Rex died, I don't have a dog anymore.
I have 8 plants in my apartment garden. | My apartment garden now includes 11 plants.
The guest list has 12 guests for the dinner party. | The guest list for the dinner party has now reached 18.
Our wedding budget is $15,000. | We've increased our wedding budget to $18,000 because of the catering.
I've never used Excel macros in my work. | I've been using Excel macros in my work for reports.
Elena Novak's sleep quality status: Poor | Elena Novak's sleep quality status changed from 'Poor' to 'Good'.
The appointment with Dana is on June 21. | The appointment with Dana was moved to March 9.
The deadline of the survey is May 2. | The deadline of the survey was pushed from May 2 to March 9.
The user works at Fennel. | The user switched from Fennel to Sorrel.
The favorite fruit of Dana is plum. | Dana's favorite fruit is now pear.
Dana reports to Erik. | Dana's new manager is Ingrid.
Dana reports to Erik. | Since spring Dana reports to Ingrid instead of Erik.
Rent for the barn is $900 a month. | The monthly rent of the barn rose from $900 to $1,050.
The label printer runs on version 2.4. | The label printer was upgraded to version 3.0.
Dana uses Kate as editor. | Dana's editor is Geany these days, not Kate.
The choir practice begins at 6 pm. | The choir practice now starts at 7 pm.
The rowing club has 9 members. | The rowing club has grown to 14 members.
"""

COMPATIBLE = """
The harbour crane listens on port 8080. | The weather mast listens on port 9090.
We met in room 12. | We met in room 14.
Does the crane listen on port 80? | Does the crane listen on port 81?
I live in Lisbon. | I visited Porto last week.
I live in Lisbon. | I love living in Lisbon.
I work at Nokia. | My brother works at Ericsson.
I have two dogs. | I have three cats.
My favourite colour is green. | My favourite food is pizza.
I drive a Honda Civic. | I drove a rental in Spain.
The deadline for the report is Friday. | The deadline for the slides is Monday.
We use Jenkins for CI. | We use Terraform for infrastructure.
The default port is 8080. | The admin port is 9090.
My dentist appointment is on May 3 at 10 am. | My eye exam is on May 10 at 2 pm.
I ran 5 km on Monday. | I ran 8 km on Wednesday.
My sister lives in Rome. | My brother lives in Milan.
I don't eat meat. | I eat a lot of vegetables.
I've never been to Japan. | I have been to China.
I'm allergic to peanuts. | I'm allergic to shellfish.
The build takes 12 minutes. | The tests take 5 minutes.
My daughter is 8. | My son is 5.
I live in Berlin. | I live in Berlin, Germany.
I want to move to Canada. | I live in Mexico.
I heard the meeting might move to Friday. | The meeting is on Thursday.
We have 3 servers in Frankfurt. | We have 2 servers in Dublin.
I scored 80% on the math test. | I scored 92% on the history test.
We released version 1.2 in March. | We released version 1.3 in May.
My goal is to run a marathon. | My goal is to save money.
I used to play the violin. | I play tennis.
I take 20 mg of the tablet daily. | I take 5 mg of vitamin D daily.
I'm not sure how to start. | I want to start with the intro.
The flight to Rome takes 2 hours. | The flight to Oslo takes 3 hours.
The first chapter has 30 pages. | The second chapter has 22 pages.
Elena Novak values honesty in friendships. | Elena Novak values punctuality at work.
The school concert has a budget of 800 euros. | A donation of 950 euros for the school concert came in.
My interview with the harbour master is on May 12. | I moved my call with the harbour master to June 3.
Dana lives in Bergen. | Dana wants to move to Tromso next year.
Dana owns 4 canoes. | Dana hopes to own 6 canoes one day.
The favorite fruit of Dana is plum. | The favorite fruit of Erik is pear.
The printing job is broken. | The test of the printing job is blocked.
The library pass costs 12 pounds a month. | The fine for losing the library pass is 30 pounds.
The sauna pass costs 20 pounds a month. | The locker now costs 9 pounds a month.
There are 9 members in the rowing club. | 5 members of the rowing club went swimming.
The daily quota is 100 sheets. | The monthly quota is 2,000 sheets.
"""


def pairs(listing: str) -> list[tuple[str, str]]:
    rows = (line.split(" | ") for line in listing.strip().splitlines())
    return [(old, new) for old, new in rows]


@pytest.mark.parametrize(("old", "new"), pairs(UPDATES))
def test_an_update_takes_back_what_it_replaces(old: str, new: str) -> None:
    found = strongest(old, new)
    assert found is not None
    assert found.score >= SUPERSEDES


@pytest.mark.parametrize(("old", "new"), pairs(COMPATIBLE))
def test_statements_that_can_both_hold_leave_each_other_alone(old: str, new: str) -> None:
    for one, other in ((old, new), (new, old)):
        found = strongest(one, other)
        assert found is None or found.score < SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("The user lives in Lisbon.", "The user moved to Porto.", "slot"),
        ("The user wrote 300 lines of verse.", "The user has now written 450 lines of verse.", "quantity"),
        ("The user has met the mayor of Cork.", "The user has never met the mayor of Cork.", "negation"),
        ("The user attends yoga classes.", "The user stopped attending yoga classes.", "cue"),
    ],
)
def test_the_reason_is_named(old: str, new: str, reason: str) -> None:
    found = contradicts(old, new)
    assert found is not None
    assert found.reason == reason


def test_an_unverified_claim_disagrees_without_taking_over() -> None:
    old = "The owner of the ticket queue is Mia."
    found = contradicts(old, "An unverified note says that the owner of the ticket queue is Jonas.")
    assert found is not None
    assert 0.0 < found.score < SUPERSEDES


def test_a_note_that_must_not_override_does_not() -> None:
    old = "The owner of the ticket queue is now Mia."
    new = "The owner of the ticket queue is Jonas in an old file, but it must not override Mia."
    found = contradicts(old, new)
    assert found is None or found.score < SUPERSEDES


def test_a_target_is_not_taken_back_by_what_was_reached() -> None:
    assert contradicts("The user wants to reach 100% test coverage.", "Test coverage has reached 65%.") is None


@given(st.text(max_size=120), st.text(max_size=120))
@settings(max_examples=200, deadline=None)
def test_any_two_texts_can_be_compared_and_none_contradicts_itself(one: str, other: str) -> None:
    assert contradicts(one, one) is None
    found = contradicts(one, other)
    assert found is None or 0.0 < found.score <= 1.0


def test_two_long_texts_are_compared_in_bounded_work() -> None:
    # Thousands of facts on either side; comparing each with each would make the suite hang.
    contradicts("The user has 5 cats. " * 2000, "The user has 6 cats now. " * 2000)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Shelf 1 holds jar 7 of dried plums.", "Shelf 2 holds jar 14 of dried plums."),
        ("Room 12 has 4 windows.", "Room 13 has 5 windows."),
        ("Server 3 listens on port 8080.", "Server 4 listens on port 9090."),
        ("Parcel 88-1 weighs 4 kg.", "Parcel 88-2 weighs 9 kg."),
        ("Locker c12 has 3 shelves.", "Locker c14 has 5 shelves."),
    ],
)
def test_things_told_apart_by_a_number_do_not_contradict_each_other(old: str, new: str) -> None:
    assert contradicts(old, new) is None


def test_another_figure_for_the_same_numbered_thing_is_a_contradiction() -> None:
    assert contradicts("Room 12 has 4 windows.", "Room 12 has 5 windows.") is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The cleaner comes every week.", "The cleaner comes every two weeks now."),
        ("The standup is at 9.", "The standup moved to 10."),
        ("The team uses Notion.", "We migrated from Notion to Obsidian."),
    ],
)
def test_another_time_or_tool_that_is_announced_takes_the_old_one_back(old: str, new: str) -> None:
    found = contradicts(old, new)
    assert found is not None
    assert found.score >= SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Payroll runs on Fridays.", "Payroll runs on Thursdays."),
        ("Payroll runs on Fridays.", "Reports run on Thursdays now."),
        ("Backups run daily.", "Backups run at 3 am now."),
        ("The standup is at 9.", "The standup is at 9 am."),
        ("The standup is at 9.", "The retro moved to 10."),
        ("My flight is at 9 am.", "Mia's flight moved to 10 am."),
        ("The app runs on Heroku.", "We migrated from Heroku to Fly."),
        ("The partner team uses Notion.", "We migrated from Notion to Obsidian."),
    ],
)
def test_what_is_not_announced_or_is_of_another_thing_takes_nothing_back(old: str, new: str) -> None:
    found = contradicts(old, new)
    assert found is None or found.score < SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new", "two"),
    [
        ("The gym costs me 30 a month.", "The choir costs me 12 a month.", True),
        ("The shop repo uses npm.", "The admin repo uses yarn.", True),
        ("Marco coaches Ingrid Holt.", "Ingrid Holt coaches Sven.", True),
        ("Over 100m I need 14.2 seconds.", "New record over 400m today: 66.1!", True),
        ("Over 100m I need 14.2 seconds.", "New record over 100m today: 13.9!", False),
        ("Slow tests for billing take 9 minutes.", "Fast tests for billing take 20 seconds.", True),
        ("The choir hires a hall for concerts.", "The choir hires a barn for rehearsals.", True),
        ("Dinner is at 7 at Luigi's.", "Dinner is at 8 at Mario's.", False),
        ("The gym costs me 30 a month.", "The gym costs me 35 a month.", False),
        ("Hannah is my manager.", "Tobias is my manager.", False),
        ("The shop repo uses npm.", "The admin repo now uses yarn.", False),
    ],
)
def test_the_same_words_of_two_things_stand_beside_each_other(old: str, new: str, two: bool) -> None:
    assert of_another_thing(old, new) is two


@pytest.mark.parametrize(
    ("old", "new", "takes_back"),
    [
        ("I gave up crisps.", "I eat crisps every evening.", True),
        ("We stopped rowing.", "We row on Sundays.", True),
        ("I quit the choir.", "I love the choir's records.", False),
        ("I gave up crisps.", "I buy crisps for the children.", False),
    ],
)
def test_what_is_done_again_takes_back_that_it_was_given_up(old: str, new: str, takes_back: bool) -> None:
    assert (contradicts(old, new) is not None) == takes_back


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("Paul's birthday is on the ninth of August.", "Paul was born on August 9th.", False),
        ("Paul's birthday is on the twenty-second of May.", "Paul was born on 22 May 1984.", False),
        ("Paul's birthday is on the ninth of August.", "Paul's birthday is on August 19th.", True),
    ],
)
def test_a_day_is_the_same_in_words_and_in_figures(old: str, new: str, other: bool) -> None:
    assert (contradicts(old, new) is not None) == other


def test_who_got_engaged_is_no_longer_single_and_nobody_else_is() -> None:
    assert contradicts("The user is single.", "The user got engaged to Noor on Sunday.") is not None
    assert contradicts("The user is single.", "The user's cousin got engaged.") is None


def test_what_is_said_of_another_label_is_of_another_thing() -> None:
    assert of_another_number("Parcel 88-1 goes out on Monday.", "Parcel 88-2 goes out on Friday.")
    assert not of_another_number("Parcel 88-1 goes out on Monday.", "Parcel 88-1 goes out on Friday.")
    assert not of_another_number("The parcel goes out at 10-11.", "The parcel goes out at 14-15.")
