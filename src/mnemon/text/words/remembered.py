"""What functions over texts remember between calls, and the one place that makes all of them forget it.

Owns the list of these caches. A cache keeps the texts it was asked about alive, decrypted ones too, for as long as the
process lives; a palace that is closed calls `forget_texts`. Invariant: a cache that holds texts, or words or names out
of them, is made here or tells this module how it is emptied. Knows nothing of palaces: with two open in one process,
closing one costs the other no more than reading some texts again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

T = TypeVar("T")
_empty: Final[list[Callable[[], None]]] = []


def remembered(most: int) -> Callable[[Callable[..., T]], _lru_cache_wrapper[T]]:
    """A decorator: the function's `most` last used answers are kept until `forget_texts`."""

    def made(function: Callable[..., T]) -> _lru_cache_wrapper[T]:
        kept = lru_cache(maxsize=most)(function)
        _empty.append(kept.cache_clear)
        return kept

    return made


def emptied_by(empty: Callable[[], None]) -> None:
    """Lets `forget_texts` call what empties another cache of texts."""
    _empty.append(empty)


def forget_texts() -> None:
    """Empties every cache of texts in this process."""
    for empty in _empty:
        empty()
