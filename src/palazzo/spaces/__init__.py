"""Vector spaces and embedders: which space answers, which one fills, and giving missing vectors to what has none.

A space belongs to one model and one metric. When another is configured, a second space is made and fills by itself, in
a thread beside the calls of a process that stays; the old one, with its own embedder, answers until the new one is
complete, then the new one takes over in one transaction. New memories meanwhile get a vector in both, so recall has no
gap. The spaces that were left behind are the snapshots to go back to: the last few are kept, older ones retired.
Invariants: no embedder is called inside a write transaction; a missing or failing embedder is told, never raised to a
writer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from palazzo.errors import Conflict, PalazzoError, PartUnavailable
from palazzo.model.change import ActivateSpace, AddSpace, RetireSpace, StoreVectors
from palazzo.ports import Embedder
from palazzo.store.api import Metric, Space, Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MakeEmbedder = Callable[[str], Embedder | None]
BATCH = 256
KEPT = 3
"""Spaces left behind that are kept."""


class SpaceRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a space is made with: how near two vectors are, and how many spaces that were left behind are kept."""

    metric: Metric = "cosine"
    kept: int = KEPT


class Mover:
    """Does a piece of work beside the calls of this process, once, as long as the process stays open."""

    def __init__(self, work: Callable[[], object], wait_s: float = 1.0) -> None:
        self._work = work
        self._wait_s = wait_s
        self._begun = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.trouble = ""
        """Why the work could not be done; empty when it could."""

    @property
    def stopped(self) -> bool:
        """Whether the process closes: the work ends after the step in hand."""
        return self._stop.is_set()

    def begin(self) -> None:
        """Begins after a moment, so that a process that opens, asks and closes is not kept."""
        if self._begun.acquire(blocking=False):
            self._thread = threading.Thread(target=self._run, name="palazzo-spaces", daemon=True)
            self._thread.start()

    def again(self) -> None:
        """Lets the work begin once more: what is to be done is another thing than before."""
        if self._begun.locked() and (self._thread is None or not self._thread.is_alive()):
            self._begun.release()

    def close(self) -> None:
        """Ends the work and waits for the step in hand. Safe to call twice."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def wait(self) -> None:
        """Waits until the work is done, if it was begun."""
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        if self._stop.wait(self._wait_s):
            return
        try:
            self._work()
        except PalazzoError as error:
            self.trouble = str(error)


class Embedded(msgspec.Struct, frozen=True):
    """Vectors per space, row by row of the texts asked for; `pending` says why some space got none."""

    by_space: dict[str, NDArray[np.float32]]
    pending: str = ""


class Spaces:
    """The spaces of a palace and the embedders behind them.

    `source` is how the configured embedder is named in the settings; it is kept with its space, so that the embedder
    of an older space can be made again by `make`.
    """

    def __init__(
        self, store: Store, embedder: Embedder | None, source: str, make: MakeEmbedder,
        rules: SpaceRules = SpaceRules(),
    ) -> None:  # fmt: skip
        self._store = store
        self._embedder = embedder
        self._source = source
        self._make = make
        self._rules = rules
        self._older: dict[str, Embedder | None] = {}
        self.when_behind: Callable[[], None] = lambda: None
        """Called when the space of the configured embedder is seen to fill: whoever can fills it."""

    def use(self, embedder: Embedder | None, source: str, rules: SpaceRules) -> bool:
        """Goes by another embedder or other rules from now on; says whether another space may be meant by it."""
        before = self._source, self._rules.metric
        self._embedder, self._source, self._rules = embedder, source, rules
        return (source, rules.metric) != before

    @property
    def configured(self) -> str:
        """Name of the space of the configured embedder; empty when there is none."""
        return _name(self._embedder, self._rules.metric) if self._embedder is not None else ""

    def _known(self) -> list[Space]:
        return [space for space in self._store.spaces.every() if space.state != "retired"]

    def _embedder_of(self, space: Space) -> Embedder | None:
        if self._embedder is not None and _name(self._embedder, space.metric) == space.name:
            return self._embedder
        if space.name not in self._older:
            made = self._make(space.model)
            self._older[space.name] = made if made is not None and _name(made, space.metric) == space.name else None
        return self._older[space.name]

    def _ensure(self) -> tuple[list[Space], str]:
        """The spaces, the configured embedder's made on first use; and why there is none of it, if so."""
        known = self._known()
        if self._embedder is None:
            return known, "no embedder is configured"
        own = next((space for space in known if space.name == self.configured), None)
        if own is not None:
            if own.state == "filling":
                self.when_behind()
            return known, ""
        try:
            dimensions = self._embedder.dimensions
        except PartUnavailable as error:
            return known, str(error)
        with suppress(Conflict):  # another writer made it between our look and our write
            self._store.commit([AddSpace(self.configured, self._source, dimensions, self._rules.metric)])
            if known:
                self.when_behind()
        return self._known(), ""

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Vectors for texts about to be stored, in every space that is active or filling."""
        known, pending = self._ensure()
        found: dict[str, NDArray[np.float32]] = {}
        for space in known:
            if space.state != "active" and space.name != self.configured:
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

    def query(self, cue: str, known: Sequence[Space] | None = None) -> tuple[str, NDArray[np.float32] | None, str]:
        """The space to ask, the cue's vector in it, and why there is none, if so; `known` are the spaces of a reading
        that asks."""
        why = "no vector space yet"
        known = self._known() if known is None else [space for space in known if space.state != "retired"]
        if (
            known
            and self.configured
            and not any(one.name == self.configured and one.state == "active" for one in known)
        ):
            self.when_behind()
        for space in sorted(known, key=lambda space: space.state != "active"):
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
            raise PartUnavailable(why, part="embedder", hint="configure an embedder")
        embedder, name = self._embedder, self.configured  # as they are now: settings may change on the way
        filled, after, total = 0, 0, 0
        while True:
            waiting = self._store.spaces.missing(name, BATCH, after)
            total = total or self._store.spaces.count_missing(name)
            if not waiting:
                break
            made = embedder.embed([text for _, text in waiting])
            self._store.commit([StoreVectors(name, tuple(key for key, _ in waiting), made)])
            filled, after = filled + len(waiting), waiting[-1][0]
            if not goes_on(filled, max(total, filled)):
                return filled
        if name == self.configured and any(s.name == name and s.state != "active" for s in self._known()):
            self._store.commit([ActivateSpace(name)])
            self._retire(name)
        return filled

    def _retire(self, name: str) -> None:
        """Lets go of the spaces that were left behind longest ago, beyond those that are kept."""
        behind = [space for space in self._known() if space.name != name]
        for space in behind[: max(len(behind) - self._rules.kept, 0)]:
            self._store.commit([RetireSpace(space.name)])


def _name(embedder: Embedder, metric: Metric) -> str:
    """A space is called as its embedder; one with another metric than the usual says which."""
    return embedder.name if metric == "cosine" else f"{embedder.name} ({metric})"
