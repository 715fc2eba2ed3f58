"""Dates, times, periods, durations and repetitions in prose, resolved against a reference."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from palazzo.text.dates.find import Prefer, TimeSpan, dates_meant, find_dates
from palazzo.text.dates.words import HOT, LEADS

ZONE = timezone(timedelta(hours=2))
NOW = datetime(2023, 5, 10, 14, 30, tzinfo=ZONE)  # a Wednesday


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


def only(text: str, *, prefer: Prefer = "past", day_first: bool = False) -> TimeSpan:
    found = find_dates(text, NOW, prefer=prefer, day_first=day_first)
    assert len(found) == 1, [span.text for span in found]
    return found[0]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("we spoke yesterday", "2023-05-09"),
        ("the day after tomorrow", "2023-05-12"),
        ("due 2024-02-29", "2024-02-29"),
        ("on 3/4/2023", "2023-03-04"),
        ("on 23/4/2023", "2023-04-23"),
        ("signed 5 May 2021", "2021-05-05"),
        ("signed on May 5th, 2021", "2021-05-05"),
        ("the twenty-third of June 1999", "1999-06-23"),
        ("20221231 was cold", "2022-12-31"),
        ("Christmas 2021", "2021-12-25"),
        ("Easter 2024", "2024-03-31"),
        ("Thanksgiving 2022", "2022-11-24"),
        ("the second Tuesday of March 2024", "2024-03-12"),
        ("the last day of February 2024", "2024-02-29"),
        ("two weeks ago", "2023-04-26"),
        ("in exactly three weeks", "2023-05-31"),
        ("in just two days", "2023-05-12"),
        ("the Monday after next", "2023-05-22"),
        ("three Fridays ago", "2023-04-21"),
        ("a week from tomorrow", "2023-05-18"),
        ("the vet can see her a week tomorrow", "2023-05-18"),
        ("booked in for a fortnight today", "2023-05-24"),
        ("the day before 1 March 2024", "2024-02-29"),
        ("the Friday before 15 July 2023", "2023-07-14"),
        ("in ten days", "2023-05-20"),
        ("this Friday", "2023-05-12"),
        ("this past Monday", "2023-05-08"),
        ("Friday next week", "2023-05-19"),
        ("Saturday the 13th", "2023-05-13"),
        ("the 21st of next month", "2023-06-21"),
        ("in four business days", "2023-05-16"),
    ],
)
def test_a_named_day_is_that_whole_day(text: str, day: str) -> None:
    span = only(text)
    assert (span.kind, span.begin, span.finish) == ("date", moment(day), moment(day) + timedelta(days=1))


@pytest.mark.parametrize(
    ("text", "begin", "finish"),
    [
        ("in 2019", "2019-01-01", "2020-01-01"),
        ("in June 2021", "2021-06-01", "2021-07-01"),
        ("last week", "2023-05-01", "2023-05-08"),
        ("next month", "2023-06-01", "2023-07-01"),
        ("this past weekend", "2023-05-06", "2023-05-08"),
        ("the weekend before last", "2023-04-29", "2023-05-01"),
        ("the week before 9 June 2023", "2023-06-02", "2023-06-09"),
        ("the week of 4 July 2023", "2023-07-03", "2023-07-10"),
        ("the first week of 2024", "2024-01-01", "2024-01-08"),
        ("the first weekend of August 2023", "2023-08-05", "2023-08-07"),
        ("the second half of 2022", "2022-07-01", "2023-01-01"),
        ("Q3 2022", "2022-07-01", "2022-10-01"),
        ("summer 2021", "2021-06-01", "2021-09-01"),
        ("last summer", "2022-06-01", "2022-09-01"),
        ("the 1980s", "1980-01-01", "1990-01-01"),
        ("the 18th century", "1700-01-01", "1800-01-01"),
        ("early 2022", "2022-01-01", "2022-07-01"),
        ("late last month", "2023-04-16", "2023-05-01"),
        ("the next 3 days", "2023-05-11", "2023-05-14"),
        ("the rest of the year", "2023-05-10", "2024-01-01"),
        ("within 5 days", "2023-05-10", "2023-05-15"),
        ("the other day", "2023-05-03", "2023-05-10"),
        ("nineteen ninety six in figures: 1996", "1996-01-01", "1997-01-01"),
    ],
)
def test_a_period_runs_to_its_exclusive_end(text: str, begin: str, finish: str) -> None:
    span = find_dates(text, NOW)[-1]
    assert (span.kind, span.begin, span.finish) == ("period", moment(begin), moment(finish))


@pytest.mark.parametrize(
    ("text", "begin", "finish"),
    [
        ("between June and August 2022", "2022-06-01", "2022-09-01"),
        ("from 4 to 22 May 2021", "2021-05-04", "2021-05-23"),
        ("Nov-Feb 2017", "2016-11-01", "2017-03-01"),
        ("from 5 May 2021 until the 9th", "2021-05-05", "2021-05-10"),
        ("2014-2018", "2014-01-01", "2019-01-01"),
        ("between last Monday and yesterday", "2023-05-08", "2023-05-10"),
    ],
)
def test_a_range_includes_the_last_thing_it_names(text: str, begin: str, finish: str) -> None:
    span = only(text)
    assert (span.begin, span.finish) == (moment(begin), moment(finish))


@pytest.mark.parametrize(
    ("text", "begin", "finish"),
    [
        ("since 2018", "2018-01-01", None),
        ("since March", "2023-03-01", None),
        ("until 3 May 2021", None, "2021-05-04"),
        ("before 2010", None, "2010-01-01"),
        ("after 2018", "2019-01-01", None),
        ("more than two weeks ago", None, "2023-04-26"),
    ],
)
def test_an_open_range_has_no_value_on_its_open_side(text: str, begin: str | None, finish: str | None) -> None:
    span = only(text)
    assert span.kind == "period"
    assert (span.begin, span.finish) == (begin and moment(begin), finish and moment(finish))


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("tomorrow at 8:15 pm", "2023-05-11T20:15"),
        ("3pm on 5 May 2021", "2021-05-05T15:00"),
        ("yesterday at half past six in the evening", "2023-05-09T18:30"),
        ("tonight at 9", "2023-05-10T21:00"),
        ("2023-05-07 09:30", "2023-05-07T09:30"),
        ("10 minutes ago", "2023-05-10T14:20"),
        ("around noon tomorrow", "2023-05-11T12:00"),
        ("the end of tomorrow", "2023-05-11T23:59:59"),
    ],
)
def test_a_day_with_a_time_is_an_instant(text: str, begin: str) -> None:
    span = only(text)
    assert (span.kind, span.begin) == ("datetime", moment(begin))


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("Ines moved to Leeds in November.", "2022-11-01"),
        ("They shifted back to paper in December.", "2022-12-01"),
        ("Rosa moved out in October.", "2022-10-01"),
        ("The hearing moved to November.", "2023-11-01"),
    ],
)
def test_who_went_somewhere_in_a_month_did_and_what_was_put_off_to_one_is_to_come(text: str, begin: str) -> None:
    assert only(text, prefer="told").begin == moment(begin)


def test_a_timestamp_is_moved_into_the_zone_of_the_reference() -> None:
    assert only("at 2023-05-07T10:00:00Z").begin == datetime(2023, 5, 7, 10, tzinfo=UTC)
    assert only("at 2023-05-07T10:00:00-05:30").begin == datetime(2023, 5, 7, 15, 30, tzinfo=UTC)
    found = only("at 2023-05-07T10:00:00Z").begin
    assert found is not None
    assert found.tzinfo is ZONE


def test_a_part_of_the_day_is_an_approximate_period() -> None:
    span = only("last night was loud")
    assert (span.begin, span.finish) == (moment("2023-05-09T20:00"), moment("2023-05-10"))
    assert span.approximate


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("for three weeks", 21 * 86400),
        ("an hour and a half", 5400),
        ("2 hours and 5 minutes", 7500),
        ("all day", 86400),
        ("3.5 hours", 12600),
        ("half a year", 365 * 43200),
    ],
)
def test_a_duration_has_a_length_and_no_place_in_time(text: str, seconds: int) -> None:
    span = only(text)
    assert (span.kind, span.duration_s, span.begin, span.finish) == ("duration", seconds, None, None)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("every Monday", 7),
        ("every other Friday at 5pm", 14),
        ("daily", 1),
        ("on Tuesdays and Thursdays", 7),
        ("twice a week", 3.5),
        ("on the 19th of every month", 30),
        ("every 3 months", 90),
        ("Sunday mornings", 7),
    ],
)
def test_a_recurring_expression_has_its_interval(text: str, days: float) -> None:
    span = only(text)
    assert (span.kind, span.duration_s, span.begin) == ("recurring", int(days * 86400), None)


def test_a_date_without_a_year_has_a_past_and_a_future_reading() -> None:
    past, future = only("on Oct 2"), only("on Oct 2", prefer="future")
    assert past.begin == moment("2022-10-02")
    assert past.other == (moment("2023-10-02"), moment("2023-10-03"))
    assert future.begin == moment("2023-10-02")
    assert future.other == (moment("2022-10-02"), moment("2022-10-03"))


def test_29_february_is_looked_for_in_leap_years() -> None:
    span = only("on Feb 29")
    assert span.begin == moment("2020-02-29")
    assert span.other == (moment("2024-02-29"), moment("2024-03-01"))


def test_last_friday_is_the_nearest_one_and_keeps_the_other_reading() -> None:
    span = only("last Monday")
    assert span.begin == moment("2023-05-08")
    assert span.other == (moment("2023-05-01"), moment("2023-05-02"))
    assert only("last Friday").other is None


def test_the_day_comes_first_when_asked() -> None:
    assert only("3/4/2023", day_first=True).begin == moment("2023-04-03")
    assert only("3/14/2023", day_first=True).begin == moment("2023-03-14")


@pytest.mark.parametrize(
    "text", ["a few days ago", "two years ago", "around 5 May 2021", "about a month ago", "in fall"]
)
def test_rough_expressions_are_marked_approximate(text: str) -> None:
    assert only(text).approximate


@pytest.mark.parametrize("text", ["two days ago", "5 May 2021", "last week"])
def test_exact_expressions_are_not_marked_approximate(text: str) -> None:
    assert not only(text).approximate


@pytest.mark.parametrize(
    "text",
    [
        "may I ask one thing?",
        "they march through the town",
        "she sat in the sun",
        "call 555-123-4567 or 138-2010-2015",
        "that cost $2019 and 2000 people came",
        "a 16:9 screen and a 3/4 ratio",
        "version 3.11.4 is out",
        "2015-13-45 is no date",
        "on 2021-02-31",
        "he was 20 years old",
        "Good morning!",
        "Merry Christmas to you",
        "the second try, the first one failed",
        "this may take longer",
        "id 3am3io and 2a + b",
        "It will last.",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert find_dates(text, NOW) == ()


def test_last_as_a_verb_does_not_step_back() -> None:
    assert only("the trip will last two weeks").kind == "duration"


def test_spans_cut_the_expression_out_of_the_text() -> None:
    text = "İstanbul’da: we met on 5 May 2021, then again last week’s Friday."
    spans = find_dates(text, NOW)
    assert [text[span.start : span.end] for span in spans] == [span.text for span in spans]
    assert spans[0].text == "5 May 2021"


def test_a_naive_reference_gives_naive_results() -> None:
    found = find_dates("yesterday", NOW.replace(tzinfo=None))
    assert found[0].begin == datetime(2023, 5, 9)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The recital is on Monday.", "2023-05-15"),
        ("We rehearsed on Monday.", "2023-05-08"),
        ("On Monday the kiln arrived.", "2023-05-08"),
        ("On Monday the kiln arrives.", "2023-05-15"),
        ("Collect the bread on Saturday.", "2023-05-13"),
        ("I'd like to see the caves in March.", "2024-03-01"),
        ("What did I do on Monday?", "2023-05-08"),
        ("What do I have on Monday?", "2023-05-15"),
        ("Ines said the inspector comes on Monday.", "2023-05-15"),
        ("I forgot to call him on Monday.", "2023-05-08"),
        ("We decided to sail on 3 June.", "2023-06-03"),
        ("The hearing was postponed to 3 June.", "2023-06-03"),
        ("I have reserved the court for Saturday.", "2023-05-13"),
        ("The pool is closed in August.", "2023-08-01"),
        ("The pool was closed in August.", "2022-08-01"),
        ("I enjoyed meeting them on Saturday.", "2023-05-06"),
        ("The letter of 2 June", "2022-06-02"),
        ("Harvest party, 2 October", "2023-10-02"),
        ("The ceremony is on 10 May.", "2023-05-10"),
        ("She was born on 10 May.", "2023-05-10"),
        ("I booked the flights on Monday.", "2023-05-08"),
    ],
)
def test_the_clause_around_a_date_says_which_way_it_points(text: str, day: str) -> None:
    (found,) = find_dates(text, NOW)
    assert str(found.begin)[:10] == day


@pytest.mark.parametrize(
    "text",
    [
        "Fencing on Monday and Friday evenings.",
        "We swim on Mondays, Wednesdays and Fridays.",
        "The rent is due on the 1st.",
        "I usually bake on Sunday.",
        "The club meets on the second Tuesday of the month.",
        "Omar's birthday is on 3 June.",
    ],
)
def test_what_comes_round_has_no_day_of_its_own(text: str) -> None:
    (found,) = find_dates(text, NOW)
    assert (found.kind, found.begin, found.finish) == ("recurring", None, None)


@pytest.mark.parametrize(
    ("text", "day"), [("The form must be in by Friday.", "2023-05-12"), ("It is due at the end of May.", "2023-05-31")]
)
def test_what_is_due_comes_down_to_one_day(text: str, day: str) -> None:
    (found,) = find_dates(text, NOW)
    assert str(found.day)[:10] == day


def test_how_long_something_took_is_no_day_to_come() -> None:
    (took,), (comes,) = find_dates("I wrote it in three weeks.", NOW), find_dates("It opens in three weeks.", NOW)
    assert took.loose
    assert not comes.loose


NUMBERS = ("1", "2", "3", "7", "12", "15", "22", "30", "31", "99", "1999", "2019", "2024", "20230510", "0930", "00")
WORDS = st.sampled_from(sorted({*HOT, *LEADS, *NUMBERS, *"-/.:,'()$½–"}))
GLUE = st.sampled_from([" ", " ", " ", "", "\n"])
REFERENCES = st.datetimes(timezones=st.sampled_from([UTC, ZONE, None]))


@st.composite
def sentences(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.tuples(WORDS, GLUE), max_size=14))
    return "".join(word + glue for word, glue in parts)


def check(text: str, reference: datetime, prefer: Prefer) -> None:
    end = 0
    for span in find_dates(text, reference, prefer=prefer):
        assert end <= span.start < span.end <= len(text)
        assert span.text == text[span.start : span.end]
        end = span.end
        for side in (span.begin, span.finish):
            assert side is None or side.tzinfo is reference.tzinfo
        if span.begin is not None and span.finish is not None:
            assert span.begin < span.finish
        if span.other is not None:
            assert span.other[0] < span.other[1]
        if span.kind in ("duration", "recurring"):
            assert span.begin is None
            assert span.duration_s is not None
        else:
            assert span.begin is not None or span.finish is not None


STEADY = settings(derandomize=True, max_examples=200)


@STEADY
@given(sentences(), REFERENCES, st.sampled_from(["told", "past", "future"]))
@example("the last century", datetime.min, "past")  # noqa: DTZ901
@example("in 9999 years", datetime.max, "future")  # noqa: DTZ901
@example("9999-12-31 to date", datetime.max, "past")  # noqa: DTZ901
def test_any_words_of_time_are_safe(text: str, reference: datetime, prefer: Prefer) -> None:
    check(text, reference, prefer)


@STEADY
@given(st.text(max_size=80), REFERENCES)
def test_any_text_is_safe(text: str, reference: datetime) -> None:
    check(text, reference, "told")


@STEADY
@given(st.dates(min_value=datetime(1001, 1, 1).date(), max_value=datetime(2999, 12, 30).date()))  # noqa: DTZ001
def test_a_written_date_is_found_in_every_style(day: object) -> None:
    stamp = datetime.fromisoformat(str(day)).replace(tzinfo=ZONE)
    for style in (
        f"{stamp:%Y}-{stamp:%m}-{stamp:%d}",
        f"{stamp.day} {stamp:%B} {stamp.year:04}",
        f"{stamp:%b} {stamp.day}, {stamp.year:04}",
        f"{stamp.month}/{stamp.day}/{stamp.year:04}",
        f"the {stamp.day}th of {stamp:%B} {stamp.year:04}",
    ):
        assert only(style).begin == stamp, style


@pytest.mark.parametrize(
    "unit",
    ["7", "1-", "12/", "12:", "five minutes past ", "half past ", "first half of ", "one hundred and ", "about ", "'s"],
)
def test_repeated_beginnings_do_not_recurse(unit: str) -> None:
    text = unit * 3000 + " days ago"
    assert all(span.end <= len(text) for span in find_dates(text, NOW))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("The plasterer cancelled, Friday's off, he comes on the 22nd.", ["2023-05-22"]),
        ("Rehearsal isn't on Thursday, it's on Saturday.", ["2023-05-13"]),
        ("We eat together on Friday instead of Sunday.", ["2023-05-12"]),
        ("The inspection was pushed from 12 May to 19 May.", ["2023-05-19"]),
        ("Monday won't work, let's say Tuesday.", ["2023-05-16"]),
        ("Friday is off.", ["2023-05-12"]),
        ("Choir on Friday and Saturday.", ["2023-05-12", "2023-05-13"]),
    ],
)
def test_a_day_that_is_given_up_is_not_the_day_that_is_meant(text: str, days: list[str]) -> None:
    assert [f"{span.begin:%Y-%m-%d}" for span in dates_meant(text, NOW)] == days


@pytest.mark.parametrize(
    ("text", "month"), [("They moved in in July.", "2022-07"), ("They moved out in July.", "2022-07")]
)
def test_who_moved_in_or_out_did_it(text: str, month: str) -> None:
    (span,) = find_dates(text, NOW)
    assert f"{span.begin:%Y-%m}" == month
