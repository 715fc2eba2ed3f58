"""The features and the figure, without a palace."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.recall.conftest import Room

from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.model.capability import View
from palazzo.recall.rank.known_words import KnownWords
from palazzo.recall.rank.relevance import FLOOR, NAMES, NEAR, READ, SURELY, Compared, features, pieces, relevance
from palazzo.recall.read.cue import Cue
from palazzo.recall.recall import Aids, Recall
from palazzo.text.meaning.answering import reading
from palazzo.text.reader import judgements

WORDS = KnownWords(None)


def figures(cue: str, *texts: str) -> list[float]:
    return relevance(WORDS, cue, [Compared(text) for text in texts])


def feature(name: str, cue: str, text: str) -> float:
    return float(features(WORDS, reading(cue), [text])[0][NAMES.index(name)])


def test_a_text_that_has_the_words_of_a_question_is_likelier_than_one_that_has_not() -> None:
    near, far = figures("Where does the ferry land?", "The ferry lands at the old pier.", "I bought six lemons.")
    assert near > 0.5 > 0.1 > far


def test_the_figure_of_a_text_does_not_depend_on_what_stands_beside_it() -> None:
    alone = figures("Who paints the fence?", "Tomas paints the fence.")[0]
    among = figures("Who paints the fence?", "Rain is due.", "Tomas paints the fence.", "")[1]
    assert alone == pytest.approx(among, abs=1e-5)


def test_a_name_in_the_cue_that_a_text_lacks_counts_against_it() -> None:
    assert feature("name_missing", "Where does Ottoline live?", "Bram lives in Ghent.") == 1
    assert feature("name_missing", "Where does Bram live?", "Bram lives in Ghent.") == 0


@pytest.mark.parametrize(
    ("cue", "with_it", "without"),
    [
        ("When is the regatta?", "The regatta is on 9 July.", "The regatta is fun."),
        ("How many goats are there?", "There are eleven goats.", "The goats are brown."),
        ("Wann ist die Regatta?", "Die Regatta ist am 9. Juli.", "Die Regatta ist lustig."),
    ],
)
def test_the_sort_of_answer_that_is_asked_for_is_looked_for(cue: str, with_it: str, without: str) -> None:
    assert feature("sort_there", cue, with_it) == 1
    assert feature("sort_missing", cue, without) == 1


def test_verbs_that_change_their_stem_and_compounds_are_one_word() -> None:
    assert feature("cover", "What did I buy?", "I bought a kayak.") == 1
    assert feature("cover", "What did I sew?", "I have sewn a kimono.") == 1
    assert feature("cover", "What made the sweater shrink?", "The dryer made the sweater shrink; it shrank twice.") == 1
    assert feature("soft", "Welcher Arzt?", "Der Zahnarzt am See.") > 0.5


def test_an_attribute_that_a_text_tells_without_its_word_is_covered() -> None:
    assert feature("cover", "What is my job?", "I work as a beekeeper at Honeyfield.") == 1


def test_what_a_named_speaker_says_of_themselves_answers_a_question_about_them() -> None:
    own, other = relevance(
        WORDS,
        "Which boat does Marek own?",
        [Compared("I own a blue boat.", speaker="Marek"), Compared("I own a blue boat.", speaker="Ines")],
    )
    assert own > other


def test_a_long_text_is_as_relevant_as_its_best_part() -> None:
    filler = " ".join(f"On day {number} the weather by the lake was calm and nobody came." for number in range(40))
    text = f"{filler} The spare key hangs behind the barn door. {filler}"
    assert len(pieces(text, "spare key")) > 1
    assert figures("Where does the spare key hang?", text)[0] > 0.5


@pytest.mark.parametrize("cue", ["", "?", "\x00", "🦊", "the of and", "a" * 5000, "我的狗叫什么名字？"])
def test_any_cue_and_any_text_is_safe(cue: str) -> None:
    for figure in figures(cue, "", "?", "我的狗叫旺财。", "word " * 3000):
        assert 0 <= figure <= 1


BARNS = [
    Compared(f"The {colour} barn holds {colour} hay.")
    for colour in ("red", "green", "blue", "grey", "pink", "gold", "brown")
]
ROOF = "Who mended the roof of the barn?"


@pytest.fixture(scope="module")
def vectors() -> KnownWords:
    return KnownWords(WordLlamaEmbedder().word_vectors)


def test_a_learned_reader_joins_in_over_the_first_few_hits_of_a_question(vectors: KnownWords) -> None:
    asked: list[int] = []

    def sure(told: Sequence[tuple[str, str]]) -> list[float]:
        asked.append(len(told))
        return [0.999] * len(told)

    without = relevance(vectors, ROOF, BARNS)
    with_it = relevance(vectors, ROOF, BARNS, answering=sure)
    assert len(asked) == 1
    assert asked[0] <= READ
    assert max(with_it) > max(without)
    assert relevance(vectors, "barn roof", BARNS, answering=sure) == relevance(vectors, "barn roof", BARNS)
    assert relevance(vectors, ROOF, BARNS, answering=lambda *_: None) == without


def test_what_was_not_read_is_no_likelier_than_what_was(vectors: KnownWords) -> None:
    read: list[str] = []

    def never(told: Sequence[tuple[str, str]]) -> list[float]:
        read.extend(text for _, text in told)
        return [0.001] * len(told)

    figures = dict(zip((one.text for one in BARNS), relevance(vectors, ROOF, BARNS, answering=never), strict=True))
    assert len(read) < len(BARNS)
    least = min(figures[text] for text in read)
    assert all(figure <= least for text, figure in figures.items() if text not in read)


def test_fewer_are_read_where_the_words_of_a_text_leave_little_doubt(vectors: KnownWords) -> None:
    read: list[str] = []

    def listened(pairs: Sequence[tuple[str, str]]) -> list[float]:
        read.extend(text for _, text in pairs)
        return [0.9] * len(pairs)

    told = [Compared("The spare key hangs behind the barn door."), *BARNS]
    assert relevance(vectors, "Where does the spare key hang?", told, answering=listened)[0] > 0.5
    assert len(read) == SURELY


SKATING = [Compared("I love skating.") for _ in range(4)]
LIMITS = [Compared("I can't eat gluten."), *SKATING, Compared("I am allergic to peanuts.")]
EAT = "What must I not eat?"


def knows_limits(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [0.98 if "gluten" in text or "allergic" in text else 0.001 for _, text in pairs]


def test_what_is_said_several_times_takes_one_seat_among_the_texts_that_are_read(vectors: KnownWords) -> None:
    figures = relevance(vectors, EAT, LIMITS, answering=knows_limits)
    assert (figures[0] > 0.5, figures[-1] > 0.5, max(figures[1:-1]) < FLOOR) == (True, True, True)


def test_what_a_larger_room_is_filled_with_makes_nothing_less_likely(vectors: KnownWords) -> None:
    """So a context holds whatever a recall of less finds: they ask for different numbers of the same hits."""
    few = [LIMITS[0], SKATING[0], LIMITS[-1], *BARNS]
    more = [Compared(f"I love to {what}.") for what in ("eat", "eat out", "cook", "dine", "skate", "eat late", "bake")]
    alone = relevance(vectors, EAT, few, answering=knows_limits)
    assert len(few) == NEAR
    assert relevance(vectors, EAT, [*few, *more], answering=knows_limits)[:NEAR] == alone
    assert alone[2] > 0.5


def test_the_fast_preset_asks_no_reader(room: Room) -> None:
    asked: list[str] = []

    def doubt(told: Sequence[tuple[str, str]]) -> list[float]:
        asked.extend({question for question, _ in told})
        return [0.5] * len(told)

    for barn in BARNS:
        room.keep(barn.text)
    aids = Aids(word_vectors=WordLlamaEmbedder().word_vectors, answering=doubt)
    recall = Recall(room.store, room.clock, room.spaces, aids)
    recall.recall(Cue(text=ROOF, preset="fast"), View())
    assert asked == []
    recall.recall(Cue(text=ROOF), View())
    assert asked == [ROOF]


def test_of_a_long_text_the_reader_is_given_what_it_can_read(vectors: KnownWords) -> None:
    lengths: list[int] = []

    def count(told: Sequence[tuple[str, str]]) -> list[float]:
        lengths.extend(len(text.split()) for _, text in told)
        return [0.5] * len(told)

    before = (
        "We looked at the roof of the barn for a while, at slates and nails, and at what it would cost to have help."
    )
    relevance(
        vectors,
        ROOF,
        [
            Compared(
                "It was the thatcher from Ulm, who was done with the lot of it by noon.", before=f"{before} {before}"
            )
        ],
        answering=count,
    )
    assert 0 < max(lengths) <= 40


@pytest.mark.parametrize(
    ("cue", "other", "same"),
    [
        ("What did I have for dinner?", "For lunch I had soup.", "For supper I had soup."),
        ("When does my mum visit?", "My father visits on Sundays.", "My mother visits on Sundays."),
        ("Who is on duty next week?", "Ebo is on duty this week.", "Ebo is on duty next week."),
        ("Was kochte meine Oma?", "Mein Opa kochte Suppe.", "Meine Großmutter kochte Suppe."),
    ],
)
def test_another_member_of_the_class_that_is_asked_about_counts_against_a_text(cue: str, other: str, same: str) -> None:
    assert feature("other_member", cue, other) == 1
    assert feature("other_member", cue, same) == 0


def test_the_word_that_says_what_is_asked_for_is_looked_for_by_itself() -> None:
    assert feature("wants", "Which ferry do I take?", "I take the late ferry.") == 1
    assert feature("wanted", "Which ferry do I take?", "I take the late ferry.") == 1
    assert feature("wanted", "How many goats are there?", "There are eleven goats.") == 1
    assert feature("wanted", "Which ferry do I take?", "I take the late bus.") == 0
    assert feature("wants", "Where do I live?", "I live by the ferry.") == 0


def test_what_was_asked_in_the_same_breath_is_no_answer() -> None:
    asked = "Which tent do we have?"
    both, told = figures(asked, "Can you find us a tent? Our son is called Ossian.", "Our son is called Ossian.")
    assert both == pytest.approx(told, abs=1e-5)
    assert figures(asked, "Is it a good tent? We have a Hilleberg tent.")[0] > 0.5


@pytest.mark.parametrize(
    ("cue", "told", "answers"),
    [
        ("What's my husband's name?", "I'm Leocadia.", False),
        ("Who is my notary?", "Hello, I'm Leocadia and I paint.", False),
        ("Wie heißt mein Hund?", "Ich bin Ferdinand.", False),
        ("What's my name?", "I'm Leocadia.", True),
        ("What's my dog's name?", "We took in a spaniel called Otto.", True),
        ("Who is my boss?", "I report to Severin.", True),
        ("What's my wife's name?", "I'm married to Ottilie.", True),
    ],
)
def test_somebodys_own_name_is_not_that_of_what_is_theirs(cue: str, told: str, answers: bool) -> None:
    words = KnownWords(WordLlamaEmbedder().word_vectors)
    (figure,) = relevance(words, cue, [Compared(told)], answering=judgements.answers)
    assert (figure >= FLOOR) is answers


@pytest.mark.parametrize(
    ("cue", "told", "answers"),
    [
        ("Where does Tindra work?", "My cousin Oyvind works at the harbour.", False),
        ("What does Tindra collect?", "I collect thimbles.", False),
        ("Is Tindra vegan?", "Oyvind eats no meat.", False),
        ("What does Tindra collect?", "Tindra collects thimbles.", True),
        ("Does Tindra like jazz?", "Oyvind and Tindra love jazz.", True),
    ],
)
def test_what_is_told_of_another_does_not_answer_a_question_about_somebody_by_name(
    cue: str, told: str, answers: bool
) -> None:
    words = KnownWords(WordLlamaEmbedder().word_vectors)
    (figure,) = relevance(words, cue, [Compared(told)], answering=judgements.answers)
    assert (figure >= FLOOR) is answers


def test_an_hour_is_no_place() -> None:
    assert feature("sort_missing", "Where do I meet Tindra?", "I meet Tindra at six.") == 1
    assert feature("sort_missing", "Where do I meet Tindra?", "I meet Tindra at the pier.") == 0


@pytest.mark.parametrize(
    ("asked", "text", "answers"),
    [
        ("Who built the exporter?", "The exporter is written in Rust.", False),
        ("Who built the exporter?", "Leontine built the exporter in Rust.", True),
        ("Who looks after the billing tool?", "The billing tool writes to SQL.", False),
    ],
)
def test_a_place_a_tool_or_a_day_is_nobody(vectors: KnownWords, asked: str, text: str, answers: bool) -> None:
    (found,) = relevance(vectors, asked, [Compared(text)], answering=judgements.answers)
    assert (found >= FLOOR) is answers
