"""Operations that take text in, and those that say where it stands: parameters, results and declarations.

Owns no behaviour. Invariant: what a call takes in is accounted for, stretch by stretch, in what it returns.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Arguments, Operation, Scoped, told, tool
from palazzo.operations.shared import (
    A_MEMORY,
    DEPRECATED_TOO,
    ChangedMemory,
    GivenTurn,
    Listing,
    NoParameters,
    ReasonedMemoryParameters,
)

Durability = Literal["permanent", "semester", "decaying", "transient"]
Conflict = Literal["ask", "temporal", "keep_both", "use_new", "keep_existing", "merge"]
Understand = Literal["now", "later"]
LATER: Final = (
    "Of more than eight, whether what is in them is understood now, or later by upkeep, recheck or the daemon; they are"
    " kept and found at once either way."
)


class GivenNote(Arguments):
    """Something to remember, for `remember_many`."""

    text: str = told("What to remember, word for word.")
    place: str = told("Where it belongs, such as work.projects; chosen from the content when left out.", "")
    kind: str = told("What kind of memory it is, such as fact or decision; chosen from the content when left out.", "")
    name: str = told("Its name at that place. Remembering under the same name again revises that memory.", "")
    tags: tuple[str, ...] = told("Tags that point at this revision.", ())
    importance: float | None = told("From 0 to 1; judged from the content when left out.", None, low=0, high=1)
    pinned: bool | None = told("Whether it never fades; what was asked to be remembered is, unless you say no.", None)
    durability: Durability | None = told("How it fades; by kind and content when left out.", None)
    at: datetime | None = told("When it was said; now when left out. Relative dates are read against it.", None)
    speaker: str = told("Who says it, where the text says I.", "")
    conflict: Conflict | None = told("What to do if it contradicts what is known; by kind when left out.", None)
    verbatim: bool = told("Keep it as one memory, without drawing statements from it.", False)
    metadata: dict[str, Any] | None = told("JSON values to keep beside it, by key; they come back with it.", None)
    if_revision: int | None = told(
        "Only if what has that name is at this revision, 0 for nothing yet; else it is a conflict.", None, low=0
    )


class RememberParameters(GivenNote, Scoped):
    snapshot: bool = told("Keep how the workspace stands with it.", False)
    cwd: str = told("The folder of that workspace; that of the program that is asked when left out.", "")


class ShownFate(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one stretch of a text: its span, the outcome, why, and the memory that holds it now."""

    start: int
    end: int
    outcome: str
    reason: str = ""
    memory: UUID | None = None
    other: UUID | None = None
    score: float | None = None


