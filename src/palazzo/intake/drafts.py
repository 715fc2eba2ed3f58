"""A Draft: one future memory on its way through the stages, and what a stage hands on.

Owns the working values of the pipeline. Each stage returns new drafts and the fates of what it took out. Invariant:
`start` and `end` index the message's text as it will be stored (secrets already replaced by their class).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from palazzo.model.entity import MentionDraft, RelationDraft
from palazzo.model.fate import Fate
from palazzo.model.kinds import Durability
from palazzo.model.memory import Affect, Atom
from palazzo.model.message import Letter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NO_VECTORS: Mapping[str, NDArray[np.float32]] = MappingProxyType({})
TURN_KIND = "exchange"
SUMMARISED = 240
"""Turns up to this length are their own summary: about sixty tokens, the most a summary may have."""
TIERED = 120
"""Texts up to this length are their own summary; their key fact is the statement, if that is worded otherwise."""


class Judgement(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What sort of statement it is."""

    kind: str
    importance: float
    confidence: float
    durability: Durability | None = None
    reasons: tuple[str, ...] = ()


class Findings(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What was read out of the text."""

    atoms: tuple[Atom, ...] = ()
    mentions: tuple[MentionDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    topics: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    language: str = ""
    affect: Affect = Affect()
    valid_from_us: int | None = None
    valid_to_us: int | None = None


class Draft(msgspec.Struct, frozen=True, gc=False):
    """One future memory. `statement` is the text as a proposition that reads alone; `text` what will be stored."""

    letter: Letter
    text: str
    statement: str
    start: int
    end: int
    whole: bool = False
    part: int = 0
    sentence: str = ""
    subject: str = ""
    stage: str = ""
    """Who read it out of the message, when it was not the offline reading."""
    judgement: Judgement | None = None
    findings: Findings = Findings()
    prospects: tuple[str, ...] = ()
    vectors: Mapping[str, NDArray[np.float32]] = _NO_VECTORS

    @property
    def kind(self) -> str:
        return self.judgement.kind if self.judgement is not None else TURN_KIND


class Lost(msgspec.Struct, frozen=True, gc=False):
    """What a stage took out: the number of the message and the fate."""

    number: int
    fate: Fate
