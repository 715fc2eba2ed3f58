"""Propositions: one fact each, readable alone, with every word of the turn accounted for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.text.statements.propositions import Dropped, Proposition, split_propositions


def kept(text: str, speaker: str = "the user", addressee: str = "the assistant") -> list[str]:
    return [p.text for p in split_propositions(text, speaker=speaker, addressee=addressee)[0]]


def dropped(text: str, speaker: str = "the user", addressee: str = "the assistant") -> list[tuple[str, str]]:
    return [(d.text.strip(), d.reason) for d in split_propositions(text, speaker=speaker, addressee=addressee)[1]]


def test_an_empty_turn_has_neither_propositions_nor_dropped_text() -> None:
    assert split_propositions("") == ((), ())
    assert split_propositions("  \n ") == ((), ())


def test_an_object_that_shares_its_verb_becomes_a_fact_of_its_own() -> None:
    assert kept("I use Rust for the backend and React for the frontend.") == [
        "The user uses Rust for the backend.",
        "The user uses React for the frontend.",
    ]


def test_verbs_that_share_a_subject_become_two_facts() -> None:
    assert kept("I moved to Lyon in May and started a job at Renault.") == [
        "The user moved to Lyon in May.",
        "The user started a job at Renault.",
    ]
    assert kept("Ines lives in Faro and works at a bank.") == ["Ines lives in Faro.", "Ines works at a bank."]


def test_independent_clauses_are_split_and_their_conjunction_left_out() -> None:
    assert kept("I don't eat meat, but I'm fond of fish, so I order sushi on Fridays.") == [
        "The user doesn't eat meat.",
        "The user is fond of fish.",
        "The user orders sushi on Fridays.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "When I got home, I fed the parrot.",
        "If the landlord agrees and the bank pays, we will move to Turin.",
        "I bought the camera which my uncle had used in Nepal.",
        "I left the choir because the rehearsals clashed with my shifts.",
    ],
)
def test_subordinate_and_relative_clauses_stay_with_their_head(text: str) -> None:
    assert len(kept(text)) == 1


def test_nouns_joined_by_and_are_not_torn_apart() -> None:
    assert kept("I grow tomatoes, beans and basil on the balcony.") == [
        "The user grows tomatoes, beans and basil on the balcony."
    ]


def test_first_person_becomes_the_speaker_and_the_verb_agrees() -> None:
    assert kept("I have a twin and I've never met my uncle.", speaker="Ana") == [
        "Ana has a twin.",
        "Ana has never met Ana's uncle.",
    ]
    assert kept("I'm a nurse.", speaker="Ana") == ["Ana is a nurse."]
    assert kept("I'd been to Malta twice.", speaker="Ana") == ["Ana had been to Malta twice."]
    assert kept("I'd love to see Malta.", speaker="Ana") == ["Ana would love to see Malta."]
    assert kept("I often cycle to the harbour.", speaker="Ana") == ["Ana often cycles to the harbour."]
    assert kept("Those keys are mine, the blue ones.", speaker="Ana") == ["Those keys are Ana's, the blue ones."]


def test_second_person_becomes_the_addressee() -> None:
    assert kept("You must always answer in Danish.") == ["The assistant must always answer in Danish."]


def test_my_partner_and_i_keep_their_plural_verb() -> None:
    assert kept("My sister and I own a bakery.", speaker="Ana") == ["Ana's sister and Ana own a bakery."]


def test_words_inside_quotation_marks_keep_their_own_first_person() -> None:
    assert kept('My aunt told the judge "I signed nothing in March".', speaker="Ana") == [
        'Ana\'s aunt told the judge "I signed nothing in March".'
    ]


def test_a_left_out_subject_is_the_speaker() -> None:
    assert kept("Went to Genoa last week. Gonna sell my boat.", speaker="Ana") == [
        "Ana went to Genoa last week.",
        "Ana is going to sell Ana's boat.",
    ]


def test_a_pronoun_with_one_possible_person_is_resolved() -> None:
    assert kept("My sister Eva moved to Graz. She's a potter and has two kids.") == [
        "The user's sister Eva moved to Graz.",
        "Eva is a potter.",
        "Eva has two kids.",
    ]


def test_an_animal_may_be_she_and_what_something_used_to_be_is_not_it() -> None:
    assert kept("We adopted a pony on Monday. She's called Toffee.")[-1] == "The pony is called Toffee."
    assert kept("My favourite tea used to be Assam but now it's Keemun.")[-1] == (
        "Now the user's favourite tea is Keemun."
    )
    assert kept("The barn has a red roof. It rained all night.") == ["The barn has a red roof."]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("I met Ingrid in Oslo. Her boat's in the harbour.", "Ingrid's boat's in the harbour."),
        ("Fish man is called Amadou, he parks by the church.", "Amadou parks by the church."),
        ("great, Denise will love that, she's collected stamps since 1990", "Denise has collected stamps since 1990."),
        ("we've left Hadley, it's Boothroyd now", "The user and others have left Hadley, it's Boothroyd now."),
    ],
)
def test_whom_a_pronoun_stands_for_is_told_by_what_is_said_right_before_it(text: str, last: str) -> None:
    assert split_propositions(text)[0][-1].text == last


def test_a_pronoun_with_two_possible_persons_is_kept() -> None:
    found = kept("Eva met Nora at the station. She bought a ticket to Vienna.")
    assert found[-1] == "She bought a ticket to Vienna."


def test_small_talk_is_dropped_with_its_reason() -> None:
    assert dropped("Hey Tom! How are you? Sounds great. Thanks!", speaker="Ana", addressee="Tom") == [
        ("Hey Tom!", "greeting"),
        ("How are you?", "question"),
        ("Sounds great.", "filler"),
        ("Thanks!", "acknowledgement"),
    ]


def test_a_greeting_in_front_of_a_fact_is_dropped_alone() -> None:
    found, gone = split_propositions("Thanks Tom, I sold the piano yesterday.", speaker="Ana", addressee="Tom")
    assert [p.text for p in found] == ["Ana sold the piano yesterday."]
    assert [(d.text, d.reason) for d in gone] == [("Thanks Tom, ", "acknowledgement")]


def test_praise_and_encouragement_of_the_other_are_dropped() -> None:
    text = "You're so talented, Tom! Keep it up. That's really inspiring. I'm so proud of you!"
    assert kept(text, speaker="Ana", addressee="Tom") == []


@pytest.mark.parametrize(
    "text",
    [
        "I'm a nurse.",
        "I'm vegan.",
        "I smoke.",
        "I can't swim.",
        "I'm 34.",
        "I have asthma.",
        "My dog died.",
        "We moved.",
    ],
)
def test_the_shortest_facts_about_the_speaker_are_kept(text: str) -> None:
    assert len(kept(text)) == 1


def test_a_standing_instruction_is_kept() -> None:
    assert kept("Always use metric units in tables.") == ["Always use metric units in tables."]


def test_notes_without_a_subject_follow_each_other() -> None:
    assert (
        kept("Former pilot. Two hens. Rows every evening after work.")[-1] == "The user rows every evening after work."
    )
    assert kept("Copies of the lease are kept by Olga.") == ["Copies of the lease are kept by Olga."]
    assert kept("No more oysters for a year.") == ["No more oysters for a year."]


def test_thanks_and_good_wishes_are_not_facts_of_the_assistant() -> None:
    assert kept("Thanks a lot for Monday, that helped me.") == []
    assert kept("You're the best, happy new year!") == []
    assert kept("Thank you for the hint, my train is at 9.") == ["The user's train is at 9."]


def test_a_question_after_a_statement_is_dropped_and_the_statement_kept() -> None:
    found, gone = split_propositions("My essay has 4,000 words, how can I shorten it?")
    assert [p.text for p in found] == ["The user's essay has 4,000 words."]
    assert [d.reason for d in gone] == ["question"]


def test_a_fact_told_inside_a_question_is_kept() -> None:
    assert kept("How should I sort my books now that I own 300 novels?") == ["The user owns 300 novels."]


def test_a_question_full_of_the_askers_own_particulars_is_kept_as_asked() -> None:
    found = kept("How can I keep my Flask service on port 8080 under 200 requests per minute for the Oslo launch?")
    assert len(found) == 1
    assert found[0].startswith("The user asked: How can the user keep the user's Flask service on port 8080")


def test_a_reaction_stays_with_the_statement_it_reacts_to() -> None:
    assert kept("I climbed Ben Nevis on Sunday and it was wonderful.", speaker="Ana") == [
        "Ana climbed Ben Nevis on Sunday and it was wonderful."
    ]


def test_the_source_is_the_sentence_as_it_was_written() -> None:
    (first, second), _ = split_propositions("Note:  I sold my car and I bought a bike.")
    assert first.source == second.source == "Note:  I sold my car and I bought a bike."


def test_the_span_of_a_proposition_holds_its_words() -> None:
    text = "We met in Riga. I moved to Lyon and I sold the van."
    found, _ = split_propositions(text)
    assert "sold the van" in text[found[-1].start : found[-1].end]
    assert "Lyon" not in text[found[-1].start : found[-1].end]


def test_negation_is_reported() -> None:
    found, _ = split_propositions("I never eat shellfish. I eat rice.")
    assert [p.negated for p in found] == [True, False]


def test_the_subject_is_named_as_far_as_it_is_known() -> None:
    found, _ = split_propositions("I own a kiln. My brother Jan paints boats. The old mill burned down.", speaker="Ana")
    assert [p.subject for p in found] == ["Ana", "Ana's brother Jan", "the old mill"]


def test_code_markup_and_noise_are_dropped_as_what_they_are() -> None:
    assert ("```\nx = 1\n```", "code") in dropped("Here it is:\n```\nx = 1\n```")
    assert ("<p>", "markup") in dropped("<p>I own a boat in Split.</p>")
    assert dropped("\x00\x01\x02 abc")[0][1] == "unreadable"
    assert dropped("A" * 300)[0][1] == "unreadable"


def test_list_items_become_propositions_without_their_marks() -> None:
    assert kept("- I have 5 cats\n- my car is a Saab") == ["The user has 5 cats.", "The user's car is a Saab."]


def test_other_languages_are_kept_whole_and_untouched() -> None:
    assert kept("Me llamo Andrés y vivo en Lima.") == ["Me llamo Andrés y vivo en Lima."]
    assert kept("我叫安娜。你好。你住在哪里？") == ["我叫安娜。"]
    assert kept("Я живу в Казани.") == ["Я живу в Казани."]


def spans(text: str) -> list[Proposition | Dropped]:
    found, gone = split_propositions(text, speaker="Ana", addressee="Tom")
    return sorted([*found, *gone], key=lambda one: one.start)


def check_every_word_is_accounted_for(text: str) -> None:
    covered = [0] * len(text)
    for one in spans(text):
        assert 0 <= one.start < one.end <= len(text)
        for at in range(one.start, one.end):
            covered[at] += 1
    assert all(count <= 1 for count in covered)
    assert all(covered[at] == 1 for at, character in enumerate(text) if character.isalnum())


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_every_letter_is_in_exactly_one_proposition_or_dropped_stretch(text: str) -> None:
    check_every_word_is_accounted_for(text)


_TALK = st.lists(
    st.sampled_from(
        [
            "I",
            "I'm",
            "my",
            "we",
            "you",
            "she",
            "it",
            "they",
            "Anna",
            "Tom",
            "moved",
            "live",
            "have",
            "has",
            "is",
            "was",
            "never",
            "and",
            "but",
            "so",
            "because",
            "if",
            "when",
            "who",
            "what",
            "how",
            "can",
            "?",
            ".",
            "!",
            ",",
            ";",
            "-",
            ":",
            "\n",
            "(",
            ")",
            '"',
            "<b>",
            "</b>",
            "```",
            "5",
            "3.5",
            "$40",
            "2024",
            "May",
            "yesterday",
            "Rome",
            "dog",
            "dogs",
            "the",
            "a",
            "to",
            "in",
            "at",
            "for",
            "from",
            "not",
            "don't",
            "thanks",
            "hey",
            "wow",
            "great",
            "你好",
            "😄",
            "&amp;",
            "http://a.b/c",
            "*",
            "1.",
        ]
    ),
    max_size=40,
).map(" ".join)


@given(_TALK)
@settings(max_examples=400, deadline=None)
def test_the_same_holds_for_anything_people_could_string_together(text: str) -> None:
    check_every_word_is_accounted_for(text)
    for one in spans(text):
        if isinstance(one, Proposition):
            assert one.text
            assert one.source in text


@pytest.mark.parametrize("unit", ["I went home and ", "a, ", "(", "and ", '"', "I I ", "? ", "it's ", "<b>x</b>", "的"])
def test_long_turns_take_linear_work(unit: str) -> None:
    # 100 KB; a quadratic step would make the suite hang.
    split_propositions(unit * (100_000 // len(unit)))


def test_a_title_is_part_of_a_name_and_a_count_is_of_whoever_notes_it() -> None:
    assert kept("Our judge is Mrs. Adeyinka and her office is C4.")[-1] == "Mrs. Adeyinka's office is C4."
    found = split_propositions("Vegan. Lives abroad. Two ferrets.")[0]
    assert [one.subject for one in found] == ["the user"] * 3
