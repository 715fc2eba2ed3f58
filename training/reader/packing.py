"""Packs tables of weights into the file that `palazzo.text.reader.weights` reads: in bytes, or pressed to half of them.

Of the words of the reader, pressed, nothing of what it says of 7,000 pairs moves by more than a tenth of a logit in the
mean; of the six layers for changes a fifth, and no more changes are missed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from palazzo.text.reader.weights import HEADER, MAGIC, SHARES, TOGETHER

Floats = NDArray[np.float32]
HEAD_WIDTH = 32


def in_bytes(table: Floats) -> tuple[NDArray[np.int8], Floats]:
    """A table in bytes, and the step of each of its rows."""
    steps = np.maximum(np.abs(table).max(axis=1), 1e-8).astype(np.float32) / np.float32(127)
    return np.rint(table / steps[:, None]).astype(np.int8), steps


def packed(
    vocabulary: list[str], tables: Mapping[str, Floats], offsets: Floats, *,
    heads: Sequence[tuple[str, int]], figures: Mapping[str, float], concepts: Sequence[str] = (),
    press: Collection[str] = (),
) -> bytes:  # fmt: skip
    """The file of weights, as `weights.unpacked` reads it: rows in bytes of one step, of some in half.

    Without a table of words the vocabulary is empty, and another file lends both. Behind the pieces the vocabulary may
    have lines of a language, a word and the numbers of the pieces it is read as.
    """
    width = tables["places"].shape[1]

    parts: list[bytes] = []
    for name, table in tables.items():
        found, steps = in_bytes(table)
        parts += [steps.tobytes(), *(part.tobytes() for part in (pressed(found) if name in press else (found,)))]
    parts.append(offsets.astype(np.float32).tobytes())
    body = b"".join(parts)
    header = json.dumps({
        "width": width, "wide": tables["wide0"].shape[0],
        "layers": sum(name.startswith("asked") for name in tables),
        "attention_heads": max(1, width // HEAD_WIDTH), "heads": heads, "figures": dict(figures),
        "concepts": list(concepts), "size": len(body), "pieces": sum("\t" not in line for line in vocabulary),
        "offsets": len(offsets), "arrays": [[name, *table.shape] for name, table in tables.items()],
        "pressed": [name for name in tables if name in press],
    }).encode()  # fmt: skip
    spelled = "\n".join(vocabulary).encode()
    return HEADER.pack(MAGIC, len(header), len(spelled)) + header + spelled + body


def pressed(table: NDArray[np.int8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A table in bytes as the largest number of each stretch of a row, and a share of it, half a byte each."""
    stretches = table.reshape(-1, TOGETHER).astype(np.float32)
    reach = np.abs(stretches).max(1, keepdims=True)
    largest, nearest, least = np.zeros_like(reach), np.zeros(stretches.shape, np.uint8), np.full_like(reach, np.inf)
    for part in (1.0, 0.9, 0.8, 0.72):  # the largest number may be an odd one out
        tried = np.clip(np.rint(reach * part), 1, 127)
        bounds = (np.array(SHARES[1:]) + np.array(SHARES[:-1])) / 2
        share = np.searchsorted(bounds, stretches / tried).astype(np.uint8)
        missed = ((np.array(SHARES)[share] * tried - stretches) ** 2).sum(1, keepdims=True)
        better = missed < least
        largest, least = np.where(better, tried, largest), np.where(better, missed, least)
        nearest = np.where(better, share, nearest)
    return largest.astype(np.uint8), (nearest[:, ::2] << 4 | nearest[:, 1::2]).astype(np.uint8)
