"""The minds of those who ask: what each agent had in working memory when another was heard, taken up where it was left.

Owns when something is kept and when coming back counts as a switch. This process has every mind at hand; the palace
gets it when it was not written for a minute and at the end, so that another process finds it too: a write makes every
reader of the file read its pages anew, which doubled the time of a context when each wrote. Whatever has `left` and
`keep` could keep it instead. Invariant: what is taken up is read anew through the view of whoever asks, so a memory
that is gone, sealed or out of reach is not in mind any more.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.errors import StorageError
from palazzo.model.capability import View
from palazzo.model.fork_lock import ForkLock
from palazzo.model.scope import Scope
from palazzo.recall.talk.working import FADED_US, Saved
from palazzo.store.api import LeftInMind, Presence, Store
from palazzo.text.words.remembered import kept_in

WRITTEN_EVERY_US: Final = 60_000_000
"""A mind is written again only after this long: a minute more or less changes nothing in hours."""
AT_HAND: Final = 256
"""Minds a process has at hand; what falls out is in the palace."""

WAIT_S: Final = 0.02
"""For a writer; most are done sooner."""


class _Mind(msgspec.Struct, frozen=True):
    """What a reader has in mind, and when that was written to the palace last."""

    view: View
    held: tuple[Presence, ...]
    at_us: int
    written_us: int = 0


class Minds:
    """Working memories of one palace, by scope and subject. Threads share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = ForkLock()
        self._last: tuple[Scope, str] | None = None
        self._minds: OrderedDict[tuple[Scope, str], _Mind] = OrderedDict()
        kept_in(self, store)

    def left(self, view: View) -> LeftInMind | None:
        """What this reader left in mind, here or, if that is newer, in another process."""
        with self._lock:
            mind = self._minds.get((view.scope, view.subject))
        with self._store.reading(view) as reading:
            if mind is None or reading.minds.kept_us() > mind.at_us:
                return reading.minds.left()
            return reading.minds.seen(mind.held, mind.at_us)

    def switched(self, view: View) -> bool:
        """Whether another than this reader was heard last in this process; from now on it is this one."""
        key = view.scope, view.subject
        with self._lock:
            before, self._last = self._last, key
        return before != key

    def keep(self, view: View, saved: Saved) -> None:
        """Keeps what a reader has in mind; a palace that is only read keeps nothing.

        Whoever asked is not kept waiting by whoever writes. Raises: StorageError.
        """
        if self._store.read_only:
            return
        key = view.scope, view.subject
        held = tuple(
            Presence(slot.memory_id, slot.activation, slot.touched_us) for slot in saved.slots if slot.memory_id
        )
        with self._lock:
            known = self._minds.pop(key, None)
            mind = _Mind(view, held, saved.at_us, known.written_us if known is not None else 0)
            self._minds[key] = mind
            gone = self._minds.popitem(last=False)[1] if len(self._minds) > AT_HAND else None
        for one in (mind, gone):
            if one is not None and (one is gone or one.at_us - one.written_us >= WRITTEN_EVERY_US):
                self._write(one)

    def forget(self) -> None:
        """Lets go of the names of who had what in mind; the palace has it, as far as it is still there."""
        self.flush()

    def flush(self) -> None:
        """Writes what was not written yet; what cannot be is warmth that is lost, no memory."""
        with self._lock:
            waiting = [mind for mind in self._minds.values() if mind.at_us > mind.written_us]
            self._minds.clear()
        with suppress(StorageError):
            for mind in waiting:
                self._write(mind)

    def _write(self, mind: _Mind) -> None:
        self._store.keep_mind(mind.view, mind.held, mind.at_us, mind.at_us - FADED_US, WAIT_S)
        with self._lock:
            key = mind.view.scope, mind.view.subject
            if self._minds.get(key) is mind:
                self._minds[key] = replace(mind, written_us=mind.at_us)
