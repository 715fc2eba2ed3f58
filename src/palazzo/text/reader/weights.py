"""The weights behind the learned judgements, as a file has them and as they are read with.

Owns the file: a header, the vocabulary, tables in bytes with one step a row, some of them pressed to half a byte a
number, and offsets in floats. A file may have layers alone: they were learned over the vocabulary and the words of
another one, which lends them. Refuses to know how texts are read with them (`encoder`) and how they were learned
and packed (`training/reader`). Invariants: a file that is cut or of another make is no encoder, nor are layers without
words; what was packed is unpacked the same; a pressed table is opened to the very bytes it was pressed to.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec

from palazzo import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Table = tuple[NDArray[np.int8], Floats]

MAGIC: Final = b"PRD1"
HEADER: Final = struct.Struct("<4sII")
TOGETHER: Final = 64
"""Numbers of a pressed row that have their largest one in common."""
SHARES: Final = (
    -1.0, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0.0, 0.0796, 0.1609, 0.2461, 0.3379, 0.4407, 0.5626,
    0.723, 1.0,
)  # fmt: skip
"""Shares of that largest one which a pressed number may be: near together where most numbers are."""
Translated = Mapping[str, Mapping[str, tuple[int, ...]]]
"""By language, the words that are read as English ones: by a word without accents, the pieces of those."""


class Weights(msgspec.Struct, frozen=True, dict=True):
    """A table in bytes, a row for each output, with the step of each row and its offset."""

    table: NDArray[np.int8]
    steps: Floats
    offset: Floats

    @cached_property
    def opened(self) -> Floats:
        """The table as floats, turned for states that stand in rows."""
        import numpy as np

        return np.ascontiguousarray((self.table * self.steps[:, None]).T)


class Layer(msgspec.Struct, frozen=True):
    """The weights of one layer, and what its states are brought to one size by."""

    asked: Weights  # query, key and value side by side
    mixed: Weights
    mixed_norm: tuple[Floats, Floats]
    wide: Weights
    narrow: Weights
    narrow_norm: tuple[Floats, Floats]


class Encoder(msgspec.Struct, frozen=True, dict=True):
    """A vocabulary, the vectors of its pieces, the layers and the heads."""

    vocabulary: dict[str, int]
    translated: Translated
    words: NDArray[np.int8]
    steps: Floats
    places: Floats
    marks: Floats
    """What is added to the pieces of the first and of the second text of a pair, or of a word by its concepts."""
    norm: tuple[Floats, Floats]
    layers: tuple[Layer, ...]
    attention_heads: int
    heads: Mapping[str, tuple[Floats, Floats]]
    """The last sum of every judgement, by its name."""
    figures: Mapping[str, float]
    """Temperatures and thresholds that were chosen with the weights."""
    concepts: tuple[str, ...]
    """The concepts that words were marked with as the weights were learned."""

    @cached_property
    def compiled(self) -> object | None:
        """The kernel's hold on the weights; nothing where it does not read an encoder of this shape."""
        return _held(self)


def _held(of: Encoder) -> object | None:
    shape = kernel.ReaderShape(
        width=of.words.shape[1], wide=of.layers[0].wide.table.shape[0], heads=of.attention_heads,
        layers=len(of.layers), pieces=of.words.shape[0], places=len(of.places), marks=len(of.marks),
    )  # fmt: skip
    parts: list[Floats | NDArray[np.int8]] = [of.words, of.steps, of.places, of.marks, *of.norm]
    for layer in of.layers:
        for one in (layer.asked, layer.mixed, layer.wide, layer.narrow):
            parts += [one.table, one.steps, one.offset]
        parts += [*layer.mixed_norm, *layer.narrow_norm]
    return kernel.open_reader(shape, parts)


