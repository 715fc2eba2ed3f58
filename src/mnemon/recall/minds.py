"""The minds of those who ask: what each agent had in working memory when another was heard, taken up where it was left.

Owns when something is kept and when coming back counts as a switch. The palace keeps it, so that another process finds
it too; whatever has `left` and `keep` could keep it instead. Invariant: what is taken up is read anew through the view
of whoever asks, so a memory that is gone, sealed or out of reach is not in mind any more.
"""

from __future__ import annotations

import threading
from typing import Final

from mnemon.model.scope import Scope
from mnemon.model.view import View
from mnemon.recall.working import FADED_US, Saved
from mnemon.store import in_mind
from mnemon.store.in_mind import Left, Presence
from mnemon.store.store import Store

KEPT_FOR_US: Final = 60_000_000
"""The same memories are kept again only after this long: a minute more or less changes nothing in hours."""

WAIT_S: Final = 0.02
"""For a writer; most are done sooner."""


class Minds:
    """Working memories of one palace, by scope and subject. Threads share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._last: tuple[Scope, str] | None = None

    def left(self, view: View) -> Left | None:
        """What this reader left in mind."""
        with self._store.reading(view) as reading:
            return in_mind.left(reading)

    def switched(self, view: View) -> bool:
        """Whether another than this reader was heard last in this process; from now on it is this one."""
        key = view.scope, view.subject
        with self._lock:
            before, self._last = self._last, key
        return before != key

    def keep(self, view: View, saved: Saved, before: Left | None) -> None:
        """Keeps what a reader has in mind; a palace that is only read keeps nothing.

        Whoever asked is not kept waiting by whoever writes. Raises: StorageError.
        """
        if self._store.options.file.read_only:
            return
        held = [Presence(slot.memory_id, slot.activation, slot.touched_us) for slot in saved.slots if slot.memory_id]
        known = {memory.id for memory, _ in before.held} if before is not None else set()
        if known == {one.memory_id for one in held} and (before is None or saved.at_us - before.at_us < KEPT_FOR_US):
            return
        self._store.write_within(
            WAIT_S, lambda connection: in_mind.keep(connection, view, held, saved.at_us, saved.at_us - FADED_US)
        )
