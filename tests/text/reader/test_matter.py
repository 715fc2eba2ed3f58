"""What people tell of one matter is near by the learned map, in words that nothing was learned from."""

from __future__ import annotations

import numpy as np

from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.text.reader import matter

OLDER = (
    "Our boiler is serviced by a man from Dundee.",
    "My uncle grows leeks behind the chapel.",
    "The choir rehearses in the scout hut.",
    "I commute on a folding scooter.",
    "Our twins attend the village nursery.",
)
NEWER = (
    ("He let the vegetables go and keeps hens.", 1),
    ("We sing at the library these days.", 2),
    ("The walk to the office does me good.", 3),
    ("The school bus picks them up at eight, they are in first class.", 4),
)


def test_a_vector_of_another_space_stays_as_it_is() -> None:
    vector = np.ones(384, np.float32)
    assert matter.toward("another-384", vector) is vector


def test_a_turned_vector_has_the_length_of_one() -> None:
    (vector,) = WordLlamaEmbedder().embed(["He let the vegetables go."])
    turned = matter.toward(matter.SPACE, vector)
    assert abs(float(turned @ turned) - 1) < 1e-4
    assert not np.allclose(turned, vector)


def test_what_is_told_of_one_matter_is_nearest_without_a_shared_word() -> None:
    embedder = WordLlamaEmbedder()
    older = embedder.embed(OLDER)
    for text, number in NEWER:
        (vector,) = embedder.embed([text])
        assert int(np.argmax(older @ matter.toward(matter.SPACE, vector))) == number


def test_the_bytes_of_a_map_are_its_rows_in_steps_of_their_own() -> None:
    learned = np.eye(matter.WIDTH, dtype=np.float32)
    assert len(matter.packed(learned)) == matter.WIDTH * (matter.WIDTH + 4)
