"""Recall says how likely each hit is an answer, and that it knows nothing when nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from palazzo import Memory

LIFE = (
    "My sister Ingrid plays the harp in Bergen.",
    "Our boiler was serviced by Petra in October.",
    "I keep my bicycle in the shed behind the house.",
    "Ingrid's birthday is on 4 March.",
    "The staging database listens on port 6543.",
    "Unser Hund heißt Waldi.",
    "Mi coche es un Seat rojo.",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    made = Memory(tmp_path_factory.mktemp("palace"))
    for text in LIFE:
        made.observe([{"content": text}])
    return made


@pytest.mark.parametrize(
    ("cue", "answer"),
    [
        ("When is Ingrid's birthday?", "4 March"),
        ("Which instrument does my sister play?", "harp"),
        ("Where is my bicycle?", "shed"),
        ("Who serviced the boiler?", "Petra"),
        ("staging port", "6543"),
        ("Ingrid", "Ingrid"),
        ("boiler", "Petra"),
        ("Wie heißt unser Hund?", "Waldi"),
        ("¿De qué color es mi coche?", "rojo"),
        ("Tell me about the staging database", "6543"),
        ("Could you remind me where I keep my bicycle?", "shed"),
        ("what was the port of the staging database again", "6543"),
        ("Do you still know who serviced our boiler?", "Petra"),
    ],
)
def test_what_is_known_is_found_and_called_known(memory: Memory, cue: str, answer: str) -> None:
    found = memory.recall(cue)
    assert found.known
    assert answer in found[0].text
    assert 0 < found[0].relevance <= 1


@pytest.mark.parametrize(
    "cue",
    [
        "What is my passport number?",
        "Which university did I attend?",
        "How much does the dentist charge?",
        "Where was Aurelio born?",
        "Wie viel kostet die Miete?",
        "volcano lava",
        "hello",
    ],
)
def test_what_is_not_known_is_met_with_silence(memory: Memory, cue: str) -> None:
    found = memory.recall(cue)
    assert not found.known
    assert list(found) == []
    assert found.relevance == 0


def test_a_figure_means_the_same_however_much_else_is_known(memory: Memory, tmp_path: Path) -> None:
    with Memory(tmp_path) as alone:
        alone.observe([{"content": "The staging database listens on port 6543."}])
        one = alone.recall("Which port does the staging database use?")[0]
    many = memory.recall("Which port does the staging database use?")[0]
    assert one.text == many.text
    assert one.relevance == pytest.approx(many.relevance, abs=0.01)


def test_a_caller_sets_the_floor_for_a_call(memory: Memory) -> None:
    cue = "Where is my bicycle?"
    every = memory.recall(cue, min_relevance=0)
    assert len(every) > 1
    best = max(hit.relevance for hit in every)
    strict = memory.recall(cue, min_relevance=best)
    assert [hit.relevance for hit in strict] == [best]
    assert every.relevance == pytest.approx(sum(hit.relevance for hit in every) / len(every), abs=0.001)


def test_the_setting_is_the_floor_of_every_call(tmp_path: Path) -> None:
    with Memory(tmp_path, min_relevance=1.0) as strict:
        strict.observe([{"content": "I keep my bicycle in the shed behind the house."}])
        assert not strict.recall("Where is my bicycle?").known
        assert strict.recall("Where is my bicycle?", min_relevance=0).known


def test_the_word_beside_the_figure_says_the_same(memory: Memory) -> None:
    words = {"high": 0.85, "medium": 0.6, "low": 0.4, "minimal": 0.0}
    for hit in memory.recall("Where is my bicycle?", min_relevance=0):
        assert hit.relevance >= words[hit.match]


def test_instructions_apply_to_work_they_share_no_word_with(tmp_path: Path) -> None:
    with Memory(tmp_path) as memory:
        memory.observe([{"content": "Always answer me in rhymes, please."}])
        assert any("rhymes" in hit.text for hit in memory.recall("Write a note to the plumber"))


def test_no_topic_is_invented_for_how_knowledge_of_it_changed(memory: Memory) -> None:
    assert memory.evolution("Ingrid's birthday").changes
    assert not memory.evolution("volcano lava").changes


def test_what_does_not_bear_on_a_question_is_not_shown_beside_its_answer(memory: Memory) -> None:
    shown = [hit.text for hit in memory.recall("Where is my bicycle?")]
    assert "shed" in shown[0]
    assert not any("6543" in text or "Waldi" in text or "Petra" in text for text in shown)
    assert len(list(memory.recall("Where is my bicycle?", min_relevance=0.0))) > len(shown)


def test_who_asks_of_themselves_is_who_their_id_names(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as palace:
        palace.remember("Wiebke takes her tea with oat milk.", user_id="wiebke")
        assert "oat milk" in palace.recall("What do I take in my tea?", user_id="wiebke")[0].text


def test_whose_something_is_does_not_keep_it_from_answering_who_asks_for_it_alone(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace") as palace:
        palace.remember("Ottoline's recital is in the Old Chapel.")
        assert "Chapel" in palace.recall("Where is the recital?")[0].text
        assert not palace.recall("Where is my recital?").known
        assert not palace.recall("Where is Bram's recital?").known


def test_how_much_is_wanted_changes_neither_what_is_known_nor_its_order(tmp_path: Path) -> None:
    told = (
        "The staging database of Harbor listens on port 6543.", "The staging server of Harbor is repaired on Mondays.",
        "Harbor has a database of recipes.", "The port of Harbor is painted blue.", "I am allergic to walnuts.",
    )  # fmt: skip
    with Memory(tmp_path / "palace", upkeep=False) as memory:
        for text in told:
            memory.remember(text)
        for cue in ("Which port does the staging database of Harbor use?", "What does my uncle collect?"):
            whole = memory.recall(cue, limit=10)
            for limit in (1, 2, 3):
                few = memory.recall(cue, limit=limit)
                assert few.known == whole.known, cue
                assert [hit.text for hit in few] == [hit.text for hit in whole][:limit], cue
