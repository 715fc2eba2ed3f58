"""The derived indexes over a table port, shared by every engine; and the cache each has of what it decoded.

One cache belongs to one palace file and is shared by all its connections and threads: a lock guards the bookkeeping,
what is in it is never changed. Invariant: it holds no more bytes than it may, and the least recently used goes first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from palazzo.model.fork_lock import ForkLock

DEFAULT_BYTES = 64 << 20
ENTRY_BYTES = 400
"""Key, tuple, array header and slot of one entry, measured with tracemalloc."""


class IndexCache:
    """At most `limit_bytes` of decoded index. Threads may share it."""

    def __init__(self, limit_bytes: int = DEFAULT_BYTES) -> None:
        self._limit = limit_bytes
        self._lock = ForkLock()
        self._entries: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
        return self._bytes

    def put(self, key: Hashable, value: Any, size: int) -> None:
        """Keeps a value of `size` bytes, letting older ones go; one larger than half the cache is not kept."""
        size += ENTRY_BYTES
        with self._lock:
            old = self._entries.pop(key, None)
            if old is not None:
                self._bytes -= old[1]
            if size > self._limit // 2:
                return
            self._entries[key] = (value, size)
            self._bytes += size
            while self._bytes > self._limit:
                self._bytes -= self._entries.popitem(last=False)[1][1]

    def forget(self) -> None:
        """Lets go of everything."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0
