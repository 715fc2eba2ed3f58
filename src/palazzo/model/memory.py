"""The central values: a memory (identity, never content), its revisions (immutable content) and what hangs on them.

Knows nothing of storage. Invariant: a revision never changes after it is made; everything mutable about a memory
(state, tags, flags, access) lives on the memory or in its tag moves; what another subject wrote acts on nobody until
the operator approved that very revision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

import msgspec

from palazzo.model.address import Kref, Place
from palazzo.model.scope import Scope

State = Literal["active", "stale", "archived", "deleted"]
Tier = Literal["clear", "sensitive", "confidential"]
STATES: tuple[State, ...] = ("active", "stale", "archived", "deleted")
TIERS: tuple[Tier, ...] = ("clear", "sensitive", "confidential")
TEXT_LIMIT_BYTES = 8 * 1024
TIERED = 120
"""Texts up to this length are their own summary; their key fact is the statement, if that is worded otherwise."""
SECTIONED = 3_000
"""Characters; a longer document is found by its sections, and itself by its title and its beginning."""


class Atom(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One structured statement of a revision. A functional predicate holds at most one value per subject."""

    subject: str
    predicate: str
    value: str
    functional: bool = False
    negated: bool = False


class Affect(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """How something felt: valence from -1 to 1, intensity from 0 to 1."""

    valence: float = 0.0
    intensity: float = 0.0

    @property
    def arousal(self) -> float:
        return abs(self.valence) * self.intensity


class Artifact(msgspec.Struct, frozen=True, gc=False):
    """A pointer to content that stays where it is."""

    name: str
    uri: str
    media_type: str = "application/octet-stream"
    size: int | None = None
    sha256: str | None = None


class Detail(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What was extracted from the text, kept with it: lists, empty by default.

    `metadata` and `title` were not extracted: they are what the sender put beside the text, JSON values by key, and
    what the sender calls it. None, or no title, in a further revision means: as before.
    """

    title: str = ""
    topics: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    prospects: tuple[str, ...] = ()
    language: str = ""
    flags: tuple[str, ...] = ()
    speaker: str = ""
    steps: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None


class RevisionDraft(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Content about to become a revision. Empty tiers mean: the text itself is short enough to serve."""

    text: str
    summary: str = ""
    key_fact: str = ""
    label: str = ""
    atoms: tuple[Atom, ...] = ()
    detail: Detail = Detail()
    importance: float = 0.5
    confidence: float = 1.0
    affect: Affect = Affect()
    author: str = ""
    valid_from_us: int | None = None
    valid_to_us: int | None = None

    @property
    def stated(self) -> str:
        """The text as a statement in which everybody is called by a name; the text itself where that is not kept."""
        return self.key_fact if self.key_fact and len(self.text) <= TIERED else self.text


class Revision(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An immutable snapshot of a memory. `number` counts from 1 within the memory; `key` is the store's own."""

    key: int
    memory_id: UUID
    number: int
    created_us: int
    content: RevisionDraft
    content_hash: bytes
    looked: bytes = b""
    """What was found when it was looked at for orders to its reader, as the guard writes it; empty: never looked at."""


class Memory(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A named, typed unit at one place, owned by one scope; `revision` is what its current tag points to."""

    id: UUID
    place: Place
    name: str
    kind: str
    scope: Scope
    state: State
    tier: Tier
    deprecated: bool
    pinned: bool
    created_us: int
    accessed_us: int
    sessions: int
    staleness: float
    revision: Revision

    @property
    def kref(self) -> Kref:
        return Kref(
            palace="", place=self.place, name=self.name, kind=self.kind, revision=None, tag=None, at=None,
            artifact=None,
        )  # fmt: skip

    @property
    def text(self) -> str:
        return self.revision.content.text

    @property
    def title(self) -> str:
        """What its sender calls it; empty where nobody gave it a name."""
        return self.revision.content.detail.title


class TagMove(msgspec.Struct, frozen=True, gc=False):
    """A tag pointed at `revision` from `from_us` until `until_us` (None: still does)."""

    tag: str
    revision: int
    from_us: int
    until_us: int | None


OWNER = "operator"
STANDING_TAG = "standing"
"""Set by the operator alone: the instruction or procedure at this revision holds for everybody who sees it."""
ACTING = ("instruction", "procedure")
"""Kinds that say what is to be done, and how."""


def by_another(memory: Memory, asker: str) -> str:
    """The subject that wrote a memory if it is neither who asks nor the owner; a speaker the owner heard is neither."""
    content = memory.revision.content
    author = content.author
    if author in ("", OWNER, asker) or (":" not in author and author == content.detail.speaker):
        return ""
    return author
