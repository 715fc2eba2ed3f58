"""Vector spaces and embedders: which space answers, which one fills, and giving missing vectors to what has none.

A space belongs to one model. When another embedder is configured, a second space is made and fills; the old one, with
its own embedder, answers until the new one is complete, then the new one takes over in one transaction. New memories
meanwhile get a vector in both, so recall has no gap. Invariants: no embedder is called inside a write transaction; a
missing or failing embedder is told, never raised to a writer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from palazzo.errors import Conflict, PartUnavailable
from palazzo.model.change import ActivateSpace, AddSpace, StoreVectors
from palazzo.ports import Embedder
from palazzo.store.api import Space, Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MakeEmbedder = Callable[[str], Embedder | None]
BATCH = 256


class Embedded(msgspec.Struct, frozen=True):
    """Vectors per space, row by row of the texts asked for; `pending` says why some space got none."""

    by_space: dict[str, NDArray[np.float32]]
    pending: str = ""


class Spaces:
    """The spaces of a palace and the embedders behind them.

    `source` is how the configured embedder is named in the settings; it is kept with its space, so that the embedder
    of an older space can be made again by `make`.
    """

    def __init__(self, store: Store, embedder: Embedder | None, source: str, make: MakeEmbedder) -> None:
        self._store = store
        self._embedder = embedder
        self._source = source
        self._make = make
        self._older: dict[str, Embedder | None] = {}

    @property
    def configured(self) -> str:
        """Name of the configured embedder; empty when there is none."""
        return self._embedder.name if self._embedder is not None else ""

    def _known(self) -> list[Space]:
        return [space for space in self._store.spaces.every() if space.state != "retired"]

    def _embedder_of(self, space: Space) -> Embedder | None:
        if self._embedder is not None and self._embedder.name == space.name:
            return self._embedder
        if space.name not in self._older:
            made = self._make(space.model)
            self._older[space.name] = made if made is not None and made.name == space.name else None
        return self._older[space.name]

    def _ensure(self) -> tuple[list[Space], str]:
        """The spaces, the configured embedder's made on first use; and why there is none of it, if so."""
        known = self._known()
        if self._embedder is None:
            return known, "no embedder is configured"
        if any(space.name == self._embedder.name for space in known):
            return known, ""
        try:
            dimensions = self._embedder.dimensions
        except PartUnavailable as error:
            return known, str(error)
        with suppress(Conflict):  # another writer made it between our look and our write
            self._store.commit([AddSpace(self._embedder.name, self._source, dimensions)])
        return self._known(), ""

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Vectors for texts about to be stored, in every space that is active or filling."""
        known, pending = self._ensure()
        found: dict[str, NDArray[np.float32]] = {}
        for space in known:
            if space.state != "active" and (self._embedder is None or space.name != self._embedder.name):
                continue  # a space that was left behind; it is filled again if its embedder comes back
            embedder = self._embedder_of(space)
            if embedder is None:
                pending = pending or f"the embedder of space {space.name} is not available"
                continue
            try:
                found[space.name] = embedder.embed(texts)
            except PartUnavailable as error:
                pending = str(error)
        return Embedded(found, pending)

    def query(self, cue: str) -> tuple[str, NDArray[np.float32] | None, str]:
        """The space to ask, the cue's vector in it, and why there is none, if so."""
        why = "no vector space yet"
        for space in sorted(self._known(), key=lambda space: space.state != "active"):
            embedder = self._embedder_of(space)
            if embedder is None:
                why = f"the embedder of space {space.name} is not available"
                continue
            try:
                return space.name, embedder.embed_query(cue), ""
            except PartUnavailable as error:
                why = str(error)
        return "", None, why

    def backfill(self, goes_on: Callable[[int, int], bool] = lambda _done, _total: True) -> int:
        """Gives the configured embedder's vector to every revision that has none; the space takes over when complete.

        `goes_on` is told how far it is and of how many, and may end it; what is left is for the next time.

        Raises: PartUnavailable when there is no embedder or it fails; what was filled stays.
        """
        _, why = self._ensure()
        if why or self._embedder is None:
            raise PartUnavailable(why, part="embedder", hint="install wordllama or configure an embedder")
        name, filled, after, total = self._embedder.name, 0, 0, 0
        while True:
            waiting = self._store.spaces.missing(name, BATCH, after)
            total = total or self._store.spaces.count_missing(name)
            if not waiting:
                break
            made = self._embedder.embed([text for _, text in waiting])
            self._store.commit([StoreVectors(name, tuple(key for key, _ in waiting), made)])
            filled, after = filled + len(waiting), waiting[-1][0]
            if not goes_on(filled, max(total, filled)):
                return filled
        if any(space.name == name and space.state != "active" for space in self._known()):
            self._store.commit([ActivateSpace(name)])
        return filled
