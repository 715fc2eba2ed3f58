"""How much a text is worded as orders to its reader: a quick head over every passage, an encoder over doubtful ones.

Owns the order of the two, and the encoder: the cutting of a passage into pieces of words, the reading of the weights,
and the arithmetic from pieces to one number. Refuses to know rules, hidden letters, what a score leads to (`injection`)
and how the weights were learned (`training/injection` makes the file with this same cutting). A token is a row; weights
are bytes with one step a row, opened to floats at the first passage. Nearly every attack passes the head at its low
threshold and most ordinary text stops there, so the encoder, thirty times as dear, reads little: the worst passages
each by itself, so that nothing around an attack hides it, and a short text as a whole, so that sentences which mean
something only together are seen together. Invariants: no text stays here; without the encoder's weights, and in a
script it never learned, the head judges alone at a threshold of its own; without either nobody judges, and `missing`
says so.
"""

from __future__ import annotations

import json
import math
import pkgutil
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from palazzo.files.blas_threads import one_blas_thread
from palazzo.text.safety import injection_head
from palazzo.text.safety.injection_head import concept_of_word, folded, lexicon
from palazzo.text.words.lexicon import EVERY_LANGUAGE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WEIGHTS: Final = f"data/{EVERY_LANGUAGE}/injection_encoder.bin"
LONGEST: Final = 96
"""Pieces read of a passage, the one that opens it and the one that closes it included."""
THRESHOLDS: Final = ("pass_at", "head_weight", "flag_at", "refuse_at")
UNKNOWN, OPENING, CLOSING = 0, 1, 2
"""The first pieces of every vocabulary."""

_PACKAGE: Final = "palazzo.text"
_MAGIC: Final = b"INE1"
_HEADER: Final = struct.Struct("<4sII")
_HAN: Final = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
_PART: Final = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+|[^\w\s]|_")
_IS_HAN: Final = re.compile(rf"[{_HAN}]")
_LONGEST_WORD: Final = 32


@dataclass(frozen=True, slots=True)
class WordingLayer:
    """The weights of one layer, as (out, in) matrices turned for rows, with their offsets."""

    asked: tuple[Floats, Floats]  # query, key and value side by side
    mixed: tuple[Floats, Floats]
    mixed_norm: tuple[Floats, Floats]
    wide: tuple[Floats, Floats]
    narrow: tuple[Floats, Floats]
    narrow_norm: tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Encoder:
    """A vocabulary, the vectors of its pieces, the layers and the last sum."""

    vocabulary: dict[str, int]
    words: NDArray[np.int8]
    steps: Floats
    places: Floats
    concepts: Floats
    norm: tuple[Floats, Floats]
    layers: tuple[WordingLayer, ...]
    heads: int
    judge: tuple[Floats, float]
    pass_at: float
    """What the head must say of a sentence for the encoder to read it."""
    head_weight: float
    """What the head's word counts beside the encoder's."""
    flag_at: float
    refuse_at: float


@cache
def encoder() -> Encoder | None:
    """The encoder of this package; nothing where its file is missing."""
    try:
        return unpacked(pkgutil.get_data(_PACKAGE, WEIGHTS) or b"")
    except FileNotFoundError:
        return None


def cut(passage: str, vocabulary: dict[str, int]) -> tuple[list[int], list[int]]:
    """Numbers of the pieces of a passage in lower case, and for each piece the concepts of its word."""
    numbers: list[int] = []
    concepts: list[int] = []
    for part in _PART.findall(passage):
        found = _pieces(part, vocabulary)
        numbers += found
        concepts += [concept_of_word(part)] * len(found)
    return numbers, concepts


def _pieces(part: str, vocabulary: dict[str, int]) -> list[int]:
    if _IS_HAN.match(part):
        return [vocabulary.get(sign, UNKNOWN) for sign in part]
    word = folded(part)[:_LONGEST_WORD]
    found: list[int] = []
    start = 0
    while start < len(word):
        before = "##" if start else ""
        for end in range(len(word), start, -1):
            number = vocabulary.get(before + word[start:end])
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            return [UNKNOWN]
    return found


