"""Where a newer statement looks for the older ones of its matter: a learned turn of its vector.

"Got the keys to our own house" and "We rent a flat above the pharmacy" share no word and are far apart for an embedder
that averages words; what people tell of one matter is near by a map that learned it (`training/reader/matter.py`).
Owns that map, which is of one space of vectors. Knows nothing of memories. Invariant: a vector of another space, and
every vector where the map is not installed, stays as it is.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Final

from palazzo.text.words.lexicon import EVERY_LANGUAGE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTS: Final = f"data/{EVERY_LANGUAGE}/matter.bin"
SPACE: Final = "wordllama-256"
WIDTH: Final = 256
_PACKAGE: Final = "palazzo.text"


def toward(space: str, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector by which older statements of the same matter are found in a space."""
    learned = _map() if space == SPACE else None
    if learned is None:
        return vector
    import numpy as np

    turned: NDArray[np.float32] = vector @ learned
    length = np.sqrt(turned @ turned)
    return np.divide(turned, length) if length else vector


def packed(learned: NDArray[np.float32]) -> bytes:
    """A map as the bytes of its file: rows in steps of their own, then the steps."""
    import numpy as np

    steps = np.maximum(np.abs(learned).max(axis=1), np.float32(1e-8)) / np.float32(127)
    rows: bytes = np.rint(learned / steps[:, None]).astype(np.int8).tobytes()
    return rows + bytes(steps.astype("<f4").tobytes())


@cache
def _map() -> NDArray[np.float32] | None:
    import numpy as np

    try:
        raw = pkgutil.get_data(_PACKAGE, WEIGHTS) or b""
    except FileNotFoundError:
        return None
    table = np.frombuffer(raw, np.int8, WIDTH * WIDTH).reshape(WIDTH, WIDTH)
    found: NDArray[np.float32] = table * np.frombuffer(raw, "<f4", WIDTH, WIDTH * WIDTH)[:, None]
    return found
