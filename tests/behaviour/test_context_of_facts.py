"""The block that a model reads is made of facts: what bears on the message, and nothing for small talk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.recall.answer.context import NOTHING, NOTHING_ELSE, RULES
from palazzo.recall.rank.relevance import FLOOR

TOLD = (
    "My name is Oyelaran.", "Never use exclamation marks in your answers.", "I restore pipe organs for a living.",
    "When I paste a bill, convert it to euros.", "My brother Kunle keeps geese.", "I play the viola on Thursdays.",
)  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace") as made:
        for text in TOLD:
            made.observe([{"content": text}])
        yield made


@pytest.mark.parametrize(
    "message",
    ["hello", "helo!", "thx", "good evening", "how are you?", "Guten Abend", "Danke!", "Bonjour", "merci", "gracias",
     "Hola, ¿qué tal?", "👋"],
)  # fmt: skip
def test_small_talk_gets_who_the_user_is_and_how_to_answer_and_no_more(memory: Memory, message: str) -> None:
    block = memory.context(message)
    assert "Oyelaran" in block.text
    assert "exclamation marks" in block.text
    assert not any(word in block.text for word in ("organ", "geese", "viola", "euros"))
    assert block.tokens <= 60


def test_small_talk_in_an_empty_palace_gets_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.observe([{"content": "hi there"}, {"content": "Hello! What can I do?", "role": "assistant"}])
        assert memory.context("hey").text == ""


def test_where_nothing_is_known_one_line_says_so(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        assert memory.context("Which bank is my mortgage with?").text == NOTHING


def test_an_instruction_applies_where_its_condition_fits(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.remember("When the user asks for code, write Rust.", kind="instruction", verbatim=True)
        memory.remember("Whenever a bill is pasted, convert it to euros.", kind="instruction", verbatim=True)
        code = memory.context("Write me a function that sorts a list of files").text
        bill = memory.context("Here is the bill: 3 coffees, 12 dollars").text
        greeting = memory.context("hello").text
    assert "Rust" in code
    assert "euros" not in code
    assert "euros" in bill
    assert greeting == ""


def test_greetings_inside_a_turn_are_not_shown_with_its_facts(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.observe([{"content": "Hi there! My cello bow needs new hair. How are you?"}])
        text = memory.context("What does my cello need?").text
    assert "needs new hair" in text
    assert "Hi there" not in text
    assert "How are you" not in text


def test_a_fact_and_its_turn_are_one_line(memory: Memory) -> None:
    assert memory.context("What does my brother keep?").text.count("geese") == 1


def test_most_of_a_block_is_facts(memory: Memory) -> None:
    block = memory.context("Tell me about my work, my brother and my viola")
    assert len(block.hits) >= 4
    assert sum(len(hit.text) for hit in block.hits) >= 0.7 * len(block.text)
    assert all(hit.text in block.text for hit in block.hits)


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("I'm Ottilie.", "Ottilie"), ("Hi, I'm Bashir and I fix clocks.", "Bashir"), ("Call me Wes.", "Wes"),
        ("Most people call me Sunny.", "Sunny"), ("I go by Max.", "Max"), ("Mein Name ist Gudrun.", "Gudrun"),
        ("Je m'appelle Solène.", "Solène"), ("Llámame Nacho.", "Nacho"),
        ("Keep your replies to two lines.", "two lines"),
        ("Antworte mir immer auf Türkisch.", "Türkisch"), ("Use Canadian spelling.", "Canadian"),
        ("Réponds-moi toujours en breton.", "breton"),
    ],
)  # fmt: skip
def test_who_somebody_is_and_how_to_answer_is_known_from_then_on(tmp_path: Path, told: str, shown: str) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.observe([{"content": told}])
        assert shown in memory.context("good morning").text


@pytest.mark.parametrize(
    "told", ["Call me tomorrow at five.", "Write a poem about rain.", "My aunt calls me every Sunday."]
)
def test_what_is_to_be_done_once_is_no_standing_instruction(tmp_path: Path, told: str) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.observe([{"content": told}])
        assert memory.context("good morning").text == ""


def test_the_owners_own_conditional_instruction_is_used_where_it_fits(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.observe([{"content": "Whenever I show you a stack trace, name the faulty line before a fix."}])
        assert "faulty line" in memory.context("This stack trace again: ZeroDivisionError in cart.py").text
        assert "faulty line" not in memory.context("Plan a birthday picnic for my nephew").text


def test_of_two_languages_to_answer_in_the_newer_holds(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.observe([{"content": "Always answer me in Danish, I need the practice."}])
        memory.observe([{"content": "Always answer me in Greek from now on."}])
        text = memory.context("Tell me something about lighthouses").text
    assert "Greek" in text
    assert "Danish" not in text


def test_a_request_gets_what_is_about_it_and_not_the_rest(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        for told in ("My mother walks with a cane.", "We deploy with Ansible."):
            memory.observe([{"content": told}])
        text = memory.context("Find a holiday destination for my mother").text
    assert "cane" in text
    assert "Ansible" not in text


@pytest.fixture
def five(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "five") as made:
        for told in (
            "I live in Tampere.", "Our cat is called Rolo.", "I row on Saturdays.", "My dentist is Ms Varga.",
            "The boiler needs a new valve.",
        ):  # fmt: skip
            made.observe([{"content": told}])
        yield made


@pytest.mark.parametrize(
    ("question", "answer", "others"),
    [
        ("Where do I live?", "Tampere", ("Rolo", "Varga", "valve")),
        ("What is our cat called?", "Rolo", ("Tampere", "Varga", "valve")),
        ("Who is my dentist?", "Varga", ("Rolo", "Tampere", "valve")),
    ],
)
def test_a_question_gets_its_answer_and_not_whatever_else_is_known(
    five: Memory, question: str, answer: str, others: tuple[str, ...]
) -> None:
    text = five.context(question).text
    assert answer in text
    assert not any(word in text for word in others)


def test_what_is_in_mind_is_not_shown_with_a_question_it_has_nothing_to_do_with(five: Memory) -> None:
    assert "Tampere" in five.context("Where do I live?").text
    assert five.context("What is my blood group?").text == NOTHING
    assert "Tampere" not in five.context("Who is my dentist?").text


def test_the_owners_own_words_need_no_warning_and_what_was_handed_over_has_one(memory: Memory) -> None:
    own = memory.context("What does Kunle keep?").text
    assert "geese" in own
    assert "Not orders:" not in own
    memory.remember("Kunle's geese moved to the lower field in May.", name="letter-from-kunle.txt")
    assert "Not orders:" in memory.context("Which field are Kunle's geese in?").text


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("I've been a diabetic since I was nine.", "Put together a lunch box for the train"),
        ("My stepson Bo is allergic to sesame.", "What could I bake for Bo's class?"),
        ("I stopped drinking three years ago.", "Which cocktails go with tapas?"),
        ("I'm allergic to wasps.", "Any tips for my weekend in the garden?"),
        ("Ich bin allergisch gegen Erdnüsse.", "Was soll ich heute Abend kochen?"),
    ],
)
def test_what_somebody_cannot_have_is_there_where_it_counts_and_nowhere_else(
    tmp_path: Path, told: str, message: str
) -> None:
    with Memory(tmp_path / "palace", upkeep=False) as memory:
        memory.observe([{"content": told}])
        assert told in memory.context(message).text
        assert told not in memory.context("How high is the Eiffel Tower?").text


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Keep replies under four lines please.", "How long should your answers be?"),
        ("Please write to me in a relaxed, informal style.", "What tone should your messages have?"),
        ("Bitte antworte in höchstens zwei Sätzen.", "Wie lang sollen deine Antworten sein?"),
    ],
)
def test_a_question_for_an_order_finds_it_in_other_words(tmp_path: Path, told: str, asked: str) -> None:
    with Memory(tmp_path / "palace", upkeep=False) as memory:
        memory.observe([{"content": told}])
        assert [hit.text for hit in memory.recall(asked)][:1] == [told]


def test_an_order_about_the_text_at_hand_is_not_shown_for_the_next_one(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", upkeep=False) as memory:
        memory.observe([{"content": "Make this letter a little warmer, please."}])
        assert "warmer" not in memory.context("Write a letter to the harbour master").text


@pytest.mark.parametrize("budget", [{}, {"budget_tokens": 128}])
def test_a_model_with_a_small_window_gets_a_line_of_what_is_known_however_long_the_memories(
    tmp_path: Path, budget: dict[str, int]
) -> None:
    with Memory(tmp_path / "palace", upkeep=False) as memory:
        page = " ".join(f"Pier {n} of the harbour has crane {n * 7} for {n * 13} tons." for n in range(200))
        memory.remember(f"The harbour ledger. {page}", verbatim=True)
        for message in ("what is in the harbour ledger?", "what do you know about the harbour?"):
            block = memory.context(message, model="some-8k-model", **budget)
            assert "harbour" in block.text.replace(message, "")
        asked = memory.context("who painted the ceiling of the opera?", **budget)
        assert asked.text.strip() == NOTHING


CANNOT = ("I can't eat gluten.", "I am allergic to peanuts.", "I never drink alcohol.")
BESIDES = ("I love skating.", "We stay at Hotel Lumen for 5 nights.", "I'm planning a trip to Lisbon in May.")


@pytest.mark.parametrize("besides", [0, 1, 3])
@pytest.mark.parametrize("subject", ["operator", "agent:primary"])
def test_a_context_holds_what_a_recall_finds_above_the_floor(tmp_path: Path, besides: int, subject: str) -> None:
    """Whatever else is told, by whomever and however often: what stands beside a fact takes it from neither."""
    with Memory(tmp_path / "palace") as memory, Memory(tmp_path / "palace", subject=subject) as other:
        memory.observe([{"content": CANNOT[0]}])
        for day, text in enumerate(BESIDES * besides, 1):
            memory.observe([{"content": text, "at": f"2026-03-{day:02}T12:00:00Z"}])
        for text in CANNOT[1:]:
            other.observe([{"content": text}])
        for message in ("What must I not eat?", "Where do we stay?", "What am I allergic to?", "What do I love?"):
            found = [hit.text for hit in memory.recall(message) if hit.relevance >= FLOOR]
            block = memory.context(message).text
            assert [text for text in found if text not in block] == []
            assert message != "What must I not eat?" or {*CANNOT[:2]} <= {*found}


def test_a_turn_of_the_owner_is_the_owners_own_word(tmp_path: Path) -> None:
    """No warning stands over a block in which the owner alone speaks, in turns, facts and orders."""
    with Memory(tmp_path / "palace") as memory:
        memory.observe([{"content": "From now on always answer in short sentences."}])
        turns = [
            {"content": "No Redis. Ops won't give us one. In memory is fine."},
            {"content": "Noted.", "role": "assistant"},
        ]
        memory.observe(turns, thread="work")
        block = memory.context("Can I use Redis?")
        assert "exchange" in {hit.memory.kind for hit in block.hits}
        assert "No Redis" in block.text
        assert RULES not in block.text
        memory.observe([{"content": "Use Redis for the cache, said the vendor.", "speaker": "Ole"}], thread="work")
        assert RULES in memory.context("Can I use Redis for the cache?").text


def test_the_words_of_an_order_stand_in_their_order_in_the_least_room(tmp_path: Path) -> None:
    order = "From now on please always answer me in short sentences and never use emojis."
    with Memory(tmp_path / "palace") as memory:
        memory.observe([{"content": "I'm Jana, 34, nurse at the hospital by the harbour in Kiel."}])
        memory.observe([{"content": order}])
        assert f"- {order}" in memory.context("hello").text
        for budget in (128, 140, 200):
            lines = memory.context("hello", budget_tokens=budget).text.splitlines()
            assert all(line in f"- {order}" for line in lines if "emojis" in line)


def test_that_nothing_else_is_known_is_the_last_that_is_said(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        memory.observe([{"content": "Never use exclamation marks in your answers."}])
        memory.observe([{"content": "The harbour office moved to the old mill."}])
        memory.context("Where is the harbour office?")
        lines = memory.context("Which bank is my mortgage with?").text.splitlines()
        assert lines[-2:] == [NOTHING_ELSE, "</memory>"]
        assert NOTHING not in lines
