"""Laws of addresses: printing and parsing undo each other, faults have a position, globs are sets."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from palazzo.errors import InvalidAddress, InvalidInput
from palazzo.model.address import (
    MAX_DEPTH,
    ROOT,
    Kref,
    Place,
    PlaceGlob,
    Slice,
    looks_like_address,
    parse_address,
    slug,
)

calm = settings(deadline=None)

segments = st.text("abz09_-", min_size=1, max_size=4)
# Few distinct segments, so that generated places often lie inside one another.
places = st.lists(st.sampled_from("ab"), max_size=MAX_DEPTH).map(lambda parts: Place(tuple(parts)))
days = st.dates()
values = st.text(min_size=1, max_size=6).filter(str.isprintable)
instants = st.datetimes(
    min_value=datetime(2, 1, 1),  # noqa: DTZ001 - Hypothesis adds the zone
    max_value=datetime(9998, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30)), ZoneInfo("America/Lima")]),
)


@st.composite
def slices(draw: st.DrawFn) -> Slice:
    day = draw(days)
    form = draw(st.sampled_from(["day", "month", "week", "range"]))
    if form == "day":
        return Slice.parse(f"#{day}")
    if form == "month":
        return Slice.parse(f"#{day.isoformat()[:7]}")
    if form == "week":
        year, week, _ = min(day, date(9999, 12, 26)).isocalendar()
        return Slice.parse(f"#{year:04}-W{week:02}")
    return Slice.parse(f"#{day}..{draw(st.dates(min_value=day))}")


globs = st.builds(PlaceGlob, places, st.sampled_from(["self", "children", "subtree"]), st.none() | slices())
plain_globs = st.builds(PlaceGlob, places, st.sampled_from(["self", "children", "subtree"]))


@st.composite
def krefs(draw: st.DrawFn) -> Kref:
    selector = draw(
        st.sampled_from([{}])
        | st.fixed_dictionaries({"revision": st.integers(1, 10**18 - 1)})
        | st.fixed_dictionaries({"tag": values})
        | st.fixed_dictionaries({"at": instants})
    )
    place = Place(tuple(draw(st.lists(segments, max_size=MAX_DEPTH))))
    palace, name, kind = draw(st.just("") | segments), draw(segments), draw(segments)
    return Kref(palace, place, name, kind, artifact=draw(st.none() | values), **selector)


@given(globs | krefs())
@calm
def test_parsing_what_was_printed_gives_the_same_value(address: PlaceGlob | Kref) -> None:
    assert parse_address(str(address)) == address


PIECES = "a b-1 work . .. * ** # / ? & = % %20 %C3%A4 %ff ä A r= t= a= at= 3 0 kref: kref://"
TIMES = "2026-04-19 2026-04 2026-W16 2026-W60 9999-12-31 2026-04-19T10:00:00Z 2026-04-19t10:00:00.50+02:00"
fragments = st.sampled_from([*PIECES.split(), *TIMES.split(), "0001-01-01T00:00:00+01:00", " ", "\x00", "\ud800"])


@given(st.lists(fragments, max_size=9).map("".join) | st.text(max_size=20))
@example("")
@example("kref://")
@example("kref://p")
@example("a/b.c?")
@example("a/b.c?r=" + "9" * 5000)
@settings(calm, max_examples=600)
def test_any_text_prints_back_unchanged_or_is_refused_at_a_position_inside_it(text: str) -> None:
    for parse in (parse_address, PlaceGlob.parse, Kref.parse, Place.parse, Slice.parse):
        fault = None
        try:
            assert str(parse(text)) == text
        except InvalidAddress as refusal:
            fault = refusal
        assert fault is None or (fault.text == text and 0 <= fault.position < max(len(text), 1))


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("work.Foxora", 5),
        ("work..foxora", 5),
        ("work.", 4),
        (".work", 0),
        ("a.b.c.d.e.f.g", 12),
        ("a.b.c.d.e.f.g.**", 12),
        ("kref://home/a/b/c/d/e/f/g/x.fact", 24),
        ("a.*.b", 2),
        ("a.b*", 3),
        ("work#2026-13", 5),
        ("work#2026-02-30", 5),
        ("work#2026-04-19..2026-04-01", 17),
        ("kref:work/a.fact", 5),
        ("kref:///work/a.fact", 7),
        ("kref://home//a.fact", 12),
        ("kref://home/work.foxora/a.fact", 16),
        ("work/foxora/a.fact", 4),
        ("work/a", 5),
        ("work/a.fact?r=0", 14),
        ("work/a.fact?r=1&t=x", 16),
        ("work/a.fact?a=x&r=1", 16),
        ("work/a.fact?t=%zz", 14),
        ("work/a.fact?at=2026-04-19", 15),
        ("work/a.fact?at=2026-04-19T10:00:00.1234567Z", 15),
        ("work/a.fact#2026", 11),
    ],
)
def test_a_malformed_address_is_refused_where_the_fault_is(text: str, position: int) -> None:
    with pytest.raises(InvalidAddress) as refusal:
        parse_address(text)
    assert (refusal.value.text, refusal.value.position) == (text, position)


def test_the_full_and_the_short_form_of_a_kref_name_the_same_memory() -> None:
    full = Kref.parse("kref://home/work/foxora/api-design.decision?r=3")
    short = Kref.parse("work.foxora/api-design.decision?r=3")
    assert replace(full, palace="") == short
    assert full.short == str(short) == "work.foxora/api-design.decision?r=3"
    assert short.full("home") == str(full) == "kref://home/work/foxora/api-design.decision?r=3"
    assert (short.place, short.name, short.kind, short.revision) == (
        Place(("work", "foxora")),
        "api-design",
        "decision",
        3,
    )


def test_a_memory_at_the_root_has_a_short_form_that_begins_with_a_slash() -> None:
    kref = Kref("", ROOT, "motto", "instruction")
    assert str(kref) == "/motto.instruction"
    assert kref.full("home") == "kref://home/motto.instruction"
    assert parse_address("/motto.instruction") == kref


def test_two_spellings_of_one_instant_are_equal_and_keep_their_spelling() -> None:
    spellings = ["2026-04-19T10:00:00Z", "2026-04-19t12:00:00.000+02:00", "2026-04-19T10:00:00-00:00"]
    parsed = [Kref.parse(f"work/a.fact?at={spelling}") for spelling in spellings]
    assert len(set(parsed)) == 1
    assert [str(kref) for kref in parsed] == [f"work/a.fact?at={spelling}" for spelling in spellings]
    assert parsed[0].at == datetime(2026, 4, 19, 10, tzinfo=UTC)


def test_an_artifact_may_stand_alone_after_a_question_mark_or_an_ampersand() -> None:
    assert Kref.parse("work/a.asset?a=plan.pdf") == Kref.parse("work/a.asset&a=plan.pdf")
    assert Kref.parse("work/a.asset?t=published&a=a%20plan.pdf").artifact == "a plan.pdf"


def test_characters_that_mean_something_in_a_query_are_escaped_in_its_values() -> None:
    kref = Kref("", ROOT, "a", "fact", tag="50% done & #1? (ä)", artifact="%41=b")
    assert str(kref) == "/a.fact?t=50%25%20done%20%26%20%231%3F%20(ä)&a=%2541=b"
    assert Kref.parse(str(kref)) == kref


def test_a_changed_copy_of_a_parsed_kref_prints_its_new_value() -> None:
    kref = Kref.parse("work/a.fact?at=2026-04-19T12:00:00%2B02:00")
    assert str(replace(kref, at=None, revision=2)) == "work/a.fact?r=2"
    assert str(copy.copy(kref)) == str(pickle.loads(pickle.dumps(kref))) == str(kref)


@pytest.mark.parametrize(
    "wrong",
    [
        {"revision": 1, "tag": "current"},
        {"revision": 0},
        {"tag": ""},
        {"artifact": "a\nb"},
        {"at": datetime(2026, 4, 19)},  # noqa: DTZ001 - the point of the test
        {"at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))},
        {"name": "Api"},
        {"palace": "my palace"},
        {"kind": ""},
    ],
)
def test_a_kref_that_could_not_be_printed_cannot_be_made(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Kref(**({"palace": "", "place": ROOT, "name": "a", "kind": "fact"} | wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [("A",), ("a.b",), ("",), ("a", ""), ("a\n",), tuple("abcdefg")])
def test_a_place_that_could_not_be_printed_cannot_be_made(wrong: tuple[str, ...]) -> None:
    with pytest.raises(InvalidAddress):
        Place(wrong)


def test_places_know_their_parent_their_children_and_what_they_contain() -> None:
    place = Place.parse("work.foxora")
    assert place.parent == Place(("work",))
    assert ROOT.parent is None
    assert ROOT.child("work").child("foxora") == place
    assert ROOT.contains(place)
    assert place.contains(place)
    assert not place.contains(Place.parse("work"))
    assert not Place.parse("work.fox").contains(place)
    assert (str(ROOT), Place.parse("")) == ("", ROOT)


@given(plain_globs, plain_globs, st.lists(places, max_size=8))
@settings(calm, max_examples=300)
def test_a_glob_covers_another_exactly_when_it_matches_every_place_the_other_matches(
    wide: PlaceGlob, narrow: PlaceGlob, others: list[Place]
) -> None:
    # The narrow glob's own place and a fresh segment one and two steps below it tell any two globs apart.
    probes = [narrow.place, *others]
    for _ in range(2):
        probes += [place.child("fresh") for place in probes if place.depth < MAX_DEPTH]
    inside = all(wide.matches(place) for place in probes if narrow.matches(place))
    assert wide.covers(narrow) == inside


@given(globs, globs)
@calm
def test_a_glob_covers_a_slice_only_if_its_own_slice_holds_all_the_days(wide: PlaceGlob, narrow: PlaceGlob) -> None:
    bare = PlaceGlob(wide.place, wide.reach).covers(PlaceGlob(narrow.place, narrow.reach))
    assert wide.covers(wide)
    if wide.covers(narrow):
        assert bare
    if bare and wide.slice is None:
        assert wide.covers(narrow)
    if wide.slice and not narrow.slice and any(narrow.matches(place) for place in (narrow.place, ROOT)):
        assert not wide.covers(narrow)


def test_a_month_covers_its_days_and_no_others() -> None:
    april = PlaceGlob.parse("work.**#2026-04")
    days = [
        "work#2026-03-31",
        "work#2026-04-01",
        "work.a#2026-04-30",
        "work#2026-05-01",
        "work#2026-03-31..2026-05-01",
    ]
    assert [april.covers(PlaceGlob.parse(day)) for day in days] == [False, True, True, False, False]
    assert not april.covers(PlaceGlob.parse("work"))


def test_children_are_one_step_below_and_a_subtree_holds_its_own_root() -> None:
    work, foxora, api = (Place.parse(path) for path in ("work", "work.foxora", "work.foxora.api"))
    children, subtree = PlaceGlob.parse("work.*"), PlaceGlob.parse("work.**")
    assert [children.matches(place) for place in (ROOT, work, foxora, api)] == [False, False, True, False]
    assert [subtree.matches(place) for place in (ROOT, work, foxora, api)] == [False, True, True, True]
    assert all(PlaceGlob.parse("**").matches(place) for place in (ROOT, work, api))
    assert [PlaceGlob.parse("*").matches(place) for place in (ROOT, work, foxora)] == [False, True, False]


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("#2026-04-19", date(2026, 4, 19), date(2026, 4, 19)),
        ("#2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("#2026-W16", date(2026, 4, 13), date(2026, 4, 19)),
        ("#2026-W53", date(2026, 12, 28), date(2027, 1, 3)),
        ("#2026-04-01..2026-04-19", date(2026, 4, 1), date(2026, 4, 19)),
        ("#9999-12", date(9999, 12, 1), date(9999, 12, 31)),
    ],
)
def test_a_slice_names_whole_days_with_both_ends_included(text: str, begin: date, end: date) -> None:
    assert Slice.parse(text) == Slice(begin, end, text)


def test_a_slice_whose_spelling_says_other_days_cannot_be_made() -> None:
    with pytest.raises(InvalidAddress):
        Slice(date(2026, 4, 19), date(2026, 4, 20), "#2026-04-19")


@given(slices(), st.sampled_from([UTC, ZoneInfo("Pacific/Auckland"), ZoneInfo("America/Lima")]))
@calm
def test_the_bounds_of_a_slice_enclose_its_days_for_any_date_and_zone(cut: Slice, tz: timezone) -> None:
    begin_us, end_us = cut.bounds_us(tz)
    length = (cut.end - cut.begin).days + 1
    assert abs((end_us - begin_us) - length * 86_400_000_000) <= 2 * 3_600_000_000
    if tz is UTC:
        assert begin_us == (cut.begin.toordinal() - date(1970, 1, 1).toordinal()) * 86_400_000_000


def test_the_last_day_of_the_calendar_has_an_end() -> None:
    begin_us, end_us = Slice.parse("#9999-12-31").bounds_us()
    assert end_us - begin_us == 86_400_000_000


def test_a_day_of_summer_time_has_twenty_three_hours() -> None:
    begin_us, end_us = Slice.parse("#2026-03-29").bounds_us(ZoneInfo("Europe/Berlin"))
    assert end_us - begin_us == 23 * 3_600_000_000


ADDRESSES = "work.foxora a.b work.** ** * work#2026-04-19 #2026-W16 work/a.fact /a.fact?r=2 kref://p/a.fact?t=x"
WORDS = "hello and/or e.g. 3.14 192.168.0.1 #todo C# ... / https://example.org/x U.S 2026/04/19 a*b"
SENTENCES = ["", "Where do I live?", "work. then", "what about work.foxora", "x" * 100_000, "." * 100_000]


@pytest.mark.parametrize("text", ADDRESSES.split())
def test_an_address_is_recognised(text: str) -> None:
    assert looks_like_address(text)


@pytest.mark.parametrize("text", [*WORDS.split(), *SENTENCES], ids=lambda text: text[:20])
def test_words_numbers_and_sentences_are_not_addresses(text: str) -> None:
    assert not looks_like_address(text)


@given(st.lists(fragments, max_size=6).map("".join))
@calm
def test_what_looks_like_an_address_parses(text: str) -> None:
    if looks_like_address(text):
        parse_address(text)


@calm
@given(st.text(max_size=80), st.integers(1, 60))
@example("日本", 1)
@example("-" * 50, 3)
@example("\ud800", 48)
def test_a_slug_is_legal_short_deterministic_and_its_own_slug(text: str, limit: int) -> None:
    made = slug(text, limit)
    assert ROOT.child(made)
    assert len(made) <= limit
    assert slug(text, limit) == made
    assert slug(made, limit) == made


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("The API design (v2)!", 48, "the-api-design-v2"),
        ("Anna’s Straße in Łódź", 48, "annas-strasse-in-lodz"),
        ("_system", 48, "_system"),
        ("one two three four five", 16, "one-two-three"),
        ("a" * 40, 16, "a" * 16),
    ],
)
def test_a_slug_keeps_the_words_a_person_would_recognise(text: str, limit: int, expected: str) -> None:
    assert slug(text, limit) == expected


def test_texts_in_other_scripts_get_slugs_that_differ() -> None:
    assert len({slug(text) for text in ("東京", "大阪", "Москва", "trip 東京", "trip", "!", "?", "")}) == 8


def test_a_slug_needs_room() -> None:
    with pytest.raises(InvalidInput):
        slug("a", 0)
