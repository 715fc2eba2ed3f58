"""Where a newer statement looks for the older ones of its matter."""

from __future__ import annotations

import numpy as np

from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.text.reader import matter

OLDER = (
    "We rent a flat above the pharmacy.",
    "My sister plays the oboe in an orchestra.",
    "The greenhouse heater runs on paraffin.",
    "I take the early train to the office.",
    "Our cat eats nothing but tinned salmon.",
)


def test_a_vector_of_another_space_stays_as_it_is() -> None:
    vector = np.ones(384, np.float32)
    assert matter.toward("another-384", vector) is vector


def test_a_turned_vector_has_the_length_of_one() -> None:
    (vector,) = WordLlamaEmbedder().embed(["Got the keys to our own house at last."])
    turned = matter.toward(matter.SPACE, vector)
    assert abs(float(turned @ turned) - 1) < 1e-4
    assert not np.allclose(turned, vector)


def test_what_is_told_of_one_matter_is_nearest_without_a_shared_word() -> None:
    embedder = WordLlamaEmbedder()
    older = embedder.embed(OLDER)
    news = ("Got the keys to our own house on Saturday.", "She sold the instrument, music is over for her.")
    for number, vector in enumerate(embedder.embed(news)):
        assert int(np.argmax(older @ matter.toward(matter.SPACE, vector))) == number


def test_the_bytes_of_a_map_are_its_rows_in_steps_of_their_own() -> None:
    learned = np.eye(matter.WIDTH, dtype=np.float32)
    assert len(matter.packed(learned)) == matter.WIDTH * (matter.WIDTH + 4)
