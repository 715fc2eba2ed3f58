"""Sentences: where they end in any script, what sort they are, and that nothing is lost or slow."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.text.words.sentences import LONGEST, mask_markup, split_sentences


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


def kinds(text: str) -> list[str]:
    return [sentence.kind for sentence in split_sentences(text)]


def test_an_empty_text_has_no_sentences() -> None:
    assert split_sentences("") == ()
    assert split_sentences(" \n\t ") == ()


def test_titles_abbreviations_and_initials_do_not_end_a_sentence() -> None:
    assert texts("Dr. Osei met Mr. J. R. Lund at 5 p.m. on Friday. They spoke.") == [
        "Dr. Osei met Mr. J. R. Lund at 5 p.m. on Friday.",
        "They spoke.",
    ]


def test_decimals_urls_versions_and_file_names_do_not_end_a_sentence() -> None:
    assert texts("It cost 3.50 at https://shop.example/a.b?c=1. Node.js 18.2 reads app.toml. Good.") == [
        "It cost 3.50 at https://shop.example/a.b?c=1.",
        "Node.js 18.2 reads app.toml.",
        "Good.",
    ]


def test_a_country_abbreviation_ends_a_sentence_only_before_a_new_one() -> None:
    assert texts("The U.S. economy grew. I moved to the U.S. I like it.") == [
        "The U.S. economy grew.",
        "I moved to the U.S.",
        "I like it.",
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("我叫安娜。我住在上海！你呢？", 3),
        ("私は東京に住んでいます。猫が好きです。", 2),
        ("أنا من القاهرة. هل تحب القهوة؟ نعم.", 3),
        ("मैं दिल्ली में रहता हूँ। मुझे चाय पसंद है।", 2),
        ("Ես ապրում եմ Երևանում։ Ես ուսուցիչ եմ։", 2),
    ],
)
def test_sentences_of_other_scripts_end_at_their_own_marks(text: str, count: int) -> None:
    assert len(split_sentences(text)) == count


def test_mixed_directions_keep_their_offsets() -> None:
    text = "שלום Anna. I live in תל אביב now. مرحبا!"
    found = split_sentences(text)
    assert [text[s.start : s.end] for s in found] == ["שלום Anna.", "I live in תל אביב now.", "مرحبا!"]


def test_a_question_inside_a_quotation_does_not_cut_the_sentence_around_it() -> None:
    assert texts('She asked "Really? Now?" and left. He stayed.') == [
        'She asked "Really? Now?" and left.',
        "He stayed.",
    ]


def test_nested_quotes_stay_in_one_sentence() -> None:
    assert len(split_sentences("He said “I heard ‘never again. never.’ from her” and laughed.")) == 1


def test_emoji_after_a_sentence_belong_to_it() -> None:
    assert texts("I won! 🎉🎉 We danced 😄 It was late.") == ["I won! 🎉🎉", "We danced 😄", "It was late."]


def test_a_code_block_is_one_sentence_of_kind_code() -> None:
    found = split_sentences("Run this:\n```py\nx = 1. + 2\ny()\n```\nIt works.")
    assert [sentence.kind for sentence in found] == ["command", "code", "statement"]


def test_an_unclosed_fence_at_a_line_start_runs_to_the_end() -> None:
    assert kinds("Look:\n```\na. b. c")[-1] == "code"


def test_list_items_are_sentences_without_their_marks() -> None:
    assert texts("Plan:\n- buy milk\n* call Ines. Today.\n1. sleep\n2) eat") == [
        "Plan:",
        "buy milk",
        "call Ines.",
        "Today.",
        "sleep",
        "eat",
    ]


def test_a_wrapped_line_goes_on_and_a_short_line_does_not() -> None:
    long_line = "This line was broken by an editor because it had become far too long"
    assert len(split_sentences(f"{long_line}\nand it goes on here.")) == 1
    assert len(split_sentences("Groceries\nMilk and bread")) == 2


def test_tags_are_left_out_and_entities_resolved() -> None:
    assert texts("<p>I live in <b>Rome</b> &amp; like it.</p><script>var a = 1;</script>") == [
        "I live in Rome & like it.",
        "var a = 1;",
    ]
    assert kinds("<style>p { color: red }</style>") == ["code"]


def test_angle_brackets_that_are_no_tags_stay() -> None:
    assert texts("A List<String> holds x < y.") == ["A List<String> holds x < y."]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Where do you live?", "question"),
        ("can you help me with this", "question"),
        ("what are some good places to eat", "question"),
        ("Please answer in French.", "command"),
        ("Remember that I am left-handed.", "command"),
        ("Never share my address.", "command"),
        ("ok and add a closing line", "command"),
        ("Skip the preamble, okay?", "command"),
        ("Is this the preamble, please?", "question"),
        ("reorder the chapters by year", "command"),
        ("Denise the florist is off on Monday.", "statement"),
        ("I moved to Oslo.", "statement"),
        ("What a day!", "exclamation"),
        ("Blue and green", "fragment"),
        ("> somebody wrote this", "quote"),
    ],
)
def test_the_kind_of_a_sentence_is_read_from_its_form(text: str, kind: str) -> None:
    assert kinds(text) == [kind]


@given(st.text(max_size=400))
@settings(max_examples=300, deadline=None)
def test_sentences_are_ordered_disjoint_and_cover_every_letter(text: str) -> None:
    mask, _ = mask_markup(text)
    assert len(mask) == len(text)
    covered = [False] * len(text)
    last = 0
    for sentence in split_sentences(text):
        assert last <= sentence.start < sentence.end <= len(text)
        assert sentence.end - sentence.start <= LONGEST
        last = sentence.end
        covered[sentence.start : sentence.end] = [True] * (sentence.end - sentence.start)
    assert all(covered[at] for at, character in enumerate(mask) if character.isalnum())


_MARKED = st.text(alphabet="aA. !?\n<>/bp-*#`\"'1,你。", max_size=300)


@given(_MARKED)
@settings(max_examples=300, deadline=None)
def test_the_same_holds_for_text_full_of_marks(text: str) -> None:
    mask, _ = mask_markup(text)
    inside = sum(s.end - s.start for s in split_sentences(text))
    assert inside >= sum(1 for character in mask if character.isalnum())


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "<",
        "<script>",
        '"',
        "a. ",
        "`",
        "\n",
        "- x\n",
        "```\n",
        "<a ",
        "x\n",
        ".",
        "<!--",
        "word ",
        "é<pre>",
        "\x00\x01",
    ],
)
def test_a_long_run_of_anything_takes_linear_work(unit: str) -> None:
    # 100 KB of a quadratic case would take minutes; the suite would hang rather than pass.
    text = unit * (100_000 // len(unit))
    assert all(s.end - s.start <= LONGEST for s in split_sentences(text))
