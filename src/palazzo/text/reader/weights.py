"""The weights behind the learned judgements, as a file has them and as they are read with.

Owns the file: a header, the vocabulary, tables in bytes with one step a row, and offsets in floats. Refuses to know how
texts are read with them (`encoder`) and how they were learned (`training/`).
Invariants: a file that is cut or of another make is no encoder; what was packed is unpacked the same.
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

_MAGIC: Final = b"PRD1"
_HEADER: Final = struct.Struct("<4sII")
_HEAD_WIDTH: Final = 32
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


def unpacked(raw: bytes) -> Encoder | None:
    """The encoder in a file; nothing where it is cut."""
    import numpy as np

    if len(raw) < _HEADER.size:
        return None
    magic, told, spelled = _HEADER.unpack_from(raw)
    start = _HEADER.size + told
    if magic != _MAGIC or len(raw) < start + spelled:
        return None
    header = json.loads(raw[_HEADER.size : start])
    if len(raw) != start + spelled + header["size"]:
        return None
    arrays = {
        name: (
            np.frombuffer(raw, np.int8, rows * columns, at + 4 * rows).reshape(rows, columns),
            np.frombuffer(raw, np.float32, rows, at).copy(),
        )
        for name, rows, columns, at in _placed(header["arrays"], start + spelled)
    }
    offsets = np.frombuffer(raw, np.float32, header["offsets"], len(raw) - 4 * header["offsets"]).copy()
    lines = raw[start : start + spelled].decode().split("\n")
    return _assembled(header, _spelled(lines, header.get("pieces")), arrays, offsets)


def _spelled(lines: Sequence[str], pieces: int | None) -> tuple[dict[str, int], Translated]:
    """The pieces, and by language the words that are read as English ones."""
    vocabulary = {piece: number for number, piece in enumerate(lines[:pieces])}
    translated: dict[str, dict[str, tuple[int, ...]]] = {}
    for language, word, numbers in (line.split("\t") for line in lines[len(vocabulary) :]):
        translated.setdefault(language, {})[word] = tuple(map(int, numbers.split()))
    return vocabulary, translated


def _placed(arrays: list[tuple[str, int, int]], at: int) -> Iterator[tuple[str, int, int, int]]:
    for name, rows, columns in arrays:
        yield name, rows, columns, at
        at += rows * (columns + 4)


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


def in_bytes(table: Floats) -> Table:
    """A table in bytes, and the step of each of its rows."""
    import numpy as np

    steps = np.maximum(np.abs(table).max(axis=1), 1e-8).astype(np.float32) / np.float32(127)
    return np.rint(table / steps[:, None]).astype(np.int8), steps


def packed(
    vocabulary: list[str], tables: Mapping[str, Floats], offsets: Floats, *,
    heads: Sequence[tuple[str, int]], figures: Mapping[str, float], concepts: Sequence[str] = (),
) -> bytes:  # fmt: skip
    """The file of weights, as `unpacked` reads it: every row of a table in bytes of one step.

    Behind the pieces the vocabulary may have lines of a language, a word and the numbers of the pieces it is read as.
    """
    import numpy as np

    width = tables["places"].shape[1]

    parts: list[bytes] = []
    for table in tables.values():
        found, steps = in_bytes(table)
        parts += [steps.tobytes(), found.tobytes()]
    parts.append(offsets.astype(np.float32).tobytes())
    body = b"".join(parts)
    header = json.dumps({
        "width": width, "wide": tables["wide0"].shape[0],
        "layers": sum(name.startswith("asked") for name in tables),
        "attention_heads": max(1, width // _HEAD_WIDTH), "heads": heads, "figures": dict(figures),
        "concepts": list(concepts), "size": len(body), "pieces": sum("\t" not in line for line in vocabulary),
        "offsets": len(offsets), "arrays": [[name, *table.shape] for name, table in tables.items()],
    }).encode()  # fmt: skip
    spelled = "\n".join(vocabulary).encode()
    return _HEADER.pack(_MAGIC, len(header), len(spelled)) + header + spelled + body