def unpacked(raw: bytes, lender: Encoder | None = None) -> Encoder | None:
    """The encoder in a file; nothing where it is cut, or has no words and nobody lends them."""
    import numpy as np

    if len(raw) < HEADER.size:
        return None
    magic, told, spelled = HEADER.unpack_from(raw)
    start = HEADER.size + told
    if magic != MAGIC or len(raw) < start + spelled:
        return None
    header = json.loads(raw[HEADER.size : start])
    if len(raw) != start + spelled + header["size"]:
        return None
    arrays = {
        name: (_opened(raw, at + 4 * rows, rows, columns, press), np.frombuffer(raw, np.float32, rows, at).copy())
        for name, rows, columns, at, press in _placed(
            header["arrays"], start + spelled, frozenset(header.get("pressed", ()))
        )
    }
    offsets = np.frombuffer(raw, np.float32, header["offsets"], len(raw) - 4 * header["offsets"]).copy()
    if "words" in arrays:
        lines = raw[start : start + spelled].decode().split("\n")
        return _assembled(header, _spelled(lines, header.get("pieces")), arrays, offsets)
    if lender is None or lender.words.shape[1] != header["width"]:
        return None
    lent = {"words": (lender.words, lender.steps)}
    return _assembled(header, (lender.vocabulary, lender.translated), arrays | lent, offsets)


def _spelled(lines: Sequence[str], pieces: int | None) -> tuple[dict[str, int], Translated]:
    """The pieces, and by language the words that are read as English ones."""
    vocabulary = {piece: number for number, piece in enumerate(lines[:pieces])}
    translated: dict[str, dict[str, tuple[int, ...]]] = {}
    for language, word, numbers in (line.split("\t") for line in lines[len(vocabulary) :]):
        translated.setdefault(language, {})[word] = tuple(map(int, numbers.split()))
    return vocabulary, translated


def _placed(
    arrays: list[tuple[str, int, int]], at: int, pressed: frozenset[str]
) -> Iterator[tuple[str, int, int, int, bool]]:
    for name, rows, columns in arrays:
        yield name, rows, columns, at, name in pressed
        at += rows * (4 + (columns // TOGETHER + columns // 2 if name in pressed else columns))


def _opened(raw: bytes, at: int, rows: int, columns: int, pressed: bool) -> NDArray[np.int8]:
    """A table as the bytes it is read with."""
    import numpy as np

    if not pressed:
        return np.frombuffer(raw, np.int8, rows * columns, at).reshape(rows, columns)
    count = rows * columns // TOGETHER
    largest = np.frombuffer(raw, np.uint8, count, at).astype(np.intp)[:, None]
    halves = np.frombuffer(raw, np.uint8, rows * columns // 2, at + count).reshape(count, TOGETHER // 2)
    shares = np.rint(np.arange(128)[:, None] * np.array(SHARES)).astype(np.int8)
    both = np.stack([np.repeat(shares, 16, 1), np.tile(shares, 16)], -1)
    found: NDArray[np.int8] = both.view(np.int16).ravel()[largest * 256 + halves].view(np.int8)
    return found.reshape(rows, columns)


def _assembled(
    header: dict[str, Any], spelled: tuple[dict[str, int], Translated],
    arrays: Mapping[str, Table], offsets: Floats,
) -> Encoder:  # fmt: skip
    taken = 0

    def take(count: int) -> Floats:
        nonlocal taken
        taken += count
        return offsets[taken - count : taken]

    def opened(name: str) -> Floats:
        table, steps = arrays[name]
        return table * steps[:, None]

    width, wide = header["width"], header["wide"]
    norm = (take(width), take(width))
    layers: list[Layer] = []
    for number in range(header["layers"]):
        asked, mixed, *mixed_norm, inner, narrow, size, base = (
            take(count) for count in (3 * width, width, width, width, wide, width, width, width)
        )
        layers.append(
            Layer(
                Weights(*arrays[f"asked{number}"], asked), Weights(*arrays[f"mixed{number}"], mixed),
                (mixed_norm[0], mixed_norm[1]), Weights(*arrays[f"wide{number}"], inner),
                Weights(*arrays[f"narrow{number}"], narrow), (size, base),
            )
        )  # fmt: skip
    outputs = sum(count for _, count in header["heads"])
    features = (len(offsets) - taken) // outputs - 1
    heads = {name: (take(features * count).reshape(count, features).T, take(count)) for name, count in header["heads"]}
    marks = opened("concept" if header.get("concepts") else "sides")
    return Encoder(
        *spelled, *arrays["words"], opened("places"), marks, norm, tuple(layers), header["attention_heads"], heads,
        header["figures"], tuple(header.get("concepts", ())),
    )  # fmt: skip
