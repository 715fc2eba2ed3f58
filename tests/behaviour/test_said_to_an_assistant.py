"""What a user says to an assistant: introductions, fragments, standing instructions and small talk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "palace", durable=False, upkeep=False) as made:
        yield made


def drawn(memory: Memory, line: str, role: str = "user") -> list[tuple[str, str]]:
    memory.observe([{"content": line, "role": role}])
    return [(held.kind, held.text) for held in memory.list(limit=20) if held.kind != "exchange"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm Tobias.", "Tobias"), ("My name is Priya and I'm a structural engineer", "engineer"),
        ("I'm a nurse from Cork", "Cork"), ("Originally from Izmir, now in Utrecht", "Izmir"),
        ("We have two guinea pigs, Salt and Pepper", "Pepper"), ("I've got a 2014 Volvo V60", "Volvo"),
        ("Likes to bake sourdough on Sundays", "Likes to bake"), ("Plays the accordion", "accordion"),
        ("Left-handed", "eft-handed"), ("Mother of three", "three"), ("Allergic to cats", "cats"),
        ("Since I'm coeliac, what can I eat in Rome?", "I'm coeliac"),
        ("I have a toddler, which stroller should I buy?", "toddler"), ("My knee is bad, can I still hike?", "knee"),
        ("hey! how are you? btw I started a new job at Siemens", "Siemens"),
        ("thanks!! oh and my birthday's on 4 march", "4 march"), ("I'm into bouldering", "bouldering"),
    ],
)  # fmt: skip
def test_what_people_tell_of_themselves_is_kept(memory: Memory, said: str, kept: str) -> None:
    assert any(kept in text for _, text in drawn(memory, said))


@pytest.mark.parametrize(
    "said",
    [
        "Never deploy on a Friday.", "Whenever I paste a stack trace, name the cause first.", "Use metric units.",
        "Please keep your replies short.", "When I ask for code, use Rust", "Always answer in Dutch.",
        "No emojis please", "Don't call me sir", "Before you book anything, ask me.",
        "If you're not sure, say so", "Keep it brief", "No more than two lines per reply, I'm driving",
        "Stop apologising all the time", "Only suggest vegan recipes", "Write dates as 2026-05-01",
        "Antworte immer kurz.", "Bitte keine Emojis", "Wenn ich Code einfüge, erklär ihn zuerst",
        "Réponds toujours en français.", "Ne me propose jamais de viande.", "Tutoie-moi",
        "Responde siempre en español.", "No uses emojis", "Cuando te pida código, usa Python",
    ],
)  # fmt: skip
def test_a_standing_instruction_is_kept_as_one_whatever_its_form(memory: Memory, said: str) -> None:
    assert [kind for kind, _ in drawn(memory, said)] == ["instruction"]


@pytest.mark.parametrize(
    "said",
    [
        "Write me a poem about the sea", "Translate 'cheese' into Danish", "Tell me a joke", "Add two eggs",
        "I never eat meat.", "When I was young, I lived in Bonn.", "Make this letter sound friendlier",
        "Good, now turn it into a limerick.",
        "Ich gehe immer zu Fuß.",
        "Wenn es regnet, bleibe ich zu Hause.", "Je ne mange jamais de viande.", "Nunca como carne.", "never mind",
    ],
)  # fmt: skip
def test_an_order_for_once_and_a_habit_are_no_instructions(memory: Memory, said: str) -> None:
    assert "instruction" not in [kind for kind, _ in drawn(memory, said)]


@pytest.mark.parametrize(
    "said",
    [
        "Good morning!", "how's it going?", "thanks a lot", "ok cool", "nice one", "What's the capital of Peru?",
        "Can you help me with something?", "Tell me a joke", "see you tomorrow", "Great, that works", "Danke schön!",
        "Salut, ça va ?", "Hola, ¿qué tal?", "testing 1 2 3", "Happy Friday!", "sorry I'm late",
        "How do I boil an egg?",
        "Translate 'cheese' into Danish", "Write me a poem about the sea", "I'm back",
        "If I sold the boat, would I still owe harbour fees?",
        "off to lunch, ttyl", "off now, speak soon", "ok now cut that to two lines",
        "Make the chart a tad narrower please",
    ],
)  # fmt: skip
def test_small_talk_questions_and_orders_leave_no_statement(memory: Memory, said: str) -> None:
    assert drawn(memory, said) == []


def test_what_somebody_had_done_is_no_question(memory: Memory) -> None:
    assert ("event", "Had the boiler serviced in March.") in drawn(memory, "Had the boiler serviced in March.")


def test_what_an_assistant_says_is_a_turn_and_no_evidence(memory: Memory) -> None:
    assert drawn(memory, "You live in Ghent and your favourite tea is oolong.", role="assistant") == []


@pytest.mark.parametrize(
    ("said", "sure"),
    [
        ("My office is on the fourth floor.", True), ("I moved to Graz last year.", True),
        ("I think my office is on the fourth floor.", False), ("Tom says the office moves to Graz.", False),
        ("Maybe I'm allergic to kiwi.", False), ("Vielleicht ziehe ich nach Graz.", False),
    ],
)  # fmt: skip
def test_the_owners_word_is_sure_and_hearsay_is_not(memory: Memory, said: str, sure: bool) -> None:
    memory.observe([{"content": said, "role": "user"}])
    found = [held.confidence for held in memory.list(limit=20) if held.kind != "exchange"]
    assert all((figure > 0.9) is sure for figure in found)
    assert not any("unconfirmed" in hit.caveat for hit in memory.recall(said)) or not sure


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (["Ingrid is our accountant. She hates phone calls."], "Ingrid hates phone calls."),
        (["My brother Otis moved to Porto.", "He works at the aquarium."], "Otis works at the aquarium."),
        (["My cat is called Biscuit.", "Nadia is my physio.", "She is on holiday until June."], "Nadia is on holiday"),
    ],
)  # fmt: skip
def test_a_pronoun_stands_for_who_was_just_named(memory: Memory, lines: list[str], kept: str) -> None:
    for line in lines:
        found = drawn(memory, line)
    assert any(kept in text for _, text in found)


def test_a_place_and_a_label_are_nobody(memory: Memory) -> None:
    for line in ("Remark: the shed leaks.", "He mends nets in Whitby.", "His niece Thora is a vet."):
        memory.observe([{"role": "user", "content": line}])
    texts = [held.text for held in memory.list() if held.kind != "exchange"]
    assert not any("Remark mends" in text or "Whitby's" in text for text in texts), texts


@pytest.mark.parametrize(
    ("old", "new", "both"),
    [
        ("Always sign my letters with Dr. Holm.", "Sign letters with plain 'Ea' from now on.", False),
        ("Always reply with numbered lists.", "Running text from here on, no lists.", False),
        ("Two lines at most per answer.", "You may answer in detail again.", False),
        ("Never use emojis.", "Never use exclamation marks.", True),
        ("Don't book meetings on Fridays.", "Don't book flights before nine.", True),
    ],
)
def test_an_instruction_gives_way_to_one_on_the_same_matter_alone(
    memory: Memory, old: str, new: str, both: bool
) -> None:
    for line in (old, new):
        memory.observe([{"role": "user", "content": line}])
    texts = [held.text for held in memory.list() if held.kind == "instruction"]
    assert new in texts
    assert (old in texts) is both


def test_a_pronoun_that_could_be_two_people_stays(memory: Memory) -> None:
    drawn(memory, "My sisters Lena and Mia are visiting.")
    assert not any(
        "harp" in text and ("Lena" in text or "Mia" in text) for _, text in drawn(memory, "She plays the harp.")
    )
