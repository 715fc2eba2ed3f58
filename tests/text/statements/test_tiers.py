"""Full text, summary, key fact and tag."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.statements.tiers import KEY_FACT_TOKENS, SUMMARY_TOKENS, TAG_WORDS, make_tiers
from palazzo.text.words.tokens import content_terms, estimate_tokens

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=400)
PROSE = st.lists(st.sampled_from(["The", "old", "mill", "burned", "down", "in", "1987", ".", "And", "so", ","])).map(
    " ".join
)
STORY = (
    "When we were living in Oslo with two roommates, I started baking sourdough every Sunday and sold it next door. "
    "It was fun. Do you bake? In 2019 I opened the bakery Brightloaf in Turin with my cousin Ines, and we hired four "
    "people in the first year, which nobody had expected. The weather there is lovely. Thanks for asking!"
)


def test_a_short_text_is_its_own_summary_and_key_fact() -> None:
    tiers = make_tiers("  I keep bees on the roof. ")
    assert tiers.full == tiers.summary == tiers.key_fact == "I keep bees on the roof."
    assert tiers.tag == "keep bees roof" or "bees" in tiers.tag


def test_a_long_text_is_summed_up_in_its_own_sentences_in_order() -> None:
    tiers = make_tiers(STORY)
    assert "Brightloaf" in tiers.summary
    assert "Do you bake" not in tiers.summary
    assert "Thanks" not in tiers.summary
    places = [STORY.find(sentence) for sentence in tiers.summary.split(". ")]
    assert places == sorted(places)
    assert min(places) >= 0


def test_the_key_fact_is_a_clause_that_stands_alone() -> None:
    assert "Brightloaf" in make_tiers(STORY).key_fact
    one = "The clinic moved my appointment to the third of May because the surgeon who operates fell ill on Tuesday"
    assert make_tiers(one).key_fact == "The clinic moved my appointment to the third of May"


def test_a_subordinate_opening_is_left_out_of_the_key_fact() -> None:
    text = (
        "After the flood ruined the cellar last autumn, we moved all the archive boxes to the attic and labelled them"
    )
    assert make_tiers(text).key_fact.startswith("We moved all the archive boxes")


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_stays_nothing(text: str) -> None:
    assert make_tiers(text) == make_tiers("")
    assert make_tiers("").tag == ""


def test_text_without_blanks_is_cut_to_size() -> None:
    for text in ("我们打算下个月去北京" * 40, "x" * 5000, "https://example.org/" + "a/" * 900):
        tiers = make_tiers(text)
        assert estimate_tokens(tiers.summary) <= SUMMARY_TOKENS
        assert estimate_tokens(tiers.key_fact) <= KEY_FACT_TOKENS


@given(st.one_of(ANY_TEXT, PROSE, PROSE.map(lambda text: text * 8)))
def test_tiers_shrink_and_keep_their_limits(text: str) -> None:
    tiers = make_tiers(text)
    full = estimate_tokens(tiers.full)
    summary, key_fact = estimate_tokens(tiers.summary), estimate_tokens(tiers.key_fact)
    assert summary <= max(SUMMARY_TOKENS, 0)
    assert key_fact <= KEY_FACT_TOKENS
    assert key_fact <= summary <= full
    assert len(tiers.tag.split()) <= TAG_WORDS


@given(PROSE)
def test_tiers_use_only_words_of_the_text(text: str) -> None:
    tiers = make_tiers(text)
    assert set(content_terms(tiers.tag)) <= set(content_terms(text)) | {""}
