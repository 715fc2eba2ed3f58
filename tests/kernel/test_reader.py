"""The compiled kernel reads as numpy does, on every kind of processor, and takes nothing that does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training.reader import packing

from palazzo import Memory, kernel
from palazzo.text.reader import encoder as reader
from palazzo.text.reader import weights as file

native = kernel._built()
pytestmark = pytest.mark.skipif(native is None, reason="the compiled kernel was not built: there is no C compiler here")
PROCESSORS = range(native.processors if native is not None else 0)
WORDS = [f"word{number}" for number in range(40)]
TEXT = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
SPOKEN = TEXT.filter(bool)


@contextmanager
def in_numpy() -> Iterator[None]:
    kernel.use(False)
    try:
        yield
    finally:
        kernel.use(True)


@cache
def small(layers: int, width: int, wide: int) -> file.Encoder:
    """An encoder with random weights."""
    rng = np.random.default_rng(layers * 1000 + width + wide)
    shapes = {"words": (43, width), "places": (70, width), "sides": (2, width)}
    for number in range(layers):
        shapes |= {
            f"asked{number}": (3 * width, width), f"mixed{number}": (width, width),
            f"wide{number}": (wide, width), f"narrow{number}": (width, wide),
        }  # fmt: skip
    tables = {name: rng.normal(0, shape[1] ** -0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    norm = [np.ones(width), np.zeros(width)]
    parts = [*norm]
    for _ in range(layers):
        parts += [rng.normal(0, 0.1, 3 * width), rng.normal(0, 0.1, width), *norm]
        parts += [rng.normal(0, 0.1, wide), rng.normal(0, 0.1, width), *norm]
    parts += [rng.normal(0, 0.1, 3 * width * 4), np.zeros(4)]
    raw = packing.packed(
        ["[UNK]", "[CLS]", "[SEP]", *WORDS], tables, np.concatenate(parts).astype(np.float32),
        heads=[("change", 4)], figures={},
    )  # fmt: skip
    found = file.unpacked(raw)
    assert found is not None
    return found


SHAPES = st.tuples(st.integers(1, 3), st.sampled_from([32, 64, 96]), st.sampled_from([16, 48, 528, 1040]))


@pytest.fixture(params=PROCESSORS)
def everywhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the version for one kind of processor do the work, whichever this machine prefers."""
    monkeypatch.setattr(kernel, "read_texts", partial(kernel.read_texts, processor=request.param))
    monkeypatch.setattr(kernel, "worth_it", lambda: True)


@pytest.mark.usefixtures("everywhere")
@settings(max_examples=40, deadline=None)
@given(shape=SHAPES, pairs=st.lists(st.tuples(SPOKEN, TEXT), min_size=1, max_size=12))
def test_pairs_are_read_as_numpy_reads_them(shape: tuple[int, int, int, bool], pairs: list[reader.Pair]) -> None:
    of = small(*shape)
    assert of.compiled is not None
    found = reader.logits(of, "change", pairs)
    with in_numpy():
        assert np.allclose(found, reader.logits(of, "change", pairs), atol=2e-3)


@pytest.mark.usefixtures("everywhere")
@settings(max_examples=40, deadline=None)
@given(shape=SHAPES, texts=st.lists(st.lists(st.integers(0, 42), min_size=1, max_size=70), min_size=1, max_size=12))
def test_texts_by_themselves_are_read_as_numpy_reads_them(
    shape: tuple[int, int, int, bool], texts: list[list[int]]
) -> None:
    of = small(*shape)
    rows = [piece for text in texts for piece in text]
    ends = np.cumsum([len(text) for text in texts]).tolist()
    spans = list(zip([0, *ends[:-1]], ends, strict=True))
    masks = [piece % 4 for piece in rows]
    found = reader.read_alone(of, rows, masks, spans)
    with in_numpy():
        assert np.allclose(found, reader.read_alone(of, rows, masks, spans), atol=2e-3)


def test_the_weights_of_the_package_say_the_same_to_three_digits() -> None:
    of = reader.encoder()
    assert of is not None
    texts = ["The bins go out on Monday night.", "Collection day is Thursday now.", "Ravi brings the projector. " * 20]
    pairs = [(one, other) for one in texts for other in texts]
    for head in of.heads:
        found = reader.logits(of, head, pairs)
        with in_numpy():
            assert np.allclose(found, reader.logits(of, head, pairs), atol=5e-3)


def test_what_does_not_fit_is_refused_before_anything_is_read() -> None:
    of = small(2, 32, 16)
    pieces, masks = np.array([1, 5, 2], np.int32), np.zeros(3, np.uint64)
    spans, made = np.array([[0, 2, 3]], np.int32), np.zeros((1, 96), np.float32)

    def read(**other: object) -> None:
        told = {"pieces": pieces, "masks": masks, "spans": spans, "made": made} | other
        one, two, three, rows = told.values()
        kernel.read_texts(of.compiled, kernel.Texts(one, two, three), rows, openings=True)  # type: ignore[arg-type]

    read()
    assert made.any()
    wrong: list[dict[str, object]] = [
        {"pieces": np.array([1, 43, 2], np.int32)}, {"pieces": np.array([1, -1, 2], np.int32)},
        {"pieces": pieces.astype(np.int64)}, {"masks": np.array([0, 4, 0], np.uint64)}, {"masks": masks[:2]},
        {"spans": np.array([[0, 2, 4]], np.int32)}, {"spans": np.array([[1, 2, 3]], np.int32)},
        {"spans": np.array([[0, 4, 3]], np.int32)}, {"spans": np.array([[0, 0, 0]], np.int32)},
        {"made": made[:, :64]}, {"made": made.astype(np.float64)},
    ]  # fmt: skip
    for one in wrong:
        with pytest.raises(ValueError, match=r"bytes|spans|another"):
            read(**one)
    with pytest.raises((ValueError, BufferError)):
        read(made=np.zeros((1, 192), np.float32)[:, ::2])
    with pytest.raises(TypeError):
        read(pieces=None)


def test_an_encoder_of_another_shape_is_left_to_numpy() -> None:
    assert small(2, 32, 16).compiled is not None
    of = small(2, 32, 24)  # sixteen outputs stand side by side
    assert of.compiled is None
    assert reader.logits(of, "change", [("word1", "word2")]).shape == (1, 4)


def test_the_kernel_is_left_out_by_a_setting_and_the_doctor_tells(tmp_path: Path) -> None:
    told = {}
    for wanted in ("on", "off"):
        with Memory(tmp_path / wanted, kernel=wanted == "on") as memory:
            told[wanted] = next(one.detail for one in memory.doctor().findings if one.check == "kernel")
            memory.remember("The ferry to Lund leaves at nine.")
            assert (
                memory.recall("When does the ferry to Lund leave?").hits[0].text == "The ferry to Lund leaves at nine."
            )
    kernel.use(True)
    assert told["on"].startswith("compiled, for ")
    assert told["off"] == "numpy: the setting kernel is off"
