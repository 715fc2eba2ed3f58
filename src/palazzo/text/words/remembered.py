"""What functions over texts remember between calls, and the one place that makes all of them forget it.

Owns the list of these caches. A cache keeps the texts it was asked about alive, decrypted ones too, for as long as the
process lives; a palace that is closed calls `forget_texts`, and so does an erasure. Invariants: a cache that holds
texts, or words or names out of them, is made here or tells this module how it is emptied; objects are known weakly, so
being known here keeps none of them alive. With two palaces open in one process, closing one costs the other no more
than reading some texts again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol, TypeVar
from weakref import ReferenceType, WeakKeyDictionary, ref

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

T = TypeVar("T")


class Keeper(Protocol):
    """Whatever keeps texts between calls, or words, names or vectors made from them."""

    def forget(self) -> None:
        """Lets go of all of it."""


_empty: Final[list[Callable[[], None]]] = []
_keepers: Final[WeakKeyDictionary[Keeper, ReferenceType[object] | None]] = WeakKeyDictionary()


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


def kept_in(keeper: Keeper, palace: object | None = None) -> None:
    """Lets `forget_texts` call `forget` of an object that keeps texts, for as long as there is one.

    What belongs to a palace is left alone when another one forgets.
    """
    _keepers[keeper] = None if palace is None else ref(palace)


def forgotten(function: object) -> bool:
    """Whether `forget_texts` empties what this function remembers."""
    return getattr(function, "cache_clear", None) in _empty


def forget_texts(palace: object) -> None:
    """Empties every cache of texts in this process, but for what other palaces keep of their own."""
    for empty in _empty:
        empty()
    for keeper, owner in tuple(_keepers.items()):
        if owner is None or owner() is palace:
            keeper.forget()
