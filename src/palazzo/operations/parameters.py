"""The arguments of every operation, one frozen value each: name, type, default and help of each parameter.

Owns no behaviour. Times are aware datetimes; a memory is named by its id or its address. Invariant: a parameter means
the same in every operation that has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from palazzo.model.graph import EdgeKind
from palazzo.model.message import Role
from palazzo.operations.declared import Scoped, told

Preset = Literal["fast", "balanced", "deep"]
Reranking = Literal["none", "mmr", "model", "client"]
Ranking = Literal["relevance", "balanced", "recent", "important", "historical", "broad"]
Fusion = Literal["sum", "rank", "max"]
Purpose = Literal["turn", "task", "flow", "orchestrator", "delegation"]
Life = Literal["live", "archived", "forgotten", "all"]
Direction = Literal["out", "in", "both"]
Conflict = Literal["ask", "temporal", "keep_both", "use_new", "keep_existing", "merge"]

LevelName = Literal["none", "anchor", "metadata", "read_public", "read_all", "write", "forget"]

ImportFormat = Literal[
    "auto", "bundle", "markdown", "palace", "encrypted", "chatgpt", "claude", "mem0", "mcp-memory", "notes", "chromium",
    "firefox", "icalendar",
]  # fmt: skip
ExportFormat = Literal["auto", "bundle", "markdown", "palace", "encrypted"]

A_MEMORY = "The id of the memory, or its address (place/name.kind)."


@dataclass(frozen=True, kw_only=True)  # two bases with slots cannot be joined in Remember
class Note:
    """Something to remember, for `remember_many`."""

    text: str = told("What to remember, word for word.")
    place: str = told("Where it belongs, such as work.projects; chosen from the content when left out.", "")
    kind: str = told("What kind of memory it is, such as fact or decision; chosen from the content when left out.", "")
    name: str = told("Its name at that place. Remembering under the same name again revises that memory.", "")
    tags: tuple[str, ...] = told("Tags that point at this revision.", ())
    importance: float | None = told("From 0 to 1; judged from the content when left out.", None, low=0, high=1)
    pinned: bool | None = told("Whether it never fades; what was asked to be remembered is, unless you say no.", None)
    at: datetime | None = told("When it was said; now when left out. Relative dates are read against it.", None)
    speaker: str = told("Who says it, where the text says I.", "")
    conflict: Conflict | None = told("What to do if it contradicts what is known; by kind when left out.", None)
    verbatim: bool = told("Keep it as one memory, without drawing statements from it.", False)
    metadata: dict[str, Any] | None = told("JSON values to keep beside it, by key; they come back with it.", None)
    if_revision: int | None = told(
        "Only if what has that name is at this revision, 0 for nothing yet; else it is a conflict.", None, low=0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(Note, Scoped):
    """Arguments of `remember`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberMany(Scoped):
    """Arguments of `remember_many`."""

    notes: tuple[str | Note, ...] = told("What to remember: texts, or notes with a place, a kind and so on.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn of a conversation, as chat programs keep it."""

    content: str = told("What was said.")
    role: Role = told("Who said it, as a role.", "user")
    speaker: str = told("Who said it, by name.", "")
    at: datetime | None = told("When it was said; now when left out.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observe(Scoped):
    """Arguments of `observe`."""

    turns: tuple[str | Said, ...] = told("The turns in order: texts, or objects with content, role, speaker and at.")
    thread: str = told("The conversation they belong to.", "")
    session: str = told("The sitting of that conversation.", "")
    metadata: dict[str, Any] | None = told("JSON values to keep beside it, by key; they come back with it.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Scoped):
    """Arguments of `recall`."""

    cue: str = told("What you want to know, as a question or in key words.")
    limit: int = told("How many memories at most.", 10, low=1, high=200)
    budget_tokens: int | None = told("Fit the answer into so many tokens, shortening what comes last.", None, low=1)
    place: str = told("Only from this place and below it; work.* is only directly below.", "")
    kinds: tuple[str, ...] = told("Only memories of these kinds.", ())
    after: datetime | None = told("Only what was true or happened at or after this time.", None)
    before: datetime | None = told("Only what was true or happened before this time.", None)
    as_of: datetime | None = told("What was believed at this time, instead of now.", None)
    thread: str = told("The conversation this is for; what belongs to it counts more.", "")
    speaker: str = told("Who asks, where the cue says I.", "")
    preset: Preset = told("How much work to do: fast, balanced or deep.", "balanced")
    rerank: Reranking = told("Reorder the best: none, mmr for variety, a model, or client to choose yourself.", "none")
    mode: Ranking = told("What counts beside relevance: recency, importance and confidence, by name.", "relevance")
    fusion: Fusion = told("How words and meaning join: sum, rank or max.", "sum")
    mood: float = told("The mood it is asked in, from -1 to 1; what was felt alike counts more.", 0.0, low=-1, high=1)
    metadata: dict[str, Any] | None = told(
        "Only memories whose metadata has these values: text, numbers, true, false.", None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Scoped):
    """Arguments of `feedback`."""

    memory: str = told(A_MEMORY)
    cue: str = told("What was asked or said when the memory was out of place.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForContext(Scoped):
    """Arguments of `context`."""

    message: str = told("What the model is about to answer.")
    budget_tokens: int = told(
        "How many tokens the block may have, the message included.", 2000, low=128, high=1_000_000
    )
    model: str = told("The model that will read it, for its way of counting tokens.", "")
    history: tuple[str | Said, ...] = told(
        "What was said before, oldest first: texts, or objects with content, role, speaker and at. It says where the"
        " conversation is heading and is part of the block.", (),
    )  # fmt: skip
    thread: str = told("The conversation; without a history its last observed turns are that.", "")
    purpose: Purpose = told("What it is for: a turn, a task, a flow, an orchestrator's plan or a delegation.", "turn")
    delegate: str = told("The agent that a delegation hands the work to; it is read as that agent.", "")
    as_of: datetime | None = told("What was believed at this time, instead of now.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForReasoning(Scoped):
    """Arguments of `reason`."""

    question: str = told("A question that needs more than one look.")
    depth: int | None = told("How many steps deep at most; as the model allows when left out.", None, low=1, high=5)
    model: str = told("The model that will read it; how deep it may go follows from it.", "")
    budget_tokens: int = told("How many tokens of evidence at most.", 4000, low=100, high=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForEvolution(Scoped):
    """Arguments of `evolution`."""

    topic: str = told("What to follow through time.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Get(Scoped):
    """Arguments of `get`."""

    memory: str = told(A_MEMORY)
    as_of: datetime | None = told("As it was at this time, instead of now.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class List(Scoped):
    """Arguments of `list`."""

    place: str = told("Only from this place and below it; work.* is only directly below.", "")
    kinds: tuple[str, ...] = told("Only memories of these kinds.", ())
    state: Life = told("Which ones: live, archived, forgotten or all.", "live")
    as_of: datetime | None = told("What was believed at this time, instead of now.", None)
    limit: int = told("How many at most.", 50, low=1, high=1000)
    cursor: str = told("Where to go on: the next_cursor of the page before.", "")
    count: bool = told("Count all of them, also in a palace so large that this takes a while.", False)
    metadata: dict[str, Any] | None = told(
        "Only memories whose metadata has these values: text, numbers, true, false.", None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(Scoped):
    """Arguments of `update`."""

    memory: str = told(A_MEMORY)
    text: str = told("What it says from now on. What it said before stays in its history.")
    importance: float | None = told("From 0 to 1; judged from the content when left out.", None, low=0, high=1)
    at: datetime | None = told("When this became true; now when left out.", None)
    metadata: dict[str, Any] | None = told("JSON values to keep beside it instead of those it has.", None)
    if_revision: int | None = told("Only if it is at this revision; else it is a conflict.", None, low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMemory(Scoped):
    """Arguments of operations that want nothing but a memory."""

    memory: str = told(A_MEMORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget(Scoped):
    """Arguments of `forget`."""

    memory: str = told(A_MEMORY)
    reason: str = told("Why, for the record; never put content here.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Relate(Scoped):
    """Arguments of `relate`."""

    source: str = told("The memory the link starts from: its id or address.")
    target: str = told("The memory it leads to: its id or address.")
    kind: EdgeKind = told("What the link says.", "related_to")
    weight: float = told("How strong it is, from 0 to 1.", 1.0, low=0, high=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk(Scoped):
    """Arguments of `walk`."""

    memory: str = told(A_MEMORY)
    direction: Direction = told("Follow links out, in or both ways.", "both")
    kinds: tuple[EdgeKind, ...] = told("Only links of these kinds.", ())
    depth: int = told("How many links away at most.", 2, low=1, high=20)
    limit: int = told("How many memories at most.", 100, low=1, high=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact(Scoped):
    """Arguments of `impact`."""

    memory: str = told(A_MEMORY)
    depth: int = told("How many links away at most.", 10, low=1, high=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain(Scoped):
    """Arguments of `explain`."""

    memory: str = told("The id or address of a memory, or the id of an intake.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox(Scoped):
    """Arguments of `inbox`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle(Scoped):
    """Arguments of `settle`."""

    memory: str = told("The memory that holds: its id or address.")
    other: str = told("Settle only with this one: its id or address. Every disagreement of it when left out.", "")
    both: bool = told("Keep both; only the disagreement is closed.", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places(Scoped):
    """Arguments of `places`."""

    place: str = told("The place to look below; the whole palace when left out.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Scoped):
    """Arguments of `move`."""

    memory: str = told(A_MEMORY)
    place: str = told("Where it belongs from now on.", blank=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag(Scoped):
    """Arguments of `tag`."""

    memory: str = told(A_MEMORY)
    tag: str = told("The name of the tag. The tag current says which revision holds.")
    revision: int | None = told("The revision it points at; the current one when left out.", None, low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveGrant:
    """Arguments of `grant`."""

    subject: str = told("Who may, such as mcp:desk or agent:primary.")
    level: LevelName = told("What they may, each more than the last.")
    place: str = told("Where: a place, its children (work.*), or it and all below (work.**).", "**")
    days: float | None = told("For how many days; for good when left out.", None, low=0, high=36_500)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeGrant:
    """Arguments of `revoke`."""

    subject: str = told("Whose grant.")
    place: str = told("Where, as it was granted.", "**")


@dataclass(frozen=True, slots=True, kw_only=True)
class OfSubject:
    """Arguments of `grants`."""

    subject: str = told("Whose grants, such as mcp:desk.")


FROM_NOW = "now"


@dataclass(frozen=True, slots=True, kw_only=True)
class Events(Scoped):
    """Arguments of `events`."""

    after: str = told("Only events after this: seq or last as it came, 0 for the first on, now for none yet.", "0")
    limit: int = told("How many at most.", 100, low=1, high=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """Arguments of operations that want none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Scoped):
    """Arguments of `import`."""

    file: str = told("The file or folder to read.")
    format: ImportFormat = told("What it is; found out from its content when left out.", "auto")
    place: str = told("Where what it tells goes: imports, or a place below it; by the format when left out.", "")
    dry_run: bool = told("Read and count only; nothing is written.", False)
    reader: str = told("Read it with the importer of this name that a plugin brings.", "")
    passphrase: str = told("The passphrase of an encrypted archive.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Scoped):
    """Arguments of `export`."""

    to: str = told("The new file to write, or the new folder for markdown.")
    format: ExportFormat = told("What to write; by the file's ending when left out.", "auto")
    place: str = told("Only from this place and below it; work.* is only directly below.", "")
    user: str = told("Only what belongs to this user, in whatever project or channel: all they have a right to.", "")
    passphrase: str = told("The passphrase of an encrypted archive.", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """Arguments of `backup`."""

    target: str = told("The new file to write.")
