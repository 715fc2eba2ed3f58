"""What a call does about damaged rows: they are set aside, it runs again without them, and its answer says so.

Owns what counts as a sign of damage. Which rows are damaged and how they are set aside is the store's business.
Invariant: a call that has written something is never run a second time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from palazzo.engine import Engine
from palazzo.errors import CorruptPalace, DamagedRow, InvalidAddress, PalazzoError, UnknownKind, WrongKey

T = TypeVar("T")

NAMED = 20
"""Damaged fields an answer names; the rest are counted."""
SIGNS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, msgspec.MsgspecError, PalazzoError)
"""What reading a damaged row ends in, depending on who meets it first. Of Palazzo's own errors, those below."""


def past_damage(engine: Engine, run: Callable[[], T], asked: object) -> T:
    """What `run` returns; when it fails on damaged rows, what it returns without them.

    Raises: whatever `run` raises; DamagedRow where it cannot do without the damaged row.
    """
    store = engine.store
    commits = store.commits
    try:
        return run()
    except SIGNS as error:
        if not _is_sign(error, asked) or not store.care.set_aside():
            raise
        if store.commits != commits:
            raise DamagedRow("the write was made; what it was to answer is damaged") from error
    try:
        return run()
    except SIGNS as error:
        if isinstance(error, DamagedRow) or not _is_sign(error, asked):
            raise
        raise DamagedRow(f"this cannot be done without what is damaged: {store.care.damaged()[0]}") from error


def _is_sign(error: Exception, asked: object) -> bool:
    if isinstance(error, UnknownKind):
        return error.kind not in repr(asked)
    if isinstance(error, InvalidAddress):
        return not error.text or error.text not in repr(asked)
    return not isinstance(error, PalazzoError) or isinstance(error, CorruptPalace | WrongKey)


def with_damage(engine: Engine, result: Any, *, in_full: bool) -> Any:
    """An answer that lists what is there, with a word on what is damaged and left out of it.

    The operator is told table, row and column; for others the numbers of rows would tell how much others keep.
    """
    damaged = engine.store.care.damaged()
    if not damaged or not hasattr(result, "damaged"):
        return result
    told = tuple(str(one) for one in damaged[:NAMED]) if in_full else ()
    if len(damaged) > len(told):
        told += (f"{len(damaged) - len(told)} {'more ' if told else ''}damaged fields; `palazzo verify` names them",)
    return dataclasses.replace(result, damaged=told)