def weighed(of: Encoder, numbers: list[int], masks: list[int]) -> float:
    """How the pieces of a passage are worded: the higher, the more they give orders to their reader."""
    import numpy as np

    rows = np.array([OPENING, *numbers, CLOSING])
    states = of.words[rows] * of.steps[rows, None] + of.places[: len(rows)]
    for at, mask in enumerate(masks, 1):
        if mask:
            states[at] += of.concepts[[bit for bit in range(mask.bit_length()) if mask >> bit & 1]].sum(0)
    states = _normed(states, of.norm)
    weights, offset = of.judge
    with one_blas_thread():
        for layer in of.layers:
            states = _normed(states + _attended(states, layer, of.heads), layer.mixed_norm)
            inner = _gelu(states @ layer.wide[0] + layer.wide[1])
            states = _normed(states + (inner @ layer.narrow[0] + layer.narrow[1]), layer.narrow_norm)
        return float(np.concatenate([states[0], states.mean(0)]) @ weights + offset)


def _attended(states: Floats, layer: WordingLayer, heads: int) -> Floats:
    import numpy as np

    count, width = states.shape
    asked = (states @ layer.asked[0] + layer.asked[1]).reshape(count, 3, heads, width // heads).transpose(1, 2, 0, 3)
    query, key, value = asked
    weights = query @ key.transpose(0, 2, 1)
    weights *= np.float32((width // heads) ** -0.5)
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed: Floats = (weights @ value).transpose(1, 0, 2).reshape(count, width) @ layer.mixed[0] + layer.mixed[1]
    return mixed


def _normed(states: Floats, norm: tuple[Floats, Floats]) -> Floats:
    import numpy as np

    states = states - states.mean(axis=-1, keepdims=True)
    states /= np.sqrt((states * states).mean(axis=-1, keepdims=True) + np.float32(1e-12))
    return states * norm[0] + norm[1]


def _gelu(states: Floats) -> Floats:
    import numpy as np

    inner: Floats = np.tanh(np.float32(0.7978845608) * (states + np.float32(0.044715) * states * states * states))
    return np.float32(0.5) * states * (inner + np.float32(1))


def unpacked(raw: bytes) -> Encoder | None:
    """The encoder in a file; nothing where it is cut, or was made for another lexicon."""
    import numpy as np

    if len(raw) < _HEADER.size:
        return None
    magic, told, spelled = _HEADER.unpack_from(raw)
    start = _HEADER.size + told
    if magic != _MAGIC or len(raw) < start + spelled:
        return None
    header = json.loads(raw[_HEADER.size : start])
    if header["concepts"] != list(lexicon().names) or len(raw) != start + spelled + header["size"]:
        return None
    vocabulary = {piece: number for number, piece in enumerate(raw[start : start + spelled].decode().split("\n"))}
    arrays: dict[str, NDArray[np.float32]] = {}
    words: dict[str, NDArray[np.int8]] = {}
    for name, rows, columns, at in _placed(header["arrays"], start + spelled):
        steps = np.frombuffer(raw, np.float32, rows, at)
        table = np.frombuffer(raw, np.int8, rows * columns, at + 4 * rows).reshape(rows, columns)
        if name == "words":
            words[name], arrays["steps"] = table, steps
        else:
            arrays[name] = np.ascontiguousarray((table * steps[:, None]).T)
    offsets = np.frombuffer(raw, np.float32, header["offsets"], len(raw) - 4 * header["offsets"])
    return _assembled(header, vocabulary, words["words"], arrays, offsets)


def _placed(arrays: list[tuple[str, int, int]], at: int) -> Iterator[tuple[str, int, int, int]]:
    for name, rows, columns in arrays:
        yield name, rows, columns, at
        at += rows * (columns + 4)


def _assembled(
    header: dict[str, Any], vocabulary: dict[str, int], words: NDArray[np.int8], arrays: dict[str, Floats],
    offsets: Floats,
) -> Encoder:  # fmt: skip
    taken = 0

    def take(count: int) -> Floats:
        nonlocal taken
        taken += count
        return offsets[taken - count : taken]

    width, wide = header["width"], header["wide"]
    norm = (take(width), take(width))
    layers = tuple(
        WordingLayer(
            (arrays[f"asked{number}"], take(3 * width)),
            (arrays[f"mixed{number}"], take(width)), (take(width), take(width)),
            (arrays[f"wide{number}"], take(wide)),
            (arrays[f"narrow{number}"], take(width)), (take(width), take(width)),
        )
        for number in range(header["layers"])
    )  # fmt: skip
    judge = (take(2 * width), float(take(1)[0]))
    return Encoder(
        vocabulary, words, arrays["steps"], arrays["places"].T, arrays["concept"].T, norm, layers, header["heads"],
        judge, *(header[name] for name in THRESHOLDS),
    )  # fmt: skip


def packed(
    vocabulary: list[str], tables: dict[str, Floats], offsets: Floats, *,
    layers: int, heads: int, thresholds: dict[str, float],
) -> bytes:  # fmt: skip
    """The file of weights, as `unpacked` reads it: every row of a table in bytes of one step."""
    import numpy as np

    parts: list[bytes] = []
    for table in tables.values():
        steps = np.maximum(np.abs(table).max(axis=1), 1e-8).astype(np.float32) / np.float32(127)
        parts += [steps.tobytes(), np.rint(table / steps[:, None]).astype(np.int8).tobytes()]
    parts.append(offsets.astype(np.float32).tobytes())
    body = b"".join(parts)
    header = json.dumps({
        "width": tables["words"].shape[1], "wide": tables["wide0"].shape[0], "layers": layers, "heads": heads,
        **thresholds, "concepts": list(lexicon().names), "size": len(body),
        "offsets": len(offsets), "arrays": [[name, *table.shape] for name, table in tables.items()],
    }).encode()  # fmt: skip
    spelled = "\n".join(vocabulary).encode()
    return _HEADER.pack(_MAGIC, len(header), len(spelled)) + header + spelled + body


_READ_ALONE: Final = 3
"""Passages that the encoder reads by themselves at most, the worst first."""
_SHORT: Final = 4
"""Passages of a text that is also read as a whole."""
_UNREAD: Final = re.compile("[\u0530-\u1dff\uac00-\ud7af]")
"""Letters of scripts the encoder never learned."""


def missing() -> str:
    """What is not installed of the two; empty when nothing is."""
    if injection_head.head() is None:
        return "the weights of the head"
    return "" if encoder() is not None else "the weights of the encoder"


def wordings(lowered: str) -> list[float]:
    """From 0 to 1 how a text in lower case is worded, then its worst other passage; empty without weights."""
    head = injection_head.head()
    if head is None:
        return []
    passages = injection_head.passages(lowered)
    sums = sorted(((injection_head.weighed(head, one), one) for one in passages), reverse=True)
    alone = [_score(one, head.flag_at, head.refuse_at) for one, _ in sums[:2]]
    of = encoder()
    if of is None or not sums or 4 * len(_UNREAD.findall(sums[0][1])) > len(sums[0][1]):
        return alone
    doubtful = [(one, passage) for one, passage in sums[:_READ_ALONE] if one >= of.pass_at]
    if not doubtful:
        return []
    found = sorted((_both(of, one) for one in doubtful), reverse=True)
    order = sums[0][1].partition(": ")[2]
    if order.strip():  # a label before an order does not hide it
        found[0] = max(found[0], _both(of, (injection_head.weighed(head, order), order)))
    if 1 < len(passages) <= _SHORT:
        found[0] = max(found[0], _both(of, (sums[0][0], lowered)))
    return [_score(one, of.flag_at, of.refuse_at) for one in found[:2]]


def _both(of: Encoder, doubtful: tuple[float, str]) -> float:
    """What the head said of a passage and what the encoder says, together."""
    by_head, passage = doubtful
    most = LONGEST - 2
    numbers, concepts = cut(passage, of.vocabulary)
    return weighed(of, numbers[:most], concepts[:most]) + of.head_weight * by_head


def _score(weighed: float, flag_at: float, refuse_at: float) -> float:
    """0.5 where the flag is, 0.9 where no harmless training text reaches; straight below, ever slower above."""
    if weighed < flag_at:
        return max(0.0, round(0.5 + 0.1 * (weighed - flag_at), 4))
    return round(1.0 - 0.5 * math.pow(0.2, (weighed - flag_at) / (refuse_at - flag_at)), 4)
