"""Operations about what is known as a whole: how well a thing is known, summaries of days to years, and what stands
behind a summary or a part of the overview. Parameters, results and declarations.

Owns no behaviour. Invariant: everything is made from what the caller may see, and from nothing else.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import ClassVar, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, Scoped, arguments, told, tool
from palazzo.operations.palace.spec import KnownPart
from palazzo.operations.shared import Listing, StoredMemory

SummaryLevel = Literal["", "day", "week", "month", "year"]


@arguments
class KnowsParameters(Scoped):
    cue: str = told("What may be asked.")


class KnownCue(msgspec.Struct, frozen=True, kw_only=True):
    """How well something is known: `verdict` is know, partly or unknown, `confidence` from 0 to 1; the domain it falls
    into, what that holds and how many questions about it are open; and the same in a line.
    """

    verdict: str
    confidence: float
    domain: str = ""
    node: str = ""
    memories: int = 0
    gaps: int = 0
    newest_at: datetime | None = None
    line: str = ""


@arguments
class UnfoldParameters(Scoped):
    node: str = told(
        "A part, as `overview` with a level names it, or the id or address of a summary or of a gathered memory."
    )
    limit: int = told("How many memories at most.", 50, low=1, high=5000)


class Unfolded(Listing[StoredMemory], frozen=True, kw_only=True):
    """What stands behind a summary or a part: the parts below it, and memories, most central or oldest first."""

    node: str
    summary: str
    parts: tuple[KnownPart, ...]
    listed: ClassVar[str] = "memories"
    memories: tuple[StoredMemory, ...]


@arguments
class SummariesParameters(Scoped):
    thread: str = told("Only of this conversation.", "")
    level: SummaryLevel = told("Only days, weeks, months or years.", "")
    since: datetime | None = told("Only what began then or later.", None)
    until: datetime | None = told("Only what began before then.", None)
    text: str = told("Only what has these words, best first.", "")
    limit: int = told("How many at most.", 20, low=1, high=1000)


class ShownSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A summary: of which period and conversation, its words, and how many memories it is made of."""

    id: UUID
    level: str
    first: date
    thread: str
    text: str
    sources: int


class SummaryList(Listing[ShownSummary], frozen=True, kw_only=True):
    """Summaries, the newest first, or the best first where words were asked for."""

    summaries: tuple[ShownSummary, ...]


OPERATIONS: Final[tuple[Operation, ...]] = (
    tool(
        "knows", KnowsParameters, KnownCue, Level.read_public,
        people="Say how well something is known: know, partly or unknown, and why.",
        models="Ask before you promise an answer: whether this is known, partly known or unknown.",
    ),
    tool(
        "unfold", UnfoldParameters, Unfolded, Level.read_public,
        people="Show what stands behind a summary, a gathered memory or a part of what is known.",
        models="Go from a summary, a gathered memory or a part of the map down to the memories behind it.",
    ),
    tool(
        "summaries", SummariesParameters, SummaryList, Level.read_public,
        people="List summaries of days, weeks, months and years, or search them.",
        models="Read summaries of days, weeks, months or years of a conversation, or search them by words.",
    ),
)  # fmt: skip
