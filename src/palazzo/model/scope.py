"""Scope: whose memory it is, as a path global > project > squad > agent > channel > user.

Owns the path, its text form and the rule of who sees what. Knows nothing of places or capabilities, which
answer other questions. Invariants: levels come in order, each at most once, any may be skipped; one scope
has exactly one text, and a scope is a prefix of another exactly when its text is the other's or is followed
there by '/', so the store may compare texts.
"""

from __future__ import annotations

import re

import msgspec

from palazzo.errors import InvalidInput

LEVELS = ("project", "squad", "agent", "channel", "user")
"""Below global, widest first."""

_RANK = {level: rank for rank, level in enumerate(LEVELS)}
_PRIVATE = frozenset({"channel", "user"})
_ESCAPES = {"/": "%2F", ":": "%3A", "%": "%25"}
_PLAIN = {escape: char for char, escape in _ESCAPES.items()}


def _encode(value: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in value)


def _decode(text: str) -> str:
    # Only the three escapes that printing produces are read: a second spelling would be a second text.
    if re.search(r"%(?!2F|3A|25)|:", text):
        raise InvalidInput("in a scope only %2F, %3A and %25 follow a value's name", field="scope")
    return re.sub("%..", lambda escape: _PLAIN[escape[0]], text)


class Scope(msgspec.Struct, frozen=True, gc=False, order=True):
    """A path of (level, value) pairs; `GLOBAL` has none."""

    levels: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        last = -1
        for level, value in self.levels:
            rank = _RANK.get(level, -1)
            if rank <= last:
                raise InvalidInput(
                    f"scope level {level!r} is unknown, repeated or out of order",
                    field="scope",
                    hint=f"in this order: {', '.join(LEVELS)}",
                )
            if not value or not value.isprintable():
                raise InvalidInput(f"the {level} of a scope is printable text, not empty", field="scope")
            last = rank

    @classmethod
    def parse(cls, text: str) -> Scope:
        """The scope written as level:value pairs joined by '/'; the empty text is global.

        Raises: InvalidInput.
        """
        if not text:
            return GLOBAL
        levels = []
        for part in text.split("/"):
            level, colon, value = part.partition(":")
            if not colon:
                raise InvalidInput("a scope is level:value, joined by /", field="scope")
            levels.append((level, _decode(value)))
        return cls(tuple(levels))

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Its levels by the names of the parameters that choose them."""
        return tuple((f"{level}_id" if level in ("agent", "user") else level, value) for level, value in self.levels)

    @classmethod
    def of(
        cls,
        *,
        project: str | None = None,
        squad: str | None = None,
        agent: str | None = None,
        channel: str | None = None,
        user: str | None = None,
    ) -> Scope:
        """The scope of the levels given; None skips a level.

        Raises: InvalidInput if a value is empty or not printable.
        """
        values = (project, squad, agent, channel, user)
        return cls(tuple((level, value) for level, value in zip(LEVELS, values, strict=True) if value is not None))

    def get(self, level: str) -> str | None:
        """The value at a level, or None if the path skips it."""
        return next((value for name, value in self.levels if name == level), None)

    def prefixes(self) -> tuple[Scope, ...]:
        """Every scope whose memories this one's reader sees: global first, itself last."""
        return tuple(Scope(self.levels[:length]) for length in range(len(self.levels) + 1))

    def is_prefix_of(self, other: Scope) -> bool:
        """Whether the other scope is this one or continues it."""
        return other.levels[: len(self.levels)] == self.levels

    @property
    def is_private(self) -> bool:
        """Whether it lies in a channel or belongs to a user, where no orchestrator reads."""
        return any(level in _PRIVATE for level, _ in self.levels)

    @property
    def led(self) -> Scope | None:
        """What an orchestrator at this path leads: its squad, else its project, else nothing."""
        for level in ("squad", "project"):
            for length, (name, _) in enumerate(self.levels, start=1):
                if name == level:
                    return Scope(self.levels[:length])
        return None

    def __str__(self) -> str:
        return "/".join(f"{level}:{_encode(value)}" for level, value in self.levels)


GLOBAL = Scope()


def visible(reader: Scope, owner: Scope, *, orchestrator: bool = False) -> bool:
    """Whether a reader sees what the owner's scope holds.

    A reader sees its own path and every prefix of it. An orchestrator also reads below what it leads, but
    never into a channel or user scope.
    """
    if owner.is_prefix_of(reader):
        return True
    led = reader.led if orchestrator else None
    return led is not None and led.is_prefix_of(owner) and not owner.is_private
