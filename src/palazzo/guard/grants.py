"""What the palace says about a subject: its grants, its lock, when it was first seen; behind a cache per subject.

Owns the cache and the defaults of subjects nobody decided about. Invariants: an entry is used only while the palace's
guard version is the one it was read at, so a grant or revoke by any process holds from the next call on; a default that
ends, ends counted from the first sight that the palace remembers.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass

from palazzo.guard.access import OPERATOR
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import (
    DEFAULT,
    EVERYWHERE,
    HARD_LOCKED,
    VAULT,
    Grant,
    Level,
    MeetSubject,
    default_grants,
    is_hard_locked,
)
from palazzo.model.fork_lock import ForkLock
from palazzo.store.api import Granted, Store
from palazzo.text.words.remembered import remembered

REMEMBERED = 4096
"""Subjects whose entries are kept."""


@dataclass(frozen=True, slots=True)
class KnownSubject:
    """What was read about a subject, and the guard version it was read at."""

    version: int
    grants: tuple[Grant, ...]


@dataclass(frozen=True, slots=True)
class Palace:
    """What was read about the palace as a whole, at the same version."""

    version: int
    policies: dict[str, str]
    vaults: frozenset[str]


ORCHESTRATOR = "orchestrator"
"""The kind of subject that may read below the squad or project of its scope."""


@remembered(REMEMBERED)
def kind_of(subject: str) -> str:
    """The kind of a subject: `mcp` of mcp:desk; a kit with a locked kind in its name is of that kind."""
    kind, _, name = subject.partition(":")
    words = re.sub(r"[^a-z]+", "-", name.casefold()).strip("-")
    locked = next((lock for lock in sorted(HARD_LOCKED) if f"-{lock}-" in f"-{words}-"), None)
    return f"kit:{locked}" if kind.casefold() == "kit" and locked else kind


class Grants:
    """The cache over one palace. Threads share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[str, Level | None], KnownSubject] = OrderedDict()
        self._palace: Palace | None = None
        self._lock = ForkLock()

    def of(self, subject: str, default: Level | None) -> tuple[KnownSubject, Palace]:
        """What holds for a subject; `default` is what its connection gives it while nobody decided."""
        key = (subject, default)
        known, palace = self._known.get(key), self._palace
        if (
            known is not None and palace is not None and known.version == palace.version
            and known.version == self._store.guarding.version()
        ):  # fmt: skip
            return known, palace
        rules = self._store.guarding.rules(subject)
        if palace is None or palace.version != rules.version:
            palace = self._palace = Palace(rules.version, rules.policies, frozenset(rules.vaults) | {VAULT.path})
        known = self._decided(subject, default, rules.version, rules.granted)
        if known is None:
            self._store.commit([MeetSubject(subject)], subject=subject)
            return self.of(subject, default)
        with self._lock:
            self._known[key] = known
            self._known.move_to_end(key)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known, palace

    def _decided(self, subject: str, default: Level | None, version: int, stood: Granted) -> KnownSubject | None:
        """None when the subject has to be met first: its default ends, and nobody knows from when."""
        kind, found = kind_of(subject), stood.grants
        locked = not stood.lock_lifted and (is_hard_locked(kind) or any(is_hard_locked(g.subject_kind) for g in found))
        if locked:
            return KnownSubject(version, ())
        if subject == OPERATOR:
            found = default_grants(subject, kind, 0)
        elif not found and default is not None:
            found = tuple(_given(subject, kind, default, glob) for glob in EVERYWHERE)
        elif not found:
            found = default_grants(subject, kind, stood.first_us or 0)
            if stood.first_us is None and any(grant.expires_us is not None for grant in found):
                if not self._store.read_only:
                    return None
                found = tuple(grant for grant in found if grant.expires_us is None)
        return KnownSubject(version, found)


def _given(subject: str, kind: str, level: Level, glob: PlaceGlob) -> Grant:
    return Grant(
        subject=subject, subject_kind=kind, level=level, glob=glob, start_us=0, expires_us=None, granted_by=DEFAULT
    )
