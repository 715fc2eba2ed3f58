"""The encoder: what it says of a pair does not depend on its neighbours, and a file that is cut is no encoder."""

from __future__ import annotations

import numpy as np
import pytest

from palazzo.text.reader import encoder as reader
from palazzo.text.reader import judgements

PAIRS = [
    ("The bins go out on Monday night.", "Collection day is Thursday since the new contractor started."),
    ("Ravi brings the projector.", "My sister borrowed a projector for her wedding."),
    ("Vivo con mi abuela.", ""),
    ("", ""),
]


@pytest.fixture
def weights() -> reader.Encoder:
    found = reader.encoder()
    assert found is not None
    return found


@pytest.mark.parametrize("head", ["change", "answers", "kinds"])
def test_what_stands_beside_a_pair_changes_nothing_of_it(weights: reader.Encoder, head: str) -> None:
    together = reader.logits(weights, head, PAIRS)
    alone = np.concatenate([reader.logits(weights, head, [pair]) for pair in PAIRS])
    assert np.allclose(together, alone, atol=1e-3)


def test_nothing_to_read_gives_nothing(weights: reader.Encoder) -> None:
    assert reader.logits(weights, "change", []).shape == (0, 4)
    assert judgements.change([]) == []


def test_a_text_of_any_length_is_read_as_far_as_there_is_room(weights: reader.Encoder) -> None:
    endless = "The lighthouse keeper counted gulls. " * 500
    assert len(reader.cut(endless, weights.vocabulary)) == reader.LONGEST
    assert np.isfinite(reader.logits(weights, "change", [(endless, endless)])).all()


def test_odds_sum_to_one(weights: reader.Encoder) -> None:
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
    raw = reader.packed(
        ["[UNK]", "[CLS]", "[SEP]", "a"],
        tables,
        offsets,
        heads=[("change", 2)],
        figures={"at": 0.5},
    )
    whole = reader.unpacked(raw)
    assert whole is not None
    assert whole.figures == {"at": 0.5}
    assert reader.unpacked(raw[:-1]) is None
    assert reader.unpacked(b"") is None
    assert reader.unpacked(b"XXXX" + raw[4:]) is None