class ShownAccount(msgspec.Struct, frozen=True, kw_only=True):
    """The account of one message that was taken in."""

    id: UUID
    at: datetime
    fates: tuple[ShownFate, ...]


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a call that takes text in: the memories that hold it now, and an account for each message."""

    memories: tuple[UUID, ...]
    accounts: tuple[ShownAccount, ...]
    degraded: tuple[str, ...] = ()
    snapshot: UUID | None = None
    """The snapshot of the workspace that was kept with it."""
    pending: int = 0
    """How many messages are still to be understood."""

    @property
    def id(self) -> UUID | None:
        """The first memory, for the usual case of one; None when nothing was worth keeping."""
        return self.memories[0] if self.memories else None


class RememberManyParameters(Scoped):
    notes: tuple[str | GivenNote, ...] = told("What to remember: texts, or notes with a place, a kind and so on.")
    understand: Understand = told(f"{LATER} Only verbatim ones can wait.", "now")


class ObserveParameters(Scoped):
    turns: tuple[str | GivenTurn, ...] = told(
        "The turns in order: texts, or objects with content, role, speaker and at."
    )
    thread: str = told("The conversation they belong to.", "")
    session: str = told("The sitting of that conversation.", "")
    metadata: dict[str, Any] | None = told("JSON values to keep beside it, by key; they come back with it.", None)
    understand: Understand = told(LATER, "now")


class UpdateParameters(Scoped):
    memory: str = told(A_MEMORY)
    text: str = told("What it says from now on. What it said before stays in its history.")
    importance: float | None = told("From 0 to 1; judged from the content when left out.", None, low=0, high=1)
    at: datetime | None = told("When this became true; now when left out.", None)
    metadata: dict[str, Any] | None = told("JSON values to keep beside it instead of those it has.", None)
    if_revision: int | None = told("Only if it is at this revision; else it is a conflict.", None, low=1)


class MoveParameters(Scoped):
    memory: str = told(A_MEMORY)
    place: str = told("Where it belongs from now on.", blank=True)


class TagParameters(Scoped):
    memory: str = told(A_MEMORY)
    tag: str = told("The name of the tag. The tag current says which revision holds.")
    revision: int | None = told("The revision it points at; the current one when left out.", None, low=1)


class UntagParameters(Scoped):
    memory: str = told(A_MEMORY)
    tag: str = told("The name of the tag; where it pointed before stays on record.")


class TagsParameters(Scoped):
    memory: str = told("The memory whose tags are wanted, with their history; every tag in use when left out.", "")
    limit: int = told("How many tags at most, those of most memories first.", 100, low=1, high=1000)
    include_deprecated: bool = told(DEPRECATED_TOO, False)


class ShownMove(msgspec.Struct, frozen=True, kw_only=True):
    """Where a tag pointed, from when and until when (none: it still does)."""

    revision: int
    since: datetime
    until: datetime | None = None


class ShownTag(msgspec.Struct, frozen=True, kw_only=True):
    """A tag: the memories that carry it now and since when last; of one memory, the revision and every move."""

    tag: str
    memories: int
    since: datetime
    revision: int | None = None
    moves: tuple[ShownMove, ...] = ()


class TagList(Listing[ShownTag], frozen=True, kw_only=True):
    """Tags: those in use, or those one memory carries or carried."""

    tags: tuple[ShownTag, ...]


class KeepParameters(Scoped):
    memory: str = told(A_MEMORY)
    pinned: bool | None = told("Whether decay never touches it; as it is when left out.", None)
    durability: Literal["permanent", "semester", "decaying", "transient", "kind"] | None = told(
        "How it fades, `kind` for as its kind does; as it is when left out.", None
    )


class Keeping(msgspec.Struct, frozen=True, kw_only=True):
    """How a memory fades from now on; `durability` is its own, or else its kind's."""

    memory: UUID
    address: str
    pinned: bool
    durability: str


class KindParameters(Arguments):
    name: str = told("What it is called: a short word, as in an address.")
    layer: Literal["raw", "episodic", "semantic", "procedural", "relational"] = told(
        "What layer of memory it belongs to.", "semantic"
    )
    stability_days: float = told(
        "Days in which an unused memory of it falls to about a third.", 180.0, low=0.01, high=36_525
    )
    lifespan_days: float | None = told("Days for which it usually stays true; no end when left out.", None, low=0.01)
    durability: Durability = told("How it fades.", "decaying")
    conflict: Conflict = told("What happens when one contradicts another.", "temporal")
    one_value: tuple[str, ...] = told("A predicate that holds one value at a time, such as price.", ())
    why: str = told("The reason for the figures.", "")


class ShownKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of memory: its layer, how it fades, and what happens when two contradict each other. `own`: people of this
    palace added it.
    """

    kind: str
    layer: str
    stability_days: float
    lifespan_days: float | None
    durability: str
    conflict: str
    one_value: tuple[str, ...]
    why: str
    own: bool


class KindList(Listing[ShownKind], frozen=True, kw_only=True):
    """The kinds of memory this palace knows, by name."""

    kinds: tuple[ShownKind, ...]


class GivenCount(Arguments):
    """So many events of one dimension of a family on one day."""

    family: str = told("The family, such as language.")
    dimension: str = told("The member of it, such as python.")
    count: int = told("How many events.", 1, low=0, high=1_000_000)
    at: datetime | None = told("When; today when left out.", None)


class SignalParameters(Scoped):
    counts: tuple[GivenCount, ...] = told("What was done how often: objects with family, dimension, count and at.")


class Signalled(msgspec.Struct, frozen=True, kw_only=True):
    """How many counts were added, and how many memories they speak against: those are marked from now on."""

    counts: int
    flagged: int = 0


class ExplainParameters(Scoped):
    memory: str = told("The id or address of a memory, or the id of an intake.")


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """The accounts of the messages behind what was asked about, oldest first."""

    accounts: tuple[ShownAccount, ...]


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "keep", KeepParameters, Keeping, Level.write, "memory", writes=True, idempotent=True, toolset="full",
        people="Say how long a memory is kept: pinned, or how it fades.",
        models="Pin a memory so that it never fades, or say how it fades.",
    ),
    tool(
        "kinds", NoParameters, KindList, Level.metadata,
        people="Show the kinds of memory: how each fades, and what happens when two contradict each other.",
        models="See which kinds of memory there are.",
    ),
    Operation(
        "kind_add", KindParameters, ShownKind, Level.forget, "palace", writes=True, idempotent=True, toolset="full",
        people="Add a kind of memory of your own.",
        models="Add a kind of memory, when the user wants one that is not there.",
    ),
    Operation(
        "remember", RememberParameters, Kept, Level.write, "place", writes=True, idempotent=True, toolset="core",
        people="Keep a text for good, and say what became of it.",
        models="Store something worth knowing later: a fact, preference, decision, instruction or event, in plain"
        " sentences that make sense on their own. What is known already is not stored twice; what changed replaces the"
        " old, which stays in the history.",
    ),
    Operation(
        "remember_many", RememberManyParameters, Kept, Level.write, "place", writes=True, idempotent=True,
        toolset="full",
        people="Keep many texts in one transaction.",
        models="Store several things at once. Each note stands on its own.",
    ),
    Operation(
        "observe", ObserveParameters, Kept, Level.write, "place", writes=True, idempotent=True, toolset="full",
        people="Take in turns of a conversation: kept verbatim, and what lasts of them as memories of their own.",
        models="Hand over turns of a conversation as they were said; lasting statements are drawn from them.",
    ),
    Operation(
        "update", UpdateParameters, Kept, Level.write, "memory", writes=True, idempotent=True, toolset="core",
        people="Say what a memory holds from now on; what it held before stays in its history.",
        models="Correct or replace the text of one memory. The old text stays in its history.",
    ),
    Operation(
        "move", MoveParameters, ChangedMemory, Level.write, "memory", writes=True, idempotent=True, toolset="palace",
        people="Move a memory to another place.",
        models="Move one memory to the place it belongs to.",
    ),
    Operation(
        "tag", TagParameters, ChangedMemory, Level.write, "memory", writes=True, idempotent=True, toolset="temporal",
        people="Point a tag at a revision; the tag current takes a memory back to what it said before.",
        models="Mark one revision of a memory with a tag. The tag current makes that revision the one that holds.",
    ),
    Operation(
        "untag", UntagParameters, ChangedMemory, Level.write, "memory", writes=True, toolset="temporal",
        people="Take a tag away from a memory; its history stays.",
        models="Take a tag away from a memory; where it pointed stays on record.",
    ),
    Operation(
        "tags", TagsParameters, TagList, Level.read_public, "reach", toolset="temporal",
        people="List the tags in use, or those of one memory with where each pointed and when.",
        models="See which tags are in use, or where the tags of one memory pointed and since when.",
    ),
    Operation(
        "deprecate", ReasonedMemoryParameters, ChangedMemory, Level.write, "memory", writes=True, destructive=True,
        undone_by="undeprecate", idempotent=True, toolset="full",
        people="Believe a memory no longer: it is kept, and found only by the operator who asks for it.",
        models="Say that a memory no longer holds as a whole. It is kept and can be believed again.",
    ),
    Operation(
        "undeprecate", ReasonedMemoryParameters, ChangedMemory, Level.write, "memory", writes=True, idempotent=True,
        toolset="full",
        people="Believe a memory again that was believed no longer.",
        models="Believe a memory again that was deprecated by mistake.",
    ),
    tool(
        "signal", SignalParameters, Signalled, Level.write, writes=True,
        people="Add counts of what is done, such as languages used or music heard.",
        models="Report counts of what the user does (family, dimension, count), so that habits can be checked.",
    ),
    tool(
        "explain", ExplainParameters, Explained, Level.read_public,
        people="Say what became of every sentence of a message, or of the messages behind a memory.",
        models="See what became of every sentence of a message that was taken in.",
    ),
)  # fmt: skip
