"""What was just spoken of decides what "it" and "there" are, wherever recall is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palazzo import Memory
from palazzo.text.meaning.message import leans_back, spoken_of

KNOWN = (
    "The Porto office opens at seven.", "The Lisbon office opens at nine.",
    "The billing service is deployed with make ship from the release branch.",
    "The newsletter is deployed by pushing to the blog repository.",
    "The boiler in the cabin was serviced by Olsen in March.",
    "The boiler in the flat was serviced by Ferrand in June.",
    "Der Zug nach Graz fährt um sechs Uhr.", "Der Zug nach Linz fährt um acht Uhr.",
    "Tilda's thesis is about lichens.", "Marek's thesis is about tides.",
)  # fmt: skip
CASES = [
    (["I have to go to the Porto office tomorrow."], "When does it open?", "Porto"),
    (["I have to go to the Lisbon office tomorrow."], "When does it open?", "Lisbon"),
    (["Let's look at the billing service.", "The tests are green."], "ok, deploy it", "billing"),
    (["The newsletter is ready.", "Nice!"], "ok, now deploy it", "newsletter"),
    (["We are at the cabin this weekend."], "Who serviced the boiler there?", "Olsen"),
    (["We are in the flat this weekend."], "Who serviced the boiler there?", "Ferrand"),
    (["Ich muss nach Graz."], "Wann fährt der Zug dorthin, weißt du das?", "Graz"),
    (["Ich muss nach Linz."], "Wann fährt der Zug da?", "Linz"),
    (["I had lunch with Tilda."], "What is her thesis about?", "lichens"),
    (["I had lunch with Marek."], "What is his thesis about?", "tides"),
    (["When does the Porto office open?"], "And Lisbon?", "Lisbon"),
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory(tmp_path_factory.mktemp("dialogue") / "palace") as made:
        for text in KNOWN:
            made.remember(text, verbatim=True)
        yield made


@pytest.mark.parametrize(("history", "cue", "first"), CASES)
def test_the_first_hit_is_what_was_spoken_of(memory: Memory, history: list[str], cue: str, first: str) -> None:
    assert first in memory.recall(cue, history=history)[0].text
    block = memory.context(cue, history=history)
    assert first in block.hits[0].text


def test_what_says_itself_what_it_is_about_is_not_moved(memory: Memory) -> None:
    history = ["I have to go to the Porto office tomorrow."]
    for cue in ("When does the Lisbon office open?", "Lisbon office hours"):
        assert "Lisbon" in memory.recall(cue, history=history)[0].text


def test_the_last_turns_of_a_thread_say_it_too(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as memory:
        for text in KNOWN:
            memory.remember(text, verbatim=True)
        memory.observe(["I have to go to the Lisbon office."], thread="trip")
        memory.observe(["The newsletter has to go out."], thread="blog")
        assert "Lisbon" in memory.recall("When does it open?", thread="trip")[0].text
        assert "newsletter" in memory.recall("How is it deployed?", thread="blog")[0].text


@pytest.mark.parametrize(
    "text",
    ["deploy it", "And the price?", "what about Porto?", "Who runs it?", "why?", "Und dann?", "Et lui ?", "¿Y eso?"],
)
def test_a_message_that_points_back_leans_on_what_was_said(text: str) -> None:
    assert leans_back(text)


@pytest.mark.parametrize(
    "text",
    ["When does the Lisbon office open?", "passport", "my sister's birthday", "Plan my Saturday",
     "Is there a pharmacy near the harbour that opens early?"],
)  # fmt: skip
def test_a_message_that_says_what_it_is_about_does_not(text: str) -> None:
    assert not leans_back(text)


def test_small_talk_says_nothing_about_what_was_spoken_of() -> None:
    assert "ferry" in spoken_of(["The ferry to Islay is late.", "thanks!", "ok"])
