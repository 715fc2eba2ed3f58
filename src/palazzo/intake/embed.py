"""Stage 7, embed: a vector for every draft in every space in use, all texts in one call.

Never blocks and never fails a write: without vectors the drafts go on, the reason is told, and backfill gives the
vectors later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from palazzo.intake.values import Draft

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class VectorRows(Protocol):
    """Vectors per space, row by row of the texts asked for, and why some are missing."""

    @property
    def by_space(self) -> dict[str, NDArray[np.float32]]: ...

    @property
    def pending(self) -> str: ...


class VectorSource(Protocol):
    """Gives vectors for texts about to be stored; tells what is missing instead of raising."""

    def embed(self, texts: Sequence[str]) -> VectorRows: ...


def embed(drafts: Sequence[Draft], source: VectorSource) -> tuple[list[Draft], str]:
    """Drafts with their vectors, and why some have none."""
    if not drafts:
        return [], ""
    made = source.embed([draft.text for draft in drafts])
    spaces = list(made.by_space.items())
    if not spaces:
        return list(drafts), made.pending
    filled = [
        replace(draft, vectors={name: rows[number] for name, rows in spaces}) for number, draft in enumerate(drafts)
    ]
    return filled, made.pending
