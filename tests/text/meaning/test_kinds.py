"""Kind, importance and durability of statements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.model.kinds import KINDS
from palazzo.text.meaning.kinds import classify, is_durable_statement, is_question
from palazzo.text.words.cues import CueTable, cue_terms

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=200)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My name is Ottilie and I am 34 years old", "identity"),
        ("I'm allergic to walnuts", "identity"),
        ("The user is allergic to walnuts.", "identity"),
        ("Ottilie was diagnosed with asthma as a child", "identity"),
        ("Karl is my brother", "relationship"),
        ("I'm married to a carpenter", "relationship"),
        ("My favourite soup is borscht", "preference"),
        ("The user can't stand loud restaurants.", "preference"),
        ("I live in a small flat in Graz", "residence"),
        ("We moved to Bergen in spring", "residence"),
        ("I work as a nurse at the harbour clinic", "employment"),
        ("The user got promoted to team lead.", "employment"),
        ("We decided to go with SQLite for the cache", "decision"),
        ("I have to hand in the tax form by Friday", "task"),
        ("My goal is to run a marathon next year", "task"),
        ("Remind me to water the ferns", "task"),
        ("Yesterday we went to a jazz concert", "event"),
        ("I graduated from nursing school last month", "event"),
        ("Lately I've been learning to play the cello", "activity"),
        ("I'm currently looking at the parser module", "context"),
        ("I realized that early mornings suit me best", "reflection"),
        ("The import fails with a traceback in the csv reader", "error"),
        ("How to deploy: run the command make ship, then run the smoke tests", "procedure"),
        ("From now on answer in French", "instruction"),
        ("Always cite your sources.", "instruction"),
        ("Never push to main without a review", "instruction"),
        ("The tower has three hundred steps inside", "fact"),
        ("Thanks so much!", "transient"),
        ("Good morning", "transient"),
        ("Haha nice", "transient"),
        ("", "transient"),
        ("What time does the shop open?", "context"),
    ],
)
def test_a_statement_gets_its_kind(text: str, kind: str) -> None:
    assert classify(text).kind == kind, classify(text)


def test_what_must_not_be_missed_outranks_what_is_merely_said() -> None:
    vital = ["I'm allergic to bee stings", "Remember that the gate code changes weekly", "Always write tests first"]
    small = ["Nice weather today", "Thanks, that looks great!", "How are you?"]
    assert min(classify(text).importance for text in vital) >= 0.9
    assert max(classify(text).importance for text in small) <= 0.3


def test_a_deadline_raises_and_a_hedge_lowers_importance() -> None:
    plain = classify("I need to file the report")
    assert classify("I need to file the report, the deadline is Monday").importance > plain.importance
    assert classify("Maybe I need to file the report").importance < plain.importance


def test_durability_follows_the_kind_and_what_was_asked() -> None:
    assert classify("Please always use tabs").durability == "permanent"
    assert classify("Remember that my locker is 14").durability == "permanent"
    assert classify("I'm allergic to latex").durability == "permanent"
    assert classify("I take statistics this semester").durability == "semester"
    assert classify("I visited the old mill yesterday").durability == "decaying"
    assert classify("ok thanks").durability == "transient"


def test_reasons_quote_the_cues() -> None:
    reasons = " ".join(classify("I live in Graz").reasons)
    assert "residence" in reasons
    assert "i live in" in reasons


@pytest.mark.parametrize(
    "text",
    [
        "Always reply in bullet points when I ask for a summary",
        "Never use emoji",
        "From now on, call me Otti",
        "Please use metric units",
        "I prefer short answers",
        "When I ask about recipes, list the allergens first",
        "I want you to cite sources",
        "Our repo uses tabs. Always run the formatter before you commit.",
        "Don't use semicolons",
        "The user prefers short answers.",
    ],
)
def test_standing_instructions_are_recognised(text: str) -> None:
    assert classify(text).kind in ("instruction", "preference")


@pytest.mark.parametrize(
    "text",
    [
        "I've always loved the sea",
        "She never calls back",
        "We always had dinner at six",
        "I want to make sure I understand",
        "The library is closed",
        "What do you think?",
        "",
    ],
)
def test_stories_are_not_standing_instructions(text: str) -> None:
    assert classify(text).kind != "instruction"


@pytest.mark.parametrize(
    "text",
    [
        "I decided to stop drinking coffee",
        "My goal is to open a bakery someday",
        "I value honesty above everything else",
        "I can't eat dairy since the operation",
        "I go swimming every morning before work",
        "Ever since the burglary I double check every lock",
    ],
)
def test_lasting_first_person_statements_are_recognised(text: str) -> None:
    assert is_durable_statement(text)


@pytest.mark.parametrize("text", ["Nice picture!", "The shop opens at nine", "Do you always run in the morning?", ""])
def test_passing_remarks_are_not_lasting_statements(text: str) -> None:
    assert not is_durable_statement(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where do you live?", True),
        ("where do you live", True),
        ("can you send the file", True),
        ("How about you?", True),
        ("I moved to Graz in June. How about you?", False),
        ("I wonder where she lives.", False),
        ("What a day!", False),
        ("", False),
    ],
)
def test_questions_are_told_from_statements(text: str, expected: bool) -> None:
    assert is_question(text) is expected


@given(ANY_TEXT)
def test_any_text_gets_a_kind_of_the_table_and_figures_in_range(text: str) -> None:
    found = classify(text)
    assert found.kind in KINDS
    assert 0.0 <= found.importance <= 1.0
    assert 0.0 <= found.confidence <= 1.0
    assert found.reasons
    is_question(text)
    is_durable_statement(text)


def test_cue_phrases_match_across_forms_gaps_and_speakers() -> None:
    table = CueTable({"a": ((1.0, "i be * tired, ^ stop"),)})
    assert [hit.phrase for hit in table.hits(cue_terms("The user is really very tired"))] == ["i be * tired"]
    assert table.hits(cue_terms("Please stop")) == []
    assert [hit.label for hit in table.hits(cue_terms("Stop it"))] == ["a"]
