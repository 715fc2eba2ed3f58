"""Duplicate checks on the words of two texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.words import similarity as variants
from palazzo.text.words.similarity import adds_information, containment, jaccard, near_duplicate, wording_key
from palazzo.text.words.tokens import terms

PIECES = [
    "I",
    "don't",
    "n't",
    "'s",
    "Anna's",
    "3.5",
    "1,000",
    "C++",
    "你好",
    "👍🏽",
    "é",
    "ß",
    "\u0301",
    "\ud800",
    "?",
    "- ",
    "’",
]
ANY_TEXT = st.one_of(
    st.text(alphabet=st.characters(codec=None), max_size=120),
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
)
SETS = st.frozensets(st.text(max_size=3), max_size=8)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I live in Lisbon.", "i LIVE in lisbon"),
        ("I live in Lisbon.", "Well, by the way, I live in Lisbon!"),
        ("I really love my new bike", "I love my new bike"),
        ("I'm allergic to shellfish", "I am allergic to shellfish"),
        ("My mom has two cats", "My mother has 2 cats"),
        ("We don't eat meat", "We do not eat meat"),
        ("Her favourite colour is grey", "Her favorite color is gray"),
        ("The call is at 3pm", "The call is at 3 pm"),
        ("Look, the call is at noon", "The call is at noon"),
    ],
)
def test_another_dress_is_the_same_text(a: str, b: str) -> None:
    assert near_duplicate(a, b) == "same"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I stay home when it rains", "When it rains I stay home"),
        ("I bought a bicycle for the commute", "I bought a red bicycle for the commute"),
    ],
)
def test_a_moved_clause_or_one_more_detail_is_near(a: str, b: str) -> None:
    assert near_duplicate(a, b) == "near"
    assert near_duplicate(b, a) == "near"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The rent is 900 euros", "The rent is 950 euros"),
        ("She has two brothers", "She has three brothers"),
        ("I had lunch with Anna", "I had lunch with Tom"),
        ("I had lunch", "I had lunch with Anna"),
        ("i had lunch", "i had lunch with anna"),
        ("I eat fish", "I don't eat fish"),
        ("I eat fish", "I never eat fish"),
        ("The door is open", "The door is closed"),
        ("The exam is on Monday", "The exam is on Tuesday"),
        ("The exam is next week", "The exam was last week"),
        ("We flew from Oslo to Rome", "We flew from Rome to Oslo"),
        ("Tom manages Anna", "Anna manages Tom"),
        ("Take it before dinner", "Take it after dinner"),
        ("I like the plan", "He likes the plan"),
        ("I swim at the lido", "My cousin swims at the lido too"),
        ("The printer needs toner", "The upstairs printer needs toner"),
        ("I work at the bakery", "I worked at the bakery"),
        ("I am a nurse", "I was a nurse"),
        ("I have a dog", "I had a dog"),
        ("He moved to Bern", "He is moving to Bern"),
        ("You got the job", "You got the job?"),
        ("All tests pass", "Some tests pass"),
        ("You can park here", "You must park here"),
        ("I smoke", "I quit smoking"),
        ("Use branch main", "Forget and use branch main"),
        ("Probability P(A) of rain", "Probability P(B) of rain"),
        ("I write C", "I write C++"),
        ("Frank likes tea", "likes tea"),
        ("I have no kids and a dog", "I have a dog"),
        ("Wow, Anna, that's great!", "Wow, Anna, that's terrible!"),
        ("I asked why not share it", "I asked why share it"),
        ("Call me at noon", "Call me at noon or later"),
        ("the key is " + "a" * 70 + "1", "the key is " + "a" * 70 + "2"),
    ],
)
def test_a_changed_meaning_is_never_a_duplicate(a: str, b: str) -> None:
    assert near_duplicate(a, b) == "different"
    assert near_duplicate(b, a) == "different"


@pytest.mark.parametrize(
    "aside", ["To tell the truth, ", "On a side note, ", "Agreed, ", "Oh man, ", "Believe it or not, ", "No kidding, "]
)
def test_an_aside_before_the_first_comma_says_nothing(aside: str) -> None:
    assert near_duplicate("The ferry leaves at noon", f"{aside}the ferry leaves at noon") == "same"


@pytest.mark.parametrize("opening", ["Hopefully, ", "After the flood, ", "Without her, ", "In Turin, ", "If not, "])
def test_an_opening_that_means_something_is_no_aside(opening: str) -> None:
    assert near_duplicate("The ferry leaves at noon", f"{opening}the ferry leaves at noon") != "same"


def test_a_verb_is_an_aside_only_before_a_comma() -> None:
    assert near_duplicate("See the dentist", "the dentist") != "same"


def test_only_new_words_add_information() -> None:
    assert adds_information("I bought a bicycle", "I bought a red bicycle")
    assert not adds_information("I bought a red bicycle", "Well, I really bought a bicycle!")
    assert adds_information("The rent is due", "The rent of 900 is due")


@given(SETS, SETS)
def test_overlap_measures_stay_between_zero_and_one(a: frozenset[str], b: frozenset[str]) -> None:
    assert 0.0 <= jaccard(a, b) == jaccard(b, a) <= containment(a, b) <= 1.0
    assert jaccard(a, a) == containment(a, a) == 1.0


@given(ANY_TEXT, ANY_TEXT)
def test_the_verdict_does_not_depend_on_the_order_of_the_texts(a: str, b: str) -> None:
    assert near_duplicate(a, b) == near_duplicate(b, a)
    assert near_duplicate(a, a) == "same"
    assert not adds_information(a, a)


@given(ANY_TEXT, ANY_TEXT)
def test_equal_wording_keys_mean_the_same_text_and_the_reverse(a: str, b: str) -> None:
    assert (wording_key(a) == wording_key(b)) == (near_duplicate(a, b) == "same")


def test_wording_keys_find_a_duplicate_behind_fillers_without_a_vector() -> None:
    assert wording_key("The meeting moved to noon.") == wording_key("Um, the meeting actually moved to noon")
    assert wording_key("The meeting moved to noon.") != wording_key("The meeting never moved to noon.")


def test_fillers_are_never_guarded_words() -> None:
    guarded = variants.NEGATIONS | variants.QUANTIFIERS | variants.MODALS | variants.REVERSALS
    assert not variants.FREE & guarded


@given(st.sampled_from(["mom", "tv", "two", "first", "colour", "db", "js", "fridge"]))
def test_canonical_terms_are_their_own_canonical_form(word: str) -> None:
    (term,) = terms(word)
    assert variants.canonical(variants.canonical(term)) == variants.canonical(term) != term


def test_documents_are_compared_by_their_normal_form_only() -> None:
    long = "word " * 5000
    assert near_duplicate(long, long.upper()) == "same"
    assert near_duplicate(long, long + "more") == "different"


@pytest.mark.parametrize(
    ("first", "second", "others"),
    [
        ("The mill of Bergen grinds rye.", "The mill of Tampere grinds rye.", True),
        ("Bus 14 stops at the mill.", "Bus 9 stops at the mill.", True),
        ("Ida plays the oboe in Bergen.", "In Bergen Ida is an oboist.", False),
        ("The mill grinds rye.", "The mill of Tampere grinds rye.", False),
    ],
)
def test_two_texts_that_each_name_what_the_other_does_not_are_of_two_things(
    first: str, second: str, others: bool
) -> None:
    assert variants.names_others(first, second) is others


NAMING = st.lists(st.sampled_from(["Bergen", "bergen", "Ida", "mill", "9", "14", "not", "rye", "x", "May"]), max_size=6)


@given(NAMING, NAMING)
def test_bits_that_tell_two_texts_apart_are_never_made_up(first: list[str], second: list[str]) -> None:
    one, other = " ".join(["The", *first]), " ".join(["The", *second])
    (apart, said), (others_apart, others_said) = variants.marks(one), variants.marks(other)
    if apart & ~others_said and others_apart & ~said:
        assert variants.names_others(one, other)


def test_bits_tell_days_and_people_apart() -> None:
    texts = ("Bus 14 stops at the mill.", "Bus 9 stops at the mill.", "I met Ida by bus.", "I met Bruno by bus.")
    for one, other in (texts[:2], texts[2:]):
        (apart, said), (others_apart, others_said) = variants.marks(one), variants.marks(other)
        assert apart & ~others_said
        assert others_apart & ~said
