"""Tables of weights as they travel to where they are learned: in bytes with a step a row, the small ones as they are.

Needs numpy alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

LIGHT = 48
"""Tables with fewer rows or columns travel as they are."""


def in_steps(name: str, found: np.ndarray, most: int = 127) -> dict[str, np.ndarray]:
    """A table as bytes with a step a row, so that it travels light; a small one as it is."""
    if found.ndim < 2 or min(found.shape) < LIGHT:
        return {name: found.astype(np.float32)}
    steps = np.maximum(np.abs(found).max(1), 1e-8).astype(np.float32) / most
    return {name: np.rint(found / steps[:, None]).astype(np.int8), f"{name}|steps": steps}


def opened(parts: Sequence[Path]) -> dict[str, np.ndarray]:
    """Tables of some files; those in bytes are given back by their steps."""
    tables: dict[str, np.ndarray] = {}
    for part in parts:
        with np.load(part) as raw:
            tables |= {name: raw[name] for name in raw.files}
    return {
        name: found.astype(np.float32) * tables[f"{name}|steps"][:, None] if f"{name}|steps" in tables
        else found.astype(np.float32)
        for name, found in tables.items() if not name.endswith("|steps")
    }  # fmt: skip
