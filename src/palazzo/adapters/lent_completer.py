"""A language model lent for the length of one call: a client that offers its own model lends it to what it asks for.

Owns the loan, which belongs to the thread or task that made it and is seen by nobody else. Knows nothing of clients.
Invariant: outside a loan there is no model, and that is no failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from palazzo.ports import Completer

_LENT: ContextVar[Completer | None] = ContextVar("palazzo_lent_completer", default=None)


def lent_completer() -> Completer | None:
    """The model lent to this call, if there is one."""
    return _LENT.get()


@contextmanager
def lend(completer: Completer | None) -> Iterator[None]:
    """Lends a model to what runs inside the block."""
    token = _LENT.set(completer)
    try:
        yield
    finally:
        _LENT.reset(token)
