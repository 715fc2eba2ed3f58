"""The slips of one scope, as whoever keeps something about the work reads and writes them.

Owns the way of a value onto a slip and back, and the version that a writer saw. Knows nothing of what the kinds mean.
Invariant: of two that write a slip at once one wins and the other is told.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec.structs import replace

from palazzo.errors import NotFound
from palazzo.model.ids import new_id
from palazzo.model.scope import Scope
from palazzo.model.slip import PutSlip, Slip, SlipKind
from palazzo.store.api import Store

T = TypeVar("T")


def told_of(slip: Slip, shape: type[T]) -> T:
    """What is kept on a slip."""
    return msgspec.json.decode(slip.told, type=shape)


class ScopedSlips:
    """The slips of one scope, for one subject. What keeps slips of its own is one of these."""

    hint = ""
    """What to do where a slip is not found."""

    def __init__(self, store: Store, scope: Scope, subject: str) -> None:
        self._store = store
        self._scope = scope
        self._subject = subject

    def _get(self, kind: SlipKind, name: str) -> Slip | None:
        return self._store.slips.get(kind, name, self._scope)

    def _known(self, kind: SlipKind, name: str) -> Slip:
        """Raises: NotFound."""
        known = self._get(kind, name)
        if known is None:
            raise NotFound(f"no {kind} {name}", hint=self.hint or None)
        return known

    def _told(self, kind: SlipKind, name: str, nothing: T) -> T:
        """What is kept on the slip of this name; `nothing` where there is none."""
        known = self._get(kind, name)
        return told_of(known, type(nothing)) if known else nothing

    def _newest(self, kind: SlipKind, limit: int) -> tuple[Slip, ...]:
        return self._store.slips.newest(kind, self._scope, limit=limit)

    def _put(
        self, kind: SlipKind, name: str, state: str, told: msgspec.Struct, known: Slip | None,
        until_us: int | None = None,
    ) -> Slip:  # fmt: skip
        """Keeps a value instead of the one that was seen.

        Raises: VersionConflict.
        """
        now_us = self._store.clock.now_us()
        version = known.version if known else 0
        made = Slip(
            id=known.id if known else new_id(now_us), kind=kind, name=name, subject=self._subject, state=state,
            told=msgspec.json.encode(told).decode(), scope=self._scope, until_us=until_us,
        )  # fmt: skip
        self._store.commit([PutSlip(made, version)], subject=self._subject)
        return replace(made, version=version + 1, made_us=known.made_us if known else now_us, changed_us=now_us)
