"""Identifiers: UUIDv7 made from a clock value that the caller gives.

Owns the layout and the order of ids; reads no clock. The 48-bit field holds milliseconds and rand_a the
fraction of the millisecond (RFC 9562, method 3; 12 bits are enough to give every microsecond back exactly);
rand_b begins random and grows inside one microsecond. Invariant: inside one process each id is greater than
the one before, in every thread and after a fork, unless the clock was set back by more than
`CLOCK_SLACK_US`: then ids follow the clock, because an id that claims a time far in the future is worse than
one out of order.

The label of a palace is an identifier too: keys are derived from it and seals are bound to it, so another value would
open no palace that exists. It is given as bytes because it is no name anybody reads. Files that people do read
(bundles, folders of notes, sealed archives) carry the product's name; one that carries the earlier label is read too.
"""

from __future__ import annotations

import os
import threading
from hashlib import blake2b
from typing import Final
from uuid import UUID, SafeUUID

from palazzo.errors import InvalidInput

CLOCK_SLACK_US: Final = 10_000_000
"""How long a thread may wait between reading the clock and asking for an id without losing its turn."""

_TAIL_BITS: Final = 62
_LAST_US: Final = (1 << 48) * 1000 - 1
_VERSION_AND_VARIANT: Final = (7 << 76) | (2 << 62)


class _Sequence:
    """The last id given by this process, and the lock that makes the next one greater."""

    __slots__ = ("lock", "tail", "us")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.us = -1
        self.tail = 0

    def after_fork(self) -> None:
        # Another thread of the parent may have held the lock; a full tail makes the child begin a new
        # microsecond with randomness of its own.
        self.lock = threading.Lock()
        self.tail = (1 << _TAIL_BITS) - 1

    def advance(self, now_us: int, entropy: int) -> tuple[int, int]:
        with self.lock:
            if self.us < now_us or now_us < self.us - CLOCK_SLACK_US:
                self.us, self.tail = now_us, entropy >> 1
            else:
                # Steps of up to 2^32 keep ids hard to guess and leave room for 2^29 of them in a microsecond.
                self.tail += 1 + (entropy & 0xFFFF_FFFF)
                if self.tail >> _TAIL_BITS:
                    self.us, self.tail = min(self.us + 1, _LAST_US), entropy >> 1
            return self.us, self.tail


_SEQUENCE = _Sequence()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_SEQUENCE.after_fork)


def new_id(now_us: int, *, random: bytes | None = None) -> UUID:
    """A UUIDv7 for this instant, greater than every id this process made before.

    `random` stands in for the system's randomness (the first eight bytes count) where ids must be
    reproducible.
    Raises: InvalidInput if the instant is before 1970 or does not fit 48 bits of milliseconds.
    """
    if not 0 <= now_us <= _LAST_US:
        raise InvalidInput("an id needs a time from 1970 to 10889", field="now_us")
    entropy = int.from_bytes((os.urandom(8) if random is None else random)[:8]) & ((1 << _TAIL_BITS) - 1)
    us, tail = _SEQUENCE.advance(now_us, entropy)
    milliseconds, rest = divmod(us, 1000)
    return _uuid((milliseconds << 80) | (rest * 4096 // 1000 << 64) | _VERSION_AND_VARIANT | tail)


def id_made_from(now_us: int, seed: bytes) -> UUID:
    """The UUIDv7 that this instant and this seed always give."""
    milliseconds, rest = divmod(now_us, 1000)
    tail = int.from_bytes(blake2b(seed, digest_size=8).digest()) & ((1 << _TAIL_BITS) - 1)
    return _uuid((milliseconds << 80) | (rest * 4096 // 1000 << 64) | _VERSION_AND_VARIANT | tail)


def id_from(stored: bytes) -> UUID:
    """The id that a palace keeps as these sixteen bytes."""
    return _uuid(int.from_bytes(stored))


def _uuid(number: int) -> UUID:
    """A UUID of a number that is known to be one; the class's own constructor checks six ways to make one, which was
    5% of the time of a write to a large palace.
    """
    made = object.__new__(UUID)
    object.__setattr__(made, "int", number)
    object.__setattr__(made, "is_safe", SafeUUID.unknown)
    return made


def time_of(id: UUID) -> int:  # noqa: A002 - the name other rooms call it by
    """The µs since 1970 that an id carries; for an id made elsewhere, exact to the millisecond.

    Raises: InvalidInput if it is not a UUIDv7.
    """
    if id.version != 7:
        raise InvalidInput("not a UUIDv7", field="id")
    fraction = (id.int >> 64) & 0xFFF
    return (id.int >> 80) * 1000 + min(-(-fraction * 1000 // 4096), 999)


LABEL: Final = bytes.fromhex("6d6e656d6f6e")
NAMES: Final = ("palazzo", LABEL.decode())
"""What a file of ours may call itself, the name it is written under first."""
