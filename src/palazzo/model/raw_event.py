"""Raw events: what was done on the machine, as it was captured: a command, a commit, a file, a window in front, music.

Owns the value and the changes of it. Knows nothing of how one is captured. Invariants: a raw event is no memory, so no
recall, no claim and no belief rests on one; it is kept for days and not noted in the archive; what was refused is told
by kind, source and reason, never by its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from palazzo.model.scope import GLOBAL, Scope

RawKind = Literal["command", "commit", "file", "app_activation", "music"]
RAW_KINDS: tuple[RawKind, ...] = RawKind.__args__  # type: ignore[attr-defined]
KEPT = "kept"
COUNTER: Final = "mind:capture"
"""Who takes events in and counts them."""
SEEN_AS: Final[Mapping[str, RawKind]] = {"shell": "command", "git": "commit", "window": "app_activation"}
"""What an adapter sees, of those whose events are counted."""
COUNTED: Final[Mapping[str, tuple[str, ...]]] = {
    "command": ("tool_use", "keyword_freq"), "commit": ("language_use",), "app_activation": ("app_focus",),
}  # fmt: skip
"""The families of signals for which an event of a kind counts."""
COUNTED_DAYS: Final = 31
"""For how many days counts are kept: what is believed is held against those of a month."""


class RawEvent(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Something that was done. `source` is the adapter that saw it, `reference` the command, path, app or title."""

    kind: RawKind
    source: str
    reference: str
    at_us: int
    metadata: Mapping[str, Any] = {}
    scope: Scope = GLOBAL
    number: int = 0


class RefusedEvent(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What was not kept, and why: a class of finding or a rule, in a word."""

    kind: RawKind
    source: str
    reason: str
    at_us: int


class AddRawEvents(msgspec.Struct, frozen=True, gc=False):
    """Keep what was captured; every event of the batch, kept or refused, has an audit line of its own."""

    events: tuple[RawEvent, ...]
    refused: tuple[RefusedEvent, ...] = ()


class PruneRawEvents(msgspec.Struct, frozen=True, gc=False):
    """Let go of raw events from before a moment."""

    before_us: int


RawEventChange = AddRawEvents | PruneRawEvents


class RawSelection(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Which raw events; an empty field wants all. `source` is an adapter, a path and what is below it, or a
    reference."""

    source: str = ""
    kind: str = ""
    after_us: int | None = None
    before_us: int | None = None

    def takes(self, kind: str, source: str, reference: str, at_us: int) -> bool:
        """Whether something that was seen is among them."""
        named = self.source in ("", source, reference) or reference.startswith(self.source.rstrip("/") + "/")
        since = self.after_us is None or at_us >= self.after_us
        return named and self.kind in ("", kind) and since and (self.before_us is None or at_us < self.before_us)
