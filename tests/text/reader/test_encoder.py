"""The encoder: what it says of a pair does not depend on its neighbours, and a file that is cut is no encoder."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from training.reader import packing

from palazzo.text.reader import encoder as reader
from palazzo.text.reader import judgements
from palazzo.text.reader import weights as file
from palazzo.text.words.remembered import forget_texts

PAIRS = [
    ("The bins go out on Monday night.", "Collection day is Thursday since the new contractor started."),
    ("Ravi brings the projector.", "My sister borrowed a projector for her wedding."),
    ("Vivo con mi abuela.", ""),
    ("", ""),
]


@pytest.fixture
def weights() -> file.Encoder:
    found = reader.encoder()
    assert found is not None
    return found


def in_full(of: file.Encoder, head: str, pair: reader.Pair) -> NDArray[np.float64]:
    """The same judgement written out for one pair: every piece through every layer, in double precision."""

    def normed(states: NDArray[np.float64], norm: tuple[reader.Floats, reader.Floats]) -> NDArray[np.float64]:
        states = states - states.mean(-1, keepdims=True)
        found: NDArray[np.float64] = states / np.sqrt((states**2).mean(-1, keepdims=True) + 1e-12) * norm[0] + norm[1]
        return found

    one, other = (reader.cut(text, of.vocabulary, of.translated) for text in pair)
    rows = [reader.OPENING, *one, reader.CLOSING, *([*other, reader.CLOSING] if pair[1] else [])]
    sides = np.arange(len(rows)) >= len(one) + 2
    vectors = of.words[rows].astype(np.float64) * of.steps[rows, None]
    states = before = normed(vectors + of.places[: len(rows)] + of.marks[sides.astype(int)], of.norm)
    for layer in of.layers:
        before = states
        query, key, value = np.split(states @ layer.asked.opened + layer.asked.offset, 3, axis=1)
        mixed = []
        for part in np.split(np.arange(states.shape[1]), of.attention_heads):
            scores = np.exp(query[:, part] @ key[:, part].T / np.sqrt(len(part)))
            mixed.append(scores / scores.sum(1, keepdims=True) @ value[:, part])
        states = normed(states + np.hstack(mixed) @ layer.mixed.opened + layer.mixed.offset, layer.mixed_norm)
        inner = states @ layer.wide.opened + layer.wide.offset
        inner = inner / (1 + np.exp(-1.702 * inner))
        states = normed(states + inner @ layer.narrow.opened + layer.narrow.offset, layer.narrow_norm)
    first = before[1 : len(one) + 1].mean(0) if one else np.zeros(states.shape[1])
    second = before[len(one) + 2 : -1].mean(0) if other else np.zeros(states.shape[1])
    weights, offset = of.heads[head]
    found: NDArray[np.float64] = np.concatenate([states[0], first - second, first * second]) @ weights + offset
    return found


@pytest.mark.parametrize("head", ["change", "answers", "kinds"])
def test_it_says_what_every_piece_through_every_layer_would_say(weights: file.Encoder, head: str) -> None:
    told = [pair for pair in PAIRS if pair[0]]
    assert np.allclose(reader.logits(weights, head, told), [in_full(weights, head, pair) for pair in told], atol=1e-3)


@pytest.mark.parametrize("head", ["change", "answers", "kinds"])
def test_what_stands_beside_a_pair_changes_nothing_of_it(weights: file.Encoder, head: str) -> None:
    together = reader.logits(weights, head, PAIRS)
    alone = np.concatenate([reader.logits(weights, head, [pair]) for pair in PAIRS])
    assert np.allclose(together, alone, atol=1e-3)


@pytest.mark.parametrize("head", ["change", "answers", "plans"])
def test_what_the_first_reader_doubts_is_what_both_say_in_the_mean(weights: file.Encoder, head: str) -> None:
    other = reader.second()
    assert other is not None
    assert other.words is weights.words, "the layers stand over the words of the first"
    pairs = [*PAIRS, *((one[1], other[0]) for one, other in pairwise(PAIRS))]
    first, second = (reader.logits(one, head, pairs) for one in (weights, other))
    said = reader.voiced(weights, head, pairs)
    alone = np.isclose(said, first, atol=1e-3).all(1)
    assert np.allclose(said[~alone], (first[~alone] + second[~alone]) / 2, atol=1e-3)
    assert alone.any(), "what the first is sure of is not read again"
    assert not alone.all()


def test_of_texts_that_may_answer_the_first_of_each_question_is_read_by_both(weights: file.Encoder) -> None:
    other = reader.second()
    assert other is not None
    text = "Ravi brings the projector."
    pairs = [(PAIRS[0][0], text), (PAIRS[0][0], "The bins are green."), ("What is it?", text)]
    first, second = (reader.logits(one, "answers", pairs)[:, 0] for one in (weights, other))
    heat = weights.figures["answers_temperature"]
    said = judgements.answers(pairs)
    assert said is not None
    both = 1 / (1 + np.exp(-(first + second) / 2 / heat))
    assert [said[0], said[2]] == pytest.approx(both[[0, 2]], abs=1e-3)
    assert judgements.answers(pairs[::-1]) != said[::-1], "the green bins are the first to be asked about"


def test_the_pairs_of_a_question_pass_by_each_reader_once(
    weights: file.Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    logits, read = reader.logits, []

    def noted(of: file.Encoder, head: str, pairs: Sequence[reader.Pair]) -> reader.Floats:
        read.append(len(pairs))
        return logits(of, head, pairs)

    monkeypatch.setattr(reader, "logits", noted)
    forget_texts(object())
    judgements.answers([("Who is it?", "Ravi."), ("Who is it?", "Anna."), ("Am I it?", "Ravi.")])
    assert len(read) == 2
    assert read[0] == 3


def test_messages_are_read_by_the_first_reader_alone(weights: file.Encoder) -> None:
    told = [(text, "") for text, _ in PAIRS]
    assert (reader.voiced(weights, "kinds", told) == reader.logits(weights, "kinds", told)).all()


def test_nothing_to_read_gives_nothing(weights: file.Encoder) -> None:
    assert reader.logits(weights, "change", []).shape == (0, 4)
    assert judgements.change([]) == []


def test_a_text_of_any_length_is_read_as_far_as_there_is_room(weights: file.Encoder) -> None:
    endless = "The lighthouse keeper counted gulls. " * 500
    assert len(reader.cut(endless, weights.vocabulary, weights.translated)) == reader.LONGEST
    assert np.isfinite(reader.logits(weights, "change", [(endless, endless)])).all()


def test_a_pair_is_read_once_until_texts_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[list[reader.Pair]] = []

    def reading(of: file.Encoder, head: str, pairs: Sequence[reader.Pair], *, closely: Sequence[int]) -> reader.Floats:
        read.append(list(pairs))
        return reader.voiced(of, head, pairs, closely=closely)

    monkeypatch.setattr(judgements, "voiced", reading)
    forget_texts(object())
    first, second = PAIRS[:2]
    said = judgements.change([first, second, first]) or []
    assert read == [[first, second]], "in one go, each once"
    assert judgements.change([second, first]) == [said[1], said[0]]
    assert len(read) == 1
    assert judgements.answers([first]) is not None
    assert len(read) == 2, "another judgement of the same pair is another reading"
    forget_texts(object())
    judgements.change([second])
    assert read[2:] == [[second]]


def test_odds_sum_to_one(weights: file.Encoder) -> None:
    for odds in judgements.change(PAIRS[:2]) or ():
        assert odds.replaces + odds.holds + odds.same + odds.touches == pytest.approx(1, abs=1e-4)


def test_a_file_that_is_cut_or_of_another_kind_is_no_encoder() -> None:
    tables = {
        name: np.ones((rows, columns), np.float32)
        for name, rows, columns in (
            ("words", 4, 12), ("places", 8, 12), ("sides", 2, 12), ("asked0", 36, 12), ("mixed0", 12, 12),
            ("wide0", 16, 12), ("narrow0", 12, 16),
        )
    }  # fmt: skip
    offsets = np.zeros(2 * 12 + (36 + 3 * 12 + 16 + 3 * 12) + 36 * 2 + 2, np.float32)
    raw = packing.packed(
        ["[UNK]", "[CLS]", "[SEP]", "a"],
        tables,
        offsets,
        heads=[("change", 2)],
        figures={"at": 0.5},
    )
    whole = file.unpacked(raw)
    assert whole is not None
    assert whole.figures == {"at": 0.5}
    assert file.unpacked(raw[:-1]) is None
    layers = {name: table for name, table in tables.items() if name != "words"}
    lent = packing.packed([], layers, offsets, heads=[("change", 2)], figures={})
    assert file.unpacked(lent) is None, "layers without words"
    over = file.unpacked(lent, whole)
    assert over is not None
    assert over.words is whole.words
    assert file.unpacked(b"") is None
    assert file.unpacked(b"XXXX" + raw[4:]) is None


def test_a_pressed_table_is_near_what_it_was_and_half_as_long() -> None:
    rng = np.random.default_rng(5)
    tables = {
        name: rng.normal(size=(rows, columns)).astype(np.float32)
        for name, rows, columns in (
            ("words", 9, 64), ("places", 8, 64), ("sides", 2, 64), ("asked0", 192, 64), ("mixed0", 64, 64),
            ("wide0", 128, 64), ("narrow0", 64, 128),
        )
    }  # fmt: skip
    offsets = np.zeros(2 * 64 + 192 + 128 + 6 * 64 + 64 * 2 + 2, np.float32)
    vocabulary = ["[UNK]", "[CLS]", "[SEP]", *"abcdef"]
    plain, pressed = (
        packing.packed(vocabulary, tables, offsets, heads=[("change", 2)], figures={}, press=press)
        for press in ((), ("asked0", "wide0", "narrow0"))
    )
    assert len(pressed) < 0.7 * len(plain)
    first, second = file.unpacked(plain), file.unpacked(pressed)
    assert first is not None
    assert second is not None
    assert (first.words == second.words).all(), "what is not pressed stays as it is"
    before, after = (one.layers[0].asked.table.astype(float) for one in (first, second))
    assert np.abs(before - after).mean() < 0.1 * np.abs(before).mean() + 2
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] > 0.99


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Meine Schwester wohnt jetzt in Bremen.", "my sister lives now in bremen ."),
        ("Mi hermana vive ahora en Granada.", "my sister lives now in granada ."),
        ("Ma soeur habite maintenant à Dijon.", "my sister lives now to dijon ."),
    ],
)
def test_words_of_other_languages_are_read_as_english_ones(text: str, english: str) -> None:
    weights = reader.encoder()
    assert weights is not None
    assert reader.in_another_language(weights, text)
    cut = reader.cut(text, weights.vocabulary, weights.translated)
    expected = reader.cut(english, weights.vocabulary, {})
    assert len(set(expected) - set(cut)) <= 1


@pytest.mark.parametrize(
    "text", ["The man was in the den and I was on the pier.", "No, come at ten, the gift is for Son of Rain.", "OK"]
)
def test_english_is_read_as_it_stands_whatever_other_languages_have_its_words(text: str) -> None:
    weights = reader.encoder()
    assert weights is not None
    assert not reader.in_another_language(weights, text)
    assert reader.cut(text, weights.vocabulary, weights.translated) == reader.cut(text, weights.vocabulary, {})
